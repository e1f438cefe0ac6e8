import { type AuthContext, createMemoryRateLimiter, errAsync, problemTypes } from '@chairside/core';
import { H3 } from 'h3';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Authenticate,
  type ChairsideHandlerOptions,
  chairsideHandler,
  processorEventsHandler,
  routes,
} from '../src/index.ts';
import { nodeListener } from '../src/node-listener.ts';
import { barber, createWorld, device, good, json, problemBase, problemOf } from './world.ts';

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) => ({
  method: 'POST',
  headers,
  body,
});

describe('an answer', () => {
  it('has its headers (D33)', async () => {
    const { app } = await createWorld();
    const response = await app.request('/terminals', { headers: good });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ items: [], count: 0 });
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/json',
      ratelimit: '"reads";r=299;t=60',
      'ratelimit-policy': '"reads";q=300;w=60',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_[0-9a-f-]{36}$/),
    });
  });

  it('names a created resource, and has no body after a deletion (D62)', async () => {
    const { app } = await createWorld({ basePath: '/v1/' });
    const created = await app.request('/terminals', post(device));
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { id: string }; // cast: a Terminal
    expect(created.headers.get('location')).toBe(`/v1/terminals/${id}`);

    const deleted = await app.request(`/terminals/${id}`, { method: 'DELETE', headers: good });
    expect(deleted.status).toBe(204);
    expect(deleted.body).toBeNull();
    expect(deleted.headers.get('content-type')).toBeNull();
    expect(deleted.headers.get('ratelimit')).toBe('"writes";r=58;t=60');
  });

  it('uses the request id of the sender, if it is valid', async () => {
    const { app, seen } = await createWorld();
    const idOf = async (id: string) => {
      const headers = { ...good, 'x-request-id': id };
      return (await app.request('/terminals', { headers })).headers.get('x-request-id');
    };
    expect(await idOf('abc.DEF_1-2')).toBe('abc.DEF_1-2');
    for (const bad of ['a b', 'a"b', 'x'.repeat(129), 'ä', ''])
      expect(await idOf(bad)).toMatch(/^req_/);
    expect(seen).toContain('listTerminals ok abc.DEF_1-2');
  });

  it('to HEAD equals that to GET, without its body', async () => {
    const { app } = await createWorld();
    const send = (method: string, path: string, headers = {}) =>
      app.request(path, { method, headers: { 'x-request-id': 'r', ...headers } });
    for (const headers of [good, {}]) {
      const head = await send('HEAD', '/terminals', headers);
      const get = await send('GET', '/terminals', headers);
      const body = await get.arrayBuffer();
      expect(head.body).toBeNull();
      expect(head.status).toBe(get.status);
      expect(head.headers.get('content-length')).toBe(String(body.byteLength));
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    }
  });
});

describe('the path', () => {
  it.each([
    '/',
    '/unknown',
    '/terminals/',
    '/terminals/x/',
    '//terminals',
    '/terminals//',
    '/Terminals',
    '/appointments//contactlessPayments',
    '/terminals/a/b/c',
    '/terminals/%2e%2e',
    '/%zz',
    '/[a]|b^',
    '/terminals/x%00',
    `/terminals/${'x'.repeat(256)}`,
  ])('%s is not found', async (path) => {
    const { app } = await createWorld();
    await problemOf(await app.request(path, { headers: good }), 404, 'notFound');
  });

  it('returns 405 without authentication (D62)', async () => {
    const { app } = await createWorld();
    for (const method of ['OPTIONS', 'PUT', 'PATCH', 'DELETE']) {
      const response = await app.request('/terminals', { method });
      await problemOf(response, 405, 'methodNotAllowed');
      expect(response.headers.get('allow')).toBe('POST, GET, HEAD');
    }
    const other = await app.request('/contactlessPayments/x/captured');
    expect(other.headers.get('allow')).toBe('POST');
  });

  it('is decoded once, and rejected if it cannot be (D62)', async () => {
    const { app } = await createWorld();
    await problemOf(
      await app.request('/terminals/a%2Fb%20%C3%A9', { headers: good }),
      404,
      'notFound',
    );
    for (const id of ['%ff', '%zz', '%']) {
      const response = await app.request(`/terminals/${id}`, { headers: good });
      const { problems } = await problemOf(response, 400, 'badRequest');
      expect(problems?.[0]).toMatchObject({
        type: `${problemBase}/problems/badRequest`,
        attributes: { pointer: 'path/terminalId' },
      });
    }
  });
});

