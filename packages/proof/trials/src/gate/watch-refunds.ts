import { hourMs, type Result } from '@chairside/core';
import {
  type Commit,
  type Dispute,
  isCounted,
  type ProcessorError,
  type ProcessorRefund,
  type Refund,
  type RefundPaymentRequest,
} from '@chairside/core/ports';
import { appointmentId } from '../act/shop.ts';
import { tipOf } from '../check/check-tips.ts';
import type { RefundTrail, ReturnedSnapshot } from '../check/evidence.ts';
import { append, cashOf, during, keptOfVisit, ledgerNameOf, minor } from '../check/readings.ts';
import { entryOf, type Gate, type Task, watchTakeOver } from './gate.ts';

/**
 * What is given back of a visit leaves at least what was due at some moment of the request: by the processor's
 * captures and what was paid without a card, less all that went back of it, without tips (D49).
 */
export async function checkExcess(
  gate: Gate,
  task: Task,
  changes: Commit['changes'],
): Promise<void> {
  const { evidence, scheduler } = gate;
  const asked = evidence.plan.actions.find(({ id }) => id === task.action);
  if (asked?.does !== 'excess') return;
  const made = changes.flatMap((one) =>
    one.kind === 'insertRefund' && one.refund.origin === 'here' ? [one.refund] : [],
  );
  if (made.length === 0) return;
  const visit = appointmentId(asked.appointment);
  let keptMinor =
    keptOfVisit(evidence, visit) - made.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  for (const { paymentId, status, amountCaptured } of await gate.world().processor.entries()) {
    const payment = evidence.begun.get(paymentId);
    if (status !== 'captured' || payment === undefined || ledgerNameOf(payment) !== visit) continue;
    const takenMinor = minor(amountCaptured);
    const gone = countedRefunds(gate, paymentId).map(({ stored }) => stored);
    const goneMinor = gone.reduce((sum, one) => sum + one.amountMinor - (one.tipMinor ?? 0n), 0n);
    const { disputedMinor } = returnedOf(gate, paymentId);
    const leftMinor =
      takenMinor -
      tipOf(payment, takenMinor) -
      goneMinor -
      disputedMinor -
      cashOf(evidence, paymentId);
    if (leftMinor > 0n) keptMinor += leftMinor;
  }
  const now = scheduler.nextMoment();
  const dues = during(evidence.appointments.get(visit) ?? [], task.since(), now);
  if (dues.some(({ dueMinor }) => keptMinor >= dueMinor)) return;
  const what = `${visit} keeps ${keptMinor} after its excess went back, of ${dues.map((one) => one.dueMinor)} due`;
  evidence.faults.push({ rule: 'refunded', what });
}

export function noteDispute(gate: Gate, dispute: Dispute): void {
  const { id, paymentId } = dispute;
  gate.evidence.disputes.set(id, { paymentId, withheldMinor: heldHere(dispute) });
  noteReturned(gate, paymentId);
}

/** What a recorded dispute keeps from being refunded (D45). */
function heldHere({
  state,
  amountMinor,
  takenMinor,
  returnedMinor,
  isRefundable,
}: Dispute): bigint {
  const isCase = state === 'open' && !(isRefundable && takenMinor === 0n);
  return isCase ? amountMinor : takenMinor - returnedMinor;
}

export async function noteRefund(gate: Gate, { action }: Task, refund: Refund): Promise<void> {
  const { evidence, scheduler } = gate;
  if (refund.origin === 'here') await checkReserved(gate, refund);
  evidence.refunds.set(refund.id, {
    action,
    claimed: refund,
    begunAt: scheduler.clock.now(),
    stored: refund,
    keys: [],
    failedKeys: new Set(),
  });
  noteAccepted(gate, refund);
  noteReturned(gate, refund.paymentId);
}

/** Refunded, reserved, disputed and new together never exceed what was captured (D44). */
async function checkReserved(gate: Gate, { id, paymentId, amountMinor }: Refund): Promise<void> {
  const wholeMinor = givenMinor(gate, paymentId) + amountMinor;
  const capturedMinor = minor((await entryOf(gate, paymentId))?.amountCaptured ?? '0.00');
  if (wholeMinor <= capturedMinor) return;
  const what = `${id}: ${wholeMinor} of ${paymentId} are given back, of ${capturedMinor} captured`;
  gate.evidence.faults.push({ rule: 'refunded', what });
}

