import type Stripe from 'stripe';
import type { Books } from './books.ts';
import type { StandInCard } from './cards.ts';
import { invalid, missing, refuse } from './reply.ts';

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

export function shownMethod({ livemode }: Books, method: Method): Stripe.PaymentMethod {
  const { id, created, customer, card } = method;
  const { brand, funding, last4 } = card;
  return {
    id,
    object: 'payment_method',
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

/**
 * Takes a method for one use in these books. Stripe demands the customer of a saved method, and uses up
 * a method without one.
 */
export function takeMethod(own: Books, id: string, customer: string | undefined): Method {
  const method = own.methods.get(id) ?? refuse(missing('PaymentMethod', id, 'payment_method', 400));
  if (customer !== undefined && !own.customers.has(customer)) {
    refuse(missing('customer', customer, 'customer', 400));
  }
  if (method.isUsed) {
    refuse(
      invalid(
        'The provided PaymentMethod was previously used without a customer, or was detached from one.',
      ),
    );
  }
  if (customer !== undefined && method.customer !== customer) {
    const message = `The customer does not have a payment method with the ID ${id}.`;
    refuse(invalid(message, { param: 'payment_method' }));
  }
  if (customer === undefined && method.customer !== null) {
    refuse(invalid('The payment method belongs to a customer, who is missing in the request.'));
  }
  if (method.customer === null) own.methods.set(id, { ...method, isUsed: true });
  return method;
}
