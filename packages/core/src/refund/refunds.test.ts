import { describe, expect, it } from 'vitest';
import { aDispute, aPayment, aRefund, now } from '../../test/support.ts';
import { feeOf } from '../host/host.ts';
import type { ProcessorError } from '../ports/processor.ts';
import { err, ok, type Result } from '../values/result.ts';
import { hourMs } from '../values/time.ts';
import { decideRefunding, endedUnseen } from './carry-refund.ts';
import {
  bookedSums,
  type Dispute,
  followDispute,
  openedDispute,
  type ProcessorDispute,
  withheldMinor,
} from './dispute.ts';
import {
  followRefund,
  foundRefund,
  leftReversedMinor,
  type ProcessorRefund,
  type Refund,
  refundedMinor,
  refundStates,
} from './refund.ts';
import { keptOf } from './refund-excess.ts';
import { comparableLeftMinor, decideRefundable, decideReversal, disputedMinor } from './returns.ts';
import { viewRefund } from './wire.ts';

const lost: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: false };
const failed: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: true };
const unreached: ProcessorError = { kind: 'unavailable', outcome: 'notApplied', answered: false };
const busy: ProcessorError = { kind: 'rateLimited' };
const cutOff: ProcessorError = { kind: 'notSetUp' };
const cutOffAgain: ProcessorError = { kind: 'notSetUp', repeated: true };
const refused: ProcessorError = { kind: 'rejected', reason: 'notRefundable' };

const shown: ProcessorRefund = {
  reference: 're_1',
  refundId: 'rfd_1',
  state: 'succeeded',
  amountMinor: 1000n,
  currency: 'eur',
  madeAt: now,
};
const own = ok([{ ...shown, refundId: 'rfd_2', reference: 're_2' }, shown]);
const others = ok([{ ...shown, refundId: 'rfd_2' }]);

describe('a refund that is made (D44)', () => {
  type Reply = Result<ProcessorRefund, ProcessorError> | undefined;
  type Look = Result<readonly ProcessorRefund[], unknown> | undefined;
  const record = { next: 'record', seen: shown };
  const unknown = (needsNewKey: boolean) => ({ next: 'unknown', needsNewKey });
  const withdraw = (error: ProcessorError) => ({ next: 'withdraw', error });

  it.each<[string, Reply, Look, object]>([
    ['is sent', undefined, undefined, { next: 'send' }],
    ['is recorded', ok(shown), undefined, record],
    ['is withdrawn if refused', err(refused), undefined, withdraw(refused)],
    ['is withdrawn if cut off', err(cutOff), undefined, withdraw(cutOff)],
    ['is withdrawn if limited', err(busy), undefined, withdraw(busy)],
    ['is withdrawn if unreached', err(unreached), undefined, withdraw(unreached)],
    ['is looked for after a lost reply', err(lost), undefined, { next: 'readAfter' }],
    ['is recorded once found', err(lost), own, record],
    ['keeps its key after a lost reply', err(lost), others, unknown(false)],
    ['is unknown if it cannot look', err(failed), err(lost), unknown(false)],
    ['changes its key after a failure', err(failed), others, unknown(true)],
  ])('at first %s', (_, sent, after, expected) => {
    const seen = { isFirstCall: true, isOver: false, sent, after };
    expect(decideRefunding(aRefund(), seen)).toEqual(expected);
  });

  it('at first is not sent if the process was stopped until its key is old', () => {
    const seen = { isFirstCall: true, isOver: true };
    expect(decideRefunding(aRefund(), seen)).toEqual(unknown(false));
  });

  it.each<[string, boolean, Look, Reply, Look, object]>([
    ['looks first', false, undefined, undefined, undefined, { next: 'readBefore' }],
    ['is recorded once found', false, own, undefined, undefined, record],
    ['is unknown if it cannot look', false, err(lost), undefined, undefined, unknown(false)],
    ['is sent again if it is not there', false, others, undefined, undefined, { next: 'send' }],
    ['only looks once its key is old', true, others, undefined, undefined, unknown(false)],
    ['is found once its key is old', true, own, undefined, undefined, record],
    // An earlier call may have been applied: only the list can tell.
    ['is unknown if limited', false, others, err(busy), undefined, unknown(false)],
    ['is unknown if cut off', false, others, err(cutOff), undefined, unknown(false)],
    [
      'looks again if cut off again',
      false,
      others,
      err(cutOffAgain),
      undefined,
      { next: 'readAfter' },
    ],
    ['changes its key if cut off again', false, others, err(cutOffAgain), others, unknown(true)],
    ['is recorded though cut off again', false, others, err(cutOffAgain), own, record],
    ['is unknown if unreached', false, others, err(unreached), undefined, unknown(false)],
    ['looks again if refused', false, others, err(refused), undefined, { next: 'readAfter' }],
    ['is recorded though refused', false, others, err(refused), own, record],
    [
      'fails if refused and not there',
      false,
      others,
      err(refused),
      others,
      { next: 'fail', failure: 'notRefundable' },
    ],
    ['is unknown if refused unseen', false, others, err(refused), err(lost), unknown(false)],
    ['changes its key after a failure', false, others, err(failed), others, unknown(true)],
    ['keeps its key after a lost reply', false, others, err(lost), others, unknown(false)],
  ])('later %s', (_, isOver, before, sent, after, expected) => {
    const seen = { isFirstCall: false, isOver, before, sent, after };
    expect(decideRefunding(aRefund(), seen)).toEqual(expected);
  });
});

