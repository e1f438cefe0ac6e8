import type { EpochMs } from '../domain/time.ts';
import type { AuthContext } from '../ports/auth-context.ts';
import type { RateLimitState } from '../ports/rate-limiter.ts';

/** What a transport knows of a call beyond its input, and wants to know beyond its answer. */
export interface Call {
  /** `rejectedToken`: there was a bearer token, and the authenticator did not accept it. */
  readonly auth: AuthContext | 'rejectedToken' | undefined;
  /** Where the request came from: failed authentications are counted by it (D31). */
  readonly clientAddress?: string;
  readonly requestId?: string;
  /** The `instance` of problems: an absolute URI, with the request id as fragment (D29). */
  readonly instance?: string | undefined;
  /** Filled in while the call runs. */
  readonly facts: CallFacts;
}

export interface CallFacts {
  /** Where the caller stood in its quota when the call was counted. */
  rateLimit?: CountedCall;
  /** The answer is one that was given before under this key (D21). */
  replayed?: boolean;
}

/** A call that was counted, and when: what is left of the window is told from then. */
export interface CountedCall extends RateLimitState {
  readonly countedAt: EpochMs;
}

/** Who calls: all that a host in process need say is the auth context. */
export type Caller = AuthContext | Call | undefined;

export function toCall(caller: Caller): Call {
  // A host without types may pass anything: what is no object is nobody.
  if (typeof caller !== 'object' || caller === null) return { auth: undefined, facts: {} };
  // An auth context may carry what else its host keeps in it, `facts` too.
  return 'subject' in caller ? { auth: caller, facts: {} } : caller;
}
