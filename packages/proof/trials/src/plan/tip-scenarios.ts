import type { Does } from './action.ts';
import { again, create, paid, payment, planOf, present } from './scenario-steps.ts';

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
