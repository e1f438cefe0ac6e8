import type { Payment } from '../payment/payment.ts';
import { type TipParts, tipIn } from '../payment/tip.ts';
import { type Dispute, heldMinor } from '../refund/dispute.ts';
import { isCounted, type Refund } from '../refund/refund.ts';
import type { Tender } from '../tender/tender.ts';
import { between, orNothing, sumOf } from '../values/bounds.ts';
import {
  isSameShare,
  type Part,
  type Share,
  splitBoth,
  splitLike,
  toPart,
  wholeFor,
} from './share.ts';

/** The share of a payment that was never shared: all of it, for the visit and barber that it was opened for. */
export function ownShare(
  payment: Payment,
  amountMinor = payment.capturedMinor ?? payment.amountMinor,
): Share {
  return { ...wholeFor(payment.appointment), amountMinor, tipMinor: tipIn(payment, amountMinor) };
}

/** Who has which part of a payment: of the captured amount, or of the one to capture. */
export function sharesOf(payment: Payment): readonly Share[] {
  const { shares, amountMinor, capturedMinor = amountMinor } = payment;
  if (shares === undefined) return [ownShare(payment)];
  // The processor may have captured another amount than was asked for.
  return splitLike(shares, capturedMinor);
}

/** A payment, and the records of what was given back of it or contested. */
export interface PaymentReturns {
  readonly payment: Payment;
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
  /** The cash that was given back in place of failed refunds. */
  readonly cash: readonly Tender[];
}

/**
 * What of a captured payment is left to each visit and barber: without what was given back of it, may be given back,
 * or is withheld by a dispute (D208).
 */
export function leftToShares({
  payment,
  refunds,
  disputes,
  cash,
}: PaymentReturns): readonly Share[] {
  const gone = sharesOf(payment).map((share) => ({ share, owedMinor: 0n, tipMinor: 0n }));
  const take = ({ amountMinor, tipMinor, ...whose }: Part) => {
    const from = gone.find(({ share }) => isSameShare(share, whose)) ?? gone[0];
    // Stryker disable next-line ConditionalExpression: a payment has a share at least.
    if (from === undefined) return;
    from.owedMinor += amountMinor - tipMinor;
    from.tipMinor += tipMinor;
  };
  const own = { appointmentId: payment.appointment.id, barberId: payment.appointment.barber.id };
  for (const refund of refunds.filter(isCounted)) {
    const { amountMinor, tipMinor = 0n, parts = [{ ...own, amountMinor, tipMinor }] } = refund;
    // The processor may have given back another amount than was asked for.
    for (const part of splitLike(parts, amountMinor)) take(part);
  }
  for (const { parts, amountMinor, tipMinor = 0n } of cash) {
    for (const part of parts ?? [{ ...own, amountMinor, tipMinor }]) take(part);
  }
  for (const dispute of disputes) {
    const held = heldMinor(dispute, payment);
    const parts = dispute.parts ?? [{ ...own, amountMinor: 1n, tipMinor: 0n }];
    const owed = parts.map((part) => ({ ...part, tipMinor: 0n }));
    for (const part of splitBoth(owed, { amountMinor: held, tipMinor: 0n })) take(part);
  }
  let lackMinor = 0n;
  const left = gone.map(({ share, owedMinor, tipMinor }) => {
    const owedLeft = share.amountMinor - share.tipMinor - owedMinor;
    // What a dispute withholds beyond the owed part is tip.
    const beyond = orNothing(-owedLeft);
    const tipLeft = share.tipMinor - tipMinor - beyond;
    lackMinor += orNothing(-tipLeft);
    const keptTipMinor = between(0n, tipLeft, share.tipMinor);
    return { ...share, amountMinor: owedLeft + beyond + keptTipMinor, tipMinor: keptTipMinor };
  });
  return without(left, lackMinor);
}

/**
 * What went beyond one share is missing from the others: a dispute withholds what was refunded of a visit already. All
 * of them together never have more left than the payment. Tips go last.
 */
function without(left: readonly Share[], lackMinor: bigint): readonly Share[] {
  const { owedMinor, tipMinor } = partsOfShares(left);
  const owedLeft = between(0n, owedMinor - lackMinor, owedMinor);
  const tipLeft = between(0n, owedMinor + tipMinor - lackMinor, tipMinor);
  return splitBoth(left, { amountMinor: owedLeft + tipLeft, tipMinor: tipLeft });
}

/** What these shares have, in its two parts. */
export function partsOfShares(shares: readonly Share[]): TipParts {
  const { amountMinor, tipMinor } = sumOf(shares);
  return { owedMinor: amountMinor - tipMinor, tipMinor };
}

/** Takes an amount from what is left to each, in proportion and to the cent. */
export function takeFrom(
  left: readonly Share[],
  amount: Pick<Part, 'amountMinor' | 'tipMinor'>,
): readonly Part[] {
  return splitBoth(left, amount)
    .filter(({ amountMinor }) => amountMinor !== 0n)
    .map(toPart);
}
