import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from 'h3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeListener, sendResponse } from '../src/node-server.ts';
import { exchangeRaw, parseRaw } from './socket.ts';
import { barber, createWorld, good, problemOf } from './world.ts';

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // cast: a server that listens on a port has an address with one
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the authenticator', () => {
  it('receives the request after the token, and only with a token (D62)', async () => {
    const seen: (string | null)[] = [];
    const { app } = await createWorld({
      authenticate: (token, request) => {
        seen.push(token, request.headers.get('x-tenant'), new URL(request.url).pathname);
        return request.headers.get('x-tenant') === 'marlow' ? barber : undefined;
      },
    });
    const status = async (headers: Record<string, string>) =>
      (await app.request('/terminals', { headers })).status;
    expect(await status({ ...good, 'x-tenant': 'marlow' })).toBe(200);
    expect(await status(good)).toBe(401);
    expect(await status({ 'x-tenant': 'marlow' })).toBe(401);
    expect(await status({ authorization: 'Bearer g,d', 'x-tenant': 'marlow' })).toBe(401);
    expect(seen).toEqual(['good', 'marlow', '/terminals', 'good', null, '/terminals']);
  });

  it("sees the members that a middleware of the host's left on Node's request", async () => {
    const { app } = await createWorld({
      authenticate: (_, request) => {
        const node = request.runtime?.node?.req;
        return node !== undefined && 'user' in node && node.user === 'ada' ? barber : undefined;
      },
    });
    const listener = nodeListener(app);
    const url = await listen((request, response) =>
      listener(Object.assign(request, { user: 'ada' }), response),
    );
    expect((await fetch(`${url}/terminals`, { headers: good })).status).toBe(200);
  });
});

describe('with a base path', () => {
  it('removes it if the host does not', async () => {
    const { app } = await createWorld({ basePath: '/payments/' });
    const send = async (path: string) =>
      app.fetchWithBasePath(new Request(`http://shop.example${path}`, { headers: good }));
    expect((await send('/payments/terminals')).status).toBe(200);
    const deep = await problemOf(await send('/payments/terminals/trm_1'), 404, 'notFound');
    expect(deep.instance).toContain('https://api.shop.example/payments/terminals/trm_1#');
    await problemOf(await send('/payments/terminals/%zz'), 400, 'badRequest');
    for (const path of ['/', '/payments', '/payments/', '/paymentsterminals', '/terminals']) {
      const { instance } = await problemOf(await send(path), 404, 'notFound');
      expect(instance).toContain(`https://api.shop.example${path}#`);
    }
    await problemOf(await send('/payments//terminals'), 404, 'notFound');
    await problemOf(await send('/payments/payments/terminals'), 404, 'notFound');
  });

  it('is the same as without one, if it is empty', async () => {
    const { app } = await createWorld();
    expect(app.fetchWithBasePath(new Request('http://x/terminals'))).toBeInstanceOf(Promise);
    expect((await app.fetchWithBasePath(new Request('http://x/terminals'))).status).toBe(401);
  });
});

describe("a listener for a host's Node server", () => {
  it('accepts the path with its base path, or without it if the framework removed it (D62)', async () => {
    const { app } = await createWorld({ basePath: '/payments' });
    const listener = nodeListener(app);
    const whole = await listen(listener);
    expect((await fetch(`${whole}/payments/terminals`, { headers: good })).status).toBe(200);
    await problemOf(await fetch(`${whole}/terminals`, { headers: good }), 404, 'notFound');

    // As Express does.
    const mounted = (request: IncomingMessage) =>
      Object.assign(request, { originalUrl: request.url, url: request.url?.slice(9) });
    const express = await listen((request, response) => listener(mounted(request), response));
    expect((await fetch(`${express}/payments/terminals`, { headers: good })).status).toBe(200);
    const zz = await fetch(`${express}/payments/terminals/%zz`, { headers: good });
    expect((await problemOf(zz, 400, 'badRequest')).instance).toContain(
      '/payments/terminals/%25zz',
    );
  });

  it.each([
    ['with a key', 'Idempotency-Key: k', 'unknown'],
    ['without a key', 'Accept: */*', 'notApplied'],
  ])('of h3 rejects a Host that is not a host, %s', async (_, header, outcome) => {
    const { app } = await createWorld();
    const { port } = new URL(await listen(toNodeHandler(app)));
    // h3 parses the whole URL only if the path has an escape.
    const create = 'POST /appointments/%61/contactlessPayments HTTP/1.1';
    const lines = [create, 'Host: a:99999', 'Connection: close', header, '', ''];
    const response = parseRaw(await exchangeRaw(Number(port), lines.join('\r\n')));
    const { recovery } = await problemOf(response, 400, 'badRequest');
    expect(recovery?.outcome).toBe(outcome);
  });

  it('sends a problem of a use case that the host called', async () => {
    const { app, chairside } = await createWorld();
    const url = await listen(async (_, response) => {
      const canceled = await chairside.cancelContactlessPayment(barber, {
        contactlessPaymentId: 'cpm_1',
      });
      const answered = canceled.match(() => new Response('canceled'), app.problemResponse);
      await sendResponse(response, answered);
    });
    await problemOf(await fetch(url), 404, 'notFound');
  });
});

