export type Kind = 'byHand' | 'grouped' | 'chairside';

/** What is served by the nodes: Chairside, or what one would write by hand. */
export interface OverPostgres {
  /** Makes the tables, and appointments of these ids on which 45.00 is due. */
  readonly prepare: (connectionString: string, appointments: readonly string[]) => Promise<void>;
  /** Counts what is stored, by name: each is the text of an SQL expression. */
  readonly counts: Readonly<Record<keyof Counts, string>>;
}

/** What must be there after so many pairs of a create and a capture. */
export interface Counts {
  readonly payments: number;
  readonly captured: number;
  readonly keys: number;
  readonly events: number;
  readonly openPayments: number;
  readonly reservedMinor: number;
  readonly capturedMinor: number;
}

/** A server, until its figures are wanted. */
export interface ServedNode {
  readonly port: number;
  readonly takenMinor: () => number;
  readonly close: () => Promise<void>;
}
