import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuthContext } from '@chairside/core';
import { bodyLimit, H3 } from 'h3';
import { describe, expect, it, vi } from 'vitest';
import { createNodeServer, type NodeServerOptions } from '../src/node-server.ts';
import { answerError } from '../src/raw-answer.ts';
import { auth, exchangeRaw, head, parseRaw, post, startServer } from './socket.ts';
import { barber, createWorld, device, good, json, problemOf } from './world.ts';

/** Only a request that is to be late has little time. */
const limitsFor = (status: number): NodeServerOptions =>
  status === 408 ? { headersTimeoutMs: 100, requestTimeoutMs: 100 } : {};

const get = (path: string, ...headers: string[]) => head(`GET ${path} HTTP/1.1`, ...headers);
const big = 'x'.repeat(17_000);
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

it('closes a connection that fails otherwise than by its bytes, without a response', () => {
  const socket = new PassThrough();
  const refuse = vi.fn(() => Response.error());
  answerError(refuse, Object.assign(new Error('reset'), { code: 'ECONNRESET' }), socket);
  expect(refuse).not.toHaveBeenCalled();
  expect(socket.destroyed).toBe(true);
});

describe('bytes that Node does not parse as a request', () => {
  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400, 'badRequest'],
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'badRequest'],
    ['a bad header', get('/terminals', 'a b: c'), 400, 'badRequest'],
    ['two lengths', post('{}', 'Content-Length: 2', 'Content-Length: 3'), 400, 'badRequest'],
    [
      'a length and chunks',
      post('', 'Content-Length: 2', 'Transfer-Encoding: chunked'),
      400,
      'badRequest',
    ],
    ['no Host', 'GET /terminals HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'badRequest'],
    [
      'a Host that is no host',
      'GET /%41 HTTP/1.1\r\nHost: a:99999\r\nConnection: close\r\n\r\n',
      400,
      'badRequest',
    ],
    ['two Hosts', get('/terminals', 'Host: other'), 400, 'badRequest'],
    [
      'a Host of two words',
      'GET /terminals HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
      400,
      'badRequest',
    ],
    ['a whole URL that is none', get('http://a.example:99999/terminals', auth), 400, 'badRequest'],
    ['a whole URL without a host', get('http:///terminals', auth), 400, 'badRequest'],
    ['a whole URL of another scheme', get('file:///terminals', auth), 400, 'badRequest'],
    ['a tunnel', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'badRequest'],
    ['a bad chunk', post('xyz\r\n', 'Transfer-Encoding: chunked'), 400, 'badRequest'],
    ['long headers', get('/terminals', `a: ${big}`), 431, 'headersTooLarge'],
    ['a long path', get(`/${big}`), 431, 'headersTooLarge'],
    ['very long headers', get('/terminals', `a: ${big.repeat(50)}`), 431, 'headersTooLarge'],
    [
      'a long chunk extension',
      post(`2;${big}\r\n{}\r\n`, 'Transfer-Encoding: chunked'),
      413,
      'contentTooLarge',
    ],
  ])('%s gets a problem (D28, D62)', async (_, text, status, name) => {
    const { port } = await startServer();
    const response = parseRaw(await exchangeRaw(port, text));
    await problemOf(response, status, name);
    expect(response.headers.get('connection')).toBe('close');
  });

  it.each([
    ['a bad chunk', post('xyz\r\n', 'Transfer-Encoding: chunked'), 400],
    ['a bad header', get('/terminals?secret=1', 'a b: c'), 400],
    ['long headers', get('/terminals', `a: ${big}`), 431],
    ['a Host that is no host', get('/terminals').replace('x', '%%:a'), 400],
    ['a body that never ends', post('a\r\nx', 'Transfer-Encoding: chunked'), 408],
    ['the whole URL', get('http://x/terminals?secret=1', 'a b: c'), 400],
  ])('before %s, a path that was read is named, with the time', async (_, text, status) => {
    const { port } = await startServer({}, limitsFor(status));
    const response = parseRaw(await exchangeRaw(port, text));
    expect(Date.now() - Date.parse(response.headers.get('date') ?? '')).toBeLessThan(5000);
    const name = { 400: 'badRequest', 408: 'requestTimeout', 431: 'headersTooLarge' }[status] ?? '';
    const { instance } = await problemOf(response, status, name);
    expect(instance).toMatch(/^https:\/\/api\.shop\.example\/terminals#req_/);
  });

  it('a path that was not read, or is too long, is not named', async () => {
    const { port } = await startServer({}, { headersTimeoutMs: 100, requestTimeoutMs: 100 });
    for (const text of ['GET /terminals', 'hello\r\n\r\n', get(`/${big}`)]) {
      const received = parseRaw(await exchangeRaw(port, text));
      expect(received.headers.get('date')).not.toBeNull();
      expect(await received.json()).not.toHaveProperty('instance');
    }
  });

  it('a request that takes too long is rejected, and its rest is ignored (D62)', async () => {
    const { port, seen } = await startServer({}, { headersTimeoutMs: 100, requestTimeoutMs: 200 });
    const slow = [
      exchangeRaw(port, 'GET /terminals HTTP/1.1\r\nHost: x\r\n'),
      exchangeRaw(port, post(device.slice(1), `Content-Length: ${device.length}`)),
    ];
    for (const received of await Promise.all(slow)) {
      await problemOf(parseRaw(received), 408, 'requestTimeout');
    }
    expect(seen.filter((line) => line.includes('Terminal'))).toEqual([]);
  });
});

