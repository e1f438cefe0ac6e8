import type { Part } from '../share/share.ts';
import {
  columnsOf,
  type Encoders,
  fromDocument,
  type RowOf,
  toDocument,
  toMinor,
  toNumber,
  toWork,
  workEncoders,
} from '../storage/columns.ts';
import type { Dispute } from './dispute.ts';
import type { Refund, Returned } from './refund.ts';

/** The id is first: PostgreSQL takes the first column as the key of an update. */
const refundEncoders = {
  id: (r) => r.id,
  version: (r) => r.version,
  payment_id: (r) => r.paymentId,
  account: (r) => r.account,
  currency: (r) => r.currency,
  amount_minor: (r) => r.amountMinor,
  tip_minor: (r) => r.tipMinor,
  origin: (r) => r.origin,
  reason: (r) => r.reason,
  returns_fee: (r) => r.returnsFee,
  reverses_transfer: (r) => r.reversesTransfer,
  state: (r) => r.state,
  is_booked: (r) => r.isBooked,
  reference: (r) => r.reference,
  failure: (r) => r.failure,
  created_at: (r) => r.createdAt,
  updated_at: (r) => r.updatedAt,
  accepted_as: (r) => r.acceptedAs,
  accepted_at: (r) => r.acceptedAt,
  siblings: (r) => r.siblings && JSON.stringify(r.siblings),
  parts: (r) => r.parts && toDocument(r.parts),
  ...workEncoders,
  next_check_at: (r) => r.nextCheckAt,
  checks: (r) => r.checks,
} satisfies Encoders<Refund>;
export type RefundRow = RowOf<typeof refundEncoders>;
export const refundColumns = columnsOf<Refund>(refundEncoders);

export function toRefund(row: RefundRow): Refund {
  const work = toWork(row);
  return {
    id: row.id,
    version: toNumber(row.version),
    paymentId: row.payment_id,
    account: row.account,
    currency: row.currency,
    amountMinor: toMinor(row.amount_minor),
    ...(row.tip_minor !== null && { tipMinor: toMinor(row.tip_minor) }),
    origin: row.origin,
    ...(row.reason !== null && { reason: row.reason }),
    returnsFee: Boolean(row.returns_fee),
    reversesTransfer: Boolean(row.reverses_transfer),
    state: row.state,
    isBooked: Boolean(row.is_booked),
    ...(row.reference !== null && { reference: row.reference }),
    ...(row.failure !== null && { failure: row.failure }),
    createdAt: toNumber(row.created_at),
    updatedAt: toNumber(row.updated_at),
    ...(row.accepted_as !== null && { acceptedAs: row.accepted_as }),
    ...(row.accepted_at !== null && { acceptedAt: toNumber(row.accepted_at) }),
    ...(row.siblings !== null && { siblings: JSON.parse(row.siblings) }),
    ...(row.parts !== null && { parts: fromDocument<Part[]>(row.parts) }),
    ...(work !== undefined && { work }),
    ...(row.next_check_at !== null && { nextCheckAt: toNumber(row.next_check_at) }),
    checks: toNumber(row.checks),
  };
}

const disputeEncoders = {
  id: (d) => d.id,
  version: (d) => d.version,
  payment_id: (d) => d.paymentId,
  business_id: (d) => d.businessId,
  account: (d) => d.account,
  reference: (d) => d.reference,
  currency: (d) => d.currency,
  amount_minor: (d) => d.amountMinor,
  state: (d) => d.state,
  taken_minor: (d) => d.takenMinor,
  returned_minor: (d) => d.returnedMinor,
  booked_in: (d) => d.bookedIn,
  is_refundable: (d) => d.isRefundable,
  reason: (d) => d.reason,
  parts: (d) => d.parts && toDocument(d.parts),
  respond_by_at: (d) => d.respondBy,
  opened_at: (d) => d.openedAt,
  updated_at: (d) => d.updatedAt,
  seen_at: (d) => d.seenAt,
} satisfies Encoders<Dispute>;
export type DisputeRow = RowOf<typeof disputeEncoders>;
export const disputeColumns = columnsOf<Dispute>(disputeEncoders);

export function toDispute(row: DisputeRow): Dispute {
  return {
    id: row.id,
    version: toNumber(row.version),
    paymentId: row.payment_id,
    businessId: row.business_id,
    account: row.account,
    reference: row.reference,
    currency: row.currency,
    amountMinor: toMinor(row.amount_minor),
    state: row.state,
    takenMinor: toMinor(row.taken_minor),
    returnedMinor: toMinor(row.returned_minor),
    bookedIn: row.booked_in,
    isRefundable: Boolean(row.is_refundable),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.parts !== null && { parts: fromDocument<Part[]>(row.parts) }),
    ...(row.respond_by_at !== null && { respondBy: toNumber(row.respond_by_at) }),
    openedAt: toNumber(row.opened_at),
    updatedAt: toNumber(row.updated_at),
    seenAt: toNumber(row.seen_at),
  };
}

const returnedEncoders = {
  account: ({ account }) => account,
  kind: ({ kind }) => kind,
  id: ({ id }) => id,
  payment_id: ({ paymentId }) => paymentId,
  amount_minor: ({ amountMinor }) => amountMinor,
  at: ({ at }) => at,
} satisfies Encoders<Returned>;
export const returnedColumns = columnsOf<Returned>(returnedEncoders);
