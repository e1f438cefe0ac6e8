import type { Action, Does } from './action.ts';
import { create, paid, payment, planOf, present } from './scenario-steps.ts';

const ofOne = { appointment: 0, customer: 2, setup: 'one' } as const;
const twenty = { purpose: 'deposit', amount: '20.00' } as const;
const fee = { purpose: 'noShow', amount: '7.00' } as const;

interface Saved {
  readonly setup?: string;
  readonly card?: string;
  readonly save?: boolean;
}

/** The customer enters a card, and books with it. */
function saved(id: number, { setup = 'one', card = 'visa_credit', save = true }: Saved = {}) {
  const own = { customer: 2, setup } as const;
  return [
    { id, at: 0, does: 'prepare', ...own, key: setup, save },
    { id: id + 1, at: 10_000, does: 'enter', ...own, card },
    { id: id + 2, at: 12_000, does: 'book', appointment: 0, ...own },
  ] as const satisfies readonly Action[];
}

function charge(id: number, at: number, more: Partial<Does<'charge'>> = {}): Does<'charge'> {
  return { id, at, does: 'charge', ...ofOne, ...twenty, key: 'create', ...more };
}

const missed = (id: number, at: number): Does<'miss'> => {
  return { id, at, does: 'miss', appointment: 0, fee: '15.00' };
};

/** A deposit; then the customer pays all that is left, and a card that is held is presented for it. */
const deposit = planOf([
  ...saved(0),
  charge(3, 15_000),
  create(4, 40_000, 0, 'rest'),
  present(5, 50_000, 'visa_credit', { appointment: 0, payment: 'rest' }),
  { id: 6, at: 55_000, does: 'capture', appointment: 0, payment: 'rest', key: 'capture' },
]);

/** Another desk does not know that the deposit was taken, and charges the method once more. */
const depositOfTwoDesks = planOf([
  ...saved(0),
  charge(3, 15_000),
  charge(4, 60_000, { key: 'again' }),
]);

/** Two desks charge the fee for a missed visit, with two cards of the customer. */
const feeOfTwoDesks = planOf([
  ...saved(0),
  ...saved(3, { setup: 'two' }),
  missed(6, 14_000),
  charge(7, 15_000, { ...fee, key: 'one' }),
  charge(8, 15_000, { ...fee, key: 'two', setup: 'two' }),
]);

/** Two desks take a deposit, with two cards of the customer. */
const depositOfTwoCards = planOf([
  ...saved(0),
  ...saved(3, { setup: 'two' }),
  charge(6, 15_000, { key: 'one' }),
  charge(7, 15_000, { key: 'two', setup: 'two' }),
]);

/** The host gives the appointment to somebody else while it is charged, and the request is repeated. */
const customerMoved = planOf([
  ...saved(0),
  charge(3, 15_000),
  { id: 4, at: 15_500, does: 'book', appointment: 0, customer: 3, setup: 'none' },
  charge(5, 40_000),
  { id: 6, at: 100_000, does: 'reconcile' },
]);

/** The visit is paid, and then it is recorded as missed. */
const feeOfPaidVisit = planOf([
  ...saved(10),
  ...paid,
  missed(20, 50_000),
  charge(21, 60_000, { ...fee, key: 'fee' }),
]);

/** A method for this visit bears the deposit, and no fee afterwards. */
const singleMethod = planOf([
  ...saved(0, { save: false }),
  charge(3, 15_000),
  missed(4, 50_000),
  charge(5, 60_000, { ...fee, key: 'fee' }),
]);

/** The customer withdraws the method while it is charged; then the shop charges it again. */
const withdrawn = planOf([
  ...saved(0),
  charge(3, 15_000),
  { id: 4, at: 16_000, does: 'withdraw', customer: 2, setup: 'one' },
  { id: 5, at: 40_000, does: 'withdraw', customer: 2, setup: 'one' },
  missed(6, 50_000),
  charge(7, 60_000, { ...fee, key: 'fee' }),
]);

/** The bank wants the customer. Upkeep leaves it at that; the host may try again. */
const needsCustomer = planOf([
  ...saved(0, { card: 'needs_customer' }),
  charge(3, 15_000),
  { id: 4, at: 100_000, does: 'reconcile' },
  charge(5, 200_000, { key: 'again' }),
]);

/** Less becomes due than the deposit; the rest of it goes back. */
const depositLowered = planOf([
  ...saved(0),
  charge(3, 15_000),
  { id: 4, at: 30_000, does: 'setDue', appointment: 0, due: '12.00' },
  { id: 5, at: 60_000, does: 'refund', ...payment, key: 'excess', amount: '8.00' },
  { id: 6, at: 100_000, does: 'reconcile' },
]);

/** The host charges a deposit while the barber captures the whole amount. */
const depositBesidePayment = planOf([
  ...saved(10),
  ...paid,
  charge(20, 16_000, { key: 'deposit' }),
]);

export const chargeScenarios = {
  deposit,
  depositOfTwoDesks,
  feeOfTwoDesks,
  depositOfTwoCards,
  customerMoved,
  feeOfPaidVisit,
  singleMethod,
  withdrawn,
  needsCustomer,
  depositLowered,
  depositBesidePayment,
} as const;
