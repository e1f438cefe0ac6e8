import { actorOf, commit, contained } from '../frame/commit.ts';
import {
  type ClaimedRecord,
  claimKey,
  type KeyUse,
  keyUse,
  lookUpKey,
} from '../frame/idempotency.ts';
import { type ErrorOfSteps, operation } from '../frame/operation.ts';
import { type Run, storeRefusal } from '../frame/perform.ts';
import { keyRetentionMs } from '../frame/record.ts';
import { backoffMs, claimWithdrawn, readAtProcessor, takeOver } from '../payment/carry.ts';
import type { ProcessorFault } from '../payment/faults.ts';
import { findPaymentForManager, type RequestedAmount, requestedParts } from '../payment/find.ts';
import {
  askAgainEveryMs,
  askedForMs,
  boundedWait,
  isAtWork,
  isDue,
  isFinal,
  type OpenedPayment,
  type Payment,
  refundSaidAt,
} from '../payment/payment.ts';
import { touchPayment } from '../payment/write.ts';
import type { Ports } from '../ports/ports.ts';
import type { CommitError, StoreUnavailable } from '../ports/store.ts';
import { conflict, type Fault, unavailable } from '../problems/problem.ts';
import type { Share } from '../share/share.ts';
import { leftToShares, type PaymentReturns, partsOfShares, takeFrom } from '../share/shares-of.ts';
import { err, resultOf, type Steps } from '../values/result.ts';
import {
  endedUnseen,
  holdRefund,
  newRefund,
  openRefundReviews,
  refundEvent,
  refundFailed,
  refunding,
  refundMoves,
  unsettledReview,
  writeRefund,
} from './carry-refund.ts';
import { isCounted, keysEndAt, type Refund, type RefundAtWork, wasAcknowledged } from './refund.ts';
import {
  cannotRefund,
  decideRefundable,
  decideReversal,
  finishRefunding,
  followReturns,
  listReturns,
  readReturns,
  recordReturns,
  twiceChanges,
  withRefund,
} from './returns.ts';
import {
  type RefundPaymentBody,
  refundedExample,
  refundPaymentBody,
  refundSchema,
  refundShapes,
  viewAcceptedRefund,
} from './wire.ts';

export const refundProblems = [
  'badRequest',
  'forbidden',
  'notFound',
  'conflict',
  'unprocessableEntity',
  'paymentProviderNotSetup',
] as const;
export type RefundError = ErrorOfSteps<(typeof refundProblems)[number]>;

export const refundPayment = {
  /**
   * Refunds a captured payment, whole or in part: once for each key, and never more than was captured.
   * Without an `amount` it refunds all that is left. For the payment's business or an administrator.
   *
   * Send the same `idempotencyKey` again after a lost response: it returns the same refund.
   *
   * @example
   * const refunded = await chairside.refundPayment(manager, {
   *   contactlessPaymentId: opened.id,
   *   idempotencyKey: crypto.randomUUID(),
   *   body: { amount: '10.00', reason: 'The cut was too short' },
   * });
   * if (refunded.isOk()) console.log(refunded.value.id, refunded.value.state); // rfd_01h…, succeeded
   */
  refundPayment: operation({
    ids: ['contactlessPaymentId'],
    limit: 'writes',
    problems: refundProblems,
    group: 'Refunds',
    summary: 'Refunds a captured payment, whole or in part',
    description:
      'Without an `amount` it refunds all that is left. Refunds never exceed what was captured. The same key returns the same refund, as it was first accepted.',
    idempotencyKey: 'required',
    mayBeApplied: refundMayBeApplied,
    body: { ...refundPaymentBody, required: false },
    output: refundSchema,
    example: refundedExample,
    shapes: refundShapes,
  })(steps),
};

interface RefundInput {
  readonly contactlessPaymentId: string;
  readonly idempotencyKey: string;
  readonly body: RefundPaymentBody;
}

async function* steps(run: Run, { contactlessPaymentId, idempotencyKey, body }: RefundInput) {
  const { ports, auth, call, begun } = run;
  const payment = yield* findPaymentForManager(ports, auth, contactlessPaymentId);
  const use = keyUse(run, idempotencyKey, payment.id, body);
  const claim = yield* await lookUpKey(ports, call, use, ['unprocessableEntity']);
  const requested = yield* await storeRefusal(run, use, requestedParts(body));
  // The key of an earlier run may be forgotten by now: the process was stopped for days, or a clock
  // was set. Without `begun`, this run would make a second refund.
  begun.id = claim?.resourceId ?? begun.id;
  if (begun.id === undefined) {
    const made = yield* beginRefund(ports, payment, use, requested, body);
    begun.id = made.id;
    return viewAcceptedRefund(yield* finishRefunding(ports, payment, made));
  }
  const [made] = yield* findRefunds(run, begun.id);
  return viewAcceptedRefund(yield* resumeRefund(ports, payment, made));
}

