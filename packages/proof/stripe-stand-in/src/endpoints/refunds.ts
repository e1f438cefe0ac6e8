import type Stripe from 'stripe';
import {
  bookDispute,
  bookFailedRefund,
  bookRefund,
  bookWonDispute,
  reverseTransfer,
  transferFor,
} from '../booking.ts';
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
      // What was released at the capture counts as refunded.
      const left = charge.amount - charge.amount_refunded;
      const { amount = left } = params;
      if (left === 0) return invalid('Already refunded.', { code: 'charge_already_refunded' });
      if (amount > left || amount < 1) {
        return invalid('The amount exceeds the rest that was not refunded.', { param: 'amount' });
      }
      if (params.reverse_transfer) {
        const transfer = transferFor(own, charge);
        const about = { param: 'reverse_transfer' };
        if (!transfer) return invalid('There is no transfer to reverse.', about);
        // Stripe's words, which have no code (stripe-ruby #1058).
        if (transfer.reversed) {
          return invalid(`The transfer ${transfer.id} is already fully reversed.`);
        }
        if (amount > transfer.amount - transfer.amount_reversed) {
          return invalid('The amount exceeds what is left of the transfer.', about);
        }
      }
      const isFeeAlone = params.refund_application_fee && !params.reverse_transfer;
      if (charge.transfer_data && isFeeAlone) {
        return invalid('To refund the application fee, the transfer must be reversed too.', {
          param: 'refund_application_fee',
        });
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

/** Shows what is about one intent, or about any, and the objects of it that are asked for. */
function ofIntent(
  own: Books,
  {
    payment_intent: intent,
    expand = [],
  }: { readonly payment_intent?: string; readonly expand?: readonly string[] },
) {
  return <T extends Stripe.Refund | Stripe.Dispute>(object: T): T | undefined => {
    if (intent !== undefined && object.payment_intent !== intent) return undefined;
    const whole = {
      payment_intent: own.intents,
      balance_transaction: own.entries,
      failure_balance_transaction: own.entries,
    };
    const shown = Object.entries(whole).flatMap(([name, all]) => {
      const found = expand.includes(`data.${name}`) && all.get(`${Reflect.get(object, name)}`);
      return found ? [[name, found]] : [];
    });
    const now = object.object === 'dispute' ? shownNow(own, object) : object;
    return { ...now, ...Object.fromEntries(shown) };
  };
}

/** An inquiry leaves the rest of its charge refundable. */
function shownNow<T extends Stripe.Dispute>(own: Books, dispute: T): T {
  const isRefunded = own.charges.get(`${dispute.charge}`)?.refunded === true;
  const isInquiry = dispute.status.startsWith('warning_');
  return { ...dispute, is_charge_refundable: isInquiry && !isRefunded };
}

/**
 * Refunds a part of a captured charge, with Stripe's event.
 * @param isBooked false: the balance does not suffice yet, so the refund is pending.
 */
export function giveBack(
  own: Books,
  charge: Charge,
  amount: number,
  {
    metadata = {},
    refund_application_fee: returnsFee = false,
    reverse_transfer: reverses = false,
  }: Params<Stripe.RefundCreateParams>,
  isBooked = true,
): Stripe.Refund {
  const amount_refunded = charge.amount_refunded + amount;
  const refunded = amount_refunded === charge.amount;
  const after: Charge = { ...charge, amount_refunded, refunded };
  own.charges.set(charge.id, after);
  own.tell('charge.refunded', after, { amount_refunded: charge.amount_refunded });
  const made = refundOf(charge, { id: own.nextId('re'), amount, created: own.now() });
  const transfer = reverses ? transferFor(own, charge) : undefined;
  const refund: Stripe.Refund = {
    ...made,
    metadata,
    ...(transfer && { transfer_reversal: reverseTransfer(own, transfer, made) }),
    ...(isBooked
      ? { balance_transaction: bookRefund(own, charge, made, returnsFee) }
      : { status: 'pending', pending_reason: 'insufficient_funds' }),
  };
  own.refunds.set(refund.id, refund);
  own.tell('refund.created', refund);
  return refund;
}

/** Less was captured than authorized. Stripe shows the rest as a refund, and books nothing. */
export function release(own: Books, charge: Charge, amount: number): void {
  const after: Charge = { ...charge, amount_refunded: amount };
  own.charges.set(charge.id, after);
  const refund = refundOf(charge, { id: own.nextId('re'), amount, created: own.now() });
  own.refunds.set(refund.id, refund);
  own.tell('charge.refunded', after, { amount_refunded: 0, captured: false });
  own.tell('refund.created', refund);
}

/**
 * Ends a refund otherwise than it began: the card's bank sends the money back. With a destination charge it
 * comes back to the platform, and the transfer stays reversed.
 */
export function endRefund(
  own: Books,
  refund: Stripe.Refund,
  status: 'pending' | 'failed' | 'canceled' | 'succeeded',
): void {
  const isReturned = status === 'failed' || status === 'canceled';
  const isBooked = refund.balance_transaction !== null;
  const charge = own.charges.get(`${refund.charge}`);
  const isBookedNow = status === 'succeeded' && !isBooked && charge !== undefined;
  const { pending_reason: _, ...rest } = refund;
  const after: Stripe.Refund = {
    ...(status === 'pending' ? refund : rest),
    status,
    ...(isBookedNow && { balance_transaction: bookRefund(own, charge, refund, false) }),
    ...(status === 'failed' && { failure_reason: 'expired_or_canceled_card' }),
    ...(isReturned && isBooked && { failure_balance_transaction: bookFailedRefund(own, refund) }),
  };
  own.refunds.set(refund.id, after);
  if (charge !== undefined && isReturned) {
    const amount_refunded = charge.amount_refunded - refund.amount;
    own.charges.set(charge.id, { ...charge, amount_refunded, refunded: false });
  }
  own.tell('refund.updated', after, { status: refund.status });
  if (status === 'failed') own.tell('refund.failed', after);
}

/** The cardholder disputes a captured charge, or only inquires about it. */
export function dispute(own: Books, charge: Charge, amount: number, isInquiry: boolean): void {
  own.charges.set(charge.id, { ...charge, disputed: true });
  const made = { id: own.nextId('dp'), amount, created: own.now() };
  const opened = shownNow(own, disputeOf(charge, made, isInquiry));
  own.disputes.set(opened.id, opened);
  own.tell('charge.dispute.created', opened);
  if (!isInquiry) book(own, opened, bookDispute(own, opened), 'charge.dispute.funds_withdrawn');
}

/** The dispute with another entry in the balance. */
function book(
  own: Books,
  before: Stripe.Dispute,
  entry: string,
  type: 'charge.dispute.funds_withdrawn' | 'charge.dispute.funds_reinstated',
): Stripe.Dispute {
  const booked = own.entries.get(entry);
  const all = [...before.balance_transactions, ...(booked ? [booked] : [])];
  const isCut = own.switches.disputeBookings === 'firstTwo';
  const balance_transactions = isCut ? all.slice(0, 2) : all;
  const after = { ...before, balance_transactions };
  own.disputes.set(after.id, after);
  own.tell(type, after);
  return after;
}

type DisputeStatus = Stripe.Dispute['status'];
const closed: ReadonlySet<DisputeStatus> = new Set(['won', 'lost', 'warning_closed', 'prevented']);
/** Here the shop gets its money, or keeps it. */
const returning: ReadonlySet<DisputeStatus> = new Set(['won', 'warning_closed', 'prevented']);
/** An appeal leaves the money where it is. */
const withholding: ReadonlySet<DisputeStatus> = new Set(['needs_response', 'under_review', 'lost']);
const respondWithinSeconds = 5 * 24 * 3600;

/** Moves a dispute to another status, with the money that follows and Stripe's messages. */
export function moveDispute(own: Books, before: Stripe.Dispute, status: DisputeStatus): void {
  const evidence_details = {
    ...before.evidence_details,
    ...(status.endsWith('needs_response') && { due_by: own.now() + respondWithinSeconds }),
  };
  const after = shownNow(own, { ...before, status, evidence_details });
  own.disputes.set(after.id, after);
  const type = closed.has(status) ? 'charge.dispute.closed' : 'charge.dispute.updated';
  own.tell(type, after, { status: before.status });
  const booked = [...own.entries.values()].filter(({ source }) => source === before.id);
  const withheld = booked.reduce((sum, { amount }) => sum - amount, 0);
  if (withheld === 0 && withholding.has(status)) {
    book(own, after, bookDispute(own, after), 'charge.dispute.funds_withdrawn');
  }
  if (withheld > 0 && returning.has(status)) {
    book(own, after, bookWonDispute(own, after), 'charge.dispute.funds_reinstated');
  }
}
