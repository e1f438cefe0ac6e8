import type { SweptLedger, SweptLists } from '../../domain/swept-ledger.ts';
import { fromDocument, toDocument } from '../document.ts';
import { columnsOf, type Encoders, type RowOf, toNumber } from './columns.ts';

const sweepEncoders = {
  // The name of the ledger, which is an account's own in most cases.
  account: ({ ledger }) => ledger,
  swept_before: ({ sweptBefore }) => sweptBefore,
  tried_at: ({ triedAt }) => triedAt,
  lists: ({ lists }) => (lists === undefined ? null : toDocument(lists)),
} satisfies Encoders<SweptLedger>;
export type SweepRow = RowOf<typeof sweepEncoders>;
export const sweepColumns = columnsOf<SweptLedger>(sweepEncoders);

export function toSweptLedger(row: SweepRow): SweptLedger {
  return {
    ledger: row.account,
    sweptBefore: toNumber(row.swept_before),
    triedAt: toNumber(row.tried_at),
    ...(row.lists !== null && { lists: fromDocument<SweptLists>(row.lists) }),
  };
}
