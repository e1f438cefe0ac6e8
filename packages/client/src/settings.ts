import type { ClientOperation } from '@chairside/core';
import { withoutSlash } from './outgoing.ts';
import type { AnyProblem } from './problem.ts';
import { systemTime, type Time } from './time.ts';

/** The part of `fetch` that the client uses. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    /** A redirect is an error, so that no other origin gets the request. */
    readonly redirect?: 'error';
    readonly signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

/**
 * `request`: any valid token will do. `refresh`: the last token was rejected. `signIn`: no valid
 * token exists.
 */
export type TokenReason = 'request' | 'refresh' | 'signIn';

/** A request that will be sent again. */
export interface Attempt {
  readonly operation: ClientOperation;
  /** The number of attempts so far. */
  readonly attempt: number;
  /** Why it must be sent again. */
  readonly problem: AnyProblem;
  /** The time of the next attempt, in milliseconds since 1970, for a countdown. */
  readonly nextAttemptAt: number;
}

export interface ClientOptions {
  /**
   * The address of the service, with its path if it has one: `https://shop.example/v1`. A page may
   * pass a path of its own origin: `/v1`, or `/`.
   */
  readonly baseUrl: string;
  /**
   * The access token; `undefined` if the person does not sign in. After a throw it is asked for again, because
   * the login service may be down. Pass the same function to all clients of one person: calls at the same time
   * then share one refresh and one sign-in. Pass a new function for each person: otherwise one person's call may be
   * sent with the token of another. If another person signs in, `signIn` must resolve to `undefined`; `refresh` must
   * return no other person's token. The promise of `signIn` must settle when its dialog closes: until then, and for at
   * most ten minutes, no call asks for another.
   */
  readonly accessToken: (why: TokenReason) => string | undefined | Promise<string | undefined>;
  readonly fetch?: Fetch | undefined;
  /**
   * Makes idempotency keys; each must be unique. Default: `crypto.randomUUID`, which React Native
   * does not have: pass the one of `expo-crypto` there.
   */
  readonly newKey?: (() => string) | undefined;
  readonly time?: Time | undefined;
  /** Returns 0 to 1, for jitter. */
  readonly random?: (() => number) | undefined;
  /** Called before each wait. Its errors are ignored. */
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
  /** The time limit of one request. Default: 15 seconds. */
  readonly attemptTimeoutMs?: number | undefined;
  /** The time limit of one call, waits included. Default: 60 seconds. */
  readonly timeLimitMs?: number | undefined;
  /** The maximum of requests in one call, without those that follow a `refresh` or `signIn`. Default: 10. */
  readonly maxAttempts?: number | undefined;
}

/** The options with their defaults. */
export type Settings = Pick<ClientOptions, 'onAttempt'> & {
  readonly [N in Exclude<keyof ClientOptions, 'onAttempt'>]-?: NonNullable<ClientOptions[N]>;
};

/** Throws a TypeError for invalid options; later calls never throw. */
export function toSettings(options: ClientOptions): Settings {
  const defaults: Settings = {
    baseUrl: '',
    accessToken: () => undefined,
    fetch: (url, init) => fetch(url, init),
    newKey: options?.newKey ? () => '' : defaultNewKey(),
    time: systemTime,
    random: Math.random,
    onAttempt: () => {},
    attemptTimeoutMs: 15_000,
    timeLimitMs: 60_000,
    maxAttempts: 10,
  };
  const settings = withDefaults(defaults, options, 'baseUrl', 'accessToken');
  if (!/^(https?:\/\/[^?#]|\/)[^?#]*$/.test(settings.baseUrl)) {
    throw new TypeError('baseUrl: an http(s) URL or a path');
  }
  return { ...settings, baseUrl: withoutSlash(settings.baseUrl) };
}

/**
 * The options with their defaults, which also tell their types. Throws a TypeError for an option that would fail
 * only in a payment.
 */
export function withDefaults<T extends object>(
  defaults: T,
  options: object | undefined,
  ...required: readonly string[]
): T {
  const known: object = defaults;
  const all: Record<string, unknown> = { ...known };
  const given: Record<string, unknown> = { ...options };
  for (const name of [...required, ...Object.keys(given)]) {
    const value = given[name] ?? (required.includes(name) ? undefined : all[name]);
    if (typeof value !== typeof all[name])
      throw new TypeError(
        `${name}: ${name in all ? 'missing or of a wrong type' : 'no such option'}`,
      );
    all[name] = value;
  }
  // cast: each member has the type of its default
  return all as T;
}

function defaultNewKey(): () => string {
  const { crypto } = globalThis;
  // Browsers have randomUUID only on secure pages, but getRandomValues everywhere.
  if (typeof crypto?.randomUUID === 'function') return () => crypto.randomUUID();
  if (typeof crypto?.getRandomValues === 'function') {
    return () =>
      [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join('-');
  }
  throw new TypeError('newKey: required here');
}
