import { hourMs } from '@chairside/core';
import { maxOpenPayments } from '@chairside/core/ports';
import type { Action, Does, Plan, ReturnedChange } from './plan.ts';

// Stories with little chance, and those that planted bugs name. Random plans tell all others.

/** One appointment. */
function planOf(actions: readonly Action[], more: Partial<Plan> = {}): Plan {
  return { seed: 1, appointments: 1, actions, faults: [], ...more };
}

const payment = { appointment: 0, payment: 'create' } as const;

function create(id: number, at: number, appointment = 0, key = 'create'): Does<'create'> {
  return { id, at, does: 'create', appointment, key };
}

function present(
  id: number,
  at: number,
  card = 'visa_credit',
  of: Pick<Does<'present'>, 'appointment' | 'payment'> = payment,
): Does<'present'> {
  return { id, at, does: 'present', ...of, card };
}

function prepare(id: number, at: number, setup = 'one', customer = 2): Does<'prepare'> {
  return { id, at, does: 'prepare', customer, setup, key: setup, save: true };
}

/** Gives back; without an amount all that is left. */
function refund(id: number, at: number, key: string, amount?: string): Does<'refund'> {
  return { id, at, does: 'refund', ...payment, key, ...(amount !== undefined && { amount }) };
}

function changeAtProcessor(id: number, at: number, how: ReturnedChange): Does<'changeAtProcessor'> {
  return { id, at, does: 'changeAtProcessor', ...payment, how };
}

function tender(id: number, at: number, key: string, amount: string): Does<'tender'> {
  return { id, at, does: 'tender', appointment: 0, key, amount };
}

function giveBack(
  id: number,
  at: number,
  key: string,
  of: string,
  amount?: string,
): Does<'giveBack'> {
  const asked = { id, at, does: 'giveBack', appointment: 0, payment: of, key } as const;
  return amount === undefined ? asked : { ...asked, amount };
}

const again = { does: 'capture', ...payment, key: 'capture' } as const;
const opened: readonly Action[] = [create(0, 0), present(1, 15_000)];
const paid: readonly Action[] = [...opened, { id: 2, at: 16_000, ...again }];

/** The number of an action whose sender does not ask again where no response comes. */
const askedOnce = 19;

/** Create, present a card, capture: one appointment, one payment. */
export const visit = planOf(paid);

/** The same, with the processor's messages and domain events. */
export const visitWithEvents = planOf([
  ...paid,
  { id: 3, at: 15_500, does: 'notify', disorder: 0 },
  { id: 4, at: 16_500, does: 'notify', disorder: 0 },
  { id: 5, at: 20_000, does: 'notify', disorder: 0 },
  { id: 6, at: 25_000, does: 'deliver' },
]);

/** Only the create, repeated after its sender must be dead: small enough for all pairs of faults. */
export const opening = planOf([create(0, 0), create(9, 70_000)]);

/** A card is declined and another one authorized, while messages of both arrive. */
const secondCard = planOf([
  create(0, 0),
  present(1, 2000, 'declined'),
  { id: 2, at: 3000, does: 'notify', disorder: 0 },
  present(3, 10_000),
  { id: 4, at: 11_000, does: 'notify', disorder: 0 },
]);

/** A setup under a key, repeated after its sender must be dead; then one without a key. */
export const preparing = planOf([
  prepare(0, 0),
  { id: 1, at: 20_000, does: 'enter', customer: 2, setup: 'one', card: 'visa_credit' },
  { id: 2, at: 25_000, does: 'readSetup', customer: 2, setup: 'one' },
  prepare(3, 70_000),
  { id: 4, at: 80_000, does: 'prepare', customer: 3, setup: 'two', save: false },
  { id: 5, at: 140_000, does: 'reconcile' },
]);

/** Only the setup under a key, and its repetition: small enough for all pairs of faults. */
export const preparingAgain = planOf(preparing.actions.filter(({ id }) => id === 0 || id === 3));

/** A phone is registered, used and removed; then another barber has it until its release. */
export const registering = planOf([
  { id: 0, at: 0, does: 'register', barber: 0, device: 'phone' },
  { id: 1, at: 10_000, does: 'useTerminal', barber: 0, device: 'phone', how: 'token' },
  { id: 2, at: 20_000, does: 'register', barber: 1, device: 'phone' },
  { id: 3, at: 30_000, does: 'useTerminal', barber: 0, device: 'phone', how: 'unregister' },
  { id: 4, at: 40_000, does: 'register', barber: 1, device: 'phone' },
  { id: 5, at: 50_000, does: 'listTerminals', barber: 1 },
  { id: 6, at: 60_000, does: 'release', device: 'phone' },
  { id: 7, at: 70_000, does: 'deliver' },
]);

