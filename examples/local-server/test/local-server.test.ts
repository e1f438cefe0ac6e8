import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  businessPayoutPreferencesSchema,
  challengeMethodsSchema,
  contactlessPaymentSchema,
  contactlessPaymentsSchema,
} from '@chairside/core/ports';
import BetterSqlite3 from 'better-sqlite3';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { people } from '../src/demo-data.ts';
import {
  type Answer,
  barber,
  capture,
  createPayment,
  demoSchema,
  entrySchema,
  newPath,
  openAppointment,
  read,
  readProblem,
  runToEnd,
  send,
  startServer,
  tap,
} from './server.ts';
import { startWatched } from './till/watched-server.ts';

test('the walkthrough works as printed, any number of times', async () => {
  const { greeting, url } = await startServer();
  const block = greeting.slice(greeting.indexOf('URL='), greeting.indexOf('Ctrl-C ends'));
  for (const _ of ['first', 'second']) {
    const { stdout, stderr } = spawnSync('bash', { input: block, encoding: 'utf8' });
    expect(stderr).toBe('');
    const { items } = v.parse(
      contactlessPaymentsSchema,
      JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''),
    );
    expect(items).toMatchObject([{ state: 'captured', amount: '45.00' }]);
    const reference = items[0]?.externalPaymentReference?.id;
    const entry = read(await send(`${url}/demo/processor/${reference}`), 200, entrySchema);
    expect(entry).toMatchObject({ status: 'captured', amountCaptured: '45.00' });
  }
});

test.for(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
  'after %s and a restart, all records are unchanged',
  async (signal) => {
    const env = { CHAIRSIDE_DB: newPath() };
    const first = await startServer(env);
    const payment = await createPayment(first.url, await openAppointment(first.url));
    const { id: reference } = (await tap(first.url, payment, 'visa_credit'))
      .externalPaymentReference;
    const before = await send(`${first.url}/demo/processor/${reference}`);
    first.signal(signal);
    const { code, stderr } = await first.ended;
    expect(stderr).toBe('');
    expect(code).toBe(signal === 'SIGKILL' ? null : 0);

    const { url } = await startServer(env);
    const { appointments } = read(await send(`${url}/demo`), 200, demoSchema);
    expect(await send(`${url}/demo/processor/${reference}`)).toEqual(before);
    const captured = await capture(url, payment.id, reference);
    expect(read(captured, 200, contactlessPaymentSchema).state).toBe('captured');
    const after = await send(`${url}/demo/processor/${reference}`);
    expect(read(after, 200, entrySchema)).toEqual({
      id: reference,
      status: 'captured',
      amount: '45.00',
      amountCaptured: '45.00',
    });
    const paid = await send(`${url}/appointments/${appointments.paid}/contactlessPayments`, {
      token: barber,
    });
    expect(read(paid, 200, contactlessPaymentsSchema).items).toMatchObject([
      { state: 'captured', amount: '45.00' },
    ]);
  },
);

test('the demo data match their descriptions', async () => {
  const { url } = await startServer();
  const { tokens, appointments } = read(await send(`${url}/demo`), 200, demoSchema);
  const create = (id: string, token: string) =>
    send(`${url}/appointments/${id}/contactlessPayments`, { method: 'POST', token, key: id });

  const [open = '', next = ''] = appointments.open;
  read(await create(open, tokens.barber), 201, contactlessPaymentSchema);
  readProblem(await create(next, tokens.otherBarber), 403, 'forbidden');
  readProblem(await create(next, tokens.customer), 403, 'forbidden');
  readProblem(await create(next, 'nobody'), 401, 'unauthorized');
  readProblem(await create(appointments.paid, tokens.barber), 409, 'appointmentAlreadyPaid');
  readProblem(await create(appointments.ofOtherBarber, tokens.barber), 403, 'forbidden');
  readProblem(
    await create(appointments.withoutProcessor, tokens.barberWithoutProcessor),
    422,
    'paymentProviderNotSetup',
  );
  readProblem(
    await send(`${url}/terminals`, {
      token: tokens.barberWithoutEntitlement,
      body: { platform: 'ios', deviceIdentifier: 'phone' },
    }),
    403,
    'contactlessPaymentEntitlementMissing',
  );

  const later = read(await send(`${url}/demo`), 200, demoSchema);
  expect(later.appointments.open, 'an appointment with a payment is not open').not.toContain(open);
});

