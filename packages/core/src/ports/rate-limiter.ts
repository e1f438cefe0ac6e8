import type { ResultAsync } from '../domain/result.ts';
import type { EpochMs } from '../domain/time.ts';

/** A number of calls in a window. */
export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
}

/** The state of a caller's window. */
export interface RateLimitState {
  /** The class of operation that is counted. */
  readonly policy: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  readonly resetsAt: EpochMs;
  /** False: this call exceeds the limit. */
  readonly allowed: boolean;
}

/** Counts calls (D31). If it fails, the call passes. It must return in bounded time. */
export interface RateLimiter {
  /**
   * Counts one call of `key` against the quota of `policy`. Calls beyond the limit are not counted,
   * so that a window always ends.
   */
  take(
    policy: string,
    key: string,
    quota: Quota,
    now: EpochMs,
  ): ResultAsync<RateLimitState, { readonly kind: 'limiterFailed' }>;
}
