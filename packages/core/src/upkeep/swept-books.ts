import { type EpochMs, hourMs, minuteMs } from '../values/time.ts';

/** The books of an account at the processor, and how far their lists were swept. */
export interface SweptBooks {
  /** An account, or the books that several accounts share. */
  readonly books: string;
  /**
   * Everything opened before this was checked, in every list; initially, when the books' first
   * payment was begun.
   */
  readonly sweptBefore: EpochMs;
  /** Time of the last attempt; initially `sweptBefore`. */
  readonly triedAt: EpochMs;
  /** How far each list was read; a list that is absent here begins at `sweptBefore`. */
  readonly lists?: SweptLists;
}

/**
 * The lists that a sweep reads: those of the books, and the disputes that are open here. `restored` is the
 * list of payments once more, read after the database was restored from a backup.
 */
export type SweptLists = {
  readonly [List in
    | 'payments'
    | 'refunds'
    | 'disputes'
    | 'openDisputes'
    | 'settlements'
    | 'payouts']?: ListProgress;
} & { readonly restored?: Restored };

/** How far one list of the books was read. */
export interface ListProgress {
  /** Everything opened before this was checked. */
  readonly sweptBefore: EpochMs;
  /** The observer knows the skipped items that were opened before this. */
  readonly reportedBefore?: EpochMs;
  /** What failed in the last pass. */
  readonly failing?: Failing;
  /** The pass that is under way. It may take several runs. */
  readonly pass?: ListPass;
}

/** Items that failed, each with the time of its first failure without a success since. */
type Failing = readonly (readonly [item: string, since: EpochMs])[];

/** The reading of the list of payments for a restoration. It goes on until it has an end. */
export interface Restored extends ListProgress {
  /** The greatest number of a process that had begun before this reading. */
  readonly restoration: number;
  /** `refused`: the processor lists nothing of this account. It is asked again from time to time. */
  readonly end?: 'read' | 'refused';
}

/** One reading of a list, from `sweptBefore` to `before`. */
export interface ListPass {
  readonly before: EpochMs;
  /** The end of the last page; absent before the first page. */
  readonly cursor?: string;
  /** The next pass begins here, because of what this pass could not end. */
  readonly restartAt?: EpochMs;
  /** What failed in this pass so far. */
  readonly failing?: Failing;
}

/** Shorter spans are skipped, and books that cannot be read are tried again after so long. */
export const minSpanMs = 10 * minuteMs;

/** The first sweep of books begins so long before their first payment, whose node's clock may have been ahead. */
export const clockErrorMs = 7 * 24 * hourMs;
