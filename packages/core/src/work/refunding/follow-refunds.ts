import { commit } from '../../call/commit.ts';
import type { Dispute } from '../../domain/dispute.ts';
import { type FollowedRefund, followRefund, foundRefund } from '../../domain/follow-refund.ts';
import type { Payment } from '../../domain/payment.ts';
import type { Fault } from '../../domain/problem.ts';
import { maxListedRefunds, type ProcessorRefund, type Refund } from '../../domain/refund.ts';
import { ok, type Result, type Steps } from '../../domain/result.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ProcessorRefunds } from '../../ports/processor-refunds.ts';
import type { StoreConflict, StoreUnavailable } from '../../ports/store.ts';
import { cannotRead } from '../faults.ts';
import { openReview, refundReview } from '../payment/open-review.ts';
import { type EventMaker, touchPayment } from '../payment/touch-payment.ts';
import { listAtProcessor } from './refunding.ts';
import { followingChanges, refundEvent } from './write-refund.ts';

/** The recorded refunds and disputes of a payment. */
export interface MoneyReturned {
  readonly payment: Payment;
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
}

/**
 * Reads these records. Read the payment before: a write with its version fails if a refund or
 * dispute was recorded since.
 */
export async function* readReturned(
  ports: Ports,
  payment: Payment,
): Steps<MoneyReturned, StoreUnavailable> {
  const { refunds, disputes } = ports.store;
  return {
    payment,
    refunds: yield* await refunds.listByPayment(payment.id, maxListedRefunds),
    disputes: yield* await disputes.listByPayment(payment.id, maxListedRefunds),
  };
}

/** Reads both lists of a payment's refunds, and records where ours differs from the processor's (D44). */
export async function* followRefunds(
  ports: Ports,
  refunds: ProcessorRefunds,
  payment: Payment,
  cause: string,
  alongside: readonly Change[] = [],
): Steps<MoneyReturned, Fault<'serviceUnavailable'> | StoreConflict | StoreUnavailable> {
  const before = yield* readReturned(ports, payment);
  const listed = yield* (await listAtProcessor(ports, refunds, payment)).mapErr(cannotRead);
  return yield* recordListed(ports, before, listed, cause, alongside);
}

/**
 * Records where our refunds differ from the processor's list (D44).
 * @param before was read before the list.
 * @param alongside changes that are written too, even without a difference.
 */
export async function* recordListed(
  ports: Ports,
  before: MoneyReturned,
  listed: readonly ProcessorRefund[],
  cause: string,
  alongside: readonly Change[] = [],
): Steps<MoneyReturned, StoreConflict | StoreUnavailable> {
  const { payment } = before;
  const at = ports.clock.now();
  const found = findNews(ports, before, listed, at);
  const events = yield* unreported(ports, found);
  if (found.length === 0) {
    if (alongside.length > 0) yield* await commit(ports, alongside);
    return before;
  }
  const touched = touchPayment(payment, at, cause, events);
  const changes: Change[] = [];
  for (const one of found) changes.push(...(yield* await changesOfNews(ports, one, at)));
  yield* await commit(ports, [...changes, ...touched.changes, ...alongside]);
  const known = before.refunds.filter(({ id }) =>
    found.every(({ after }) => after.refund.id !== id),
  );
  return {
    payment: touched.after,
    refunds: [...known, ...found.map(({ after }) => after.refund)],
    disputes: before.disputes,
  };
}

/** A refund whose record differs from the processor's list. */
interface News {
  /** Absent if it has no record yet. */
  readonly before?: Refund;
  readonly after: FollowedRefund;
}

function findNews(
  ports: Ports,
  { payment, refunds }: MoneyReturned,
  listed: readonly ProcessorRefund[],
  at: EpochMs,
): readonly News[] {
  const taken = new Set<string>();
  return listed.flatMap((seen): readonly News[] => {
    const own = refunds.find(({ id }) => id === seen.refundId);
    const isOwn = own !== undefined && (own.reference ?? seen.reference) === seen.reference;
    const before =
      refunds.find(({ reference }) => reference === seen.reference) ??
      (isOwn && !taken.has(own.id) ? own : undefined);
    if (before !== undefined) {
      taken.add(before.id);
      const after = followRefund(before, seen, at);
      return after === undefined ? [] : [{ before, after }];
    }
    const refund = foundRefund(
      ports.ids.next('rfd'),
      { paymentId: payment.id, account: payment.account },
      seen,
      at,
    );
    // Two refunds have one mark of ours, so a person has to decide.
    const review = own === undefined ? {} : { review: 'refundedTwice' as const };
    return [{ after: { refund, passed: refund.state, ...review } }];
  });
}

async function changesOfNews(
  ports: Ports,
  { before, after }: News,
  at: EpochMs,
): Promise<Result<readonly Change[], StoreUnavailable>> {
  if (before !== undefined) return followingChanges(ports, before, after, at);
  const { refund, review } = after;
  return ok([
    { kind: 'insertRefund', refund },
    ...(review === undefined ? [] : openReview(refundReview(refund, review, at))),
  ]);
}

/** An earlier version has reported some refunds without a record (D25). */
async function* unreported(
  ports: Ports,
  found: readonly News[],
): Steps<readonly EventMaker[], StoreUnavailable> {
  const events: EventMaker[] = [];
  for (const { before, after } of found) {
    const { refund, passed } = after;
    if (passed === undefined) continue;
    const { account, reference = '' } = refund;
    const isNew = before === undefined;
    const wasReported =
      isNew && (yield* await ports.store.moneyBacks.has(account, 'refund', reference));
    if (!wasReported) events.push(refundEvent(refund));
  }
  return events;
}
