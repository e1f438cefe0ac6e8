import type { Payment } from '../payment/payment.ts';
import { tipIn } from '../payment/tip.ts';
import { type Share, splitLike, sumOf, wholeFor } from './share.ts';

/** The share of a payment that was never shared: all of it, for the visit and barber that it was opened for. */
export function ownShare(
  { appointment, ...payment }: Payment,
  amountMinor = payment.capturedMinor ?? payment.amountMinor,
): Share {
  return { ...wholeFor(appointment), amountMinor, tipMinor: tipIn(payment, amountMinor) };
}

/** Who has which part of a payment: of the captured amount, or of the one to capture. */
export function sharesOf(payment: Payment): readonly Share[] {
  const { shares, amountMinor, capturedMinor = amountMinor } = payment;
  if (shares === undefined) return [ownShare(payment)];
  const sumMinor = sumOf(shares).amountMinor;
  // The processor captured another amount than was asked for.
  return sumMinor === capturedMinor ? shares : splitLike(shares, capturedMinor);
}
