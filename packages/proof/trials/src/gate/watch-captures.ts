import type { Appointment, CapturePaymentRequest, Commit } from '@chairside/core';
import { feesOf, ledgerNameOf } from '../check/ledger-name.ts';
import type { Gate } from './gate.ts';

/** One task's reads, writes and requests that matter for a capture. */
export interface CaptureWatch {
  /** By appointment, the amount due at the last read. */
  readonly compared: Map<string, { readonly moment: number; readonly dueMinor: bigint }>;
  /** By payment, the time of the last write or capture request. */
  readonly touched: Map<string, number>;
}

export function noCaptures(): CaptureWatch {
  return { compared: new Map(), touched: new Map() };
}

export function watchComparison(
  { scheduler }: Gate,
  watch: CaptureWatch,
  appointment: Appointment | undefined,
  id: string,
): void {
  const dueMinor = appointment?.amountDueMinor ?? 0n;
  const { noShowFeeMinor = 0n, isMissed = false } = appointment ?? {};
  const moment = scheduler.nextMoment();
  watch.compared.set(id, { moment, dueMinor });
  watch.compared.set(feesOf(id), { moment, dueMinor: isMissed ? noShowFeeMinor : 0n });
}

export function watchPaymentWrites(
  { scheduler }: Gate,
  watch: CaptureWatch,
  { changes }: Commit,
): void {
  for (const change of changes) {
    if (change.kind === 'updatePayment') {
      watch.touched.set(change.payment.id, scheduler.nextMoment());
    }
  }
}

/** The core's knowledge when it made the call, which may arrive much later. */
export interface SentCapture {
  readonly touchedAt: number;
  readonly comparedAt: number;
  readonly dueMinor: bigint;
}

/**
 * Before every send, the amount due is compared again (D13), and the capture deadline has not
 * passed.
 */
export function watchCaptureSent(
  gate: Gate,
  watch: CaptureWatch,
  { paymentId }: CapturePaymentRequest,
): SentCapture {
  const { evidence, scheduler } = gate;
  const appointment = ledgerNameOf(evidence.begun.get(paymentId));
  const { moment: comparedAt, dueMinor } = watch.compared.get(appointment) ?? {
    moment: 0,
    dueMinor: 0n,
  };
  const touchedAt = watch.touched.get(paymentId) ?? 0;
  if (comparedAt <= touchedAt) {
    const what = `${paymentId} was sent to be captured without comparing what is due`;
    evidence.faults.push({ rule: 'charged', what });
  }
  watch.touched.set(paymentId, scheduler.nextMoment());
  const change = evidence.altered.get(paymentId);
  const isFirst = !evidence.sent.has(paymentId);
  evidence.sent.add(paymentId);
  // Only an earlier request may end after the deadline.
  const mayFollow = !isFirst && change?.how === 'alterDeadline';
  if (!mayFollow && change?.seenBy.has(watch)) {
    const what = `${paymentId} was sent to be captured, and is ${change.how} at the processor`;
    evidence.faults.push({ rule: 'charged', what });
  }
  return { touchedAt, comparedAt, dueMinor };
}

/** Makes the call, and records whether it took the money. */
export async function watchTake<T>(
  gate: Gate,
  { paymentId, amountMinor, currency }: CapturePaymentRequest,
  sent: SentCapture,
  send: () => PromiseLike<T>,
): Promise<T> {
  const isCaptured = async () => {
    const entries = await gate.world().processor.entries();
    return entries.some((one) => one.paymentId === paymentId && one.status === 'captured');
  };
  const before = await isCaptured();
  const answer = await send();
  if (before || !(await isCaptured())) return answer;
  const { evidence, scheduler } = gate;
  const begun = evidence.begun.get(paymentId);
  const appointment = ledgerNameOf(begun);
  const moment = scheduler.nextMoment();
  // The appointment owes all but the tip.
  const owedMinor = amountMinor - (begun?.tipMinor ?? 0n);
  const take = { payment: paymentId, appointment, amountMinor: owedMinor, currency, moment };
  evidence.takes.push({ ...take, ...sent });
  return answer;
}
