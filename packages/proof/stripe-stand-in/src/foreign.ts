import type Stripe from 'stripe';
import type { BalanceEntry } from './balance.ts';
import { book } from './booking.ts';
import type { Books } from './books.ts';
import { newIntent } from './intent.ts';
import { disputeOf, refundOf } from './refund.ts';

/** The objects that other software makes in an account that it shares with us. */
export interface ForeignObjects {
  /** Payments without our marks, all made in this second. */
  readonly intents?: number;
  /** Refunds of the last intent, if any, with other ids than those of cards. */
  readonly refunds?: number;
  readonly disputes?: number;
  /** Instead of the members that these have otherwise. */
  readonly refund?: Partial<Stripe.Refund>;
  readonly dispute?: Partial<Stripe.Dispute>;
  /** Changes of the balance. */
  readonly entries?: readonly Partial<BalanceEntry>[];
}

/** A payment of another kind, which has no intent. */
const bankDebit = {
  id: 'py_00000000',
  currency: 'usd',
  payment_intent: null,
  payment_method: null,
};

/** Adds the objects, with Stripe's messages about them. */
export function addForeign(
  own: Books,
  { intents = 0, refunds = 0, disputes = 0, refund, dispute, entries = [] }: ForeignObjects,
): void {
  const { livemode } = own;
  const made = { amount: 1200, created: own.now() };
  let lastIntent: string | null = null;
  for (let order = 0; order < intents; order += 1) {
    const id = own.nextId('pi');
    const intent = newIntent({
      ...made,
      id,
      allowed_payment_method_types: null,
      application_fee_amount: null,
      client_secret: own.nextId(`${id}_secret`),
      currency: 'usd',
      customer: null,
      description: 'Subscription',
      livemode,
      metadata: { order: `${order}` },
      on_behalf_of: null,
      payment_method_options: null,
      payment_method_types: ['us_bank_account'],
      transfer_data: null,
    });
    own.intents.set(id, intent);
    lastIntent = id;
    own.tell('payment_intent.created', intent);
    own.tell('payment_intent.processing', intent);
  }
  for (let count = 0; count < refunds; count += 1) {
    const foreign: Stripe.Refund = {
      ...refundOf({ ...bankDebit, livemode }, { ...made, id: own.nextId('pyr') }),
      metadata: null,
      payment_intent: lastIntent,
      status: 'requires_action',
      ...refund,
    };
    own.refunds.set(foreign.id, foreign);
    own.tell('refund.created', foreign);
  }
  for (let count = 0; count < disputes; count += 1) {
    const foreign: Stripe.Dispute = {
      ...disputeOf({ ...bankDebit, livemode }, { ...made, id: own.nextId('du') }),
      reason: 'bank_cannot_process',
      status: 'warning_under_review',
      ...dispute,
    };
    own.disputes.set(foreign.id, foreign);
    own.tell('charge.dispute.created', foreign);
  }
  for (const entry of entries) {
    const fee = { amount: -300, currency: 'usd', type: 'stripe_fee', category: 'fee' } as const;
    const id = book(own, { ...fee, source: null });
    const booked = own.entries.get(id);
    if (booked !== undefined) own.entries.set(id, { ...booked, ...entry });
  }
}
