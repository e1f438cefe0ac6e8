import type { DisputeEvent, RefundEvent } from '../event/event.ts';
import { commit, isConflict } from '../frame/commit.ts';
import {
  ask,
  backoffMs,
  carry,
  didNothing,
  giveUp,
  handleOf,
  isKept,
  type LeftUnknown,
  lease,
  leftUnknown,
  processorKey,
  type Written,
} from '../payment/carry.ts';
import { didNotSay, orUnknown, type ProcessorFault, refusalOf } from '../payment/faults.ts';
import { type Payment, reviewAfterMs, type Work } from '../payment/payment.ts';
import { changeReview, endedLater, openReview, refundReview } from '../payment/reviews.ts';
import { tipMember } from '../payment/tip.ts';
import { actIn, type EventMaker, maxTries, touchPayment } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import { cardMustBePresent, insufficientBalance, type ProcessorError } from '../ports/processor.ts';
import type { Change, StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault } from '../problems/problem.ts';
import { shareEntries } from '../share/entries.ts';
import { type Part, splitBoth, wholeFor } from '../share/share.ts';
import { toldShare } from '../share/wire.ts';
import type { Review, ReviewReason } from '../upkeep/review.ts';
import { formatMoney, formatMoneyIn } from '../values/money.ts';
import { err, ok, type Result } from '../values/result.ts';
import { type EpochMs, formatTimestamp, hourMs } from '../values/time.ts';
import { type Dispute, type ProcessorDispute, withheldMinor } from './dispute.ts';
import { disputeMovements, type Movement, refundMovements } from './movement.ts';
import {
  isCounted,
  moveRefund,
  type ProcessorRefund,
  type Refund,
  type RefundAtWork,
  type RefundState,
  type RefundStep,
  refundRejected,
} from './refund.ts';

type Refunded = Written<Refund, ProcessorFault>;

/**
 * The processor keeps a key for at least 20 hours, so a request is sent for a shorter time (D44).
 */
const sendForMs = 18 * hourMs;

interface AskedRefund extends Pick<Refund, 'returnsFee' | 'reversesTransfer'> {
  readonly amountMinor: bigint;
  readonly tipMinor?: bigint;
  readonly reason: string | undefined;
  readonly parts?: readonly Part[] | undefined;
}

/** A refund that this call holds, before it is stored. */
export function newRefund(
  ports: Ports,
  { id: paymentId, account, currency }: Payment,
  { amountMinor, tipMinor = 0n, reason, parts, returnsFee, reversesTransfer }: AskedRefund,
): RefundAtWork {
  const at = ports.clock.now();
  const work = lease(ports, { kind: 'refund', fence: 1 });
  return {
    id: ports.ids.next('rfd'),
    paymentId,
    account,
    currency,
    amountMinor,
    ...(tipMinor > 0n && { tipMinor }),
    ...(parts !== undefined && { parts }),
    ...(reason !== undefined && { reason }),
    returnsFee,
    reversesTransfer,
    origin: 'here',
    state: 'pending',
    isBooked: false,
    version: 1,
    createdAt: at,
    updatedAt: at,
    work,
    nextCheckAt: work.leaseUntil,
    checks: 0,
  };
}

/**
 * Makes a refund that this call holds at the processor, and records it. A retry repeats the same call under
 * the same processor key (D20).
 * @param isHeldBack it is only looked up, and not sent.
 */
export function carryRefund(
  ports: Ports,
  payment: Payment,
  refund: RefundAtWork,
  isHeldBack: boolean,
): Refunded {
  const known: Omit<RefundFacts, 'isOver'> = { isFirstCall: refund.work.fence === 1 };
  return carry(ports, refund, known, {
    decide: (held, seen) => {
      // Measured anew for each step, because the process may have been stopped for days.
      const isOver = isHeldBack || ports.clock.now() >= refund.createdAt + sendForMs;
      return decideRefunding(held, { ...seen, isOver });
    },
    steps: {
      readBefore: async () => ({ before: await listAtProcessor(ports, payment) }),
      send: async (held) => ({ sent: await sendRefund(ports, payment, held) }),
      readAfter: async () => ({ after: await listAtProcessor(ports, payment) }),
    },
    hold: holdRefund,
    end: (held, end) => endRefunding(ports, held, end),
  });
}

