import type {
  AuthContext,
  Ports,
  RateLimitClass,
  RateLimiter,
  RateLimitState,
  RateLimits,
} from '../ports/ports.ts';
import type { Read, StoreUnavailable } from '../ports/store.ts';
import { type Fault, type FaultOf, fault, retryLater } from '../problems/problem.ts';
import { err, ok, okAsync, type Result } from '../values/result.ts';
import { canBeId, isLonger, isStorable, sha256Hex } from '../values/text.ts';
import { type EpochMs, formatTimestamp, minuteMs } from '../values/time.ts';
import { report, reportThrown, tell } from './commit.ts';

/** One call from a transport: its caller, and facts that the transport reads afterwards. */
export interface Call {
  /** `rejectedToken`: the request had a bearer token that the authenticator did not accept. */
  readonly auth: AuthContext | 'rejectedToken' | undefined;
  /** The client's address. Failed authentications are counted by it. */
  readonly clientAddress?: string;
  readonly requestId?: string;
  /** The `instance` of problems: an absolute URI, with the request id as fragment. */
  readonly instance?: string | undefined;
  /** Filled in while the call runs. */
  readonly facts: CallFacts;
}

export interface CallFacts {
  /** The caller's quota when the call was counted. */
  rateLimit?: CountedCall;
  /** The response is a replay of the one stored under this key. */
  replayed?: boolean;
}

/** The quota and the time of counting, from which the rest of the window is computed. */
export interface CountedCall extends RateLimitState {
  readonly countedAt: EpochMs;
}

/** The caller of a use case. A host in the same process passes only the auth context. */
export type Caller = AuthContext | Call | undefined;

export function toCall(caller: Caller): Call {
  // Hosts without types may pass any value, such as a token or a Promise: it is then no valid auth context (D74).
  const given: object = Object(caller);
  // Checks `subject` first, because an auth context may have a member `facts` as well.
  const isCall = !('subject' in given) && 'facts' in given;
  // cast: what is no call is an auth context, which `admit` checks
  return isCall ? (caller as Call) : { auth: (caller ?? undefined) as Call['auth'], facts: {} };
}

/**
 * Whether it has the shape above. Hosts without types may return any value. Two callers without a
 * subject would count as one, and a string in place of a list would "include" its own parts.
 */
export function isAuthContext(auth: AuthContext): boolean {
  // Hosts without types may return any value.
  if (auth == null) return false;
  const { subject, barberId, customerId, businessIds, systemAdministrator, entitlements } = auth;
  return (
    isName(subject) &&
    (barberId === undefined || isName(barberId)) &&
    (customerId === undefined || isName(customerId)) &&
    (businessIds === undefined || isListOfNames(businessIds)) &&
    (systemAdministrator === undefined || typeof systemAdministrator === 'boolean') &&
    (entitlements === undefined || isListOfNames(entitlements))
  );
}

/**
 * The same limit as for ids (D1): keys are stored under a subject, and an index limits its texts.
 */
const maxNameLength = 255;

function isName(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value !== '' &&
    isStorable(value) &&
    !isLonger(value, maxNameLength)
  );
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(isName);
}

/** Admits a call: 401 without a valid caller, then the caller's rate limit. */
export async function admit(
  ports: Ports,
  { limit }: { readonly limit: RateLimitClass | 'none' },
  call: Call,
): Promise<Result<AuthContext, FaultOf<'unauthorized' | 'tooManyRequests' | 'internalError'>>> {
  const auth = call.auth || undefined;
  if (auth === undefined || auth === 'rejectedToken')
    return err(await countFailedAuthentication(ports, call, auth));
  if (!isAuthContext(auth))
    return err(fault('internalError', 'The caller is no auth context: it needs a subject.'));
  if (limit === 'none') return ok(auth);
  const state = await countCall(ports, limit, auth.subject);
  if (state === undefined) return ok(auth);
  call.facts.rateLimit = state;
  return state.allowed ? ok(auth) : err(tooManyRequests(state));
}