describe('the transfer that a refund reverses (D44)', () => {
  let at = now;
  const refund = (state: Refund['state'], amountMinor: bigint, over: Partial<Refund> = {}) => {
    at += 1;
    return aRefund({ state, amountMinor, createdAt: at, ...over });
  };
  const reversed = (state: Refund['state'], amountMinor: bigint) =>
    refund(state, amountMinor, { isTransferReversed: true });
  const unreversed = (state: Refund['state'], amountMinor: bigint) =>
    refund(state, amountMinor, { reversesTransfer: false });

  const elsewhere = { origin: 'elsewhere', reversesTransfer: false } as const;
  const whole = { returnsFee: true, reversesTransfer: true };
  const none = { returnsFee: false, reversesTransfer: false };
  const decide = (refunds: readonly Refund[], amountMinor: bigint, refundPolicy = whole) => {
    const payment = aPayment({ id: 'cpm_1', applicationFeeMinor: 100n });
    const returned = { payment, refunds, disputes: [], cash: [] };
    return decideReversal(returned, { refundPolicy }, amountMinor);
  };

  it.each<[string, Refund[], bigint]>([
    ['after none', [], 4500n],
    ['after one that went through', [reversed('succeeded', 2000n)], 2500n],
    ['after one that failed without a reversal', [refund('failed', 2000n)], 2000n],
    [
      'once what a failed one left goes back',
      [reversed('failed', 2000n), unreversed('pending', 2000n)],
      1n,
    ],
    [
      'once the dashboard has given that back',
      [reversed('failed', 2000n), refund('succeeded', 2000n, elsewhere)],
      1n,
    ],
    [
      'once a restored list shows that both happened',
      [
        aRefund({ ...elsewhere, amountMinor: 2000n }),
        aRefund({ ...elsewhere, amountMinor: 2000n, state: 'failed', isTransferReversed: true }),
      ],
      1n,
    ],
  ])('is its own %s', (_, refunds, amountMinor) => {
    expect(decide(refunds, amountMinor)).toEqual(ok(whole));
  });

  it.each<[string, Refund[], bigint]>([
    ['a failed one', [reversed('failed', 2000n)], 2000n],
    ['a canceled one', [reversed('canceled', 2000n)], 2000n],
    ['a larger one', [reversed('failed', 2000n)], 500n],
    ['several', [reversed('failed', 2000n), reversed('failed', 500n)], 2500n],
    [
      'one before another that went through',
      [reversed('failed', 2000n), reversed('succeeded', 1000n)],
      2000n,
    ],
    [
      'one that was tried again and failed',
      [reversed('failed', 2000n), unreversed('failed', 2000n)],
      2000n,
    ],
    [
      'one after a refund at the platform’s expense',
      [unreversed('succeeded', 2000n), reversed('failed', 2000n)],
      2000n,
    ],
    [
      'one before a refund of the dashboard with its own reversal',
      [
        reversed('failed', 2000n),
        refund('succeeded', 2000n, { ...elsewhere, isTransferReversed: true }),
      ],
      2000n,
    ],
  ])('was reversed already by %s', (_, refunds, amountMinor) => {
    expect(decide(refunds, amountMinor)).toEqual(ok(none));
    expect(decide(refunds, amountMinor + 2001n)._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
    });
  });

  it('names what has to go back first, because a processor cannot reverse a part only', () => {
    const refunds = [reversed('failed', 2000n), unreversed('succeeded', 500n)];
    expect(decide(refunds, 1501n)._unsafeUnwrapErr()).toMatchObject({
      detail: expect.stringContaining('Refund 15.00 first'),
      attributes: { reason: 'leftReversed', left: '15.00', contactlessPaymentId: 'cpm_1' },
    });
  });

  it('is none where the platform pays the refunds, whatever was left', () => {
    expect(decide([reversed('failed', 1n)], 4500n, none)).toEqual(ok(none));
  });

  it('is its own after cash, for which the operator transfers what was left', () => {
    const refunds = [reversed('failed', 2000n)];
    expect([0n, 500n, 2000n, 3000n].map((cash) => leftReversedMinor(refunds, cash))).toEqual([
      2000n,
      1500n,
      0n,
      0n,
    ]);
  });
});

