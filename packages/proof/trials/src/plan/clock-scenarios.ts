import { hourMs, minuteMs } from '@chairside/core';
import type { Plan } from './plan.ts';
import {
  again,
  askedOnce,
  askedOnceTooLate,
  create,
  opened,
  paid,
  planOf,
  prepare,
} from './scenario-steps.ts';
import { visit } from './scenarios.ts';

/** Two setups: one is completed after its time, the other never. */
export const tooLate = planOf([
  prepare(0, 0, 'late'),
  { id: 1, at: 0, does: 'prepare', customer: 3, setup: 'never', key: 'never', save: false },
  { id: 2, at: 61 * minuteMs, does: 'enter', customer: 2, setup: 'late', card: 'visa_credit' },
  { id: 3, at: 62 * minuteMs, does: 'readSetup', customer: 2, setup: 'late' },
  { id: 4, at: 63 * minuteMs, does: 'reconcile' },
]);

/** The processor opens the payment hours after everyone gave it up, and refuses to cancel it. */
export const orphaned: Plan = {
  ...visit,
  actions: [
    create(askedOnceTooLate, 0),
    { id: 3, at: 30 * minuteMs, does: 'reconcile' },
    { id: 4, at: 4 * hourMs, does: 'reconcile' },
  ],
  faults: [{ action: askedOnceTooLate, call: 'openPayment', kind: 'landsLater' }],
};

/** The processor opens the payment after it was closed here; it is too young to be swept. */
export const openedLate: Plan = {
  ...visit,
  actions: [
    create(askedOnce, 0),
    { id: 3, at: 16 * minuteMs, does: 'reconcile' },
    { id: 4, at: 35 * minuteMs, does: 'reconcile' },
  ],
  faults: [{ action: askedOnce, call: 'openPayment', kind: 'landsLater' }],
};

/** An authorization that a clock two days ahead takes for expired, on one of two nodes. */
export const clockAhead: Plan = {
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
export const keysOfAClockAhead: Plan = {
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
export const openedTwice: Plan = {
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
export const capturedLate = planOf([...opened, { id: 2, at: 40 * hourMs, ...again }]);
