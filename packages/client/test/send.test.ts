import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Attempt, type ClientOptions, createClient, type TokenReason } from '../src/index.ts';
import { refundOperations } from '../src/refunds.ts';
import { simulatedTerminal } from '../src/simulated-terminal.ts';
import { aPayment } from './a-payment.ts';
import { hangs, json, lost, problem, type Script, scriptedServer } from './scripted-server.ts';
import { errorOf, need } from './shop.ts';
import { createVirtualTime } from './virtual-time.ts';

const later = 'retrySameRequestAfterDelay';

function setUp(scripts: readonly Script[], options: Partial<ClientOptions> = {}) {
  const time = createVirtualTime();
  const server = scriptedServer(...scripts);
  const attempts: Attempt[] = [];
  const reasons: TokenReason[] = [];
  const client = createClient({
    baseUrl: 'https://shop.example/v1/',
    fetch: server.fetch,
    accessToken: (why) => {
      reasons.push(why);
      return why;
    },
    time,
    random: () => 0.5,
    onAttempt: (attempt) => attempts.push(attempt),
    ...options,
  });
  const create = (more = {}) =>
    client.createContactlessPayment({ appointmentId: 'a-1', idempotencyKey: 'key-1' }, more);
  return { ...server, time, attempts, reasons, client, create };
}

