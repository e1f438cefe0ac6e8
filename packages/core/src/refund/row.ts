import {
  columnsOf,
  type DocumentRow,
  documentColumns,
  type Encoders,
  toRecord,
} from '../storage/columns.ts';
import type { Dispute } from './dispute.ts';
import type { Refund, Returned } from './refund.ts';

/** The id is first: PostgreSQL takes the first column as the key of an update. */
export const refundColumns = documentColumns<Refund>({
  id: (r) => r.id,
  version: (r) => r.version,
  payment_id: (r) => r.paymentId,
  next_check_at: (r) => r.nextCheckAt,
});
export const toRefund: (row: DocumentRow) => Refund = toRecord;

export const disputeColumns = documentColumns<Dispute>({
  id: (d) => d.id,
  version: (d) => d.version,
  payment_id: (d) => d.paymentId,
  state: (d) => d.state,
});
export const toDispute: (row: DocumentRow) => Dispute = toRecord;

const returnedEncoders = {
  account: ({ account }) => account,
  kind: ({ kind }) => kind,
  id: ({ id }) => id,
  payment_id: ({ paymentId }) => paymentId,
  amount_minor: ({ amountMinor }) => amountMinor,
  at: ({ at }) => at,
} satisfies Encoders<Returned>;
export const returnedColumns = columnsOf<Returned>(returnedEncoders);