function sendRefund(ports: Ports, payment: Payment, refund: RefundAtWork) {
  const { id: refundId, amountMinor, currency, returnsFee, reversesTransfer } = refund;
  return ask(ports, 'refund', () =>
    ports.processor.refunds.refund({
      ...handleOf(ports, payment),
      refundId,
      amountMinor,
      currency,
      returnsFee,
      reversesTransfer,
      idempotencyKey: processorKey(refund, 'refund'),
    }),
  );
}

export function listAtProcessor(ports: Ports, payment: Payment) {
  return ask(ports, 'listRefunds', () => ports.processor.refunds.list(handleOf(ports, payment)));
}

async function endRefunding(ports: Ports, refund: RefundAtWork, end: RefundEnd): Refunded {
  switch (end.next) {
    case 'record': {
      const recorded = await recordRefund(ports, refund, end.seen, 'refund');
      return recorded.andThen((after) => (isCounted(after) ? ok(after) : err(refundFailed(after))));
    }
    case 'withdraw': {
      const { id, version } = refund;
      const changes: readonly Change[] = [
        { kind: 'deleteRefund', id, expectedVersion: version },
        { kind: 'deleteKeys', resourceId: id },
      ];
      const at = ports.clock.now();
      const what = end.error.kind === 'rejected' ? refundRejected : 'refund refused';
      const written = await writeWithPayment(ports, refund.paymentId, changes, (payment) =>
        touchPayment(ports, payment, at, 'refund', [], what),
      );
      return written.andThen(() => err(refusalOf(end.error, whyRejected(end.error), accountGone)));
    }
    case 'fail': {
      const failed = failedRefund(refund, end.failure, ports.clock.now());
      const changes: readonly Change[] = [
        { kind: 'updateRefund', refund: failed, expectedVersion: refund.version },
      ];
      const written = await writeWithPayment(ports, refund.paymentId, changes, (payment) =>
        touchPayment(ports, payment, failed.updatedAt, 'refund', [refundEvent(failed)]),
      );
      return written.andThen(() => err(refundFailed(failed)));
    }
    case 'unknown': {
      const written = await letGoOfRefund(ports, refund, end.needsNewKey);
      return written.andThen(() => err(didNotSay('it refunded it')));
    }
  }
}

/** Ends the reservation, because a final rejection takes no money. */
function failedRefund(refund: RefundAtWork, failure: string, at: EpochMs): Refund {
  const { work: _work, ...rest } = refund;
  const version = refund.version + 1;
  return { ...rest, state: 'failed', failure, version, updatedAt: at, checks: 0, nextCheckAt: at };
}

/** Releases the refund for a retry at once; its amount stays reserved. */
async function letGoOfRefund(ports: Ports, refund: RefundAtWork, needsNewKey: boolean) {
  const now = ports.clock.now();
  const freed: Refund = {
    ...refund,
    work: giveUp(refund.work, now, needsNewKey),
    nextCheckAt: now + backoffMs(refund.checks),
    checks: refund.checks + 1,
  };
  return writeRefund(ports, refund, freed, await unsettledReview(ports, refund, now));
}

export const accountGone =
  'The account that was paid no longer takes requests of this service. The shop may refund in its own dashboard there, or give the amount back in cash, but not both: what is refunded there is not seen here.';

const rejections = new Map([
  [cardMustBePresent, 'This card is refunded only while it is held to a terminal.'],
  [
    insufficientBalance,
    "The account's balance at the processor does not cover this refund: add funds there, and refund again.",
  ],
]);

function whyRejected(error: ProcessorError): string {
  // Stryker disable next-line ConditionalExpression: the other kinds have no reason.
  const why = error.kind === 'rejected' ? rejections.get(error.reason) : undefined;
  return why ?? 'The payment processor rejected this refund.';
}

/** The response to a key whose refund has failed. A new refund needs a new key. */
export function refundFailed({ id, failure }: Refund): Fault<'conflict'> {
  return conflict('refundFailed', 'The refund failed, so no money went back.', {
    refundId: id,
    ...(failure !== undefined && { failure }),
  });
}

type Listed = Result<readonly ProcessorRefund[], unknown>;

