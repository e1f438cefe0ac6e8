/** The service of the nodes: Chairside, or a hand-written one. */
export interface OverPostgres {
  /** Creates the tables, and appointments with these ids and 45.00 due. */
  readonly prepare: (connectionString: string, appointmentIds: readonly string[]) => Promise<void>;
  /** The stored counts, each as an SQL expression by name. */
  readonly counts: Readonly<Record<keyof Counts, string>>;
  readonly serve: (connectionString: string) => Promise<{
    readonly port: number;
    /** The total that its processor has captured. */
    readonly takenMinor: () => number;
    readonly close: () => Promise<void>;
  }>;
}

/** The expected counts after a number of creates and captures. */
export type Counts = Readonly<
  Record<
    | 'payments'
    | 'captured'
    | 'keys'
    | 'events'
    | 'openPayments'
    | 'reservedMinor'
    | 'capturedMinor',
    number
  >
>;
