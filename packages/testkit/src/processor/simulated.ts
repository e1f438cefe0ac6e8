import type { EpochMs, PaymentState, Processor, RawEvent, Result } from '@chairside/core';

/** A processor whose books the simulation can read. `@chairside/fake-processor` makes one. */
export interface SimulatedProcessor extends Processor {
  /** The longest time that any card's authorization is held; runs continue until it has ended. */
  readonly longestHoldMs: number;
  /** Every payment that was ever opened. */
  entries(): readonly LedgerEntry[];
  /** Presents a card at a terminal, with the names of `@chairside/fake-processor`. */
  presentCard(
    clientSecret: string,
    card: string,
  ): Result<{ readonly externalPaymentReference: { readonly id: string } }, unknown>;
  /** Every setup that was ever opened. */
  setups(): readonly SetupLedgerEntry[];
  /** A customer enters a card in a setup's session: `visa_credit` by default. */
  completeSetup(
    clientSecret: string,
    card?: string,
  ): Result<{ readonly status: 'completed' | 'declined' | 'canceled' }, unknown>;
  /** Takes the unsent messages, and marks them as sent. */
  takeEvents(limit?: number): Result<readonly RawEvent[], unknown>;
  /** Signs a message again, for a repeated delivery. */
  signEvent(payload: string): RawEvent;
  refund(reference: string, amountMinor: bigint): Result<unknown, unknown>;
  dispute(reference: string, amountMinor: bigint): Result<unknown, unknown>;
  /** Deletes this customer at the processor. Absent if the processor never forgets customers. */
  forgetCustomer?(customerId: string): void;
  /** Gives the next call of that name one of the processor's own faults. */
  failNext(
    call: 'openPayment' | 'capturePayment' | 'cancelPayment' | 'openSetup' | 'cancelSetup',
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
  /** The amount that the issuer approved. */
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
  /** Absent for processors that do not show it. */
  readonly customerId?: string;
  readonly savePaymentMethod?: boolean;
}
