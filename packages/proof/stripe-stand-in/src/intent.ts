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

/** The effects of a presented card. */
interface Presented {
  readonly chargeId: string;
  readonly paymentMethod: string;
  readonly at: number;
}

/** Presents a card to the reader. `undefined` if the intent accepts none any more. */
export function presented(
  intent: Intent,
  card: StandInCard,
  ids: Presented,
): { readonly intent: Intent; readonly charge?: Charge } | undefined {
  if (!intent.payment_method_types.includes('card_present')) return undefined;
  return presentedOf(intent, card, ids);
}

function presentedOf(
  intent: Intent,
  card: StandInCard,
  ids: Presented,
): { readonly intent: Intent; readonly charge?: Charge } | undefined {
  const { chargeId, paymentMethod, at } = ids;
  if (intent.status !== 'requires_payment_method') return undefined;
  switch (card.does) {
    case 'cancel':
      return { intent: canceled(intent, 'requested_by_customer', at) };
    case 'declineOnce': {
      const does = intent.last_payment_error === null ? 'decline' : 'approve';
      return presentedOf(intent, { ...card, does }, ids);
    }
    case 'decline': {
      const message = 'Your card was declined.';
      const declined: Intent = {
        ...intent,
        latest_charge: chargeId,
        last_payment_error: {
          type: 'card_error',
          code: 'card_declined',
          decline_code: 'generic_decline',
          charge: chargeId,
          message,
        },
      };
      return { intent: declined, charge: chargeOf(intent, card, { ...ids, approved: 0 }) };
    }
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
        charge: chargeOf(intent, card, { ...ids, approved }),
      };
    }
  }
}

/** Why the bank refuses a card; `undefined`: it approves. */
type Refusal = 'card_declined' | 'authentication_required' | undefined;

/** Confirms an intent without its customer. */
export function confirmed(
  intent: Intent,
  card: StandInCard,
  refusal: Refusal,
  ids: Presented,
): { readonly intent: Intent; readonly charge?: Charge } {
  if (refusal === undefined) {
    return presentedOf(intent, card, ids) ?? { intent };
  }
  const message =
    refusal === 'card_declined'
      ? 'Your card was declined.'
      : 'Your card was declined. This transaction requires authentication.';
  return {
    intent: {
      ...intent,
      payment_method: null,
      latest_charge: ids.chargeId,
      last_payment_error: {
        type: 'card_error',
        code: refusal,
        decline_code:
          refusal === 'card_declined' ? (card.declineCode ?? 'generic_decline') : refusal,
        charge: ids.chargeId,
        message,
      },
    },
    charge: chargeOf(intent, card, { ...ids, approved: 0, code: refusal }),
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
