import { type Problem, type ProblemType, retryAfterSeconds, secondMs } from '@chairside/core';
import type { CountedCall } from '@chairside/core/ports';
import { FastResponse } from 'srvx';
import type { Addresses } from './addresses.ts';
import type { Exchange } from './exchange.ts';
import { contentEncoding } from './json.ts';
import type { Route } from './route.ts';

/** The headers of a response, by their lower-case names. */
type Headers = Record<string, string>;

export function answer(
  exchange: Exchange,
  { status, location }: Pick<Route, 'status' | 'location'>,
  value: unknown,
  { basePath }: Addresses,
): Response {
  const headers = commonHeaders(exchange);
  if (location !== undefined) headers['location'] = basePath + filled(location, value);
  return status === 204
    ? respond(null, { status, headers })
    : json(exchange, status, headers, 'application/json', value);
}

/** A problem in the interface's form: its type is a URI, and its headers agree with its body. */
export function answerProblem(
  exchange: Exchange,
  problem: Problem,
  { problemBase }: Addresses,
  allow?: string,
): Response {
  const headers = commonHeaders(exchange);
  const { rateLimit } = exchange.facts;
  // From the same moment as the `t` of `RateLimit`, so that they agree.
  const retryAfter =
    problem.type === 'tooManyRequests' && rateLimit !== undefined
      ? secondsLeft(rateLimit)
      : retryAfterSeconds(problem);
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  if (problem.type === 'unauthorized') headers['www-authenticate'] = challenge(problem);
  // RFC 9110 allows this header on a 415 only for a wrong content coding.
  if (problem.attributes?.['reason'] === contentEncoding) headers['accept-encoding'] = 'identity';
  if (allow !== undefined) headers['allow'] = allow;

  const uri = (type: ProblemType) => `${problemBase}/problems/${type}`;
  const { type, problems } = problem;
  const body = {
    ...problem,
    type: uri(type),
    ...(problems !== undefined && {
      problems: problems.map((nested) => ({ ...nested, type: uri(nested.type) })),
    }),
  };
  return json(exchange, problem.status, headers, 'application/problem+json', body);
}

function commonHeaders({ requestId, facts }: Exchange): Headers {
  const headers: Headers = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
  const { rateLimit, replayed } = facts;
  if (replayed === true) headers['idempotent-replayed'] = 'true';
  if (rateLimit !== undefined) {
    const { policy, limit, windowMs, remaining } = rateLimit;
    headers['ratelimit-policy'] = `"${policy}";q=${limit};w=${Math.ceil(windowMs / secondMs)}`;
    headers['ratelimit'] = `"${policy}";r=${remaining};t=${secondsLeft(rateLimit)}`;
  }
  return headers;
}

function secondsLeft({ resetsAt, countedAt }: CountedCall): number {
  return Math.max(1, Math.ceil((resetsAt - countedAt) / secondMs));
}

/** RFC 6750: at least one parameter, and an `error` only if the request had a token. */
function challenge({ recovery }: Problem): string {
  const realm = 'Bearer realm="chairside"';
  return recovery.sessionAction === 'refresh' ? `${realm}, error="invalid_token"` : realm;
}

/** A path whose `{name}`s are replaced by the value's members. */
function filled(path: string, value: unknown): string {
  return path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(String(Reflect.get(Object(value), name))),
  );
}

const utf8 = new TextEncoder();

function json(
  { isHead }: Exchange,
  status: number,
  headers: Headers,
  contentType: string,
  value: unknown,
): Response {
  headers['content-type'] = contentType;
  const body = JSON.stringify(value);
  if (!isHead) return respond(body, { status, headers });
  headers['content-length'] = String(utf8.encode(body).length);
  return respond(null, { status, headers });
}

/**
 * A server may replace the global `Response` by its own class, as Hono's does. h3 and hosts then
 * accept only that class as a response. The fast class extends the original one.
 */
function respond(
  body: string | null,
  init: { readonly status: number; readonly headers: Headers },
): Response {
  return FastResponse.prototype instanceof Response
    ? new FastResponse(body, init)
    : new Response(body, init);
}
