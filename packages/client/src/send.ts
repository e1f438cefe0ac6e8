import type { CommonProblem, ProblemOf, ProblemType } from '@chairside/core';
import type { Operation } from './operation.ts';
import { type Outgoing, outgoing } from './outgoing.ts';
import {
  type AnyProblem,
  type ClientProblem,
  expected,
  parseProblem,
  unanswered,
} from './problem.ts';
import { err, ok, type Result } from './result.ts';
import type { Attempt, Settings, TokenReason } from './settings.ts';
import { bounded, wait } from './time.ts';

export type ErrorOf<P extends ProblemType> = ProblemOf<P | CommonProblem> | ClientProblem;

/** The options of one call. */
export interface CallOptions {
  /** Stops the waiting. The outcome is then `unknown`, because the request may have arrived. */
  readonly signal?: AbortSignal | undefined;
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
  readonly timeLimitMs?: number | undefined;
  readonly maxAttempts?: number | undefined;
  /** Problems to return at once instead of retrying. */
  readonly giveBack?: ((problem: AnyProblem) => boolean) | undefined;
}

const firstDelayMs = 500;
const longestDelayMs = 20_000;
const longestDateMs = 30_000;
/** A sign-in that has not ended by then is asked for again. */
const longestSignInMs = 600_000;
/** One `refresh` and one `signIn`: a token that is rejected after both stays rejected. */
const maxSessionActions = 2;

/**
 * Sends one request until its outcome is known. It retries by each problem's `recovery`, within the
 * limits of time and attempts. The request and its key never change.
 * @param isKeyed whether it has a key even if the input has none.
 */
export async function send<T, P extends ProblemType>(
  settings: Settings,
  operation: Attempt['operation'],
  { route, answer, problems }: Operation<T, P>,
  input: unknown,
  options: CallOptions = {},
  isKeyed = false,
): Promise<Result<T, ErrorOf<P>>> {
  const { time, attemptTimeoutMs } = settings;
  const { signal, maxAttempts = settings.maxAttempts } = options;
  let leftMs = options.timeLimitMs ?? settings.timeLimitMs;
  const request = outgoing(route, input, isKeyed ? settings.newKey : undefined);
  if (request === undefined) return err(unanswered('input'));

  let why: TokenReason = 'request';
  let sessionActions = 0;
  let wasUnknown = false;
  for (let attempt = 1; ; attempt += 1) {
    const from = time.now();
    const response = await exchange(settings, request, why, leftMs, signal);
    const spentMs = time.now() - from;
    // Otherwise the phone slept, or its clock was set. A person may need a while to sign in.
    if (spentMs > 0 && (spentMs < 3 * attemptTimeoutMs || why === 'signIn')) leftMs -= spentMs;
    const isSuccess = 'body' in response && response.status >= 200 && response.status < 300;
    const value = isSuccess && answer(response.body);
    if (value) return ok(value);

    const problem = problemOf(response, problems, settings);
    const { type, recovery } = problem;
    // A repeated deletion gets 404 if the earlier attempt had succeeded.
    const isGone = wasUnknown && type === 'notFound' && request.method === 'DELETE';
    const gone = isGone && answer(undefined);
    if (gone) return ok(gone);
    wasUnknown ||= recovery.outcome === 'unknown';

    if (signal?.aborted) return err(unanswered('aborted'));
    // A gateway before the service refuses a token in a format of its own.
    const { retry, sessionAction = response.status === 401 ? 'refresh' : undefined } = recovery;
    if (retry === 'doNotRetry' || options.giveBack?.(problem)) return err(problem);
    // Without a new token the same action is still to be done.
    if (response.lost !== 'accessToken') {
      if (why !== 'request') sessionActions += 1;
      why = sessionAction ?? 'request';
    }
    const isLast = sessionAction
      ? sessionActions >= maxSessionActions
      : attempt - sessionActions >= maxAttempts;
    if (isLast) return err(problem);

    const delayMs = sessionAction ? 0 : delay(settings, attempt, response.retryAfterMs);
    leftMs -= delayMs;
    if (leftMs <= 0) return err(problem);
    const told: Attempt = { operation, attempt, problem, nextAttemptAt: time.now() + delayMs };
    tell(settings.onAttempt, told);
    tell(options.onAttempt, told);
    if (delayMs > 0) await wait(time, delayMs, signal);
  }
}

