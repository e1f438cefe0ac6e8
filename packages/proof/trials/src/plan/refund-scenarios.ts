import { hourMs, minuteMs } from '@chairside/core';
import type { Does, ReturnedChange } from './action.ts';
import type { Plan } from './plan.ts';
import { askedOnce, create, paid, payment, planOf, present } from './scenario-steps.ts';
import { visit } from './scenarios.ts';

/** Gives back; without an amount all that is left. */
function refund(id: number, at: number, key: string, amount?: string): Does<'refund'> {
  return { id, at, does: 'refund', ...payment, key, ...(amount !== undefined && { amount }) };
}

function changeAtProcessor(id: number, at: number, how: ReturnedChange): Does<'changeAtProcessor'> {
  return { id, at, does: 'changeAtProcessor', ...payment, how };
}

/** Capture, refund of a part, refund of the rest. */
export const refundedInParts = planOf([
  ...paid,
  refund(3, 30_000, 'part', '20.00'),
  refund(4, 100_000, 'rest'),
  { id: 5, at: 200_000, does: 'readRefunds', ...payment },
]);

/** Two nodes refund at the same time, and what they ask for exceeds the payment. */
export const refundedAtOnce = planOf([
  ...paid,
  refund(3, 30_000, 'one', '30.00'),
  refund(4, 30_000, 'two', '30.00'),
  { id: 5, at: 31_000, does: 'notify', disorder: 0 },
]);

/** The first refund is lost on its way and stays reserved, so there is no room for the second. */
export const refundedWhileUnknown: Plan = {
  ...visit,
  actions: [
    ...paid,
    refund(askedOnce, 30_000, 'one', '30.00'),
    refund(3, 60_000, 'two', '30.00'),
    { id: 4, at: 70_000, does: 'readRefunds', ...payment },
    { id: 5, at: 140_000, does: 'reconcile' },
  ],
  faults: [
    { action: askedOnce, call: 'refund', kind: 'vanishes' },
    { action: askedOnce, call: 'listRefunds#2', kind: 'fails' },
  ],
};

/** An operator refunds a part in the dashboard, and its message is lost: upkeep finds it. */
export const refundedUnheard = planOf([...paid, changeAtProcessor(3, 30_000, 'refundUnheard')]);

/** The same of two payments; the refunds of the first one cannot be read for hours. */
export const refundedUnreadable: Plan = {
  ...visit,
  appointments: 2,
  actions: [
    ...paid,
    ...visit.actions.map((action) => ({ ...action, id: 10 + action.id, appointment: 1 })),
    changeAtProcessor(20, 30_000, 'refundUnreadable'),
    { ...changeAtProcessor(21, 31_000, 'refundUnheard'), appointment: 1 },
  ],
};

/** The same; then the shop refunds the rest. */
export const refundedElsewhere = planOf([
  ...paid,
  changeAtProcessor(3, 30_000, 'refundUnheard'),
  { id: 4, at: 40_000, does: 'readRefunds', ...payment },
  { id: 5, at: 3 * hourMs, does: 'reconcile' },
  refund(6, 4 * hourMs, 'rest'),
]);

/** A refund of everything fails a minute later, and is made again. */
export const refundFailed = planOf([
  ...paid,
  refund(3, 30_000, 'whole'),
  changeAtProcessor(4, 90_000, 'refundFails'),
  { id: 5, at: 91_000, does: 'notify', disorder: 0 },
  refund(6, 100_000, 'again', '45.00'),
  refund(7, 110_000, 'whole'),
  { ...refund(8, 120_000, 'whole'), as: 'roleless' },
]);

/** A disputed payment cannot be refunded until the dispute is won. */
export const refundedWhileDisputed = planOf([
  ...paid,
  changeAtProcessor(3, 30_000, 'dispute'),
  { id: 4, at: 31_000, does: 'notify', disorder: 0 },
  refund(5, 40_000, 'whole'),
  changeAtProcessor(6, 50_000, 'winDispute'),
  { id: 7, at: 51_000, does: 'notify', disorder: 0 },
  refund(8, 60_000, 'later'),
  { ...refund(9, 70_000, 'later'), as: 'roleless' },
]);

/** The cardholder disputes the payment, and the message is lost: a refund and upkeep find the dispute. */
export const disputedUnheard = planOf([
  ...paid,
  changeAtProcessor(3, 30_000, 'disputeUnheard'),
  refund(4, 3 * hourMs, 'whole'),
  { id: 5, at: 4 * hourMs, does: 'reconcile' },
]);

/** An inquiry is refunded in part, becomes a dispute, is won, and goes on until it is lost. */
export const disputedAfterInquiry = planOf([
  ...paid,
  changeAtProcessor(3, 30_000, 'inquire'),
  { id: 4, at: 31_000, does: 'notify', disorder: 0 },
  refund(5, 40_000, 'part', '20.00'),
  changeAtProcessor(6, 50_000, 'withholdDispute'),
  refund(7, 60_000, 'rest'),
  changeAtProcessor(8, 70_000, 'winDispute'),
  { id: 9, at: 71_000, does: 'notify', disorder: 0 },
  changeAtProcessor(10, 2 * hourMs, 'reopenDispute'),
  refund(11, 3 * hourMs, 'later', '5.00'),
  changeAtProcessor(12, 4 * hourMs, 'loseDispute'),
  { id: 13, at: 5 * hourMs, does: 'reconcile' },
]);

/** A dispute is won, and goes on: its appeal is open in the end, so nothing is refunded. */
export const disputedAgain = planOf([
  ...paid,
  changeAtProcessor(3, 30_000, 'dispute'),
  { id: 4, at: 31_000, does: 'notify', disorder: 0 },
  changeAtProcessor(5, 50_000, 'winDispute'),
  { id: 6, at: 51_000, does: 'notify', disorder: 0 },
  changeAtProcessor(7, 2 * hourMs, 'reopenDispute'),
  { id: 8, at: 2 * hourMs + 1000, does: 'notify', disorder: 0 },
  refund(9, 3 * hourMs, 'whole'),
  { id: 10, at: 4 * hourMs, does: 'reconcile' },
]);

/** A dispute is opened and won in one moment; its messages arrive in any order, and there is no list. */
export const disputedInOneMoment: Plan = {
  ...visit,
  hidesDisputes: true,
  actions: [
    ...paid,
    { id: 3, at: 20_000, does: 'notify', disorder: 0 },
    changeAtProcessor(4, 30_000, 'dispute'),
    changeAtProcessor(5, 30_000, 'winDispute'),
    { id: 6, at: 31_000, does: 'notify', disorder: 1 },
    { id: 7, at: 40_000, does: 'notify', disorder: 1 },
  ],
};

/** The fee changes while the create is interrupted: the payment keeps its own. */
export const feeChanged = planOf([
  create(0, 0),
  { id: 1, at: 5000, does: 'setFee', business: 'shop', basisPoints: 100 },
  create(2, 70_000),
  present(3, 80_000),
  { id: 4, at: 2 * minuteMs, does: 'capture', ...payment, key: 'capture' },
]);

/** The refunds of `refundedInParts`, for faults in them alone. */
export const refundActions = [3, 4] as const;

export const refundScenarios = {
  refundedInParts,
  refundedAtOnce,
  refundedWhileUnknown,
  refundedUnheard,
  refundedUnreadable,
  refundedElsewhere,
  refundFailed,
  refundedWhileDisputed,
  disputedUnheard,
  disputedAfterInquiry,
  disputedAgain,
  disputedInOneMoment,
  feeChanged,
} as const;
