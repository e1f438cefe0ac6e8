import type { ResultAsync } from '../domain/result.ts';
import type { EpochMs } from '../domain/time.ts';

/** So many calls in such a window. */
export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
}

/** Where a caller stands in its window. */
export interface RateLimitState {
  /** The class of operation that is counted. */
  readonly policy: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  readonly resetsAt: EpochMs;
  /** False: this call is beyond the limit. */
  readonly allowed: boolean;
}

/** Counts calls (D31). One that fails lets the call pass; it must answer in bounded time. */
export interface RateLimiter {
  /**
   * Counts one call of `key` against the quota of `policy`.
   * Calls beyond the limit are not counted, so that a window always ends.
   */
  take(
    policy: string,
    key: string,
    quota: Quota,
    now: EpochMs,
  ): ResultAsync<RateLimitState, { readonly kind: 'limiterFailed' }>;
}
