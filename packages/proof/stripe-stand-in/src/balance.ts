import type Stripe from 'stripe';

/** A change of the balance, with its source as an id. */
export type BalanceEntry = Stripe.BalanceTransaction & { readonly source: string | null };

/** A transfer of money between accounts, its reversal, or the return of a fee. */
export type Move =
  | Stripe.Transfer
  | Stripe.TransferReversal
  | Stripe.ApplicationFee
  | Stripe.FeeRefund;

/** A payout, with its entries once Stripe has found them. */
export interface StandInPayout {
  readonly payout: Stripe.Payout;
  readonly entries: ReadonlySet<string>;
}
