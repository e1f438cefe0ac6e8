import type { EpochMs, PaymentState, Processor, RawEvent, Result } from '@chairside/core';

/** A processor of which the simulation sees the books. `@chairside/fake-processor` makes one. */
export interface SimulatedProcessor extends Processor {
  /** No authorization of any card is held for longer: runs go on until it has ended. */
  readonly longestHoldMs: number;
  /** Every payment that was ever opened. */
  entries(): readonly LedgerEntry[];
  /** Holds a card to a terminal. The names of `@chairside/fake-processor` are used. */
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
  /** Messages that were not sent yet; they count as sent. */
  takeEvents(limit?: number): Result<readonly RawEvent[], unknown>;
  /** Signs a message anew, to send it again later. */
  signEvent(payload: string): RawEvent;
  refund(reference: string, amountMinor: bigint): Result<unknown, unknown>;
  dispute(reference: string, amountMinor: bigint): Result<unknown, unknown>;
  /** From now on the processor does not know this customer. Left out where it forgets nobody. */
  forgetCustomer?(customerId: string): void;
  /** The next call of that name meets a fault of the processor's own making. */
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
  /** Absent at processors that do not show it. */
  readonly customerId?: string;
  readonly savePaymentMethod?: boolean;
}
