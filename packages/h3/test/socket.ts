import { connect } from 'node:net';
import type { H3 } from 'h3';
import { onTestFinished } from 'vitest';
import type { ChairsideHandlerOptions } from '../src/index.ts';
import { createNodeServer, type NodeServerOptions } from '../src/node-server.ts';
import { createWorld } from './world.ts';

/** A world that listens, with the handler or a host around it. Closed with its test. */
export async function startServer(
  options: Partial<ChairsideHandlerOptions> = {},
  serverOptions: NodeServerOptions = {},
  hostOf?: (world: Awaited<ReturnType<typeof createWorld>>) => H3,
) {
  const world = await createWorld(options);
  const host = hostOf?.(world) ?? world.app;
  const app = { fetch: host.fetch, refuse: world.app.refuse };
  const server = createNodeServer(app, serverOptions);
  onTestFinished(() => server.close(0));
  return { ...world, server, ...(await server.listen(0)) };
}

export const auth = 'Authorization: Bearer good';

/** The head of a request, as it is sent. */
export const head = (line: string, ...headers: string[]) =>
  [line, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n');

/** A request with a body, as it is sent. */
export const post = (body: string, ...headers: string[]) =>
  head('POST /terminals HTTP/1.1', auth, 'Content-Type: application/json', ...headers) + body;

/** All bytes of a raw connection, until it closes or `until` appears. */
export function exchangeRaw(port: number, text: string, until?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.on('data', (data) => {
      received += data.toString('latin1');
      if (until?.test(received) === true) socket.destroy();
    });
    socket.on('error', () => {}); // then it closes
    socket.on('close', () => resolve(received));
  });
}

/** Parses a response from the wire into a `Response`. */
export function parseRaw(received: string): Response {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return new Response(body, { status: Number(status.split(' ')[1]), headers });
}
