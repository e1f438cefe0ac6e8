import type { Dispute } from '../../domain/dispute.ts';
import { type Integer, type Minor, toMinor, toNumber } from './cell.ts';
import { columnsOf } from './columns.ts';

export interface DisputeRow {
  readonly id: string;
  readonly version: Integer;
  readonly payment_id: string;
  readonly business_id: string;
  readonly account: string;
  readonly reference: string;
  readonly currency: string;
  readonly amount_minor: Minor;
  readonly state: Dispute['state'];
  readonly reason: string | null;
  readonly respond_by_at: Integer | null;
  readonly opened_at: Integer;
  readonly updated_at: Integer;
  readonly seen_at: Integer;
}

export const disputeColumns = columnsOf<DisputeRow, Dispute>({
  id: (d) => d.id,
  version: (d) => d.version,
  payment_id: (d) => d.paymentId,
  business_id: (d) => d.businessId,
  account: (d) => d.account,
  reference: (d) => d.reference,
  currency: (d) => d.currency,
  amount_minor: (d) => d.amountMinor,
  state: (d) => d.state,
  reason: (d) => d.reason,
  respond_by_at: (d) => d.respondBy,
  opened_at: (d) => d.openedAt,
  updated_at: (d) => d.updatedAt,
  seen_at: (d) => d.seenAt,
});

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
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.respond_by_at !== null && { respondBy: toNumber(row.respond_by_at) }),
    openedAt: toNumber(row.opened_at),
    updatedAt: toNumber(row.updated_at),
    seenAt: toNumber(row.seen_at),
  };
}
