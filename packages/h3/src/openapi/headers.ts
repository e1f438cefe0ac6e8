import type { ProblemType } from '@chairside/core';
import type { Route } from '../route.ts';
import { type Header, type Ref, refTo } from './document.ts';

const text = { type: 'string' };
const seconds = { type: 'integer', format: 'uint32', minimum: 1, maximum: 4_294_967_295 };

/** The headers of responses. */
export const headers = {
  'Cache-Control': {
    example: 'no-store',
    description: 'Responses must not be cached.',
    required: true,
    schema: { ...text, const: 'no-store' },
  },
  'X-Request-Id': {
    example: 'till-3_8241',
    description: 'The request id: the one that was sent if it was valid, otherwise a new one.',
    required: true,
    schema: { ...text, minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._-]+$' },
  },
  'RateLimit-Policy': {
    example: '"writes";q=60;w=60',
    description:
      'The quota that counted the call: at most `q` calls in `w` seconds. Absent if the service has no limits.',
    required: false,
    schema: { ...text, pattern: '^"[A-Za-z]+";q=[0-9]+;w=[0-9]+$' },
  },
  RateLimit: {
    example: '"writes";r=59;t=60',
    description:
      'The rest of the quota: `r` calls, and `t` seconds until it is full again. Absent if the service has no limits.',
    required: false,
    schema: { ...text, pattern: '^"[A-Za-z]+";r=[0-9]+;t=[0-9]+$' },
  },
  'Retry-After': {
    example: 2,
    description: 'Seconds to wait before the retry.',
    required: true,
    schema: seconds,
  },
  'Retry-After-If-Delayed': {
    example: 2,
    description: 'Seconds to wait before the retry, if one may succeed.',
    required: false,
    schema: seconds,
  },
  'Idempotent-Replayed': {
    example: 'true',
    description:
      'Present if the response is a replay of an earlier one with the same `Idempotency-Key`.',
    required: false,
    schema: { ...text, const: 'true' },
  },
  'WWW-Authenticate': {
    example: 'Bearer realm="chairside"',
    description: 'The required authentication; names an error if the request had an access token.',
    required: true,
    schema: {
      ...text,
      enum: ['Bearer realm="chairside"', 'Bearer realm="chairside", error="invalid_token"'],
    },
  },
  'Accept-Encoding': {
    example: 'identity',
    description:
      'Present if the body was rejected for its `Content-Encoding`: the accepted coding.',
    required: false,
    schema: { ...text, const: 'identity' },
  },
  Location: {
    example: '/contactlessPayments/cpm_01jd3zk8q0e5v9h2m7x4r6t1bc',
    description: 'Where the created resource is found.',
    required: true,
    schema: { ...text, minLength: 1, format: 'uri-reference' },
  },
} as const satisfies Record<string, Header>;

type Name = keyof typeof headers;
type Headers = Record<string, Ref | Header>;

const always: readonly Name[] = ['Cache-Control', 'X-Request-Id'];
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
