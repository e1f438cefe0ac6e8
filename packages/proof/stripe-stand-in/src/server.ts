import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Outcome, RawRequest } from './wire.ts';

/** The address of the stand-in, in the names of the SDK's options. */
export interface StandInServer {
  readonly host: string;
  readonly port: number;
  readonly protocol: 'http';
  /** The number of connections so far. */
  readonly connections: () => number;
  close(): Promise<void>;
}

export async function startServer(serve: (request: RawRequest) => Outcome): Promise<StandInServer> {
  let connections = 0;
  const server = createServer((incoming, response) => {
    readBody(incoming).then(
      (body) => {
        const headers = Object.fromEntries(
          Object.entries(incoming.headers).map(([name, value]) => [name, value?.toString()]),
        );
        const { method = '', url: path = '' } = incoming;
        const outcome = serve({ method, path, headers, body });
        if (outcome.kind === 'timeout') return;
        if (outcome.kind !== 'answer') {
          incoming.socket.destroy();
          return;
        }
        response.writeHead(outcome.status, outcome.headers).end(outcome.text);
      },
      () => incoming.socket.destroy(),
    );
  });
  server.on('connection', () => {
    connections += 1;
  });
  const host = '127.0.0.1';
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  // cast: a server that listens on a port has an address of this kind
  const { port } = server.address() as AddressInfo;
  return {
    host,
    port,
    protocol: 'http',
    connections: () => connections,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
