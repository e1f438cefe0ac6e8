/**
 * The names for those who write an adapter: a processor, a store, a transport. Hosts rarely need them.
 */

export { operations, type TransportFunctions } from '../chairside.ts';
export { type Charge, chargePurposes, chargeRefusals } from '../charge/charge.ts';
export { type CallFacts, type CountedCall, isAuthContext } from '../frame/access.ts';
export { tell } from '../frame/commit.ts';
export {
  type Bound,
  type HostOperation,
  type HostTask,
  type Operation,
  type OperationFacts,
  type OperationGroup,
  operationGroups,
  toTimeoutMs,
} from '../frame/operation.ts';
export { withUnknownOutcome } from '../frame/perform.ts';
export {
  type Actor,
  type ByActor,
  type EventActor,
  type KeyRecord,
  keyRetentionMs,
} from '../frame/record.ts';
export { emptyLedger, hasTwoDecimals, type Ledger, maxOpenPayments } from '../host/host.ts';
export {
  businessPayoutPreferencesSchema,
  challengeMethodsSchema,
  payoutSettingsSchema,
} from '../host/wire.ts';
export {
  cardNetworks,
  fundingTypes,
  isFinal,
  isOpened,
  type OpenedPayment,
  openLifetimeMs,
  type Payment,
  type ProcessorPayment,
  paymentStates,
  type TimelineEntry,
  tokenizationMethods,
  transitions,
  type Work,
} from '../payment/payment.ts';
export { contactlessPaymentSchema, contactlessPaymentsSchema } from '../payment/wire.ts';
export {
  badRequest,
  doNotRetry,
  type Fault,
  type FaultOf,
  fault,
  fieldFault,
  internalError,
  problemSchema,
  problemShapes,
  retryLater,
  toProblem,
  unavailable,
  unknownRetryLater,
} from '../problems/problem.ts';
export { type ProblemRecovery, problemGuide } from '../problems/problem-guide.ts';
export { findReason, type ReasonRecovery, reasons } from '../problems/reasons.ts';
export { receiptSchema } from '../receipt/wire.ts';
export {
  type Dispute,
  type DisputeBooking,
  disputeStates,
  type ProcessorDispute,
  type SeenDispute,
  withheldMinor,
} from '../refund/dispute.ts';
export type { Movement } from '../refund/movement.ts';
export {
  isCounted,
  type ProcessorRefund,
  type Refund,
  refundStates,
} from '../refund/refund.ts';
export { type Kept, readKept } from '../refund/refund-excess.ts';
export { refundSchema, refundsSchema } from '../refund/wire.ts';
export { type MethodSetup, type SeenSetup, setupLifetimeMs } from '../setup/setup.ts';
export { paymentMethodSetupSchema } from '../setup/wire.ts';
export type { Part, Share, ShareEntry, ShareKind } from '../share/share.ts';
export {
  type OtherEntry,
  type Payout,
  type PayoutSum,
  payoutStates,
  type SettlementEntry,
  type SettlementKind,
  settlementKinds,
} from '../statement/settlement.ts';
export type { Tender } from '../tender/tender.ts';
export { platforms, type Terminal } from '../terminal/terminal.ts';
export {
  terminalConnectionTokenSchema,
  terminalSchema,
  terminalsSchema,
} from '../terminal/wire.ts';
export { type Review, reviewOutcomes, reviewReasons } from '../upkeep/review.ts';
export type { ListPass, ListProgress, SweptBooks, SweptLists } from '../upkeep/swept-books.ts';
export {
  createIds,
  type IdPrefix,
  isStorable,
  sha256Hex,
  typeId,
  unknownOption,
} from '../values/text.ts';
export type { Span } from '../values/time.ts';
export {
  moneySchema,
  resourceIdSchema,
  type Shape,
  type Shapes,
  shape,
  sharedShapes,
  type WireOption,
  wireOptions,
} from '../values/wire.ts';
export type { Ports } from './ports.ts';
export * from './processor.ts';
export type * from './store.ts';