test('every record in GET /demo exists, and belongs to the named person', async () => {
  const { url } = await startServer({ CHAIRSIDE_RATE_LIMITS: 'off' });
  const demo = read(await send(`${url}/demo`), 200, demoSchema);
  const { tokens, appointments, barbers, businesses, users } = demo;
  const call = (path: string, token: string, method = 'GET') =>
    send(`${url}${path}`, { method, token });

  for (const token of Object.values(tokens)) {
    // Each token is valid, with or without permission for this.
    expect([200, 403]).toContain((await call('/terminals', token)).status);
  }
  for (const id of [...appointments.open, appointments.paid]) {
    const listed = await call(`/appointments/${id}/contactlessPayments`, tokens.barber);
    const { count } = read(listed, 200, contactlessPaymentsSchema);
    expect(count, id).toBe(id === appointments.paid ? 1 : 0);
  }
  for (const [id, token] of [
    [appointments.ofOtherBarber, tokens.otherBarber],
    [appointments.withoutProcessor, tokens.barberWithoutProcessor],
  ] as const) {
    read(
      await call(`/appointments/${id}/contactlessPayments`, token),
      200,
      contactlessPaymentsSchema,
    );
  }

  for (const [who, other] of [
    ['business', 'otherBusiness'],
    ['otherBusiness', 'business'],
  ] as const) {
    const { id, financialAccounts } = businesses[who];
    const preferences = `/businesses/${id}/preferences/payouts`;
    read(await call(preferences, tokens[who]), 200, businessPayoutPreferencesSchema);
    readProblem(await call(preferences, tokens[other]), 403, 'forbidden');
    const remove = (account: string, token = tokens[who]) =>
      call(`/businesses/${id}/financialAccounts/${account}`, token, 'DELETE');
    readProblem(await remove(financialAccounts.default), 409, 'conflict');
    expect(financialAccounts.others).not.toEqual([]);
    for (const account of financialAccounts.others) {
      readProblem(await remove(account, tokens[other]), 403, 'forbidden');
      expect(await remove(account)).toEqual({ status: 204, text: '' });
      readProblem(await remove(account), 404, 'notFound');
    }
  }

  for (const [who, other] of [
    ['barber', 'otherBarber'],
    ['otherBarber', 'barber'],
  ] as const) {
    const { id, schedules } = barbers[who];
    const [first = '', second = '', ...more] = schedules;
    expect(more).toEqual([]);
    const remove = (schedule: string, token: string) =>
      call(`/barbers/${id}/schedules/${schedule}`, token, 'DELETE');
    for (const [schedule, token] of [
      [first, tokens[who]],
      [second, tokens.administrator],
    ] as const) {
      readProblem(await remove(schedule, tokens[other]), 403, 'forbidden');
      expect(await remove(schedule, token)).toEqual({ status: 204, text: '' });
      readProblem(await remove(schedule, token), 404, 'notFound');
    }
  }

  const { phoneNumber, emailAddress } = users.withBoth;
  for (const [query, label] of [
    [{ phoneNumber }, 'sms'],
    [{ emailAddress }, 'email'],
  ] as const) {
    const listed = await call(
      `/auth/challengeMethods?${new URLSearchParams(query)}`,
      tokens.customer,
    );
    expect(read(listed, 200, challengeMethodsSchema).items).toEqual([{ label }]);
  }
});

