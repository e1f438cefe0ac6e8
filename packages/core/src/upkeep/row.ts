import type { Fact } from '../ports/store.ts';
import { type Encoders, fromDocument, tableOf, toDocument, toNumber } from '../storage/columns.ts';
import type { Review } from './review.ts';
import type { SweptBooks, SweptLists } from './swept-books.ts';

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
  outcome: (r) => r.outcome,
  resolved_by: (r) => r.resolvedBy,
} satisfies Encoders<Review>;
export const reviewTable = tableOf(
  reviewEncoders,
  (row): Review => ({
    id: row.id,
    reason: row.reason,
    account: row.account,
    ...(row.payment_id !== null && { paymentId: row.payment_id }),
    ...(row.reference !== null && { reference: row.reference }),
    ...(row.count !== null && { count: toNumber(row.count) }),
    openedAt: toNumber(row.opened_at),
    ...(row.resolved_at !== null && { resolvedAt: toNumber(row.resolved_at) }),
    ...(row.note !== null && { note: row.note }),
    ...(row.outcome !== null && { outcome: row.outcome }),
    ...(row.resolved_by !== null && { resolvedBy: toNumber(row.resolved_by) }),
  }),
);

const sweepEncoders = {
  // The name of the books, which is an account's own in most cases.
  account: ({ books }) => books,
  swept_before: ({ sweptBefore }) => sweptBefore,
  tried_at: ({ triedAt }) => triedAt,
  lists: ({ lists }) => (lists === undefined ? null : toDocument(lists)),
} satisfies Encoders<SweptBooks>;
export const sweepTable = tableOf(
  sweepEncoders,
  (row): SweptBooks => ({
    books: row.account,
    sweptBefore: toNumber(row.swept_before),
    triedAt: toNumber(row.tried_at),
    ...(row.lists !== null && { lists: fromDocument<SweptLists>(row.lists) }),
  }),
);

const factEncoders = {
  name: ({ name }) => name,
  version: ({ version }) => version,
  text: ({ text }) => text,
} satisfies Encoders<Fact>;
export const factTable = tableOf(
  factEncoders,
  ({ name, version, text }): Fact => ({ name, version: toNumber(version), text }),
);
