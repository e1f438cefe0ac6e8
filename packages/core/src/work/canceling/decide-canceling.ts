import { isOverdue } from '../../domain/follow-ledger.ts';
import type { CancelCause, Payment, Work } from '../../domain/payment.ts';
import type { ProcessorPayment } from '../../domain/processor-payment.ts';
import type { Result } from '../../domain/result.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { ProcessorError } from '../../ports/processor-calls.ts';
import { provesDead } from '../ask.ts';

type ReadResult = Result<ProcessorPayment | undefined, ProcessorError>;

/** The facts known while a payment is being canceled at the processor. */
export interface CancelSeen {
  readonly before?: ReadResult | undefined;
  /** The reply to the cancel request, once sent. */
  readonly canceled?: ReadResult | undefined;
  /** The processor's entry after a failed request, once read. */
  readonly after?: ReadResult | undefined;
}

/** How a cancelation ends. */
export type CancelEnd =
  /** The processor shows it captured or canceled: record that. */
  | { readonly next: 'record'; readonly seen: ProcessorPayment }
  /**
   * Its deadline has not passed: a card was presented late (D65), or the node's clock was ahead
   * (D42).
   */
  | { readonly next: 'keep'; readonly seen: ProcessorPayment }
  | { readonly next: 'unknown'; readonly provedDead: boolean };

type CancelNext =
  | CancelEnd
  | { readonly next: 'readBefore' }
  | { readonly next: 'cancel' }
  | { readonly next: 'readAfter' };

/**
 * Decides the next step for a payment whose cancelation is durable (D17).
 * @param at the time by which its age is measured (D42).
 */
export function decideCanceling(
  payment: Payment & { readonly work: Work },
  { before, canceled, after }: CancelSeen,
  at: EpochMs,
): CancelNext {
  if (before === undefined) return { next: 'readBefore' };
  if (before.isErr()) return cancelUnknown(false);
  const seen = before.value;
  if (isOver(seen)) return { next: 'record', seen };
  if (seen !== undefined && mayBeKept(payment, seen, at)) return { next: 'keep', seen };
  if (canceled === undefined) return { next: 'cancel' };
  if (canceled.isOk()) {
    // A payment that the processor does not show may still have been captured (D13).
    if (canceled.value === undefined && payment.reserved) return cancelUnknown(true);
    return { next: 'record', seen: canceled.value ?? absent(payment) };
  }
  if (after === undefined) return { next: 'readAfter' };
  if (after.isErr()) return cancelUnknown(false);
  return isOver(after.value)
    ? { next: 'record', seen: after.value }
    : cancelUnknown(provesDead(canceled.error));
}

function cancelUnknown(provedDead: boolean): CancelEnd {
  return { next: 'unknown', provedDead };
}

function isOver(seen: ProcessorPayment | undefined): seen is ProcessorPayment {
  return seen?.status === 'captured' || seen?.status === 'canceled';
}

/**
 * An expiry keeps a payment whose deadline has not passed, even if another call saw its
 * authorization first.
 */
function mayBeKept(
  payment: Payment & { readonly work: Work },
  seen: ProcessorPayment,
  at: EpochMs,
): boolean {
  return causeOf(payment.work) === 'expired' && !isOverdue(payment, seen, at);
}

/**
 * A payment that the processor does not know can no longer be captured, so it counts as canceled.
 */
function absent({ account, currency, amountMinor }: Payment): ProcessorPayment {
  return { status: 'canceled', account, currency, amountMinor, clientSecret: '' };
}

/** The cause of a cancelation. */
export function causeOf({ cause = 'requested' }: Work): CancelCause {
  return cause;
}
