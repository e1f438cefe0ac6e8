import type { Work } from './payment.ts';
import { type EpochMs, hourMs } from './time.ts';

/** How long a customer has to complete a setup (D23). */
export const setupLifetimeMs = hourMs;

/**
 * A session in which a customer's payment method is collected for an appointment that is yet to be
 * made (D23). What was collected is known to the processor alone.
 */
export interface MethodSetup {
  readonly id: string;
  readonly customerId: string;
  /** Whether the collected method may be used again. */
  readonly savePaymentMethod: boolean;
  readonly version: number;
  /** Absent until the processor opened the session. */
  readonly clientSecret?: string;
  readonly reference?: string;
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs;
  readonly work?: Work;
  /** When `reconcile` looks at it next: to finish what was interrupted, or to forget it. */
  readonly nextCheckAt: EpochMs;
}

/** A setup that the processor has opened. */
export type OpenedSetup = MethodSetup & {
  readonly clientSecret: string;
  readonly reference: string;
};

export function isOpenedSetup(setup: MethodSetup): setup is OpenedSetup {
  return setup.clientSecret !== undefined;
}
