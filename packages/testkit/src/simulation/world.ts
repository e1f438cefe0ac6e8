import type {
  Chairside,
  ChairsideOptions,
  Clock,
  EpochMs,
  PaymentState,
  Processor,
  RawEvent,
  Result,
  Store,
} from '@chairside/core';

/** What a host brings to a simulation. Made anew for each run. */
export interface World {
  /** Begins empty. */
  readonly store: Store;
  readonly processor: SimulatedProcessor;
  /** The same store, as it is found after its process died. The store as it is, if left out. */
  reopen?(): Promise<Store>;
  /** Faults of the world's own making stop, with those of the plan. Answers how many there were. */
  heal?(): number;
  close?(): Promise<void>;
}

export interface Harness {
  /** @param seed what the world may choose (ids, say) follows from it. */
  open(clock: Clock, seed: number): World | Promise<World>;
  /** The core under test; the real one if left out. */
  readonly createChairside?: (options: ChairsideOptions) => Chairside;
}

/** A processor of which the simulation sees the books. `@chairside/fake-processor` makes one. */
export interface SimulatedProcessor extends Processor {
  /** Every payment that was ever opened. */
  entries(): readonly LedgerEntry[];
  /** Holds a card to a terminal. The names of `@chairside/fake-processor` are used. */
  presentCard(
    clientSecret: string,
    card: string,
  ): Result<{ readonly externalPaymentReference: { readonly id: string } }, unknown>;
  /** Every setup that was ever opened. */
  setups(): readonly SetupLedgerEntry[];
  /** A customer enters a card in a setup's session; the same names. */
  completeSetup(
    clientSecret: string,
    card: string,
  ): Result<{ readonly status: 'completed' | 'declined' | 'canceled' }, unknown>;
  /** Messages that were not sent yet; they count as sent. */
  takeEvents(limit?: number): Result<readonly RawEvent[], unknown>;
  /** Signs a message anew, to send it again later. */
  signEvent(payload: string): RawEvent;
  refund(reference: string, amountMinor: bigint): Result<unknown, unknown>;
  dispute(reference: string, amountMinor: bigint): Result<unknown, unknown>;
  /** The next call of that name meets a fault of the processor's own making. */
  failNext(
    call: 'openPayment' | 'capturePayment' | 'cancelPayment' | 'openSetup',
    fault: 'failure' | 'failureAfterApplying' | 'rejected',
  ): void;
}

export interface LedgerEntry {
  readonly id: string;
  readonly account: string;
  readonly paymentId: string;
  readonly installation: string;
  readonly status: PaymentState;
  /** Decimal text, as on the wire. */
  readonly amount: string;
  readonly amountCaptured: string;
  /** What the issuer approved. */
  readonly amountAuthorized?: string;
  readonly capturedAt?: EpochMs;
  readonly captureBefore?: EpochMs;
  readonly createdAt: EpochMs;
  readonly clientSecret: string;
  readonly history: readonly { readonly at: EpochMs; readonly what: string }[];
}

export interface SetupLedgerEntry {
  readonly id: string;
  readonly setupId: string;
  readonly installation: string;
  readonly status: 'open' | 'completed' | 'canceled';
  readonly clientSecret: string;
  /** Absent at processors that do not show it. */
  readonly customerId?: string;
  readonly savePaymentMethod?: boolean;
}
