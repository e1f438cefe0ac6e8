import type { ProblemType } from '@chairside/core';
import type { Route } from '../route.ts';
import { type Header, type Ref, refTo, type Schema } from './document.ts';

const seconds = { type: 'integer', format: 'uint32', minimum: 1, maximum: 4_294_967_295 };

function header(example: unknown, description: string, schema: Schema, required = true): Header {
  return { example, description, required, schema: { type: 'string', ...schema } };
}

function optional(example: unknown, description: string, schema: Schema): Header {
  return header(example, description, schema, false);
}

export const headers = {
  'Cache-Control': header('no-store', 'Responses must not be cached.', { const: 'no-store' }),
  'X-Content-Type-Options': header('nosniff', 'Browsers must not guess the type.', {
    const: 'nosniff',
  }),
  'X-Request-Id': header(
    'till-3_8241',
    'The request id: the one that was sent if it was valid, otherwise a new one.',
    { minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._-]+$' },
  ),
  'RateLimit-Policy': optional(
    '"writes";q=60;w=60',
    'The quota that counted the call: at most `q` calls in `w` seconds. Absent if the service has no limits.',
    { pattern: '^"[A-Za-z]+";q=[0-9]+;w=[0-9]+$' },
  ),
  RateLimit: optional(
    '"writes";r=59;t=60',
    'The rest of the quota: `r` calls, and `t` seconds until it is full again. Absent if the service has no limits.',
    { pattern: '^"[A-Za-z]+";r=[0-9]+;t=[0-9]+$' },
  ),
  'Retry-After': header(2, 'Seconds to wait before the retry.', seconds),
  'Retry-After-If-Delayed': optional(
    2,
    'Seconds to wait before the retry, if one may succeed.',
    seconds,
  ),
  'Idempotent-Replayed': optional(
    'true',
    'Present if the response is a replay of an earlier one with the same `Idempotency-Key`.',
    { const: 'true' },
  ),
  'WWW-Authenticate': header(
    'Bearer realm="chairside"',
    'The required authentication; names an error if the request had an access token.',
    { enum: ['Bearer realm="chairside"', 'Bearer realm="chairside", error="invalid_token"'] },
  ),
  'Accept-Encoding': optional(
    'identity',
    'Present if the body was rejected for its `Content-Encoding`: the accepted coding.',
    { const: 'identity' },
  ),
  Location: header(
    '/contactlessPayments/cpm_01jd3zk8q0e5v9h2m7x4r6t1bc',
    'Where the created resource is found.',
    { minLength: 1, format: 'uri-reference' },
  ),
};

type Name = keyof typeof headers;
type Headers = Record<string, Ref | Header>;

const always: readonly Name[] = ['Cache-Control', 'X-Content-Type-Options', 'X-Request-Id'];
const counted: readonly Name[] = ['RateLimit-Policy', 'RateLimit'];
const replayed: Name = 'Idempotent-Replayed';

export function successHeaders({ idempotencyKey, location }: Route): Headers {
  return refs([
    ...always,
    ...counted,
    ...(idempotencyKey === undefined ? [] : [replayed]),
    ...(location === undefined ? [] : ['Location' as const]),
  ]);
}

/** Problems that always allow a retry after a delay. */
const delayed = new Set<ProblemType>(['tooManyRequests', 'requestTimeout', 'serviceUnavailable']);
/** Problems that are found before the operation is known. */
const early = new Set<ProblemType>([
  'unauthorized',
  'requestTimeout',
  'contentTooLarge',
  'headersTooLarge',
]);

/**
 * Other problems allow a retry only sometimes: a conflict, or an earlier request with the same key.
 */
export function problemHeaders(status: number, types: readonly ProblemType[]): Headers {
  const isAny = (set: ReadonlySet<ProblemType>) => types.some((type) => set.has(type));
  return {
    ...refs([
      ...always,
      ...(status === 401 ? ['WWW-Authenticate' as const] : []),
      ...(status === 415 ? ['Accept-Encoding' as const] : []),
      ...(isAny(early) ? [] : counted),
      ...(status === 409 || status === 422 ? [replayed] : []),
      ...(isAny(delayed) ? ['Retry-After' as const] : []),
    ]),
    ...(!isAny(delayed) &&
      !isAny(early) && { 'Retry-After': refTo('headers', 'Retry-After-If-Delayed') }),
  };
}

function refs(names: readonly Name[]): Headers {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}
