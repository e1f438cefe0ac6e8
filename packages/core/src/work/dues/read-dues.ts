import { readAppointment } from '../../call/access.ts';
import type { Dues } from '../../domain/dues.ts';
import type { Payment } from '../../domain/payment.ts';
import { err, type Result } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';

/**
 * Reads the records that a payment's capture is compared with. They must be read after the
 * reservation has committed. Then either this read sees a lowered amount, or the host that lowered
 * it sees the reservation (D13).
 */
export async function readDues(
  ports: Ports,
  { appointment, businessId }: Payment,
): Promise<Result<Dues, StoreUnavailable>> {
  const { businesses, ledgers } = ports.store;
  const [found, ledger, business] = await Promise.all([
    readAppointment(ports, appointment.id),
    ledgers.get(appointment.id),
    businesses.get(businessId),
  ]);
  if (found.isErr()) return err(found.error);
  if (ledger.isErr()) return err(ledger.error);
  const current = found.value;
  // For a moved appointment, the currency of its present business counts.
  const isMoved = current !== undefined && current.businessId !== businessId;
  const owner = isMoved ? await businesses.get(current.businessId) : business;
  // A host's own database may return `null`.
  return owner.map((business) => ({
    appointment: current,
    ledger: ledger.value,
    business: business ?? undefined,
  }));
}