describe('CORS', () => {
  const till = 'https://till.shop.example';
  const ask = (origin: string, headers = {}, method = 'GET') =>
    new Request('http://shop.example/terminals', { method, headers: { origin, ...headers } });
  const preflight = { 'access-control-request-method': 'POST' };
  const granted = (response: Response) => response.headers.get('access-control-allow-origin');
  /** All of them: a permission that the interface does not mean to give must fail a test. */
  const grants = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

  it('is off by default', async () => {
    const { app } = await createWorld();
    expect(grants(await app.fetch(ask(till, good)))).toEqual({});
    expect((await app.fetch(ask(till, preflight, 'OPTIONS'))).status).toBe(405);
  });

  it('lets the pages of named origins call, and read the headers that they need', async () => {
    const { app } = await createWorld({ cors: { origins: [till] } });
    const asked = await app.fetch(ask(till, preflight, 'OPTIONS'));
    expect(asked.status).toBe(204);
    expect(Object.fromEntries(asked.headers)).toEqual({
      'access-control-allow-headers': 'authorization, content-type, idempotency-key, x-request-id',
      'access-control-allow-methods': 'POST, GET, HEAD, DELETE',
      'access-control-allow-origin': till,
      'access-control-max-age': '600',
      'cache-control': 'no-store',
      vary: 'origin',
    });
    // Only both together are a preflight.
    expect((await app.fetch(ask(till, {}, 'OPTIONS'))).status).toBe(405);
    expect((await app.fetch(ask(till, { ...good, ...preflight }))).status).toBe(200);
    for (const response of [
      await app.fetch(ask(till, good)),
      await app.fetch(ask(till)),
      await app.fetchWithBasePath(ask(till)),
    ]) {
      expect(grants(response)).toEqual({
        'access-control-allow-origin': till,
        'access-control-expose-headers':
          'allow, idempotent-replayed, location, ratelimit, ratelimit-policy, retry-after, www-authenticate, x-request-id',
      });
    }
  });

  it('lets pages send the headers that the host reads, and rejects a name that is none', async () => {
    const headers = ['x-tenant', 'X-Till'];
    const { app } = await createWorld({ cors: { origins: [till], headers } });
    const asked = await app.fetch(ask(till, preflight, 'OPTIONS'));
    expect(asked.headers.get('access-control-allow-headers')).toBe(
      'authorization, content-type, idempotency-key, x-request-id, x-tenant, X-Till',
    );
    // cast: hosts without types may pass it
    const text = 'x-tenant' as unknown as string[];
    for (const wrong of [['x tenant'], [''], ['a, b'], ['*'], text]) {
      const cors = { origins: [till], headers: wrong };
      await expect(createWorld({ cors })).rejects.toThrow('cors.headers');
    }
  });

  it('gives other origins no permission, and tells caches so', async () => {
    const { app } = await createWorld({ cors: { origins: [till] } });
    for (const origin of ['https://evil.example', `${till}.evil.example`, 'null']) {
      const response = await app.fetch(ask(origin, good));
      expect(grants(response)).toEqual({});
      expect(response.headers.get('vary')).toBe('origin');
      expect((await app.fetch(ask(origin, preflight, 'OPTIONS'))).status).toBe(405);
    }
  });

  it("lets pages read the responses of the host's own routes, of which some cannot be changed", async () => {
    const { app } = await createWorld({ cors: { origins: [till] } });
    app.get('/moved', () => Response.redirect('https://shop.example/new', 303));
    app.get('/packed', () => new Response('text', { headers: { vary: 'accept-encoding' } }));
    for (const [path, status, vary, text] of [
      ['moved', 303, 'origin', ''],
      ['packed', 200, 'accept-encoding, origin', 'text'],
    ] as const) {
      const headers = { origin: till };
      const response = await app.fetch(new Request(`http://shop.example/${path}`, { headers }));
      expect([response.status, response.headers.get('vary')]).toEqual([status, vary]);
      expect([granted(response), await response.text()]).toEqual([till, text]);
    }
  });

  it('may allow every origin, and rejects an invalid one', async () => {
    const { app } = await createWorld({ cors: { origins: '*', maxAgeSeconds: 5 } });
    const response = await app.fetch(ask('https://any.example', good));
    expect(granted(response)).toBe('*');
    expect(response.headers.get('vary')).toBeNull();
    const fromServer = new Request('http://shop.example/terminals', { headers: good });
    expect(grants(await app.fetch(fromServer))).toEqual({});
    for (const origin of [`${till}/`, 'till.shop.example', '']) {
      await expect(createWorld({ cors: { origins: [origin] } })).rejects.toThrow('cors.origins');
    }
  });
});
