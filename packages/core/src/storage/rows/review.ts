import type { Review } from '../../domain/review.ts';
import { columnsOf, type Encoders, type RowOf, toNumber } from './columns.ts';

const reviewEncoders = {
  id: (r) => r.id,
  reason: (r) => r.reason,
  account: (r) => r.account,
  payment_id: (r) => r.paymentId,
  reference: (r) => r.reference,
  count: (r) => r.count,
  opened_at: (r) => r.openedAt,
  resolved_at: (r) => r.resolvedAt,
  note: (r) => r.note,
} satisfies Encoders<Review>;
export type ReviewRow = RowOf<typeof reviewEncoders>;
export const reviewColumns = columnsOf<Review>(reviewEncoders);

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
