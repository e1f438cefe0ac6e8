import { createChairside, type ResultAsync } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { createManualClock } from '@chairside/testkit';
import { expect, it, onTestFinished } from 'vitest';
import type { PostgresStore } from '../src/index.ts';
import { insertOf, newPool, openStore } from './helpers.ts';
import { openWire, type Wire } from './wire.ts';

// What one caller sends must not cost the others: neither the message that their reads share, nor the
// connection that carries it.

async function given(): Promise<{ wire: Wire; store: PostgresStore }> {
  const wire = await openWire();
  const store = await openStore({ maxConnections: 1 }, wire.connectionString);
  onTestFinished(wire.close);
  (await store.commit(insertOf('there')))._unsafeUnwrap();
  return { wire, store };
}

const unstorable = ['a\0b', '\ud800'];

it.each(unstorable)('asks the server nothing about a key with %j', async (idempotencyKey) => {
  const { wire, store } = await given();
  const clock = createManualClock();
  const processor = createFakeProcessor({ clock });
  const chairside = createChairside({ store, processor, clock, rateLimits: 'off' });
  const ada = { subject: 'user-ada', barberId: 'ada' };
  // The clock of the server is asked for once.
  const missing = await chairside.getContactlessPayment(ada, { contactlessPaymentId: 'none' });
  expect(missing.isErr()).toBe(true);
  await chairside.settled();
  const before = wire.requests();
  const created = await chairside.createContactlessPayment(ada, {
    appointmentId: 'haircut',
    idempotencyKey,
  });
  const problem = created._unsafeUnwrapErr();
  expect([problem.status, problem.recovery.outcome]).toStrictEqual([400, 'notApplied']);
  await chairside.settled();
  expect(wire.requests() - before).toBe(0);
});

it.each(unstorable)('finds nothing under %j, and nothing else is read again', async (text) => {
  const { wire, store } = await given();
  const before = wire.requests();
  const all = (from: number): ResultAsync<unknown, unknown>[] =>
    Array.from({ length: from }, () => store.payments.get('there'));
  const reads = [...all(25), store.payments.get(text), store.keys.get('user', text), ...all(25)];
  const found = (await Promise.all(reads)).map((one) => one._unsafeUnwrap() !== undefined);
  expect(found.filter(Boolean)).toHaveLength(50);
  expect(wire.requests() - before).toBe(1);
});

it('keeps its connection after an error about a value', async () => {
  const pool = newPool({ max: 1 });
  const store = await openStore({ maxAttempts: 1 }, pool);
  onTestFinished(store.close);
  const pid = async () => (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
  const first = await pid();
  const tooLarge = 1e300;
  for (let n = 0; n < 3; n += 1) {
    expect((await store.payments.listDue(tooLarge, 1)).isErr()).toBe(true);
  }
  expect((await store.payments.get('none')).isOk()).toBe(true);
  expect(await pid()).toBe(first);
});