/** The facts known while a reserved refund is being made at the processor. */
interface RefundFacts {
  /** The processor cannot have received an earlier call of ours. */
  readonly isFirstCall: boolean;
  /** The processor may have forgotten the key, or a dispute holds the amount: it is only looked up. */
  readonly isOver: boolean;
  /** The payment's refunds before a repeated call, once listed. */
  readonly before?: Listed | undefined;
  /** The reply to the refund request, once sent. */
  readonly sent?: Result<ProcessorRefund, ProcessorError> | undefined;
  /** The payment's refunds after a failed request, once listed. */
  readonly after?: Listed | undefined;
}

type RefundEnd =
  /** The processor shows it: record that. */
  | { readonly next: 'record'; readonly seen: ProcessorRefund }
  /** It is proven that this first call was not applied: remove the claim and its key. */
  | { readonly next: 'withdraw'; readonly error: ProcessorError }
  /** The processor rejected it for good, and an earlier call was not applied either. */
  | { readonly next: 'fail'; readonly failure: string }
  /** It stays reserved. */
  | LeftUnknown;

type RefundNext = RefundEnd | { readonly next: 'readBefore' | 'send' | 'readAfter' };

/**
 * Decides the next step for a refund whose amount is reserved. A repeated call reads first. A
 * lost reply never leads to a request under a second key.
 */
export function decideRefunding(refund: Refund, seen: RefundFacts): RefundNext {
  const { isFirstCall, isOver, before, sent, after } = seen;
  if (!isFirstCall) {
    if (before === undefined) return { next: 'readBefore' };
    if (before.isErr()) return leftUnknown();
    const found = findOwn(refund, before.value);
    if (found !== undefined) return { next: 'record', seen: found };
  }
  if (sent === undefined) return isOver ? leftUnknown() : { next: 'send' };
  if (sent.isOk()) return { next: 'record', seen: sent.value };
  const { error } = sent;
  // The key of several parts stands with one of them, and goes on returning the others.
  const isAlone = refund.siblings === undefined;
  if (didNothing(error) && isFirstCall && isAlone) return { next: 'withdraw', error };
  if (didNothing(error) && error.kind !== 'rejected' && !isKept(error)) return leftUnknown();
  if (after === undefined) return { next: 'readAfter' };
  if (after.isErr()) return leftUnknown();
  const found = findOwn(refund, after.value);
  if (found !== undefined) return { next: 'record', seen: found };
  return error.kind === 'rejected'
    ? { next: 'fail', failure: error.reason }
    : leftUnknown(isKept(error));
}

function findOwn({ id }: Refund, listed: readonly ProcessorRefund[]): ProcessorRefund | undefined {
  return listed.find(({ refundId }) => refundId === id);
}

const refundEventTypes = {
  pending: 'contactlessPayment.refundPending',
  succeeded: 'contactlessPayment.refunded',
  failed: 'contactlessPayment.refundFailed',
  canceled: 'contactlessPayment.refundCanceled',
} as const satisfies Readonly<Record<RefundState, RefundEvent['type']>>;

/** The line of the timeline for a refund that begins, at its `createdAt`. */
export const refunding = 'refunding';

/** The event for the new state of a refund. It holds no free text, which erasure would not find. */
export function refundEvent(refund: Refund): EventMaker {
  const { id, amountMinor, tipMinor, currency, state, origin, reference, createdAt, parts } =
    refund;
  return (frame, about, timeline) => ({
    ...frame,
    type: refundEventTypes[state],
    data: {
      ...about,
      refundId: id,
      amount: formatMoney(amountMinor),
      ...tipMember(tipMinor),
      currency,
      state,
      origin,
      ...(parts !== undefined && {
        // The processor may have given back another amount than was asked for.
        shares: partsOf(parts, amountMinor, tipMinor ?? 0n).map(toldShare),
      }),
      ...(reference !== undefined && { processorReference: reference }),
      // One request at a time refunds a payment, so that the time tells the line.
      ...actIn(timeline, ({ what, at }) => what === refunding && at === createdAt),
    },
  });
}

export const disputeEventTypes = {
  open: 'contactlessPayment.disputed',
  won: 'contactlessPayment.disputeWon',
  lost: 'contactlessPayment.disputeLost',
} as const satisfies Readonly<Record<Dispute['state'], DisputeEvent['type']>>;

