import type { EpochMs } from '@chairside/core';
import type { MethodSetup, Refund, Tender, Terminal } from '@chairside/core/ports';

// The history of one record, from applied writes and the processor's books. Moments, not times:
// they also order two events at the same time.

export interface SetupTrail {
  /** The action that began it. */
  readonly action: number;
  readonly begun: number;
  /** The subject and key that it was begun under. */
  readonly claim?: { readonly subject: string; readonly key: string };
  /** The last stored version. */
  stored: MethodSetup;
  /** When the processor opened sessions for it: as moments, and by its clock. */
  readonly openings: number[];
  readonly openedAt: EpochMs[];
  /** By action, the time of its last read at the processor. */
  readonly looks: Map<number, number>;
  recorded?: number;
  closed?: number;
  closedAt?: EpochMs;
  /** Withdrawn or deleted. */
  deleted?: number;
  /** Its time was over when it was deleted, settled or not (D41), or the host erased it (D47). */
  isOld?: true;
  /** The customer entered a card: as a moment, and by the processor's clock. */
  completed?: number;
  completedAt?: EpochMs;
}

export interface RefundTrail {
  /** The action that recorded it. */
  readonly action: number;
  /** The first stored version: its amount and its flags are frozen. */
  readonly claimed: Refund;
  readonly begunAt: EpochMs;
  /** The last stored version. */
  stored: Refund;
  /** The processor's keys under which it was sent, in order, and those that failed there. */
  readonly keys: string[];
  readonly failedKeys: Set<string>;
  /** When the processor's acceptance was recorded. */
  acceptedAt?: EpochMs;
  /** When its last change of state was recorded. */
  movedAt?: EpochMs;
  isWithdrawn?: true;
}

/** One act: a tender, its return or its void. */
export interface TenderTrail {
  readonly act: Tender;
  readonly moment: number;
  /** What was due at its task's last look. */
  readonly dueMinor: bigint;
}

export interface TerminalTrail {
  readonly terminal: Terminal;
  readonly action: number;
  readonly registered: number;
  gone?: { readonly moment: number; readonly action: number };
}
