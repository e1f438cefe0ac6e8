import { readAppointment } from '../../call/access.ts';
import { dueMinorFor, ledgerIdOf } from '../../domain/charge.ts';
import { type Dues, whyUndue } from '../../domain/dues.ts';
import { type Followed, reviewedNow } from '../../domain/follow-ledger.ts';
import type { Payment } from '../../domain/payment.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { tipIn } from '../../domain/tip.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';

/**
 * Reads the records that a payment's capture is compared with. They must be read after the
 * reservation has committed. Then either this read sees a lowered amount, or the host that lowered
 * it sees the reservation (D13).
 */
export async function readDues(
  ports: Ports,
  payment: Payment,
): Promise<Result<Dues, StoreUnavailable>> {
  const { appointment, businessId } = payment;
  const { businesses, ledgers } = ports.store;
  const [found, ledger, business] = await Promise.all([
    readAppointment(ports, appointment.id),
    ledgers.get(ledgerIdOf(payment)),
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

/**
 * Marks a payment for review if another system captured it and the appointment does not owe that
 * much (D43, D76). A capture of ours has reserved its amount, and was compared before it was sent.
 * The write of an unmarked capture gets a limit, because a capture of ours may be reserved meanwhile.
 */
export async function withDues(
  ports: Ports,
  before: Payment,
  followed: Followed,
): Promise<Result<Followed, StoreUnavailable>> {
  const { payment, capturedMinor } = followed;
  if (capturedMinor === undefined || before.reserved) return ok(followed);
  const dues = await readDues(ports, payment);
  return dues.map((stored) => {
    const { appointment, ledger } = stored;
    // Reservations count, because their captures may have been sent.
    const owedMinor = capturedMinor - tipIn(payment, capturedMinor);
    const moved = { ...ledger, capturedMinor: ledger.capturedMinor + owedMinor };
    return whyUndue(payment, { ...stored, ledger: moved }) === undefined
      ? { ...followed, maxCommittedMinor: appointment && dueMinorFor(payment, appointment) }
      : { ...followed, payment: reviewedNow(payment, 'capturedBeyondDue', payment.updatedAt) };
  });
}
