import { isFinal, isOpened, type Payment, reviewAfterMs } from '../../domain/payment.ts';
import { type EpochMs, hourMs } from '../../domain/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ListedPayment } from '../../ports/processor-calls.ts';
import { ask } from '../ask.ts';

/** The record of a younger payment may still be uncommitted (D27). */
export const minOrphanAgeMs = hourMs;

/** Whether the stored payment has this reference, or none yet. A canceled payment gets none any more. */
export function isKnown(payment: Payment | undefined, item: ListedPayment): boolean {
  if (payment === undefined || !isOpened(payment)) return false;
  const { reference, state } = payment;
  return reference === undefined ? state !== 'canceled' : reference === item.reference;
}

/** Whether the payment's create is unfinished: that create may still record this entry or another. */
export function isBeingOpened(payment: Payment | undefined): boolean {
  return payment !== undefined && !isOpened(payment) && payment.work !== undefined;
}

/**
 * Whether the item is one of several entries of an open payment, and has no reference that names it. Its
 * cancelation would reach the entry that went furthest, whose card may be authorized.
 */
function isUnnamed(payment: Payment | undefined, { reference }: ListedPayment): boolean {
  return payment !== undefined && !isFinal(payment) && reference === undefined;
}

/**
 * Settles an entry at the processor that has no record here.
 * @param payment the payment that its marks name, if that has a record.
 */
export async function settleOrphan(
  ports: Ports,
  item: ListedPayment,
  now: EpochMs,
  payment: Payment | undefined,
): Promise<'canceled' | 'later' | 'orphanCaptured' | 'orphanNotCanceled'> {
  if (item.status === 'captured') return 'orphanCaptured';
  const ageMs = (item.at ?? now) - item.openedAt;
  // By the processor's clock: its record may still be written.
  if (ageMs < minOrphanAgeMs) return 'later';
  const end = isUnnamed(payment, item) ? 'notReached' : await cancelOrphan(ports, item);
  if (end === 'canceled') return 'canceled';
  return end === 'notReached' && ageMs < reviewAfterMs ? 'later' : 'orphanNotCanceled';
}

async function cancelOrphan(
  ports: Ports,
  item: ListedPayment,
): Promise<'canceled' | 'refused' | 'notReached'> {
  const { account, paymentId, reference, openedAt } = item;
  const canceled = await ask(ports, 'cancelPayment', () =>
    ports.processor.cancelPayment({
      account,
      paymentId,
      installation: ports.installation,
      begunAt: openedAt,
      ...(reference !== undefined && { reference }),
      // The processor replays a failure for ever under one key, so each hour has its own key.
      idempotencyKey: `${reference ?? paymentId}:orphan:${Math.floor(ports.clock.now() / hourMs)}`,
    }),
  );
  if (canceled.isOk()) return 'canceled';
  return canceled.error.kind === 'rejected' ? 'refused' : 'notReached';
}
