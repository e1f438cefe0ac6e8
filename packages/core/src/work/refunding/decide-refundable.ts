import { type Dispute, disputedMinor } from '../../domain/dispute.ts';
import { formatMoney } from '../../domain/money.ts';
import { type Fault, fault } from '../../domain/problem.ts';
import { maxListedRefunds, maxRefunds, type Refund, refundedMinor } from '../../domain/refund.ts';
import { err, ok, type Result } from '../../domain/result.ts';

/** The captured amount of a payment, with its refunds and disputes. */
export interface CapturedPayment {
  readonly capturedMinor: bigint;
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

/**
 * Decides the amount of a new refund: the requested one, or the full rest (D44). It subtracts all
 * amounts that were refunded, may be refunded, or are withheld by a dispute.
 */
export function decideRefundable(
  returned: CapturedPayment,
  requestedMinor: bigint | undefined,
): Result<bigint, Fault<'conflict'>> {
  const { refunds, disputes } = returned;
  // Longer lists are cut, so the rest would be overstated.
  if (refunds.length >= maxListedRefunds) return err(tooMany(refunds.length, 'refunds'));
  if (disputes.length >= maxListedRefunds) return err(tooMany(disputes.length, 'disputes'));
  const leftMinor = refundableMinor(returned);
  const amountMinor = requestedMinor ?? leftMinor;
  if (amountMinor <= 0n || amountMinor > leftMinor) return err(exceedsRefundable(leftMinor));
  const made = refunds.filter(({ origin }) => origin === 'here').length;
  return made < maxRefunds ? ok(amountMinor) : err(tooMany(made, 'refunds'));
}

function exceedsRefundable(leftMinor: bigint): Fault<'conflict'> {
  const refundable = formatMoney(leftMinor > 0n ? leftMinor : 0n);
  return fault('conflict', `Only ${refundable} of this payment can still be refunded.`, {
    attributes: { reason: 'exceedsRefundable', refundable },
  });
}

function tooMany(count: number, records: 'refunds' | 'disputes'): Fault<'conflict'> {
  return fault('conflict', `The payment has ${count} ${records} already.`, {
    attributes: { reason: 'tooManyRefunds' },
  });
}
