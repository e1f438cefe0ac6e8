import { hourMs, minuteMs } from '@chairside/core';
import { maxOpenPayments } from '@chairside/core/ports';
import type { Action } from './action.ts';
import { chargeScenarios } from './charge-scenarios.ts';
import type { Plan } from './plan.ts';
import { refundScenarios } from './refund-scenarios.ts';
import {
  again,
  askedOnce,
  askedOnceTooLate,
  create,
  opened,
  paid,
  payment,
  planOf,
  prepare,
  present,
  unheard,
} from './scenario-steps.ts';
import { visit, visitScenarios } from './scenarios.ts';
import { bookingScenarios, tenderScenarios, tipScenarios } from './shop-scenarios.ts';

/** Two setups: one is completed after its time, the other never. */
const tooLate = planOf([
  prepare(0, 0, 'late'),
  { id: 1, at: 0, does: 'prepare', customer: 3, setup: 'never', key: 'never', save: false },
  { id: 2, at: 61 * minuteMs, does: 'enter', customer: 2, setup: 'late', card: 'visa_credit' },
  { id: 3, at: 62 * minuteMs, does: 'readSetup', customer: 2, setup: 'late' },
  { id: 4, at: 63 * minuteMs, does: 'reconcile' },
]);

/** The processor opens the payment hours after everyone gave it up, and refuses to cancel it. */
const orphaned: Plan = {
  ...visit,
  actions: [
    create(askedOnceTooLate, 0),
    { id: 3, at: 30 * minuteMs, does: 'reconcile' },
    { id: 4, at: 4 * hourMs, does: 'reconcile' },
  ],
  faults: [{ action: askedOnceTooLate, call: 'openPayment', kind: 'landsLater' }],
};

/** The processor opens the payment after it was closed here; it is too young to be swept. */
const openedLate: Plan = {
  ...visit,
  actions: [
    create(askedOnce, 0),
    { id: 3, at: 16 * minuteMs, does: 'reconcile' },
    { id: 4, at: 35 * minuteMs, does: 'reconcile' },
  ],
  faults: [{ action: askedOnce, call: 'openPayment', kind: 'landsLater' }],
};

/** An authorization that a clock two days ahead takes for expired, on one of two nodes. */
const clockAhead: Plan = {
  ...visit,
  actions: [
    ...opened,
    { id: 3, at: 15_300, does: 'notify', disorder: 0 },
    { id: 5, at: 2 * hourMs, does: 'reconcile' },
    { id: 4, at: 3 * hourMs, ...again },
  ],
  skewMs: 49 * hourMs,
};

/** Upkeep on a node two days ahead, whose clock says that the keys were kept long enough. */
const keysOfAClockAhead: Plan = {
  ...visit,
  actions: [...paid, { id: 3, at: 30 * hourMs, does: 'reconcile' }],
  skewMs: 49 * hourMs,
};

/** Its node has the clock that is ahead. */
const openedTwiceBy = 1;

/**
 * A node two days ahead dies as it opens a payment, which looks new again two days later. It is then
 * opened a second time, and has no reference that tells its openings apart.
 */
const openedTwice: Plan = {
  ...visit,
  seed: 3,
  actions: [
    create(openedTwiceBy, 0),
    // Until then nothing happens, and then the client repeats its request.
    { id: 4, at: 49.1 * hourMs, does: 'notify', disorder: 0 },
  ],
  faults: [{ action: openedTwiceBy, call: 'openPayment', kind: 'vanishes' }],
  skewMs: 49 * hourMs,
};

/** A card is presented, and captured almost two days later: its keys count from then on (D21). */
const capturedLate = planOf([...opened, { id: 2, at: 40 * hourMs, ...again }]);

/** The capture request is lost, so its amount stays reserved; then the amount due falls to zero. */
export const loweredWhileUnknown: Plan = {
  ...visit,
  actions: [
    ...opened,
    { id: askedOnce, at: 16_000, ...again },
    { id: 3, at: 40_000, does: 'setDue', appointment: 0, due: '0.00' },
    { id: 4, at: 140_000, does: 'reconcile' },
    { id: 5, at: 200_000, ...again, key: 'again' },
  ],
  faults: [{ action: askedOnce, call: 'capturePayment', kind: 'vanishes' }],
};

/** The same, where the host removes the appointment. */
export const removedWhileUnknown: Plan = {
  ...loweredWhileUnknown,
  actions: loweredWhileUnknown.actions.map((action) =>
    action.does === 'setDue' ? { id: 3, at: 40_000, does: 'remove', appointment: 0 } : action,
  ),
};

/** A part is paid; while the rest is being captured, less becomes due. */
export const loweredBelowTheRest: Plan = {
  ...visit,
  actions: [
    { id: 0, at: 0, does: 'create', appointment: 0, key: 'part', amount: '20.00' },
    present(1, 2000, 'visa_credit', { appointment: 0, payment: 'part' }),
    { id: 2, at: 4000, does: 'capture', appointment: 0, payment: 'part', key: 'part-capture' },
    { id: 3, at: 8000, does: 'create', appointment: 0, key: 'create', amount: '25.00' },
    present(4, 15_000),
    { id: askedOnce, at: 16_000, ...again },
    { id: 6, at: 40_000, does: 'setDue', appointment: 0, due: '30.00' },
    { id: 7, at: 140_000, does: 'reconcile' },
  ],
  faults: [{ action: askedOnce, call: 'capturePayment', kind: 'vanishes' }],
};

