import type Stripe from 'stripe';
import { holdSecondsOf, type StandInCard, shownCard } from './cards.ts';

/** A Charge whose references are ids. */
export type Charge = Stripe.Charge & { readonly payment_intent: string | null };

/** The fields of an intent, unexpanded, from which its charge follows. */
type Charged = Stripe.PaymentIntent & { readonly on_behalf_of: string | null };

interface Approval {
  readonly chargeId: string;
  readonly paymentMethod: string;
  readonly at: number;
  /** Zero: the card was declined. */
  readonly approved: number;
  /** The code of a decline. Default: `card_declined`. */
  readonly code?: 'card_declined' | 'authentication_required';
}

export function chargeOf(intent: Charged, card: StandInCard, approval: Approval): Charge {
  const { chargeId, paymentMethod, at, approved, code = 'card_declined' } = approval;
  const isApproved = approved > 0;
  const declined = 'Your card was declined.';
  const { transfer_data: transfer } = intent;
  return {
    id: chargeId,
    object: 'charge',
    amount: isApproved ? approved : intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: intent.application_fee_amount,
    balance_transaction: null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: 'A SHOP',
    captured: false,
    created: at,
    currency: intent.currency,
    customer: `${intent.customer ?? ''}` || null,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: isApproved ? null : code,
    failure_message: isApproved ? null : declined,
    fraud_details: {},
    livemode: intent.livemode,
    metadata: intent.metadata,
    on_behalf_of: intent.on_behalf_of,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: isApproved ? null : '05',
      network_status: isApproved ? 'approved_by_network' : 'declined_by_network',
      reason: isApproved ? null : (card.declineCode ?? 'generic_decline'),
      seller_message: isApproved ? 'Payment complete.' : declined,
      type: isApproved ? 'authorized' : 'issuer_declined',
    },
    paid: isApproved,
    payment_intent: intent.id,
    payment_method: paymentMethod,
    payment_method_details: detailsOf(intent, card, at, approved),
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: isApproved ? 'succeeded' : 'failed',
    transfer_data: transfer ? { amount: null, destination: transfer.destination } : null,
    transfer_group: null,
  };
}

/** A charge without the members that Stripe's declarations allow to be null; see `sparseCards`. */
export function sparse(charge: Charge): Charge {
  const third = Number(/\d+$/.exec(charge.id)?.[0] ?? 0) % 3;
  const { payment_method_details: details } = charge;
  if (third === 0 || details === null) return charge;
  const { card, card_present: present } = details;
  return {
    ...charge,
    payment_method_details: {
      ...details,
      ...(present && { card_present: { ...present, ...(third === 1 ? digitless : blank) } }),
      ...(card && { card: { ...card, ...(third === 1 ? digitless : blankSaved) } }),
    },
  };
}

const digitless = { last4: null };
const blankSaved = {
  ...digitless,
  amount_authorized: null,
  brand: null,
  country: null,
  funding: null,
  network: null,
};
const blank = {
  ...blankSaved,
  emv_auth_data: null,
  fingerprint: null,
  network_transaction_id: null,
  preferred_locales: null,
  read_method: null,
  receipt: null,
};

function detailsOf(
  intent: Charged,
  card: StandInCard,
  at: number,
  approved: number,
): Stripe.Charge.PaymentMethodDetails {
  const { brand, funding, wallet } = card;
  const common = {
    ...shownCard(card),
    amount_authorized: approved > 0 ? approved : intent.amount,
    ...(approved > 0 && { capture_before: at + holdSecondsOf(card) }),
    network: brand,
    network_transaction_id: '123456789',
  };
  // Cards at a reader are not named so: this one was charged without its customer.
  if (intent.payment_method_types.includes('card')) {
    return {
      type: 'card',
      card: {
        ...common,
        authorization_code: approved > 0 ? '123456' : null,
        checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: null },
        electronic_commerce_indicator: null,
        installments: null,
        mandate: null,
        network_token: { used: false },
        regulated_status: 'unregulated',
        three_d_secure: null,
        transaction_link_id: null,
        wallet: null,
      },
    };
  }
  return {
    type: 'card_present',
    card_present: {
      ...common,
      brand_product: null,
      cardholder_name: null,
      emv_auth_data: '8A023030',
      generated_card: null,
      incremental_authorization_supported: false,
      offline: null,
      overcapture_supported: false,
      preferred_locales: ['en'],
      read_method: 'contactless_emv',
      receipt: {
        account_type: funding === 'debit' ? 'checking' : 'credit',
        application_cryptogram: 'C3B2A1F0E9D8C7B6',
        application_preferred_name: 'VISA CREDIT',
        authorization_code: '123456',
        authorization_response_code: '3030',
        cardholder_verification_method: 'approval',
        dedicated_file_name: 'A0000000031010',
        terminal_verification_results: '0000000000',
        transaction_status_information: '0000',
      },
      ...(wallet !== undefined && { wallet: { type: wallet } }),
    },
  };
}
