import { connect } from 'node:net';
import type { AuthContext } from '@chairside/core';
import { H3 } from 'h3';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChairsideHandlerOptions } from '../src/index.ts';
import { createNodeServer, type NodeServerOptions } from '../src/node-server.ts';
import { exchangeRaw, parseRaw } from './socket.ts';
import { barber, createWorld, device, good, json, problemOf } from './world.ts';

const servers: { close: (deadlineMs: number) => Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(0);
});

async function start(
  options: Partial<ChairsideHandlerOptions> = {},
  serverOptions: NodeServerOptions = {},
) {
  const world = await createWorld(options);
  const server = createNodeServer(world.app, serverOptions);
  servers.push(server);
  return { ...world, server, ...(await server.listen(0)) };
}

const head = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
const auth = 'Authorization: Bearer good';
const list = head('GET /terminals', auth);
const key = 'Idempotency-Key: k';
const create = '/appointments/a/contactlessPayments';
const big = 'x'.repeat(17_000);
const closes = 'Connection: close';

describe('a rejection before the key is looked up (D22)', () => {
  const outcomeOf = async (text: string, status: number, name: string) => {
    const { port } = await start({}, { headersTimeoutMs: 100, requestTimeoutMs: 100 });
    const response = parseRaw(await exchangeRaw(port, text));
    return (await problemOf(response, status, name)).recovery;
  };
  const post = (path: string, ...headers: string[]) =>
    head(`POST ${path}`, closes, auth, 'Content-Type: application/json', ...headers);

  it.each([
    ['a body too long', post(create, key, 'Content-Length: 17000') + big, 413, 'contentTooLarge'],
    ['a body that never comes', post(create, key, 'Content-Length: 2'), 408, 'requestTimeout'],
    ['a bad chunk', `${post(create, key, 'Transfer-Encoding: chunked')}xyz\r\n`, 400, 'badRequest'],
    ['no Host', post(create, key).replace('Host: x\r\n', ''), 400, 'badRequest'],
    ['no host', post(create, key).replace('Host: x', 'Host: a:99999'), 400, 'badRequest'],
    ['headers that never end', `POST ${create} HTTP/1.1\r\n`, 408, 'requestTimeout'],
    ['headers that are too long', post(create, `a: ${big}`), 431, 'headersTooLarge'],
    ['headers that are none', post(create, 'a b: c'), 400, 'badRequest'],
    ['a bad token', post(create, key).replace('good', 'bad'), 401, 'unauthorized'],
  ] as const)(
    'says "unknown" of %s, with a key or without readable headers',
    async (_, text, status, name) => {
      expect(await outcomeOf(text, status, name)).toMatchObject({ outcome: 'unknown' });
    },
  );

  it.each([
    ['a body too long', post(create, 'Content-Length: 17000') + big, 413, 'contentTooLarge'],
    ['a body that never comes', post(create, 'Content-Length: 2'), 408, 'requestTimeout'],
    ['no Host', post(create).replace('Host: x\r\n', ''), 400, 'badRequest'],
    ['no host', post(create).replace('Host: x', 'Host: a:99999'), 400, 'badRequest'],
    ['an unknown path', post('/unknown', key), 404, 'notFound'],
    ['a wrong method', post(create, key).replace('POST', 'PUT'), 405, 'methodNotAllowed'],
  ] as const)('says "not applied" of %s', async (_, text, status, name) => {
    expect(await outcomeOf(text, status, name)).toMatchObject({ outcome: 'notApplied' });
  });

  it('asks for the same request again if it did not arrive in time', async () => {
    const text = post(create, key, 'Content-Length: 2');
    const { port } = await start({}, { headersTimeoutMs: 100, requestTimeoutMs: 100 });
    const response = parseRaw(await exchangeRaw(port, text));
    expect(response.headers.get('retry-after')).toBe('1');
    const { recovery } = await problemOf(response, 408, 'requestTimeout');
    expect(recovery).toEqual({ outcome: 'unknown', retry: 'retrySameRequestAfterDelay' });
  });
});

describe('an applied call gets its response', () => {
  const slow = () => {
    const released = Promise.withResolvers<AuthContext>();
    return { released, authenticate: () => released.promise };
  };

  it('even if other bytes than HTTP follow', async () => {
    for (const after of ['garbage\r\n\r\n', '\u0016\u0003\u0001\u0002', head('GET /x', 'a b: c')]) {
      const { released, authenticate } = slow();
      const { port } = await start({ authenticate });
      const received = exchangeRaw(port, list + list + after);
      setTimeout(() => released.resolve(barber), 50);
      const answers = (await received).split(/(?=HTTP\/1\.1 \d{3} )/).map(parseRaw);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[1]?.headers.get('connection')).toBe('close');
    }
  });

  it('even if its response was being written when they came', async () => {
    const { port } = await start();
    const received = exchangeRaw(port, `${list}garbage\r\n\r\n`);
    expect(parseRaw(await received).status).toBe(200);
  });

  it('even if the client has closed its half of the connection', async () => {
    const { released, authenticate } = slow();
    const { port } = await start({ authenticate });
    const received = exchangeHalfClosed(port, list);
    setTimeout(() => released.resolve(barber), 50);
    expect(parseRaw(await received).status).toBe(200);
  });
});

