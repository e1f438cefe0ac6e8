import type { Review, ReviewReason } from '../../domain/review.ts';
import { type Integer, toNumber } from './cell.ts';
import { columnsOf } from './columns.ts';

export interface ReviewRow {
  readonly id: string;
  readonly reason: ReviewReason;
  readonly account: string;
  readonly payment_id: string | null;
  readonly reference: string | null;
  readonly count: Integer | null;
  readonly opened_at: Integer;
  readonly resolved_at: Integer | null;
  readonly note: string | null;
}

export const reviewColumns = columnsOf<ReviewRow, Review>({
  id: (r) => r.id,
  reason: (r) => r.reason,
  account: (r) => r.account,
  payment_id: (r) => r.paymentId,
  reference: (r) => r.reference,
  count: (r) => r.count,
  opened_at: (r) => r.openedAt,
  resolved_at: (r) => r.resolvedAt,
  note: (r) => r.note,
});

export function toReview(row: ReviewRow): Review {
  return {
    id: row.id,
    reason: row.reason,
    account: row.account,
    ...(row.payment_id !== null && { paymentId: row.payment_id }),
    ...(row.reference !== null && { reference: row.reference }),
    ...(row.count !== null && { count: toNumber(row.count) }),
    openedAt: toNumber(row.opened_at),
    ...(row.resolved_at !== null && { resolvedAt: toNumber(row.resolved_at) }),
    ...(row.note !== null && { note: row.note }),
  };
}
