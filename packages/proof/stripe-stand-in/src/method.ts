import type Stripe from 'stripe';
import type { StandInCard } from './cards.ts';

/** A saved card. */
export interface Method {
  readonly id: string;
  readonly created: number;
  /** Without a customer it bears one payment, and then no other. */
  readonly customer: string | null;
  readonly card: StandInCard;
  /** Whether the customer agreed to charges without the customer, when it was set up. */
  readonly isOffSession: boolean;
  /** It was used or shared without a customer, or it was detached. */
  readonly isUsed: boolean;
}

export function shownMethod(method: Method, livemode: boolean): Stripe.PaymentMethod {
  const { id, created, customer, card } = method;
  const { brand, funding, last4 } = card;
  return {
    id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    card: {
      brand,
      checks: {
        address_line1_check: null,
        address_postal_code_check: null,
        cvc_check: 'pass',
      },
      country: 'US',
      display_brand: brand,
      exp_month: 12,
      exp_year: 2034,
      fingerprint: 'fingerprintOfACard',
      funding,
      generated_from: null,
      last4,
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created,
    customer,
    customer_account: null,
    livemode,
    metadata: {},
    type: 'card',
  };
}
