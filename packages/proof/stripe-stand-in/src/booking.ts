import type Stripe from 'stripe';
import type { BalanceEntry } from './balance.ts';
import type { Books } from './books.ts';
import type { Charge } from './charge.ts';

/** Stripe's price of a card in person, and of a dispute, in the United States. */
const share = 0.027;
const fixedFee = 5;
const disputeFee = 1500;

const daySeconds = 24 * 3600;
/** Captured amounts are available for a payout after this time; amounts that leave count at once. */
const holdSeconds = 2 * daySeconds;

type Change = Pick<BalanceEntry, 'amount' | 'currency' | 'type' | 'source'> & {
  readonly category: string;
  readonly description?: string;
  readonly fees?: readonly Stripe.BalanceTransaction.FeeDetail[];
  readonly holdSeconds?: number;
};

/** Books a change of the balance, and returns its id. */
export function book(own: Books, change: Change): string {
  const { amount, currency, type, source, category, fees = [] } = change;
  const fee = fees.reduce((sum, one) => sum + one.amount, 0);
  const id = own.nextId('txn');
  own.entries.set(id, {
    id,
    object: 'balance_transaction',
    amount,
    available_on: own.now() + (change.holdSeconds ?? 0),
    balance_type: 'payments',
    created: own.now(),
    currency,
    description: change.description ?? null,
    exchange_rate: null,
    fee,
    fee_details: [...fees],
    net: amount - fee,
    reporting_category: category,
    source,
    status: change.holdSeconds === undefined ? 'available' : 'pending',
    type,
  });
  return id;
}

function feeDetail(
  type: 'stripe_fee' | 'application_fee',
  amount: number,
  currency: string,
  description: string,
): Stripe.BalanceTransaction.FeeDetail {
  const application = type === 'application_fee' ? 'ca_standin' : null;
  return { amount, application, currency, description, type };
}

/**
 * A captured charge. The account pays Stripe's fee and the platform's. With destination charges the
 * platform pays Stripe's fee, moves the amount to the shop, and takes its own fee back.
 */
export function bookCharge(own: Books, charge: Charge, amount: number): string {
  const { id: source, currency, application_fee_amount: fee, transfer_data: transfer } = charge;
  const stripes = Math.round(amount * share) + fixedFee;
  const fees = [feeDetail('stripe_fee', stripes, currency, 'Stripe processing fees')];
  if (fee && !transfer) fees.push(feeDetail('application_fee', fee, currency, 'Application fee'));
  const booked = book(own, {
    amount,
    currency,
    type: 'charge',
    category: 'charge',
    source,
    fees,
    holdSeconds,
  });
  if (!transfer) return booked;
  const moved = transferOf(own, charge, amount);
  own.moves.set(moved.id, moved);
  const move = { currency, type: 'transfer', category: 'transfer', source: moved.id } as const;
  book(own, { ...move, amount: -amount });
  if (fee) {
    const taken = applicationFeeOf(own, charge, fee);
    own.moves.set(taken.id, taken);
    const take = { type: 'application_fee', category: 'platform_earning' } as const;
    book(own, { ...take, amount: fee, currency, source: taken.id });
  }
  return booked;
}

/** A refund. Stripe keeps its fee; the platform's fee comes back in one of two ways. */
export function bookRefund(
  own: Books,
  charge: Charge,
  { id: source, amount, currency }: Stripe.Refund,
  returnsFee: boolean,
): string {
  const part = amount / charge.amount_captured;
  const returned = returnsFee ? Math.floor((charge.application_fee_amount ?? 0) * part) : 0;
  const isApart = own.switches.returnedFees === 'apart';
  const isWithin = returned > 0 && !isApart && !charge.transfer_data;
  if (returned > 0 && isApart && !charge.transfer_data) {
    const back = feeRefundOf(own, returned, currency);
    own.moves.set(back.id, back);
    const how = { type: 'adjustment', category: 'fee', source: back.id } as const;
    book(own, { ...how, amount: returned, currency });
  }
  return book(own, {
    amount: -amount,
    currency,
    type: 'refund',
    category: 'refund',
    source,
    ...(isWithin && {
      fees: [feeDetail('application_fee', -returned, currency, 'Application fee refunded')],
    }),
  });
}

/** The transfer of a destination charge, which its refunds may reverse in part. */
export function transferFor(own: Books, charge: Charge): Stripe.Transfer | undefined {
  for (const move of own.moves.values()) {
    if (move.object === 'transfer' && move.source_transaction === charge.id) return move;
  }
  return undefined;
}

