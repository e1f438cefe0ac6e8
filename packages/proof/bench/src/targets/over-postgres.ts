export type Kind = 'byHand' | 'grouped' | 'chairside';

/** The service of the nodes: Chairside, or a hand-written one. */
export interface OverPostgres {
  /** Creates the tables, and appointments with these ids and 45.00 due. */
  readonly prepare: (connectionString: string, appointments: readonly string[]) => Promise<void>;
  /** The stored counts, each as an SQL expression by name. */
  readonly counts: Readonly<Record<keyof Counts, string>>;
}

/** The expected counts after a number of creates and captures. */
export interface Counts {
  readonly payments: number;
  readonly captured: number;
  readonly keys: number;
  readonly events: number;
  readonly openPayments: number;
  readonly reservedMinor: number;
  readonly capturedMinor: number;
}

/** A server, until its figures are read. */
export interface ServedNode {
  readonly port: number;
  readonly takenMinor: () => number;
  readonly close: () => Promise<void>;
}
