import type Stripe from 'stripe';

/** A SetupIntent. Its latest attempt is expanded only on request. */
export type Setup = Stripe.SetupIntent & {
  readonly customer: string | null;
  readonly latest_attempt: Stripe.SetupAttempt | null;
  readonly payment_method: string | null;
};

const blank = {
  object: 'setup_intent',
  application: null,
  automatic_payment_methods: null,
  cancellation_reason: null,
  customer_account: null,
  description: null,
  excluded_payment_method_types: null,
  flow_directions: null,
  last_setup_error: null,
  latest_attempt: null,
  mandate: null,
  next_action: null,
  on_behalf_of: null,
  payment_method: null,
  payment_method_configuration_details: null,
  payment_method_options: {
    card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' },
  },
  single_use_mandate: null,
  status: 'requires_payment_method',
} as const satisfies Partial<Setup>;

export function newSetup(given: Omit<Setup, keyof typeof blank>): Setup {
  return { ...blank, ...given };
}

/** A setup after the customer has entered a card in the app. */
export function completed(
  setup: Setup,
  ids: { readonly attempt: string; readonly paymentMethod: string },
  at: number,
): Setup {
  const { attempt, paymentMethod } = ids;
  return {
    ...setup,
    status: 'succeeded',
    payment_method: paymentMethod,
    latest_attempt: {
      id: attempt,
      object: 'setup_attempt',
      application: null,
      created: at,
      customer: setup.customer,
      customer_account: null,
      flow_directions: null,
      livemode: setup.livemode,
      on_behalf_of: null,
      payment_method: paymentMethod,
      payment_method_details: { type: 'card' },
      setup_error: null,
      setup_intent: setup.id,
      status: 'succeeded',
      usage: setup.usage,
    },
  };
}
