import { maxListedPayments } from '../../domain/payment.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { tipIn } from '../../domain/tip.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { type AppointmentLedger, viewLedger } from '../../schemas/appointment-ledger.ts';

/** Reads an appointment's ledger, and the tips of its captured payments where tips are on (D48). */
export async function readLedger(
  ports: Ports,
  appointmentId: string,
): Promise<Result<AppointmentLedger, StoreUnavailable>> {
  const { ledgers, payments } = ports.store;
  const read = await ledgers.get(appointmentId);
  if (read.isErr()) return err(read.error);
  const ledger = read.value;
  if (ports.tips === undefined || ledger.capturedMinor === 0n) return ok(viewLedger(ledger));
  const listed = await payments.listByAppointment(appointmentId, maxListedPayments);
  return listed.map((all) =>
    viewLedger(
      ledger,
      all.reduce((sum, payment) => sum + tipIn(payment, payment.capturedMinor ?? 0n), 0n),
    ),
  );
}
