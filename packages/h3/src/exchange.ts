import type { Call, CallFacts } from '@chairside/core';
import type { H3Event } from 'h3';

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
  readonly #path: string | undefined;

  constructor(requestId: string, isHead = false, path?: string) {
    this.requestId = requestId;
    this.isHead = isHead;
    this.#path = path;
  }

  /** Made when it is asked for, as only problems do. */
  get instance(): string | undefined {
    return this.#path === undefined ? undefined : `${toUriPath(this.#path)}#${this.requestId}`;
  }
}

/** Names the request: by the id that its sender gave it, or else by a new one. */
export function openExchange(
  { req, url }: H3Event,
  basePath: string,
  newRequestId: () => string,
): Exchange {
  const given = req.headers.get('x-request-id');
  const requestId = isRequestId(given) ? given : newRequestId();
  return new Exchange(requestId, req.method === 'HEAD', basePath + url.pathname);
}

/** For what never became a request of the app's; of some there is a path to speak of. */
export function openUnknownExchange(path?: string): Exchange {
  return new Exchange(newRequestId(), false, path);
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
  const path = pathname.replace(notInUriPath, encodeURIComponent);
  // A reference that begins with two slashes would name a host.
  return path.startsWith('//') ? `/.${path}` : path;
}
