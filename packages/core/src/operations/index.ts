// Every operation of the core. To leave one out, remove its line.

export { upkeepRounds } from '../upkeep.ts';
export { cancelContactlessPayment } from './cancelContactlessPayment.ts';
export { captureContactlessPayment } from './captureContactlessPayment.ts';
export { createContactlessPayment } from './createContactlessPayment.ts';
export { createTerminalConnectionToken } from './createTerminalConnectionToken.ts';
export { deleteBarberSchedule } from './deleteBarberSchedule.ts';
export { deleteTerminal } from './deleteTerminal.ts';
export { customerErasure } from './eraseCustomer.ts';
export { events } from './events.ts';
export { getAppointmentLedger } from './getAppointmentLedger.ts';
export { getContactlessPayment } from './getContactlessPayment.ts';
export { getPaymentTimeline } from './getPaymentTimeline.ts';
export { getPayoutPreferences } from './getPayoutPreferences.ts';
export { getReceipt } from './getReceipt.ts';
export { getTerminal } from './getTerminal.ts';
export { listChallengeMethods } from './listChallengeMethods.ts';
export { listContactlessPayments } from './listContactlessPayments.ts';
export { listTerminals } from './listTerminals.ts';
export { preparePaymentMethod } from './preparePaymentMethod.ts';
export { readPaymentMethodSetup } from './readPaymentMethodSetup.ts';
export { processorEvents } from './receiveProcessorEvent.ts';
export { reconciliation } from './reconcile.ts';
export { records } from './records.ts';
// Optional groups: each is one folder, and is left out with its line.
export * from './refunds/index.ts';
export { registerTerminal } from './registerTerminal.ts';
export { releaseTerminal } from './releaseTerminal.ts';
export { removeFinancialAccount } from './removeFinancialAccount.ts';
export { reviews } from './reviews.ts';