test('a deleted record does not come back after a restart', async () => {
  const env = { CHAIRSIDE_DB: newPath() };
  const paths = [
    ['/businesses/business_marlow/financialAccounts/account_marlow_old', 'demo-business'],
    ['/barbers/barber_ada/schedules/schedule_ada_winter', barber],
  ] as const;
  const first = await startServer(env);
  for (const [path, token] of paths) {
    const deleted = await send(first.url + path, { method: 'DELETE', token });
    expect(deleted.status, deleted.text).toBe(204);
  }
  first.signal('SIGKILL');
  await first.ended;
  const { url } = await startServer(env);
  for (const [path, token] of paths) {
    readProblem(await send(url + path, { method: 'DELETE', token }), 404, 'notFound');
  }
  const others = [
    ['/businesses/business_marlow/financialAccounts/account_marlow_savings', 'demo-business'],
    ['/barbers/barber_ada/schedules/schedule_ada_summer', barber],
  ] as const;
  for (const [path, token] of others) {
    expect((await send(url + path, { method: 'DELETE', token })).status).toBe(204);
  }
});

test('every card has its effect at the terminal', async () => {
  const { url } = await startServer();
  for (const [card, status] of [
    ['visa_credit', 'authorized'],
    ['declined', 'declined'],
    ['canceled', 'canceled'],
  ] as const) {
    const payment = await createPayment(url, await openAppointment(url, '12.50'));
    const tapped = await tap(url, payment, card);
    expect(tapped.status).toBe(status);
    const entry = await send(`${url}/demo/processor/${tapped.externalPaymentReference.id}`);
    expect(read(entry, 200, entrySchema)).toMatchObject({
      status: status === 'declined' ? 'failed' : status,
      amount: '12.50',
      amountCaptured: '0.00',
    });
  }
});

test('an invalid demo request gets a problem', async () => {
  const { url } = await startServer();
  const { clientSecret } = await createPayment(url, await openAppointment(url));
  const tapOf = (body: unknown) => send(`${url}/demo/taps`, { body });
  const appointmentOf = (body: unknown) => send(`${url}/demo/appointments`, { body });

  const unknown = readProblem(
    await tapOf({ clientSecret: 'x', card: 'visa_credit' }),
    404,
    'notFound',
  );
  expect(unknown.instance).toMatch(/^http:\/\/[^/]+\/demo\/taps#/);
  const wrong = readProblem(await tapOf({ clientSecret, card: 'x' }), 400, 'badRequest');
  expect(wrong.problems?.at(-1)?.detail, 'the last card, too').toContain('expires_soon');
  read(await tapOf({ clientSecret, card: 'visa_credit' }), 200, v.unknown());
  readProblem(await tapOf({ clientSecret, card: 'visa_credit' }), 409, 'conflict');
  const faulty = readProblem(await tapOf({ card: 1, tip: 1 }), 400, 'badRequest');
  expect(faulty.problems?.map(({ detail }) => detail)).toEqual([
    '/clientSecret is required.',
    '/card must be string.',
    '/tip is not a known property.',
  ]);
  readProblem(await tapOf('x'.repeat(20_000)), 413, 'contentTooLarge');
  readProblem(await send(`${url}/demo/taps`, { method: 'POST' }), 415, 'unsupportedMediaType');

  readProblem(await appointmentOf({ amountDue: '45' }), 400, 'badRequest');
  readProblem(
    await appointmentOf({ amountDue: `${'9'.repeat(20)}.00` }),
    422,
    'unprocessableEntity',
  );
  readProblem(await send(`${url}/demo/processor/x`), 404, 'notFound');
  readProblem(await send(`${url}/nothing/here`), 404, 'notFound');
  read(await send(url), 200, v.object({ demo: v.literal(`${url}/demo`) }));
});

test('a malformed request gets a problem that names its path', async () => {
  const { hostname, port } = new URL((await startServer()).url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const gone = once(socket, 'close');
  socket.write('GET /terminals HTTP/1.1\r\nno header\r\n\r\n');
  await gone;
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toMatch(/"instance":"http:\/\/[^"]+\/terminals#/);
});

test.skipIf(process.platform === 'win32')(
  'its files are readable by their owner alone',
  async () => {
    const path = newPath();
    await startServer({ CHAIRSIDE_DB: path });
    const rights = readdirSync(dirname(path))
      .filter((name) => name.startsWith(basename(path)))
      .map((name) => (statSync(join(dirname(path), name)).mode & 0o777).toString(8));
    expect(rights).toEqual(Array.from({ length: 6 }, () => '600'));
  },
);

test('two servers may share one database', async () => {
  const env = { CHAIRSIDE_DB: newPath() };
  const servers = [await startServer(env), await startServer(env)];
  const references = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const { url } = servers[index % 2] ?? { url: '' };
      const payment = await createPayment(url, await openAppointment(url));
      const { externalPaymentReference } = await tap(url, payment, 'visa_credit');
      const captured = await capture(url, payment.id, externalPaymentReference.id);
      expect(read(captured, 200, contactlessPaymentSchema).state).toBe('captured');
      return externalPaymentReference.id;
    }),
  );
  expect(new Set(references).size).toBe(20);
});