describe('the refundable amount (D44)', () => {
  const dispute = (state: Dispute['state'], amountMinor: bigint) =>
    aDispute({ state, amountMinor, returnedMinor: state === 'won' ? amountMinor : 0n });
  const refund = (state: Refund['state'], amountMinor: bigint) => aRefund({ state, amountMinor });
  const captured = aPayment({ state: 'captured', amountMinor: 4500n, capturedMinor: 4500n });

  it.each<[string, Refund[], Dispute[], bigint | undefined, bigint | undefined]>([
    ['all of it', [], [], undefined, 4500n],
    ['a part', [], [], 1n, 1n],
    ['not more than all', [], [], 4501n, undefined],
    ['not nothing', [], [], 0n, undefined],
    ['what is left', [refund('succeeded', 500n), refund('pending', 1000n)], [], undefined, 3000n],
    ['not what is reserved', [refund('pending', 4000n)], [], 501n, undefined],
    ['what has failed', [refund('failed', 4500n), refund('canceled', 4500n)], [], undefined, 4500n],
    ['not what is disputed', [], [dispute('open', 4000n)], 501n, undefined],
    ['not what was lost', [], [dispute('lost', 4000n)], undefined, 500n],
    ['what was won', [], [dispute('won', 4000n)], undefined, 4500n],
    ['zero if more went back', [refund('succeeded', 5000n)], [], undefined, undefined],
    ['nothing after 100', Array(100).fill(refund('failed', 1n)), [], 1n, undefined],
    [
      'nothing after 1,000 of elsewhere, which may be cut',
      Array(1000).fill(aRefund({ origin: 'elsewhere', amountMinor: 1n })),
      [],
      1n,
      undefined,
    ],
    ['nothing after 1,000 disputes', [], Array(1000).fill(dispute('won', 1n)), 1n, undefined],
    [
      'no refund of elsewhere counts to 100',
      Array(200).fill(aRefund({ origin: 'elsewhere', amountMinor: 1n })),
      [],
      1n,
      1n,
    ],
  ])('%s', (_, refunds, disputes, requested, expected) => {
    const decided = decideRefundable(
      { payment: captured, refunds, disputes, cash: [] },
      { amountMinor: requested, tipMinor: undefined },
    );
    expect(decided.isOk() ? decided.value.amountMinor : undefined).toBe(expected);
    if (decided.isErr()) expect(decided.error.recovery.outcome).toBe('notApplied');
  });

  it('takes no more tip than is left, also below the whole rest (D48)', () => {
    const payment = { ...captured, tipMinor: 500n };
    const decide = (amountMinor: bigint, tipMinor: bigint) =>
      decideRefundable({ payment, refunds: [], disputes: [], cash: [] }, { amountMinor, tipMinor });
    expect(decide(1000n, 501n).isErr()).toBe(true);
    expect(decide(4001n, 0n).isErr()).toBe(true);
    expect(decide(1000n, 500n)._unsafeUnwrap()).toEqual({ amountMinor: 1000n, tipMinor: 500n });
  });

  it.each([
    ['a rest below zero as zero', [refund('succeeded', 5000n)], [], { refundable: '0.00' }],
    ['too many refunds', Array(100).fill(refund('failed', 1n)), [], { reason: 'tooManyRefunds' }],
    ['too many disputes', [], Array(1000).fill(dispute('won', 1n)), { reason: 'tooManyRefunds' }],
  ])('names %s in its error', (_, refunds, disputes, attributes) => {
    const returned = { payment: captured, refunds, disputes, cash: [] };
    const decided = decideRefundable(returned, { amountMinor: undefined, tipMinor: undefined });
    expect(decided._unsafeUnwrapErr().attributes).toMatchObject(attributes);
  });

  it('is compared in the currency of the payment only', () => {
    const inDollars = { currency: 'usd', bookedIn: 'usd' };
    const refunds = [refund('succeeded', 1000n), aRefund({ state: 'succeeded', currency: 'usd' })];
    const halves = [{ bookedIn: 'usd' }, { ...inDollars, bookedIn: 'eur' }];
    const disputes = [dispute('open', 500n), ...[inDollars, ...halves].map(aDispute)];
    const returned = { payment: captured, refunds, disputes, cash: [] };
    expect(comparableLeftMinor(returned)).toBe(3000n);
  });

  it('adds up the amounts that count', () => {
    const states = ['pending', 'succeeded', 'failed', 'canceled'] as const;
    const refunds = states.map((state) => refund(state, 1000n));
    expect(refundedMinor(refunds, 'eur')).toBe(2000n);
    expect(refundedMinor(refunds, 'chf')).toBeUndefined();
    const ends = ['open', 'won', 'lost'] as const;
    const disputes = ends.map((state) => dispute(state, 1000n));
    expect(disputedMinor(disputes, { currency: 'eur', capturedMinor: 4500n })).toBe(2000n);
  });

  it('withholds the whole payment for each dispute in another currency (D45)', () => {
    const won = dispute('won', 5000n);
    const payment = { currency: 'usd', capturedMinor: 4500n };
    expect(disputedMinor([dispute('open', 1n), won], payment)).toBe(4500n);
    expect(disputedMinor([dispute('lost', 9999n), won], payment)).toBe(4500n);
    expect(disputedMinor([won], payment)).toBe(0n);
  });
});

