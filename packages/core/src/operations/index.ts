// Every operation of the core. To leave one out, remove its line.

export { upkeepRounds } from '../upkeep.ts';
export { barbers } from './barbers.ts';
export { businesses } from './businesses.ts';
export { captureContactlessPayment } from './captureContactlessPayment.ts';
// Optional groups: each is one folder, and is left out with its line.
export * from './charges/index.ts';
export { createContactlessPayment } from './createContactlessPayment.ts';
export { customerErasure } from './eraseCustomer.ts';
export { events } from './events.ts';
export { challengeMethods } from './listChallengeMethods.ts';
export { payments } from './payments.ts';
export { preparePaymentMethod } from './preparePaymentMethod.ts';
export { readPaymentMethodSetup } from './readPaymentMethodSetup.ts';
export { processorEvents } from './receiveProcessorEvent.ts';
export { reconciliation } from './reconcile.ts';
export { records } from './records.ts';
export * from './refunds/index.ts';
export { reviews } from './reviews.ts';
export * from './statement/index.ts';
export { terminals } from './terminals.ts';
export { tippedOperations } from './tips/index.ts';
