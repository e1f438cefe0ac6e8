import type Stripe from 'stripe';
import type { StandInCard } from './cards.ts';
import { type Charge, chargeOf } from './charge.ts';

/** A PaymentIntent with ids as references, as Stripe returns it without expansion. */
export type Intent = Stripe.PaymentIntent & {
  readonly latest_charge: string | null;
  readonly on_behalf_of: string | null;
};

const blank = {
  object: 'payment_intent',
  amount_capturable: 0,
  amount_details: { tip: {} },
  amount_received: 0,
  application: null,
  automatic_payment_methods: null,
  canceled_at: null,
  cancellation_reason: null,
  capture_method: 'manual',
  confirmation_method: 'automatic',
  customer_account: null,
  excluded_payment_method_types: null,
  last_payment_error: null,
  latest_charge: null,
  managed_payments: null,
  next_action: null,
  payment_method: null,
  payment_method_configuration_details: null,
  payment_record: null,
  processing: null,
  receipt_email: null,
  review: null,
  setup_future_usage: null,
  shipping: null,
  source: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
  status: 'requires_payment_method',
  transfer_group: null,
} as const satisfies Partial<Intent>;

export function newIntent(given: Omit<Intent, keyof typeof blank>): Intent {
  return { ...blank, ...given };
}

/** The ids of what a card makes, and its time. */
interface Made {
  readonly chargeId: string;
  readonly paymentMethod: string;
  readonly at: number;
}

/** An intent and its new charge, if it has one. */
export interface Charging {
  readonly intent: Intent;
  readonly charge?: Charge;
}

/** Presents a card. `undefined` if the intent accepts none any more. */
export function presented(intent: Intent, card: StandInCard, made: Made): Charging | undefined {
  const { chargeId, paymentMethod, at } = made;
  if (intent.status !== 'requires_payment_method') return undefined;
  switch (card.does) {
    case 'cancel':
      return { intent: canceled(intent, 'requested_by_customer', at) };
    case 'declineOnce': {
      const does = intent.last_payment_error === null ? 'decline' : 'approve';
      return presented(intent, { ...card, does }, made);
    }
    case 'decline':
      return refused(intent, card, 'card_declined', made);
    case 'approveLater':
      return { intent: { ...intent, status: 'processing', last_payment_error: null } };
    default: {
      const approved = card.does === 'approveHalf' ? Math.floor(intent.amount / 2) : intent.amount;
      return {
        intent: {
          ...intent,
          status: 'requires_capture',
          amount_capturable: approved,
          last_payment_error: null,
          latest_charge: chargeId,
          payment_method: paymentMethod,
        },
        charge: chargeOf(intent, card, { ...made, approved }),
      };
    }
  }
}

/** The bank refuses a card: for good, or until the customer is there. */
export function refused(
  intent: Intent,
  card: StandInCard,
  code: 'card_declined' | 'authentication_required',
  made: Made,
): Charging {
  const isDeclined = code === 'card_declined';
  const why = isDeclined ? '' : ' This transaction requires authentication.';
  return {
    intent: {
      ...intent,
      payment_method: null,
      latest_charge: made.chargeId,
      last_payment_error: {
        type: 'card_error',
        code,
        decline_code: isDeclined ? (card.declineCode ?? 'generic_decline') : code,
        charge: made.chargeId,
        message: `Your card was declined.${why}`,
      },
    },
    charge: chargeOf(intent, card, { ...made, approved: 0, code }),
  };
}

export function canceled(
  intent: Intent,
  reason: Stripe.PaymentIntent.CancellationReason | null,
  at: number,
): Intent {
  return {
    ...intent,
    status: 'canceled',
    amount_capturable: 0,
    canceled_at: at,
    cancellation_reason: reason,
    last_payment_error: null,
  };
}
