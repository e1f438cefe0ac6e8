import { commit } from '../../call/commit.ts';
import type { Dispute, ProcessorDispute } from '../../domain/dispute.ts';
import { disputeMovements, refundMovements } from '../../domain/movement.ts';
import type { Payment } from '../../domain/payment.ts';
import type { Fault } from '../../domain/problem.ts';
import {
  type FollowedRefund,
  followRefund,
  foundRefund,
  maxListedRefunds,
  type ProcessorRefund,
  type Refund,
} from '../../domain/refund.ts';
import { err, ok, type Result, type Steps } from '../../domain/result.ts';
import type { EpochMs } from '../../domain/time.ts';
import { tipIn, tipLast } from '../../domain/tip.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ProcessorError } from '../../ports/processor-calls.ts';
import type { CommitError, StoreUnavailable } from '../../ports/store.ts';
import { ask, handleOf } from '../ask.ts';
import { cannotRead } from '../faults.ts';
import { movementChanges, touchPayment } from '../payment/payment-changes.ts';
import { openReview, refundReview } from '../payment/reviews.ts';
import { type CapturedPayment, refundableParts } from './decide-refundable.ts';
import { disputeNews } from './follow-dispute.ts';
import { listAtProcessor } from './refunding.ts';
import { followingChanges, refundEvent } from './write-refund.ts';

/** The recorded refunds and disputes of a payment. */
export interface ReturnedHere {
  readonly payment: Payment;
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
}

/** These records with the amounts that limit refunds (D44). */
export function toCaptured({ payment, refunds, disputes }: ReturnedHere): CapturedPayment {
  const { capturedMinor = 0n, currency } = payment;
  return { capturedMinor, tipMinor: tipIn(payment, capturedMinor), currency, refunds, disputes };
}

/** The refunds and disputes of a payment at the processor. */
export interface ReturnedThere {
  readonly refunds: readonly ProcessorRefund[];
  readonly disputes: readonly ProcessorDispute[];
}

/**
 * Reads these records. Read the payment before: a write with its version fails if a refund or
 * dispute was recorded since.
 */
export async function* readReturned(
  ports: Ports,
  payment: Payment,
): Steps<ReturnedHere, StoreUnavailable> {
  const { refunds, disputes } = ports.store;
  return {
    payment,
    refunds: yield* await refunds.listByPayment(payment.id, maxListedRefunds),
    disputes: yield* await disputes.listByPayment(payment.id, maxListedRefunds),
  };
}

/** Lists the payment's refunds and disputes at the processor, as far as the processor has lists. */
export async function listReturned(
  ports: Ports,
  payment: Payment,
): Promise<Result<ReturnedThere, ProcessorError>> {
  const { refunds, disputes } = ports.processor;
  const refunded = refunds === undefined ? ok([]) : await listAtProcessor(ports, refunds, payment);
  if (refunded.isErr()) return err(refunded.error);
  const disputed =
    disputes === undefined
      ? ok([])
      : await ask(ports, 'listDisputes', () => disputes.list(handleOf(ports, payment)));
  return disputed.map((found) => ({
    refunds: distinct(refunded.value),
    disputes: distinct(found),
  }));
}

/** A list that grows while its pages are read may show an item twice. The later copy counts. */
function distinct<T extends { readonly reference: string }>(listed: readonly T[]): readonly T[] {
  return [...new Map(listed.map((one) => [one.reference, one])).values()];
}

/**
 * Reads the payment's refunds and disputes here and at the processor, and records where ours differ
 * (D44, D45).
 */
export async function* followReturned(
  ports: Ports,
  payment: Payment,
  cause: string,
): Steps<ReturnedHere, Fault<'serviceUnavailable'> | CommitError> {
  const before = yield* readReturned(ports, payment);
  const there = yield* (await listReturned(ports, payment)).mapErr(cannotRead);
  return yield* recordReturned(ports, before, there, cause);
}

/**
 * Records where our refunds and disputes differ from the processor's (D44, D45).
 * @param here was read before the processor's lists.
 * @param alongside changes that are written too, even without a difference.
 */