test('the environment sets the base of problems and the rate limits', async () => {
  const { url } = await startServer({
    BASE_URL: 'https://pay.example/',
    CHAIRSIDE_RATE_LIMITS: '{"reads":{"limit":1,"windowMs":60000}}',
  });
  const list = () => send(`${url}/terminals`, { token: barber });
  expect((await list()).status).toBe(200);
  const refused = readProblem(await list(), 429, 'tooManyRequests');
  expect(refused.type).toBe('https://chairside.example/problems/tooManyRequests');
  expect(refused.instance).toMatch(/^https:\/\/pay\.example\/terminals#/);

  const unlimited = await startServer({ CHAIRSIDE_RATE_LIMITS: 'off' });
  const again = await fetch(`${unlimited.url}/terminals`, {
    headers: { authorization: `Bearer ${barber}` },
  });
  expect(again.headers.get('ratelimit')).toBeNull();
});

test.for([
  [{ CHAIRSIDE_DB: '/no/such/folder/x.db' }, 'no/such/folder'],
  [{ CHAIRSIDE_TIPS: 'yes' }, 'CHAIRSIDE_TIPS must be on or off.'],
  [{ CHAIRSIDE_DB: import.meta.dirname }, import.meta.dirname],
  [{ CHAIRSIDE_RATE_LIMITS: 'on' }, 'CHAIRSIDE_RATE_LIMITS'],
  [{ CHAIRSIDE_RATE_LIMITS: '{"writes":60}' }, 'writes'],
  [{ CHAIRSIDE_RATE_LIMITS: '{"write":{"limit":1,"windowMs":1}}' }, 'no quota has this name'],
  [{ PORT: 'http' }, 'PORT'],
  [{ BASE_URL: 'pay.example' }, 'BASE_URL'],
  [{ BASE_URL: 'https://pay.example/a b' }, 'BASE_URL'],
  [{ BASE_URL: 'https://pay.example/%zz' }, 'BASE_URL'],
  [{ BASE_URL: 'https://pay.example/?q' }, 'BASE_URL'],
  [{ BASE_URL: 'https://user:hidden@pay.example' }, 'without a user name'],
] as const)('with %o it does not start, and prints why in one line', async ([env, why]) => {
  const { code, stdout, stderr } = await runToEnd(env);
  expect(stderr).toMatch(/^chairside: [^\n]+\n$/);
  expect(stderr).toContain(why);
  expect(stderr).not.toContain('hidden');
  expect(stdout).toBe('');
  expect(code).toBe(1);
});

test('it prints each wrong setting, in a line of its own', async () => {
  const wrong = { PORT: 'http', CHAIRSIDE_TIPS: 'yes', CHAIRSIDE_POSTGRES: 'secret@host' };
  const { code, stderr } = await runToEnd({
    ...wrong,
    STRIPE_SECRET_KEY: 'foo',
    STRIPE_LOCATION: 'x',
  });
  const lines = stderr.trim().split('\n');
  expect(lines.map((line) => /^chairside: (\w+)/.exec(line)?.[1]).sort()).toEqual(
    [...Object.keys(wrong), 'STRIPE_ACCOUNT', 'STRIPE_LOCATION', 'STRIPE_SECRET_KEY'].sort(),
  );
  expect(stderr).not.toContain('secret@');
  expect(code).toBe(1);
});

test('a full disk is one line, though every seed would meet it', async () => {
  const db = newPath();
  const full = 'ulimit -f 600'; // no file above 600 blocks of 512 bytes
  const { code, stderr } = await runToEnd({ CHAIRSIDE_DB: db }, `trap "" XFSZ; ${full}`);
  expect(stderr).toMatch(/^chairside: [^\n]+\n$/);
  expect(stderr).toContain(db);
  expect(code).toBe(1);
});

test('in memory no record is kept, as the output says', async () => {
  const { url, greeting, signal, ended } = await startServer({ CHAIRSIDE_DB: ':memory:' });
  expect(greeting).toContain('Records are in memory.');
  expect(greeting).toContain('Ctrl-C ends the server. What it knows is gone then.');
  const payment = await createPayment(url, await openAppointment(url));
  const { externalPaymentReference } = await tap(url, payment, 'visa_credit');
  const captured = await capture(url, payment.id, externalPaymentReference.id);
  expect(read(captured, 200, contactlessPaymentSchema).state).toBe('captured');
  signal('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync('.').filter((name) => name.startsWith(':memory:'))).toEqual([]);
});

test('a corrupt file is named', async () => {
  const path = newPath();
  const { signal, ended } = await startServer({ CHAIRSIDE_DB: path });
  signal('SIGTERM');
  await ended;
  const db = new BetterSqlite3(path);
  const page = db
    .prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'chairside_appointments'")
    .pluck()
    .get();
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4096, 7), 0, 4096, (Number(page) - 1) * 4096);
  closeSync(file);
  const { code, stderr } = await runToEnd({ CHAIRSIDE_DB: path });
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^chairside: [^\n]+\.db: /);
  expect(stderr).toContain(path);
  expect(code).toBe(1);
});