describe('a refund that is seen (D44)', () => {
  const accepted = {
    acceptedAs: 'pending',
    acceptedAt: now,
    isBooked: true,
    reference: 're_1',
  } as const;

  it.each<[Refund['state'], ProcessorRefund['state'], Refund['state'] | undefined, string?]>([
    ['pending', 'pending', undefined],
    ['pending', 'succeeded', 'succeeded'],
    ['pending', 'failed', 'failed'],
    ['pending', 'canceled', 'canceled'],
    ['succeeded', 'pending', undefined],
    ['succeeded', 'succeeded', undefined],
    ['succeeded', 'failed', 'failed'],
    ['failed', 'failed', undefined],
    ['failed', 'succeeded', 'succeeded', 'refundedAfterFailure'],
    ['canceled', 'succeeded', 'succeeded', 'refundedAfterFailure'],
    ['failed', 'pending', 'pending', 'refundedAfterFailure'],
    ['failed', 'canceled', 'canceled'],
  ])('%s, then %s', (state, next, expected, review) => {
    const before = aRefund({ ...accepted, state });
    const followed = followRefund(before, { ...shown, state: next }, now + 1);
    expect(followed?.passed).toBe(expected);
    expect(followed?.refund.state).toBe(expected);
    expect(followed?.reviews).toEqual(followed && (review === undefined ? [] : [review]));
    expect(followed?.refund.acceptedAs).toBe(expected && 'pending');
  });

  it('keeps the first state for the response, and forgets its keys 72 hours later', () => {
    const { refund } = followRefund(aRefund(), shown, now + 1) ?? {};
    expect(refund).toMatchObject({
      acceptedAs: 'succeeded',
      acceptedAt: now + 1,
      nextCheckAt: now + 1 + 72 * hourMs,
      version: 2,
      reference: 're_1',
    });
    expect(refund).not.toHaveProperty('work');
  });

  it.each(refundStates)('is told when it is first seen, and not again: %s', (state) => {
    const seen = { ...shown, state };
    const before = aRefund();
    const followed = followRefund(before, seen, now + 1);
    const refund = { acceptedAs: state, acceptedAt: now + 1 };
    expect(followed).toMatchObject({ passed: state, refund });
    expect(followRefund(followed?.refund ?? before, seen, now + 2)).toBeUndefined();
  });

  it('has its reason for waiting while it is pending, and no longer', () => {
    const waiting = { state: 'pending', pendingReason: 'insufficient_funds' } as const;
    const before = aRefund({ ...accepted, ...waiting });
    const become = (over: Partial<ProcessorRefund>) =>
      followRefund(before, { ...shown, ...over }, now)?.refund;
    expect(become(waiting)).toBeUndefined();
    const other = 'charge_pending';
    expect(become({ ...waiting, pendingReason: other })?.pendingReason).toBe(other);
    expect(become({ state: 'pending' })).not.toHaveProperty('pendingReason');
    expect(become({ ...waiting, state: 'succeeded' })).not.toHaveProperty('pendingReason');
  });

  it.each([
    ['succeeded', true],
    ['failed', false],
  ] as const)(
    "%s by a person's word, is in the books: %s, and takes its reference later (D201)",
    (state, isBooked) => {
      const { refund, ...step } = endedUnseen(aRefund(), state, now);
      expect(step).toEqual({ passed: state, reviews: [] });
      expect(refund).toMatchObject({ state, isBooked });
      expect(refund).not.toHaveProperty('reference');
      const named = followRefund(refund, { ...shown, state, isBooked }, now)?.refund;
      expect(named?.reference).toBe('re_1');
      const accepted = endedUnseen(aRefund({ reference: 're_1' }), state, now);
      expect(accepted.refund.reference).toBe('re_1');
    },
  );

  it('shows no members without a value', () => {
    expect(viewRefund(aRefund())).toStrictEqual({
      id: 'rfd_1',
      contactlessPaymentId: 'cpm_1',
      amount: '10.00',
      currency: 'eur',
      state: 'pending',
      origin: 'here',
      createdAt: '2026-11-21T09:00:00.000Z',
      updatedAt: '2026-11-21T09:00:00.000Z',
    });
  });

  it('is checked each hour while it is pending, and needs no person', () => {
    const followed = followRefund(aRefund(), { ...shown, state: 'pending' }, now + 1);
    expect(followed?.refund.nextCheckAt).toBe(now + 1 + hourMs);
    expect(followed?.reviews).toEqual([]);
  });

  it("has the processor's reason while it is failed, and no longer", () => {
    const before = aRefund({ ...accepted, state: 'failed', failure: 'expired_card' });
    const become = (over: Partial<ProcessorRefund>) =>
      followRefund(before, { ...shown, ...over }, now)?.refund;
    expect(become({ state: 'succeeded' })).not.toHaveProperty('failure');
    expect(become({ state: 'failed', amountMinor: 900n })?.failure).toBe('expired_card');
    expect(become({ state: 'failed', amountMinor: 900n, failure: 'lost_card' })?.failure).toBe(
      'lost_card',
    );
  });

  it.each([
    ['failed', true, ['refundFailedAfterReversal']],
    ['canceled', true, ['refundFailedAfterReversal']],
    ['failed', undefined, []],
    ['succeeded', true, []],
  ] as const)(
    'that ends %s needs a person if its transfer was reversed: %s',
    (state, reversed, reviews) => {
      const before = aRefund({ ...accepted, state: 'pending' });
      const seen = { ...shown, state, ...(reversed && { isTransferReversed: reversed }) };
      const followed = followRefund(before, seen, now);
      expect(followed?.reviews).toEqual(reviews);
      // What an earlier reply has shown still holds.
      const known = aRefund({
        ...accepted,
        state: 'pending',
        ...(reversed && { isTransferReversed: true }),
      });
      expect(followRefund(known, { ...shown, state }, now)?.reviews).toEqual(reviews);
      expect(followRefund({ ...known, state }, { ...shown, state }, now)).toBeUndefined();
      // Once only.
      const after = followed?.refund ?? before;
      expect(followRefund(after, seen, now)).toBeUndefined();
    },
  );

  it('needs a person too if its reversal shows only after it failed', () => {
    const before = aRefund({ ...accepted, state: 'failed' });
    const followed = followRefund(
      before,
      { ...shown, state: 'failed', isTransferReversed: true },
      now,
    );
    expect(followed).toMatchObject({
      reviews: ['refundFailedAfterReversal'],
      refund: { isTransferReversed: true },
    });
    expect(followed).not.toHaveProperty('passed');
  });

  it('takes the amount of the processor, and needs a person', () => {
    const before = aRefund({ ...accepted, state: 'succeeded' });
    const followed = followRefund(before, { ...shown, amountMinor: 900n }, now);
    expect(followed?.refund.amountMinor).toBe(900n);
    expect(followed?.reviews).toEqual(['refundedAnotherAmount']);
    // Its state is the same, so the host gets no event.
    expect(followed).not.toHaveProperty('passed');
  });

  it.each([
    ['pending', 'pending', undefined],
    ['pending', 'succeeded', 'succeeded'],
  ] as const)('is booked after it has waited, once: %s, then %s', (state, next, passed) => {
    const before = aRefund({ ...accepted, state, isBooked: false });
    const seen = { ...shown, state: next };
    expect(followRefund(before, { ...seen, isBooked: false, state }, now)).toBeUndefined();
    const followed = followRefund(before, seen, now);
    expect(followed?.refund).toMatchObject({ isBooked: true, state: next });
    expect(followed?.passed).toBe(passed);
    const booked = followed?.refund ?? before;
    expect(followRefund(booked, { ...seen, isBooked: false }, now)).toBeUndefined();
  });

  it('gives back no more tip than the processor gave back in all (D48)', () => {
    const before = aRefund({ ...accepted, tipMinor: 950n });
    expect(followRefund(before, { ...shown, amountMinor: 900n }, now)?.refund.tipMinor).toBe(900n);
    expect(followRefund(before, { ...shown, amountMinor: 950n }, now)?.refund.tipMinor).toBe(950n);
    const free = followRefund(aRefund(accepted), { ...shown, amountMinor: 0n }, now);
    expect(free?.refund).not.toHaveProperty('tipMinor');
  });

  it('has no time of a check once its keys are forgotten', () => {
    const { nextCheckAt: _none, ...before } = aRefund({ ...accepted, state: 'succeeded' });
    const failed = followRefund(before, { ...shown, state: 'failed' }, now)?.refund;
    expect(failed).toMatchObject({ state: 'failed' });
    expect(failed).not.toHaveProperty('nextCheckAt');
  });

  it('is recorded as it is if it was made elsewhere', () => {
    const payment = { paymentId: 'cpm_1', account: 'acct_1' };
    const found = (over: Partial<ProcessorRefund>, tipMinor = 0n) =>
      foundRefund('rfd_9', payment, { ...shown, ...over }, now, tipMinor);
    const waiting = { state: 'pending', pendingReason: 'insufficient_funds' } as const;
    expect(found({ ...waiting, isTransferReversed: true })).toMatchObject({
      ...waiting,
      origin: 'elsewhere',
      isTransferReversed: true,
      nextCheckAt: now + hourMs,
    });
    expect(found({ state: 'pending' })).not.toHaveProperty('pendingReason');
    expect(found({ ...waiting, state: 'succeeded' })).not.toHaveProperty('pendingReason');
    expect(found({ state: 'failed', failure: 'lost_or_stolen_card' })).toMatchObject({
      state: 'failed',
      failure: 'lost_or_stolen_card',
    });
    expect(found({}, 5n).tipMinor).toBe(5n);
    expect(found({})).toStrictEqual({
      id: 'rfd_9',
      ...payment,
      currency: 'eur',
      amountMinor: 1000n,
      origin: 'elsewhere',
      returnsFee: false,
      reversesTransfer: false,
      state: 'succeeded',
      isBooked: true,
      version: 1,
      reference: 're_1',
      createdAt: now,
      updatedAt: now,
      acceptedAs: 'succeeded',
      acceptedAt: now,
      checks: 0,
    });
  });
});

