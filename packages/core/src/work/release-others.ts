import { remainingMinor } from '../domain/appointment.ts';
import { isFinal, isOpened, maxListedPayments } from '../domain/payment.ts';
import type { Ports } from '../ports/ports.ts';
import { cancel } from './canceling.ts';

/**
 * Gives up the appointment's open payments once nothing remains to be paid (D13). It need not
 * succeed: what it leaves, `reconcile` meets again.
 */
export async function releaseOthers(ports: Ports, appointmentId: string): Promise<void> {
  const { appointments, ledgers, payments } = ports.store;
  const ledger = await ledgers.get(appointmentId);
  if (ledger.isErr() || ledger.value.openPayments === 0) return;
  const found = await appointments.get(appointmentId);
  const appointment = found.unwrapOr(undefined) ?? undefined; // a host's database may answer `null`
  if (appointment === undefined || remainingMinor(appointment, ledger.value) > 0n) return;
  const listed = await payments.listByAppointment(appointmentId, maxListedPayments);
  for (const payment of listed.unwrapOr([])) {
    if (isFinal(payment) || !isOpened(payment)) continue;
    const released = await cancel(ports, payment, 'appointmentPaid');
    if (released.isErr()) return;
  }
}
