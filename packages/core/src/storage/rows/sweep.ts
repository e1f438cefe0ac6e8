import type { SweptLedger, SweptLists } from '../../domain/swept-ledger.ts';
import { fromDocument, toDocument } from '../document.ts';
import { type Integer, toNumber } from './cell.ts';
import { columnsOf } from './columns.ts';

export interface SweepRow {
  /** The name of the ledger, which is an account's own in most cases. */
  readonly account: string;
  readonly swept_before: Integer;
  readonly tried_at: Integer;
  /** The progress of each list, as a document. */
  readonly lists: string | null;
}

export const sweepColumns = columnsOf<SweepRow, SweptLedger>({
  account: ({ ledger }) => ledger,
  swept_before: ({ sweptBefore }) => sweptBefore,
  tried_at: ({ triedAt }) => triedAt,
  lists: ({ lists }) => (lists === undefined ? null : toDocument(lists)),
});

export function toSweptLedger(row: SweepRow): SweptLedger {
  return {
    ledger: row.account,
    sweptBefore: toNumber(row.swept_before),
    triedAt: toNumber(row.tried_at),
    ...(row.lists !== null && { lists: fromDocument<SweptLists>(row.lists) }),
  };
}
