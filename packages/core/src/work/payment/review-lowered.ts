import { commit } from '../../call/commit.ts';
import { valueOrReport } from '../../call/report.ts';
import { whyUndue } from '../../domain/dues.ts';
import { type Followed, reviewedNow } from '../../domain/follow-ledger.ts';
import type { Payment } from '../../domain/payment.ts';
import type { Ports } from '../../ports/ports.ts';
import { readDues } from '../dues/read-dues.ts';
import { changesOf } from './payment-changes.ts';

/** How often the mark is tried again after another change of the payment. */
const maxMarkings = 8;

/**
 * Compares a capture of another system once more after it was written, because the host may have lowered
 * the amount due since the first comparison. Either this read sees the lowered amount, or the host's read
 * of the ledger sees the capture (D13). A failure is reported to the observer.
 * @param followed was written as `payment`.
 */
export async function reviewLowered(
  ports: Ports,
  { maxCommittedMinor }: Followed,
  payment: Payment,
): Promise<Payment> {
  // Only an unmarked capture of another system was written with this limit.
  if (maxCommittedMinor === undefined) return payment;
  let current: Payment = payment;
  for (let tries = 1; tries <= maxMarkings; tries += 1) {
    const dues = valueOrReport(ports, 'review', await readDues(ports, current));
    if (dues === undefined || whyUndue(current, dues) === undefined) return current;
    const at = ports.clock.now();
    const marked = reviewedNow(current, 'capturedBeyondDue', at);
    if (marked === current) return current;
    const { after, changes } = changesOf(current, { payment: marked, passed: [], reviewedAt: at });
    const written = await commit(ports, changes);
    if (written.isOk()) return after;
    const stored = await ports.store.payments.get(payment.id);
    current = valueOrReport(ports, 'review', stored) ?? current;
  }
  return current;
}