describe('a request', () => {
  it.each([
    ['a body beyond its limit', post(big, `Content-Length: ${big.length}`), 413, 'contentTooLarge'],
    [
      'a body in chunks beyond its limit',
      post(chunked(big), 'Transfer-Encoding: chunked'),
      413,
      'contentTooLarge',
    ],
    [
      'a large body at an unknown path',
      get('/unknown', 'Transfer-Encoding: chunked') + chunked(big),
      413,
      'contentTooLarge',
    ],
    ['a GET with a body', `${get('/terminals', auth, 'Content-Length: 2')}{}`, 400, 'badRequest'],
    ['a malformed target', get('/terminals/%zz', auth), 400, 'badRequest'],
    [
      'another version of HTTP',
      get('/terminals', auth).replace('HTTP/1.1', 'HTTP/2.0'),
      505,
      'httpVersionNotSupported',
    ],
    ['a target of two slashes', get('//terminals', auth), 404, 'notFound'],
    ['two Authorization headers', get('/terminals', auth, auth), 401, 'unauthorized'],
    ['a wrong method', get('/terminals', auth).replace('GET', 'OPTIONS'), 405, 'methodNotAllowed'],
    ['an asterisk', get('*').replace('GET', 'OPTIONS'), 404, 'notFound'],
    [
      'two types',
      post('{}', 'Content-Length: 2', 'Content-Type: application/json'),
      415,
      'unsupportedMediaType',
    ],
  ])('with %s gets a problem', async (_, text, status, name) => {
    const { port } = await startServer();
    await problemOf(parseRaw(await exchangeRaw(port, text)), status, name);
  });

  it.each(['a:99999', '%zz', '1.2.3.999', ':80', '[::1::2]'])(
    'with %s for a Host gets a problem, also if a host mounts the handler',
    async (name) => {
      const mount = ({ app }: Awaited<ReturnType<typeof createWorld>>) =>
        new H3({ silent: true, allowMalformedURL: true }).mount('/v1', app.fetch);
      const { port } = await startServer({ basePath: '/v1' }, {}, mount);
      const text = get('/v1/terminals', auth).replace('Host: x', `Host: ${name}`);
      await problemOf(parseRaw(await exchangeRaw(port, text)), 400, 'badRequest');
    },
  );

  it.each([
    ['the whole URL', get('http://x/terminals', auth)],
    ['an address as its Host', get('/terminals', auth).replace('Host: x', 'Host: [::1]:3000')],
    ['an empty Host', get('/terminals', auth).replace('Host: x', 'Host:')],
    ['a body of no length', get('/terminals', auth, 'Content-Length: 0')],
    ['a body of no chunk', `${get('/terminals', auth, 'Transfer-Encoding: chunked')}0\r\n\r\n`],
    ['an expectation', get('/terminals', auth, 'Expect: wonders')],
    ['an upgrade', get('/terminals', auth, 'Upgrade: websocket').replace('close', 'upgrade')],
    ['needless escapes', get('/%74erminals', auth)],
    ['HTTP/1.0 and no Host', `GET /terminals HTTP/1.0\r\n${auth}\r\n\r\n`],
  ])('with %s is served', async (_, text) => {
    const { port } = await startServer();
    const response = parseRaw(await exchangeRaw(port, text, /\r\n\r\n\{.*\}$/));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ items: [], count: 0 });
  });

  it('may have its body in pieces', async () => {
    const { port } = await startServer();
    const body = [...device].map((letter) => `1\r\n${letter}\r\n`).join('');
    const received = await exchangeRaw(
      port,
      post(`${body}0\r\n\r\n`, 'Transfer-Encoding: chunked'),
    );
    expect(parseRaw(received).status).toBe(201);
  });

  it('may have a body of 16 KiB, in one piece or in chunks', async () => {
    const body = device.padEnd(16 * 1024);
    for (const text of [
      post(body, `Content-Length: ${body.length}`),
      post(chunked(body), 'Transfer-Encoding: chunked'),
    ]) {
      const { port } = await startServer();
      expect(parseRaw(await exchangeRaw(port, text)).status).toBe(201);
    }
  });

  it('has one key (D19)', async () => {
    const { port } = await startServer();
    const send = async (...keys: string[]) => {
      const text = post('', ...keys.map((key) => `Idempotency-Key: ${key}`), 'Content-Length: 0');
      return parseRaw(
        await exchangeRaw(port, text.replace('/terminals', '/appointments/a/contactlessPayments')),
      );
    };
    const { problems } = await problemOf(await send('a', 'a'), 400, 'badRequest');
    expect(problems?.map(({ attributes }) => attributes)).toEqual([
      { pointer: 'header/Idempotency-Key' },
    ]);
    await problemOf(await send('a, a'), 404, 'notFound');
  });

  it('that breaks off is never run', async () => {
    const { port, seen } = await startServer();
    const socket = connect(port, '127.0.0.1');
    socket.end(post(device.slice(1), `Content-Length: ${device.length}`));
    await new Promise((resolve) => socket.resume().on('close', resolve));
    expect(seen.filter((line) => line.includes('registerTerminal'))).toEqual([]);
  });

  it('to HEAD gets the response of GET, without a body', async () => {
    const { url } = await startServer();
    const got = await fetch(`${url}/terminals`, { headers: good });
    const head = await fetch(`${url}/terminals`, { method: 'HEAD', headers: good });
    expect(head.headers.get('content-length')).toBe(String((await got.arrayBuffer()).byteLength));
    const names = ({ headers }: Response) => [...headers.keys()];
    expect(names(head)).toEqual(names(got));
    expect((await head.arrayBuffer()).byteLength).toBe(0);
  });

  it('is one of at most 64 at once on a connection, which closes after their responses', async () => {
    const released = Promise.withResolvers<AuthContext>();
    let running = 0;
    const authenticate = () => {
      running += 1;
      return released.promise;
    };
    const { port } = await startServer({ authenticate });
    const one = get('/terminals', auth).replace('Connection: close\r\n', '');
    const tooMany = exchangeRaw(port, one.repeat(1000));
    await vi.waitFor(() => expect(running).toBe(64));
    released.resolve(barber);
    expect((await tooMany).split('HTTP/1.1 200 ')).toHaveLength(65);
    expect(running).toBe(64);

    const last = get('/terminals', auth);
    const received = await exchangeRaw(port, one.repeat(63) + last);
    expect(received.split('HTTP/1.1 200 ')).toHaveLength(65);
  });

  it('with an endless body gets its response, and a bounded rest is read', async () => {
    const { port } = await startServer();
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const sent = await new Promise<{ bytes: number; received: string }>((resolve) => {
      let received = '';
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(post('', 'Transfer-Encoding: chunked').replace('close', 'keep-alive'));
        const more = () => {
          while (socket.writable && socket.write(chunk));
        };
        socket.on('drain', more);
        more();
      });
      socket.on('data', (data) => {
        received += data;
      });
      socket.on('error', () => {}); // the server closes it
      socket.on('close', () => resolve({ bytes: socket.bytesWritten, received }));
    });
    expect(sent.received).toContain('HTTP/1.1 413 ');
    // What the server has not read lies in the buffers of the two sockets.
    expect(sent.bytes).toBeLessThan(32 * 1024 * 1024);
  });

  it('may follow any number of finished ones', async () => {
    const { port } = await startServer();
    const one = get('/terminals', auth).replace('Connection: close\r\n', '');
    const received = await new Promise<number>((resolve) => {
      let answers = 0;
      const socket = connect(port, '127.0.0.1', () => socket.write(one));
      socket.on('data', () => {
        answers += 1;
        if (answers < 200) socket.write(one);
        else socket.destroy();
      });
      socket.on('close', () => resolve(answers));
    });
    expect(received).toBe(200);
  });

  it('fails by its address, which is that of the connection', async () => {
    const { url } = await startServer();
    const send = () => fetch(`${url}/terminals`);
    for (let i = 0; i < 30; i += 1) expect((await send()).status).toBe(401);
    await problemOf(await send(), 429, 'tooManyRequests');
  });
});

