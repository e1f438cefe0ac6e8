import type { Action, Does, ReturnedChange } from './action.ts';
import type { Plan } from './plan.ts';
import {
  again,
  askedOnce,
  create,
  opened,
  paid,
  payment,
  planOf,
  prepare,
  present,
} from './scenario-steps.ts';

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

const withTip = (action: Does<'create'>, tip: string) => ({ ...action, tip });
const refund = { does: 'refund', ...payment } as const;

/** A payment with a tip is captured; parts of it go back, one with a named tip, and then the rest. */
const tipRefunded = planOf([
  ...paid.map((action) => (action.does === 'create' ? withTip(action, '5.00') : action)),
  { id: 3, at: 30_000, ...refund, key: 'part', amount: '20.00' },
  { id: 4, at: 60_000, ...refund, key: 'tip', amount: '3.00', tip: '2.00' },
  { id: 5, at: 100_000, ...refund, key: 'rest' },
  { id: 6, at: 200_000, does: 'readRefunds', ...payment },
]);

const rest = { appointment: 0, payment: 'rest' } as const;

/**
 * A part is paid with a tip, by a card that is held while the appointment goes to another barber. He
 * collects the rest with a tip of his own: the first tip has lowered nothing.
 */
const tipOfTwoBarbers = planOf([
  { ...withTip(create(0, 0), '5.00'), amount: '25.00' },
  present(1, 15_000),
  { id: 2, at: 20_000, does: 'move', appointment: 0, barber: 1, business: 'shop' },
  { id: 3, at: 30_000, ...again, as: 'current' },
  { ...withTip(create(4, 100_000, 0, 'rest'), '2.50'), as: 'current' },
  present(5, 110_000, 'visa_credit', rest),
  { id: 6, at: 120_000, does: 'capture', ...rest, key: 'captureRest', as: 'current' },
  { id: 7, at: 150_000, does: 'deliver' },
]);

/** The amount due falls between the create and the capture of a payment with a tip. */
const tipWhileLowered = planOf([
  withTip(create(0, 0), '5.00'),
  present(1, 15_000),
  { id: 2, at: 15_500, does: 'setDue', appointment: 0, due: '40.00' },
  { id: 3, at: 16_000, ...again },
]);

/** The create of a payment with a tip is repeated after its sender must be dead. */
const tipOpened = planOf([withTip(create(0, 0), '5.00'), withTip(create(9, 70_000), '5.00')]);

export const tipScenarios = { tipRefunded, tipOfTwoBarbers, tipWhileLowered, tipOpened } as const;

function tender(id: number, at: number, key: string, amount: string): Does<'tender'> {
  return { id, at, does: 'tender', appointment: 0, key, amount };
}

function giveBack(id: number, at: number, key: string, of: string, amount?: string) {
  const asked = { id, at, does: 'giveBack', appointment: 0, payment: of, key } as const;
  return amount === undefined ? asked : { ...asked, amount };
}

/** A part is paid in cash, by an impatient thumb, and the card pays the rest. */
const cashThenCard = planOf([
  { ...tender(0, 0, 'cash', '20.00'), taps: 2 },
  create(1, 10_000),
  present(2, 20_000),
  { id: 3, at: 21_000, ...again },
  tender(4, 50_000, 'more', '0.05'),
  { id: 5, at: 60_000, does: 'deliver' },
]);

/** Two desks take cash while the card is being captured. */
const cashAtOnce = planOf([
  ...opened,
  { id: 2, at: 16_000, ...again },
  tender(3, 16_000, 'one', '20.00'),
  tender(4, 16_500, 'two', '30.00'),
]);

/** The capture of a part is lost, so that it stays reserved: cash pays what is beside it, and no more. */
const cashWhileUnknown: Plan = {
  ...planOf([
    { ...create(0, 0), amount: '25.00' },
    present(1, 15_000),
    { id: askedOnce, at: 16_000, ...again },
    tender(3, 40_000, 'whole', '45.00'),
    tender(4, 41_000, 'rest', '20.00'),
    { id: 5, at: 140_000, does: 'reconcile' },
    { id: 6, at: 200_000, ...again, key: 'again' },
  ]),
  faults: [{ action: askedOnce, call: 'capturePayment', kind: 'vanishes' }],
};

/** Two desks give the same cash back, one of them more than is left; another tender was a mistake. */
const cashBack = planOf([
  tender(0, 0, 'cash', '20.00'),
  giveBack(1, 10_000, 'part', 'cash', '5.00'),
  giveBack(2, 20_000, 'one', 'cash'),
  giveBack(3, 20_000, 'two', 'cash'),
  giveBack(4, 30_000, 'more', 'cash', '20.00'),
  tender(5, 40_000, 'mistake', '25.00'),
  { id: 6, at: 50_000, does: 'voidTender', appointment: 0, payment: 'mistake' },
  tender(7, 80_000, 'right', '25.00'),
]);

const changeAtProcessor = (id: number, at: number, how: ReturnedChange) =>
  ({ id, at, does: 'changeAtProcessor', ...payment, how }) as const;

/** Cash for a card payment is refused until its refund has failed. Then two desks give it; the card gets the rest. */
const cashForCard = planOf([
  ...paid,
  giveBack(3, 30_000, 'early', 'create', '20.00'),
  { id: 4, at: 40_000, does: 'refund', ...payment, key: 'part', amount: '20.00' },
  changeAtProcessor(5, 90_000, 'refundFails'),
  { id: 6, at: 91_000, does: 'notify', disorder: 0 },
  giveBack(7, 100_000, 'one', 'create', '20.00'),
  giveBack(8, 100_000, 'two', 'create', '20.00'),
  { id: 9, at: 150_000, does: 'refund', ...payment, key: 'rest' },
]);

export const tenderScenarios = {
  cashThenCard,
  cashAtOnce,
  cashWhileUnknown,
  cashBack,
  cashForCard,
} as const;
