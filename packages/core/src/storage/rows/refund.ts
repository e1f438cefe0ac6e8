import type { Refund } from '../../domain/refund.ts';
import { type Flag, type Integer, type Minor, toMinor, toNumber } from './cell.ts';
import { columnsOf } from './columns.ts';
import { toWork, type WorkRow, workEncoders } from './work.ts';

export interface RefundRow extends WorkRow {
  readonly id: string;
  readonly version: Integer;
  readonly payment_id: string;
  readonly account: string;
  readonly currency: string;
  readonly amount_minor: Minor;
  readonly origin: Refund['origin'];
  readonly reason: string | null;
  readonly returns_fee: Flag;
  readonly reverses_transfer: Flag;
  readonly state: Refund['state'];
  readonly reference: string | null;
  readonly failure: string | null;
  readonly created_at: Integer;
  readonly updated_at: Integer;
  readonly accepted_as: Refund['state'] | null;
  readonly accepted_at: Integer | null;
  readonly next_check_at: Integer | null;
  readonly checks: Integer;
}

/** The id is first: PostgreSQL takes the first column as the key of an update. */
export const refundColumns = columnsOf<RefundRow, Refund>({
  id: (r) => r.id,
  version: (r) => r.version,
  payment_id: (r) => r.paymentId,
  account: (r) => r.account,
  currency: (r) => r.currency,
  amount_minor: (r) => r.amountMinor,
  origin: (r) => r.origin,
  reason: (r) => r.reason,
  returns_fee: (r) => r.returnsFee,
  reverses_transfer: (r) => r.reversesTransfer,
  state: (r) => r.state,
  reference: (r) => r.reference,
  failure: (r) => r.failure,
  created_at: (r) => r.createdAt,
  updated_at: (r) => r.updatedAt,
  accepted_as: (r) => r.acceptedAs,
  accepted_at: (r) => r.acceptedAt,
  ...workEncoders,
  next_check_at: (r) => r.nextCheckAt,
  checks: (r) => r.checks,
});

export function toRefund(row: RefundRow): Refund {
  const work = toWork(row);
  return {
    id: row.id,
    version: toNumber(row.version),
    paymentId: row.payment_id,
    account: row.account,
    currency: row.currency,
    amountMinor: toMinor(row.amount_minor),
    origin: row.origin,
    ...(row.reason !== null && { reason: row.reason }),
    returnsFee: Boolean(row.returns_fee),
    reversesTransfer: Boolean(row.reverses_transfer),
    state: row.state,
    ...(row.reference !== null && { reference: row.reference }),
    ...(row.failure !== null && { failure: row.failure }),
    createdAt: toNumber(row.created_at),
    updatedAt: toNumber(row.updated_at),
    ...(row.accepted_as !== null && { acceptedAs: row.accepted_as }),
    ...(row.accepted_at !== null && { acceptedAt: toNumber(row.accepted_at) }),
    ...(work !== undefined && { work }),
    ...(row.next_check_at !== null && { nextCheckAt: toNumber(row.next_check_at) }),
    checks: toNumber(row.checks),
  };
}
