import type { Change, Store } from '@chairside/core/ports';
import { anEvent, aProblem, someTime } from '../../builders.ts';
import { answerOf, forget, ledgerMove, numberOf } from './suite.ts';
import { remove, write } from './write.ts';

/** Records of one kind, and the changes that two nodes may make to them in the same moment. */
export interface Contest {
  readonly about: string;
  /** The records that are there, under ids that begin with this one. */
  readonly given: (id: string) => readonly Change[];
  /** The change of one side. `side` marks its record, because both sides may make the same change. */
  readonly rivals: Readonly<Record<string, Rival>>;
  /** All that can be seen of these records. */
  readonly see: (store: Store, id: string) => Promise<unknown>;
  /** A change reaches records of other meetings, so each meeting needs the store for itself. */
  readonly isWide?: boolean;
  /** Removes records that would make each later list longer. */
  readonly clear?: (store: Store) => Promise<readonly Change[]>;
}

export type Rival = (id: string, side: Side) => Change;
export type Side = 'a' | 'b';

const far = someTime + 1e9;
const afterSide = (side: Side) => someTime + (side === 'a' ? 1 : 2);

const key = (id: string) => ({ subject: id, key: 'key-1' });
const insertKey: Rival = (id, side) => write.key({ ...key(id), resourceId: `${id} of ${side}` });
const seeKey: Contest['see'] = async (store, id) => answerOf(await store.keys.get(id, 'key-1'));

const insertActor = (subject: string, name: string): Change => ({
  kind: 'insertActor',
  actor: { number: numberOf(name), subject },
});
const insertTerminal = (id: string, side: Side, name = id): Change =>
  write.terminal({ id: name, deviceIdentifier: id, barberId: side });
const seeTerminals: Contest['see'] = async (store, id) => [
  answerOf(await store.terminals.get(id)),
  answerOf(await store.terminals.get(`${id} a`)),
  answerOf(await store.terminals.get(`${id} b`)),
  answerOf(await store.terminals.getByDeviceIdentifier(id)),
];

const append = (version: number) => (id: string, side: Side) => {
  const event = anEvent({ subject: id, version, occurredAt: someTime });
  return {
    kind: 'appendEvent',
    event: { ...event, data: { ...event.data, businessId: side } },
  } as const;
};
const bury = (id: string): Change => ({ kind: 'postponeEvent', subject: id, version: 1 });
/** Such an event no longer waits from the time of its writer. */
const revive = (id: string): Change => ({
  kind: 'reviveEvent',
  subject: id,
  version: 1,
  deliverAt: someTime - 1,
});
const eventChanges = (attempts: number) => {
  const first = (id: string, side: Side) =>
    ({ subject: id, version: 1, attempts, deliverAt: afterSide(side) }) as const;
  return {
    leaseEvent: (id, side) => ({ kind: 'leaseEvent', ...first(id, side) }),
    postponeEvent: (id, side) => ({ kind: 'postponeEvent', ...first(id, side) }),
    bury,
    removeEvent: (id, side) => ({ kind: 'removeEvent', ...first(id, side) }),
    appendEvent: append(2),
  } satisfies Contest['rivals'];
};
/** Which of its events is due, from when, and which is a dead letter. */
const seeEvents: Contest['see'] = async (store, id) => {
  const seen: unknown[] = [];
  for (const now of [someTime + 1, far]) {
    const due = answerOf(await store.events.listDue(now, 10_000));
    seen.push(due.filter(({ event }) => event.subject === id));
  }
  const dead = answerOf(await store.events.listDead(10_000));
  return [...seen, dead.filter(({ event }) => event.subject === id)];
};

/** The first event of each subject. */
const clearEvents: Contest['clear'] = async (store) => {
  const due = answerOf(await store.events.listDue(far, 10_000));
  const dead = answerOf(await store.events.listDead(10_000));
  const firsts = new Map<string, number>();
  for (const { event } of [...due, ...dead]) {
    const { subject, version } = event;
    firsts.set(subject, Math.min(version, firsts.get(subject) ?? version));
  }
  return [...firsts].map(([subject, version]) => ({
    kind: 'removeEvent',
    subject,
    version,
    deliverAt: someTime,
  }));
};

const account = (id: string, name: string, isDefault: boolean): Change =>
  write.financialAccount({ id: `${id} ${name}`, businessId: id, isDefault });