export function disputeEvent(dispute: Dispute, type: DisputeEvent['type']): EventMaker {
  const { id, amountMinor, currency, state, respondBy, reference, bookedIn, parts } = dispute;
  return (frame, about) => ({
    ...frame,
    type,
    data: {
      ...about,
      disputeId: id,
      amount: formatMoneyIn(amountMinor, currency),
      currency,
      withheld: formatMoneyIn(withheldMinor(dispute), bookedIn),
      ...(bookedIn !== currency && { withheldIn: bookedIn }),
      state,
      ...(respondBy !== undefined && { respondBy: formatTimestamp(respondBy) }),
      ...(parts !== undefined && {
        shares: partsOf(parts, amountMinor, 0n).map((part) => ({
          ...toldShare(part),
          amount: formatMoneyIn(part.amountMinor, currency),
        })),
      }),
      processorReference: reference,
    },
  });
}

export async function followingChanges(
  ports: Ports,
  before: Refund,
  { refund, reviews }: RefundStep,
  at: EpochMs,
): Promise<Result<readonly Change[], StoreUnavailable>> {
  // One that the processor goes on showing as pending has not ended.
  const goesOn = refund.state === 'pending' && before.acceptedAt !== undefined;
  const resolved = goesOn ? ok([]) : await resolvedReview(ports, before, refund.state, at);
  return resolved.map((changes) => [
    { kind: 'updateRefund', refund, expectedVersion: before.version },
    ...openRefundReviews(refund, reviews, at),
    ...changes,
  ]);
}

export function openRefundReviews(
  refund: Refund,
  reasons: readonly ReviewReason[],
  at: EpochMs,
): readonly Change[] {
  return reasons.flatMap((reason) => openReview(refundReview(refund, reason, at)));
}

/** Writes the processor's state of a refund that this call holds, with the host's events. */
async function recordRefund(
  ports: Ports,
  refund: RefundAtWork,
  seen: ProcessorRefund,
  cause: string,
): Written<Refund> {
  for (let tries = 1; ; tries += 1) {
    const at = ports.clock.now();
    const followed = moveRefund(refund, seen, at);
    const changes = await followingChanges(ports, refund, followed, at);
    if (changes.isErr()) return err(orUnknown<never>(changes.error));
    const written = await writeWithPayment(ports, refund.paymentId, changes.value, (payment) => ({
      changes: [
        ...touchPayment(ports, payment, at, cause, [refundEvent(followed.refund)]).changes,
        ...refundMoves(payment, refund, followed.refund, seen),
      ],
    }));
    if (written.isOk()) return ok(followed.refund);
    // If another call has changed the refund itself, the caller starts again.
    if (!isConflict(written.error, 'updateReview') || tries === maxTries) return err(written.error);
  }
}

/**
 * Writes changes of a refund together with its payment, based on the stored payment: again, if the
 * payment was changed meanwhile.
 */
async function writeWithPayment(
  ports: Ports,
  paymentId: string,
  changes: readonly Change[],
  touch: (payment: Payment) => { readonly changes: readonly Change[] },
): Written<void> {
  for (let tries = 1; ; tries += 1) {
    const read = await ports.store.payments.get(paymentId);
    if (read.isErr()) return err(orUnknown<never>(read.error));
    const payment = read.value;
    // Stryker disable next-line all: a payment is not deleted while it has a refund.
    if (payment === undefined) return err({ kind: 'storeConflict', change: 'updateRefund' });
    const written = await commit(ports, [...changes, ...touch(payment).changes]);
    if (written.isOk()) return ok();
    if (!isConflict(written.error, 'updatePayment') || tries === maxTries) {
      return err(orUnknown(written.error));
    }
  }
}

/** Writes a change that moves no money, so the payment stays unchanged. */
export async function writeRefund<R extends Refund>(
  ports: Ports,
  { version }: Refund,
  after: R,
  alongside: readonly Change[] = [],
): Written<R> {
  const refund = { ...after, version: version + 1 };
  const written = await commit(ports, [
    { kind: 'updateRefund', refund, expectedVersion: version },
    ...alongside,
  ]);
  return written.map(() => refund).mapErr(orUnknown);
}

export function holdRefund(ports: Ports, refund: Refund, work: Work): Written<RefundAtWork> {
  return writeRefund(ports, refund, { ...refund, work, nextCheckAt: work.leaseUntil });
}