test('a port in use prints one line and ends the server', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  // cast: it listens on a port
  const { port } = other.address() as AddressInfo;
  const { code, stderr } = await runToEnd({ PORT: `${port}` });
  other.close();
  expect(stderr).toMatch(/^chairside: port \d+ on 127\.0\.0\.1 is in use[^\n]*\n$/);
  expect(code).toBe(1);
});

test('requests under another name, or from a page of another site, are rejected', async () => {
  const { url } = await startServer();
  const { port } = new URL(url);
  const routes = [
    ['GET', '/'],
    ['GET', '/demo'],
    ['POST', '/demo/appointments'],
    ['POST', '/demo/taps'],
    ['GET', '/demo/processor/x'],
    ['GET', '/till/books'],
    ['POST', '/till/orders'],
    ['GET', '/terminals'],
  ] as const;
  const own = `localhost:${port}`;
  for (const [method, path] of routes) {
    for (const [host, origin] of [
      [`evil.example:${port}`, undefined],
      [`evil.example:${port}`, `http://evil.example:${port}`],
      [own, 'https://evil.example'],
      [own, 'http://6.6.6.6'],
      [own, 'null'],
    ] as const) {
      const { status, text } = await forged(url, method, path, host, origin);
      expect(status, `${method} ${path} to ${host} from ${origin}: ${text}`).toBe(404);
      expect(text).toContain('/problems/notFound"');
      expect(text).not.toContain(people.barber.token);
    }
  }
  for (const origin of [undefined, `http://${own}`, 'http://localhost:5173']) {
    expect((await forged(url, 'GET', '/demo', own, origin)).status).toBe(200);
  }
});

