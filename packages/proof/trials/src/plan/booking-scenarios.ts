import type { Action } from './action.ts';
import { again, create, paid, planOf, prepare, present } from './scenario-steps.ts';

// What booking software does to an appointment (D209, D210).

/** A customer has paid; then the host gives the appointment's id to another one, for a visit a week later. */
const reused = planOf([
  { id: 0, at: 0, does: 'rebook', appointment: 0, customer: 2, weeks: 0 },
  create(1, 1000),
  present(2, 15_000),
  { id: 3, at: 16_000, ...again },
  { id: 4, at: 30_000, does: 'rebook', appointment: 0, customer: 3, weeks: 1 },
  { id: 5, at: 31_000, does: 'raise', appointment: 0 },
  create(6, 40_000, 0, 'reused'),
]);

const dollars = { business: 'shop', account: 'acct_annex', currency: 'usd' } as const;
const lowered: readonly Action[] = [
  ...paid,
  { id: 3, at: 30_000, does: 'setDue', appointment: 0, due: '5.00' },
];
const excess: Action = { id: 5, at: 40_000, does: 'excess', appointment: 0, key: 'excess' };

/** Less is due than was paid, in another currency: there is no excess to speak of. */
const excessInDollars = planOf([
  ...lowered,
  { id: 4, at: 35_000, does: 'setAccount', ...dollars },
  excess,
]);

/** The business has another account by the end of the day. */
const accountOfTheMorning = planOf([
  ...paid,
  { id: 4, at: 35_000, does: 'setAccount', ...dollars },
]);

/** A process of another installation starts on the same database. */
const intruded = planOf([...paid, { id: 3, at: 10_000, does: 'intrude', appointment: 0 }]);

/** Two customers with saved cards become one. */
const merged = planOf([
  prepare(0, 0, 'one', 2),
  prepare(1, 0, 'one', 3),
  { id: 2, at: 10_000, does: 'enter', customer: 2, setup: 'one', card: 'visa_credit' },
  { id: 3, at: 10_000, does: 'enter', customer: 3, setup: 'one', card: 'visa_credit' },
  { id: 4, at: 20_000, does: 'merge', from: 3, into: 2 },
]);

export const bookingScenarios = {
  reused,
  excessInDollars,
  accountOfTheMorning,
  intruded,
  merged,
} as const;
