import { again, create, opened, paid, planOf, prepare, present } from './scenario-steps.ts';

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

/**
 * Only the create, repeated after its sender must be dead: small enough for all pairs of faults.
 */
export const opening = planOf([create(0, 0), create(9, 70_000)]);

/** A card is declined and another one authorized, while messages of both arrive. */
export const secondCard = planOf([
  create(0, 0),
  present(1, 2000, 'declined'),
  { id: 2, at: 3000, does: 'notify', disorder: 0 },
  present(3, 10_000),
  { id: 4, at: 11_000, does: 'notify', disorder: 0 },
]);

/** A captured payment is refunded at the processor. */
export const refunded = planOf([
  ...paid,
  {
    id: 3,
    at: 30_000,
    does: 'changeAtProcessor',
    appointment: 0,
    payment: 'create',
    how: 'refund',
  },
  { id: 4, at: 31_000, does: 'notify', disorder: 0 },
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

/**
 * The response to a capture is lost; then the amount due falls to zero, and upkeep has to end
 * it.
 */
export const lowered = planOf([
  ...paid,
  { id: 3, at: 40_000, does: 'setDue', appointment: 0, due: '0.00' },
  { id: 4, at: 140_000, does: 'reconcile' },
  { id: 5, at: 200_000, does: 'capture', appointment: 0, payment: 'create', key: 'again' },
]);

/** A barber of another business takes the appointment over before the capture. */
export const moved = planOf([
  ...opened,
  { id: 3, at: 16_000, does: 'move', appointment: 0, barber: 2, business: 'annex' },
  { id: 4, at: 17_000, does: 'read', appointment: 0, payment: 'create', as: 'current' },
  {
    id: 5,
    at: 18_000,
    does: 'capture',
    appointment: 0,
    payment: 'create',
    key: 'theirs',
    as: 'current',
  },
  create(7, 20_000),
  { id: 6, at: 30_000, ...again },
]);

/** Each of these is tried with every fault. */
export const visitScenarios = {
  visit,
  visitWithEvents,
  secondCard,
  refunded,
  preparing,
  registering,
  lowered,
  moved,
} as const;