test('a request whose target names a host is judged by that one (RFC 9112)', async () => {
  const { url } = await startServer();
  const { port } = new URL(url);
  const [own, other] = [`localhost:${port}`, `evil.example:${port}`];
  const ask = (target: string, host: string) =>
    forged(url, 'GET', `/demo`, host, undefined, target);
  expect((await ask(`http://${other}/demo`, own)).status).toBe(404);
  expect((await ask(`http://${own}/demo`, other)).status).toBe(200);
});

/** `fetch` sets these headers itself. */
function forged(
  url: string,
  method: string,
  path: string,
  host: string,
  origin: string | undefined,
  target: string = path,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = {
    host,
    'content-type': 'application/json',
    ...(origin !== undefined && { origin }),
  };
  const asked = request(url + path, { method, headers, path: target }, async (response) => {
    let text = '';
    for await (const part of response.setEncoding('utf8')) text += part;
    resolve({ status: response.statusCode ?? 0, text });
  });
  asked.on('error', reject).end(method === 'POST' ? '{"amountDue":"45.00"}' : undefined);
  return promise;
}

test('signals let a running request finish, even if they are repeated', async () => {
  const { url, signal, ended } = await startServer();
  const { hostname, port } = new URL(url);
  const body = '{"amountDue":"45.00"}';
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const gone = once(socket, 'close');
  socket.write(
    `POST /demo/appointments HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  // A response on another connection proves that the half request has arrived.
  await send(url);
  signal('SIGTERM');
  signal('SIGINT');
  while (await accepts(Number(port), hostname)) signal('SIGTERM');
  socket.write(body.slice(5));
  await gone;
  expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});

test('a hundred failed logins from this machine do not shut out a new caller', async () => {
  const { url } = await startServer();
  for (let i = 0; i < 100; i += 1)
    readProblem(await send(`${url}/terminals`, { token: 'wrong' }), 401, 'unauthorized');
  expect((await send(`${url}/terminals`, { token: barber })).status).toBe(200);
});

test('a watched server stops before its deadline, and says so', async () => {
  const { stop } = await startWatched();
  const { code, stdout } = await stop();
  expect(stdout).toMatch(/\nStopped\.\n$/);
  expect(code).toBe(0);
});

test('a watched server comes back although it is killed again while it starts', async () => {
  const { url, pid, stop } = await startWatched();
  const serverOf = () =>
    Number(spawnSync('ps', ['-o', 'pid=', '--ppid', `${pid}`], { encoding: 'utf8' }).stdout);
  const served = serverOf();
  process.kill(served, 'SIGKILL');
  const starting = await until(() => {
    const next = serverOf();
    return next !== 0 && next !== served ? next : undefined;
  });
  process.kill(starting, 'SIGKILL');
  const { status } = await until(() => send(url).catch(() => undefined));
  expect(status).toBe(200);
  expect(serverOf()).not.toBe(starting);
  await stop();
});

test('on a full disk the server ends with a line that says why', async () => {
  // The kernel lets files grow no further.
  const { url, ended } = await startServer({}, 'ulimit -f 2048');
  const body = { amountDue: '45.00' };
  const isWritten = () =>
    send(`${url}/demo/appointments`, { body }).then(
      ({ status }) => status === 201,
      () => false,
    );
  while (await isWritten());
  const { code, stderr } = await ended;
  expect(stderr).toMatch(/^A COMMIT failed: [^\n]+; restart the process\. [^\n]+\n/);
  expect(code).toBe(1);
});

async function until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let left = 500; left > 0; left -= 1) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(20);
  }
  throw new Error('it did not come');
}

function accepts(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, host);
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
