/**
 * The parts that stores share: codecs between records and rows, the reads of SQL stores, and the rule of what the
 * attempts at a commit prove together.
 */

export { longestWaitMs } from '../payment/payment.ts';
export { changingColumns, toLedger } from '../payment/row.ts';
export { sumsByKind, toPayoutSum } from '../statement/row.ts';
export * from './certainty.ts';
export {
  type Cell,
  type Columns,
  fromDocument,
  type Table,
  toDocument,
  toMinor,
  toNumber,
} from './columns.ts';
export { commonReads, type Finders } from './reads.ts';
export * from './schema.ts';
