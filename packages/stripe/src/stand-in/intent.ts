import type Stripe from 'stripe';
import type { StandInCard } from './cards.ts';

/** The members of a PaymentIntent that the stand-in shows; their types are the SDK's. */
export type Intent = Pick<
  Stripe.PaymentIntent,
  | 'id'
  | 'object'
  | 'allowed_payment_method_types'
  | 'amount'
  | 'amount_capturable'
  | 'amount_received'
  | 'canceled_at'
  | 'cancellation_reason'
  | 'capture_method'
  | 'client_secret'
  | 'created'
  | 'currency'
  | 'last_payment_error'
  | 'livemode'
  | 'metadata'
  | 'on_behalf_of'
  | 'payment_method_types'
  | 'status'
  | 'transfer_data'
> & { readonly latest_charge: string | null };

/** The members of a Charge that the stand-in shows. */
export type Charge = Pick<
  Stripe.Charge,
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_captured'
  | 'amount_refunded'
  | 'captured'
  | 'created'
  | 'currency'
  | 'disputed'
  | 'livemode'
  | 'metadata'
  | 'paid'
  | 'payment_intent'
  | 'payment_method_details'
  | 'refunded'
  | 'status'
>;

/** How long an authorization is held, in seconds: two days, as for most cards in person. */
export const holdSeconds = 2 * 24 * 3600;

/** Holds a card to the reader. `undefined` where the intent takes none any more. */
export function presented(
  intent: Intent,
  card: StandInCard,
  chargeId: string,
  at: number,
): { readonly intent: Intent; readonly charge?: Charge } | undefined {
  if (intent.status !== 'requires_payment_method') return undefined;
  switch (card.does) {
    case 'cancel':
      return { intent: canceled(intent, 'requested_by_customer', at) };
    case 'declineOnce': {
      const does = intent.last_payment_error === null ? 'decline' : 'approve';
      return presented(intent, { ...card, does }, chargeId, at);
    }
    case 'decline': {
      const declined: Intent = {
        ...intent,
        latest_charge: chargeId,
        last_payment_error: { type: 'card_error', code: 'card_declined', charge: chargeId },
      };
      return { intent: declined, charge: chargeOf(intent, card, chargeId, at, 0) };
    }
    case 'approveLater':
      return { intent: { ...intent, status: 'processing' } };
    default: {
      const approved = card.does === 'approveHalf' ? Math.floor(intent.amount / 2) : intent.amount;
      return {
        intent: {
          ...intent,
          status: 'requires_capture',
          amount_capturable: approved,
          last_payment_error: null,
          latest_charge: chargeId,
        },
        charge: chargeOf(intent, card, chargeId, at, approved),
      };
    }
  }
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
  };
}

function chargeOf(
  { id, currency, livemode, metadata, amount }: Intent,
  card: StandInCard,
  chargeId: string,
  at: number,
  approved: number,
): Charge {
  const isApproved = approved > 0;
  return {
    id: chargeId,
    object: 'charge',
    amount: isApproved ? approved : amount,
    amount_captured: 0,
    amount_refunded: 0,
    captured: false,
    created: at,
    currency,
    disputed: false,
    livemode,
    metadata,
    paid: isApproved,
    payment_intent: id,
    payment_method_details: detailsOf(card, at, approved),
    refunded: false,
    status: isApproved ? 'succeeded' : 'failed',
  };
}

function detailsOf(
  { shows, brand, funding, last4, wallet, holdSeconds: held = holdSeconds }: StandInCard,
  at: number,
  approved: number,
): Stripe.Charge.PaymentMethodDetails {
  const shown: Stripe.Charge.PaymentMethodDetails.InteracPresent = {
    brand,
    cardholder_name: 'A CUSTOMER',
    country: 'US',
    emv_auth_data: '8A023030',
    exp_month: 12,
    exp_year: 2034,
    fingerprint: 'fingerprintOfACard',
    funding,
    generated_card: null,
    last4,
    network: brand,
    network_transaction_id: '123456789',
    preferred_locales: ['en'],
    read_method: 'contactless_emv',
    receipt: {
      account_type: 'credit',
      application_cryptogram: 'C3B2A1F0E9D8C7B6',
      application_preferred_name: 'VISA CREDIT',
      authorization_code: '123456',
      authorization_response_code: '3030',
      cardholder_verification_method: 'approval',
      dedicated_file_name: 'A0000000031010',
      terminal_verification_results: '0000000000',
      transaction_status_information: '0000',
    },
  };
  if (shows === 'interac_present') return { type: shows, interac_present: shown };
  return {
    type: shows,
    card_present: {
      ...shown,
      amount_authorized: approved,
      brand_product: null,
      capture_before: at + held,
      incremental_authorization_supported: false,
      offline: null,
      overcapture_supported: false,
      ...(wallet !== undefined && { wallet: { type: wallet } }),
    },
  };
}
