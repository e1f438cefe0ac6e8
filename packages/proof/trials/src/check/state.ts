import type { EpochMs, RefundsView, ReviewView } from '@chairside/core';
import type {
  Dispute,
  Ledger,
  MethodSetup,
  Payment,
  Refund,
  Tender,
  Terminal,
} from '@chairside/core/ports';
import type { BookEntry, SetupBookEntry } from '@chairside/testkit';

/** The records here and at the processor, while no request is running. */
export interface State {
  readonly at: EpochMs;
  readonly payments: readonly Payment[];
  readonly ledgers: readonly Ledger[];
  readonly entries: readonly BookEntry[];
  readonly setups: readonly MethodSetup[];
  readonly setupEntries: readonly SetupBookEntry[];
  readonly terminals: readonly Terminal[];
  /** Of captured payments. */
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
  readonly tenders: readonly Tender[];
  /** As the host lists the refunds, by payment, where there are some. */
  readonly refundLists: ReadonlyMap<string, RefundsView>;
  /** As the host lists them. */
  readonly reviews: {
    readonly open: readonly ReviewView[];
    readonly resolved: readonly ReviewView[];
  };
}