interface Received {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterMs: number;
  readonly lost?: never;
}

interface Lost {
  readonly lost: 'network' | 'timeLimit' | 'aborted' | 'accessToken';
  readonly status?: never;
  readonly retryAfterMs?: never;
}

async function exchange(
  settings: Settings,
  request: Outgoing,
  why: TokenReason,
  leftMs: number,
  signal: AbortSignal | undefined,
): Promise<Received | Lost> {
  const { time, attemptTimeoutMs } = settings;
  const limitMs = Math.max(0, Math.min(attemptTimeoutMs, leftMs));
  // A person may need a while to sign in.
  const signInMs = why === 'signIn' ? Math.max(0, leftMs) : limitMs;
  const given = await bounded(time, signInMs, signal, () => askForToken(settings, why));
  if (!('value' in given)) return { lost: given.lost === 'aborted' ? 'aborted' : 'accessToken' };
  const ended = await bounded(time, limitMs, signal, async (inner): Promise<Received> => {
    const { method, path, body } = request;
    const response = await settings.fetch(settings.baseUrl + path, {
      method,
      headers: headersOf(request, given.value),
      ...(body !== undefined && { body }),
      // Another origin must not get the token, the key and the body.
      redirect: 'error',
      signal: inner,
    });
    const { status, headers } = response;
    const retryAfterMs = parseRetryAfter(headers.get('retry-after') ?? '', time.now());
    return { status, retryAfterMs, body: parseJson(await response.text()) };
  });
  if ('value' in ended) return ended.value;
  return { lost: ended.lost === 'failed' ? 'network' : ended.lost };
}

type Asked = { [W in TokenReason]?: Promise<string | undefined> };
/** By the app's function, which several clients may have. */
const askedOf = new WeakMap<Settings['accessToken'], Asked>();

/** Calls at the same time share one refresh and one sign-in. */
function askForToken(
  { accessToken, time, attemptTimeoutMs }: Settings,
  why: TokenReason,
): Promise<string | undefined> {
  const asked = askedOf.get(accessToken) ?? {};
  askedOf.set(accessToken, asked);
  const mostMs = why === 'signIn' ? longestSignInMs : attemptTimeoutMs;
  asked[why] ??= bounded(time, mostMs, undefined, async () => accessToken(why)).then((given) => {
    delete asked[why];
    if ('value' in given) return given.value;
    throw new Error(why);
  });
  return asked[why];
}

function headersOf({ key, body }: Outgoing, token: string | undefined): Record<string, string> {
  return {
    accept: 'application/json, application/problem+json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
}

function problemOf<P extends ProblemType>(
  response: Received | Lost,
  problems: readonly P[],
  { baseUrl }: Settings,
): ProblemOf<P> | ClientProblem {
  if ('lost' in response) return unanswered(response.lost);
  const problem = response.status < 400 ? undefined : parseProblem(response.body, response.status);
  return problem
    ? expected(problem, problems)
    : unanswered('unreadable', ` (${response.status} of ${baseUrl})`);
}

/** Half of the delay is random, so that phones that lost a server do not all return at once. */
function delay({ random }: Settings, attempt: number, retryAfterMs = 0): number {
  const backoffMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  const jittered = (backoffMs * (1 + random())) / 2;
  return Math.round(retryAfterMs > 0 ? retryAfterMs + jittered / 4 : jittered);
}

/** Seconds, or a date as proxies send it, which the phone's clock may read days before it. */
function parseRetryAfter(header: string, now: number): number {
  const ms = /^\d+$/.test(header)
    ? Number(header) * 1000
    : Math.min(longestDateMs, Date.parse(header) - now);
  return Math.max(0, ms) || 0; // not a date: 0
}

/** The text itself if it is not JSON. */
function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

export function tell<T>(listener: ((told: T) => void) | undefined, told: T): void {
  // A listener or a screen that fails, now or later, must not stop a payment.
  (async () => listener?.(told))().catch(() => {});
}
