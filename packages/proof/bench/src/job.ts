/** One measurement, in a separate process and folder. */
export interface Job {
  readonly scenario: string;
  /** Connections over HTTP, callers in process. */
  readonly connections: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** The folder of its databases. It must be on a real disk, or durability costs no time. */
  readonly folder: string;
  /** A database that was filled before. Default: a new one. */
  readonly database?: string;
  /** The number of payments to fill in, or to measure the size of. */
  readonly payments?: number;
  /** The file for the CPU profile of the measured time. */
  readonly profile?: string;
}

/** The counts of a load generator. */
export interface Load {
  /** All responses, including those of the warm-up. */
  readonly answered: number;
  /** Wrong responses and lost connections. */
  readonly wrong: number;
  readonly firstWrong?: string;
  /** Requests a second, after the warm-up. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** The result of a job. */
export interface Outcome {
  readonly load: Load;
  /** The number of transactions committed, and therefore flushed to the disk. */
  readonly commits: number;
  /** Round trips to a store in a separate server, for one request. */
  readonly roundTrips?: number;
  /** CPU time of the server's process, in all its threads, for one request. */
  readonly cpuMicroseconds: number;
  /** Differences between the responses and the database or the fake's ledger. */
  readonly faults: readonly string[];
  readonly bytesPerPayment?: number;
}

export const noLoad: Load = { answered: 0, wrong: 0, rate: 0, p50: 0, p99: 0 };