const booked = [{ amountMinor: -1000n }];
const gone = { state: 'lost' } as const;
const back = { state: 'won', returnedMinor: 1000n } as const;
const bookedBack = [...booked, { amountMinor: 1000n }];

describe('a dispute that is seen (D45)', () => {
  type Seen = Omit<ProcessorDispute, 'reference' | 'amountMinor' | 'bookings'>;
  it.each<[string, Dispute, Seen, Dispute['state'] | undefined]>([
    ['changes', aDispute(), { state: 'open', at: now + 1, reason: 'fraud' }, 'open'],
    ['has another currency', aDispute(), { state: 'open', at: now + 1, currency: 'usd' }, 'open'],
    [
      'has another currency than its bookings',
      aDispute(),
      { state: 'open', at: now + 1, currency: 'usd', bookedIn: 'eur' },
      'open',
    ],
    [
      'has bookings in another currency',
      aDispute(),
      { state: 'open', at: now + 1, bookedIn: 'usd' },
      'open',
    ],
    ['has taken its amount', aDispute({ takenMinor: 0n }), { state: 'open', at: now + 1 }, 'open'],
    ['takes again', aDispute({ returnedMinor: 500n }), { state: 'open', at: now + 1 }, 'open'],
    ['is won', aDispute(), { state: 'won', at: now + 1 }, 'won'],
    ['is lost', aDispute(), { state: 'lost', at: now }, 'lost'],
    ['says the same', aDispute(), { state: 'open', at: now + 1 }, undefined],
    ['is older', aDispute(), { state: 'won', at: now - 1 }, undefined],
    ['goes on after its end', aDispute(gone), { state: 'open', at: now + 9 }, 'open'],
    ['is read as won', aDispute({ seenAt: now + 9 }), { state: 'won' }, 'won'],
    ['is read as opened again', aDispute(gone), { state: 'open' }, 'open'],
    ['is won on appeal', aDispute(gone), { state: 'won', at: now + 9 }, 'won'],
    ['can be refunded', aDispute(), { state: 'open', isRefundable: true }, 'open'],
  ])('%s', (_, before, seen, state) => {
    const bookings = booked;
    const shown = { reference: before.reference, amountMinor: 1000n, bookings, ...seen };
    const after = followDispute(before, shown, now + 2);
    expect(after?.state).toBe(state);
    if (after === undefined) return;
    const { currency = before.currency, at: seenAt = Math.max(now + 2, before.seenAt) } = seen;
    const { bookedIn = currency } = seen;
    expect(after).toMatchObject({ version: 2, seenAt, currency, bookedIn });
    expect(after).toMatchObject(bookedSums(bookings));
  });

  it('is an inquiry when it is opened, unless something was booked or the processor says so', () => {
    const seen = { reference: 'dp_1', amountMinor: 1000n, state: 'open' } as const;
    const opened = (over: Pick<ProcessorDispute, 'bookings' | 'isRefundable'>) =>
      openedDispute('dsp_1', aPayment(), { ...seen, ...over }, now);
    const withheld = aDispute({ businessId: 'business-1' });
    const inquiry = { ...withheld, takenMinor: 0n, isRefundable: true };
    expect(opened({ bookings: booked })).toStrictEqual(withheld);
    expect(opened({ bookings: [] })).toStrictEqual(inquiry);
    expect(opened({ bookings: [], isRefundable: false }).isRefundable).toBe(false);
  });

  it('keeps its reason and its deadline until the processor shows others', () => {
    const told = { reference: 'dp_1', amountMinor: 1000n, bookings: booked, at: now + 1 };
    const details = { reason: 'fraud', respondBy: now + hourMs };
    const before = aDispute({ ...details, isRefundable: true, openedAt: now - 1 });
    const change = { version: 2, updatedAt: now + 2, seenAt: now + 1 };
    const won = followDispute(before, { ...told, state: 'won' }, now + 2);
    expect(won).toStrictEqual({ ...before, ...change, state: 'won' });
    const ended = aDispute({ ...details, state: 'won' });
    const lost = followDispute(ended, { ...told, state: 'lost' }, now + 2);
    expect(lost).toStrictEqual({ ...ended, ...change, state: 'lost' });
    const later = followDispute(before, { ...told, state: 'open', respondBy: now }, now + 2);
    expect(later).toStrictEqual({ ...before, ...change, respondBy: now });
    const named = followDispute(aDispute(), { ...told, state: 'open', reason: 'fraud' }, now + 2);
    expect(named).toStrictEqual({ ...aDispute(), ...change, reason: 'fraud' });
    const bare = followDispute(aDispute(), { ...told, state: 'won' }, now + 2);
    expect(bare).toStrictEqual({ ...aDispute(), ...change, state: 'won' });
  });

  it.each([[undefined], [now + hourMs]])(
    'has no deadline of before when it goes on, and the new one: %s',
    (respondBy) => {
      const before = aDispute({ state: 'lost', respondBy: now, isRefundable: true });
      const seen = { reference: 'dp_1', amountMinor: 1000n, state: 'open' } as const;
      const told = { ...seen, bookings: booked, ...(respondBy !== undefined && { respondBy }) };
      const after = followDispute(before, told, now);
      expect(after?.respondBy).toBe(respondBy);
      expect(after?.isRefundable).toBe(false);
    },
  );

  it('counts as it is read, even at the time of the last message', () => {
    const read = { reference: 'dp_1', amountMinor: 900n, state: 'open', bookings: [] } as const;
    expect(followDispute(aDispute(), read, now)).toMatchObject({
      amountMinor: 900n,
      takenMinor: 0n,
    });
  });
});

