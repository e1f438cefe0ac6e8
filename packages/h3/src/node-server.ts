import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Fault, fault, toTimeoutMs } from '@chairside/core';
import { NodeRequest, sendNodeResponse } from 'srvx/node';
import { closeSoon, createConnections, isBusy, isLast } from './connections.ts';
import { pathOf } from './exchange.ts';
import type { ChairsideHandler } from './handler.ts';
import { beforeLookUp, createRawAnswers, headersTooLarge, maxHeaderLength } from './raw-answer.ts';
import { countHeader, headerLength } from './raw-headers.ts';

/** Requests of one connection that run at once; browsers and load balancers send one at a time. */
const maxPipelined = 64;

export interface NodeServerOptions {
  /** Connections beyond these are closed at once. Default: 10,000. */
  readonly maxConnections?: number | undefined;
  /** For the headers to arrive. Default: 10 seconds. */
  readonly headersTimeoutMs?: number | undefined;
  /** For the whole request to arrive. Default: 20 seconds. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * A connection on which nothing moves for so long is closed, also between requests. Default: 2
   * minutes. A load balancer in front must give up sooner.
   */
  readonly idleTimeoutMs?: number | undefined;
}

export interface NodeServer {
  readonly server: Server;
  /** Listens; port 0 takes a free one. Rejects where the port cannot be had, as Node does. */
  readonly listen: (port: number, host?: string) => Promise<{ url: string; port: number }>;
  /**
   * Takes no more connections, lets the calls that run come to their end, and resolves when all are
   * gone; what is left at the deadline is cut off. Close the store after it.
   */
  readonly close: (deadlineMs?: number) => Promise<void>;
}

/**
 * A plain Node server for the HTTP interface, with limits on all that can wait or grow, and problems
 * for what Node's parser refuses. A host that mounts the handler in its own app gives
 * `{ fetch: host.fetch, refuse: app.refuse }`.
 */
export function createNodeServer(
  app: Pick<ChairsideHandler, 'fetch' | 'refuse'>,
  options: NodeServerOptions = {},
): NodeServer {
  const headersTimeoutMs = toTimeoutMs(options.headersTimeoutMs, 10_000);
  const requestTimeoutMs = toTimeoutMs(options.requestTimeoutMs, 20_000);
  const connections = createConnections();
  const raw = createRawAnswers(app.refuse, connections);
  let isClosing = false;

  const server = createServer({
    maxHeaderSize: maxHeaderLength,
    headersTimeout: headersTimeoutMs,
    requestTimeout: Math.max(requestTimeoutMs, headersTimeoutMs),
    connectionsCheckingInterval: 1000,
    requireHostHeader: false, // Node's own answer to its absence would be no problem
  });
  server.maxHeadersCount = 0; // bytes are what counts
  server.maxConnections = options.maxConnections ?? 10_000;
  server.timeout = toTimeoutMs(options.idleTimeoutMs, 120_000);
  // Node's own 5 seconds between requests are shorter than what load balancers count on.
  server.keepAliveTimeout = 0;
  // A client may close its half once its request is sent; it still waits for the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('request', answer);
  // An expectation that is not understood may be ignored (RFC 9110); Node's own 417 is no problem.
  server.on('checkExpectation', answer);
  server.on('connect', (request, socket) =>
    raw.answer(socket, beforeLookUp(fault('badRequest', 'CONNECT is not served here.'), request)),
  );
  server.on('clientError', raw.answerError);

  return { server, listen, close };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const connection = connections.of(socket);
    // Node hands over all that a connection has sent, however much of it runs already.
    if (connection.running === maxPipelined) return void socket.destroy();
    connection.running += 1;
    connection.last = response;
    try {
      const answered = await respond(request, response);
      if (isClosing || isLast(connection, response)) response.shouldKeepAlive = false;
      await sendNodeResponse(response, answered);
    } catch {
      // A host's own app threw, or the answer could not be written.
      response.destroy();
    }
    connection.running -= 1;
    if (connection.isBroken && !isBusy(connection)) closeSoon(socket);
  }

  function respond(request: IncomingMessage, response: ServerResponse) {
    const wrong = faultOf(request);
    return wrong === undefined
      ? app.fetch(new NodeRequest({ req: request, res: response }))
      : app.refuse(beforeLookUp(wrong, request), pathOf(request.url ?? ''));
  }

  function listen(port: number, host = '127.0.0.1'): Promise<{ url: string; port: number }> {
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        // cast: a server that listens on a port has an address with one
        const { port: taken } = server.address() as AddressInfo;
        resolve({ url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`, port: taken });
      });
    });
  }

  async function close(deadlineMs = 10_000): Promise<void> {
    isClosing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const deadline = setTimeout(() => server.closeAllConnections(), toTimeoutMs(deadlineMs, 0));
    await closed;
    clearInterval(sweep);
    clearTimeout(deadline);
  }
}

// A name or an address, and perhaps a port. It may be empty (RFC 9112).
const hostPattern = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** Node counts neither colons nor line ends, of which many small headers have most. */
function faultOf(request: IncomingMessage): Fault | undefined {
  if (headerLength(request.rawHeaders) > maxHeaderLength) return headersTooLarge;
  if (isAmbiguous(request.url ?? '')) return fault('notFound', 'There is nothing at this path.');
  const wrong = faultOfTarget(request) ?? faultOfCoding(request);
  return wrong === undefined ? undefined : fault('badRequest', wrong);
}

/** A proxy may have looked at `/x/../y` as it stands, where a URL is `/y` already. */
function isAmbiguous(target: string): boolean {
  return /^[^?#]*(?:\\|\/(?:\.|%2e){1,2}(?=[/?#]|$))/i.test(target);
}

/** Node undoes `chunked`; what else was done to a body would be left in it. */
function faultOfCoding({ headers }: IncomingMessage): string | undefined {
  const isMore = /,\s*chunked$/i.test(headers['transfer-encoding'] ?? '');
  return isMore ? 'The only transfer coding served is chunked.' : undefined;
}

/** A host's own app makes a URL of it, and answers with an error of its own where it cannot. */
function makesUrl(host: string): boolean {
  return host === '' || URL.canParse(`http://${host}`);
}

/** What is asked for must be clear to everyone on the way: RFC 9112 has all else refused. */
function faultOfTarget({ url = '', headers, rawHeaders, httpVersion }: IncomingMessage) {
  const { host } = headers;
  if (host === undefined) {
    if (httpVersion === '1.1') return 'The request has no Host header.';
  } else if (countHeader(rawHeaders, 'host') > 1) {
    return 'The request has more than one Host header.';
  } else if (!hostPattern.test(host) || !makesUrl(host)) {
    return 'The Host header names no host.';
  }
  const isPath = url.startsWith('/') || url === '*';
  return isPath || URL.canParse(url) ? undefined : 'The request names no valid URL.';
}