const deleteAccount = (id: string, name: string): Change => ({
  kind: 'deleteFinancialAccount',
  businessId: id,
  id: `${id} ${name}`,
});
const seeAccounts: Contest['see'] = async (store, id) =>
  Promise.all(
    ['x', 'y', 'z'].map(async (name) =>
      answerOf(await store.financialAccounts.get(`${id} ${name}`)),
    ),
  );

const seeLedger: Contest['see'] = async (store, id) => answerOf(await store.ledgers.get(id));
const bounds = { maxOpenPayments: 2, maxCommittedMinor: 100n };

const sweepsOf: Contest['see'] = async (store, id) =>
  answerOf(await store.sweeps.listStale(far, 10_000)).filter(({ books }) => books === id);
const firstOf = (id: string, side: Side): Change =>
  write.payment({ id: `${id} ${side}`, account: id, createdAt: afterSide(side) });

type Versioned = Readonly<Record<'insert' | 'update', Rival> & { remove?: Rival }>;

/** The contests of a record with versions: while it is absent, and while it has its first. */
function versioned(
  about: string,
  group: 'payments' | 'reviews' | 'setups' | 'refunds' | 'disputes',
  rivals: Versioned,
): readonly Contest[] {
  const { insert } = rivals;
  const see: Contest['see'] = async (store, id) =>
    answerOf<unknown, unknown>(await store[group].get(id));
  return [
    { about: `${about} that is not there`, given: () => [], rivals: { insert }, see },
    { about, given: (id) => [insert(id, 'a')], rivals, see },
  ];
}

