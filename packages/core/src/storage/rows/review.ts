import type { Review, ReviewReason } from '../../domain/review.ts';
import { type Integer, toNumber } from './cell.ts';

export interface ReviewRow {
  readonly id: string;
  readonly reason: ReviewReason;
  readonly account: string;
  readonly payment_id: string | null;
  readonly reference: string | null;
  readonly opened_at: Integer;
  readonly resolved_at: Integer | null;
  readonly note: string | null;
}

export function toReview(row: ReviewRow): Review {
  return {
    id: row.id,
    reason: row.reason,
    account: row.account,
    ...(row.payment_id !== null && { paymentId: row.payment_id }),
    ...(row.reference !== null && { reference: row.reference }),
    openedAt: toNumber(row.opened_at),
    ...(row.resolved_at !== null && { resolvedAt: toNumber(row.resolved_at) }),
    ...(row.note !== null && { note: row.note }),
  };
}
