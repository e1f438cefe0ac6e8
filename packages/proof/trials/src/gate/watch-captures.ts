import type { Appointment } from '@chairside/core';
import type { CapturePaymentRequest, Change, Payment, Tender } from '@chairside/core/ports';
import type { LedgerSnapshot, Take } from '../check/evidence.ts';
import { broughtMinor, during, feesOf, ledgerNameOf } from '../check/readings.ts';
import type { Gate, Task } from './gate.ts';

interface Compared {
  readonly moment: number;
  readonly dueMinor: bigint;
  readonly customerId?: string | undefined;
}

/** One task's reads, writes and requests that matter for a capture. */
export interface CaptureWatch {
  /** By appointment, the amount due and the customer at the last read. */
  readonly compared: Map<string, Compared>;
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
  const { noShowFeeMinor = 0n, isMissed = false, customerId } = appointment ?? {};
  const moment = scheduler.nextMoment();
  watch.compared.set(id, { moment, dueMinor, customerId });
  const feeMinor = isMissed ? noShowFeeMinor : 0n;
  watch.compared.set(feesOf(id), { moment, dueMinor: feeMinor, customerId });
}

/** The core's knowledge when it made the call, which may arrive much later. */
export type SentCapture = Pick<Take, 'touchedAt' | 'comparedAt' | 'dueMinor'>;

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
  watchChargeSent(gate, watch, { paymentId });
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

/** A charge is sent only for the customer that its appointment had just then (D49). */
export function watchChargeSent(
  { evidence }: Gate,
  watch: CaptureWatch,
  { paymentId }: Pick<CapturePaymentRequest, 'paymentId'>,
): void {
  const begun = evidence.begun.get(paymentId);
  if (begun?.charge === undefined) return;
  const { customerId, isForOneVisit = false } = begun.charge;
  const compared = watch.compared.get(ledgerNameOf(begun));
  const isLate = (compared?.moment ?? 0) <= (watch.touched.get(paymentId) ?? 0);
  const present = compared?.customerId ?? (isForOneVisit ? customerId : undefined);
  const isMerged = evidence.merging.some(({ from }) => from === customerId);
  if (isLate || (present !== customerId && !isMerged)) {
    const what = `${paymentId} of ${customerId} was sent for the visit of ${present}`;
    evidence.faults.push({ rule: 'charged', what });
  }
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

/** Follows the ledgers of appointments. */
export function noteMove(
  gate: Gate,
  task: Task,
  change: Extract<Change, { kind: 'moveLedger' }>,
): void {
  noteLedger(gate, { ...change, tenderedMinor: 0n });
  if (change.reservedMinor > 0n) checkReserved(gate, task, change.appointmentId);
}

/** The same for what was paid without a card. What goes back changes nothing that is owed. */
export function noteTendered(gate: Gate, task: Task, tender: Tender): void {
  if (tender.act === 'return') return;
  noteLedger(gate, { ...tender, ...noCard, tenderedMinor: broughtMinor(tender) });
  if (tender.act === 'record') checkReserved(gate, task, tender.appointmentId);
}

/** Notes why a payment is given up when that is first written. */
export function noteRelease({ evidence, scheduler }: Gate, task: Task, payment: Payment): void {
  const { id, work } = payment;
  const cause = work?.kind === 'cancel' ? work.cause : undefined;
  if (cause !== undefined && cause !== evidence.releasing.get(id)) {
    const moment = scheduler.nextMoment();
    evidence.releases.push({ payment, cause, from: task.since(), moment });
  }
  if (cause === undefined) evidence.releasing.delete(id);
  else evidence.releasing.set(id, cause);
}

const noCard = { reservedMinor: 0n, capturedMinor: 0n };
const empty: LedgerSnapshot = { moment: 0, ...noCard, tenderedMinor: 0n };

type Move = Omit<LedgerSnapshot, 'moment'> & { readonly appointmentId: string };

const committedMinor = (of: Omit<Move, 'appointmentId'>) =>
  of.reservedMinor + of.capturedMinor + of.tenderedMinor;

function noteLedger({ evidence, scheduler }: Gate, change: Move): void {
  const snapshots = evidence.ledgers.get(change.appointmentId) ?? [empty];
  const before = snapshots.at(-1) ?? empty;
  const after = {
    moment: scheduler.nextMoment(),
    reservedMinor: before.reservedMinor + change.reservedMinor,
    capturedMinor: before.capturedMinor + change.capturedMinor,
    tenderedMinor: before.tenderedMinor + change.tenderedMinor,
  };
  const held = committedMinor(before) > 0n ? before.currency : change.currency;
  const isHeld = committedMinor(after) > 0n && held !== undefined;
  snapshots.push({ ...after, ...(isHeld && { currency: held }) });
  evidence.ledgers.set(change.appointmentId, snapshots);
}

/** Captured, reserved and tendered together never exceed what is due, as it was read just before (D13, D202). */
function checkReserved({ evidence, scheduler }: Gate, task: Task, appointment: string): void {
  const ledger = evidence.ledgers.get(appointment)?.at(-1) ?? empty;
  const wholeMinor = committedMinor(ledger);
  const snapshots = evidence.appointments.get(appointment) ?? [];
  const dues = during(snapshots, task.since(), scheduler.nextMoment()).map(
    (snapshot) => snapshot.dueMinor,
  );
  if (dues.some((dueMinor) => wholeMinor <= dueMinor)) return;
  const what = `${wholeMinor} of ${appointment} are captured, reserved and tendered, of ${dues} due`;
  evidence.faults.push({ rule: 'charged', what });
}
