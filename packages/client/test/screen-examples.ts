import type { Facts, PaidPart, ScreenState, VisitMoney } from '../src/screen.ts';
import type { Reason, Step, Taking } from '../src/taking.ts';

/** 12:03:10 where the reader of the page is. */
const now = new Date(2026, 10, 2, 12, 3, 10).getTime();
const capturedAt = new Date(2026, 10, 2, 12, 0, 0).toISOString();

const taking = (step: Step, reason?: Reason): Taking => ({
  step,
  reason,
  words: '',
  charged: 'unknown',
  currency: 'EUR',
});

const paidPart = (part: Partial<PaidPart> = {}): PaidPart => ({
  id: 'cpm_1',
  amount: '45.00',
  capturedAt,
  card: '*4242',
  back: { amount: '0.00', underWay: '0.00', refundable: '45.00', refundableTip: '0.00', count: 0 },
  ...part,
});

const went = (amount: string, underWay = '0.00') =>
  paidPart({
    back: {
      amount,
      underWay,
      refundable: (45 - Number(amount)).toFixed(2),
      refundableTip: '0.00',
      count: 1,
    },
  });

const visit = (...payments: readonly PaidPart[]): VisitMoney => ({ due: '45.00', payments });
const fresh = (value: VisitMoney): Facts['books'] => ({ is: 'read', value, askedAt: now });

export const base: Facts = {
  now,
  currency: 'EUR',
  taking: taking('idle'),
  takingAt: 0,
  notes: 'read',
  books: fresh(visit()),
  back: { is: 'none' },
  typed: '',
  takesTips: false,
  mayRefund: true,
  leaves: 'back',
};

const problem = {
  type: 'unanswered',
  title: '',
  why: 'network',
  recovery: { outcome: 'unknown', retry: 'doNotRetry' },
} as const;
const paid = visit(paidPart());
const withStep = (step: Step, more: Partial<Taking> = {}): Partial<Facts> => ({
  taking: { ...taking(step), amount: '45.00', ...more },
});
const ended = (step: Step, reason?: Reason, more: Partial<Taking> = {}): Partial<Facts> => ({
  taking: { ...taking(step, reason), amount: '45.00', ...more },
});
const no = { charged: 'no' } as const;
const plan = [{ paymentId: 'cpm_1', amount: '45.00', key: 'k' }];
const asking = { is: 'asking', what: 'all', typed: '' } as const;

/** Facts that lead to each state, for the page of all states. */
const changes: Readonly<Record<ScreenState, Partial<Facts>>> = {
  looking: { books: { is: 'unread' } },
  unreadable: { books: { is: 'failed', failedAt: now } },
  signedOut: { books: { is: 'failed', failedAt: now }, isSignedOut: true },
  storageClosed: { notes: 'unreadable' },
  nothingDue: { books: fresh({ due: '0.00', payments: [] }) },
  priceUnknown: { books: fresh({ payments: [went('5.00')] }) },
  ready: {},
  partlyPaid: { books: fresh({ due: '65.00', payments: [paidPart()] }) },
  paid: { books: fresh(paid) },
  partlyRefunded: { books: fresh(visit(went('5.00'))) },
  refundUnderWay: { books: fresh(visit(went('45.00', '45.00'))) },
  refunded: { books: fresh(visit(went('45.00'))) },

  opening: withStep('opening'),
  presenting: withStep('presenting'),
  stopping: withStep('stopping'),
  capturing: withStep('capturing'),
  checking: withStep('checking', { nextAttemptAt: now + 4000, problem }),
  captured: { ...withStep('captured', { charged: 'yes' }), books: { is: 'unread' } },

  declined: ended('declined', undefined, no),
  partlyApproved: ended('declined', 'partlyApproved', no),
  stopped: ended('canceled', 'stopped', no),
  sheetClosed: ended('canceled', 'sheetClosed', no),
  canceled: ended('canceled', undefined, no),
  expired: ended('canceled', 'expired', no),
  owesLess: ended('canceled', 'owesLess', no),
  otherVisit: ended('canceled', 'owesLess', {
    ...no,
    appointmentId: 'visit_1',
    alsoPays: [{ appointmentId: 'visit_2', amount: '20.00' }],
    problem: {
      type: 'conflict',
      id: 'prb_1',
      title: '',
      status: 409,
      occurredAt: capturedAt,
      attributes: { appointmentId: 'visit_2' },
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    },
  }),
  alreadyPaid: {
    ...ended('canceled', 'alreadyPaid', {
      charged: 'yes',
      paidBy: { id: 'cpm_1', amount: '45.00', capturedAt },
    }),
    books: { is: 'unread' },
  },
  noPrice: ended('canceled', 'noPrice', no),
  paidElsewhere: {
    ...ended('canceled', 'paidElsewhere', {
      charged: 'yes',
      paidBy: { id: 'cpm_1', amount: '45.00', capturedAt },
    }),
    books: fresh({ due: '65.00', payments: [paidPart()] }),
  },
  noAccess: ended('canceled', 'noAccess', no),
  notSetUp: ended('canceled', 'notSetUp', no),
  refused: ended('canceled', 'refused', no),
  waiting: ended('idle', 'waiting', no),

  noAnswer: ended('stuck', 'noAnswer'),
  storedOffline: ended('stuck', 'storedOffline'),
  otherPayment: ended('stuck', 'otherPayment'),
  signIn: ended('stuck', 'signIn'),
  askShop: ended('stuck', 'askShop'),
  noteUnreadable: ended('stuck', 'unreadable'),
  storage: ended('stuck', 'storage'),
  notStarted: ended('stuck', 'notStarted'),
  reader: ended('stuck', 'reader', no),
  readerBusy: ended('stuck', 'readerBusy', no),
  otherWindow: ended('stuck', 'otherWindow'),
  inUse: ended('stuck', 'inUse'),

  askingBack: { books: fresh(paid), back: asking },
  askingBackWrong: { books: fresh(paid), back: { ...asking, typed: '99' } },
  givingBack: { books: fresh(paid), back: { is: 'running', amount: '45.00' } },
  wentBack: {
    books: { is: 'unread' },
    back: { is: 'done', amount: '45.00', isUnderWay: false, endedAt: now },
  },
  onItsWay: {
    books: { is: 'unread' },
    back: { is: 'done', amount: '45.00', isUnderWay: true, endedAt: now },
  },
  backRefused: {
    books: fresh(paid),
    back: { is: 'refused', amount: '45.00', wentBack: '0.00', problem, endedAt: now },
  },
  backUnknown: {
    books: fresh(paid),
    back: { is: 'unknown', amount: '45.00', before: '0.00', plan, endedAt: now },
  },
};

export const examples: readonly (readonly [ScreenState, Facts])[] = Object.entries(changes).map(
  // cast: the keys of a record by state
  ([state, change]) => [state as ScreenState, { ...base, ...change }],
);
