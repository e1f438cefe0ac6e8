import { keysEndAt, type Refund, type RefundAtWork } from '../../domain/refund.ts';
import { ok, resultOf, type Steps } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ProcessorRefunds } from '../../ports/processor.ts';
import type { CommitError } from '../../ports/store.ts';
import { takeOver } from '../carry.ts';
import type { ProcessorFault } from '../faults.ts';
import { backoffMs } from '../lease.ts';
import { followReturned } from './follow-returned.ts';
import { finishRefunding } from './refunding.ts';
import { holdRefund, unsettledReview, writeRefund } from './write-refund.ts';

type Settling<T> = Steps<T, ProcessorFault | CommitError>;

/**
 * Does the due work of a refund: finishes an interrupted one, checks a pending one, and deletes
 * keys after their retention (D21). A refund never becomes `failed` by age.
 */
export async function* settleRefund(ports: Ports, refund: Refund): Settling<void> {
  const { refunds } = ports.processor;
  const now = ports.clock.now();
  if (refund.state !== 'pending') return yield* forgetRefundKeys(ports, refund);
  // If the host's present processor cannot refund, a person has to look.
  const ended =
    refunds === undefined ? ok() : await resultOf(settleOpenRefund(ports, refunds, refund));
  const stored = yield* await ports.store.refunds.get(refund.id);
  if (stored?.nextCheckAt !== undefined && stored.nextCheckAt <= now)
    yield* postponeRefund(ports, stored);
  yield* ended;
}

async function* settleOpenRefund(
  ports: Ports,
  refunds: ProcessorRefunds,
  refund: Refund,
): Settling<void> {
  const payment = yield* await ports.store.payments.get(refund.paymentId);
  if (payment === undefined) return;
  if (isAtWork(refund)) {
    const taken = yield* await takeOver(ports, refund, refund.work, holdRefund);
    yield* await finishRefunding(ports, refunds, payment, taken);
    return;
  }
  yield* followReturned(ports, payment, 'reconcile');
}

export function isAtWork(refund: Refund): refund is RefundAtWork {
  return refund.work !== undefined;
}

/**
 * Schedules the next check, with a growing wait. A refund unsettled for too long needs a person.
 */
async function* postponeRefund(ports: Ports, refund: Refund): Steps<void, CommitError> {
  const now = ports.clock.now();
  const review = await unsettledReview(ports, refund, now);
  const checks = refund.checks + 1;
  const later = { ...refund, nextCheckAt: now + backoffMs(refund.checks), checks };
  yield* await writeRefund(ports, refund, later, review);
}

async function* forgetRefundKeys(ports: Ports, refund: Refund): Steps<void, CommitError> {
  const endAt = keysEndAt(refund);
  if (ports.clock.now() < endAt) {
    yield* await writeRefund(ports, refund, { ...refund, nextCheckAt: endAt });
    return;
  }
  const { nextCheckAt: _nextCheckAt, ...done } = refund;
  const keys = { kind: 'deleteKeys', resourceId: refund.id } as const;
  yield* await writeRefund(ports, refund, done, [keys]);
}