/** A refund that is open for too long needs a person, once. */
export async function unsettledReview(
  ports: Ports,
  refund: Refund,
  now: EpochMs,
): Promise<readonly Change[]> {
  const review = reviewOfOpen(refund);
  if (now < review.openedAt) return [];
  const known = await ports.store.reviews.get(review.id);
  // If it cannot be read, the next check opens the review.
  return known.isOk() && known.value === undefined ? openReview(review) : [];
}

/**
 * A refund whose end the processor does not list: a person's word says it, or the list lacks what a
 * person's word has recorded (D201). Without a reference it can still be matched by its mark (D44).
 */
export function endedUnseen(
  refund: Refund,
  state: 'succeeded' | 'failed',
  at: EpochMs,
): RefundStep {
  const { amountMinor, currency } = refund;
  // What the processor shows has a reference; an empty one stands for none.
  const named = { reference: refund.reference ?? '', amountMinor, currency, madeAt: at };
  const seen = { ...named, state, isBooked: state === 'succeeded' };
  const followed = moveRefund(refund, seen, at);
  const { reference, ...unnamed } = followed.refund;
  return reference === '' ? { ...followed, refund: unnamed } : followed;
}

/** Resolves the review of this refund, once it is accepted or has ended. Other refunds keep theirs. */
async function resolvedReview(
  ports: Ports,
  refund: Refund,
  state: RefundState,
  resolvedAt: EpochMs,
): Promise<Result<readonly Change[], StoreUnavailable>> {
  const { id } = reviewOfOpen(refund);
  const note = state === 'pending' ? 'The processor has accepted it.' : endedLater;
  const listed = await ports.store.reviews.get(id);
  return listed.map((review) =>
    review === undefined || review.resolvedAt !== undefined
      ? []
      : [changeReview(review, { resolvedAt, note })],
  );
}

/** The same for each check, so that a repeated finding makes one entry. */
export function reviewOfOpen(refund: Refund): Review {
  const reason = refund.acceptedAt === undefined ? 'refundUnsettled' : 'refundWaits';
  return refundReview({ ...refund, version: 1 }, reason, reviewedFrom(refund));
}

const reviewedFrom = ({ createdAt }: Refund): EpochMs => createdAt + reviewAfterMs;

/** Records what a refund has moved, for the statement of its day, and whose money it was. */
export function refundMoves(
  payment: Payment,
  before: Refund | undefined,
  after: Refund,
  seen?: Partial<Pick<ProcessorRefund, 'madeAt' | 'returnedAt'>>,
): readonly Change[] {
  return moves(payment, refundMovements(payment, before, after, seen), after.parts);
}

/** Records what a dispute has moved, and whose money it was. */
export function disputeMoves(
  payment: Payment,
  before: Dispute | undefined,
  after: Dispute,
  seen: Pick<ProcessorDispute, 'bookings' | 'openedAt'>,
): readonly Change[] {
  return moves(payment, disputeMovements(payment, before, after, seen), after.parts);
}

function moves(
  payment: Payment,
  movements: readonly Movement[],
  parts: readonly Part[] | undefined,
): readonly Change[] {
  return movements.flatMap((movement) => {
    const moved: Change = { kind: 'insertMovement', movement };
    if (parts === undefined) return [moved];
    const { id: actId, kind, currency, amountMinor, tipMinor, at } = movement;
    const whole = { ...wholeFor(payment.appointment), amountMinor, tipMinor };
    const act = { actId, kind, currency, at };
    return [moved, ...shareEntries(payment, act, [whole], partsOf(parts, amountMinor, tipMinor))];
  });
}

/** The parts of an amount, which is negative where money leaves. Without a tip in it, all that each has counts. */
function partsOf(parts: readonly Part[], amountMinor: bigint, tipMinor: bigint): readonly Part[] {
  // Stryker disable next-line EqualityOperator: nothing has no sign.
  const sign = amountMinor < 0n ? -1n : 1n;
  const weights = tipMinor === 0n ? parts.map((part) => ({ ...part, tipMinor })) : parts;
  const whole = { amountMinor: sign * amountMinor, tipMinor: sign * tipMinor };
  return splitBoth(weights, whole).map((part) => ({
    ...part,
    amountMinor: sign * part.amountMinor,
    tipMinor: sign * part.tipMinor,
  }));
}
