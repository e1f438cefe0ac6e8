import { type AuthContext, err, ok, type Result } from '@chairside/core';
import { isAuthContext } from '@chairside/core/ports';
import type { H3Event } from 'h3';
import { inTime } from './in-time.ts';

type Authenticated = AuthContext | undefined;

/** The request as the server received it: `request.runtime?.node?.req` is Node's, or Express's. */
export type HostRequest = H3Event['req'];

/**
 * The host's authenticator. Returns the caller who has this access token, or `undefined` if it is not
 * valid. Called only for requests with a well-formed bearer token (D10). The request is there for
 * what the host's own middleware knows, such as a user or a tenant; its body is already read.
 */
export type Authenticate = (
  token: string,
  request: HostRequest,
) => Authenticated | PromiseLike<Authenticated>;

// RFC 6750: the scheme, and exactly one token of these characters.
const bearerToken = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;
const bearerScheme = /^bearer /i;

/**
 * Reads the token of an `Authorization` header: `undefined` without a header, a bearer scheme or a
 * token. Two headers arrive joined by a comma and are malformed. A proxy may have used either of
 * them, so neither is accepted.
 */
export function readToken(
  header: string | null,
): { readonly token: string } | 'malformed' | undefined {
  if (header === null) return undefined;
  const token = bearerToken.exec(header)?.[1];
  if (token !== undefined) return { token };
  return bearerScheme.test(header) ? 'malformed' : undefined;
}

/**
 * Authenticates a call. The host's authenticator never sees a malformed token. The error: it threw, took too long
 * or returned no valid caller.
 */
export async function authenticateCall(
  read: ReturnType<typeof readToken>,
  request: HostRequest,
  authenticate: Authenticate,
  deadlineMs: number,
): Promise<Result<AuthContext | 'rejectedToken' | undefined, { readonly cause: unknown }>> {
  if (read === undefined) return ok(undefined);
  if (read === 'malformed') return ok('rejectedToken');
  try {
    const asked = authenticate(read.token, request);
    const auth =
      (isThenable(asked) ? await inTime(asked, deadlineMs, tooLong) : asked) ?? 'rejectedToken';
    if (auth === 'rejectedToken' || isAuthContext(auth)) return ok(auth);
    throw new TypeError('the authenticator returned no valid AuthContext');
  } catch (cause) {
    return err({ cause });
  }
}

const tooLong = 'the authenticator took more than';

/** Accepts promises of libraries and of other realms as well. */
function isThenable(asked: ReturnType<Authenticate>): asked is PromiseLike<Authenticated> {
  if (typeof asked !== 'object' || asked === null) return false;
  return 'then' in asked && typeof asked.then === 'function';
}
