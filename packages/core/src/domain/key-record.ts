import type { Problem } from './problem.ts';
import type { EpochMs } from './time.ts';

/** The operations with an idempotency key. */
export type KeyedOperation =
  | 'createContactlessPayment'
  | 'captureContactlessPayment'
  | 'preparePaymentMethod'
  | 'refundPayment'
  | 'chargePaymentMethod';

/**
 * The use of a caller's idempotency key. The only change to a record is a `problem` that becomes
 * its final response; all other responses are derived from the payment, setup or refund (D21).
 */
export interface KeyRecord {
  readonly subject: string;
  readonly key: string;
  readonly operation: KeyedOperation;
  /** SHA-256 over the operation, the path ids and the canonical body, in hex (D19). */
  readonly fingerprint: string;
  /** The payment, setup or refund of the key; absent if the request had no effect to record (D21). */
  readonly resourceId?: string;
  /** The final response, if it is a problem. */
  readonly problem?: Problem;
  /** When a key without a resource may be deleted. Other keys are deleted with their resource. */
  readonly forgetAt?: EpochMs;
}
