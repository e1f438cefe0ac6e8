import type { Clock } from '@chairside/core';
import { apiVersion, type Platform } from './books.ts';
import { type Route, readParams } from './calls.ts';
import type { Endpoint } from './endpoint.ts';
import { endpoints } from './endpoints/index.ts';
import { publish } from './exchange.ts';
import type { Script, StripeFault, StripeFaultKind } from './faults.ts';
import { createKeys } from './keys.ts';
import { type ErrorBody, failed, invalid, noAccess, Refusal, type Reply, refuse } from './reply.ts';
import { decodeForm, type Form, type Outcome, type RawRequest } from './wire.ts';

/** One request in the log for tests. It holds no secret. */
export interface LoggedRequest {
  readonly route: Route;
  readonly account?: string;
  readonly idempotencyKey?: string;
  readonly params: Form;
}

export interface ServeOptions {
  readonly platform: Platform;
  readonly clock: Clock;
  readonly secretKey: string;
  readonly script: Script;
  readonly faults?: ((request: LoggedRequest) => StripeFault | undefined) | undefined;
  readonly log: LoggedRequest[];
}

const templates = Object.entries(endpoints).map(([route, { at }]) => ({
  // cast: `Endpoints` has no other keys
  route: route as Route,
  pattern: new RegExp(`^${at.replace('{id}', '([\\w-]+)')}$`),
}));

/** A request that was authenticated, before its parameters are checked. */
interface Understood {
  readonly route: Route;
  readonly id: string;
  readonly account: string | undefined;
  readonly form: Form;
}

/**
 * Handles a request of the stand-in: authentication, accounts, parameters, keys, then the call
 * itself.
 */
