import {
  type AuthContext,
  createIds,
  type Observation,
  type Ports,
  type RateLimitState,
  systemClock,
  webRandom,
} from '../ports/ports.ts';
import {
  type Fault,
  internalError,
  type Problem,
  type ProblemType,
  toProblem,
} from '../problems/problem.ts';
import type { Result } from '../values/result.ts';
import { isStorable, sha256Hex } from '../values/text.ts';
import type { EpochMs } from '../values/time.ts';

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

/** A request starts processor calls only within this many processor deadlines. */
const deadlinesPerRequest = 2;

/**
 * The ports of a request that began at this time. A slow processor cannot prolong it without limit.
 * @param aheadMs by how much the node's clock is ahead of the time that all nodes share.
 */
export function withDeadline(ports: Ports, startedAt: EpochMs, aheadMs = 0): Ports {
  const own = behind(ports, aheadMs);
  const endsAt = startedAt - aheadMs + deadlinesPerRequest * ports.processor.deadlineMs;
  // Without a finite deadline of the processor there is no limit (D146).
  return Number.isFinite(endsAt) ? { ...own, endsAt } : own;
}

/**
 * The ports on shared time: the clock and the deadline. The difference is fixed, so that the time of a
 * request does not jump when it is measured again.
 */
export function behind(ports: Ports, aheadMs: number): Ports {
  if (aheadMs === 0) return ports;
  const { clock, endsAt } = ports;
  return {
    ...ports,
    clock: { now: () => clock.now() - aheadMs },
    sharedClock: undefined,
    endsAt: endsAt === undefined ? undefined : endsAt - aheadMs,
  };
}

/** The ports of background work, for which no client waits and which no person started. */
export function withoutDeadline(ports: Ports): Ports {
  return { ...ports, endsAt: undefined, acting: undefined };
}

type Reported = Observation extends infer O
  ? O extends Observation
    ? Omit<O, Times>
    : never
  : never;
type Times = 'startedAt' | 'endedAt';

/** Reports to the observer, if there is one. */
export function report(ports: Ports, what: Reported, startedAt?: EpochMs): void {
  if (ports.observe === undefined) return;
  const endedAt = ports.clock.now();
  tell(ports.observe, { ...what, startedAt: startedAt ?? endedAt, endedAt });
}

/**
 * Reports what a function of the host threw: its class to the observer, and itself to the host's
 * `onFailure` alone, because it may hold a secret (D68).
 */
export function reportThrown(
  ports: Ports,
  name: string,
  thrown: unknown,
  outcome = nameOf(thrown),
): void {
  report(ports, { kind: 'failure', name, outcome });
  tell(ports.onFailure, thrown, { name });
}

/** The class name of a thrown value. Its message may hold a secret, so it is not reported (D68). */
function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}

/** Returns the value, or `undefined` after a failure, which is reported to the observer. */
export function valueOrReport<T>(
  ports: Ports,
  name: string,
  result: Result<T, { readonly kind: string }>,
): T | undefined {
  if (result.isOk()) return result.value;
  report(ports, { kind: 'failure', name, outcome: result.error.kind });
  return undefined;
}

/** Calls a function of the host whose failure must not stop a payment. */
export function tell<A extends readonly unknown[]>(
  listener: ((...what: A) => unknown) | undefined,
  ...what: A
): void {
  try {
    const told = listener?.(...what);
    // Catches the rejection of an `async` function: an unhandled one would end the process.
    if (told instanceof Promise) told.catch(() => {});
  } catch {
    // Errors of the host's function are ignored.
  }
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
  const [front = [], back = []] = address.split('::').map(groupsOf);
  const left = Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array.from({ length: left }, () => '0'), ...back].slice(0, 4);
  return `${groups.join(':')}::/64`;
}

/** Removes leading zeros, so that each address has one form. */
function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16).toString(16));
}
