// The public names of the core. A file under `export *` has no internal export. `docs/api/core.txt`
// lists every name.

export type { WaitUntil } from './call/background.ts';
export type { Call, Caller, CallFacts, CountedCall } from './call/call.ts';
export { Unvalidated } from './call/input.ts';
export { toTimeoutMs } from './call/limit.ts';
export type {
  Bound,
  HostOperation,
  Operation,
  OperationFacts,
  OperationGroup,
} from './call/operation.ts';
export { withUnknownOutcome } from './call/outcome.ts';
export type { CommonProblem, Run } from './call/perform.ts';
export * from './call/rate-limit.ts';
export { tell } from './call/report.ts';
export type { ChairsideOptions } from './call/settings.ts';
export * from './chairside.ts';
export type { ApplicationFee } from './domain/application-fee.ts';
export {
  type Appointment,
  type AppointmentReference,
  type BarberReference,
  emptyLedger,
  type Ledger,
  maxOpenPayments,
  type ShopLocationReference,
} from './domain/appointment.ts';
export {
  type Barber,
  type Business,
  type FinancialAccount,
  hasTwoDecimals,
  type ProcessorAccount,
  type RefundPolicy,
} from './domain/business.ts';
export * from './domain/card.ts';
export type { ChallengeChannels } from './domain/challenge-channels.ts';
export {
  type DevicePolicy,
  defaultDevicePolicy,
  type PlatformPolicy,
} from './domain/device-policy.ts';
export {
  type Dispute,
  type DisputeState,
  disputeStates,
  type ProcessorDispute,
  type SeenDispute,
} from './domain/dispute.ts';
export type * from './domain/event.ts';
export * from './domain/id.ts';
export type { JsonObject, JsonValue } from './domain/json.ts';
export type * from './domain/key-record.ts';
export {
  type MethodSetup,
  type SeenSetup,
  type SetupOutcome,
  setupLifetimeMs,
} from './domain/method-setup.ts';
export { formatMoney, moneyPattern, parseMoney } from './domain/money.ts';
export type * from './domain/money-back.ts';
export {
  type CancelCause,
  isFinal,
  isOpened,
  keyRetentionMs,
  type OpenedPayment,
  openLifetimeMs,
  type Payment,
  type PaymentState,
  paymentStates,
  transitions,
  type Work,
} from './domain/payment.ts';
export * from './domain/payout-preferences.ts';
export * from './domain/problem.ts';
export * from './domain/problem-guide.ts';
export * from './domain/problem-types.ts';
export type * from './domain/processor-payment.ts';
export * from './domain/reasons.ts';
export {
  isCounted,
  type ProcessorRefund,
  type Refund,
  type RefundState,
  refundStates,
} from './domain/refund.ts';
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
export { type Review, type ReviewReason, reviewReasons } from './domain/review.ts';
export type * from './domain/schedule.ts';
export type * from './domain/swept-ledger.ts';
export { type Device, type Platform, platforms, type Terminal } from './domain/terminal.ts';
export { isStorable } from './domain/text.ts';
export {
  type EpochMs,
  formatTimestamp,
  hourMs,
  minuteMs,
  parseTimestamp,
  secondMs,
} from './domain/time.ts';
export type { TimelineEntry } from './domain/timeline.ts';
export type {
  CancelContactlessPaymentError,
  CancelContactlessPaymentInput,
} from './operations/cancelContactlessPayment.ts';
export type {
  CaptureContactlessPaymentError,
  CaptureContactlessPaymentInput,
} from './operations/captureContactlessPayment.ts';
export type {
  CreateContactlessPaymentError,
  CreateContactlessPaymentInput,
} from './operations/createContactlessPayment.ts';
export type {
  CreateTerminalConnectionTokenError,
  CreateTerminalConnectionTokenInput,
} from './operations/createTerminalConnectionToken.ts';
export type { DeadLetter, ListDeadLettersInput } from './operations/deadLetters.ts';
export type {
  DeleteBarberScheduleError,
  DeleteBarberScheduleInput,
} from './operations/deleteBarberSchedule.ts';
export type { DeleteTerminalError, DeleteTerminalInput } from './operations/deleteTerminal.ts';
export type {
  DeliverEventsInput,
  DeliveryReport,
  EventHandler,
} from './operations/deliverEvents.ts';
export type {
  EraseCustomerError,
  EraseCustomerInput,
  ErasedCustomer,
} from './operations/eraseCustomer.ts';
export type {
  GetAppointmentLedgerError,
  GetAppointmentLedgerInput,
} from './operations/getAppointmentLedger.ts';
export type {
  GetContactlessPaymentError,
  GetContactlessPaymentInput,
} from './operations/getContactlessPayment.ts';
export type {
  GetPaymentTimelineError,
  GetPaymentTimelineInput,
  PaymentTimeline,
} from './operations/getPaymentTimeline.ts';
export type {
  GetPayoutPreferencesError,
  GetPayoutPreferencesInput,
} from './operations/getPayoutPreferences.ts';
export type {
  GetReceiptError,
  GetReceiptInput,
  Receipt,
  ReceiptRefund,
} from './operations/getReceipt.ts';
export type { GetTerminalError, GetTerminalInput } from './operations/getTerminal.ts';
export type {
  ListChallengeMethodsError,
  ListChallengeMethodsInput,
} from './operations/listChallengeMethods.ts';
export type {
  ListContactlessPaymentsError,
  ListContactlessPaymentsInput,
} from './operations/listContactlessPayments.ts';
export type { ListTerminalsError } from './operations/listTerminals.ts';
export type {
  PreparePaymentMethodError,
  PreparePaymentMethodInput,
} from './operations/preparePaymentMethod.ts';
export type {
  PaymentMethodSetupStatus,
  ReadPaymentMethodSetupError,
  ReadPaymentMethodSetupInput,
} from './operations/readPaymentMethodSetup.ts';
export type {
  ProcessorEventReceipt,
  ReceiveProcessorEventError,
} from './operations/receiveProcessorEvent.ts';
export type { ReconcileInput, ReconcileReport } from './operations/reconcile.ts';
export type { PutRecordError } from './operations/records.ts';
export type { GetRefundError, GetRefundInput } from './operations/refunds/getRefund.ts';
export type { ListDisputesError, ListDisputesInput } from './operations/refunds/listDisputes.ts';
export type { ListRefundsError, ListRefundsInput } from './operations/refunds/listRefunds.ts';
export type { RefundPaymentError, RefundPaymentInput } from './operations/refunds/refundPayment.ts';
export type {
  RegisterTerminalError,
  RegisterTerminalInput,
} from './operations/registerTerminal.ts';
export type { ReleaseTerminalError, ReleaseTerminalInput } from './operations/releaseTerminal.ts';
export type {
  RemoveFinancialAccountError,
  RemoveFinancialAccountInput,
} from './operations/removeFinancialAccount.ts';
export type {
  ListReviewsError,
  ListReviewsInput,
  ResolveReviewError,
  ResolveReviewInput,
  ReviewView,
} from './operations/reviews.ts';
export * from './ports/auth-context.ts';
export type * from './ports/change.ts';
export * from './ports/clock.ts';
export * from './ports/ids.ts';
export type * from './ports/observer.ts';
export type * from './ports/ports.ts';
export type * from './ports/processor.ts';
export * from './ports/processor-calls.ts';
export type * from './ports/processor-disputes.ts';
export type * from './ports/processor-event.ts';
export * from './ports/processor-refunds.ts';
export type * from './ports/rate-limiter.ts';
export type * from './ports/store.ts';
export * from './schemas/appointment.ts';
export type { AppointmentLedger } from './schemas/appointment-ledger.ts';
export {
  type ChallengeMethods,
  type ChallengeMethodsQuery,
  challengeMethodsQuery,
  challengeMethodsSchema,
  emailAddressSchema,
  phoneNumberSchema,
} from './schemas/challenge-methods.ts';
export type { CloudEvent, CloudEventOf } from './schemas/cloud-event.ts';
export {
  type CaptureContactlessPaymentBody,
  type ContactlessPayment,
  type ContactlessPayments,
  type CreateContactlessPaymentBody,
  captureContactlessPaymentBodySchema,
  cardSchema,
  contactlessPaymentSchema,
  contactlessPaymentsSchema,
  createContactlessPaymentBodySchema,
  type ExternalPaymentReference,
  externalPaymentReferenceSchema,
} from './schemas/contactless-payment.ts';
export {
  type PaymentMethodSetup,
  type PreparePaymentMethodBody,
  paymentMethodSetupSchema,
  preparePaymentMethodBodySchema,
} from './schemas/payment-method-setup.ts';
export * from './schemas/payout-preferences.ts';
export * from './schemas/problem.ts';
export {
  type DisputeView,
  type RefundPaymentBody,
  type RefundsView,
  type RefundView,
  refundPaymentBodySchema,
  refundSchema,
  refundsSchema,
} from './schemas/refund.ts';
export {
  objectShape,
  type Shape,
  type ShapeMembers,
  type Shapes,
  shape,
} from './schemas/shapes/shape.ts';
export { sharedShapes } from './schemas/shapes/shared.ts';
export {
  countSchema,
  idempotencyKeySchema,
  moneySchema,
  resourceIdSchema,
  timestampSchema,
} from './schemas/shared.ts';
export {
  type RegisterTerminalBody,
  registerTerminalBodySchema,
  type TerminalConnectionToken,
  type Terminals,
  type TerminalView,
  terminalConnectionTokenSchema,
  terminalSchema,
  terminalsSchema,
} from './schemas/terminal.ts';
export type { UpkeepInput, UpkeepReport } from './upkeep.ts';
