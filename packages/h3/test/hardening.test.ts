import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { auth, exchangeRaw, head, parseRaw, post, startServer } from './socket.ts';
import { device, problemOf } from './world.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const get = (path: string, ...headers: string[]) => head(`GET ${path} HTTP/1.1`, auth, ...headers);
const chunked = 'Transfer-Encoding: chunked';

/** All bytes sent on a connection until it closes. */
const answers = (received: string) => received.split(/(?=HTTP\/1\.1 \d{3} )/).map(parseRaw);

describe('a request that parsers may read differently is rejected', () => {
  it.each([
    ['U+0000 in a header', get('/terminals', 'a: b\u0000c')],
    ['a control character in a header', get('/terminals', 'a: b\u0001c')],
    ['a control character in the target', get('/termi\u0001nals')],
    ['a space in the target', get('/terminals /x')],
    ['a space before the colon', get('/terminals', 'Transfer-Encoding : chunked')],
    ['a folded header', get('/terminals', 'a: b\r\n c')],
    ['a header without a colon', get('/terminals', 'Transfer-Encoding')],
    ['a header without a name', get('/terminals', ': chunked')],
    ['an encoding after chunked', post('0\r\n\r\n', 'Transfer-Encoding: chunked, identity')],
    ['an encoding before chunked', post('0\r\n\r\n', 'Transfer-Encoding: gzip, chunked')],
    ['an unknown encoding', post('0\r\n\r\n', 'Transfer-Encoding: xchunked')],
    ['a length with a sign', post('{}', 'Content-Length: +2')],
    ['a negative length', post('{}', 'Content-Length: -2')],
    ['a length in hex', post('{}', 'Content-Length: 0x2')],
    ['two lengths in one', post('{}', 'Content-Length: 2, 2')],
    ['an endless length', post('{}', `Content-Length: ${'9'.repeat(30)}`)],
    ['an endless chunk', post('fffffffffffffffff\r\n{}', chunked)],
    ['a chunk longer than it says', post('1\r\n{}\r\n0\r\n\r\n', chunked)],
    ['the next HTTP', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a version that there is not', head('GET /terminals HTTP/1.2', auth)],
    ['a TLS greeting', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000'],
  ])('%s', async (_, text) => {
    const { port, seen } = await startServer();
    const received = answers(await exchangeRaw(port, text));
    expect(received).toHaveLength(1);
    const [response = Response.error()] = received;
    await problemOf(response, 400, 'badRequest');
    expect(seen.filter((line) => line.includes('Terminal ok'))).toEqual([]);
  });
});

describe('a path that parsers may read differently is rejected', () => {
  it.each([
    '/x/../terminals',
    '/./terminals',
    '/x/%2e%2E/terminals',
    '/x/.%2e/terminals',
    '/x\\..\\terminals',
    '/terminals/x/%2e%2E/',
    '/terminals/.%2e',
    '/terminals/a\\b',
    'http://x/y/../terminals',
  ])('%s', async (path) => {
    const { port, seen } = await startServer();
    const response = parseRaw(await exchangeRaw(port, get(path, 'Idempotency-Key: k')));
    const { recovery } = await problemOf(response, 404, 'notFound');
    // The key is not used.
    expect(recovery?.outcome).toBe('notApplied');
    expect(seen.filter((line) => line.includes('Terminal'))).toEqual([]);
  });

  it('but dots are allowed in an id, and in a query', async () => {
    const { port } = await startServer();
    const response = parseRaw(await exchangeRaw(port, get('/terminals?from=/../x')));
    expect(response.status).toBe(200);
    const named = parseRaw(await exchangeRaw(port, get('/terminals/..a')));
    expect((await problemOf(named, 404, 'notFound')).detail).toContain('terminal');
  });
});

describe('a time limit beyond the timer’s maximum', () => {
  it('is as long as possible', async () => {
    const endless = Number.POSITIVE_INFINITY;
    const { port } = await startServer(
      {},
      {
        headersTimeoutMs: endless,
        requestTimeoutMs: endless,
        idleTimeoutMs: endless,
      },
    );
    expect(parseRaw(await exchangeRaw(port, get('/terminals'))).status).toBe(200);
  });
});

describe('a wrong length', () => {
  it('that is too small gives another body, and the rest is not a request', async () => {
    const { port, seen } = await startServer();
    const text = post(device, `Content-Length: ${device.length - 1}`).replace(
      'close',
      'keep-alive',
    );
    // While the first is being handled, later bytes only end the connection.
    const received = await exchangeRaw(port, text);
    for (const response of received === '' ? [] : answers(received)) {
      await problemOf(response, 400, 'badRequest');
    }
    expect(seen.filter((line) => line.includes('Terminal ok'))).toEqual([]);
  });
});

it('calls on one connection get their responses in order', async () => {
  const { port } = await startServer();
  const keep = get('/terminals').replace('close', 'keep-alive');
  const unknown = get('/unknown').replace('close', 'keep-alive');
  const received = await exchangeRaw(port, keep + unknown + get('/terminals/x'));
  expect(answers(received).map(({ status }) => status)).toEqual([200, 404, 404]);
});

describe('headers are counted by their bytes', () => {
  const send = async (count: number, ...headers: string[]) => {
    const { port } = await startServer();
    const many = Array.from({ length: count }, () => 'a:');
    return parseRaw(await exchangeRaw(port, get('/terminals', ...many, ...headers)));
  };

  it('and thousands of small ones are read', async () => {
    expect((await send(4000)).status).toBe(200);
    await problemOf(await send(4000, auth), 401, 'unauthorized');
  });

  it('and too many small ones are rejected', async () => {
    const problem = await problemOf(await send(5500), 431, 'headersTooLarge');
    expect(problem.instance).toMatch(/\/terminals#/);
  });
});

describe('a slow client', () => {
  function open(port: number, text: string): Promise<string> {
    return new Promise((resolve) => {
      let received = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
      sockets.push(socket);
      socket.on('data', (data) => {
        received += data.toString('latin1');
      });
      socket.on('error', () => {}); // then it closes
      socket.on('close', () => resolve(received));
    });
  }

  const unfinished = [
    'GET /terminals HTTP/1.1\r\nHost: x\r\n',
    post('{', `Content-Length: ${device.length}`),
  ];

  it('does not block others: 500 connections that never finish their request', async () => {
    const { port, url } = await startServer();
    let ended = 0;
    for (let i = 0; i < 500; i += 1) {
      void open(port, unfinished[i % 2] ?? '').then(() => {
        ended += 1;
      });
    }
    for (let i = 0; i < 20; i += 1) {
      const response = await fetch(`${url}/terminals`, {
        headers: { authorization: 'Bearer good' },
      });
      expect(response.status).toBe(200);
    }
    expect(ended).toBe(0);
  });

  it('is cut off when it is idle', async () => {
    const { port } = await startServer({}, { idleTimeoutMs: 100 });
    expect(await open(port, '')).toBe('');
  });

  it('is cut off between requests no sooner than within one', async () => {
    const { port } = await startServer({}, { idleTimeoutMs: 100 });
    const answered = parseRaw(await open(port, get('/terminals').replace('close', 'keep-alive')));
    expect(answered.status).toBe(200);
    // Node announces its own timeout, if it has one.
    expect(answered.headers.get('keep-alive')).toBeNull();
  });

  it('is rejected beyond the maximum of connections', async () => {
    const { port, url } = await startServer({}, { maxConnections: 2 });
    void open(port, '');
    void open(port, '');
    await delay(50);
    expect(await open(port, get('/terminals'))).toBe('');
    sockets[0]?.destroy();
    await delay(50);
    expect((await fetch(`${url}/unknown`)).status).toBe(404);
  });
});
