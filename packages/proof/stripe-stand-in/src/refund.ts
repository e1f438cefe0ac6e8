import type Stripe from 'stripe';
import type { Books } from './books.ts';
import type { Charge } from './charge.ts';

/** The members of a charge that its refunds and disputes show. */
type Given = Pick<Charge, 'id' | 'currency' | 'livemode' | 'payment_intent' | 'payment_method'>;

type New = Pick<Stripe.Refund, 'id' | 'amount' | 'created'>;

/** A refund of a charge by an operator. */
export function refundOf(charge: Given, made: New): Stripe.Refund {
  return {
    ...made,
    object: 'refund',
    balance_transaction: null,
    charge: charge.id,
    currency: charge.currency,
    customer: null,
    customer_account: null,
    destination_details: { type: 'card', card: { type: 'refund' } },
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}

const noEvidence: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

const weekSeconds = 7 * 24 * 3600;

/** The cardholder disputes a charge. An inquiry takes no money, and the charge can be refunded. */
export function disputeOf(charge: Given, made: New, isInquiry = false): Stripe.Dispute {
  return {
    ...made,
    object: 'dispute',
    balance_transactions: [],
    charge: charge.id,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence,
    evidence_details: {
      due_by: made.created + weekSeconds,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: isInquiry,
    livemode: charge.livemode,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      type: 'card',
      card: {
        brand: 'visa',
        case_type: 'chargeback',
        network: 'visa',
        network_reason_code: '10.4',
      },
    },
    reason: 'fraudulent',
    status: isInquiry ? 'warning_needs_response' : 'needs_response',
  };
}

/** The card's bank reports a charge as fraud, before its cardholder disputes it. */
export function warningOf(own: Books, charge: Charge): Stripe.Radar.EarlyFraudWarning {
  return {
    id: own.nextId('issfr'),
    object: 'radar.early_fraud_warning',
    actionable: !charge.disputed && !charge.refunded,
    charge: charge.id,
    created: own.now(),
    fraud_type: 'made_with_stolen_card',
    livemode: charge.livemode,
    ...(charge.payment_intent !== null && { payment_intent: charge.payment_intent }),
  };
}
