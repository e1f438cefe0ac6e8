import {
  type Fault,
  internalError,
  type Problem,
  type ProblemType,
  toProblem,
} from '../domain/problem.ts';
import type { EpochMs } from '../domain/time.ts';
import type { AuthContext } from '../ports/auth-context.ts';
import { systemClock } from '../ports/clock.ts';
import { createIds, webRandom } from '../ports/ids.ts';
import type { Ports } from '../ports/ports.ts';
import type { RateLimitState } from '../ports/rate-limiter.ts';

/** One call from a transport: its caller, and facts that the transport reads afterwards. */
export interface Call {
  /** `rejectedToken`: the request had a bearer token that the authenticator did not accept. */
  readonly auth: AuthContext | 'rejectedToken' | undefined;
  /** The client's address. Failed authentications are counted by it (D31). */
  readonly clientAddress?: string;
  readonly requestId?: string;
  /** The `instance` of problems: an absolute URI, with the request id as fragment (D29). */
  readonly instance?: string | undefined;
  /** Filled in while the call runs. */
  readonly facts: CallFacts;
}

export interface CallFacts {
  /** The caller's quota when the call was counted. */
  rateLimit?: CountedCall;
  /** The response is a replay of the one stored under this key (D21). */
  replayed?: boolean;
}

/** The quota and the time of counting, from which the rest of the window is computed. */
export interface CountedCall extends RateLimitState {
  readonly countedAt: EpochMs;
}

/** The caller of a use case. A host in the same process passes only the auth context. */
export type Caller = AuthContext | Call | undefined;

export function toCall(caller: Caller): Call {
  // Hosts without types may pass any value. Non-objects are unauthenticated.
  if (typeof caller !== 'object' || caller === null) return { auth: undefined, facts: {} };
  // Checks `subject` first, because an auth context may have a member `facts` as well.
  return 'subject' in caller ? { auth: caller, facts: {} } : caller;
}

/** Longer instances are left out, and so are relative ones (D29). */
const maxInstanceLength = 2048;

/**
 * Makes a fault the problem of this call, at the end of the call or earlier, to be stored under a
 * key.
 */
export function problemFor<T extends ProblemType>(
  ports: Ports,
  call: Call,
  fault: Fault<T>,
): Problem<T> {
  const { instance } = call;
  return toProblem(fault, {
    newId: () => ports.ids.next('prb'),
    at: ports.clock.now(),
    ...(instance !== undefined && canBeInstance(instance) && { instance }),
  });
}

const absolute = /^[a-z][a-z\d+.-]*:\/\//i;

function canBeInstance(uri: string): boolean {
  return uri.length <= maxInstanceLength && absolute.test(uri);
}

export function lastResort(): Problem {
  const ids = createIds(systemClock, webRandom);
  return toProblem(internalError(), { newId: () => ids.next('prb'), at: systemClock.now() });
}
