import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ResultAsync } from '@chairside/core';
import { createMapStore } from '@chairside/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Choices, createProject } from '../src/index.ts';

/** A new project, with a store of this test and no appointments. Returns its folder. */
function newShop(
  store: unknown,
  table: object = {},
  host: Choices['host'] = 'h3',
  close: () => Promise<void> = async () => undefined,
): string {
  // Below the workspace, so that its imports are found.
  const folder = mkdtempSync(join(import.meta.dirname, 'shop-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  createProject(folder, { host, store: 'sqlite', processor: 'fake' });
  vi.stubEnv('INSTALLATION', 'test');
  vi.stubEnv('DATABASE', join(folder, 'shop.db'));
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubGlobal('openDatabase', async () => ({
    store,
    appointments: { list: async () => [{}], get: async () => undefined, ...table },
    close,
  }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const database = 'export const openDatabase = () => globalThis.openDatabase();\n';
  writeFileSync(join(folder, 'src/database.ts'), database);
  // A login that a test can break.
  const shop = join(folder, 'src/shop.ts');
  const login = 'const authenticate = (token: string) => ';
  expect(readFileSync(shop, 'utf8')).toContain(login);
  const text = readFileSync(shop, 'utf8').replace(login, `${login} globalThis.break?.() ?? `);
  writeFileSync(shop, text);
  return folder;
}

async function openShop(store: unknown, table?: object) {
  const folder = newShop(store, table);
  const { openShop: open } = await import(join(folder, 'src/shop.ts'));
  const { openProcessor } = await import(join(folder, 'src/processor.ts'));
  const payer = openProcessor();
  return { ...(await open(payer)), payer };
}

it('runs no upkeep behind one that takes long, so that the process can end', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = createMapStore();
  const { listDue } = store.events;
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let runs = 0;
  const events: typeof store.events = {
    ...store.events,
    listDue(...asked) {
      // A run reads the due events once, and beside them the oldest and those of any time.
      const isDue = Math.abs(asked[0] - Date.now()) < 86_400_000;
      if (isDue) runs += 1;
      return ResultAsync.fromSafePromise(held).andThen(() => listDue(...asked));
    },
  };
  const shop = await openShop({ ...store, events });
  for (let ticks = 0; ticks < 20; ticks += 1) {
    vi.advanceTimersByTime(3000);
    await nextTurn();
  }
  const closing = shop.close();
  goOn();
  await closing;
  expect(runs).toBe(1);
});

it('logs each failure of its own code', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => told.mockRestore());
  const row = { id: 'haircut', startsAt: '2027-01-04T09:00:00.000Z', price: 4500, paid: 0 };
  const record = async () => Promise.reject(new Error('the table is locked'));
  const shop = await openShop(createMapStore(), { get: async () => row, record });
  onTestFinished(() => shop.close());
  let calls = 0;
  const post = (path: string, body: object = {}) =>
    shop.payments.fetch(
      new Request(`http://shop.example/${path}`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer session-of-ada',
          'content-type': 'application/json',
          'idempotency-key': `key-${++calls}`,
        },
        body: JSON.stringify(body),
      }),
    );
  const open = () => post('appointments/haircut/contactlessPayments');

  const { id, clientSecret } = await (await open()).json();
  const externalPaymentReference = shop.payer.tap(clientSecret);
  expect((await post(`contactlessPayments/${id}/captured`, { externalPaymentReference })).ok).toBe(
    true,
  );
  await shop.upkeep();
  row.startsAt = '2027-01-04 09:00:00';
  expect((await open()).status).toBe(500);
  vi.stubGlobal('break', () => {
    throw new Error('the sessions are gone');
  });
  expect((await open()).status).toBe(503);
  expect(told.mock.calls).toEqual([
    ['deliverEvents: Error: the table is locked'],
    [expect.stringMatching(/^store: TypeError: appointment haircut: .occursOn must be a time /)],
    [expect.stringMatching(/^request .+: Error: the sessions are gone$/)],
  ]);
});

