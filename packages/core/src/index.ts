// The names for a host application. `@chairside/core/ports` has those for adapters and transports.

export {
  type Chairside,
  type ClientOperation,
  createChairside,
  type ErrorOf,
  type InputOf,
  type OperationName,
} from './chairside.ts';
export type { ChargePurpose, ChargeRefusal } from './charge/charge.ts';
export type { ReleasedPaymentMethod } from './charge/operations.ts';
export type { ChargePaymentMethodBody, ChargesView, ChargeView } from './charge/wire.ts';
export type { ErasedCustomer } from './erase/erase-customer.ts';
export type { ExportedCustomer } from './erase/export-customer.ts';
export type { MergedCustomers } from './erase/merge-customers.ts';
export type { DeadLetter, DeliveryReport, EventHandler } from './event/deliver.ts';
export type * from './event/event.ts';
export type { ProcessorEventReceipt } from './event/receive.ts';
export type { ReplayEventsInput, ReplayedEvents } from './event/replay.ts';
export {
  type CloudEvent,
  type CloudEventOf,
  type MoneyEntry,
  moneyEntriesOf,
  moneyEntryOf,
} from './event/wire.ts';
export {
  type Call,
  type Caller,
  createMemoryRateLimiter,
  defaultRateLimits,
} from './frame/access.ts';
export { Unvalidated } from './frame/operation.ts';
export type { CommonProblem, WaitUntil } from './frame/perform.ts';
export type {
  Appointment,
  AppointmentReference,
  BarberReference,
  ShopLocationReference,
} from './host/host.ts';
export {
  type ApplicationFee,
  type Barber,
  type Business,
  type EarlierAccount,
  type FinancialAccount,
  type PayoutPreferences,
  type PayoutSettings,
  type ProcessorAccount,
  type RefundPolicy,
  type Schedule,
  type WorkingHours,
  weekdays,
} from './host/host.ts';
export type {
  AppointmentLedger,
  BusinessPayoutPreferences,
  ChallengeMethods,
  ChallengeMethodsQuery,
} from './host/wire.ts';
export type { PaymentTimeline, TimelineLine } from './payment/operations.ts';
export type { CancelCause, Card, PaymentState } from './payment/payment.ts';
export type { TipPolicy } from './payment/tip.ts';
export type {
  CaptureContactlessPaymentBody,
  ContactlessPayment,
  ContactlessPayments,
  CreateContactlessPaymentBody,
  ExternalPaymentReference,
  PaymentShareView,
} from './payment/wire.ts';
export type {
  AuthContext,
  ChallengeChannels,
  Entitlement,
  FailureContext,
  FailureListener,
  Observation,
  Observer,
  Quota,
  RateLimitClass,
  RateLimiter,
  RateLimitState,
  RateLimits,
} from './ports/ports.ts';
export {
  type Attributes,
  type NestedProblem,
  type Problem,
  type ProblemOf,
  type RateLimitRecovery,
  type Recovery,
  retryAfterSeconds,
} from './problems/problem.ts';
export { type ProblemType, problemTypes, type Reason, type ReasonOf } from './problems/reasons.ts';
export {
  type ReceiptOptions,
  type ReceiptWords,
  receiptToHtml,
  receiptToText,
} from './receipt/print.ts';
export type { Receipt, ReceiptRefund } from './receipt/wire.ts';
export type { DisputeState } from './refund/dispute.ts';
export type { RefundState } from './refund/refund.ts';
export type { RefundedExcess } from './refund/refund-excess.ts';
export type { DisputeView, RefundPaymentBody, RefundsView, RefundView } from './refund/wire.ts';
export type { ChairsideOptions } from './settings.ts';
export type { PaymentMethodSetupStatus } from './setup/prepare.ts';
export type { SetupOutcome } from './setup/setup.ts';
export type { PaymentMethodSetup, PreparePaymentMethodBody } from './setup/wire.ts';
export type {
  SharePaymentBody,
  SharingView,
  VisitSharesView,
  VisitShareView,
} from './share/wire.ts';
export * from './statement/csv.ts';
export type { PayoutState } from './statement/settlement.ts';
export type { DifferenceReason, StatementState } from './statement/statement.ts';
export type {
  AccountProgressView,
  BarberSumsView,
  OtherEntryView,
  PayoutView,
  ShareLineView,
  StatementDifferenceView,
  StatementLineView,
  StatementPayoutView,
  StatementSumsView,
  StatementView,
  TenderLineView,
  TenderSumsView,
} from './statement/wire.ts';
export { type TenderKind, tenderKinds } from './tender/tender.ts';
export type {
  RecordTenderBody,
  ReturnTenderBody,
  TenderReturnView,
  TendersView,
  TenderView,
} from './tender/wire.ts';
export {
  type Device,
  type DevicePolicy,
  defaultDevicePolicy,
  type Platform,
  type PlatformPolicy,
} from './terminal/terminal.ts';
export type {
  RegisterTerminalBody,
  TerminalConnectionToken,
  Terminals,
  TerminalView,
} from './terminal/wire.ts';
export {
  type ReviewAdvice,
  type ReviewOutcome,
  type ReviewReason,
  reviewGuide,
} from './upkeep/review.ts';
export type { ReviewView } from './upkeep/reviews.ts';
export type { ReconcileReport, UpkeepReport } from './upkeep/upkeep.ts';
export { formatMoney, moneyPattern, parseMoney } from './values/money.ts';
export { err, errAsync, ok, okAsync, Result, ResultAsync, safeTry } from './values/result.ts';
export type { Ids, JsonObject, JsonValue } from './values/text.ts';
export {
  type Clock,
  type EpochMs,
  formatTimestamp,
  hourMs,
  minuteMs,
  parseTimestamp,
  secondMs,
  systemClock,
} from './values/time.ts';
