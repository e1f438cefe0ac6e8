import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fault, toTimeoutMs } from '@chairside/core/ports';
import { sendNodeResponse } from 'srvx/node';
import { closeSoon, connectionOf, isBusy, isRunning } from './connections.ts';
import type { ChairsideHandler } from './handler.ts';
import { beforeLookUp, keyHeader } from './input.ts';
import { respond } from './node-listener.ts';
import { checkNames } from './options.ts';
import { answerError, answerRaw, maxHeaderLength } from './raw-answer.ts';

export { nodeListener, sendResponse } from './node-listener.ts';

/**
 * The maximum of concurrent requests on one connection. Browsers and load balancers send one at a
 * time.
 */
const maxPipelined = 64;

export interface NodeServerOptions {
  /** Closes connections beyond this number at once. Default: 10,000. */
  readonly maxConnections?: number | undefined;
  /** The time for the headers to arrive. Default: 10 seconds. */
  readonly headersTimeoutMs?: number | undefined;
  /** The time for the whole request to arrive. Default: 20 seconds. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Closes a connection that is idle for this long, also between requests. Default: 2 minutes. A
   * load balancer in front needs a shorter timeout. A running request keeps its connection for up to
   * 10 minutes.
   */
  readonly idleTimeoutMs?: number | undefined;
}

/** A function of the host that never ends holds its connection no longer. */
const longestSilenceMs = 10 * 60_000;

/** Bytes of a refused body that are read, so that its sender sees the response. */
const maxRestLength = 1024 * 1024;

function limitRest(request: IncomingMessage): void {
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxRestLength) request.socket.destroy();
  });
}

const otherVersion = fault('httpVersionNotSupported', 'Send the request as HTTP/1.1.');

const serverOptions: Readonly<Record<keyof NodeServerOptions, true>> = {
  maxConnections: true,
  headersTimeoutMs: true,
  requestTimeoutMs: true,
  idleTimeoutMs: true,
};

export interface NodeServer {
  readonly server: Server;
  /** Listens on a port; 0 picks a free one. Rejects if the port is taken, as Node does. */
  readonly listen: (port: number, host?: string) => Promise<{ url: string; port: number }>;
  /**
   * Accepts no more connections, lets running calls finish, and resolves when all are closed. At
   * the deadline it cuts off the rest. Close the store afterwards.
   */
  readonly close: (deadlineMs?: number) => Promise<void>;
}

/**
 * A plain Node server for the HTTP interface. It limits everything that can wait or grow, and sends
 * problems for requests that Node's parser rejects. A host that mounts the handler in its own app
 * passes `{ fetch: host.fetch, refuse: app.refuse }`.
 */
export function createNodeServer(
  app: Pick<ChairsideHandler, 'fetch' | 'refuse'>,
  options: NodeServerOptions = {},
): NodeServer {
  checkNames(options, serverOptions);
  const headersTimeoutMs = toTimeoutMs(options.headersTimeoutMs, 10_000);
  const requestTimeoutMs = toTimeoutMs(options.requestTimeoutMs, 20_000);
  let isClosing = false;

  const server = createServer({
    maxHeaderSize: maxHeaderLength,
    headersTimeout: headersTimeoutMs,
    requestTimeout: Math.max(requestTimeoutMs, headersTimeoutMs),
    connectionsCheckingInterval: Math.min(1000, headersTimeoutMs), // so that a shorter limit is kept
    requireHostHeader: false, // Node's own response to a missing one is not a problem document
  });
  server.maxHeadersCount = 0; // the limit is in bytes
  server.maxConnections = options.maxConnections ?? 10_000;
  server.timeout = toTimeoutMs(options.idleTimeoutMs, 120_000);
  // Node's default of 5 seconds is shorter than the idle timeout of common load balancers.
  server.keepAliveTimeout = 0;
  // A client may close its half after sending the request; it still waits for the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('request', answer);
  // RFC 9110 allows ignoring an unknown expectation; Node's own 417 is not a problem document.
  server.on('checkExpectation', answer);
  server.on('connect', ({ headers }, socket) => {
    const wrong = fault('badRequest', 'CONNECT is not supported.');
    answerRaw(socket, app.refuse(beforeLookUp(wrong, keyHeader in headers)));
  });
  server.on('timeout', (socket) => {
    const connection = connectionOf(socket);
    connection.silentMs += server.timeout;
    const isSpared = isRunning(connection) && connection.silentMs < longestSilenceMs;
    if (isSpared) socket.setTimeout(server.timeout);
    else socket.destroy();
  });
  server.on('clientError', (error, socket) => answerError(app.refuse, error, socket));

  return { server, listen, close };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const connection = connectionOf(socket);
    // Node passes on all requests of a connection, even if many are running already. Those that are
    // running get their responses, and then it closes: no later one is carried out.
    if (connection.running === maxPipelined) connection.isBroken = true;
    if (connection.isBroken) return;
    if (connection.running === 0) connection.silentMs = 0;
    connection.running += 1;
    connection.last = response;
    try {
      // Node's parser accepts `HTTP/2.0` and `HTTP/0.9` in a request line.
      const answered = await (['1.0', '1.1'].includes(request.httpVersion)
        ? respond(app, request, response)
        : app.refuse(beforeLookUp(otherVersion, keyHeader in request.headers)));
      const isLast = connection.isBroken && connection.last === response;
      if (isClosing || isLast) response.shouldKeepAlive = false;
      await sendNodeResponse(response, answered);
      if (!request.complete) limitRest(request);
    } catch {
      // The host's own app threw, or the response could not be written.
      response.destroy();
    }
    connection.running -= 1;
    if (connection.isBroken && !isBusy(connection)) closeSoon(socket);
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
