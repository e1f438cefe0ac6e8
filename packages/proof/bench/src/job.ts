import type { Duration, Load } from './load.ts';

/** One measurement, in a separate process and folder. */
export interface Job extends Duration {
  readonly scenario: string;
  /** The folder of its databases. It must be on a real disk, or durability costs no time. */
  readonly folder: string;
  /** A database that was filled before. Default: a new one. */
  readonly database?: string;
  /** The number of payments to fill in. */
  readonly payments?: number;
  /** The file for the CPU profile of the measured time. */
  readonly profile?: string;
}

/** The counts and faults of a target, once its load is over. */
export interface Finding {
  /** The number of transactions committed, and therefore flushed to the disk. */
  readonly commits: number;
  /** Differences between the responses and the database or the fake's ledger. */
  readonly faults: readonly string[];
  /** Round trips to a store in a separate server. */
  readonly roundTrips?: number;
  /** CPU time of the servers in a second of the measured time, where these are other processes. */
  readonly cpuMicrosecondsASecond?: number;
}

/** The result of a job: its load and its finding. */
export interface Outcome extends Finding {
  readonly load: Load;
  /** CPU time of the servers, in all their threads, for one request after the warm-up. */
  readonly cpuMicroseconds: number;
}
