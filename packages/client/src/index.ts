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
} from '@chairside/core/result';
export { type Client, createClient } from './client.ts';
export type {
  CaptureContactlessPaymentInput,
  CreateContactlessPaymentInput,
  OperationName,
  PreparePaymentMethodInput,
} from './operations.ts';
export type { Open } from './parse.ts';
export {
  type AnyProblem,
  type ClientProblem,
  reasonOf,
  type Unanswered,
  type UnexpectedProblem,
  type WireProblem,
} from './problem.ts';
export type { CallOptions, ErrorOf } from './send.ts';
export type { Attempt, ClientOptions, Fetch, TokenReason } from './settings.ts';
export type {
  BusinessPayoutPreferences,
  ChallengeMethods,
  ContactlessPayment,
  ContactlessPayments,
  PaymentMethodSetup,
  Terminal,
  TerminalConnectionToken,
  Terminals,
} from './shapes.ts';
export type { Time } from './time.ts';
