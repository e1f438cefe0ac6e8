import { isOverdue } from '../../domain/follow-ledger.ts';
import type {
  CancelCause,
  Payment,
  PaymentAtWork,
  ProcessorPayment,
  Work,
} from '../../domain/payment.ts';
import type { Result } from '../../domain/result.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { ProcessorError } from '../../ports/processor-calls.ts';
import { type LeftUnknown, leftUnknown, provesDead } from '../ask.ts';

type ReadResult = Result<ProcessorPayment | undefined, ProcessorError>;

/** The facts known while a payment is being canceled at the processor. */
export interface CancelSeen {
  /** The processor's entry before the request, once read. */
  readonly before?: ReadResult | undefined;
  /** The reply to the cancel request, once sent. */
  readonly sent?: ReadResult | undefined;
  /** The processor's entry after a failed request, once read. */
  readonly after?: ReadResult | undefined;
}

export type CancelEnd =
  /** The processor shows it captured or canceled: record that. */
  | { readonly next: 'record'; readonly seen: ProcessorPayment }
  /**
   * Its deadline has not passed: a card was presented late (D17), or the node's clock was ahead
   * (D42).
   */
  | { readonly next: 'keep'; readonly seen: ProcessorPayment }
  | LeftUnknown;

type CancelNext = CancelEnd | { readonly next: 'readBefore' | 'send' | 'readAfter' };

/**
 * Decides the next step for a payment whose cancelation is durable (D17).
 * @param at the time by which its age is measured (D42).
 */
export function decideCanceling(
  payment: PaymentAtWork,
  { before, sent, after }: CancelSeen,
  at: EpochMs,
): CancelNext {
  if (before === undefined) return { next: 'readBefore' };
  if (before.isErr()) return leftUnknown(false);
  const seen = before.value;
  if (hasEnded(seen)) return { next: 'record', seen };
  if (seen !== undefined && mayBeKept(payment, seen, at)) return { next: 'keep', seen };
  if (sent === undefined) return { next: 'send' };
  if (sent.isOk()) {
    // A payment that the processor does not show may still have been captured (D13).
    if (sent.value === undefined && payment.reserved) return leftUnknown(true);
    return { next: 'record', seen: sent.value ?? absent(payment) };
  }
  if (after === undefined) return { next: 'readAfter' };
  if (after.isErr()) return leftUnknown(false);
  return hasEnded(after.value)
    ? { next: 'record', seen: after.value }
    : leftUnknown(provesDead(sent.error));
}

/** Whether the processor shows it captured or canceled. */
export function hasEnded(
  seen: ProcessorPayment | undefined,
): seen is ProcessorPayment & { readonly status: 'captured' | 'canceled' } {
  return seen?.status === 'captured' || seen?.status === 'canceled';
}

/**
 * An expiry keeps a payment whose deadline has not passed, even if another call saw its
 * authorization first.
 */
function mayBeKept(payment: PaymentAtWork, seen: ProcessorPayment, at: EpochMs): boolean {
  return causeOf(payment.work) === 'expired' && !isOverdue(payment, seen, at);
}

/**
 * A payment that the processor does not know can no longer be captured, so it counts as canceled.
 */
function absent({ account, currency, amountMinor }: Payment): ProcessorPayment {
  return { status: 'canceled', account, currency, amountMinor, clientSecret: '' };
}

export function causeOf({ cause = 'requested' }: Work): CancelCause {
  return cause;
}