/** Takes the amount of a refund back from the shop's account. Nothing undoes that if the refund fails. */
export function reverseTransfer(
  own: Books,
  transfer: Stripe.Transfer,
  { id: source_refund, amount, currency }: Stripe.Refund,
): string {
  const amount_reversed = transfer.amount_reversed + amount;
  const reversed = amount_reversed === transfer.amount;
  own.moves.set(transfer.id, { ...transfer, amount_reversed, reversed });
  const id = own.nextId('trr');
  const how = { type: 'transfer_refund', category: 'transfer_reversal', source: id } as const;
  own.moves.set(id, {
    id,
    object: 'transfer_reversal',
    amount,
    balance_transaction: book(own, { ...how, amount, currency }),
    created: own.now(),
    currency,
    destination_payment_refund: null,
    metadata: {},
    source_refund,
    transfer: transfer.id,
  });
  return id;
}

/** The amount of a refund that failed comes back. */
export function bookFailedRefund(
  own: Books,
  { id: source, amount, currency }: Stripe.Refund,
): string {
  const category = 'refund_failure';
  return book(own, { amount, currency, type: 'refund_failure', category, source });
}

/** The network takes a disputed amount, and Stripe a fee for the first time. */
export function bookDispute(
  own: Books,
  { id: source, amount, currency, balance_transactions: before }: Stripe.Dispute,
): string {
  const fees = [feeDetail('stripe_fee', disputeFee, currency, 'Dispute fee')];
  const change = { type: 'adjustment', category: 'dispute', source, currency } as const;
  const description = 'Chargeback withdrawal';
  return book(own, {
    ...change,
    ...(before.length === 0 && { fees }),
    amount: -amount,
    description,
  });
}

/** The amount of a dispute that was won comes back, without the fee. */
export function bookWonDispute(
  own: Books,
  { id: source, amount, currency }: Stripe.Dispute,
): string {
  const change = { type: 'adjustment', category: 'dispute_reversal', source, currency } as const;
  return book(own, { ...change, amount, description: 'Chargeback reversal' });
}

/** An entry as it is listed, with its source where that is asked for. */
export function shownEntry(
  own: Books,
  entry: BalanceEntry,
  expand: readonly string[],
): Stripe.BalanceTransaction {
  const status = entry.available_on > own.now() ? 'pending' : 'available';
  const isIntentShown = expand.includes('data.source.payment_intent');
  if (entry.source === null || (!isIntentShown && !expand.includes('data.source'))) {
    return { ...entry, status };
  }
  const source = own.sourceOf(entry.source);
  if (source === undefined || !('payment_intent' in source) || !isIntentShown) {
    return { ...entry, status, source: source ?? entry.source };
  }
  const intent = own.intents.get(`${source.payment_intent}`) ?? source.payment_intent;
  return { ...entry, status, source: { ...source, payment_intent: intent } };
}

/** The transfer of a destination charge to its shop. */
function transferOf(own: Books, charge: Charge, amount: number): Stripe.Transfer {
  const id = own.nextId('tr');
  const url = `/v1/transfers/${id}/reversals`;
  return {
    id,
    object: 'transfer',
    amount,
    amount_reversed: 0,
    balance_transaction: null,
    created: own.now(),
    currency: charge.currency,
    description: null,
    destination: `${charge.transfer_data?.destination}`,
    livemode: own.livemode,
    metadata: {},
    reversals: { object: 'list', data: [], has_more: false, url },
    reversed: false,
    source_transaction: charge.id,
    transfer_group: null,
  };
}

/** The platform's fee on a destination charge. */
function applicationFeeOf(own: Books, charge: Charge, amount: number) {
  const id = own.nextId('fee');
  const fee: Stripe.ApplicationFee = {
    id,
    object: 'application_fee',
    account: `${charge.transfer_data?.destination}`,
    amount,
    amount_refunded: 0,
    application: 'ca_standin',
    balance_transaction: null,
    charge: charge.id,
    created: own.now(),
    currency: charge.currency,
    fee_source: { charge: charge.id, type: 'charge' },
    livemode: own.livemode,
    originating_transaction: charge.id,
    refunded: false,
    refunds: {
      object: 'list',
      data: [],
      has_more: false,
      url: `/v1/application_fees/${id}/refunds`,
    },
  };
  return fee;
}

/** The part of the platform's fee that a refund brings back to the account. */
function feeRefundOf(own: Books, amount: number, currency: string): Stripe.FeeRefund {
  return {
    id: own.nextId('fr'),
    object: 'fee_refund',
    amount,
    balance_transaction: null,
    created: own.now(),
    currency,
    fee: 'fee_standin',
    metadata: {},
  };
}
