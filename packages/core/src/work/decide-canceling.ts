import { followLedger, type ProcessorPayment } from '../domain/follow-ledger.ts';
import type { CancelCause, Payment, Work } from '../domain/payment.ts';
import type { Result } from '../domain/result.ts';
import type { EpochMs } from '../domain/time.ts';
import type { ProcessorError } from '../ports/processor.ts';
import { provesDead } from './ask.ts';

type ReadResult = Result<ProcessorPayment | undefined, ProcessorError>;

/** What is known while a payment is being canceled at the processor. */
export interface CancelSeen {
  readonly before?: ReadResult | undefined;
  /** The reply to the request that cancels it, once sent. */
  readonly canceled?: ReadResult | undefined;
  /** What the processor shows after a request that failed, once read. */
  readonly after?: ReadResult | undefined;
}

/** How a cancelation ends. */
export type CancelEnd =
  /** The processor shows it captured or canceled: record that. */
  | { readonly next: 'record'; readonly seen: ProcessorPayment }
  /** A card was presented after all: the authorization has a time limit of its own (D65). */
  | { readonly next: 'keep'; readonly seen: ProcessorPayment }
  | { readonly next: 'unknown'; readonly provedDead: boolean };

type CancelNext =
  | CancelEnd
  | { readonly next: 'readBefore' }
  | { readonly next: 'cancel' }
  | { readonly next: 'readAfter' };

/** Decides what to do next for a payment whose cancelation is durable (D17). */
export function decideCanceling(
  payment: Payment & { readonly work: Work },
  { before, canceled, after }: CancelSeen,
  now: EpochMs,
): CancelNext {
  if (before === undefined) return { next: 'readBefore' };
  if (before.isErr()) return unknown(false);
  const seen = before.value;
  if (isOver(seen)) return { next: 'record', seen };
  if (seen !== undefined && mayBeKept(payment, seen, now)) return { next: 'keep', seen };
  if (canceled === undefined) return { next: 'cancel' };
  if (canceled.isOk()) {
    // That the processor has no such payment does not prove that it was never captured (D13).
    if (canceled.value === undefined && payment.reserved) return unknown(true);
    return { next: 'record', seen: canceled.value ?? absent(payment) };
  }
  if (after === undefined) return { next: 'readAfter' };
  if (after.isErr()) return unknown(false);
  return isOver(after.value)
    ? { next: 'record', seen: after.value }
    : unknown(provesDead(canceled.error));
}

function unknown(provedDead: boolean): CancelEnd {
  return { next: 'unknown', provedDead };
}

function isOver(seen: ProcessorPayment | undefined): seen is ProcessorPayment {
  return seen?.status === 'captured' || seen?.status === 'canceled';
}

/** An expiry keeps an authorization whose own time limit has not passed, whoever saw it first. */
function mayBeKept(
  payment: Payment & { readonly work: Work },
  seen: ProcessorPayment,
  now: EpochMs,
): boolean {
  if (seen.status !== 'authorized' || causeOf(payment.work) !== 'expired') return false;
  return now < followLedger(payment, seen, now, 'expired').payment.expiresAt;
}

/** A payment that the processor does not have can no longer be captured: it counts as canceled. */
function absent({ account, currency, amountMinor }: Payment): ProcessorPayment {
  return { status: 'canceled', account, currency, amountMinor, clientSecret: '' };
}

/** Why a cancelation was begun. */
export function causeOf({ cause = 'requested' }: Work): CancelCause {
  return cause;
}
