import { type Followed, reviewedNow } from '../../domain/follow-ledger.ts';
import type { Payment } from '../../domain/payment.ts';
import { ok, type Result } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { readDues } from './read-dues.ts';

/**
 * Marks a payment for review if another system captured it and the appointment does not owe that
 * much (D43, D76). A capture of ours has reserved its amount, and was compared before it was sent.
 */
export async function withDues(
  ports: Ports,
  before: Payment,
  followed: Followed,
): Promise<Result<Followed, StoreUnavailable>> {
  const { payment, capturedMinor } = followed;
  if (capturedMinor === undefined || before.reserved) return ok(followed);
  const dues = await readDues(ports, payment);
  return dues.map(({ appointment, ledger }) => {
    // Reservations count, because their captures may have been sent.
    const committedMinor = ledger.capturedMinor + ledger.reservedMinor + capturedMinor;
    if (committedMinor <= (appointment?.amountDueMinor ?? 0n)) return followed;
    const marked = reviewedNow(payment, 'capturedBeyondDue', payment.updatedAt);
    return { ...followed, payment: marked };
  });
}
