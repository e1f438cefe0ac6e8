import { type Followed, followLedger, isOverdue, isPartial } from '../../domain/follow-ledger.ts';
import { formatMoney } from '../../domain/money.ts';
import type { Payment, ProcessorPayment } from '../../domain/payment.ts';
import type { FaultOf } from '../../domain/problem.ts';
import { conflict } from '../../domain/refusals.ts';
import type { EpochMs } from '../../domain/time.ts';
import { notCapturable } from '../faults.ts';

export type RefusalFault = FaultOf<
  'conflict' | 'contactlessPaymentCanceled' | 'contactlessPaymentDeclined'
>;

/** The consequence of a ledger entry for a capture that was not sent yet. */
export type PresentedNext =
  | { readonly next: 'capture'; readonly followed: Followed }
  | { readonly next: 'release'; readonly cause: 'partiallyAuthorized' | 'expired' }
  | { readonly next: 'refuse'; readonly followed: Followed; readonly fault: RefusalFault };

/**
 * Decides whether a payment can be captured now, from the processor's entry (D16, D17).
 * @param at the time by which its age is measured (D42).
 */
export function decidePresented(
  payment: Payment,
  seen: ProcessorPayment,
  now: EpochMs,
  at: EpochMs,
): PresentedNext {
  const followed = followLedger(payment, seen, now, 'capture');
  // A capture may have been sent already; then only its own end counts (D13).
  if (payment.reserved) return { next: 'capture', followed };
  if (isPartial(payment, seen)) return { next: 'release', cause: 'partiallyAuthorized' };
  const isOver = followed.payment.state === 'canceled';
  if (!isOver && isOverdue(payment, seen, at)) {
    return { next: 'release', cause: 'expired' };
  }
  if (!isSame(payment, seen)) return { next: 'refuse', followed, fault: differs(seen) };
  return seen.status === 'authorized'
    ? { next: 'capture', followed }
    : { next: 'refuse', followed, fault: notCapturable(payment, seen) };
}

/** Whether the processor would charge what the payment says. */
export function isSame(payment: Payment, seen: ProcessorPayment): boolean {
  return (
    seen.amountMinor === payment.amountMinor &&
    seen.currency === payment.currency &&
    seen.account === payment.account &&
    hasSameFee(payment, seen) &&
    hasSameTip(payment, seen)
  );
}

/** A processor that shows no fees takes none, so there is nothing to compare. */
function hasSameFee({ applicationFeeMinor = 0n }: Payment, seen: ProcessorPayment): boolean {
  return (seen.applicationFeeMinor ?? applicationFeeMinor) === applicationFeeMinor;
}

/** A tip that a reader added was not agreed with this service (D48). */
function hasSameTip({ tipMinor = 0n }: Payment, seen: ProcessorPayment): boolean {
  return (seen.tipMinor ?? tipMinor) === tipMinor;
}

function differs({ amountMinor }: ProcessorPayment): RefusalFault {
  return conflict(
    'differsAtProcessor',
    'The processor shows another amount, currency, account or fee.',
    { amount: formatMoney(amountMinor) },
  );
}
