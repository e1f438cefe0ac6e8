export type { AlsoPays, AnswerOf, InputOf } from './answers.ts';
export { type Client, createClient, type OperationName } from './client.ts';
export type { Journal } from './journal.ts';
export type {
  BusinessPayoutPreferences,
  ChallengeMethods,
  ContactlessPayment,
  ContactlessPayments,
  PaymentMethodSetup,
  Terminal,
  TerminalConnectionToken,
  Terminals,
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
export type { Collected, Intent, Reader, ReaderError, ReaderFailure, Report } from './reader.ts';
export * from './register.ts';
export type { Err, Ok, Result } from './result.ts';
export type { CallOptions, ErrorOf } from './send.ts';
export type { Attempt, ClientOptions, Fetch, TokenReason } from './settings.ts';
export type { Paid, Reason, Step, Taking } from './taking.ts';
export type { Limits, RegisterClient } from './till.ts';
export type { Time } from './time.ts';
export { words } from './words.ts';
