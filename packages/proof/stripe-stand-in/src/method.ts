import type Stripe from 'stripe';
import { type StandInCard, shownCard } from './cards.ts';

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
  const { brand } = card;
  return {
    id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    card: {
      ...shownCard(card),
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      display_brand: brand,
      generated_from: null,
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