export async function* recordReturned(
  ports: Ports,
  here: ReturnedHere,
  there: ReturnedThere,
  cause: string,
  alongside: readonly Change[] = [],
): Steps<ReturnedHere, CommitError> {
  const { payment } = here;
  const at = ports.clock.now();
  const refunds = refundNews(ports, here, there.refunds, at);
  const disputes = disputeNews(ports, payment, here.disputes, there.disputes, at);
  if (refunds.length + disputes.length === 0) {
    if (alongside.length > 0) yield* await commit(ports, alongside);
    return here;
  }
  const told = refunds.filter(({ after }) => after.passed !== undefined);
  const touched = touchPayment(payment, at, cause, [
    ...told.map(({ after }) => refundEvent(after.refund)),
    ...disputes.map(({ event }) => event),
  ]);
  const changes: Change[] = disputes.map(({ change }) => change);
  for (const one of refunds) changes.push(...(yield* await changesOfRefund(ports, one, at)));
  for (const { before, after, madeAt } of refunds) {
    changes.push(...movementChanges(refundMovements(payment, before, after.refund, madeAt)));
  }
  for (const { before, dispute, openedAt } of disputes) {
    changes.push(...movementChanges(disputeMovements(payment, before, dispute, openedAt)));
  }
  yield* await commit(ports, [...changes, ...touched.changes, ...alongside]);
  return {
    payment: touched.after,
    refunds: replaced(
      here.refunds,
      refunds.map(({ after }) => after.refund),
    ),
    disputes: replaced(
      here.disputes,
      disputes.map(({ dispute }) => dispute),
    ),
  };
}

function replaced<T extends { readonly id: string }>(
  before: readonly T[],
  after: readonly T[],
): readonly T[] {
  return [...before.filter(({ id }) => after.every((one) => one.id !== id)), ...after];
}

/** A refund whose record differs from the processor's list. */
interface RefundNews {
  /** Absent if it has no record yet. */
  readonly before?: Refund;
  readonly after: FollowedRefund;
  /** The processor's time, if it states one. */
  readonly madeAt: EpochMs | undefined;
}

function refundNews(
  ports: Ports,
  here: ReturnedHere,
  listed: readonly ProcessorRefund[],
  at: EpochMs,
): readonly RefundNews[] {
  const { payment, refunds } = here;
  const taken = new Set<string>();
  const found: Refund[] = [];
  return listed.flatMap((seen): readonly RefundNews[] => {
    const own = refunds.find(({ id }) => id === seen.refundId);
    const isOwn = own !== undefined && (own.reference ?? seen.reference) === seen.reference;
    const before =
      refunds.find(({ reference }) => reference === seen.reference) ??
      (isOwn && !taken.has(own.id) ? own : undefined);
    if (before !== undefined) {
      taken.add(before.id);
      const after = followRefund(before, seen, at);
      return after === undefined ? [] : [{ before, after, madeAt: seen.madeAt }];
    }
    // The processor does not know which part is tip, so the tip goes last (D48).
    const left = refundableParts(toCaptured({ ...here, refunds: [...refunds, ...found] }));
    const refund = foundRefund(
      ports.ids.next('rfd'),
      { paymentId: payment.id, account: payment.account },
      seen,
      at,
      tipLast(seen.amountMinor, left),
    );
    found.push(refund);
    // Two refunds have one mark of ours, so a person has to decide.
    const review = own === undefined ? {} : { review: 'refundedTwice' as const };
    return [{ after: { refund, passed: refund.state, ...review }, madeAt: seen.madeAt }];
  });
}

async function changesOfRefund(
  ports: Ports,
  { before, after }: RefundNews,
  at: EpochMs,
): Promise<Result<readonly Change[], StoreUnavailable>> {
  if (before !== undefined) return followingChanges(ports, before, after, at);
  const { refund, review } = after;
  return ok([
    { kind: 'insertRefund', refund },
    ...(review === undefined ? [] : openReview(refundReview(refund, review, at))),
  ]);
}