/** The amount due falls to zero after a capture, and upkeep runs. */
const lowered = planOf([
  ...paid,
  { id: 3, at: 40_000, does: 'setDue', appointment: 0, due: '0.00' },
  { id: 4, at: 140_000, does: 'reconcile' },
  { id: 5, at: 200_000, ...again, key: 'again' },
]);

/** A barber of another business takes the appointment over before the capture. */
const moved = planOf([
  ...opened,
  { id: 3, at: 16_000, does: 'move', appointment: 0, barber: 2, business: 'annex' },
  { id: 4, at: 17_000, does: 'read', ...payment, as: 'current' },
  { id: 5, at: 18_000, ...again, key: 'theirs', as: 'current' },
  create(7, 20_000),
  { id: 6, at: 30_000, ...again },
]);

/** Capture, refund of a part, refund of the rest. */
export const refundedInParts = planOf([
  ...paid,
  refund(3, 30_000, 'part', '20.00'),
  refund(4, 100_000, 'rest'),
  { id: 5, at: 200_000, does: 'readRefunds', ...payment },
]);

/** The refunds of `refundedInParts`, for faults in them alone. */
export const refundActions = [3, 4] as const;

/** Two nodes refund at the same time, and what they ask for exceeds the payment. */
export const refundedAtOnce = planOf([
  ...paid,
  refund(3, 30_000, 'one', '30.00'),
  refund(4, 30_000, 'two', '30.00'),
  { id: 5, at: 31_000, does: 'notify', disorder: 0 },
]);

/** An operator refunds a part in the dashboard, and its message is lost; then the shop refunds the rest. */
const refundedElsewhere = planOf([
  ...paid,
  changeAtProcessor(3, 30_000, 'refundUnheard'),
  { id: 4, at: 40_000, does: 'readRefunds', ...payment },
  { id: 5, at: 3 * hourMs, does: 'reconcile' },
  refund(6, 4 * hourMs, 'rest'),
]);

const withTip = (action: Does<'create'>, tip: string) => ({ ...action, tip });
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

/** Cash for a card payment is refused until its refund has failed. Then two desks give it; the card gets the rest. */
const cashForCard = planOf([
  ...paid,
  giveBack(3, 30_000, 'early', 'create', '20.00'),
  refund(4, 40_000, 'part', '20.00'),
  changeAtProcessor(5, 90_000, 'refundFails'),
  { id: 6, at: 91_000, does: 'notify', disorder: 0 },
  giveBack(7, 100_000, 'one', 'create', '20.00'),
  giveBack(8, 100_000, 'two', 'create', '20.00'),
  refund(9, 150_000, 'rest'),
]);

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

