import type { ProblemType } from '@chairside/core';
import type { Route } from '../route.ts';
import { type Header, type Ref, refTo } from './document.ts';

const text = { type: 'string' };
const seconds = { type: 'integer', format: 'uint32', minimum: 1, maximum: 4_294_967_295 };

/** The headers of answers. */
export const headers = {
  'Cache-Control': {
    description: 'No answer may be kept.',
    required: true,
    schema: { ...text, const: 'no-store' },
  },
  'X-Request-Id': {
    description:
      'Names the request: by the id that was sent with it if that was a valid one, or else by a new one.',
    required: true,
    schema: { ...text, minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._-]+$' },
  },
  'RateLimit-Policy': {
    description:
      'The quota that the call was counted in: at most `q` calls in `w` seconds. Absent where the service has no limits.',
    required: false,
    schema: { ...text, pattern: '^"[A-Za-z]+";q=[0-9]+;w=[0-9]+$' },
  },
  RateLimit: {
    description:
      'What is left of the quota: `r` calls, and `t` seconds until it is whole again. Absent where the service has no limits.',
    required: false,
    schema: { ...text, pattern: '^"[A-Za-z]+";r=[0-9]+;t=[0-9]+$' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the same request is sent again.',
    required: true,
    schema: seconds,
  },
  'Retry-After-If-Delayed': {
    description: 'Seconds to wait, where the same request may be answered otherwise later.',
    required: false,
    schema: seconds,
  },
  'Idempotent-Replayed': {
    description: 'There if this answer was given before under the same `Idempotency-Key`.',
    required: false,
    schema: { ...text, const: 'true' },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate; names an error where there was an access token.',
    required: true,
    schema: {
      ...text,
      enum: ['Bearer realm="chairside"', 'Bearer realm="chairside", error="invalid_token"'],
    },
  },
  'Accept-Encoding': {
    description:
      'There if the body was refused for its `Content-Encoding`: the one that is accepted.',
    required: false,
    schema: { ...text, const: 'identity' },
  },
  Location: {
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

export function successHeaders({ idempotencyKey, success }: Route): Headers {
  return refs([
    ...always,
    ...counted,
    ...(idempotencyKey === undefined ? [] : [replayed]),
    ...(success.location === undefined ? [] : ['Location' as const]),
  ]);
}

/** Problems that are only ever to be retried after a delay. */
const delayed = new Set<ProblemType>(['tooManyRequests', 'requestTimeout', 'serviceUnavailable']);
/** Found before anybody knows what the request is about. */
const early = new Set<ProblemType>([
  'unauthorized',
  'requestTimeout',
  'contentTooLarge',
  'headersTooLarge',
]);

/** Of all others, some end by themselves: a conflict, or an earlier request with the same key. */
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
