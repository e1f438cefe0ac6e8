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
  /** What became of it, once that is decided; it never changes afterwards (D41). */
  readonly outcome?: SetupOutcome;
  readonly work?: Work;
  /** When `reconcile` looks at it next: to finish what was interrupted, to end it, or to forget it. */
  readonly nextCheckAt: EpochMs;
}

/** `expired`: not completed in time; it is never accepted, whatever the customer does later. */
export type SetupOutcome = 'completed' | 'canceled' | 'expired';

/** A setup as the processor shows it. */
export interface SeenSetup {
  readonly status: 'open' | 'completed' | 'canceled';
  /** When the customer completed it, by the processor's clock, where the processor states it (D41). */
  readonly completedAt?: EpochMs;
  /** The processor's time when it sent this reply; replies to reads carry it where known (D42). */
  readonly at?: EpochMs;
}

/**
 * What a setup has come to; `undefined` while the customer may still complete it. It counts as completed
 * if that was done by `expiresAt`. Where the processor does not state the time of completion, the time
 * of this observation counts (D41).
 * @param now the time where the processor states none.
 */
export function outcomeOf(
  setup: MethodSetup,
  seen: SeenSetup | undefined,
  now: EpochMs,
): SetupOutcome | undefined {
  if (setup.outcome !== undefined) return setup.outcome;
  // A setup that the processor does not have can no longer be completed.
  if (seen === undefined || seen.status === 'canceled') return 'canceled';
  const at = seen.at ?? now;
  if (seen.status === 'open') return at >= setup.expiresAt ? 'expired' : undefined;
  return (seen.completedAt ?? at) <= setup.expiresAt ? 'completed' : 'expired';
}

/** A setup that the processor has opened. */
export type OpenedSetup = MethodSetup & {
  readonly clientSecret: string;
  readonly reference: string;
};

export function isOpenedSetup(setup: MethodSetup): setup is OpenedSetup {
  return setup.clientSecret !== undefined;
}
