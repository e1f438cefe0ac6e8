import type { SweptLedger } from '../../domain/swept-ledger.ts';
import { type Integer, toNumber } from './cell.ts';
import { columnsOf } from './columns.ts';

export interface SweepRow {
  /** The name of the ledger, which is an account's own in most cases. */
  readonly account: string;
  readonly swept_before: Integer;
  readonly tried_at: Integer;
}

export const sweepColumns = columnsOf<SweepRow, SweptLedger>({
  account: ({ ledger }) => ledger,
  swept_before: ({ sweptBefore }) => sweptBefore,
  tried_at: ({ triedAt }) => triedAt,
});

export function toSweptLedger(row: SweepRow): SweptLedger {
  return {
    ledger: row.account,
    sweptBefore: toNumber(row.swept_before),
    triedAt: toNumber(row.tried_at),
  };
}
