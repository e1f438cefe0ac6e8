import type Stripe from 'stripe';
import type { Charge } from './charge.ts';

/** The members of a charge that its refunds and disputes show. */
type Given = Pick<Charge, 'id' | 'currency' | 'livemode' | 'payment_intent' | 'payment_method'>;

/** A refund of a charge by an operator. */
export function refundOf(
  charge: Given,
  { id, amount, at }: { readonly id: string; readonly amount: number; readonly at: number },
): Stripe.Refund {
  return {
    id,
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: at,
    currency: charge.currency,
    customer: null,
    customer_account: null,
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

/** The cardholder disputes a charge. */
export function disputeOf(
  charge: Given,
  { id, amount, at }: { readonly id: string; readonly amount: number; readonly at: number },
): Stripe.Dispute {
  return {
    id,
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: charge.id,
    created: at,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence,
    evidence_details: {
      due_by: at + weekSeconds,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: charge.livemode,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: 'needs_response',
  };
}

/** A payment of another kind, which has no intent. */
const bankDebit = {
  id: 'py_00000000',
  currency: 'usd',
  payment_intent: null,
  payment_method: null,
};

/** A refund of a bank debit: its id begins otherwise, and it has no metadata. */
export function foreignRefund(id: string, at: number): Stripe.Refund {
  const refund = refundOf({ ...bankDebit, livemode: true }, { id, amount: 1200, at });
  return { ...refund, metadata: null, status: 'requires_action' };
}

export function foreignDispute(id: string, at: number, livemode: boolean): Stripe.Dispute {
  const dispute = disputeOf({ ...bankDebit, livemode }, { id, amount: 1200, at });
  return { ...dispute, reason: 'bank_cannot_process', status: 'warning_under_review' };
}