/** Counts a failed authentication against the client's address and against no subject. */
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
 * the call passes and the failure is reported.
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
    // A limiter without types may say nothing. It does not lock out a shop.
    if (state.isOk() && typeof state.value.allowed === 'boolean')
      return { ...state.value, countedAt };
  } catch (thrown) {
    // A limiter that throws counts as a failed one.
    tell(ports.onFailure, thrown, { name: 'rateLimiter' });
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

/** A call beyond its quota: 429, with the end of the window. */
export function tooManyRequests(state: RateLimitState): Fault<'tooManyRequests'> {
  const { limit, remaining } = state;
  return fault('tooManyRequests', `At most ${limit} such calls in ${state.windowMs / 1000} s.`, {
    recovery: {
      ...retryLater,
      rateLimit: { limit, remaining, resetsAt: formatTimestamp(state.resetsAt) },
    },
  });
}

/** Proxies may add the port, which a sender chooses. */
const withPort = /^(?:\[([^\]]{2,45})\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})$/;
/** An IPv4 address in the form of an IPv6 socket. */
const mappedIpv4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;
const ipv6 = /^(?=.*::|(?:[^:]+:){7}[^:]+$)[\da-f:.]{2,45}(?:%.*)?$/i;

const maxAddressLength = 64;

/**
 * The network that counts as one sender: an IPv4 address, or the /64 network of an IPv6 address. A
 * subscriber gets at least a /64, with 2^64 addresses. Any other text counts as itself, by its hash
 * if it is long: every store must be able to keep it. Of a list, as `X-Forwarded-For` has one, the
 * last address counts, because a sender chooses all before it.
 */
export function networkOf(given: string): string {
  const last = given.slice(given.lastIndexOf(',') + 1).trim();
  const address = withPort.exec(last)?.slice(1).join('') ?? last;
  if (address.length > maxAddressLength || !isStorable(address)) return sha256Hex(address);
  const ipv4 = mappedIpv4.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  if (!ipv6.test(address)) return address;
  const parts = address.split('::').map(groupsOf);
  const zeros = Array.from({ length: 8 - parts.flat().length }, () => '0');
  const groups = parts.flatMap((part) => [...part, ...zeros]);
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** Removes leading zeros, so that each address has one form. */
function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16).toString(16));
}

/** Calls a minute. */
export const defaultRateLimits: RateLimits = {
  reads: { limit: 300, windowMs: minuteMs },
  writes: { limit: 60, windowMs: minuteMs },
  connectionTokens: { limit: 30, windowMs: minuteMs },
  challengeMethods: { limit: 10, windowMs: minuteMs },
  challengeTargets: { limit: 5, windowMs: minuteMs },
  failedAuthentications: { limit: 30, windowMs: minuteMs },
};

interface Window {
  used: number;
  resetsAt: number;
}

const defaultMaxWindows = 100_000;

/**
 * Counts in memory, in fixed windows, which is right for a single process. It remembers at most
 * `maxWindows` callers of each policy and forgets the oldest first. A sender with many addresses
 * therefore displaces only addresses, never a barber's quota.
 */
export function createMemoryRateLimiter(maxWindows = defaultMaxWindows): RateLimiter {
  const policies = new Map<string, Map<string, Window>>();

  function windowsOf(policy: string): Map<string, Window> {
    const known = policies.get(policy);
    if (known !== undefined) return known;
    const windows = new Map<string, Window>();
    policies.set(policy, windows);
    return windows;
  }

  return {
    take(policy, key, { limit, windowMs }, now) {
      const windows = windowsOf(policy);
      let window = windows.get(key);
      if (window === undefined || window.resetsAt <= now) {
        // Deletes first, so that the entry moves to the end: the map stays in order of window
        // start.
        windows.delete(key);
        if (windows.size >= maxWindows) windows.delete(windows.keys().next().value ?? '');
        window = { used: 0, resetsAt: now + windowMs };
        windows.set(key, window);
      }
      // After a clock was set back, the window may end too far in the future. No caller waits
      // longer than one window.
      window.resetsAt = Math.min(window.resetsAt, now + windowMs);
      const allowed = window.used < limit;
      if (allowed) window.used += 1;
      const { resetsAt } = window;
      return okAsync({
        policy,
        limit,
        windowMs,
        remaining: limit - window.used,
        resetsAt,
        allowed,
      });
    },
  };
}

export function requireBarber(auth: AuthContext): Result<string, Fault<'forbidden'>> {
  return auth.barberId === undefined ? err(onlyFor('a barber')) : ok(auth.barberId);
}

export function requireEntitledBarber(
  auth: AuthContext,
): Result<string, Fault<'forbidden'> | Fault<'contactlessPaymentEntitlementMissing'>> {
  return requireBarber(auth).andThen((barberId) =>
    auth.entitlements?.includes('contactlessPayments')
      ? ok(barberId)
      : err(
          fault(
            'contactlessPaymentEntitlementMissing',
            'Contactless payments are not enabled for this barber.',
          ),
        ),
  );
}

