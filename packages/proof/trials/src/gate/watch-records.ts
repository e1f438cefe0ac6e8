import { type Appointment, type Business, minuteMs } from '@chairside/core';
import type { Commit, Tender } from '@chairside/core/ports';
import type { Evidence } from '../check/evidence.ts';
import { feesOf } from '../check/ledger-name.ts';
import { cashOf, keptMinor } from '../check/tendered.ts';
import { minor } from '../minor.ts';
import { entryOf, type Gate, type Task } from './gate.ts';
import type { CaptureWatch } from './watch-captures.ts';
import { givenMinor, noteReturned } from './watch-refunds.ts';

/** Follows the host's writes of appointments and businesses, and the begun payments. */
export function watchRecords(
  { evidence, scheduler, gone }: Gate,
  task: Task,
  { changes }: Commit,
): void {
  for (const change of changes) {
    const moment = scheduler.nextMoment();
    const at = scheduler.clock.now();
    if (change.kind === 'putAppointment') {
      gone.delete(change.appointment.id);
      noteAppointment(evidence, change.appointment, at, moment);
    }
    if (change.kind === 'putBusiness') noteBusiness(evidence, change.business, at, moment);
    if (change.kind === 'updatePayment' && change.payment.authorizedAt !== undefined) {
      evidence.authorized.add(change.payment.id);
    }
    if (change.kind === 'updatePayment') {
      const { id, state, clientSecret } = change.payment;
      const isFirst = state === 'captured' && !evidence.recorded.has(id);
      if (isFirst) evidence.recorded.set(id, moment);
      if (state === 'canceled' && clientSecret === undefined) evidence.closed.add(id);
    }
    if (change.kind === 'insertPayment') {
      evidence.begun.set(change.payment.id, change.payment);
      evidence.begunAt.set(change.payment.id, at);
      evidence.begunIn.set(change.payment.id, { from: task.since(), moment });
    }
  }
}

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
    const snapshots = appointments.get(name) ?? [];
    const about = { barberId: barber.id, businessId, customerId, occursOn };
    snapshots.push({ at, moment, dueMinor, ...about });
    appointments.set(name, snapshots);
  }
}

/** Records that the host removed an appointment: it owes zero and has no barber. */
export function noteRemoval({ evidence, scheduler, gone }: Gate, id: string): void {
  gone.add(id);
  const [at, moment] = [scheduler.clock.now(), scheduler.nextMoment()];
  for (const name of [id, feesOf(id)]) {
    const snapshots = evidence.appointments.get(name) ?? [];
    snapshots.push({ at, moment, dueMinor: 0n, barberId: '', businessId: '', isGone: true });
    evidence.appointments.set(name, snapshots);
  }
}

export function noteBusiness(
  { businesses }: Evidence,
  { id, processorAccount, applicationFee }: Business,
  at: number,
  moment: number,
): void {
  const snapshots = businesses.get(id) ?? [];
  const { id: account, currency } = processorAccount ?? {};
  snapshots.push({ at, moment, account, currency, basisPoints: applicationFee?.basisPoints ?? 0 });
  businesses.set(id, snapshots);
}

/** Follows the terminals: at most one has a device at a time (D6). */
export function watchTerminalWrites(
  { evidence, scheduler }: Gate,
  action: number,
  { changes }: Commit,
): void {
  const { terminals, faults } = evidence;
  for (const change of changes) {
    if (change.kind === 'insertTerminal') {
      const { terminal } = change;
      const { id, deviceIdentifier } = terminal;
      for (const other of terminals.values()) {
        if (other.gone !== undefined || other.terminal.deviceIdentifier !== deviceIdentifier)
          continue;
        const what = `${deviceIdentifier} is registered as ${other.terminal.id} and as ${id}`;
        faults.push({ rule: 'terminals', what });
      }
      terminals.set(id, { terminal, action, registered: scheduler.nextMoment() });
    }
    if (change.kind === 'deleteTerminal') {
      const trail = terminals.get(change.id);
      if (trail !== undefined) trail.gone = { moment: scheduler.nextMoment(), action };
    }
  }
}

/** A process may stand still between the reading of its clock and the write. */
const standstillMs = 3 * minuteMs;

/** Follows what was paid without a card and went back, and reports more than was taken (D202). */
export async function watchTenderWrites(
  gate: Gate,
  watch: CaptureWatch,
  { changes }: Commit,
): Promise<void> {
  const { evidence, scheduler } = gate;
  const fault = (what: string) => evidence.faults.push({ rule: 'refunded', what });
  for (const change of changes) {
    if (change.kind !== 'insertTender') continue;
    const { tender: act } = change;
    const { id, tenderId, paymentId, amountMinor } = act;
    const moment = scheduler.nextMoment();
    const { dueMinor = 0n } = watch.compared.get(act.appointmentId) ?? {};
    if (tenderId !== undefined) {
      const leftMinor = keptMinor(evidence, tenderId);
      // A void takes back all of a tender, of which nothing went back.
      if (amountMinor > leftMinor || (act.act === 'void' && amountMinor < leftMinor))
        fault(`${act.act} ${id} of ${amountMinor}: ${leftMinor} of ${tenderId} were left`);
    }
    evidence.tenders.set(id, { act, moment, dueMinor });
    if (paymentId !== undefined) {
      noteReturned(gate, paymentId);
      await checkCash(gate, act, paymentId);
    }
    if (Math.abs(scheduler.clock.now() - act.at) > standstillMs) {
      const what = `${id} stands ${act.at - scheduler.clock.now()} ms from its commit`;
      evidence.faults.push({ rule: 'agree', what });
    }
  }
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
