import type Stripe from 'stripe';

/** The behaviour of a card at the simulated reader. */
export interface StandInCard {
  readonly does:
    | 'approve'
    /** See {@link StandInSwitches}: Stripe documents no way to request it in person. */
    | 'approveHalf'
    /** Stays `processing` until {@link StripeStandIn.settle} is called. */
    | 'approveLater'
    | 'decline'
    /** Declines once for each intent, then approves. */
    | 'declineOnce'
    /** The customer gives up, and the app cancels the intent. */
    | 'cancel';
  readonly brand: string;
  readonly funding: string;
  readonly last4: string;
  /** The time that an authorization is held, if it differs from the brand's. */
  readonly holdSeconds?: number;
  /** The bank's reply to a charge of the saved card, if it is another one. */
  readonly offSession?: 'decline' | 'needsCustomer';
  /** The code of that decline. Default: `generic_decline`. */
  readonly declineCode?: string;
  /** Stripe's test mode has no wallets. */
  readonly wallet?: Stripe.Charge.PaymentMethodDetails.CardPresent.Wallet.Type;
}

const visa: StandInCard = { does: 'approve', brand: 'visa', funding: 'credit', last4: '4242' };

/** The cards of the stand-in, by name. */
export const stripeCards = {
  visa_credit: visa,
  mastercard_debit: { ...visa, brand: 'mastercard', funding: 'debit', last4: '4444' },
  amex_credit: { ...visa, brand: 'amex', last4: '0005' },
  discover_prepaid: { ...visa, brand: 'discover', funding: 'prepaid', last4: '1117' },
  unionpay: { ...visa, brand: 'unionpay', funding: 'unknown', last4: '0005' },
  apple_pay: { ...visa, wallet: 'apple_pay' },
  google_pay: { ...visa, wallet: 'google_pay' },
  samsung_pay: { ...visa, wallet: 'samsung_pay' },
  declined: { ...visa, does: 'decline', last4: '0002' },
  declined_then_approved: { ...visa, does: 'declineOnce', last4: '0101' },
  canceled: { ...visa, does: 'cancel' },
  partially_authorized: { ...visa, does: 'approveHalf', funding: 'prepaid' },
  slow_to_approve: { ...visa, does: 'approveLater' },
  declined_when_saved: { ...visa, last4: '0341', offSession: 'decline' },
  unusable_when_saved: {
    ...visa,
    last4: '9987',
    offSession: 'decline',
    declineCode: 'lost_card',
  },
  needs_customer: { ...visa, last4: '3184', offSession: 'needsCustomer' },
  /** Its customer removes it from the saved ones at once. */
  vanishes: { ...visa, last4: '3063' },
  expires_soon: { ...visa, last4: '0069', holdSeconds: 60 },
} as const satisfies Readonly<Record<string, StandInCard>>;

export type StripeCardName = keyof typeof stripeCards;

const daySeconds = 24 * 3600;
const visaHoldSeconds = 4 * daySeconds + 18 * 3600;
const otherHoldSeconds = 2 * daySeconds;

/** The time that Stripe holds an authorization in person: `capture_before` of the charge. */
export function holdSecondsOf({ brand, holdSeconds }: StandInCard): number {
  return holdSeconds ?? (brand === 'visa' ? visaHoldSeconds : otherHoldSeconds);
}

/** What Stripe shows of every card, saved or at a reader. */
export const shownCard = ({ brand, funding, last4 }: StandInCard) => ({
  brand,
  country: 'US',
  exp_month: 12,
  exp_year: 2034,
  fingerprint: 'fingerprintOfACard',
  funding,
  last4,
});

/** The longest time that any card's authorization is held. */
export const longestHoldSeconds = visaHoldSeconds;