describe('the caller', () => {
  const challengeOf = async (authorization?: string) => {
    const { app } = await createWorld();
    const headers = authorization === undefined ? {} : { authorization };
    const response = await app.request('/terminals', { headers });
    const { recovery } = await problemOf(response, 401, 'unauthorized');
    expect(response.headers.get('ratelimit')).toBeNull();
    return [recovery?.sessionAction, response.headers.get('www-authenticate')];
  };

  it.each([undefined, '', 'Basic dTpw', 'Bearerx', 'good', 'Bearer', 'Bearer '])(
    '%j must sign in (RFC 6750)',
    async (header) => {
      expect(await challengeOf(header)).toEqual(['signIn', 'Bearer realm="chairside"']);
    },
  );

  it.each([
    'Bearer bad',
    'bearer bad',
    'Bearer good good',
    'Bearer good, Bearer good',
    'Bearer g,d',
    'Bearer =',
    'Bearer g=d',
    'Bearer "good"',
  ])('%j must refresh', async (header) => {
    expect(await challengeOf(header)).toEqual([
      'refresh',
      'Bearer realm="chairside", error="invalid_token"',
    ]);
  });

  it.each(['Bearer good', 'bearer good', 'BEARER   good'])(
    '%j is admitted',
    async (authorization) => {
      const { app } = await createWorld({ authenticate: async () => ({ subject: 's' }) });
      const response = await app.request('/terminals', { headers: { authorization } });
      await problemOf(response, 403, 'forbidden');
    },
  );

  it('is counted, and hears when the limit is exceeded (D31)', async () => {
    const { app, clock } = await createWorld();
    const send = () => app.request('/terminals', { headers: good });
    await send();
    clock.at += 2500;
    for (let i = 1; i < 300; i += 1) await send();
    const response = await send();
    const { recovery, occurredAt } = await problemOf(response, 429, 'tooManyRequests');
    expect(response.headers.get('retry-after')).toBe('58');
    expect(response.headers.get('ratelimit')).toBe('"reads";r=0;t=58');
    const resetsAt = Date.parse(recovery?.rateLimit?.resetsAt ?? '');
    expect(Math.ceil((resetsAt - Date.parse(occurredAt)) / 1000)).toBe(58);
  });

  it('gets consistent waiting times, even if the clock moves meanwhile (D31)', async () => {
    const { app, clock } = await createWorld();
    const send = () => app.request('/terminals', { headers: good });
    for (let i = 0; i < 300; i += 1) await send();
    clock.now = () => {
      clock.at += 1500;
      return clock.at;
    };
    const response = await send();
    await problemOf(response, 429, 'tooManyRequests');
    const [, left] = response.headers.get('ratelimit')?.match(/;t=(\d+)$/) ?? [];
    expect(left).toMatch(/^\d+$/);
    expect(response.headers.get('retry-after')).toBe(left);
  });

  it('is counted by address when authentication fails (D31)', async () => {
    const { app } = await createWorld({
      clientAddress: ({ req }) => req.headers.get('from') ?? undefined,
    });
    const send = (from: string) => app.request('/terminals', { headers: { from } });
    for (let i = 0; i < 30; i += 1) await problemOf(await send('a'), 401, 'unauthorized');
    const refused = await send('a');
    await problemOf(refused, 429, 'tooManyRequests');
    expect(refused.headers.get('retry-after')).toBe('60');
    await problemOf(await send('b'), 401, 'unauthorized');
  });

  it('is not looked up beyond the limit of its address, until the window ends', async () => {
    const tokens: string[] = [];
    const { app, clock } = await createWorld({
      clientAddress: ({ req }) => req.headers.get('from') ?? undefined,
      authenticate: (token) => {
        tokens.push(token);
        return token === 'good' ? barber : undefined;
      },
    });
    const send = (token: string, from = 'a') =>
      app.request('/terminals', { headers: { from, authorization: `Bearer ${token}` } });
    for (let i = 0; i < 31; i += 1) await send('bad');
    expect(tokens.splice(0)).toHaveLength(31);
    // One of them may be refreshed: 10 at once are looked up, and then one a second.
    for (const [afterMs, lookedUp] of [
      [0, 10],
      [1000, 1],
      [999, 0],
      [3000, 3],
    ] as const) {
      clock.at += afterMs;
      for (let i = 0; i < 20; i += 1) await problemOf(await send('bad'), 429, 'tooManyRequests');
      expect(tokens.splice(0)).toHaveLength(lookedUp);
    }
    expect((await send('good', 'b')).status).toBe(200);
    clock.at += 60_000;
    expect((await send('good')).status).toBe(200);
  });

  async function createSharedAddress(subjectOf: (token: string) => string | undefined) {
    const { app, clock } = await createWorld({
      clientAddress: () => 'the Wi-Fi of the shop',
      authenticate(token) {
        const subject = subjectOf(token);
        return subject === undefined ? undefined : { ...barber, subject };
      },
    });
    const statusOf = async (token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await app.request('/terminals', { headers })).status;
    };
    /** A stranger sends so many bad tokens that no unknown one is looked up any more. */
    const shut = async () => {
      for (let i = 0; i < 41; i += 1) await statusOf('bad');
    };
    return { clock, statusOf, shut };
  }

  it('lets in a caller whom strangers share an address with, also with a refreshed token (D31)', async () => {
    const valid = new Set(['before', 'new']);
    const { clock, statusOf, shut } = await createSharedAddress((token) =>
      valid.has(token) ? 'ada' : undefined,
    );
    expect(await statusOf('before')).toBe(200);
    await shut();
    expect(await statusOf('bad')).toBe(429);
    expect(await statusOf('new')).toBe(429);
    expect(await statusOf('before')).toBe(200);
    expect(await statusOf('  before'), 'however it is spelled').toBe(200);
    valid.delete('before');
    expect(await statusOf('before'), 'tells the phone to refresh').toBe(401);
    expect(await statusOf('before')).toBe(429);
    clock.at += 1000;
    expect(await statusOf(), 'has no token to look up').toBe(429);
    expect(await statusOf('new')).toBe(200);
    expect(await statusOf('new')).toBe(200);
  });

  it('is let in whatever tokens another caller has (D31)', async () => {
    const { clock, statusOf, shut } = await createSharedAddress((token) =>
      token === 'bad' ? undefined : token.replace(/[0-9]+$/, ''),
    );
    expect(await statusOf('phone')).toBe(200);
    for (let i = 0; i <= 2000; i += 1) await statusOf(`customer${i}`);
    clock.at += 60_000; // the customer's own limit
    await shut();
    expect(await statusOf('phone')).toBe(200);
    expect(await statusOf('customer1985')).toBe(200);
    expect(await statusOf('customer1984')).toBe(429);
  });

  it('is forgotten if others were here since', async () => {
    const { statusOf, shut } = await createSharedAddress((token) =>
      token === 'bad' ? undefined : token,
    );
    expect(await statusOf('phone')).toBe(200);
    for (let i = 1; i < 2000; i += 1) await statusOf(`customer${i}`);
    expect(await statusOf('phone')).toBe(200);
    expect(await statusOf('customer2000')).toBe(200);
    await shut();
    expect(await statusOf('phone')).toBe(200);
    expect(await statusOf('customer2')).toBe(200);
    expect(await statusOf('customer1')).toBe(429);
  });

  it.each([
    ['fails', () => errAsync({ kind: 'limiterFailed' } as const)],
    ['has forgotten the address', createMemoryRateLimiter().take],
  ])('is judged by the token at a shut address if the limiter %s (D31)', async (_, later) => {
    let { take } = createMemoryRateLimiter();
    let counted = 0;
    const { app } = await createWorld(
      { clientAddress: () => 'the Wi-Fi of the shop' },
      {
        rateLimiter: {
          take: (...asked) => {
            if (asked[0] === 'failedAuthentications') counted += 1;
            return take(...asked);
          },
        },
      },
    );
    const send = (headers = {}) => app.request('/terminals', { headers });
    const bad = { authorization: 'Bearer bad' };
    for (let i = 0; i < 41; i += 1) await send(bad);
    await problemOf(await send(good), 429, 'tooManyRequests');

    take = later;
    counted = 0;
    const { recovery } = await problemOf(await send(bad), 401, 'unauthorized');
    expect(recovery?.sessionAction).toBe('refresh');
    const missing = await problemOf(await send(), 401, 'unauthorized');
    expect(missing.recovery?.sessionAction).toBe('signIn');
    expect(counted).toBe(2);
    expect((await send(good)).status).toBe(200);
  });

  it('forbids browsers to guess the type of a response', async () => {
    const { app } = await createWorld();
    for (const path of ['/terminals', '/nowhere']) {
      const response = await app.request(path, { headers: good });
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('must refresh, too, if a host without types returns null for undefined', async () => {
    // cast: such a host may return it
    const { app } = await createWorld({ authenticate: () => null as unknown as undefined });
    const response = await app.request('/terminals', { headers: good });
    await problemOf(response, 401, 'unauthorized');
  });

  it('may come from a promise of another library', async () => {
    for (const [answer, status] of [
      [barber, 200],
      [undefined, 401],
    ] as const) {
      const inner = Promise.resolve(answer);
      // biome-ignore lint/suspicious/noThenProperty: as a promise library makes it
      const { app } = await createWorld({ authenticate: () => ({ then: inner.then.bind(inner) }) });
      const response = await app.request('/terminals', { headers: good });
      expect(response.status).toBe(status);
    }
    // biome-ignore lint/suspicious/noThenProperty: a host may name a member so
    const { app } = await createWorld({ authenticate: () => ({ ...barber, then: 'later' }) });
    expect((await app.request('/terminals', { headers: good })).status).toBe(200);
  });

  it('gets a 503 if the host fails to authenticate (D62)', async () => {
    // cast: hosts without types may return it
    const nobody = (auth: unknown) => () => auth as AuthContext;
    const failing: readonly Authenticate[] = [
      () => {
        throw new Error('secret');
      },
      () => Promise.reject(new Error('secret')),
      () => new Promise<undefined>(() => {}),
      // biome-ignore lint/suspicious/noThenProperty: as a promise library makes it
      () => ({ then: () => new Promise<never>(() => {}) }),
      nobody({ barberId: 'secret' }),
      nobody({ subject: '', barberId: 'secret' }),
      nobody({ subject: 7 }),
      nobody(Promise.resolve({ subject: ['secret'] })),
      nobody('secret'),
      nobody(true),
    ];
    for (const authenticate of failing) {
      const { app, failures } = await createWorld({ authenticate, authenticateDeadlineMs: 5 });
      const response = await app.request('/terminals', { headers: good });
      const problem = await problemOf(response, 503, 'serviceUnavailable');
      expect(problem.recovery).toEqual({
        outcome: 'notApplied',
        retry: 'retrySameRequestAfterDelay',
      });
      expect(response.headers.get('retry-after')).toBe('1');
      expect(JSON.stringify(problem)).not.toContain('secret');
      expect(problem.instance).toMatch(/\/terminals#/);
      expect(failures).toEqual([expect.any(Error)]);

      // A key changes nothing for an operation without one.
      const withKey = await app.request('/terminals', {
        headers: { ...good, 'idempotency-key': 'k' },
      });
      const { recovery } = await problemOf(withKey, 503, 'serviceUnavailable');
      expect(recovery?.outcome).toBe('notApplied');
      const path = '/appointments/a/contactlessPayments';
      const keyed = { method: 'POST', headers: { ...good, 'idempotency-key': 'k' } };
      const unknown = await problemOf(await app.request(path, keyed), 503, 'serviceUnavailable');
      expect(unknown.recovery?.outcome).toBe('unknown');
    }
  });
});

describe('the body', () => {
  it.each([
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['Application/JSON;charset="UTF-8"', 201],
    ['application/json; charset=utf8', 201],
    ['application/json; profile=x', 201],
    ['application/json; charset=latin1', 415],
    ['application/json; charset=utf88', 415],
    ['text/json', 415],
    ['application/jsonx', 415],
    ['application/json, application/json', 415],
    ['application/x-www-form-urlencoded', 415],
  ])('as %s gets %i', async (type, status) => {
    const { app } = await createWorld();
    const response = await app.request(
      '/terminals',
      post(device, { ...good, 'content-type': type }),
    );
    if (status === 415) await problemOf(response, 415, 'unsupportedMediaType');
    else expect(response.status).toBe(status);
  });

  it('is rejected without a type, and with an encoding', async () => {
    const { app } = await createWorld();
    const untyped = post(new TextEncoder().encode(device), good);
    await problemOf(await app.request('/terminals', untyped), 415, 'unsupportedMediaType');
    const zipped = post(device, { ...json, 'content-encoding': 'gzip' });
    await problemOf(await app.request('/terminals', zipped), 415, 'unsupportedMediaType');
    const plain = post(device, { ...json, 'content-encoding': 'identity' });
    expect((await app.request('/terminals', plain)).status).toBe(201);
  });

  const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
  it.each([
    ['', 'The body is required.'],
    [' ', 'The body is not JSON in UTF-8.'],
    ['{"platform"', 'The body is not JSON in UTF-8.'],
    ['[]', 'The body must be a JSON object.'],
    ['null', 'The body must be a JSON object.'],
    ['"x"', 'The body must be a JSON object.'],
    [nested(33), 'The body is nested more than 32 levels deep.'],
    [`${'['.repeat(8000)}${']'.repeat(8000)}`, 'The body must be a JSON object.'],
    [
      `{"a":${'['.repeat(8000)}${']'.repeat(8000)}}`,
      'The body is nested more than 32 levels deep.',
    ],
    [nested(32), '/a is not a known property.'],
    [`{"platform":"android",${device.slice(1)}`, 'The body has a member twice.'],
    ['{"platform":"ios","a":[{"b":"\\":","b" :1}]}', 'The body has a member twice.'],
    ['{"a\\":\\"":"\\\\","b":{"a":":"}}', '/b is not a known property.'],
    ['{"__proto__":{"platform":"ios"}}', '/__proto__ is not a known property.'],
  ])('%.20s is malformed', async (body, detail) => {
    const { app } = await createWorld();
    const response = await app.request('/terminals', post(body));
    const { problems } = await problemOf(response, 400, 'badRequest');
    expect(problems?.map((problem) => problem.detail)).toContain(detail);
    expect(response.headers.get('ratelimit')).toBe('"writes";r=59;t=60');
  });

  it('must be UTF-8, with or without a byte order mark', async () => {
    const { app } = await createWorld();
    const latin = Uint8Array.from([...device].map((letter) => letter.charCodeAt(0)));
    latin[latin.length - 4] = 0xe9;
    await problemOf(await app.request('/terminals', post(latin)), 400, 'badRequest');
    expect((await app.request('/terminals', post(`\uFEFF${device}`))).status).toBe(201);
  });

  it('has at most 16 KiB under any Content-Length, checked before all else (D11, D33)', async () => {
    const { app } = await createWorld();
    const fits = device.padEnd(16 * 1024);
    expect((await app.request('/terminals', post(fits))).status).toBe(201);
    const long = post(`${fits} `, {});
    for (const path of ['/terminals', '/unknown', '/terminals/x']) {
      await problemOf(await app.request(path, long), 413, 'contentTooLarge');
    }
    const lies = post(`${fits} `, { ...json, 'content-length': '2' });
    await problemOf(await app.request('/terminals', lies), 413, 'contentTooLarge');
    const whole = post(fits, { ...json, 'content-length': `${16 * 1024}` });
    expect((await (await createWorld()).app.request('/terminals', whole)).status).toBe(201);
    const says = post('{}', { ...json, 'content-length': `${16 * 1024 + 1}` });
    await problemOf(await app.request('/terminals', says), 413, 'contentTooLarge');
  });

  it('that is too long leaves the outcome open only under a key (D22)', async () => {
    const { app } = await createWorld();
    for (const [headers, outcome] of [
      [{}, 'notApplied'],
      [{ 'idempotency-key': 'k' }, 'unknown'],
    ] as const) {
      const response = await app.request('/unknown', post(device.padEnd(16 * 1024 + 1), headers));
      const { recovery } = await problemOf(response, 413, 'contentTooLarge');
      expect(recovery?.outcome).toBe(outcome);
    }
  });

  it('is read where the server is not Node', async () => {
    const { app } = await createWorld();
    const send = (path: string, body: string, headers = {}) => {
      const request = new Request(
        `http://shop.example${path}`,
        post(body, { ...json, ...headers }),
      );
      return app.fetch(Object.assign(request, { runtime: { name: 'bun' } }));
    };
    expect((await send('/terminals', device)).status).toBe(201);
    const path = '/appointments/a/contactlessPayments';
    await problemOf(await send(path, '{}', { 'idempotency-key': 'k,l' }), 404, 'notFound');
  });

  it('may come in pieces, and is not read beyond its maximum', async () => {
    const { app } = await createWorld();
    const canceled = vi.fn();
    const send = (pieces: readonly string[]) => {
      const waiting = [...pieces];
      const body = new ReadableStream({
        pull(controller) {
          const piece = waiting.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(new TextEncoder().encode(piece));
        },
        cancel: canceled,
      });
      return app.request('/terminals', { method: 'POST', headers: json, body, duplex: 'half' });
    };
    expect((await send([device.slice(0, 9), device.slice(9)])).status).toBe(201);
    expect(canceled).not.toHaveBeenCalled();
    const long = device.padEnd(9 * 1024);
    await problemOf(await send([long, long, long]), 413, 'contentTooLarge');
    expect(canceled).toHaveBeenCalledOnce();
  });

  it('gets 400 if the connection breaks before its end', async () => {
    const { app } = await createWorld();
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('gone')) });
    const init = { method: 'POST', headers: json, body, duplex: 'half' as const };
    await problemOf(await app.request('/terminals', init), 400, 'badRequest');
  });

  it('is rejected for an operation without one (D12, D34)', async () => {
    const { app } = await createWorld();
    const { problems } = await problemOf(
      await app.request('/terminals/x/connectionTokens', post('{}', good)),
      400,
      'badRequest',
    );
    expect(problems?.[0]?.attributes).toEqual({ pointer: '' });
    await problemOf(
      await app.request('/terminals/x', { ...post(' '), method: 'DELETE' }),
      400,
      'badRequest',
    );
  });

  it('is read after authentication (D11)', async () => {
    const { app } = await createWorld();
    const response = await app.request('/terminals', post('{', { 'content-type': 'text/plain' }));
    await problemOf(response, 401, 'unauthorized');
  });
});