describe('the sending loop', () => {
  it('repeats the same request with the same key until it gets a readable response', async () => {
    const { create, sent, attempts } = setUp([
      lost,
      () => new Response('<html>Bad gateway', { status: 502 }),
      () => new Response('{"id":"cut o', { status: 201 }),
      json(201, { id: 'cpm_1' }),
      json(404, { error: 'of a proxy' }),
      json(201, aPayment),
    ]);
    const created = await create();
    expect(need(created).id).toBe('cpm_1');
    expect(new Set(sent.map((request) => JSON.stringify(request))).size).toBe(1);
    expect(sent[0]).toMatchObject({
      method: 'POST',
      path: '/v1/appointments/a-1/contactlessPayments',
      headers: { 'idempotency-key': 'key-1', authorization: 'Bearer request' },
    });
    const whys = attempts.map(({ problem }) => ('why' in problem ? problem.why : problem.type));
    expect(whys).toEqual(['network', 'unreadable', 'unreadable', 'unreadable', 'unreadable']);
    expect(attempts[1]?.problem.title).toBe(
      `No response: unreadable (502 of https://shop.example/v1)`,
    );
  });

  it('waits at least for Retry-After, and shows the time of the next attempt', async () => {
    const { create, time, attempts } = setUp([
      problem(503, 'serviceUnavailable', { outcome: 'unknown', retry: later, retryAfter: '7' }),
      problem(409, 'conflict', {
        outcome: 'unknown',
        retry: later,
        retryAfter: 'Mon, 02 Nov 2026 09:00:30 GMT',
      }),
      json(201, aPayment),
    ]);
    const start = time.now();
    expect((await create()).isOk()).toBe(true);
    expect(attempts[0]?.nextAttemptAt).toBeGreaterThanOrEqual(start + 7000);
    expect(attempts[0]?.nextAttemptAt).toBeLessThan(start + 8000);
    expect(attempts[1]?.nextAttemptAt).toBeGreaterThanOrEqual(start + 30_000);
    expect(time.now()).toBe(attempts[1]?.nextAttemptAt);
  });

  it('waits at most 30 seconds for a date, which the clock of a phone may read days before it', async () => {
    const retryAfter = 'Thu, 05 Nov 2026 09:00:30 GMT';
    const busy = { outcome: 'unknown', retry: later, retryAfter };
    const { create, time } = setUp([problem(503, 'serviceUnavailable', busy), json(201, aPayment)]);
    const start = time.now();
    expect((await create()).isOk()).toBe(true);
    expect(time.now() - start).toBeGreaterThanOrEqual(30_000);
  });

  it('refreshes, then signs in, then gives up', async () => {
    const refused = (sessionAction: string) =>
      problem(401, 'unauthorized', { retry: 'retrySameRequest', sessionAction });
    const { create, reasons } = setUp([refused('refresh'), refused('signIn'), refused('signIn')]);
    expect(errorOf(await create()).type).toBe('unauthorized');
    expect(reasons).toEqual(['request', 'refresh', 'signIn']);
  });

  it('refreshes also for a gateway that refuses the token in a format of its own', async () => {
    const refused = json(401, { message: 'The incoming token has expired' });
    const { create, reasons } = setUp([refused, json(201, aPayment)]);
    expect((await create()).isOk()).toBe(true);
    expect(reasons).toEqual(['request', 'refresh']);
    const inVain = setUp([refused]);
    expect(errorOf(await inVain.create()).recovery.outcome).toBe('unknown');
    expect(inVain.reasons).toEqual(['request', 'refresh', 'refresh']);
  });

  it('asks for a new token until the login service gives one', async () => {
    const refused = problem(401, 'unauthorized', {
      retry: 'retrySameRequest',
      sessionAction: 'refresh',
    });
    const asked: TokenReason[] = [];
    let outages = 3;
    const { create, sent, attempts } = setUp([refused, json(201, aPayment)], {
      accessToken(why) {
        asked.push(why);
        if (why === 'request' || outages-- <= 0) return why;
        throw new Error('Network request failed');
      },
    });
    expect((await create()).isOk()).toBe(true);
    expect(asked).toEqual(['request', ...Array(4).fill('refresh')]);
    expect(sent).toHaveLength(2);
    const waits = attempts.map(
      ({ nextAttemptAt }, at) => nextAttemptAt - (attempts[at - 1]?.nextAttemptAt ?? 0),
    );
    expect(waits.slice(2).every((ms, at) => ms > (waits[at + 1] ?? 0))).toBe(true);
  });

  it('shares one refresh among the calls of all clients of one sign-in', async () => {
    let token = 'old';
    const asked: TokenReason[] = [];
    const options = {
      baseUrl: 'https://shop.example',
      async accessToken(why: TokenReason) {
        asked.push(why);
        await nextTurn();
        if (why === 'refresh') token = 'new';
        return token;
      },
      fetch: scriptedServer(({ headers }) =>
        headers['authorization'] === 'Bearer new'
          ? json(200, { items: [], count: 0, captured: '0.00', refundable: '0.00' })()
          : problem(401, 'unauthorized', { retry: 'retrySameRequest', sessionAction: 'refresh' })(),
      ).fetch,
    };
    const [client, refunds] = [createClient(options), createClient(options, refundOperations)];
    const read = () => [
      client.listContactlessPayments({ appointmentId: 'a-1' }),
      client.listContactlessPayments({ appointmentId: 'a-2' }),
      refunds.listRefunds({ contactlessPaymentId: 'cpm_1' }),
    ];
    expect((await Promise.all(read())).every((listed) => listed.isOk())).toBe(true);
    expect(asked.filter((why) => why === 'refresh')).toHaveLength(1);
    token = 'old again';
    expect((await Promise.all(read())).every((listed) => listed.isOk())).toBe(true);
    expect(asked.filter((why) => why === 'refresh')).toHaveLength(2);
  });

  it('asks again for a refresh that hangs, and waits on for a person who signs in', async () => {
    for (const action of ['refresh', 'signIn'] as const) {
      let asked = 0;
      const { create } = setUp(
        [problem(401, 'unauthorized', { retry: 'retrySameRequest', sessionAction: action })],
        {
          accessToken(why) {
            if (why === 'request') return why;
            asked += 1;
            return new Promise(() => {});
          },
        },
      );
      for (const _ of [1, 2]) {
        expect(errorOf(await create())).toMatchObject({ why: 'accessToken' });
      }
      expect(asked === 1).toBe(action === 'signIn');
    }
  });

  it('refreshes and signs in also where only one attempt is allowed', async () => {
    const refused = (sessionAction: string) =>
      problem(401, 'unauthorized', { retry: 'retrySameRequest', sessionAction });
    const scripts = [refused('refresh'), refused('signIn')];
    const signedIn = setUp([...scripts, json(201, aPayment)], { maxAttempts: 1 });
    expect((await signedIn.create()).isOk()).toBe(true);
    expect(signedIn.reasons).toEqual(['request', 'refresh', 'signIn']);
    const isLost = setUp([...scripts, lost], { maxAttempts: 1 });
    expect(errorOf(await isLost.create())).toMatchObject({ why: 'network' });
    expect(isLost.sent).toHaveLength(3);
    const failing = setUp([...scripts], {
      maxAttempts: 1,
      accessToken: (why) => (why === 'request' ? why : Promise.reject(new Error('offline'))),
    });
    expect(errorOf(await failing.create())).toMatchObject({ why: 'accessToken' });
    expect(failing.sent).toHaveLength(1);
  });

  it('does not retry a final problem', async () => {
    const { create, sent } = setUp([problem(409, 'appointmentAlreadyPaid')]);
    expect(errorOf(await create())).toMatchObject({
      type: 'appointmentAlreadyPaid',
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
    expect(sent).toHaveLength(1);
  });

  it('ends after its attempts, and after its time, with the last problem', async () => {
    const few = setUp([lost], { maxAttempts: 3 });
    expect(errorOf(await few.create())).toMatchObject({
      type: 'unanswered',
      recovery: { outcome: 'unknown' },
    });
    expect(few.sent).toHaveLength(3);

    const short = setUp([lost], { timeLimitMs: 3000 });
    const start = short.time.now();
    expect((await short.create()).isErr()).toBe(true);
    expect(short.time.now() - start).toBeLessThanOrEqual(3000);

    const silent = setUp([hangs], { attemptTimeoutMs: 1000, maxAttempts: 2 });
    expect(errorOf(await silent.create())).toMatchObject({ why: 'timeLimit' });
  });

  it('counts only the time in which the phone was awake, and its clock untouched', async () => {
    const hourMs = 3_600_000;
    const setAside = (byMs: number) => {
      const clock = createVirtualTime();
      let asideMs = 0;
      const set = () => {
        asideMs = byMs;
      };
      const breaks = () => {
        set();
        return lost();
      };
      const time = { ...clock, now: () => clock.now() + asideMs };
      return { clock, time, set, breaks };
    };
    const inFlight = setAside(hourMs);
    const awoken = setUp([inFlight.breaks, json(201, aPayment)], { time: inFlight.time });
    expect((await awoken.create()).isOk()).toBe(true);

    const waiting = setAside(hourMs);
    const rested = setUp([lost, lost, json(201, aPayment)], {
      time: waiting.time,
      onAttempt: waiting.set,
    });
    expect((await rested.create()).isOk()).toBe(true);

    const setBack = setAside(-24 * hourMs);
    const { create } = setUp([setBack.breaks], { time: setBack.time, timeLimitMs: 3000 });
    const start = setBack.clock.now();
    expect((await create()).isErr()).toBe(true);
    expect(setBack.clock.now() - start).toBeLessThanOrEqual(3000);
  });

  it('waits longer each time, within bounds', async () => {
    const { create, time } = setUp([lost], { timeLimitMs: 600_000 });
    expect((await create()).isErr()).toBe(true);
    expect(time.passed.toSorted((a, b) => a - b)).toEqual([...time.passed]);
    expect(Math.max(...time.passed)).toBeLessThanOrEqual(20_000);
    expect(time.passed).toHaveLength(9);
  });

  it('reports an unknown outcome when the app stops waiting, before and during a request', async () => {
    for (const script of [hangs, lost]) {
      const { create, time } = setUp([script]);
      const controller = new AbortController();
      time.after(200, () => controller.abort());
      expect(errorOf(await create({ signal: controller.signal }))).toMatchObject({
        why: 'aborted',
        recovery: { outcome: 'unknown' },
      });
    }
    const { create, sent } = setUp([lost]);
    const ended = await create({ signal: AbortSignal.abort() });
    expect(errorOf(ended).recovery.outcome).toBe('unknown');
    expect(sent).toHaveLength(0);
  });

  it('survives an app that throws or hangs in its callbacks', async () => {
    const { create, sent } = setUp([json(201, aPayment)], {
      accessToken: () => Promise.reject(new Error('keychain')),
      onAttempt: () => {
        throw new Error('the screen is gone');
      },
      maxAttempts: 2,
    });
    expect(errorOf(await create())).toMatchObject({ why: 'accessToken' });
    expect(sent).toHaveLength(0);
    const silent = setUp([json(201, aPayment)], {
      accessToken: () => new Promise(() => {}),
      maxAttempts: 2,
    });
    expect(errorOf(await silent.create())).toMatchObject({ why: 'accessToken' });
  });

  it('survives listeners whose promises reject', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const onAttempt = async () => {
      throw new Error('the screen is gone');
    };
    const { create } = setUp([lost, json(201, aPayment)], { onAttempt });
    expect((await create({ onAttempt })).isOk()).toBe(true);
    await nextTurn();
    expect(rejections).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['giveBack throws', { giveBack: lost }],
    ['the options are null', null],
    ['the signal is none', { signal: {} }],
  ])('never rejects: %s', async (_what, options) => {
    const { client } = setUp([
      problem(503, 'serviceUnavailable', { outcome: 'unknown', retry: later }),
    ]);
    const input = { body: { savePaymentMethod: true } };
    // cast: hosts without types may pass it
    const ended = await client.preparePaymentMethod(input, options as object);
    expect(errorOf(ended).recovery.outcome).toBe('unknown');
  });

  it('treats a 404 for a repeated deletion as success', async () => {
    const notFound = problem(404, 'notFound');
    const repeated = setUp([lost, notFound]);
    expect((await repeated.client.deleteTerminal({ terminalId: 't' })).isOk()).toBe(true);
    const first = setUp([notFound]);
    expect((await first.client.deleteTerminal({ terminalId: 't' })).isErr()).toBe(true);
    const unknown = { outcome: 'unknown', retry: later };
    const unsure = setUp([problem(503, 'serviceUnavailable', unknown), notFound]);
    expect((await unsure.client.deleteTerminal({ terminalId: 't' })).isOk()).toBe(true);
    const refused = setUp([problem(429, 'tooManyRequests', { retry: later }), notFound]);
    expect((await refused.client.deleteTerminal({ terminalId: 't' })).isErr()).toBe(true);
  });

  it.each(['<html>Sign in to this network', '{"status":"maintenance"}'])(
    'does not take %s for the end of a deletion',
    async (page) => {
      const { client, sent } = setUp([
        () => new Response(page, { status: 200 }),
        () => new Response(null, { status: 204 }),
      ]);
      expect((await client.deleteTerminal({ terminalId: 't' })).isOk()).toBe(true);
      expect(sent).toHaveLength(2);
    },
  );

  const setup = {
    paymentMethodSetupId: 'pms_1',
    clientSecret: 's',
    expiresAt: '2026-11-02T10:00:00.000Z',
    paymentMethodReuseAuthorized: true,
  };
  const body = { savePaymentMethod: true };

  it.each([
    ['an input without it', { body }],
    ['an input with undefined', { body, idempotencyKey: undefined }],
  ])('makes one key for one preparation, for %s', async (_, input) => {
    const { client, sent } = setUp([lost, json(200, setup)]);
    expect((await client.preparePaymentMethod(input)).isOk()).toBe(true);
    const [first, second] = sent.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[\da-f-]{36}$/);
    expect(second).toBe(first);
  });

  it('sends no preparation without a key', async () => {
    const newKey = () => {
      throw new Error('there is no randomness');
    };
    const { client, sent } = setUp([json(200, setup)], { newKey });
    const given = await client.preparePaymentMethod({ body });
    expect(errorOf(given)).toMatchObject({ why: 'input', recovery: { outcome: 'notApplied' } });
    expect(sent).toHaveLength(0);
    expect((await client.preparePaymentMethod({ body, idempotencyKey: 'key-1' })).isOk()).toBe(
      true,
    );
  });

  it('survives a problem whose causes have causes without end', async () => {
    const depth = 20_000;
    const start = '{"type":"https://x.example/problems/conflict","problems":[';
    const text = `${start.repeat(depth)}${']}'.repeat(depth)}`;
    const { create } = setUp([() => new Response(text, { status: 409 })]);
    expect(errorOf(await create())).toMatchObject({ type: 'conflict' });
  });

  it('cancels a simulated terminal that waits for a card', async () => {
    const terminal = simulatedTerminal({
      baseUrl: 'http://shop.test',
      card: () => new Promise(() => {}),
      fetch: () => Promise.reject(new Error('no request is expected')),
    });
    const { signal: ready } = new AbortController();
    const intent = await terminal.retrieve('r_secret_s', ready);
    const controller = new AbortController();
    const collecting = 'collect' in intent ? intent.collect(controller.signal) : undefined;
    controller.abort();
    expect(await collecting).toBe('canceled');
  });

  it.each(['\ud800', '', '.', '..'])('rejects %j, which is no id', async (id) => {
    const { client, sent } = setUp([json(201, aPayment)]);
    const given = await client.getContactlessPayment({ contactlessPaymentId: id });
    expect(errorOf(given)).toMatchObject({ why: 'input', recovery: { outcome: 'notApplied' } });
    expect(sent).toHaveLength(0);
  });

  it.each([
    ['https://shop.example', ''],
    ['https://shop.example/v1//', '/v1'],
    ['/', ''],
    ['/api/', '/api'],
  ])('sends to the service at %s, also below a path of the page (D104)', async (baseUrl, path) => {
    const { create, sent } = setUp([json(201, aPayment)], { baseUrl });
    expect((await create()).isOk()).toBe(true);
    expect(sent[0]?.path).toBe(`${path}/appointments/a-1/contactlessPayments`);
    const urls: string[] = [];
    const terminal = simulatedTerminal({
      baseUrl,
      card: () => 'visa_credit',
      async fetch(url) {
        urls.push(url);
        return Response.json({ status: 'authorized' });
      },
    });
    const { signal } = new AbortController();
    const intent = await terminal.retrieve('fpi_1_secret_1', signal);
    expect('collect' in intent && (await intent.collect(signal))).toBe('approved');
    expect(urls[0]?.replace('https://shop.example', '')).toBe(`${path}/demo/taps`);
  });

  it.each(['', 'shop.example', 'api/v1', 'ftp://shop.example', 'https://', '/api?v=1', '/api#v1'])(
    'throws at its start for the base address %j, and never later',
    (baseUrl) => {
      const made = () => createClient({ baseUrl, accessToken: () => undefined });
      expect(made).toThrow(TypeError);
    },
  );
});