describe('what a dispute keeps from being refunded (D45)', () => {
  const payment = { currency: 'eur', capturedMinor: 4500n };
  const nothing = { takenMinor: 0n } as const;
  it.each<[string, Partial<Dispute>, bigint]>([
    ['an open one', {}, 1000n],
    ['a lost one', gone, 1000n],
    ['a won one', back, 0n],
    ['an inquiry', { ...nothing, isRefundable: true }, 0n],
    ['an inquiry that was closed', { ...nothing, state: 'won', isRefundable: true }, 0n],
    ['one whose money is not taken yet', nothing, 1000n],
    ['one that goes on after it was won', { ...back, state: 'open' }, 1000n],
    [
      'the same, although it is said to be refundable',
      { ...back, state: 'open', isRefundable: true },
      1000n,
    ],
    ['one that was lost and took nothing', { ...nothing, ...gone }, 0n],
    ['a part, given back while the case is open', { returnedMinor: 400n }, 1000n],
    ['a part, lost', { ...gone, returnedMinor: 400n }, 600n],
    ['one that was won, and lost after all without a booking', { ...back, state: 'lost' }, 1000n],
    ['more than its amount, because of the exchange rate', { takenMinor: 1100n }, 1100n],
    ['an amount in another currency', { currency: 'jpy', bookedIn: 'jpy' }, 4500n],
    ['the same, won', { ...back, currency: 'jpy', bookedIn: 'jpy' }, 0n],
    ['an amount in another currency, lost in ours', { ...gone, currency: 'jpy' }, 1000n],
  ])('%s', (_, over, expected) => {
    expect(disputedMinor([aDispute({ bookedIn: 'eur', ...over })], payment)).toBe(expected);
  });

  it('is never less than nothing, also where more was given back than taken', () => {
    expect(withheldMinor(aDispute({ returnedMinor: 1100n }))).toBe(0n);
  });
});

