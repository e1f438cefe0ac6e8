/**
 * The parts that stores share: codecs between records and rows, and the rule of what a failure of
 * each step of a commit proves. Each store has its own SQL.
 */
export { type Calls, createCalls } from './calls.ts';
export type { Cell } from './cell.ts';
export { toMinor, toNumber } from './cell.ts';
export { type Certainty, type Committed, createCertainty } from './certainty.ts';
export { type CommitSteps, commitWith } from './commit-with.ts';
export { fromDocument, toDocument } from './document.ts';
export * from './host-rows.ts';
export * from './money-back-rows.ts';
export type { CommitOutcome, SearchOutcome } from './outcome.ts';
export {
  changingCells,
  changingColumns,
  type PaymentRow,
  paymentCells,
  paymentColumns,
  toPayment,
} from './payment-row.ts';
export { type Again, createRetries } from './retry.ts';
export * from './rows.ts';
