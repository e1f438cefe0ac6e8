import type { Does, ReturnedChange } from './action.ts';
import type { Plan } from './plan.ts';
import {
  again,
  askedOnce,
  create,
  opened,
  paid,
  payment,
  planOf,
  present,
} from './scenario-steps.ts';

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
