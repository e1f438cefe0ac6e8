/**
 * The parts that stores share: codecs between records and rows, and the rule of what the attempts at
 * a commit prove together. Each store has its own SQL.
 */
export { type Calls, createCalls } from './calls.ts';
export { type Certainty, type Committed, createCertainty } from './certainty.ts';
export { fromDocument, toDocument } from './document.ts';
export type { CommitOutcome, SearchOutcome } from './outcome.ts';
export { type Again, createRetries } from './retry.ts';
export type { Cell, Columns } from './rows/columns.ts';
export { toMinor, toNumber } from './rows/columns.ts';
export * from './rows/event.ts';
export * from './rows/host.ts';
export * from './rows/key.ts';
export * from './rows/payment.ts';
export * from './rows/refund.ts';
export * from './rows/review.ts';
export * from './rows/settlement.ts';
export * from './rows/setup.ts';
export * from './rows/sweep.ts';
export { tables } from './rows/tables.ts';
export * from './rows/terminal.ts';