/** Closes the sending half right after the text, and returns what the server sends. */
function exchangeHalfClosed(port: number, sent: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      socket.end(sent),
    );
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    socket.on('close', () => resolve(text));
  });
}

it.each([
  'GET /terminals HT',
  'POST /terminals HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n{}',
])('a request that ends too early gets 400 with this reason: %j', async (sent) => {
  const { port } = await start();
  const received = await exchangeHalfClosed(port, sent);
  const problem = await problemOf(parseRaw(received), 400, 'badRequest');
  expect(problem.detail).toBe('The request ended before it was complete.');
});

describe('the instance of a problem (D29)', () => {
  const instanceOf = async (options: Partial<ChairsideHandlerOptions>, path = '/a%20b/[c]?x=1') => {
    const { app } = await createWorld(options);
    const response = await app.request(path, { headers: { 'x-request-id': 'r1' } });
    return (await problemOf(response, 404, 'notFound')).instance;
  };

  it('is the public address of the request, without its query', async () => {
    const publicUrl = 'https://api.shop.example/';
    expect(await instanceOf({ publicUrl, basePath: '/v1' })).toBe(
      'https://api.shop.example/v1/a%20b/%5Bc%5D#r1',
    );
    const { port } = await start({ publicUrl });
    const raw = parseRaw(await exchangeRaw(port, head('GET /terminals?x=1', 'a b: c')));
    const { instance } = await problemOf(raw, 400, 'badRequest');
    expect(instance).toMatch(/^https:\/\/api\.shop\.example\/terminals#req_/);
  });

  it('is omitted without one, and if it would be too long', async () => {
    expect(await instanceOf({ publicUrl: undefined })).toBeUndefined();
    const publicUrl = 'https://api.shop.example';
    const room = 2048 - `${publicUrl}/#r1`.length;
    expect(await instanceOf({ publicUrl }, `/${'x'.repeat(room)}`)).toHaveLength(2048);
    expect(await instanceOf({ publicUrl }, `/${'x'.repeat(room + 1)}`)).toBeUndefined();
  });
});

it('the problem base is one constant by default (D37)', async () => {
  const { app } = await createWorld({ problemBase: undefined });
  expect(await (await app.request('/unknown')).json()).toMatchObject({
    type: 'https://chairside.example/problems/notFound',
  });
});

describe('a body that the host has read (D62)', () => {
  it('gets a final problem with its cause, and the host gets a report at once', async () => {
    const { app, failures } = await createWorld();
    const host = new H3({ silent: true })
      .use(async ({ req }) => {
        await req.text();
      })
      .mount('/v1', app.fetch);
    const send = (headers: Record<string, string>) =>
      host.request(`/v1${create}`, {
        method: 'POST',
        headers: { ...json, ...headers },
        body: '{}',
      });
    const response = await send({ 'idempotency-key': 'k' });
    const { recovery, detail } = await problemOf(response, 500, 'internalError');
    expect(recovery).toEqual({ outcome: 'notApplied', retry: 'doNotRetry' });
    expect(detail).toContain('has already read the body');
    expect(response.headers.get('retry-after')).toBeNull();
    expect(failures).toHaveLength(1);
    await problemOf(await send({ authorization: 'Bearer bad' }), 401, 'unauthorized');
  });
});

describe('headers of rejections', () => {
  it('name the realm, and the error of a token that is not valid (RFC 6750)', async () => {
    const { app } = await createWorld();
    const challenge = async (headers: Record<string, string>) =>
      (await app.request('/terminals', { headers })).headers.get('www-authenticate');
    expect(await challenge({})).toBe('Bearer realm="chairside"');
    expect(await challenge({ authorization: 'Bearer bad' })).toBe(
      'Bearer realm="chairside", error="invalid_token"',
    );
  });

  it('name the accepted coding for a compressed body alone (RFC 9110)', async () => {
    const { app } = await createWorld();
    const send = (headers: Record<string, string>) =>
      app.request('/terminals', { method: 'POST', headers, body: device });
    const zipped = await send({ ...json, 'content-encoding': 'gzip' });
    expect(zipped.headers.get('accept-encoding')).toBe('identity');
    const { detail } = await problemOf(zipped, 415, 'unsupportedMediaType');
    expect(detail).toContain('Content-Encoding');
    const untyped = await send({ ...good, 'content-type': 'text/plain' });
    expect(untyped.headers.get('accept-encoding')).toBeNull();
  });
});
