import type Stripe from 'stripe';
import type { StandInPayout } from './balance.ts';
import { book } from './booking.ts';
import type { Books } from './books.ts';

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
/** Banks are credited at the beginning of a day. */
const transferDays = 2;

/**
 * Pays an account's available balance out, in each currency, as the schedule of an account does. A
 * balance below zero is taken from the bank, as Stripe does where the account allows it. Returns the ids.
 */
export function payOut(own: Books): readonly string[] {
  const paid = new Set([...own.payouts.values()].flatMap(({ entries }) => [...entries]));
  const waiting = [...own.entries.values()].filter(
    ({ id, available_on }) => !paid.has(id) && available_on <= own.now(),
  );
  const byCurrency = Map.groupBy(waiting, ({ currency }) => currency);
  return [...byCurrency].flatMap(([currency, entries]) => {
    const amount = entries.reduce((sum, { net }) => sum + net, 0);
    if (amount === 0) return [];
    return [make(own, amount, currency, new Set(entries.map(({ id }) => id)))];
  });
}

/** Pays an amount out because the account asks for it. Stripe never names its entries. */
export function payOutByHand(own: Books, amount: number, currency: string): string {
  return make(own, amount, currency);
}

function make(own: Books, amount: number, currency: string, entries?: ReadonlySet<string>): string {
  const id = own.nextId('po');
  const change = { amount: -amount, currency, type: 'payout', category: 'payout' } as const;
  const entry = book(own, { ...change, source: id, description: 'STRIPE PAYOUT' });
  const payout: Stripe.Payout = {
    id,
    object: 'payout',
    amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: (Math.floor(own.now() / daySeconds) + transferDays) * daySeconds,
    automatic: entries !== undefined,
    balance_transaction: entry,
    created: own.now(),
    currency,
    description: 'STRIPE PAYOUT',
    destination: 'ba_standin',
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    livemode: own.livemode,
    metadata: {},
    method: 'standard',
    original_payout: null,
    payout_method: null,
    reconciliation_status: entries === undefined ? 'not_applicable' : 'in_progress',
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: null,
    status: 'in_transit',
    trace_id: null,
    type: 'bank_account',
  };
  const all = entries === undefined ? new Set<string>() : new Set([...entries, entry]);
  own.payouts.set(id, { payout, entries: all });
  return id;
}

/** The bank returns a payout, perhaps days after it was paid. Its amount is in the balance again. */
export function failPayout(own: Books, { payout, entries }: StandInPayout): void {
  const { id: source, amount, currency } = payout;
  const change = { type: 'payout_failure', category: 'payout_reversal', source } as const;
  const failed: Stripe.Payout = {
    ...payout,
    failure_balance_transaction: book(own, { ...change, amount, currency }),
    failure_code: 'account_closed',
    failure_message: 'The bank account has been closed.',
    status: 'failed',
  };
  own.payouts.set(source, { payout: failed, entries });
}

/** Takes a payout back from the bank by another payout, whose entry returns the amount to the balance. */
export function reversePayout(own: Books, { payout, entries }: StandInPayout): string {
  const id = own.nextId('po');
  const change = { type: 'payout', category: 'payout_reversal', source: id } as const;
  const reversing: Stripe.Payout = {
    ...shownPayout(own, { payout, entries }),
    id,
    amount: -payout.amount,
    automatic: false,
    balance_transaction: book(own, { ...change, amount: payout.amount, currency: payout.currency }),
    created: own.now(),
    original_payout: payout.id,
    reconciliation_status: 'not_applicable',
    status: 'pending',
  };
  own.payouts.set(id, { payout: reversing, entries: new Set() });
  own.payouts.set(payout.id, { payout: { ...payout, reversed_by: id }, entries });
  return id;
}

/** The payout as it is now. */
export function shownPayout(own: Books, { payout }: StandInPayout): Stripe.Payout {
  const { status, reconciliation_status: found, arrival_date: arrival, created } = payout;
  return {
    ...payout,
    status: status === 'in_transit' && own.now() >= arrival ? 'paid' : status,
    reconciliation_status:
      found === 'in_progress' && own.now() - created >= hourSeconds ? 'completed' : found,
  };
}