export const contests: readonly Contest[] = [
  { about: 'a key that is free', given: () => [], rivals: { insertKey }, see: seeKey },
  {
    about: 'a key without a problem',
    given: (id) => [insertKey(id, 'a')],
    rivals: {
      finishKey: (id, side) => ({
        kind: 'finishKey',
        ...key(id),
        problem: aProblem({ id: side }),
      }),
      deleteKeys: (id) => ({ kind: 'deleteKeys', resourceId: `${id} of a` }),
      insertKey,
    },
    see: seeKey,
  },
  ...versioned('a payment', 'payments', {
    insert: (id, side) => write.payment({ id, clientSecret: side }),
    update: (id, side) => write.payment.next({ id, version: 2, clientSecret: side }, 1),
    remove: (id) => remove.payment(id, 1),
  }),
  {
    about: 'the first payments of an account',
    given: () => [],
    rivals: { insertPayment: firstOf },
    see: sweepsOf,
  },
  {
    about: 'a ledger that is not there',
    given: () => [],
    rivals: {
      open: (id) => ledgerMove({ ...bounds, appointmentId: id, openPayments: 2 }),
      reserve: (id) => ledgerMove({ ...bounds, appointmentId: id, reservedMinor: 60n }),
      reserveDollars: (id) =>
        ledgerMove({ ...bounds, appointmentId: id, reservedMinor: 40n, currency: 'usd' }),
    },
    see: seeLedger,
  },
  {
    about: 'a ledger',
    given: (id) => [ledgerMove({ appointmentId: id, openPayments: 1, reservedMinor: 30n })],
    rivals: {
      open: (id) => ledgerMove({ ...bounds, appointmentId: id, openPayments: 1 }),
      reserve: (id) => ledgerMove({ ...bounds, appointmentId: id, reservedMinor: 50n }),
      capture: (id) =>
        ledgerMove({ ...bounds, appointmentId: id, reservedMinor: -30n, capturedMinor: 30n }),
      release: (id) => ledgerMove({ appointmentId: id, openPayments: -1 }),
    },
    see: seeLedger,
  },
  {
    about: 'an event that is not there',
    given: () => [],
    rivals: { appendEvent: append(1), appendNext: append(2) },
    see: seeEvents,
    clear: clearEvents,
  },
  {
    about: 'an event',
    given: (id) => [append(1)(id, 'a')],
    rivals: eventChanges(0),
    see: seeEvents,
    clear: clearEvents,
  },
  {
    about: 'an event that was taken up',
    given: (id) => [append(1)(id, 'a'), eventChanges(0).leaseEvent(id, 'a')],
    rivals: eventChanges(1),
    see: seeEvents,
    clear: clearEvents,
  },
  {
    about: 'an event that is to be forgotten',
    given: (id) => [append(1)(id, 'a'), bury(id), revive(id)],
    rivals: {
      forget: () => forget({ eventsBefore: someTime + 1 }),
      leaseEvent: eventChanges(0).leaseEvent,
      removeEvent: eventChanges(0).removeEvent,
      bury,
      appendEvent: append(2),
    },
    see: seeEvents,
    isWide: true,
    clear: clearEvents,
  },
  {
    about: 'a key that is to be forgotten',
    given: (id) => [write.key({ ...key(id), forgetAt: someTime })],
    rivals: { forget: () => forget({}), insertKey },
    see: seeKey,
    isWide: true,
  },
  {
    about: 'a dead letter',
    given: (id) => [append(1)(id, 'a'), bury(id)],
    rivals: {
      ...eventChanges(0),
      reviveEvent: (id, side) => ({
        kind: 'reviveEvent',
        subject: id,
        version: 1,
        deliverAt: afterSide(side),
      }),
    },
    see: seeEvents,
    clear: clearEvents,
  },
  {
    about: 'a message of the processor',
    given: () => [],
    rivals: { insertProcessorEvent: (id) => ({ kind: 'insertProcessorEvent', id, at: someTime }) },
    see: async (store, id) => answerOf(await store.processorEvents.has(id)),
  },
  ...versioned('a review', 'reviews', {
    insert: (id, side) => write.review({ id, account: side }),
    update: (id, side) => write.review.next({ id, version: 2, account: side }, 1),
  }),
  ...versioned('a setup', 'setups', {
    insert: (id, side) => write.setup({ id, customerId: side }),
    update: (id, side) => write.setup.next({ id, version: 2, customerId: side }, 1),
    remove: (id) => remove.setup(id, 1),
  }),
  ...versioned('a refund', 'refunds', {
    insert: (id, side) => write.refund({ id, currency: side }),
    update: (id, side) => write.refund.next({ id, version: 2, currency: side }, 1),
    remove: (id) => remove.refund(id, 1),
  }),
  ...versioned('a dispute', 'disputes', {
    insert: (id, side) => write.dispute({ id, currency: side }),
    update: (id, side) => write.dispute.next({ id, version: 2, currency: side }, 1),
  }),
  {
    about: 'a person without a number',
    given: () => [],
    rivals: {
      insertActor: (subject, side) => insertActor(subject, `${subject} ${side}`),
      insertAnother: (subject, side) => insertActor(subject, `${subject} ${side} too`),
    },
    see: async (store, subject) => {
      const number = answerOf(await store.actors.getBySubject(subject))?.number;
      return ['a', 'b', 'a too', 'b too'].find((of) => numberOf(`${subject} ${of}`) === number);
    },
  },
  {
    about: 'a terminal that is not registered',
    given: () => [],
    rivals: {
      insertTerminal,
      insertAnother: (id, side) => insertTerminal(id, side, `${id} ${side}`),
    },
    see: seeTerminals,
  },
  {
    about: 'a terminal',
    given: (id) => [insertTerminal(id, 'a')],
    rivals: {
      deleteTerminal: (id) => ({ kind: 'deleteTerminal', id }),
      insertAnother: (id, side) => insertTerminal(id, side, `${id} ${side}`),
    },
    see: seeTerminals,
  },
  {
    about: 'the first financial account of a business',
    given: () => [],
    rivals: { putDefault: (id, side) => account(id, side === 'a' ? 'x' : 'y', true) },
    see: seeAccounts,
  },
  {
    about: 'the financial accounts of a business',
    given: (id) => [account(id, 'x', true), account(id, 'y', false), account(id, 'z', false)],
    rivals: {
      makeDefault: (id, side) => account(id, side === 'a' ? 'y' : 'z', true),
      replaceDefault: (id) => account(id, 'x', true),
      deleteFinancialAccount: (id) => deleteAccount(id, 'y'),
      deleteDefault: (id) => deleteAccount(id, 'x'),
    },
    see: seeAccounts,
  },
  {
    about: 'a schedule',
    given: (id) => [write.schedule({ id })],
    rivals: {
      deleteSchedule: (id) => ({ kind: 'deleteSchedule', barberId: 'barber-1', id }),
      moveSchedule: (id) => write.schedule({ id, barberId: 'barber-2' }),
    },
    see: async (store, id) => answerOf(await store.schedules.get(id)),
  },
];
