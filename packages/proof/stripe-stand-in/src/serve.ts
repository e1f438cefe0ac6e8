import type { Clock } from '@chairside/core';
import { noAccess } from './access.ts';
import { apiVersion, type Books } from './books.ts';
import { endpoints } from './endpoints.ts';
import { publishReply, publishRequest } from './exchange.ts';
import type { Script, StripeFault } from './faults.ts';
import { decodeForm } from './form.ts';
import { createKeys, keyInUse } from './keys.ts';
import { checkParams, type Route } from './params.ts';
import { type ErrorBody, failed, invalid, Refusal, type Reply } from './reply.ts';
import { matchRoute, type RawRequest, type StandInRequest } from './request.ts';

/** The outcome of a request: a reply as text, or none. */
export type Outcome =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string;
    }
  | { readonly kind: 'timeout' | 'reset' | 'refused' };

/** One request in the log for tests. It holds no secret. */
export interface LoggedRequest {
  readonly route: Route;
  readonly account?: string;
  readonly idempotencyKey?: string;
  readonly params: StandInRequest['form'];
}

export interface ServeOptions {
  readonly books: Books;
  readonly clock: Clock;
  readonly secretKey: string;
  readonly script: Script;
  readonly faults?: ((request: LoggedRequest) => StripeFault | undefined) | undefined;
  readonly log: LoggedRequest[];
}

/**
 * Handles a request of the stand-in: authentication, accounts, parameters, keys, then the call
 * itself.
 */
export function createServe(options: ServeOptions): (raw: RawRequest) => Outcome {
  const { books, clock, secretKey, script, log } = options;
  const keys = createKeys(clock);

  function understood(raw: RawRequest): StandInRequest {
    const { pathname, search } = new URL(raw.path, 'http://stripe.invalid');
    const match = matchRoute(raw.method, pathname);
    if (match === undefined) throw new Refusal(failed(404, unknownUrl));
    if (raw.headers['authorization'] !== `Bearer ${secretKey}`) {
      throw new Refusal(failed(401, badKey));
    }
    if (raw.headers['stripe-version'] !== apiVersion) {
      throw new Refusal(invalid('The stand-in supports only the version of the SDK.'));
    }
    const account = raw.headers['stripe-account'];
    const known = books.accounts.get(account ?? '');
    if (account !== undefined && (known === undefined || known.revoked)) {
      throw new Refusal(noAccess(books.switches, account));
    }
    const form = decodeForm(raw.method === 'POST' ? raw.body : search.slice(1));
    return { ...match, form, ...(account !== undefined && { account }) };
  }

  function carriedOut(request: StandInRequest, key?: string): Reply {
    const reply = replyTo(request, key);
    publishReply(request.route, reply);
    return reply;
  }

  function replyTo(request: StandInRequest, key: string | undefined): Reply {
    books.blame({ id: requestId, idempotency_key: key ?? null });
    try {
      return endpoints[request.route](books, request);
    } catch (thrown) {
      if (thrown instanceof Refusal) return thrown.reply;
      throw thrown;
    } finally {
      books.blame(null);
    }
  }

  /** Carries the request out, once for each key. */
  function applied(
    raw: RawRequest,
    request: StandInRequest,
    fault: StripeFault | undefined,
  ): Reply {
    checkParams(request.route, request.form);
    const refusal = fault === 'failure' ? ownFailure : fault === 'rejected' ? rejection : undefined;
    if (raw.method !== 'POST') return refusal ?? carriedOut(request);
    const key = raw.headers['idempotency-key'];
    if (key === undefined) throw new Refusal(invalid('The stand-in requires a key on every POST.'));
    if (key.length > 255) throw new Refusal(invalid('The idempotency key is too long.'));
    const scoped = `${request.account ?? ''}\n${key}`;
    const asked = `${raw.path}\n${raw.body}`;
    const before = keys.replay(scoped, asked);
    if (before !== undefined) return before;
    const reply = refusal ?? carriedOut(request, key);
    const kept = fault === 'failureAfterApplying' ? ownFailure : reply;
    keys.keep(scoped, asked, kept);
    return kept;
  }

  /** Adds the time of sending, which every reply of Stripe has. */
  function dated(outcome: Outcome): Outcome {
    if (outcome.kind !== 'answer') return outcome;
    const date = new Date(clock.now()).toUTCString();
    return { ...outcome, headers: { date, ...outcome.headers } };
  }

  return function serve(raw) {
    try {
      const request = understood(raw);
      const idempotencyKey = raw.headers['idempotency-key'];
      const { route, account, form } = request;
      const logged: LoggedRequest = {
        route,
        params: form,
        ...(account !== undefined && { account }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      };
      log.push(logged);
      publishRequest(raw, request);
      const drawn = script.take(route) ?? options.faults?.(logged);
      // Only POST uses keys, so a GET cannot conflict under its key.
      const fault = drawn === 'keyInUse' && raw.method !== 'POST' ? undefined : drawn;
      return dated(befallen(books, request, fault, () => applied(raw, request, fault)));
    } catch (thrown) {
      if (thrown instanceof Refusal) return dated(answer(thrown.reply));
      throw thrown;
    }
  };
}

/** The effect of a fault on a request; most faults still let it be applied. */
function befallen(
  { switches }: Books,
  { account = 'acct_platform' }: StandInRequest,
  fault: StripeFault | undefined,
  apply: () => Reply,
): Outcome {
  switch (fault) {
    case 'refused':
      return { kind: 'refused' };
    case 'resetBeforeApplying':
      return { kind: 'reset' };
    case 'timeoutBeforeApplying':
      return { kind: 'timeout' };
    case 'rateLimited':
      return answer(
        failed(429, { type: 'invalid_request_error', code: 'rate_limit', message: '' }),
      );
    case 'keyInUse':
      return answer(keyInUse);
    case 'noAccess':
      return answer(noAccess(switches, account));
    case 'forbidden':
      return answer(failed(403, forbidden));
    case 'proxyFailure':
      return { kind: 'answer', status: 503, headers: {}, text: '<html>Service Unavailable</html>' };
  }
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
const rejection = invalid('The stand-in was scripted to reject this.', {
  code: 'parameter_invalid_empty',
});
const unknownUrl: ErrorBody = {
  type: 'invalid_request_error',
  message: 'Unrecognized request URL.',
};
const badKey: ErrorBody = { type: 'invalid_request_error', message: 'Invalid API Key provided.' };
const forbidden: ErrorBody = {
  type: 'invalid_request_error',
  message: 'The provided key does not have the required permissions for this endpoint.',
};
