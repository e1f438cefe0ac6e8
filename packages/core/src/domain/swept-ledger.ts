import type { EpochMs } from './time.ts';

/** A ledger at the processor, and how far its payments were swept (D27). */
export interface SweptLedger {
  /** An account, or the ledger that several accounts share. */
  readonly ledger: string;
  /**
   * All payments opened before this were checked; initially, when the ledger's first payment was
   * begun.
   */
  readonly sweptBefore: EpochMs;
  /** Time of the last attempt; initially `sweptBefore`. */
  readonly triedAt: EpochMs;
}
