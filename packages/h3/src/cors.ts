import { unknownOption } from '@chairside/core/ports';
import type { Fetch } from './base-path.ts';

/** Which pages of other origins may call from a browser. */
export interface CorsOptions {
  /** Exact origins, such as `https://till.shop.example`, or `*` for every origin. */
  readonly origins: readonly string[] | '*';
  /** Headers that your pages send besides the interface's own, such as `x-tenant`. Default: none. */
  readonly headers?: readonly string[] | undefined;
  /** How long a browser may keep the response to its preflight. Default: 10 minutes. */
  readonly maxAgeSeconds?: number | undefined;
}

const corsOptions: Readonly<Record<keyof CorsOptions, true>> = {
  origins: true,
  headers: true,
  maxAgeSeconds: true,
};
const example = "must be an object, such as { origins: ['https://till.shop.example'] }";
const requestHeaders = 'authorization, content-type, idempotency-key, x-request-id';
const headerName = /^[a-z\d_-]+$/i;
const exposedHeaders =
  'allow, idempotent-replayed, location, ratelimit, ratelimit-policy, retry-after, www-authenticate, x-request-id';

/**
 * Answers the preflights of allowed origins, and lets their pages read every response of the app. A
 * response to bytes that never reached the app, such as a 431, has no CORS headers.
 * Credentials are never allowed: the interface takes a bearer token and no cookie. Throws a TypeError
 * for an origin or a header that no browser sends.
 */
export function createCors(
  options: CorsOptions,
  methods: readonly string[],
): (fetch: Fetch) => Fetch {
  // Hosts without types may pass any value.
  if (typeof options !== 'object' || options === null) throw new TypeError(`cors: ${example}`);
  const unknown = unknownOption(options, corsOptions);
  if (unknown !== undefined) throw new TypeError(`cors.${unknown}`);
  const { origins, headers: more = [], maxAgeSeconds = 600 } = options;
  if (origins !== '*' && !Array.isArray(origins)) throw new TypeError(`cors: ${example}`);
  for (const origin of origins === '*' ? [] : origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new TypeError(`cors.origins: ${origin} is not an origin, such as https://shop.example`);
    }
  }
  // A text is a list of letters.
  if (!Array.isArray(more) || !more.every((name) => headerName.test(name))) {
    throw new TypeError("cors.headers: must be a list of header names, such as ['x-tenant']");
  }
  const allowedHeaders = [requestHeaders, ...more].join(', ');
  return (fetch) => async (request) => {
    const origin = request.headers.get('origin') ?? '';
    const isAllowed = origin !== '' && (origins === '*' || origins.includes(origin));
    const isPreflight =
      request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
    const response = isAllowed && isPreflight ? permission() : await fetch(request);
    try {
      return grant(response);
    } catch {
      // A redirect, or a response passed on from `fetch`, has headers that nobody can change.
      return grant(new Response(response.body, response));
    }

    function grant(granted: Response): Response {
      const { headers: own } = granted;
      // A cache must not give one origin the response to another.
      if (origins !== '*') own.append('vary', 'origin');
      if (isAllowed) {
        own.set('access-control-allow-origin', origins === '*' ? '*' : origin);
        if (!isPreflight) own.set('access-control-expose-headers', exposedHeaders);
      }
      return granted;
    }
  };

  function permission(): Response {
    return new Response(null, {
      status: 204,
      headers: {
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': allowedHeaders,
        'access-control-max-age': String(maxAgeSeconds),
        'cache-control': 'no-store', // as on every response (D33); browsers keep a preflight apart
      },
    });
  }
}
