import type Stripe from 'stripe';

/** What a card held to the simulated reader does. */
export interface StandInCard {
  readonly does:
    | 'approve'
    | 'approveHalf'
    /** Stays `processing` until {@link StripeStandIn.settle} is called. */
    | 'approveLater'
    | 'decline'
    /** Declines once for each intent, then approves. */
    | 'declineOnce'
    /** The customer gives up, and the app cancels the intent. */
    | 'cancel';
  /** Which kind of details the charge shows. */
  readonly shows: 'card_present' | 'interac_present';
  readonly brand: string;
  readonly funding: string;
  readonly last4: string;
  /** How long an authorization is held, where it is not the usual two days. */
  readonly holdSeconds?: number;
  readonly wallet?: Stripe.Charge.PaymentMethodDetails.CardPresent.Wallet.Type;
}

const visa: StandInCard = {
  does: 'approve',
  shows: 'card_present',
  brand: 'visa',
  funding: 'credit',
  last4: '4242',
};

/** The cards of the stand-in, by the name to present them with. */
export const stripeCards = {
  visa_credit: visa,
  mastercard_debit: { ...visa, brand: 'mastercard', funding: 'debit', last4: '4444' },
  amex_credit: { ...visa, brand: 'amex', last4: '0005' },
  discover_prepaid: { ...visa, brand: 'discover', funding: 'prepaid', last4: '1117' },
  unionpay: { ...visa, brand: 'unionpay', funding: 'unknown', last4: '0005' },
  apple_pay: { ...visa, wallet: 'apple_pay' },
  google_pay: { ...visa, wallet: 'google_pay' },
  samsung_pay: { ...visa, wallet: 'samsung_pay' },
  unknown_wallet: { ...visa, wallet: 'watch_pay' },
  interac: { ...visa, shows: 'interac_present', brand: 'interac', funding: 'debit' },
  declined: { ...visa, does: 'decline', last4: '0002' },
  declined_then_approved: { ...visa, does: 'declineOnce', last4: '0101' },
  canceled: { ...visa, does: 'cancel' },
  partially_authorized: { ...visa, does: 'approveHalf', funding: 'prepaid' },
  slow_to_approve: { ...visa, does: 'approveLater' },
  expires_soon: { ...visa, last4: '0069', holdSeconds: 60 },
} as const satisfies Readonly<Record<string, StandInCard>>;

export type StripeCardName = keyof typeof stripeCards;
