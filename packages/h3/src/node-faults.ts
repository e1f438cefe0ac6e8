import type { IncomingMessage } from 'node:http';
import { type Fault, fault } from '@chairside/core/ports';
import { countHeader } from './input.ts';
import { headersTooLarge, maxHeaderLength } from './raw-answer.ts';

// A name or an address, with an optional port. RFC 9112 allows an empty one.
const hostPattern = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Node's limit does not count colons and line ends, which are much of many small headers. */
export function faultOf(request: IncomingMessage): Fault | undefined {
  if (headerLength(request.rawHeaders) > maxHeaderLength) return headersTooLarge;
  if (ambiguous.test(request.url ?? '')) {
    return fault('notFound', 'There is no resource at this path.');
  }
  const wrong = faultOfTarget(request);
  if (wrong !== undefined) return fault('badRequest', wrong);
  // Node decodes `chunked` only; any other coding would remain in the body.
  const isMore = /,\s*chunked$/i.test(request.headers['transfer-encoding'] ?? '');
  return isMore ? fault('badRequest', 'The only supported transfer coding is chunked.') : undefined;
}

/** The minimum size in bytes: each header has a colon and a line end. */
function headerLength(rawHeaders: readonly string[]): number {
  let length = (rawHeaders.length / 2) * 3;
  for (const text of rawHeaders) length += text.length;
  return length;
}

/** A proxy may have checked `/x/../y` as written, while a URL parser reads it as `/y`. */
const ambiguous = /^[^?#]*(?:\\|\/(?:\.|%2e){1,2}(?=[/?#]|$))/i;

/** Proxies and servers must agree on the target: RFC 9112 requires a 400 for ambiguous requests. */
function faultOfTarget({ url = '', headers, rawHeaders, httpVersion }: IncomingMessage) {
  const { host } = headers;
  if (host === undefined) {
    if (httpVersion === '1.1') return 'The request has no Host header.';
  } else if (countHeader(rawHeaders, 'host') > 1) {
    return 'The request has more than one Host header.';
  } else if (!hostPattern.test(host) || (host !== '' && !URL.canParse(`http://${host}`))) {
    // A host's own app builds a URL from it, and returns its own kind of error if that fails.
    return 'The Host header is not a valid host.';
  }
  if (url.startsWith('/') || url === '*') return undefined;
  // URL parsers read `http:///x` as the host `x`.
  const isWhole = /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);
  return isWhole ? undefined : 'The request has no valid URL.';
}