it('goes on although its handler of an event hangs', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => told.mockRestore());
  const row = { id: 'haircut', startsAt: '2027-01-04T09:00:00.000Z', price: 4500, paid: 0 };
  const record = () => new Promise(() => {});
  const shop = await openShop(createMapStore(), { get: async () => row, record });
  onTestFinished(() => shop.close());
  const ada = { subject: 'ada', barberId: 'ada' };
  const order = { appointmentId: 'haircut', idempotencyKey: 'key-1', body: {} };
  const { id, clientSecret } = (
    await shop.chairside.createContactlessPayment(ada, order)
  )._unsafeUnwrap();
  const body = { externalPaymentReference: shop.payer.tap(clientSecret) };
  const paid = { contactlessPaymentId: id, idempotencyKey: 'key-2', body };
  (await shop.chairside.captureContactlessPayment(ada, paid))._unsafeUnwrap();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const running = shop.upkeep();
  await vi.advanceTimersByTimeAsync(30_000);
  await running;
  expect(told.mock.calls).toEqual([['deliverEvents: Error: the handler hangs']]);
});

it.each([
  ['no proxies', undefined, () => '192.0.2.1', Array(31).fill(401)],
  [
    'two proxies',
    '2',
    (at: number) => `198.51.100.${at}, 192.0.2.1, 10.0.0.${at}`,
    [...Array(30).fill(401), 429],
  ],
])('counts failed logins in Next.js by what %s append', async (_, proxies, headerOf, expected) => {
  vi.stubEnv('TRUSTED_PROXIES', proxies);
  const folder = newShop(createMapStore(), {}, 'next');
  vi.stubGlobal('shop', undefined);
  const { shop } = await import(join(folder, 'src/opened.ts'));
  const { payments, close } = await shop();
  onTestFinished(close);
  const statusFor = async (forwarded: string) => {
    const headers = { authorization: 'Bearer guess', 'x-forwarded-for': forwarded };
    const request = new Request('http://shop.example/payments/terminals', { headers });
    return (await payments.fetchWithBasePath(request)).status;
  };
  const statuses: number[] = [];
  for (let at = 0; at <= 30; at += 1) statuses.push(await statusFor(headerOf(at)));
  expect(statuses).toEqual(expected);
  expect(await statusFor('192.0.2.2, 10.0.0.1')).toBe(401);
});

it('opens for the operator without its regular work', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = newShop(createMapStore());
  const { default: open } = await import(join(folder, 'chairside.config.ts'));
  const { chairside, deliver, businesses, close } = await open();
  expect(vi.getTimerCount()).toBe(0);
  expect([typeof deliver, businesses]).toEqual(['function', ['shop']]);
  expect((await chairside.listReviews()).isOk()).toBe(true);
  await close();
});

it('opens the shop when Next.js starts, and again after a start that failed', async () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => told.mockRestore());
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let isReachable = false;
  const list = vi.fn(async () => {
    if (!isReachable) throw new Error('connect ECONNREFUSED');
    return [{}];
  });
  const close = vi.fn(async () => undefined);
  const folder = newShop(createMapStore(), { list }, 'next', close);
  vi.stubGlobal('shop', undefined);
  const { register } = await import(join(folder, 'src/instrumentation.ts'));
  vi.stubEnv('NEXT_RUNTIME', 'edge');
  await register();
  vi.stubEnv('NEXT_RUNTIME', 'nodejs');
  const { shop } = await import(join(folder, 'src/opened.ts'));
  await register();
  await expect(shop()).rejects.toThrow('ECONNREFUSED');
  expect(told.mock.calls.map(String)).toEqual(['Error: connect ECONNREFUSED']);
  expect(close).toHaveBeenCalledTimes(2);
  isReachable = true;
  vi.advanceTimersByTime(10_000);
  const opened = await shop();
  expect([list.mock.calls.length, vi.getTimerCount()]).toEqual([3, 1]);
  await opened.close();
});
