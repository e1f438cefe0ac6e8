import type { Call, CallFacts } from '@chairside/core';
import type { H3Event } from 'h3';
import type { Addresses } from './addresses.ts';

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/** Whether it can stand in a header: an answer under any other name would be lost. */
export function isRequestId(id: unknown): id is string {
  return typeof id === 'string' && requestIdPattern.test(id);
}

/** One request and its answer: the core's call, and what only HTTP needs to know. */
export class Exchange implements Call {
  auth: Call['auth'];
  clientAddress?: string;
  readonly facts: CallFacts = {};
  readonly requestId: string;
  /** HEAD is GET without the answer's body. */
  readonly isHead: boolean;
  readonly #publicUrl: string | undefined;
  readonly #path: string | undefined;

  constructor(requestId: string, isHead: boolean, publicUrl?: string, path?: string) {
    this.requestId = requestId;
    this.isHead = isHead;
    this.#publicUrl = publicUrl;
    this.#path = path;
  }

  /** Made when it is asked for, as only problems do. */
  get instance(): string | undefined {
    return this.#publicUrl === undefined || this.#path === undefined
      ? undefined
      : `${this.#publicUrl}${toUriPath(this.#path)}#${this.requestId}`;
  }
}

/** Names the request: by the id that its sender gave it, or else by a new one. */
export function openExchange(
  { req, url }: H3Event,
  { basePath, publicUrl }: Addresses,
  newRequestId: () => string,
): Exchange {
  const given = req.headers.get('x-request-id');
  const requestId = isRequestId(given) ? given : newRequestId();
  return new Exchange(requestId, req.method === 'HEAD', publicUrl, basePath + url.pathname);
}

/** For bytes that never became a request of the app; `path` where it could be read. */
export function openUnknownExchange({ publicUrl }: Addresses, path?: string): Exchange {
  return new Exchange(newRequestId(), false, publicUrl, path);
}

/** The path that a request's first line names, as far as that is clear. */
export function pathOf(target: string): string | undefined {
  if (target.startsWith('/')) return target.replace(/[?#].*$/s, '');
  return /^https?:/i.test(target) && URL.canParse(target) ? new URL(target).pathname : undefined;
}

export function newRequestId(): string {
  return `req_${crypto.randomUUID()}`;
}

// URLs may hold characters that RFC 3986 does not let stand in a path, and a `%` on its own.
const notInUriPath = /%(?![0-9a-f]{2})|[^\w\-.~!$&'()*+,;=:@/%]/gi;

function toUriPath(pathname: string): string {
  return pathname.replace(notInUriPath, encodeURIComponent);
}
