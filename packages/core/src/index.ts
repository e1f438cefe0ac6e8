export * from './call/admission.ts';
export type { WaitUntil } from './call/background.ts';
export * from './call/call.ts';
export { Unvalidated } from './call/input.ts';
export { toTimeoutMs } from './call/limit.ts';
export { withUnknownOutcome } from './call/outcome.ts';
export type { CommonProblem } from './call/perform.ts';
export * from './call/rate-limit.ts';
export { tell } from './call/report.ts';
export { type ChairsideOptions, toPorts } from './call/settings.ts';
export * from './chairside.ts';
export * from './domain/appointment.ts';
export * from './domain/business.ts';
export * from './domain/card.ts';
export * from './domain/challenge-channels.ts';
export * from './domain/device-policy.ts';
export * from './domain/dues.ts';
export * from './domain/event.ts';
export * from './domain/follow-ledger.ts';
export * from './domain/id.ts';
export * from './domain/json.ts';
export * from './domain/method-setup.ts';
export * from './domain/money.ts';
export * from './domain/money-back.ts';
export * from './domain/payment.ts';
export * from './domain/payout-preferences.ts';
export * from './domain/problem.ts';
export * from './domain/reasons.ts';
export {
  Err,
  err,
  errAsync,
  Ok,
  ok,
  okAsync,
  Result,
  ResultAsync,
  safeTry,
} from './domain/result.ts';
export * from './domain/review.ts';
export * from './domain/schedule.ts';
export * from './domain/terminal.ts';
export * from './domain/text.ts';
export * from './domain/time.ts';
export * from './operations/cancelContactlessPayment.ts';
export * from './operations/captureContactlessPayment.ts';
export * from './operations/createContactlessPayment.ts';
export * from './operations/createTerminalConnectionToken.ts';
export * from './operations/deadLetters.ts';
export * from './operations/deleteBarberSchedule.ts';
export * from './operations/deleteTerminal.ts';
export * from './operations/deliverEvents.ts';
export * from './operations/eraseCustomer.ts';
export * from './operations/getAppointmentLedger.ts';
export * from './operations/getContactlessPayment.ts';
export * from './operations/getPaymentTimeline.ts';
export * from './operations/getPayoutPreferences.ts';
export * from './operations/getReceipt.ts';
export * from './operations/getTerminal.ts';
export * from './operations/listChallengeMethods.ts';
export * from './operations/listContactlessPayments.ts';
export * from './operations/listTerminals.ts';
export * from './operations/preparePaymentMethod.ts';
export * from './operations/readPaymentMethodSetup.ts';
export * from './operations/receiveProcessorEvent.ts';
export * from './operations/reconcile.ts';
export type { PutRecordError } from './operations/records.ts';
export * from './operations/registerTerminal.ts';
export * from './operations/releaseTerminal.ts';
export * from './operations/removeFinancialAccount.ts';
export * from './operations/reviews.ts';
export * from './ports/auth-context.ts';
export * from './ports/clock.ts';
export * from './ports/compact.ts';
export * from './ports/ids.ts';
export * from './ports/observer.ts';
export * from './ports/ports.ts';
export * from './ports/processor.ts';
export * from './ports/rate-limiter.ts';
export * from './ports/store.ts';
export * from './schemas/appointment.ts';
export * from './schemas/appointment-ledger.ts';
export * from './schemas/challenge-methods.ts';
export * from './schemas/cloud-event.ts';
export * from './schemas/contactless-payment.ts';
export * from './schemas/payment-method-setup.ts';
export * from './schemas/payout-preferences.ts';
export * from './schemas/problem.ts';
export * from './schemas/records.ts';
export * from './schemas/shared.ts';
export * from './schemas/terminal.ts';
export type { UpkeepInput, UpkeepReport } from './upkeep.ts';
