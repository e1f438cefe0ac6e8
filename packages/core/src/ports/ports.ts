import type { Acting, KnownActors } from '../frame/record.ts';
import type { TipPolicy } from '../payment/tip.ts';
import type { Fault, ProblemType } from '../problems/problem.ts';
import type { DevicePolicy } from '../terminal/terminal.ts';
import type { Result, ResultAsync } from '../values/result.ts';
import type { Ids } from '../values/text.ts';
import type { Clock, EpochMs } from '../values/time.ts';
import type { Processor } from './processor.ts';
import type { CommitError, Store, StoreUnavailable } from './store.ts';

/** The classes of operation that have separate rate limits. */
export type RateLimitClass =
  | 'reads'
  | 'writes'
  | 'connectionTokens'
  | 'challengeMethods'
  | 'challengeTargets'
  | 'failedAuthentications';

/** A quota for each class. */
export type RateLimits = Readonly<Record<RateLimitClass, Quota>>;

/** What the process knows of the restoration. */
interface Restoration {
  /**
   * The number of this process, drawn before its first operation. Payments at the processor have to be read since.
   */
  number: number;
  /** The books whose payments were read since. */
  readonly read: Set<string>;
}

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
  /** The ways to send a one-time passcode, the same for all users. */
  readonly challengeMethods: ChallengeChannels;
  /** The bound on tips. `undefined`: tips are off. */
  readonly tips: TipPolicy | undefined;
  /** `undefined`: shares are off. */
  readonly shares: true | undefined;
  /** Present if the database was restored from a backup, and may lack captures since. */
  readonly restoration?: Restoration | undefined;
  /**
   * Receives the ids of appointments and businesses that the host cannot read. While books are swept these count as
   * gone, because one record must not keep a whole account closed; only this set tells them apart.
   */
  readonly unreadable?: Set<string> | undefined;
  /** The mark of payments that this installation opens at the processor. */
  readonly installation: string;
  /** Who acts in this request. `undefined`: upkeep does, or the host itself. */
  readonly acting?: Acting | undefined;
  readonly actors: KnownActors;
  readonly observe: Observer | undefined;
  readonly onFailure?: FailureListener | undefined;
  /** Corrects the clock for each operation, if the store has a clock. */
  readonly sharedClock?: SharedClock | undefined;
  /** Whether the store belongs to this processor and installation. */
  readonly home?: Home | undefined;
  /** No processor call starts after this time, because the request's time is used up. */
  readonly endsAt?: EpochMs | undefined;
  /** Runs a task after the response. `reconcile` does the work of tasks that never ran. */
  readonly background: (task: () => Promise<void>) => void;
}

/**
 * The difference between the node's clock and the store's, by which every operation corrects its clock.
 * So all nodes write and judge due times and leases by one time, and a node that is days ahead or behind
 * delays nothing.
 */
export interface SharedClock {
  /**
   * By how much the node's clock is ahead. A promise: it has to be measured first. An error: the store
   * has not told its time yet, so nothing may be written by a clock that may be days off.
   */
  aheadMs(): Measured | Promise<Measured>;
}

/** The comparison of the store's world with the one of this process. */
export interface Home {
  /** A promise: the store has to be read first. In use the answer is known. */
  check(): Homed | Promise<Homed>;
  /** Compares them without a write, for those who only look. */
  look(): Promise<Homed>;
  /** Upkeep leaves alone what was begun before: the store is a copy. */
  since(): EpochMs;
  /** New versions of records are at least as great, for ever after a restoration. */
  leastVersion(): number;
}

export type Homed = Result<void, Fault<'serviceUnavailable'> | CommitError>;

export type Measured = Result<number, StoreUnavailable>;

/**
 * One action of Chairside, for logs, metrics and traces. It holds ids and outcomes, and never a
 * token, a client secret, a card or a request body.
 */
export type Observation = {
  readonly startedAt: EpochMs;
  readonly endedAt: EpochMs;
  /** The id of the request, if the action belongs to one. */
  readonly requestId?: string;
} & (
  | {
      readonly kind: 'operation';
      readonly name: string;
      readonly outcome: 'ok' | ProblemType;
      /** The caller, if the operation was refused. It names a person, so it is nothing for metrics. */
      readonly subject?: string;
    }
  | { readonly kind: 'processorCall'; readonly name: string; readonly outcome: string }
  | { readonly kind: 'commit'; readonly changes: readonly string[]; readonly outcome: string }
  | {
      readonly kind: 'failure';
      readonly name: string;
      readonly outcome: string;
      /** The processor's id of the item that could not be read, if the failure is about one. */
      readonly reference?: string;
    }
);

/** Where a function of the host has thrown. */
export interface FailureContext {
  /** The operation, processor call or task, such as `captureContactlessPayment`. */
  readonly name: string;
  /** The id of the request, if the call belongs to one. */
  readonly requestId?: string;
}

/**
 * Receives what a port or a handler of the host threw, as it was thrown. It may hold what that code put
 * into it, a secret perhaps: Chairside itself writes it nowhere.
 */
export type FailureListener = (thrown: unknown, context: FailureContext) => void;

/** Called after each observation. It must return at once; its errors are ignored. */
export type Observer = (observation: Observation) => void;

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

/** Counts calls. If it fails, the call passes. It must return in bounded time. */
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

/**
 * The caller, as the host's authenticator derived it from the bearer token. Roles add up: a
 * person may be both a barber and a customer.
 */
export interface AuthContext {
  /**
   * Identifies the caller permanently, because rate limits and idempotency keys are stored under
   * it. All names here have at most 255 characters.
   */
  readonly subject: string;
  readonly barberId?: string;
  readonly customerId?: string;
  readonly businessIds?: readonly string[];
  readonly systemAdministrator?: boolean;
  readonly entitlements?: readonly Entitlement[];
}

/** `contactlessPayments`: may register terminals and connect them. */
export type Entitlement = 'contactlessPayments';

/**
 * The labels of the ways to send a one-time passcode, for each channel. All callers get the same
 * labels, so the list does not reveal who has an account.
 */
export interface ChallengeChannels {
  readonly phone: readonly string[];
  readonly email: readonly string[];
}
