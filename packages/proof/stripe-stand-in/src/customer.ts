import type Stripe from 'stripe';

export type Customer = Stripe.Customer;

export function newCustomer(
  given: Pick<Customer, 'id' | 'created' | 'livemode' | 'metadata'>,
): Customer {
  return {
    object: 'customer',
    balance: 0,
    default_source: null,
    description: null,
    email: null,
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    shipping: null,
    ...given,
  };
}

export function customerSession(
  given: Pick<
    Stripe.CustomerSession,
    'client_secret' | 'created' | 'customer' | 'expires_at' | 'livemode'
  >,
): Stripe.CustomerSession {
  return { object: 'customer_session', customer_account: null, ...given };
}