describe('the key', () => {
  const path = '/appointments/a/contactlessPayments';
  it('is required, and the core checks it', async () => {
    const { app } = await createWorld();
    const without = await app.request(path, { method: 'POST', headers: good });
    const { problems } = await problemOf(without, 400, 'badRequest');
    expect(problems?.[0]?.attributes).toEqual({ pointer: 'header/Idempotency-Key' });
    const headers = { ...good, 'idempotency-key': 'a, b' };
    await problemOf(await app.request(path, { method: 'POST', headers }), 404, 'notFound');
  });
});

describe('after any failure', () => {
  it('the response is a problem without details of the cause (D24)', async () => {
    const thrown = Object.assign(new Error('secret'), { statusCode: 418 });
    const thrower = () => {
      throw thrown;
    };
    const logged = vi.spyOn(console, 'error');
    onTestFinished(() => logged.mockRestore());
    const { app, failures } = await createWorld({ newRequestId: thrower });
    const response = await app.request('/terminals', { headers: good });
    const problem = await problemOf(response, 500, 'internalError');
    expect(problem.recovery).toEqual({ outcome: 'unknown', retry: 'retrySameRequestAfterDelay' });
    expect(JSON.stringify(problem)).not.toContain('secret');
    expect(problem.instance).toMatch(/\/terminals#/);
    expect(failures[0]).toBe(thrown);
    expect(logged).not.toHaveBeenCalled();
  });

  it.each([undefined, null, 7, '', 'trace\n1', 'café—1', 'x'.repeat(129)])(
    'the response is sent, even if a host makes the request id %j',
    async (name) => {
      // cast: hosts without types may return it
      const { app, failures } = await createWorld({ newRequestId: () => name as string });
      const created = await app.request('/terminals', post(device));
      expect(created.status).toBe(201);
      expect(created.headers.get('x-request-id')).toMatch(/^req_/);
      await problemOf(await app.request('/unknown'), 404, 'notFound');
      expect(failures).toStrictEqual([expect.any(TypeError), expect.any(TypeError)]);
    },
  );

  it('even if the clock fails', async () => {
    const { app, clock } = await createWorld({
      onFailure: () => {
        throw new Error('deaf');
      },
    });
    clock.now = () => {
      throw new Error('stopped');
    };
    await problemOf(await app.request('/terminals', { headers: good }), 500, 'internalError');
    await problemOf(await app.request('/unknown'), 404, 'notFound');
    const heard = await createWorld();
    heard.clock.now = clock.now;
    await problemOf(await heard.app.request('/unknown'), 404, 'notFound');
    expect(heard.failures).toEqual([new Error('stopped')]);
  });
});

describe('mounted by a host', () => {
  it('serves the rest of the path', async () => {
    const { app } = await createWorld({ basePath: '/v1' });
    const host = new H3().mount('/v1', app.fetch);
    expect((await host.request('/v1/terminals', { headers: good })).status).toBe(200);
    const created = await host.request('/v1/terminals', post(device));
    expect(created.status).toBe(201);
    const unknown = await host.request('/v1/unknown');
    const { instance } = await problemOf(unknown, 404, 'notFound');
    expect(instance).toMatch(/example\/v1\/unknown#/);
    await problemOf(
      await host.request('/v1/terminals', { method: 'PUT' }),
      405,
      'methodNotAllowed',
    );
  });
});

describe('if a host has replaced Response', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('all responses are of that class', async () => {
    let isBroken = false;
    const newRequestId = () => {
      if (isBroken) throw new Error('no ids');
      return 'r';
    };
    const { app, chairside } = await createWorld({ newRequestId });
    app.all('/events', processorEventsHandler(chairside, { problemBase }));
    const host = new H3({ silent: true }).mount('/v1', app.fetch);
    vi.stubGlobal('Response', class extends Response {});
    const send = async (path: string, init: RequestInit) => {
      const response = await host.request(path, init);
      expect(response).toBeInstanceOf(Response);
      return response;
    };

    const created = await send('/v1/terminals', post(device));
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { id: string }; // cast: a Terminal
    const head = await send('/v1/terminals', { method: 'HEAD', headers: good });
    expect(head.status).toBe(200);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(2);
    const path = `/v1/terminals/${id}`;
    const deleted = await send(path, { method: 'DELETE', headers: good });
    expect(deleted.status).toBe(204);
    await problemOf(await send(path, { headers: good }), 404, 'notFound');
    await problemOf(await send('/v1/events', {}), 405, 'methodNotAllowed');
    isBroken = true;
    await problemOf(await send(path, { headers: good }), 500, 'internalError');
  });
});

describe('the addresses in responses', () => {
  it.each([
    [{ problemBase: '' }, 'problemBase'],
    [{ problemBase: 'shop.example' }, 'problemBase'],
    [{ publicUrl: 'https://shop.example/?v=1' }, 'publicUrl'],
    [{ publicUrl: 'https://shop.example/#v1' }, 'publicUrl'],
    [{ basePath: 'payments' }, 'basePath'],
  ])('cannot be %j', async (over, name) => {
    await expect(createWorld(over)).rejects.toThrow(name);
  });
});

it.each([undefined, null, 'a token'])('the authenticator cannot be %j', async (authenticate) => {
  // cast: hosts without types may pass it
  const over = { authenticate } as unknown as Partial<ChairsideHandlerOptions>;
  await expect(createWorld(over)).rejects.toThrow('authenticate: must be a function');
});

it.each([undefined, null, 'a token'])('the options cannot be %j', async (given) => {
  const { chairside } = await createWorld();
  // cast: hosts without types may pass it
  const open = () => chairsideHandler(chairside, given as unknown as ChairsideHandlerOptions);
  expect(open).toThrow('options: must be an object with some of authenticate,');
});

it.each<[unknown, string]>([
  [{ cors: '*' }, 'cors: must be an object, such as { origins:'],
  [{ cors: {} }, 'cors: must be an object, such as { origins:'],
  [{ cors: { origins: 'https://till.shop.example' } }, 'cors: must be an object, such as'],
  [{ cors: { origin: '*' } }, 'cors.origin: is no option; did you mean origins?'],
  [{ responseDeadlineMs: '90s' }, 'responseDeadlineMs: must be a number of milliseconds'],
  [{ responseDeadlineMs: 0 }, 'responseDeadlineMs: must be a number of milliseconds'],
  [{ authenticateDeadlineMs: Number.NaN }, 'authenticateDeadlineMs: must be a number of'],
  [{ refunds: 'true' }, 'refunds: must be true or false'],
  [{ shares: true }, 'shares: switch shares of createChairside on too'],
])('an option cannot be %o: %s', async (over, why) => {
  // cast: hosts without types may pass it
  await expect(createWorld(over as Partial<ChairsideHandlerOptions>)).rejects.toThrow(why);
});

it('takes what createChairside returns, and nodeListener what chairsideHandler returns', async () => {
  const { chairside, app } = await createWorld({ shares: true }, { shares: true });
  const authenticate = () => barber;
  for (const wrong of [undefined, Promise.resolve(chairside)]) {
    const given = wrong as unknown as typeof chairside; // cast: hosts without types may pass it
    const why = 'chairside: must be what createChairside returns';
    expect(() => chairsideHandler(given, { authenticate })).toThrow(why);
    expect(() => processorEventsHandler(given)).toThrow(why);
  }
  for (const wrong of [app.fetch, chairside, undefined]) {
    const given = wrong as unknown as typeof app; // cast: as above
    expect(() => nodeListener(given)).toThrow('nodeListener: takes what chairsideHandler returns');
  }
});

describe('the route table', () => {
  it('has each operation and each path once', () => {
    const unique = (values: string[]) => expect(new Set(values).size).toBe(values.length);
    unique(routes.map(({ operation }) => operation));
    unique(routes.map(({ method, path }) => `${method} ${path}`));
    for (const { problems } of routes)
      expect(Object.keys(problemTypes)).toEqual(expect.arrayContaining([...problems]));
  });
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
      host.request('/v1/appointments/a/contactlessPayments', {
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

it('a rejection names the accepted coding for a compressed body alone (RFC 9110)', async () => {
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
