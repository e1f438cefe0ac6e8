import type Stripe from 'stripe';
import { bookDispute, bookFailedRefund, bookRefund } from '../booking.ts';
import type { Books } from '../books.ts';
import type { Params } from '../calls.ts';
import type { Charge } from '../charge.ts';
import type { Endpoints } from '../endpoint.ts';
import { disputeOf, refundOf } from '../refund.ts';
import { found, invalid, missing } from '../reply.ts';
import { page, pageParams } from './page.ts';

export const refundEndpoints = {
  createRefund: {
    at: 'POST /v1/refunds',
    params: {
      amount: 'integer',
      metadata: 'map',
      payment_intent: 'string',
      refund_application_fee: 'boolean',
      reverse_transfer: 'boolean',
    },
    run(own, { params }) {
      const id = params.payment_intent ?? '';
      const intent = own.intents.get(id);
      if (intent === undefined) return missing('payment_intent', id, 'payment_intent', 400);
      const charge = own.charges.get(intent.latest_charge ?? '');
      if (!charge?.captured) return invalid('This payment has no successful charge to refund.');
      const left = charge.amount_captured - charge.amount_refunded;
      const { amount = left } = params;
      if (left === 0) return invalid('Already refunded.', { code: 'charge_already_refunded' });
      if (amount > left || amount < 1) {
        return invalid('The amount exceeds the rest that was not refunded.', { param: 'amount' });
      }
      if (params.reverse_transfer && !charge.transfer_data) {
        return invalid('There is no transfer to reverse.', { param: 'reverse_transfer' });
      }
      if (params.refund_application_fee && !intent.application_fee_amount) {
        return invalid('There is no application fee.', { param: 'refund_application_fee' });
      }
      return found(giveBack(own, charge, amount, params));
    },
  },

  listRefunds: {
    at: 'GET /v1/refunds',
    params: { ...pageParams, expand: 'strings', payment_intent: 'string' },
    run: (own, { params }) => page('/v1/refunds', params, own.refunds, ofIntent(own, params)),
  },

  listDisputes: {
    at: 'GET /v1/disputes',
    params: { ...pageParams, expand: 'strings', payment_intent: 'string' },
    run: (own, { params }) => page('/v1/disputes', params, own.disputes, ofIntent(own, params)),
  },

  retrieveCharge: {
    at: 'GET /v1/charges/{id}',
    params: { expand: 'strings' },
    run({ charges }, { id }) {
      const charge = charges.get(id);
      return charge ? found(charge) : missing('charge', id, 'id');
    },
  },
} satisfies Partial<Endpoints>;

/** Shows what is about one intent, or about any, and its intent where that is asked for. */
function ofIntent(
  { intents }: Books,
  {
    payment_intent: intent,
    expand = [],
  }: { readonly payment_intent?: string; readonly expand?: readonly string[] },
) {
  return <T extends Stripe.Refund | Stripe.Dispute>(object: T): T | undefined => {
    if (intent !== undefined && object.payment_intent !== intent) return undefined;
    if (!expand.includes('data.payment_intent')) return object;
    return {
      ...object,
      payment_intent: intents.get(`${object.payment_intent}`) ?? object.payment_intent,
    };
  };
}

/** Refunds a part of a captured charge, with Stripe's event. */
export function giveBack(
  own: Books,
  charge: Charge,
  amount: number,
  {
    metadata = {},
    refund_application_fee: returnsFee = false,
  }: Params<Stripe.RefundCreateParams> = {},
): Stripe.Refund {
  const amount_refunded = charge.amount_refunded + amount;
  const refunded = amount_refunded === charge.amount_captured;
  const after: Charge = { ...charge, amount_refunded, refunded };
  own.charges.set(charge.id, after);
  own.tell('charge.refunded', after, { amount_refunded: charge.amount_refunded });
  const made = refundOf(charge, { id: own.nextId('re'), amount, created: own.now() });
  const balance_transaction = bookRefund(own, charge, made, returnsFee);
  const refund = { ...made, metadata, balance_transaction };
  own.refunds.set(refund.id, refund);
  own.tell('refund.created', refund);
  return refund;
}

/** Ends a refund otherwise than it began: the card's bank sends the money back. */
export function endRefund(
  own: Books,
  refund: Stripe.Refund,
  status: 'pending' | 'failed' | 'canceled' | 'succeeded',
): void {
  const isReturned = status === 'failed' || status === 'canceled';
  const after: Stripe.Refund = {
    ...refund,
    status,
    ...(status === 'failed' && { failure_reason: 'expired_or_canceled_card' }),
    ...(isReturned && { failure_balance_transaction: bookFailedRefund(own, refund) }),
  };
  own.refunds.set(refund.id, after);
  const charge = own.charges.get(`${refund.charge}`);
  if (charge !== undefined && isReturned) {
    const amount_refunded = charge.amount_refunded - refund.amount;
    own.charges.set(charge.id, { ...charge, amount_refunded, refunded: false });
  }
  own.tell('refund.updated', after, { status: refund.status });
  if (status === 'failed') own.tell('refund.failed', after);
}

/** The cardholder disputes a captured charge. */
export function dispute(own: Books, charge: Charge, amount: number): void {
  own.charges.set(charge.id, { ...charge, disputed: true });
  const made = disputeOf(charge, { id: own.nextId('dp'), amount, created: own.now() });
  own.disputes.set(made.id, made);
  bookDispute(own, made);
  own.tell('charge.dispute.created', made);
  own.tell('charge.dispute.funds_withdrawn', made);
}