/** The business changes its currency before the payment is captured. */
export const repriced = planOf([
  ...opened,
  {
    id: 3,
    at: 15_500,
    does: 'setAccount',
    business: 'shop',
    account: 'acct_shop',
    currency: 'usd',
  },
  { id: 4, at: 16_000, ...again },
]);

/** A declined card, then another one, under the same key; then the barber has lost the role. */
export const declinedThenCaptured = planOf([
  create(0, 0),
  present(1, 5000, 'declined'),
  { id: 2, at: 6000, ...again },
  present(3, 12_000),
  { id: 4, at: 13_000, ...again },
  { id: 5, at: 20_000, ...again, as: 'roleless' },
]);

/** The same requests again, until the caller's quota is used up. */
export const limited: Plan = {
  ...visit,
  actions: [...paid, { id: 3, at: 20_000, ...again }, { id: 4, at: 25_000, ...again }],
  writesPerMinute: 3,
};

const alterations = ['alterAmount', 'alterCurrency', 'alterAccount', 'alterDeadline'] as const;

/** Four payments, each of which somebody changes at the processor in another way. */
export const altered: Plan = {
  ...visit,
  appointments: alterations.length,
  actions: alterations.flatMap((how, appointment): Action[] => {
    const key = `create-${appointment}`;
    const id = 4 * appointment;
    return [
      create(id, 0, appointment, key),
      present(id + 1, 10_000, 'visa_credit', { appointment, payment: key }),
      { id: id + 2, at: 12_000, does: 'changeAtProcessor', appointment, payment: key, how },
      { id: id + 3, at: 14_000, does: 'capture', appointment, payment: key, key: `${key}-capture` },
    ];
  }),
};

/** Somebody changes the amount at the processor while a capture is under way. */
export const alteredLate = planOf([
  ...paid,
  { id: 3, at: 17_000, does: 'changeAtProcessor', ...payment, how: 'alterAmount' },
  { id: 4, at: 90_000, ...again },
]);

/** Somebody captures a half at the processor. */
export const halved = planOf([
  ...opened,
  { id: 3, at: 15_500, does: 'changeAtProcessor', ...payment, how: 'captureHalf' },
  { id: 4, at: 16_000, ...again },
  { id: 5, at: 30_000, does: 'reconcile' },
]);

/** Another barber and another business ask for records of others. */
export const curious: Plan = {
  ...visit,
  actions: [
    ...paid,
    { id: 3, at: 20_000, does: 'read', ...payment, as: 'other' },
    { id: 4, at: 21_000, does: 'receipt', ...payment, as: 'other' },
    { id: 5, at: 22_000, does: 'office', what: 'readPayouts', as: 'other' },
    { id: 6, at: 23_000, does: 'office', what: 'removeSchedule', as: 'other' },
    { id: 7, at: 24_000, does: 'prepare', customer: 2, setup: 'one', save: true },
    { id: 8, at: 26_000, does: 'readSetup', customer: 2, setup: 'one', as: 'other' },
    { id: 9, at: 30_000, does: 'register', barber: 0, device: 'phone' },
    { id: 10, at: 40_000, does: 'listTerminals', barber: 1 },
    {
      id: 11,
      at: 50_000,
      does: 'useTerminal',
      barber: 0,
      device: 'phone',
      how: 'unregister',
      as: 'other',
    },
  ],
  isWide: true,
};

/** The reply to the opening is lost. The same request comes again, once its first sender must be dead. */
export const openedUnheard: Plan = {
  ...visit,
  actions: [create(askedOnce, 0), create(9, 70_000)],
  faults: unheard('openPayment', 'readPayment'),
};

/** The same for a setup. */
export const preparedUnheard: Plan = {
  ...visit,
  actions: [prepare(askedOnce, 0), prepare(9, 70_000)],
  faults: unheard('openSetup', 'readSetup'),
};

/** An impatient thumb prepares a payment method twice, under one key. */
export const preparedTwice = planOf([{ ...prepare(0, 0), taps: 2 }]);

/** A payment is captured with the reference of another one. */
export const foreignReference: Plan = {
  ...visit,
  appointments: 3,
  actions: [
    ...[0, 2].flatMap((appointment): Action[] => {
      const key = `create-${appointment}`;
      return [
        create(appointment, 0, appointment, key),
        present(appointment + 1, 10_000, 'visa_credit', { appointment, payment: key }),
      ];
    }),
    {
      id: 5,
      at: 15_000,
      does: 'capture',
      appointment: 0,
      payment: 'create-0',
      key: 'capture',
      reference: 'create-2',
    },
  ],
};

/** More payments of one appointment than may be open at a time. */
export const crowded: Plan = {
  ...visit,
  actions: Array.from({ length: maxOpenPayments + 4 }, (_, id): Action => {
    return { id, at: 0, does: 'create', appointment: 0, key: `create-${id}`, amount: '5.00' };
  }),
};

/** Each of these with every fault. */
export const scenarios = {
  ...visitScenarios,
  ...refundScenarios,
  ...tipScenarios,
  ...chargeScenarios,
  ...tenderScenarios,
  ...bookingScenarios,
  loweredWhileUnknown,
  removedWhileUnknown,
  loweredBelowTheRest,
  repriced,
  declinedThenCaptured,
  limited,
  halved,
  altered,
  alteredLate,
  curious,
  tooLate,
  orphaned,
  clockAhead,
  keysOfAClockAhead,
  capturedLate,
  openedLate,
  openedTwice,
  openedUnheard,
  preparedUnheard,
  preparedTwice,
  foreignReference,
} as const;
