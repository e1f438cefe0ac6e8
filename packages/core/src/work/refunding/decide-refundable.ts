import { type Dispute, disputedMinor } from '../../domain/dispute.ts';
import { formatMoney } from '../../domain/money.ts';
import type { Fault } from '../../domain/problem.ts';
import { maxListedRefunds, maxRefunds, type Refund, refundedMinor } from '../../domain/refund.ts';
import { conflict } from '../../domain/refusals.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { partsLeft, type TipParts, tipLast } from '../../domain/tip.ts';
import type { RequestedAmount } from '../dues/requested-amount.ts';

/** The captured amount of a payment, with its refunds and disputes. */
export interface CapturedPayment {
  readonly capturedMinor: bigint;
  /** The tip in the captured amount (D48). */
  readonly tipMinor?: bigint;
  /** The payment's. */
  readonly currency: string;
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
}

/** The refundable amount; negative if refunds and disputes together exceed the payment. */
export function refundableMinor(returned: CapturedPayment): bigint {
  const { capturedMinor, refunds, disputes } = returned;
  return capturedMinor - refundedMinor(refunds) - disputedMinor(disputes, returned);
}

/** The owed part and the tip that can be refunded (D48). */
export function refundableParts(returned: CapturedPayment): TipParts {
  return partsLeft(refundableMinor(returned), returned.tipMinor ?? 0n, returned.refunds);
}

/**
 * Decides the amount of a new refund: the requested one, or the full rest (D44). It subtracts all
 * amounts that were refunded, may be refunded, or are withheld by a dispute. The tip goes back last,
 * unless the request says how much of the refund is tip (D48).
 */
export function decideRefundable(
  returned: CapturedPayment,
  requested: RequestedAmount,
): Result<{ readonly amountMinor: bigint; readonly tipMinor: bigint }, Fault<'conflict'>> {
  const { refunds, disputes } = returned;
  // Longer lists are cut, so the rest would be overstated.
  if (refunds.length >= maxListedRefunds) return err(tooMany(refunds.length, 'refunds'));
  if (disputes.length >= maxListedRefunds) return err(tooMany(disputes.length, 'disputes'));
  const leftMinor = refundableMinor(returned);
  const left = refundableParts(returned);
  const { tipMinor = tipLast(requested.amountMinor ?? leftMinor, left) } = requested;
  const { amountMinor = left.owedMinor + tipMinor } = requested;
  const isCovered = tipMinor <= left.tipMinor && amountMinor - tipMinor <= left.owedMinor;
  if (amountMinor <= 0n || !isCovered) return err(exceedsRefundable(leftMinor, left.tipMinor));
  const made = refunds.filter(({ origin }) => origin === 'here').length;
  return made < maxRefunds ? ok({ amountMinor, tipMinor }) : err(tooMany(made, 'refunds'));
}

function exceedsRefundable(leftMinor: bigint, tipMinor: bigint): Fault<'conflict'> {
  const refundable = formatMoney(leftMinor > 0n ? leftMinor : 0n);
  const rest = `Only ${refundable} of this payment can still be refunded`;
  const reason = 'exceedsRefundable';
  if (tipMinor <= 0n) return conflict(reason, `${rest}.`, { refundable });
  const refundableTip = formatMoney(tipMinor);
  return conflict(reason, `${rest}, ${refundableTip} of it as tip.`, { refundable, refundableTip });
}

function tooMany(count: number, records: 'refunds' | 'disputes'): Fault<'conflict'> {
  return conflict('tooManyRefunds', `The payment has ${count} ${records} already.`);
}