it('is served, even if another server in the process has replaced Response', async () => {
  const { url } = await startServer();
  vi.stubGlobal('Response', class extends Response {});
  const listed = await fetch(`${url}/terminals`, { headers: good });
  vi.unstubAllGlobals();
  expect(await listed.text()).toBe('{"items":[],"count":0}');
});

it('treats undefined options as omitted', async () => {
  const { port, server } = await startServer(
    {
      authenticateDeadlineMs: undefined,
      basePath: undefined,
      clientAddress: undefined,
      newRequestId: undefined,
      onFailure: undefined,
    },
    {
      maxConnections: undefined,
      headersTimeoutMs: undefined,
      requestTimeoutMs: undefined,
      idleTimeoutMs: undefined,
    },
  );
  expect(parseRaw(await exchangeRaw(port, get('/terminals', auth))).status).toBe(200);
  const { maxConnections, headersTimeout, requestTimeout, timeout } = server.server;
  expect([maxConnections, headersTimeout, requestTimeout, timeout]).toStrictEqual([
    10_000, 10_000, 20_000, 120_000,
  ]);
});

describe('in the app of a host', () => {
  const register = (url: string, body = device) =>
    fetch(`${url}/v1/terminals`, { method: 'POST', headers: json, body });

  it('is read after the host has only looked at its body', async () => {
    const { url } = await startServer({}, {}, ({ app }) =>
      new H3({ silent: true }).use(bodyLimit(1e6)).mount('/v1', app.fetch),
    );
    expect((await register(url)).status).toBe(201);
    await problemOf(await register(url, big), 413, 'contentTooLarge');
  });

  it('is rejected as the host’s mistake after the host has read its body', async () => {
    const { url, failures } = await startServer({}, {}, ({ app }) =>
      new H3({ silent: true })
        .use(async ({ req }) => {
          await req.text();
        })
        .mount('/v1', app.fetch),
    );
    await problemOf(await register(url), 500, 'internalError');
    expect(failures).toHaveLength(1);
  });
});