export function createServe(options: ServeOptions) {
  const { platform, clock, secretKey, script, log } = options;
  const keys = createKeys(clock);
  /** The keys of requests that still run. */
  const running = new Set<string>();
  let unfinished: (() => void)[] = [];

  function understood({ method, path, headers, body }: RawRequest): Understood {
    const { pathname, search } = new URL(path, 'http://stripe.invalid');
    const [found] = templates.flatMap(({ route, pattern }) => {
      const match = pattern.exec(`${method} ${pathname}`);
      return match === null ? [] : [{ route, id: match[1] ?? '' }];
    });
    if (found === undefined) return refuse(failed(404, unknownUrl));
    if (headers['authorization'] !== `Bearer ${secretKey}`) refuse(failed(401, badKey));
    if (headers['stripe-version'] !== apiVersion) {
      refuse(invalid('The stand-in supports only the version of the SDK.'));
    }
    const account = headers['stripe-account'];
    const known = platform.accounts.get(account ?? '');
    if (account !== undefined && (known === undefined || known.revoked)) {
      refuse(noAccess(platform.switches.unknownAccount, account));
    }
    return { ...found, account, form: decodeForm(method === 'POST' ? body : search.slice(1)) };
  }

  /** Carries the request out, once for each key. */
  function applied<R extends Route>(
    { method, path, headers, body }: RawRequest,
    { route, id, account, form }: Understood & { readonly route: R },
    fault: StripeFault | undefined,
  ): Reply {
    const endpoint: Endpoint<R> = endpoints[route];
    const params = readParams(endpoint.params, endpoint.required ?? [], form);
    const key = headers['idempotency-key'];
    const refusal = refusalOf(fault, method);

    function carriedOut(): Reply {
      platform.blame({ id: requestId, idempotency_key: method === 'POST' ? (key ?? null) : null });
      const reply = unlessRefused<Reply>(
        () => endpoint.run(platform.of(account), { id, params }),
        (refused) => refused,
      );
      platform.blame(null);
      publish({ kind: 'reply', route, status: reply.status, body: reply.body });
      return reply;
    }

    if (method !== 'POST') return refusal ?? carriedOut();
    if (key === undefined) return refuse(invalid('The stand-in requires a key on every POST.'));
    if (key.length > 255) refuse(invalid('The idempotency key is too long.'));
    const scoped = scopeOf(account, key);
    if (running.has(scoped)) return failed(409, keyInUse);
    const asked = `${path}\n${body}`;
    const before = keys.replay(scoped, asked);
    if (before !== undefined) return before;
    const reply = refusal ?? carriedOut();
    const kept = fault === 'failureAfterApplying' ? keptFailure : reply;
    keys.keep(scoped, asked, kept);
    return kept;
  }

  /** Its caller gets no reply, and it runs on until it is finished. */
  function leftRunning(raw: RawRequest, request: Understood): Outcome {
    const scoped = scopeOf(request.account, raw.headers['idempotency-key'] ?? '');
    running.add(scoped);
    unfinished.push(() => {
      running.delete(scoped);
      unlessRefused(
        () => applied(raw, request, undefined),
        (refused) => refused,
      );
    });
    return { kind: 'timeout' };
  }

  function served(raw: RawRequest): Outcome {
    const request = understood(raw);
    const { headers, method } = raw;
    const { route, account, form: params } = request;
    const idempotencyKey = headers['idempotency-key'];
    const logged: LoggedRequest = {
      route,
      params,
      ...(account !== undefined && { account }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
    log.push(logged);
    const isOfSdk = headers['user-agent']?.startsWith('Stripe/v1 NodeBindings/') === true;
    publish({ kind: 'request', route, params, isOfSdk });
    const drawn = script.take(route) ?? options.faults?.(logged);
    // Only POST uses keys, so a GET cannot conflict under its key.
    const fault = drawn === 'keyInUse' && method !== 'POST' ? undefined : drawn;
    if (fault === 'unfinished') return leftRunning(raw, request);
    return befallen(platform, account, fault, () => applied(raw, request, fault));
  }

  return {
    serve(raw: RawRequest): Outcome {
      const outcome = unlessRefused(() => served(raw), answer);
      if (outcome.kind !== 'answer') return outcome;
      // Every reply of Stripe has the time of sending.
      const date = new Date(clock.now()).toUTCString();
      return { ...outcome, headers: { date, ...outcome.headers } };
    },
    /** Ends the unfinished requests. Returns their number. */
    finish(): number {
      const ending = unfinished;
      unfinished = [];
      for (const end of ending) end();
      return ending.length;
    },
  };
}

/** The keys of one account are apart from another's. */
function scopeOf(account: string | undefined, key: string): string {
  return `${account ?? ''}\n${key}`;
}

/** The reply to a request that is not applied. */
function refusalOf(fault: StripeFault | undefined, method: string): Reply<never> | undefined {
  if (fault === 'rejected') return rejection;
  if (fault === 'notCapable') return notCapable;
  if (fault === 'failureUntold') return ownFailure;
  if (fault === 'failure') return method === 'POST' ? keptFailure : ownFailure;
  return undefined;
}

function unlessRefused<T>(act: () => T, refused: (reply: Reply) => T): T {
  try {
    return act();
  } catch (thrown) {
    if (thrown instanceof Refusal) return refused(thrown.reply);
    throw thrown;
  }
}

/** The effect of a fault on a request; most faults still let it be applied. */
function befallen(
  { switches }: Platform,
  account: string | undefined,
  fault: StripeFault | undefined,
  apply: () => Reply,
): Outcome {
  if (fault === 'noAccess') {
    return answer(noAccess(switches.unknownAccount, account ?? 'acct_platform'));
  }
  const early = typeof fault === 'string' ? unapplied[fault] : undefined;
  if (early !== undefined) return early;
  const reply = apply();
  switch (fault) {
    case 'resetAfterApplying':
      return { kind: 'reset' };
    case 'timeoutAfterApplying':
      return { kind: 'timeout' };
    case 'redirect': {
      const headers = { location: 'https://elsewhere.invalid/v1/payment_intents' };
      return answer({ ...reply, status: 307, headers });
    }
    case 'malformedBody':
      return { ...answer(reply), text: '{"id": "pi_1", ' };
    case 'bareBody':
      return { ...answer(reply), text: 'null' };
    case 'oversizedBody': {
      const padding = ' '.repeat(8 * 1024 * 1024);
      return { ...answer(reply), text: `${JSON.stringify(reply.body)}${padding}` };
    }
  }
  if (typeof fault !== 'function') return answer(reply);
  // cast: every reply of the stand-in is an object
  const body = reply.body as Readonly<Record<string, unknown>>;
  return answer({ ...reply, body: fault(body) });
}

function answer({ status, headers, body }: Reply): Extract<Outcome, { kind: 'answer' }> {
  return {
    kind: 'answer',
    status,
    headers: { 'content-type': 'application/json', 'request-id': requestId, ...headers },
    text: JSON.stringify(body),
  };
}

const requestId = 'req_standin';
const ownFailure = failed(500, { type: 'api_error', message: 'An error occurred.' });
const keptFailure = { ...ownFailure, headers: { 'stripe-should-retry': 'false' } };
const overload: ErrorBody = { type: 'api_error', message: 'Stripe is temporarily overloaded.' };
const rejection = invalid('The stand-in was scripted to reject this.', {
  code: 'parameter_invalid_empty',
});
const notCapable = invalid('The account lacks the capability `card_payments`.', {
  code: 'capability_not_active',
});
const unknownUrl: ErrorBody = {
  type: 'invalid_request_error',
  message: 'Unrecognized request URL.',
};
const keyInUse: ErrorBody = {
  type: 'idempotency_error',
  code: 'idempotency_key_in_use',
  message: 'There is currently another in-progress request using this Idempotent Key.',
};
const badKey: ErrorBody = { type: 'invalid_request_error', message: 'Invalid API Key provided.' };
const forbidden: ErrorBody = {
  type: 'invalid_request_error',
  code: 'more_permissions_required',
  message: 'The provided key does not have the required permissions for this endpoint.',
};

/** The outcomes of faults that keep a request from being applied. */
const unapplied: Readonly<Partial<Record<StripeFaultKind, Outcome>>> = {
  refused: { kind: 'refused' },
  resetBeforeApplying: { kind: 'reset' },
  timeoutBeforeApplying: { kind: 'timeout' },
  rateLimited: answer(
    failed(429, { type: 'invalid_request_error', code: 'rate_limit', message: '' }),
  ),
  keyInUse: answer(failed(409, keyInUse)),
  overloaded: answer({ ...failed(503, overload), headers: { 'stripe-should-retry': 'true' } }),
  forbidden: answer(failed(403, forbidden)),
  proxyFailure: {
    kind: 'answer',
    status: 503,
    headers: {},
    text: '<html>Service Unavailable</html>',
  },
};
