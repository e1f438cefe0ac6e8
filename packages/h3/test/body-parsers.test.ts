import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { H3, toNodeHandler } from 'h3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorld, device, good, json, problemOf } from './world.ts';

// Both frameworks parse JSON bodies before a handler runs, unless the host turns that off.

type World = Awaited<ReturnType<typeof createWorld>>;

/** Listens on a free port, and posts to `path` of the mount. */
async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // cast: a server that listens on a port has an address of this kind
  const { port } = server.address() as AddressInfo;
  return (
    path: string,
    body: string | ReadableStream | undefined,
    headers: Record<string, string> = {},
  ) =>
    fetch(`http://127.0.0.1:${port}/payments${path}`, {
      method: 'POST',
      headers: { ...(body === undefined ? good : json), ...headers },
      ...(body !== undefined && { body, duplex: 'half' as const }),
    });
}

const frameworks = {
  'Express with express.json() before the mount': {
    parsed: async ({ app }: World) =>
      serve(express().use(express.json()).use('/payments', toNodeHandler(app))),
    asDocumented: async ({ app }: World) =>
      serve(express().use('/payments', toNodeHandler(app)).use(express.json())),
  },
  'Fastify without a scope': {
    async parsed({ app }: World) {
      const handler = toNodeHandler(new H3().mount('/payments', app.fetch));
      const host = fastify();
      host.all('/payments/*', (request, reply) => {
        reply.hijack();
        handler(request.raw, reply.raw);
      });
      await host.ready();
      return serve(host.routing);
    },
    async asDocumented({ app }: World) {
      const handler = toNodeHandler(new H3().mount('/payments', app.fetch));
      const host = fastify();
      host.register(
        async (scope) => {
          scope.removeAllContentTypeParsers();
          scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
          scope.all('/*', (request, reply) => {
            reply.hijack();
            handler(request.raw, reply.raw);
          });
        },
        { prefix: '/payments' },
      );
      await host.ready();
      return serve(host.routing);
    },
  },
};

describe.each(Object.entries(frameworks))('%s', (_, { parsed, asDocumented }) => {
  it('gets a 500 with the cause, without a retry, and the host gets one report', async () => {
    const world = await createWorld();
    const post = await parsed(world);
    const response = await post('/terminals', device);
    const { recovery, detail } = await problemOf(response, 500, 'internalError');
    expect(recovery).toEqual({ outcome: 'notApplied', retry: 'doNotRetry' });
    expect(detail).toContain('already read the body');
    expect(response.headers.get('retry-after')).toBeNull();
    expect(world.failures).toHaveLength(1);
    expect(String(world.failures[0])).toContain('already read the body');
  });

  it('gets the same with a key, and serves a request without a body', async () => {
    const world = await createWorld();
    const post = await parsed(world);
    const keyed = await post('/me/paymentMethods/prepared', '{"savePaymentMethod":true}', {
      'idempotency-key': 'k',
    });
    const { recovery } = await problemOf(keyed, 500, 'internalError');
    expect(recovery).toEqual({ outcome: 'notApplied', retry: 'doNotRetry' });
    await problemOf(await post('/terminals/trm_none/connectionTokens', undefined), 404, 'notFound');
    expect(world.failures).toHaveLength(1);
  });

  it('gets the same if it was sent in chunks', async () => {
    const world = await createWorld();
    const post = await parsed(world);
    const response = await post('/terminals', new Blob([device]).stream());
    await problemOf(response, 500, 'internalError');
    await problemOf(await post('/unknown', device), 404, 'notFound');
  });

  it('is served if it is mounted as the guide shows', async () => {
    const world = await createWorld();
    const post = await asDocumented(world);
    const response = await post('/terminals', device);
    expect(response.status).toBe(201);
    expect(world.failures).toEqual([]);
  });
});
