import { remainingMinor } from '../../domain/appointment.ts';
import { isFinal, isOpened, maxListedPayments } from '../../domain/payment.ts';
import type { Ports } from '../../ports/ports.ts';
import { cancel } from './canceling.ts';

/**
 * Cancels the appointment's open payments once no amount remains due (D13). It may fail:
 * `reconcile` cancels the rest.
 */
export async function releaseOthers(ports: Ports, appointmentId: string): Promise<void> {
  const { appointments, ledgers, payments } = ports.store;
  const ledger = await ledgers.get(appointmentId);
  if (ledger.isErr() || ledger.value.openPayments === 0) return;
  const found = await appointments.get(appointmentId);
  const appointment = found.unwrapOr(undefined) ?? undefined; // a host's database may return `null`
  if (appointment === undefined || remainingMinor(appointment, ledger.value) > 0n) return;
  const listed = await payments.listByAppointment(appointmentId, maxListedPayments);
  for (const payment of listed.unwrapOr([])) {
    if (isFinal(payment) || !isOpened(payment)) continue;
    const released = await cancel(ports, payment, 'appointmentPaid');
    if (released.isErr()) return;
  }
}
