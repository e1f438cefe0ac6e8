import type { EpochMs } from './time.ts';

/**
 * A refund or dispute that was reported to the host. It is kept for ever: the processor may repeat
 * its message weeks later, and the host must not get it twice (D25).
 */
export interface MoneyBack {
  readonly kind: 'refund' | 'dispute';
  /** The processor's id of the refund or dispute, unique with `account` and `kind`. */
  readonly id: string;
  readonly account: string;
  readonly paymentId: string;
  readonly amountMinor: bigint;
  /** When it was reported to the host. */
  readonly at: EpochMs;
}
