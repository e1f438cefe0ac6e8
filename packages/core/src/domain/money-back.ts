import type { EpochMs } from './time.ts';

/**
 * A refund or dispute that the host was told of. It is kept for ever: the processor may repeat its
 * message after weeks, and the host must not be told again (D25).
 */
export interface MoneyBack {
  readonly kind: 'refund' | 'dispute';
  /** The processor's id of it, unique with `account` and `kind`. */
  readonly id: string;
  readonly account: string;
  readonly paymentId: string;
  readonly amountMinor: bigint;
  /** When it was told. */
  readonly at: EpochMs;
}