describe('createClient', () => {
  const options = { baseUrl: '/', accessToken: () => 'token' };

  it.each([
    [undefined, 'baseUrl: missing or of a wrong type'],
    [{ baseUrl: '/' }, 'accessToken: missing or of a wrong type'],
    [{ ...options, accessToken: 'token' }, 'accessToken: missing or of a wrong type'],
    [{ ...options, baseUrl: new URL('https://shop.example') }, 'baseUrl: missing or'],
    [{ ...options, maxAttemps: 3 }, 'maxAttemps: no such option'],
    [{ ...options, maxAttempts: '3' }, 'maxAttempts: missing or of a wrong type'],
    [{ ...options, newKey: 'key' }, 'newKey: missing or of a wrong type'],
    [{ ...options, fetch: {} }, 'fetch: missing or of a wrong type'],
  ])('throws for %o: %s', (wrong, why) => {
    // cast: an app without types may pass it
    expect(() => createClient(wrong as typeof options)).toThrow(why);
  });

  it('takes undefined as omitted', () => {
    expect(() =>
      createClient({ ...options, fetch: undefined, onAttempt: undefined }),
    ).not.toThrow();
  });
});

describe('loose reading', () => {
  it('keeps unknown members and enum values, and drops optional members of another type (D104)', async () => {
    const newer = {
      ...aPayment,
      state: 'settledTomorrow',
      discount: { amount: '5.00' },
      authorizedAt: 17,
      card: { network: 'network_z' },
    };
    const { create } = setUp([json(201, newer)]);
    const created = need(await create());
    expect(created).toMatchObject({ state: 'settledTomorrow', discount: { amount: '5.00' } });
    expect(created).not.toHaveProperty('authorizedAt');
    expect(created).not.toHaveProperty('card');
  });

  it('passes an unknown problem type on, with its recovery', async () => {
    const { create } = setUp([problem(451, 'shopClosedByLaw')]);
    expect(errorOf(await create())).toMatchObject({
      type: 'unexpected',
      name: 'shopClosedByLaw',
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
  });

  it('treats an unknown or missing recovery as an unknown outcome', async () => {
    const odd = setUp([problem(409, 'conflict', { outcome: 'partly', retry: 'askAgainOnMonday' })]);
    expect(errorOf(await odd.create()).recovery).toEqual({
      outcome: 'unknown',
      retry: 'doNotRetry',
    });
    const without = setUp([json(409, { type: 'https://x.example/problems/conflict' })]);
    expect(errorOf(await without.create())).toMatchObject({
      type: 'conflict',
      recovery: { outcome: 'unknown', retry: 'doNotRetry' },
    });
  });
});
