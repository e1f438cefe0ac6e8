import type { ChallengeChannels } from '../domain/challenge-channels.ts';
import type { DevicePolicy } from '../domain/device-policy.ts';
import type { EpochMs } from '../domain/time.ts';
import type { TipPolicy } from '../domain/tip.ts';
import type { Clock } from './clock.ts';
import type { Ids } from './ids.ts';
import type { Observer } from './observer.ts';
import type { Processor } from './processor.ts';
import type { Quota, RateLimiter } from './rate-limiter.ts';
import type { Store } from './store.ts';

/** The classes of operation that have separate rate limits (D31). */
export type RateLimitClass =
  | 'reads'
  | 'writes'
  | 'connectionTokens'
  | 'challengeMethods'
  | 'challengeTargets'
  | 'failedAuthentications';

/** A quota for each class. */
export type RateLimits = Readonly<Record<RateLimitClass, Quota>>;

/** All dependencies of the use cases. `createChairside` fills in the defaults. */
export interface Ports {
  readonly store: Store;
  readonly processor: Processor;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly rateLimiter: RateLimiter;
  /** `undefined`: rate limits are off. */
  readonly rateLimits: RateLimits | undefined;
  readonly devicePolicy: DevicePolicy;
  /** The ways to send a one-time passcode, the same for all users (D8). */
  readonly challengeMethods: ChallengeChannels;
  /** The bound on tips. `undefined`: tips are off (D48). */
  readonly tips: TipPolicy | undefined;
  /** The mark of payments that this installation opens at the processor (D27). */
  readonly installation: string;
  readonly observe: Observer | undefined;
  /** No processor call starts after this time, because the request's time is used up. */
  readonly endsAt?: EpochMs | undefined;
  /** Runs a task after the response. `reconcile` does the work of tasks that never ran. */
  readonly background: (task: () => Promise<void>) => void;
}
