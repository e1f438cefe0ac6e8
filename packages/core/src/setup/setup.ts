import type { Work } from '../payment/payment.ts';
import { type EpochMs, hourMs } from '../values/time.ts';

/** How long a customer has to complete a setup. */
export const setupLifetimeMs = hourMs;

/** The maximum of setups of one customer that have not expired. */
export const maxOpenSetups = 50;

/**
 * A session that collects a customer's payment method for a future appointment. Only the
 * processor knows the method.
 */
export interface MethodSetup {
  readonly id: string;
  readonly customerId: string;
  /** Whether the collected method may be used again. */
  readonly savePaymentMethod: boolean;
  readonly version: number;
  /** Absent until the processor has opened the session. */
  readonly clientSecret?: string;
  readonly reference?: string;
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs;
  /** The final outcome, once it is decided; it never changes. */
  readonly outcome?: SetupOutcome;
  readonly work?: Work;
  /** The latest charge of the method. The next one has to wait for its end. */
  readonly chargeId?: string;
  /** When the customer withdrew. The method is never charged again. */
  readonly releasedAt?: EpochMs;
  /** Who withdrew it, by the number of the person, and in which request. */
  readonly releasedBy?: number;
  readonly releasedRequestId?: string;
  /**
   * The time of `reconcile`'s next check, which finishes interrupted work, ends the setup or
   * forgets it. Absent while its method is kept for charges.
   */
  readonly nextCheckAt?: EpochMs | undefined;
}

/**
 * `expired`: not completed in time. It is never accepted, even if the customer completes it later.
 */
export type SetupOutcome = 'completed' | 'canceled' | 'expired';

/** A setup as the processor shows it. */
export interface SeenSetup {
  readonly status: 'open' | 'completed' | 'canceled';
  /** When the customer completed it, by the processor's clock, if the processor states it. */
  readonly completedAt?: EpochMs;
  /**
   * The processor's time when it sent this reply. Replies to reads carry it if the processor states
   * one.
   */
  readonly at?: EpochMs;
}

export type OpenedSetup = MethodSetup & {
  readonly clientSecret: string;
  readonly reference: string;
};
