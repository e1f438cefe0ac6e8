/** The public names of the core. Everything else is internal. */

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
export { createMemoryRateLimiter, defaultRateLimits } from './call/rate-limit.ts';
export { tell } from './call/report.ts';
export type { ChairsideOptions } from './call/settings.ts';
export {
  type Chairside,
  type ClientOperation,
  createChairside,
  operations,
  type TransportFunctions,
} from './chairside.ts';
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
export { type Card, cardNetworks, fundingTypes, tokenizationMethods } from './domain/card.ts';
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
export type {
  DisputeEvent,
  DisputeEventData,
  DomainEvent,
  EventType,
  MoneyBackEventData,
  PaymentStateEvent,
  PaymentStateEventData,
  RefundEvent,
  RefundEventData,
  ReviewOpenedEvent,
  ReviewOpenedEventData,
  TerminalEvent,
  TerminalEventData,
} from './domain/event.ts';
export { type IdPrefix, typeId } from './domain/id.ts';
export type { JsonObject, JsonValue } from './domain/json.ts';
export type { KeyedOperation, KeyRecord } from './domain/key-record.ts';
export {
  type MethodSetup,
  type SeenSetup,
  type SetupOutcome,
  setupLifetimeMs,
} from './domain/method-setup.ts';
export { formatMoney, moneyPattern, parseMoney } from './domain/money.ts';
export type { MoneyBack } from './domain/money-back.ts';
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
export {
  type PayoutPreferences,
  type PayoutSettings,
  weekdays,
} from './domain/payout-preferences.ts';
export {
  type Attributes,
  badRequest,
  doNotRetry,
  type Fault,
  type FaultOf,
  fault,
  fieldFault,
  internalError,
  type NestedProblem,
  type Occurrence,
  type Problem,
  type ProblemOf,
  type RateLimitRecovery,
  type Recovery,
  retryAfterSeconds,
  retryLater,
  toProblem,
  unavailable,
  unknownRetryLater,
} from './domain/problem.ts';
export { type ProblemRecovery, problemGuide } from './domain/problem-guide.ts';
export { type ProblemType, problemTypes } from './domain/problem-types.ts';
export type { ProcessorPayment } from './domain/processor-payment.ts';
export {
  findReason,
  type Reason,
  type ReasonOf,
  type ReasonRecovery,
  reasons,
} from './domain/reasons.ts';
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
export type { Schedule, WorkingHours } from './domain/schedule.ts';
export type { ListPass, ListProgress, SweptLedger, SweptLists } from './domain/swept-ledger.ts';
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
export { type AuthContext, type Entitlement, isAuthContext } from './ports/auth-context.ts';
export type { Change, ChangeKind, ChangeOf, Commit } from './ports/change.ts';
export { type Clock, systemClock } from './ports/clock.ts';
export { createIds, type FillRandom, type Ids } from './ports/ids.ts';
export type { Observation, Observer } from './ports/observer.ts';
export type { Ports, RateLimitClass, RateLimits } from './ports/ports.ts';
export type { Processor } from './ports/processor.ts';
export {
  type CancelPaymentRequest,
  type CancelSetupRequest,
  type CapturePaymentRequest,
  type ConnectionTokenRequest,
  foreignReference,
  type ListedPage,
  type ListedPayment,
  type ListedReturn,
  type ListRequest,
  type OpenedAtProcessor,
  type OpenPaymentRequest,
  type OpenSetupRequest,
  type PaymentHandle,
  type ProcessorError,
  type ProcessorSetup,
  type ReceiptDetails,
  type SetupHandle,
  type UnreadablePayment,
  unknownCustomer,
} from './ports/processor-calls.ts';
export type { ProcessorDisputes } from './ports/processor-disputes.ts';
export type { ProcessorEvent, RawEvent } from './ports/processor-event.ts';
export {
  cardMustBePresent,
  type ProcessorRefunds,
  type RefundPaymentRequest,
} from './ports/processor-refunds.ts';
export type { Quota, RateLimiter, RateLimitState } from './ports/rate-limiter.ts';
export type {
  EventKey,
  PendingEvent,
  Read,
  Store,
  StoreConflict,
  StoreUnavailable,
} from './ports/store.ts';
export {
  appointmentReferenceSchema,
  barberReferenceSchema,
  shopLocationReferenceSchema,
} from './schemas/appointment.ts';
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
export {
  type BusinessPayoutPreferences,
  businessPayoutPreferencesSchema,
  payoutSettingsSchema,
} from './schemas/payout-preferences.ts';
export { nestedProblemSchema, problemSchema, recoverySchema } from './schemas/problem.ts';
export {
  type DisputeView,
  type RefundPaymentBody,
  type RefundsView,
  type RefundView,
  refundPaymentBodySchema,
  refundSchema,
  refundsSchema,
} from './schemas/refund.ts';
export { type Shape, type Shapes, shape } from './schemas/shapes/shape.ts';
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
