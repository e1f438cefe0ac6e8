import type { Fact } from '../ports/store.ts';
import {
  documentTable,
  type Encoders,
  fromDocument,
  tableOf,
  toDocument,
  toNumber,
} from '../storage/columns.ts';
import type { Review } from './review.ts';
import type { SweptBooks, SweptLists } from './swept-books.ts';

export const reviewTable = documentTable<Review>({
  id: (r) => r.id,
  version: (r) => r.version,
  account: (r) => r.account,
  reason: (r) => r.reason,
  payment_id: (r) => r.paymentId,
  resolved_at: (r) => r.resolvedAt,
});

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
