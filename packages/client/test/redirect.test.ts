import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { createClient } from '../src/index.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const address = server.address();
  return typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '';
}

it('sends nothing to where a response redirects it', async () => {
  const seen: string[] = [];
  const other = await listen((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  const redirecting = await listen((request, response) => {
    request.resume();
    response.writeHead(307, { location: `${other}${request.url}` }).end();
  });
  const client = createClient({
    baseUrl: redirecting,
    accessToken: () => 'token',
    maxAttempts: 1,
  });
  const opened = await client.createContactlessPayment({
    appointmentId: 'haircut',
    idempotencyKey: 'key',
  });
  expect(opened.isErr()).toBe(true);
  expect(seen).toEqual([]);
});
