import { networkOf } from '../domain/network.ts';
import { type Fault, type FaultOf, fault, retryLater } from '../domain/problem.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { formatTimestamp } from '../domain/time.ts';
import { type AuthContext, isAuthContext } from '../ports/auth-context.ts';
import type { Ports, RateLimitClass } from '../ports/ports.ts';
import type { RateLimitState } from '../ports/rate-limiter.ts';
import type { Call, CountedCall } from './call.ts';
import { report } from './report.ts';

/** The name of an operation, and the rate limit that counts it. `none` marks the host's (D31). */
export interface Named {
  readonly name: string;
  readonly limit: RateLimitClass | 'none';
}

/** Admits a call: 401 without a valid caller, then the caller's rate limit (D11). */
export async function admit(
  ports: Ports,
  { limit }: Named,
  call: Call,
): Promise<Result<AuthContext, FaultOf<'unauthorized' | 'tooManyRequests' | 'internalError'>>> {
  const { auth } = call;
  if (auth === undefined || auth === 'rejectedToken')
    return err(await countFailedAuthentication(ports, call, auth));
  if (!isAuthContext(auth))
    return err(fault('internalError', 'The authenticator returned no valid caller.'));
  if (limit === 'none') return ok(auth);
  const state = await countCall(ports, limit, auth.subject);
  if (state === undefined) return ok(auth);
  call.facts.rateLimit = state;
  return state.allowed ? ok(auth) : err(tooManyRequests(state));
}

/** Counts a failed authentication against the client's address and against no subject (D31). */
async function countFailedAuthentication(
  ports: Ports,
  { clientAddress }: Call,
  auth: 'rejectedToken' | undefined,
): Promise<FaultOf<'unauthorized' | 'tooManyRequests'>> {
  if (clientAddress === undefined) return unauthorized(auth);
  const state = await countCall(ports, 'failedAuthentications', networkOf(clientAddress));
  return state?.allowed === false ? tooManyRequests(state) : unauthorized(auth);
}

/**
 * Counts one call against a quota. Returns `undefined` if no limit applies. If the limiter fails,
 * the call passes and the failure is reported (D31).
 */
export async function countCall(
  ports: Ports,
  policy: RateLimitClass,
  key: string,
): Promise<CountedCall | undefined> {
  const quota = ports.rateLimits?.[policy];
  if (quota === undefined) return undefined;
  const countedAt = ports.clock.now();
  try {
    const state = await ports.rateLimiter.take(policy, key, quota, countedAt);
    if (state.isOk()) return { ...state.value, countedAt };
  } catch {
    // A limiter that throws counts as a failed one.
  }
  report(ports, { kind: 'failure', name: 'rateLimiter', outcome: 'limiterFailed' });
  return undefined;
}

function unauthorized(auth: 'rejectedToken' | undefined): Fault<'unauthorized'> {
  const detail =
    auth === undefined
      ? 'Send an access token: Authorization: Bearer <ACCESS_TOKEN>.'
      : 'The access token is invalid or has expired.';
  return fault('unauthorized', detail, {
    recovery: {
      outcome: 'notApplied',
      retry: 'retrySameRequest',
      sessionAction: auth === undefined ? 'signIn' : 'refresh',
    },
  });
}

/** A call beyond its quota: 429, with the end of the window (D31). */
export function tooManyRequests(state: RateLimitState): Fault<'tooManyRequests'> {
  const { limit, remaining } = state;
  return fault('tooManyRequests', `At most ${limit} such calls in ${state.windowMs / 1000} s.`, {
    recovery: {
      ...retryLater,
      rateLimit: { limit, remaining, resetsAt: formatTimestamp(state.resetsAt) },
    },
  });
}