/** Reserves the amount with the claim of the key, before the processor is called. */
async function* beginRefund(
  ports: Ports,
  found: OpenedPayment,
  use: KeyUse,
  requested: RequestedAmount,
  { reason, ...whose }: RefundPaymentBody,
): Steps<RefundAtWork, RefundError> {
  if (found.state !== 'captured') return yield* err(notCapturedYet());
  const before = yield* readReturns(ports, found);
  const there = yield* (await listReturns(ports, found)).mapErr(cannotRefund);
  const returned = yield* recordReturns(ports, before, there, 'refund');
  if (ports.restoration !== undefined && returned.refunds.some(mayHaveLostKey)) {
    return yield* err(perhapsRefunded());
  }
  const shares = sharesAsked(returned, whose);
  const left = shares && partsOfShares(shares);
  const amount = yield* decideRefundable(returned, requested, left);
  const business = yield* await ports.store.businesses.get(found.businessId);
  const { payment } = returned;
  const parts = shares && takeFrom(shares, amount);
  const reversal = yield* decideReversal(returned, business, amount.amountMinor);
  const refund = newRefund(ports, payment, { ...amount, ...reversal, reason, parts });
  const by = yield* await actorOf(ports);
  const { changes } = touchPayment(ports, payment, refund.createdAt, 'refund', [], refunding, by);
  yield* await commit(ports, [
    claimKey(use, refund.id),
    { kind: 'insertRefund', refund },
    ...changes,
  ]);
  return refund;
}

/** A key that was lost with the database may be the one of this refund. */
export function mayHaveLostKey(refund: Refund): boolean {
  return refund.isRestored === true && isCounted(refund);
}

export function perhapsRefunded(): Fault<'serviceUnavailable'> {
  const detail =
    'The database was restored, and the payment was refunded after its backup: by this request, perhaps.';
  return unavailable(detail, 'unknown');
}

/** What is left to the shares that a request names; `undefined` for a payment that belongs to one alone. */
function sharesAsked(
  returned: PaymentReturns,
  { appointmentId, barberId }: Pick<RefundPaymentBody, 'appointmentId' | 'barberId'>,
): readonly Share[] | undefined {
  const isNamed = appointmentId !== undefined || barberId !== undefined;
  if (returned.payment.shares === undefined && !isNamed) return undefined;
  return leftToShares(returned).filter(
    (share) =>
      (appointmentId === undefined || share.appointmentId === appointmentId) &&
      (barberId === undefined || share.barberId === barberId),
  );
}

/** Finds the refunds of the key. */
export async function* findRefunds(
  { ports, call, begun }: Run,
  id: string,
): Steps<readonly [Refund, ...Refund[]], RefundError> {
  const [first, ...others] = yield* refundsOf(ports, id);
  if (first === undefined) {
    begun.id = undefined;
    return yield* err(claimWithdrawn);
  }
  call.facts.replayed = [first, ...others].every(wasAcknowledged);
  return [first, ...others];
}

/** The refund with this id, and those that were reserved with it. A part that was refused at once has no record. */
async function* refundsOf(
  { store }: Ports,
  id: string,
): Steps<readonly Refund[], StoreUnavailable> {
  const first = yield* await store.refunds.get(id);
  if (first === undefined) return [];
  const found = [first];
  for (const sibling of first.siblings ?? []) {
    if (sibling === id) continue;
    const part = yield* await store.refunds.get(sibling);
    if (part !== undefined) found.push(part);
  }
  return found;
}

/** Finishes a refund of an earlier call, and takes over the work of one that died. */
export async function* resumeRefund(
  ports: Ports,
  payment: Payment,
  refund: Refund,
): Steps<Refund, RefundError> {
  if (!isAtWork(refund)) return wasAcknowledged(refund) ? refund : yield* err(refundFailed(refund));
  const held = yield* await takeOver(ports, refund, refund.work, holdRefund);
  return yield* finishRefunding(ports, payment, held);
}

/** An authorization that was never captured is released, not refunded. */
export function notCapturedYet(): Fault<'conflict'> {
  const detail =
    'Only a captured payment can be refunded; an authorized one is released by cancel.';
  return conflict('notCaptured', detail);
}

/** Whether a refund of a key was made, or still may be. */
export async function refundMayBeApplied(
  ports: Ports,
  { resourceId }: ClaimedRecord,
): Promise<boolean> {
  const refunds = await resultOf(refundsOf(ports, resourceId));
  // An acknowledged refund that failed later was made; its key still returns it.
  return refunds.isErr() || refunds.value.some((one) => isCounted(one) || wasAcknowledged(one));
}

