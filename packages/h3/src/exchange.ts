import type { Call } from '@chairside/core';
import type { CallFacts } from '@chairside/core/ports';
import type { H3Event } from 'h3';
import type { Addresses } from './addresses.ts';

const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/** Whether it is a valid header value. A response with an invalid one would be lost. */
export function isRequestId(id: unknown): id is string {
  return typeof id === 'string' && requestIdPattern.test(id);
}

/** One request and its response: the core's call, with the facts that only HTTP needs. */
export class Exchange implements Call {
  auth: Call['auth'];
  clientAddress?: string;
  readonly facts: CallFacts = {};
  readonly requestId: string;
  /** HEAD is GET without the response body. */
  readonly isHead: boolean;
  readonly #publicUrl: string | undefined;
  readonly #path: string | undefined;

  constructor(requestId: string, isHead: boolean, publicUrl?: string, path?: string) {
    this.requestId = requestId;
    this.isHead = isHead;
    this.#publicUrl = publicUrl;
    this.#path = path;
  }

  /** Built on demand, because only problems need it. */
  get instance(): string | undefined {
    return this.#publicUrl === undefined || this.#path === undefined
      ? undefined
      : `${this.#publicUrl}${this.#path.replace(notInUriPath, encodeURIComponent)}#${this.requestId}`;
  }
}

/** Opens an exchange with the request id of the sender, or else with a new one. */
export function openExchange(
  { req, url }: H3Event,
  { basePath, publicUrl }: Addresses,
  nameRequest: () => string,
): Exchange {
  const given = req.headers.get('x-request-id');
  const requestId = isRequestId(given) ? given : nameRequest();
  return new Exchange(requestId, req.method === 'HEAD', publicUrl, basePath + url.pathname);
}

/** For bytes that never became a request of the app. `path` is given if it could be parsed. */
export function openUnknownExchange({ publicUrl }: Addresses, path?: string): Exchange {
  return new Exchange(newRequestId(), false, publicUrl, path);
}

/** The path of a request's first line, if it is clear. */
export function pathOf(target: string): string | undefined {
  if (target.startsWith('/')) return target.replace(/[?#].*$/s, '');
  return /^https?:/i.test(target) && URL.canParse(target) ? new URL(target).pathname : undefined;
}

export function newRequestId(): string {
  return `req_${crypto.randomUUID()}`;
}

// URLs may contain characters that RFC 3986 forbids in a path, and a bare `%`.
const notInUriPath = /%(?![0-9a-f]{2})|[^\w\-.~!$&'()*+,;=:@/%]/gi;
