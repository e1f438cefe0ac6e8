import { type Appointment, type Business, minuteMs } from '@chairside/core';
import type { Tender, Terminal } from '@chairside/core/ports';
import type { Evidence } from '../check/evidence.ts';
import { append, cashOf, feesOf, keptMinor, minor } from '../check/readings.ts';
import { entryOf, type Gate, type Task } from './gate.ts';
import { type CaptureWatch, noteTendered } from './watch-captures.ts';
import { givenMinor, noteReturned } from './watch-refunds.ts';

export function noteAppointment(
  { appointments }: Evidence,
  {
    id,
    amountDueMinor,
    businessId,
    barber,
    customerId,
    occursOn,
    noShowFeeMinor = 0n,
    isMissed,
  }: Appointment,
  at: number,
  moment: number,
): void {
  const feeMinor = isMissed === true ? noShowFeeMinor : 0n;
  for (const [name, dueMinor] of [
    [id, amountDueMinor],
    [feesOf(id), feeMinor],
  ] as const) {
    const about = { barberId: barber.id, businessId, customerId, occursOn };
    append(appointments, name, { at, moment, dueMinor, ...about });
  }
}

/** Records that the host removed an appointment: it owes zero and has no barber. */
export function noteRemoval({ evidence, scheduler, gone }: Gate, id: string): void {
  gone.add(id);
  const [at, moment] = [scheduler.clock.now(), scheduler.nextMoment()];
  const removed = { dueMinor: 0n, barberId: '', businessId: '', isGone: true } as const;
  for (const name of [id, feesOf(id)]) {
    append(evidence.appointments, name, { at, moment, ...removed });
  }
}

export function noteBusiness(
  { businesses }: Evidence,
  { id, processorAccount, applicationFee }: Business,
  at: number,
  moment: number,
): void {
  const { id: account, currency } = processorAccount ?? {};
  const { basisPoints = 0 } = applicationFee ?? {};
  append(businesses, id, { at, moment, account, currency, basisPoints });
}

/** At most one terminal has a device at a time (D6). */
export function noteTerminal(
  { evidence, scheduler }: Gate,
  { action }: Task,
  terminal: Terminal,
): void {
  const { terminals, faults } = evidence;
  const { id, deviceIdentifier } = terminal;
  for (const { gone, terminal: other } of terminals.values()) {
    if (gone !== undefined || other.deviceIdentifier !== deviceIdentifier) continue;
    const what = `${deviceIdentifier} is registered as ${other.id} and as ${id}`;
    faults.push({ rule: 'terminals', what });
  }
  terminals.set(id, { terminal, action, registered: scheduler.nextMoment() });
}

export function noteTerminalRemoval(
  { evidence, scheduler }: Gate,
  { action }: Task,
  id: string,
): void {
  const trail = evidence.terminals.get(id);
  if (trail !== undefined) trail.gone = { moment: scheduler.nextMoment(), action };
}

/** A process may stand still between the reading of its clock and the write. */
export const standstillMs = 3 * minuteMs;

/** Follows what was paid without a card and went back, and reports more than was taken (D202). */
export async function noteTender(
  gate: Gate,
  task: Task,
  watch: CaptureWatch,
  act: Tender,
): Promise<void> {
  const { evidence, scheduler } = gate;
  noteTendered(gate, task, act);
  const { id, tenderId, paymentId, amountMinor } = act;
  const moment = scheduler.nextMoment();
  const { dueMinor = 0n } = watch.compared.get(act.appointmentId) ?? {};
  if (tenderId !== undefined) {
    const leftMinor = keptMinor(evidence, tenderId);
    // A void takes back all of a tender, of which nothing went back.
    if (amountMinor > leftMinor || (act.act === 'void' && amountMinor < leftMinor)) {
      const what = `${act.act} ${id} of ${amountMinor}: ${leftMinor} of ${tenderId} were left`;
      evidence.faults.push({ rule: 'refunded', what });
    }
  }
  evidence.tenders.set(id, { act, moment, dueMinor });
  if (paymentId !== undefined) {
    noteReturned(gate, paymentId);
    await checkCash(gate, act, paymentId);
  }
  const lateMs = act.at - scheduler.clock.now();
  const mayStop = evidence.plan.faults.some(({ kind }) => kind === 'stopsAfter');
  if (Math.abs(lateMs) <= standstillMs || mayStop) return;
  evidence.faults.push({ rule: 'agree', what: `${id} stands ${lateMs} ms from its commit` });
}

/** Cash stands in for a refund that failed, and all that goes back is at most what was captured. */
async function checkCash(gate: Gate, { id }: Tender, paymentId: string): Promise<void> {
  const { evidence } = gate;
  const capturedMinor = minor((await entryOf(gate, paymentId))?.amountCaptured ?? '0.00');
  const backMinor = givenMinor(gate, paymentId);
  const hasFailed = [...evidence.refunds.values()].some(
    ({ stored, isWithdrawn }) =>
      stored.paymentId === paymentId && (isWithdrawn === true || stored.state === 'failed'),
  );
  if (backMinor <= capturedMinor && hasFailed) return;
  const what = `${id}: ${backMinor} of ${paymentId} went back, ${cashOf(evidence, paymentId)} in cash, of ${capturedMinor}`;
  evidence.faults.push({ rule: 'refunded', what });
}
