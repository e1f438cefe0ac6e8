import type { Appointment, Business } from '@chairside/core';
import type { Commit } from '@chairside/core/ports';
import type { Evidence } from '../check/evidence.ts';
import { feesOf } from '../check/ledger-name.ts';
import type { Gate, Task } from './gate.ts';

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
