import type { Business } from '../host/host.ts';
import type { RequestedAmount } from '../payment/find.ts';
import { partsLeft, type TipParts, tipIn, tipLast } from '../payment/tip.ts';
import { conflict, type Fault } from '../problems/problem.ts';
import type { PaymentReturns } from '../share/shares-of.ts';
import { orNothing, sumOf } from '../values/bounds.ts';
import { formatMoney } from '../values/money.ts';
import { err, ok, type Result } from '../values/result.ts';
import { type Dispute, type Disputed, type Held, heldMinor } from './dispute.ts';
import {
  leftReversedMinor,
  maxListedRefunds,
  maxRefunds,
  type Refund,
  refundedMinor,
} from './refund.ts';

// How much of a payment can still be refunded.

/** The captured amount of a payment, with its refunds and disputes. */
interface CapturedPayment {
  readonly capturedMinor: bigint;
  /** The tip in the captured amount, without that in `cashMinor`. */
  readonly tipMinor?: bigint;
  /** Given back in cash, because a refund had failed. */
  readonly cashMinor?: bigint;
  /** The payment's. */
  readonly currency: string;
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
}

/**
 * The refundable amount; negative if refunds and disputes together exceed the payment. A refund in another
 * currency cannot be subtracted, so it counts as the whole payment.
 */
export function refundableMinor(returned: CapturedPayment): bigint {
  const { capturedMinor, currency, refunds, disputes, cashMinor = 0n } = returned;
  const refunded = refundedMinor(refunds, currency) ?? capturedMinor;
  return capturedMinor - refunded - cashMinor - disputedMinor(disputes, returned);
}

/**
 * The part of a payment that its disputes keep from being refunded (D44). An amount in another currency
 * than the payment's cannot be subtracted, so that dispute keeps the whole payment (D45).
 */
export function disputedMinor(disputes: readonly Held[], payment: Disputed): bigint {
  return disputes.reduce((sum, one) => sum + heldMinor(one, payment), 0n);
}

/** The owed part and the tip that can be refunded. */
export function refundableParts(returned: CapturedPayment): TipParts {
  return partsLeft(refundableMinor(returned), returned.tipMinor ?? 0n, returned.refunds);
}

/**
 * Decides the amount of a new refund: the requested one, or the full rest. It subtracts all
 * amounts that were refunded, may be refunded, or are withheld by a dispute. The tip goes back last,
 * unless the request says how much of the refund is tip.
 * @param left what is left of the whole payment, or of the shares that the request names.
 */
export function decideRefundable(
  returned: CapturedPayment,
  requested: RequestedAmount,
  left = refundableParts(returned),
): Result<{ readonly amountMinor: bigint; readonly tipMinor: bigint }, Fault<'conflict'>> {
  const { refunds, disputes } = returned;
  // Longer lists are cut, so the rest would be overstated.
  if (refunds.length >= maxListedRefunds) return err(tooMany(refunds.length, 'refunds'));
  if (disputes.length >= maxListedRefunds) return err(tooMany(disputes.length, 'disputes'));
  const leftMinor = left.owedMinor + left.tipMinor;
  const { tipMinor = tipLast(requested.amountMinor ?? leftMinor, left) } = requested;
  const { amountMinor = left.owedMinor + tipMinor } = requested;
  const isCovered = tipMinor <= left.tipMinor && amountMinor - tipMinor <= left.owedMinor;
  if (amountMinor <= 0n || !isCovered) return err(exceedsRefundable(leftMinor, left.tipMinor));
  const made = refunds.filter(({ origin }) => origin === 'here').length;
  return made < maxRefunds ? ok({ amountMinor, tipMinor }) : err(tooMany(made, 'refunds'));
}

function exceedsRefundable(leftMinor: bigint, tipMinor: bigint): Fault<'conflict'> {
  const refundable = formatMoney(orNothing(leftMinor));
  const rest = `Only ${refundable} of this payment can still be refunded`;
  const reason = 'exceedsRefundable';
  if (tipMinor <= 0n) return conflict(reason, `${rest}.`, { refundable });
  const refundableTip = formatMoney(tipMinor);
  return conflict(reason, `${rest}, ${refundableTip} of it as tip.`, { refundable, refundableTip });
}

function tooMany(count: number, records: 'refunds' | 'disputes'): Fault<'conflict'> {
  return conflict('tooManyRefunds', `The payment has ${count} ${records} already.`);
}

/**
 * Decides whether a new refund reverses the transfer to the business, and returns the platform's fee, by the
 * policy of the payment's business. What a failed refund has left at the platform goes to the customer first,
 * without another reversal. The processor cannot reverse a part only, so a larger refund has to wait (D44).
 */
export function decideReversal(
  { payment, refunds, cash }: PaymentReturns,
  business: Pick<Business, 'refundPolicy'> | undefined,
  amountMinor: bigint,
): Result<Pick<Refund, 'returnsFee' | 'reversesTransfer'>, Fault<'conflict'>> {
  const { returnsFee: returns = false, reversesTransfer = true } = business?.refundPolicy ?? {};
  // Only a payment with a fee can return one.
  const returnsFee = returns && payment.applicationFeeMinor !== undefined;
  const leftMinor = leftReversedMinor(refunds, sumOf(cash).amountMinor);
  if (!reversesTransfer || leftMinor === 0n) return ok({ returnsFee, reversesTransfer });
  // The fee went back with the transfer.
  if (amountMinor <= leftMinor) return ok({ returnsFee: false, reversesTransfer: false });
  const left = formatMoney(leftMinor);
  const detail = `The platform still has ${left} of an earlier refund that failed. Refund ${left} first, then the rest.`;
  return err(conflict('leftReversed', detail, { left, contactlessPaymentId: payment.id }));
}

/** These records with the amounts that limit refunds. */
export function toCaptured({ payment, refunds, disputes, cash }: PaymentReturns): CapturedPayment {
  const { capturedMinor = 0n, currency } = payment;
  const { amountMinor: cashMinor, tipMinor: cashTipMinor } = sumOf(cash);
  const tipMinor = tipIn(payment, capturedMinor) - cashTipMinor;
  return { capturedMinor, tipMinor, cashMinor, currency, refunds, disputes };
}

/** What is left of a payment, if only amounts in its own currency are subtracted. Others cannot be compared. */
export function comparableLeftMinor(returned: PaymentReturns): bigint {
  const { currency } = returned.payment;
  const refunds = returned.refunds.filter((one) => one.currency === currency);
  const disputes = returned.disputes.filter(
    (one) => one.currency === currency && one.bookedIn === currency,
  );
  return refundableMinor(toCaptured({ ...returned, refunds, disputes }));
}
