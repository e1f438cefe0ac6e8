/**
 * The parts that stores share: codecs between records and rows, and the rule of what the attempts at
 * a commit prove together. Each store has its own SQL.
 */

export { type EventRow, type KeptEventRow, toKeptEvent, toPendingEvent } from '../event/wire.ts';
export * from '../host/row.ts';
export { longestWaitMs } from '../payment/payment.ts';
export {
  changingColumns,
  type LedgerRow,
  type PaymentRow,
  paymentColumns,
  toLedger,
  toPayment,
} from '../payment/row.ts';
export {
  disputeColumns,
  refundColumns,
  returnedColumns,
  toDispute,
  toRefund,
} from '../refund/wire.ts';
export { setupColumns, toSetup } from '../setup/wire.ts';
export { shareColumns, toShareEntry } from '../share/wire.ts';
export * from '../statement/row.ts';
export { tenderColumns, toTender } from '../tender/wire.ts';
export { terminalColumns, toTerminal } from '../terminal/wire.ts';
export * from '../upkeep/row.ts';
export {
  type Again,
  type Calls,
  type Certainty,
  type CommitOutcome,
  type Committed,
  createCalls,
  createCertainty,
  createRetries,
  type SearchOutcome,
} from './certainty.ts';
export {
  type Cell,
  type Columns,
  type DocumentRow,
  fromDocument,
  toDocument,
  toMinor,
  toNumber,
} from './columns.ts';
export * from './schema.ts';
