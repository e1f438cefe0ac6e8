import type { Problem } from '../problems/problem.ts';
import { type EpochMs, hourMs } from '../values/time.ts';

/** How long a key is kept after its response became final. */
export const keyRetentionMs = 72 * hourMs;

/**
 * The use of a caller's idempotency key. The only change to a record is a `problem` that becomes
 * its final response; all other responses are derived from the payment, setup or refund (D21).
 */
export interface KeyRecord {
  readonly subject: string;
  readonly key: string;
  /** The name of the operation that used it first. */
  readonly operation: string;
  /** SHA-256 over the operation, the path ids and the canonical body, in hex. */
  readonly fingerprint: string;
  /** The payment, setup, refund or tender of the key; absent if the request had no effect to record. */
  readonly resourceId?: string;
  /** The final response, if it is a problem. */
  readonly problem?: Problem;
  /** The first moment at which the key may be deleted. A key without it is deleted with its resource. */
  readonly forgetAt?: EpochMs;
}

/**
 * Who acts, by the number that the records hold. One row names its subject, so that erasing a person
 * changes one row (D211).
 */
export interface Actor {
  readonly number: number;
  readonly subject: string;
}

/** Who did it, as records hold it. */
export interface ByActor {
  readonly actor?: number;
  /** The request in which it was done, if its transport names requests. */
  readonly requestId?: string;
}

/** The caller of a request, or whom a host names. */
export interface Acting {
  readonly subject: string;
  readonly requestId?: string | undefined;
}

/** The numbers that a process has looked up, by subject. */
export type KnownActors = Map<string, number>;

/** Who did it. */
export interface EventActor {
  /** The number of the person, which stays when the person is erased. */
  readonly actor: number;
  /** The `subject` of the caller; filled in when the event is delivered. */
  readonly subject?: string;
  readonly requestId?: string;
}
