// The public names of the core. A file under `export *` has no internal export. `docs/api/core.txt`
// lists every name.

export type { WaitUntil } from './call/background.ts';
export type { Call, Caller, CallFacts, CountedCall } from './call/call.ts';
export { Unvalidated } from './call/input.ts';
export { toTimeoutMs } from './call/limit.ts';
export type {
  Bound,
  HostOperation,
  HostTask,
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
  type ApplicationFee,
  type Barber,
  type Business,
  type FinancialAccount,
  hasTwoDecimals,
  type PayoutPreferences,
  type PayoutSettings,
  type ProcessorAccount,
  type RefundPolicy,
  type Schedule,
  type WorkingHours,
  weekdays,
} from './domain/business.ts';
export { type BusinessDay, isDay, type Span, spanOf } from './domain/business-day.ts';
export * from './domain/card.ts';
export type { ChallengeChannels } from './domain/challenge-channels.ts';
export {
  type Charge,
  type ChargePurpose,
  type ChargeRefusal,
  chargePurposes,
  chargeRefusals,
  ledgerIdOf,
} from './domain/charge.ts';
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
export type { Movement } from './domain/movement.ts';
export {
  type CancelCause,
  isFinal,
  isOpened,
  keyRetentionMs,
  type OpenedPayment,
  openLifetimeMs,
  type Payment,
  type PaymentState,
  type ProcessorPayment,
  paymentStates,
  type TimelineEntry,
  transitions,
  type Work,
} from './domain/payment.ts';
export * from './domain/problem.ts';
export * from './domain/problem-guide.ts';
export * from './domain/reasons.ts';
export {
  isCounted,
  type ProcessorRefund,
  type Refund,
  type RefundState,
  type Returned,
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
export {
  type Payout,
  type PayoutState,
  payoutStates,
  type SettlementEntry,
  type SettlementKind,
  settlementKinds,
} from './domain/settlement.ts';
export {
  type DifferenceReason,
  differenceReasons,
  type StatementState,
} from './domain/statement.ts';
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
export type { TipPolicy } from './domain/tip.ts';
export type * from './names.ts';
export type { CaptureContactlessPaymentInput } from './operations/captureContactlessPayment.ts';
export type * from './operations/charges/names.ts';
export type {
  CreateContactlessPaymentInput,
  CreateTippedPaymentInput,
} from './operations/createContactlessPayment.ts';
export type { EraseCustomerInput, ErasedCustomer } from './operations/eraseCustomer.ts';
export type {
  DeadLetter,
  DeliverEventsInput,
  DeliveryReport,
  EventHandler,
  ListDeadLettersInput,
} from './operations/events.ts';
export type { ListChallengeMethodsInput } from './operations/listChallengeMethods.ts';
export type { PaymentTimeline, Receipt, ReceiptRefund } from './operations/payments.ts';
export type { PreparePaymentMethodInput } from './operations/preparePaymentMethod.ts';
export type { PaymentMethodSetupStatus } from './operations/readPaymentMethodSetup.ts';
export type { ProcessorEventReceipt } from './operations/receiveProcessorEvent.ts';
export type { ReconcileInput, ReconcileReport } from './operations/reconcile.ts';
export type * from './operations/refunds/names.ts';
export type { ListReviewsInput, ResolveReviewInput, ReviewView } from './operations/reviews.ts';
export type * from './operations/statement/names.ts';
export * from './ports/auth-context.ts';
export type * from './ports/change.ts';
export * from './ports/clock.ts';
export { createIds, type FillRandom, type Ids } from './ports/ids.ts';
export type * from './ports/observer.ts';
export type * from './ports/ports.ts';
export * from './ports/processor.ts';
export * from './ports/processor-calls.ts';
export type * from './ports/rate-limiter.ts';
export type * from './ports/store.ts';
export * from './schemas/appointment.ts';
export type { AppointmentLedger } from './schemas/appointment-ledger.ts';
export * from './schemas/challenge-methods.ts';
export * from './schemas/charge.ts';
export type { CloudEvent, CloudEventOf } from './schemas/cloud-event.ts';
export * from './schemas/contactless-payment.ts';
export * from './schemas/payment-method-setup.ts';
export * from './schemas/payout-preferences.ts';
export * from './schemas/problem.ts';
export * from './schemas/refund.ts';
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
export type {
  BarberSumsView,
  PayoutView,
  StatementDifferenceView,
  StatementLineView,
  StatementPayoutView,
  StatementSumsView,
  StatementView,
} from './schemas/statement.ts';
export { statementToCsv } from './schemas/statement-csv.ts';
export * from './schemas/terminal.ts';
export type { UpkeepInput, UpkeepReport } from './upkeep.ts';
