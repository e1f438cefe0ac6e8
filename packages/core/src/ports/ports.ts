import type { ChallengeChannels } from '../domain/challenge-channels.ts';
import type { DevicePolicy } from '../domain/device-policy.ts';
import type { EpochMs } from '../domain/time.ts';
import type { Clock } from './clock.ts';
import type { Ids } from './ids.ts';
import type { Observer } from './observer.ts';
import type { Processor } from './processor.ts';
import type { Quota, RateLimiter } from './rate-limiter.ts';
import type { Store } from './store.ts';

/** The classes of operation that are limited apart from each other (D31). */
export type RateLimitClass =
  | 'reads'
  | 'writes'
  | 'connectionTokens'
  | 'challengeMethods'
  | 'challengeTargets'
  | 'failedAuthentications';

/** A quota for each class. */
export type RateLimits = Readonly<Record<RateLimitClass, Quota>>;

/** All that the use cases need of the world. `createChairside` fills in the defaults. */
export interface Ports {
  readonly store: Store;
  readonly processor: Processor;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly rateLimiter: RateLimiter;
  /** `undefined`: nothing is limited. */
  readonly rateLimits: RateLimits | undefined;
  readonly devicePolicy: DevicePolicy;
  /** How a one-time passcode can be sent, alike for everyone (D8). */
  readonly challengeMethods: ChallengeChannels;
  /** Marks what this installation opens at the processor (D27). */
  readonly installation: string;
  readonly observe: Observer | undefined;
  /** No call to the processor begins from then on: the request has taken long enough. */
  readonly endsAt?: EpochMs;
  /** Runs what need not be done before the answer; `reconcile` does it if nobody else did. */
  readonly background: (task: () => Promise<void>) => void;
}