/** Less is due than was paid, in another currency: there is no excess to speak of. */
const excessInDollars = planOf([
  ...paid,
  { id: 3, at: 30_000, does: 'setDue', appointment: 0, due: '5.00' },
  { id: 4, at: 35_000, does: 'setAccount', ...dollars },
  { id: 5, at: 40_000, does: 'excess', appointment: 0, key: 'excess' },
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

/** The customer enters a card, and books with it. */
function saved(id: number, setup = 'one'): readonly Action[] {
  const own = { customer: 2, setup } as const;
  return [
    prepare(id, 0, setup),
    { id: id + 1, at: 10_000, does: 'enter', ...own, card: 'visa_credit' },
    { id: id + 2, at: 12_000, does: 'book', appointment: 0, ...own },
  ];
}

const charge = { does: 'charge', appointment: 0, customer: 2 } as const;
const fee = { ...charge, purpose: 'noShow', amount: '7.00' } as const;

/** Two desks charge the fee for a missed visit, with two cards of the customer. */
const feeOfTwoDesks = planOf([
  ...saved(0),
  ...saved(3, 'two'),
  { id: 6, at: 14_000, does: 'miss', appointment: 0, fee: '15.00' },
  { id: 7, at: 15_000, ...fee, setup: 'one', key: 'one' },
  { id: 8, at: 15_000, ...fee, setup: 'two', key: 'two' },
]);

/** Less becomes due than the deposit; the rest of it goes back. */
const depositLowered = planOf([
  ...saved(0),
  {
    id: 3,
    at: 15_000,
    ...charge,
    setup: 'one',
    purpose: 'deposit',
    amount: '20.00',
    key: 'create',
  },
  { id: 4, at: 30_000, does: 'setDue', appointment: 0, due: '12.00' },
  refund(5, 60_000, 'excess', '8.00'),
  { id: 6, at: 100_000, does: 'reconcile' },
]);

/** The capture request is lost, so its amount stays reserved; then the amount due falls to zero. */
const loweredWhileUnknown = planOf(
  [
    ...opened,
    { id: askedOnce, at: 16_000, ...again },
    { id: 3, at: 40_000, does: 'setDue', appointment: 0, due: '0.00' },
    { id: 4, at: 140_000, does: 'reconcile' },
    { id: 5, at: 200_000, ...again, key: 'again' },
  ],
  { faults: [{ action: askedOnce, call: 'capturePayment', kind: 'vanishes' }] },
);

/** The business changes its currency before the payment is captured. */
const repriced = planOf([
  ...opened,
  { id: 3, at: 15_500, does: 'setAccount', ...dollars, account: 'acct_shop' },
  { id: 4, at: 16_000, ...again },
]);

/** A declined card, then another one, under the same key; then the barber has lost the role. */
const declinedThenCaptured = planOf([
  create(0, 0),
  present(1, 5000, 'declined'),
  { id: 2, at: 6000, ...again },
  present(3, 12_000),
  { id: 4, at: 13_000, ...again },
  { id: 5, at: 20_000, ...again, as: 'roleless' },
]);

/** Somebody changes the amount at the processor while a capture is under way. */
const alteredLate = planOf([
  ...paid,
  { id: 3, at: 17_000, does: 'changeAtProcessor', ...payment, how: 'alterAmount' },
  { id: 4, at: 90_000, ...again },
]);

/** An authorization that a clock two days ahead takes for expired, on one of two nodes. */
const clockAhead = planOf(
  [
    ...opened,
    { id: 3, at: 15_300, does: 'notify', disorder: 0 },
    { id: 5, at: 2 * hourMs, does: 'reconcile' },
    { id: 4, at: 3 * hourMs, ...again },
  ],
  { skewMs: 49 * hourMs },
);

/** Upkeep on a node two days ahead, whose clock says that the keys were kept long enough. */
const keysOfAClockAhead = planOf([...paid, { id: 3, at: 30 * hourMs, does: 'reconcile' }], {
  skewMs: 49 * hourMs,
});

/**
 * A node two days ahead dies as it opens a payment, which looks new again two days later. It is then
 * opened a second time, and has no reference that tells its openings apart.
 */
const openedTwice = planOf(
  [
    // Odd numbers are served by the node whose clock is ahead.
    create(1, 0),
    // Until then nothing happens, and then the client repeats its request.
    { id: 4, at: 49.1 * hourMs, does: 'notify', disorder: 0 },
  ],
  { seed: 3, faults: [{ action: 1, call: 'openPayment', kind: 'vanishes' }], skewMs: 49 * hourMs },
);

/** The reply to the opening is lost. The same request comes again, once its first sender must be dead. */
const openedUnheard = planOf([create(askedOnce, 0), create(9, 70_000)], {
  faults: [
    { action: askedOnce, call: 'openPayment', kind: 'losesReply' },
    { action: askedOnce, call: 'readPayment', kind: 'fails' },
  ],
});

/** An impatient thumb prepares a payment method twice, under one key. */
const preparedTwice = planOf([{ ...prepare(0, 0), taps: 2 }]);

/** More payments of one appointment than may be open at a time. */
export const crowded = planOf(
  Array.from({ length: maxOpenPayments + 4 }, (_, id) => {
    return { ...create(id, 0, 0, `create-${id}`), amount: '5.00' };
  }),
);

/** Each of these with every fault. */
export const scenarios = {
  visit,
  visitWithEvents,
  secondCard,
  preparing,
  registering,
  lowered,
  moved,
  refundedInParts,
  refundedAtOnce,
  refundedElsewhere,
  tipOfTwoBarbers,
  tipWhileLowered,
  tipOpened,
  cashThenCard,
  cashAtOnce,
  cashBack,
  cashForCard,
  reused,
  excessInDollars,
  accountOfTheMorning,
  intruded,
  merged,
  feeOfTwoDesks,
  depositLowered,
  loweredWhileUnknown,
  repriced,
  declinedThenCaptured,
  alteredLate,
  clockAhead,
  keysOfAClockAhead,
  openedTwice,
  openedUnheard,
  preparedTwice,
} as const;