export function updateRefund(gate: Gate, after: Refund): void {
  const { evidence, scheduler } = gate;
  const trail = evidence.refunds.get(after.id);
  if (trail === undefined) return;
  watchTakeOver(gate, trail.stored, after);
  if (after.state !== trail.stored.state) trail.movedAt = scheduler.clock.now();
  trail.stored = after;
  noteAccepted(gate, after);
  noteReturned(gate, after.paymentId);
}

function noteAccepted({ evidence, scheduler }: Gate, { id, acceptedAs }: Refund): void {
  const trail = evidence.refunds.get(id);
  if (trail !== undefined && acceptedAs !== undefined) {
    trail.acceptedAt ??= scheduler.clock.now();
  }
}

/** A claim is withdrawn only with proof that the processor made no refund of it. */
export async function withdrawRefund(gate: Gate, id: string): Promise<void> {
  const { evidence, world } = gate;
  const trail = evidence.refunds.get(id);
  if (trail === undefined) return;
  trail.isWithdrawn = true;
  const entries = await world().processor.entries();
  const isMade = entries.some(({ refunds = [] }) =>
    refunds.some(({ refundId }) => refundId === id),
  );
  if (isMade) evidence.faults.push({ rule: 'truthful', what: `${id} was made, and withdrawn` });
  noteReturned(gate, trail.claimed.paymentId);
}

export function noteReturned(gate: Gate, paymentId: string): void {
  append(gate.evidence.returned, paymentId, returnedOf(gate, paymentId));
}

/** The refunds of a payment that count as given back now, by the applied writes. */
function countedRefunds({ evidence }: Gate, paymentId: string): readonly RefundTrail[] {
  return [...evidence.refunds.values()].filter(
    ({ stored, isWithdrawn }) =>
      stored.paymentId === paymentId && isWithdrawn === undefined && isCounted(stored),
  );
}

/** Refunded, disputed and given back in cash. */
export function givenMinor(gate: Gate, paymentId: string): bigint {
  const { refundedMinor, disputedMinor } = returnedOf(gate, paymentId);
  return refundedMinor + disputedMinor;
}

/** The sums that count as given back of a payment now, by the applied writes. Cash stands in for a refund. */
function returnedOf(gate: Gate, paymentId: string): ReturnedSnapshot {
  const { evidence, scheduler } = gate;
  const disputes = [...evidence.disputes.values()].filter((one) => one.paymentId === paymentId);
  return {
    moment: scheduler.nextMoment(),
    refundedMinor: countedRefunds(gate, paymentId).reduce(
      (sum, { stored }) => sum + stored.amountMinor,
      cashOf(evidence, paymentId),
    ),
    disputedMinor: disputes.reduce((sum, { withheldMinor }) => sum + withheldMinor, 0n),
  };
}

/** The processor keeps a key for at least 20 hours. */
const keyLifeMs = 20 * hourMs;

/** Checks when the core makes the call, which may arrive much later. */
export function watchRefundSent(
  { evidence, scheduler }: Gate,
  request: RefundPaymentRequest,
): void {
  const { refundId: id, idempotencyKey } = request;
  const trail = evidence.refunds.get(id);
  const fault = (what: string) => evidence.faults.push({ rule: 'calls', what: `${id} ${what}` });
  if (trail === undefined || trail.isWithdrawn) {
    fault('was sent to the processor without a reservation');
    return;
  }
  if (!isAsClaimed(trail, request)) fault('was sent otherwise than it was claimed');
  const lateMs = scheduler.clock.now() - trail.begunAt;
  if (lateMs >= keyLifeMs) fault(`was sent again after ${lateMs} ms`);
  const last = trail.keys.at(-1);
  const isNewKey = !trail.keys.includes(idempotencyKey);
  if (isNewKey) trail.keys.push(idempotencyKey);
  if (isNewKey && last !== undefined && !trail.failedKeys.has(last)) {
    fault('was sent under another key, and the processor had answered no failure');
  }
}

function isAsClaimed({ claimed }: RefundTrail, request: RefundPaymentRequest): boolean {
  return (
    claimed.paymentId === request.paymentId &&
    claimed.account === request.account &&
    claimed.amountMinor === request.amountMinor &&
    claimed.currency === request.currency &&
    claimed.returnsFee === request.returnsFee &&
    claimed.reversesTransfer === request.reversesTransfer
  );
}

/** Records the keys for which the processor repeats a failure for ever. */
export function watchRefundReply(
  { evidence }: Gate,
  { refundId, idempotencyKey }: RefundPaymentRequest,
  replied: Result<ProcessorRefund, ProcessorError>,
): void {
  if (replied.isOk() || replied.error.kind !== 'unavailable' || !replied.error.answered) return;
  evidence.refunds.get(refundId)?.failedKeys.add(idempotencyKey);
}