type DueWork<T> = Steps<T, ProcessorFault | CommitError>;

/**
 * Does the due work of a refund: finishes an interrupted one, checks a pending one, and deletes
 * keys after their retention (D21). A refund never becomes `failed` by age.
 */
export async function* finishDueRefund(ports: Ports, refund: Refund): DueWork<void> {
  const now = ports.clock.now();
  if (refund.state !== 'pending') return yield* closeEndedRefund(ports, refund);
  const ended = await contained(ports, 'reconcile', finishOpenRefund(ports, refund));
  const stored = yield* await ports.store.refunds.get(refund.id);
  if (stored?.nextCheckAt !== undefined && isDue(stored.nextCheckAt, now))
    yield* postponeRefund(ports, stored);
  yield* ended;
}

async function* finishOpenRefund(ports: Ports, refund: Refund): DueWork<void> {
  const payment = yield* await ports.store.payments.get(refund.paymentId);
  if (payment === undefined) return;
  if (isAtWork(refund)) {
    const taken = yield* await takeOver(ports, refund, refund.work, holdRefund);
    yield* finishRefunding(ports, payment, taken);
    return;
  }
  yield* followReturns(ports, payment, 'reconcile');
}

/**
 * Schedules the next check, with a growing wait. A refund open for too long needs a person.
 */
async function* postponeRefund(ports: Ports, refund: Refund): Steps<void, CommitError> {
  const now = ports.clock.now();
  const review = await unsettledReview(ports, refund, now);
  const checks = refund.checks + 1;
  const later = { ...refund, nextCheckAt: now + backoffMs(refund.checks), checks };
  yield* await writeRefund(ports, refund, later, review);
}

/**
 * Where a person said that the refund ended, the processor may say the opposite, so it is asked (D201). Keys are
 * deleted after their retention.
 */
async function* closeEndedRefund(ports: Ports, refund: Refund): Steps<void, CommitError> {
  const isOver = yield* watchRefund(ports, refund);
  const stored = (yield* await ports.store.refunds.get(refund.id)) ?? refund;
  if (isOver) return yield* forgetRefundKeys(ports, stored);
  const nextCheckAt = ports.clock.now() + askAgainEveryMs;
  yield* await writeRefund(ports, stored, { ...stored, nextCheckAt });
}

async function* forgetRefundKeys(ports: Ports, refund: Refund): Steps<void, CommitError> {
  const now = ports.clock.now();
  // The key of several parts is kept as long as the last of them needs it (D49).
  const parts = yield* refundsOf(ports, refund.id);
  const ends = parts.map((one) =>
    one.state === 'pending' ? now + keyRetentionMs : keysEndAt(one),
  );
  const endAt = Math.max(keysEndAt(refund), ...ends);
  if (now < endAt) {
    const nextCheckAt = boundedWait(endAt, now);
    yield* await writeRefund(ports, refund, { ...refund, nextCheckAt });
    return;
  }
  const { nextCheckAt: _nextCheckAt, ...done } = refund;
  const keys = { kind: 'deleteKeys', resourceId: refund.id } as const;
  yield* await writeRefund(ports, refund, done, [keys]);
}

/**
 * Compares a refund that a person's word ended with the processor's list.
 * @returns whether the processor told its end, or is asked no more.
 */
async function* watchRefund(ports: Ports, refund: Refund): Steps<boolean, CommitError> {
  const payment = yield* await ports.store.payments.get(refund.paymentId);
  if (payment === undefined) return true;
  const at = ports.clock.now();
  // What nobody's word ended is over too.
  if (at >= (refundSaidAt(payment) ?? 0) + askedForMs) return true;
  // With a wrong key a list may be empty, so the payment itself must be shown.
  const seen = (await readAtProcessor(ports, payment)).unwrapOr(undefined);
  if (seen === undefined || !isFinal({ ...payment, state: seen.status })) return false;
  const followed = await contained(ports, 'reconcile', followReturns(ports, payment, 'reconcile'));
  if (followed.isErr()) return false;
  const own = followed.value.refunds.find(({ id }) => id === refund.id);
  if (own?.state !== 'succeeded' || own.reference !== undefined) return true;
  // What the list shows has a reference by now.
  const { refund: after, reviews } = endedUnseen(own, 'failed', at);
  const { payment: current } = followed.value;
  yield* await commit(ports, [
    { kind: 'updateRefund', refund: after, expectedVersion: own.version },
    ...touchPayment(ports, current, at, 'reconcile', [refundEvent(after)]).changes,
    ...refundMoves(current, own, after),
    ...openRefundReviews(after, [...reviews, 'refundedHereFailedThere'], at),
    ...(yield* twiceChanges(ports, followed.value, withRefund(followed.value, after), at)),
  ]);
  return true;
}