it('an excess is less by what a dispute withholds of a refunded payment (D49)', () => {
  const payment = aPayment({ state: 'captured', amountMinor: 1000n, capturedMinor: 1000n });
  const none = { payment, refunds: [], disputes: [], cash: [] };
  const refunds = [aRefund({ state: 'succeeded' })];
  const disputes = [aDispute({ ...gone, takenMinor: 400n })];
  const captured = [none, { ...none, refunds, disputes }];
  const appointment = { id: payment.appointment.id, amountDueMinor: 0n };
  expect(keptOf(appointment, undefined, captured)?.excessMinor).toBe(600n);
  expect(keptOf(appointment, undefined, [])).toEqual({ keptMinor: 0n, excessMinor: 0n });
});

describe('two messages of one second about a dispute (D45)', () => {
  const told = (
    state: Dispute['state'],
    amountMinor = 1000n,
    bookings: ProcessorDispute['bookings'] = booked,
  ): ProcessorDispute => ({ reference: 'dp_1', amountMinor, state, bookings, at: now });
  it.each([
    ['closing', told('open'), told('won'), 'won', 1000n],
    ['losing', told('won'), told('lost'), 'lost', 1000n],
    ['a larger amount', told('open'), told('open', 3500n), 'open', 3500n],
    ['a larger amount lost', told('lost'), told('lost', 3500n), 'lost', 3500n],
    ['losing less', told('won', 3500n), told('lost'), 'lost', 1000n],
    ['what was booked', told('lost'), told('won', 1000n, bookedBack), 'won', 1000n],
  ] as const)('end the same in both orders: %s', (_, first, second, state, amountMinor) => {
    for (const [one, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const begun = aDispute({
        state: one.state,
        amountMinor: one.amountMinor,
        ...bookedSums(one.bookings),
      });
      const after = followDispute(begun, other, now + 2) ?? begun;
      expect(after).toMatchObject({ state, amountMinor });
    }
  });

  it('make one change if they withhold the same', () => {
    const again = { ...told('open'), respondBy: now + hourMs };
    expect(followDispute(aDispute(), again, now + 2)).toBeUndefined();
  });
});

describe('a platform fee (D46)', () => {
  it.each([
    [undefined, 4500n, undefined],
    [{}, 4500n, undefined],
    [{ fixedMinor: 30n, currency: 'eur' }, 4500n, 30n],
    [{ fixedMinor: 30n, currency: 'eur' }, 20n, 20n],
    [{ fixedMinor: 30n, currency: 'usd' }, 4500n, 'otherCurrency'],
    [{ fixedMinor: 0n, currency: 'usd' }, 4500n, undefined],
    [{ basisPoints: 290 }, 4537n, 132n],
    // Rounded half up: 0.5 is 1, and 0.4999 is 0.
    [{ basisPoints: 1 }, 5000n, 1n],
    [{ basisPoints: 1 }, 4999n, undefined],
    [{ basisPoints: 10_000 }, 4500n, 4500n],
    [{ fixedMinor: 30n, currency: 'eur', basisPoints: 290 }, 4500n, 161n],
    [{ fixedMinor: 30n, currency: 'eur', basisPoints: 10_000 }, 4500n, 4500n],
  ])('is the fixed part and the share: case %#', (fee, amountMinor, expected) => {
    expect(feeOf(fee, amountMinor, 'eur')).toBe(expected);
  });
});
