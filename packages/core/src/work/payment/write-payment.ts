import { commit } from '../../call/commit.ts';
import { valueOrReport } from '../../call/report.ts';
import { whyUndue } from '../../domain/dues.ts';
import { type Followed, followLedger, reviewedNow } from '../../domain/follow-ledger.ts';
import {
  noted,
  type Payment,
  type PaymentAtWork,
  type ProcessorPayment,
  type Work,
} from '../../domain/payment.ts';
import { err, ok } from '../../domain/result.ts';
import type { Change } from '../../ports/change.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Written } from '../carry.ts';
import { readDues, withDues } from '../dues/read-dues.ts';
import { backoffMs, giveUp, isSameHolder } from '../lease.ts';
import { changesOf } from './payment-changes.ts';

/** How often a write is repeated after unrelated changes. */
export const maxTries = 8;

/**
 * Writes the result of `become` for a payment. Another change (an event, say) may come first while
 * the work is still ours. Then it applies `become` to the new record, so `become` must be right
 * from any state. If the work is no longer ours, this call was fenced out and writes no change
 * (D20).
 */
export async function writePayment(
  ports: Ports,
  payment: Payment,
  become: (payment: Payment) => Followed,
  alongside: readonly Change[] = [],
): Written<Payment> {
  let before = payment;
  for (let tries = 1; ; tries += 1) {
    const followed = await withDues(ports, before, become(before));
    if (followed.isErr()) return err(followed.error);
    const { after, changes } = changesOf(before, followed.value);
    const written = await commit(ports, [...changes, ...alongside]);
    if (written.isOk()) return ok(await reviewLowered(ports, followed.value, after));
    const { error } = written;
    const isStale =
      error.kind === 'storeConflict' &&
      (error.change === 'updatePayment' || error.change === 'moveLedger');
    if (!isStale || payment.work === undefined || tries === maxTries) return err(error);
    const stored = await ports.store.payments.get(payment.id);
    if (stored.isErr()) return err(stored.error);
    if (stored.value === undefined || !isSameHolder(stored.value, payment.work)) return err(error);
    before = stored.value;
  }
}

export function writeSeen(
  ports: Ports,
  payment: Payment,
  seen: ProcessorPayment,
  cause: string,
  alongside: readonly Change[] = [],
): Written<Payment> {
  const become = (stored: Payment) => followLedger(stored, seen, ports.clock.now(), cause);
  return writePayment(ports, payment, become, alongside);
}

export async function holdPayment(
  ports: Ports,
  payment: Payment,
  work: Work,
): Written<PaymentAtWork> {
  const written = await writePayment(ports, payment, (stored) => ({
    payment: { ...stored, work, nextCheckAt: work.leaseUntil },
    passed: [],
  }));
  return written.map((held) => ({ ...held, work }));
}

/**
 * Releases the work at once, so that the next retry need not wait for the lease (D20).
 * @param provedDead the last attempt was not applied and its key only replays a failure, so the
 * next attempt needs a new key.
 */
export function letGo(
  ports: Ports,
  payment: PaymentAtWork,
  outcome: string,
  provedDead = false,
): Written<Payment> {
  return writePayment(ports, payment, (stored) => {
    const now = ports.clock.now();
    const work = giveUp(payment.work, now, provedDead);
    const entry = { at: now, what: `${work.kind} ${outcome}`, cause: work.kind };
    const freed: Payment = {
      ...stored,
      work,
      nextCheckAt: now + backoffMs(stored.checks),
      checks: stored.checks + 1,
      timeline: noted(stored.timeline, entry),
    };
    return { payment: freed, passed: [] };
  });
}

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
