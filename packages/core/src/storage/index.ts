/** Decodes the rows of an SQL store, and encodes records for it. Each store has its own SQL. */
export type { Cell } from './cell.ts';
export { toMinor, toNumber } from './cell.ts';
export * from './host-rows.ts';
export * from './money-back-rows.ts';
export {
  changingCells,
  changingColumns,
  type PaymentRow,
  paymentCells,
  paymentColumns,
  toPayment,
} from './payment-row.ts';
export * from './rows.ts';
