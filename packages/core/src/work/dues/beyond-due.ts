import { whyUndue } from '../../domain/dues.ts';
import { type Followed, reviewedNow } from '../../domain/follow-ledger.ts';
import type { Payment } from '../../domain/payment.ts';
import { ok, type Result } from '../../domain/result.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { readDues } from './read-dues.ts';

/**
 * Marks a payment for review if another system captured it and the appointment does not owe that
 * much (D43, D76). A capture of ours has reserved its amount, and was compared before it was sent.
 * An unmarked one gets a limit: a capture of ours may be reserved between this read and the write.
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
    const moved = { ...ledger, capturedMinor: ledger.capturedMinor + capturedMinor };
    return whyUndue(payment, { ...stored, ledger: moved }) === undefined
      ? { ...followed, maxCommittedMinor: appointment?.amountDueMinor }
      : { ...followed, payment: reviewedNow(payment, 'capturedBeyondDue', payment.updatedAt) };
  });
}