describe('closing', () => {
  it('finishes running calls, and closes idle connections', async () => {
    const released = Promise.withResolvers<AuthContext>();
    const asked = Promise.withResolvers<void>();
    const { server, port, url } = await startServer({
      authenticate: (token) => {
        if (token === 'good') return barber;
        asked.resolve();
        return released.promise;
      },
    });
    expect((await fetch(`${url}/terminals`, { headers: good })).status).toBe(200); // stays open, idle
    const text = get('/terminals', 'Authorization: Bearer slow').replace('close', 'keep-alive');
    const received = exchangeRaw(port, text);
    await asked.promise;

    const closed = server.close(5000);
    expect(await Promise.race([closed, delay(100, 'waits')])).toBe('waits');
    released.resolve(barber);
    const response = parseRaw(await received);
    expect(response.status).toBe(200);
    expect(response.headers.get('connection')).toBe('close');
    await closed;
    await expect(fetch(`${url}/terminals`)).rejects.toThrow();
  });

  it('cuts off the rest at the deadline', async () => {
    const { server, port } = await startServer({
      authenticate: () => new Promise<never>(() => {}),
    });
    const received = exchangeRaw(port, get('/terminals', auth));
    await delay(50);
    await server.close(50);
    expect(await received).toBe('');
    await server.close(50);
  });

  it('listening on a port that is in use rejects', async () => {
    const { port } = await startServer();
    const { app } = await createWorld();
    await expect(createNodeServer(app).listen(port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('a rejection before the key is looked up (D22)', () => {
  const outcomeOf = async (text: string, status: number, name: string) => {
    const { port } = await startServer({}, limitsFor(status));
    const response = parseRaw(await exchangeRaw(port, text));
    return (await problemOf(response, status, name)).recovery;
  };
  const key = 'Idempotency-Key: k';
  const create = '/appointments/a/contactlessPayments';
  const to = (path: string, ...headers: string[]) =>
    post('', ...headers).replace('/terminals', path);

  it.each([
    ['a body too long', to(create, key, 'Content-Length: 17000') + big, 413, 'contentTooLarge'],
    ['a bad chunk', `${to(create, key, 'Transfer-Encoding: chunked')}xyz\r\n`, 400, 'badRequest'],
    ['no Host', to(create, key).replace('Host: x\r\n', ''), 400, 'badRequest'],
    ['no host', to(create, key).replace('Host: x', 'Host: a:99999'), 400, 'badRequest'],
    ['headers that never end', `POST ${create} HTTP/1.1\r\n`, 408, 'requestTimeout'],
    ['headers that are too long', to(create, `a: ${big}`), 431, 'headersTooLarge'],
    ['headers that are none', to(create, 'a b: c'), 400, 'badRequest'],
    ['a bad token', to(create, key).replace('good', 'bad'), 401, 'unauthorized'],
  ] as const)(
    'says "unknown" of %s, with a key or without readable headers',
    async (_, text, status, name) => {
      expect(await outcomeOf(text, status, name)).toMatchObject({ outcome: 'unknown' });
    },
  );

  it.each([
    ['a body too long', to(create, 'Content-Length: 17000') + big, 413, 'contentTooLarge'],
    ['a body that never comes', to(create, 'Content-Length: 2'), 408, 'requestTimeout'],
    ['no Host', to(create).replace('Host: x\r\n', ''), 400, 'badRequest'],
    ['no host', to(create).replace('Host: x', 'Host: a:99999'), 400, 'badRequest'],
    ['an unknown path', to('/unknown', key), 404, 'notFound'],
    ['a wrong method', to(create, key).replace('POST', 'PUT'), 405, 'methodNotAllowed'],
  ] as const)('says "not applied" of %s', async (_, text, status, name) => {
    expect(await outcomeOf(text, status, name)).toMatchObject({ outcome: 'notApplied' });
  });

  it('asks for the same request again if it did not arrive in time', async () => {
    const text = to(create, key, 'Content-Length: 2');
    const { port } = await startServer({}, { headersTimeoutMs: 100, requestTimeoutMs: 100 });
    const response = parseRaw(await exchangeRaw(port, text));
    expect(response.headers.get('retry-after')).toBe('1');
    const { recovery } = await problemOf(response, 408, 'requestTimeout');
    expect(recovery).toEqual({ outcome: 'unknown', retry: 'retrySameRequestAfterDelay' });
  });
});

describe('an applied call gets its response', () => {
  const list = get('/terminals', auth).replace('Connection: close\r\n', '');
  const slow = () => {
    const released = Promise.withResolvers<AuthContext>();
    return { released, authenticate: () => released.promise };
  };

  it('even if other bytes than HTTP follow', async () => {
    for (const after of ['garbage\r\n\r\n', '\u0016\u0003\u0001\u0002', get('/x', 'a b: c')]) {
      const { released, authenticate } = slow();
      const { port } = await startServer({ authenticate });
      const received = exchangeRaw(port, list + list + after);
      setTimeout(() => released.resolve(barber), 50);
      const answers = (await received).split(/(?=HTTP\/1\.1 \d{3} )/).map(parseRaw);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[1]?.headers.get('connection')).toBe('close');
    }
  });

  it('even if its response was being written when they came', async () => {
    const { port } = await startServer();
    const received = exchangeRaw(port, `${list}garbage\r\n\r\n`);
    expect(parseRaw(await received).status).toBe(200);
  });

  it('even if it runs for longer than a connection may be idle', async () => {
    const { released, authenticate } = slow();
    const { port } = await startServer({ authenticate }, { idleTimeoutMs: 50 });
    const received = exchangeRaw(port, list.repeat(2));
    setTimeout(() => released.resolve(barber), 300);
    const answers = (await received).split(/(?=HTTP\/1\.1 \d{3} )/).map(parseRaw);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('but not if it runs for more than 10 minutes', async () => {
    const asked = Promise.withResolvers<void>();
    const authenticate = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    const { port, server } = await startServer({ authenticate }, { idleTimeoutMs: 250_000 });
    const sockets: Socket[] = [];
    server.server.on('connection', (socket) => sockets.push(socket));
    const received = exchangeRaw(port, list);
    await asked.promise;
    const isOpen = () => {
      server.server.emit('timeout', sockets[0]);
      return sockets.some(({ destroyed }) => !destroyed);
    };
    expect([isOpen(), isOpen(), isOpen()]).toEqual([true, true, false]);
    expect(await received).toBe('');
  });

  it('even if the client has closed its half of the connection', async () => {
    const { released, authenticate } = slow();
    const { port } = await startServer({ authenticate });
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
  const { port } = await startServer();
  const received = await exchangeHalfClosed(port, sent);
  const problem = await problemOf(parseRaw(received), 400, 'badRequest');
  expect(problem.detail).toBe('The request ended before it was complete.');
});