export function requireCustomer(auth: AuthContext): Result<string, Fault<'forbidden'>> {
  return auth.customerId === undefined ? err(onlyFor('a customer')) : ok(auth.customerId);
}

export function requireBusiness({
  businessIds = [],
}: AuthContext): Result<readonly string[], Fault<'forbidden'>> {
  return businessIds.length === 0 ? err(onlyFor('a business')) : ok(businessIds);
}

export function requireOwn(isOwn: boolean, what: string): Result<void, Fault<'forbidden'>> {
  return isOwn ? ok() : err(fault('forbidden', `The ${what} is not yours.`));
}

/**
 * Whether the caller may act for some shop: an administrator or a business. Other callers are refused
 * before a read, so that they cannot tell which records exist (D11).
 */
export function managesShops({ systemAdministrator, businessIds = [] }: AuthContext): boolean {
  return systemAdministrator === true || businessIds.length > 0;
}

export function onlyFor(who: string): Fault<'forbidden'> {
  return fault('forbidden', `Only ${who} may do this.`);
}

export function notOfItsShop(): Fault<'forbidden'> {
  return onlyFor("the appointment's business or an administrator");
}

export function managesShop(auth: AuthContext, businessId: string): boolean {
  return auth.systemAdministrator === true || auth.businessIds?.includes(businessId) === true;
}

export type Found<T> = Promise<Result<T, Fault<'notFound'> | StoreUnavailable>>;
interface Records<T> {
  get(id: string): Read<T | undefined>;
}

/**
 * Reads a record by an id from a path. Invalid ids are not found, without a read.
 * @param isThere if it returns false, the record is not found either.
 */
export function find<T, Seen extends T>(
  what: string,
  id: string,
  records: Records<T>,
  isThere: (record: T) => record is Seen,
): Found<Seen>;
export function find<T>(
  what: string,
  id: string,
  records: Records<T>,
  isThere?: (record: T) => boolean,
): Found<T>;
export async function find<T>(
  what: string,
  id: string,
  records: Records<T>,
  isThere: (record: T) => boolean = () => true,
): Found<T> {
  const read = canBeId(id) ? await records.get(id) : ok(undefined);
  if (read.isErr()) return err(read.error);
  const value = read.value ?? undefined; // a host's own database may return `null`
  return value === undefined || !isThere(value) ? err(notFound(what)) : ok(value);
}

/** Why a record of the host's own store cannot be used. */
export class UnfitRecord extends TypeError {
  /** For a client: it names the wrong member, and no value. */
  readonly detail: string;
  constructor(what: string, id: string, why: string) {
    super(`${what} ${id}: ${why}`);
    this.detail = `The shop's record of the ${what} is wrong: ${why}`;
  }
}

/**
 * Checks what a host's own store returned, before money depends on it (D74). A wrong row counts as one that cannot be
 * read, and the host learns why.
 * @param check returns the row as it is used from then on, or why it cannot be used. It may tell the host more.
 */
export function checkRow<T>(
  ports: Ports,
  what: string,
  id: string,
  read: Result<T, StoreUnavailable>,
  check: (row: NonNullable<T>, tellHost: (why: string) => void) => Result<T, string>,
): Result<T, StoreUnavailable> {
  if (typeof read?.isErr !== 'function') {
    return err(unfit('the store must return a Result, such as okAsync(row)'));
  }
  return read.isErr() || read.value == null ? read : check(read.value, tellHost).mapErr(unfit);

  function unfit(why: string): StoreUnavailable {
    return { kind: 'storeUnavailable', outcome: 'notApplied', cause: tellHost(why) };
  }

  function tellHost(why: string): UnfitRecord {
    const cause = new UnfitRecord(what, id, why);
    reportThrown(ports, 'store', cause, 'unfitRecord');
    return cause;
  }
}

export function notFound(what: string): Fault<'notFound'> {
  return fault('notFound', `There is no such ${what}.`);
}

/** `undefined` for a record that was not found. */
export function orAbsent<T>(found: Awaited<Found<T>>): Result<T | undefined, StoreUnavailable> {
  if (found.isOk()) return ok(found.value);
  return 'kind' in found.error ? err(found.error) : ok(undefined);
}

/**
 * Whether a record that was read before its id was known has this id, or its read has failed. Where
 * a host keeps such records elsewhere, the store finds no record, or another record.
 */
export function isRecordOf<T extends { readonly id: string }>(
  id: string,
  read: Result<T | undefined, StoreUnavailable> | undefined,
): read is Result<T | undefined, StoreUnavailable> {
  return read !== undefined && (read.isErr() || read.value?.id === id);
}
