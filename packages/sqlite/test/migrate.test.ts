import { expect, it } from 'vitest';
import { initial } from '../src/migrations/0001-initial.ts';
import { sweepsTriedAt } from '../src/migrations/0002-sweeps-tried-at.ts';
import { inOrderOfWriting } from '../src/migrations/0003-in-order-of-writing.ts';
import { openDatabase, openStore } from './helpers.ts';

it('keeps the records of an older version', async () => {
  const db = openDatabase();
  db.exec(initial);
  db.exec(sweepsTriedAt);
  db.exec(`
    CREATE TABLE chairside_migrations (version INTEGER PRIMARY KEY) STRICT;
    INSERT INTO chairside_migrations VALUES (1), (2);
    INSERT INTO chairside_commits VALUES ('b', 1), ('a', 2);
    INSERT INTO chairside_events VALUES
      ('cpm_1', 1, 'contactlessPayment.created', 5, '{"n":1}', 1, 7, 0),
      ('cpm_1', 2, 'contactlessPayment.captured', 6, '{"n":2}', 0, NULL, 0),
      ('cpm_2', 1, 'contactlessPayment.created', 4, '{"n":3}', 10, NULL, 1);
  `);
  const store = openStore(db);

  for (const [id, isThere] of Object.entries({ a: true, b: true, d: false })) {
    expect((await store.wasCommitted(id))._unsafeUnwrap()).toBe(isThere);
  }
  const { type, data } = (await store.events.listDue(7, 9))._unsafeUnwrap()[0]?.event ?? {};
  expect({ type, data }).toStrictEqual({ type: 'contactlessPayment.created', data: { n: 1 } });
  expect((await store.events.listDue(6, 9))._unsafeUnwrap()).toStrictEqual([]);
  expect((await store.events.listDead(9))._unsafeUnwrap()).toMatchObject([
    { event: { subject: 'cpm_2', version: 1 }, attempts: 10 },
  ]);
  // The oldest commits are deleted first, and the event behind a removed one becomes due.
  const forget = { kind: 'forget', now: 9, processorEventsBefore: 0, eventsBefore: 0 } as const;
  const remove = { kind: 'removeEvent', subject: 'cpm_1', version: 1, deliverAt: 9 } as const;
  const changes = [{ ...forget, commitsBefore: 2, limit: 1 }, remove];
  expect((await store.commit({ id: 'c', at: 9, changes })).isOk()).toBe(true);
  expect((await store.wasCommitted('b'))._unsafeUnwrap()).toBe(false);
  expect((await store.wasCommitted('a'))._unsafeUnwrap()).toBe(true);
  expect((await store.events.listDue(9, 9))._unsafeUnwrap()).toMatchObject([
    { event: { subject: 'cpm_1', version: 2, data: { n: 2 } }, attempts: 0 },
  ]);
  await store.close();
  db.close();
});

it('learns the currency of older ledgers from their payments', async () => {
  const db = openDatabase();
  for (const sql of [initial, sweepsTriedAt, inOrderOfWriting]) db.exec(sql);
  db.exec(`
    CREATE TABLE chairside_migrations (version INTEGER PRIMARY KEY) STRICT;
    INSERT INTO chairside_migrations VALUES (1), (2), (3);
    INSERT INTO chairside_ledgers VALUES
      ('captured', 0, 0, 4500), ('reserved', 1, 2000, 0), ('open', 1, 0, 0), ('unknown', 0, 0, 5);
  `);
  const insert = db.prepare(`INSERT INTO chairside_payments
    (id, appointment_id, appointment, business_id, account, currency, amount_minor, created_at,
     state, version, expires_at, updated_at, reserved, checks, timeline)
    VALUES (?, ?, '{}', 'shop', 'acct', ?, 1, ?, ?, 1, 1, 1, ?, 0, '[]')`);
  insert.run('cpm_1', 'captured', 'eur', 1, 'captured', 0);
  insert.run('cpm_2', 'captured', 'usd', 2, 'canceled', 0);
  insert.run('cpm_3', 'reserved', 'usd', 1, 'authorized', 1);
  insert.run('cpm_4', 'open', 'usd', 1, 'created', 0);
  const store = openStore(db);
  const currencyOf = async (id: string) => (await store.ledgers.get(id))._unsafeUnwrap().currency;
  expect(await currencyOf('captured')).toBe('eur');
  expect(await currencyOf('reserved')).toBe('usd');
  expect(await currencyOf('open')).toBeUndefined();
  expect(await currencyOf('unknown')).toBeUndefined();

  const reserve = (appointmentId: string, currency: string) => ({
    kind: 'moveLedger' as const,
    appointmentId,
    openPayments: 0,
    reservedMinor: 1n,
    capturedMinor: 0n,
    currency,
    maxCommittedMinor: 9000n,
  });
  const commit = (id: string, currency: string) =>
    store.commit({ id: `${id} ${currency}`, at: 1, changes: [reserve(id, currency)] });
  expect((await commit('captured', 'usd')).isErr()).toBe(true);
  expect((await commit('captured', 'eur')).isOk()).toBe(true);
  // A row of an earlier version that still runs: the next reservation sets its currency.
  expect((await commit('unknown', 'usd')).isOk()).toBe(true);
  expect(await currencyOf('unknown')).toBe('usd');
  await store.close();
  db.close();
});

it('lists payments that were marked for review, and erases unneeded secrets', async () => {
  const db = openDatabase();
  for (const step of [initial, sweepsTriedAt, inOrderOfWriting]) db.exec(step);
  const insert = db.prepare(`INSERT INTO chairside_payments
    (id, appointment_id, appointment, business_id, account, currency, amount_minor, created_at,
     state, version, client_secret, reference, expires_at, updated_at, reserved, next_check_at,
     checks, review, timeline)
    VALUES (?, 'a', '{}', 'shop', 'acct_1', 'eur', 1, 1, ?, 1, 'secret', 'pi_1', 9, 8, 0, ?, 0, ?, '[]')`);
  insert.run('cpm_01h', 'captured', null, 'capturedAnotherAmount');
  insert.run('cpm_02h', 'captured', 99, null);
  insert.run('cpm_03h', 'authorized', 99, null);
  db.exec(`
    CREATE TABLE chairside_migrations (version INTEGER PRIMARY KEY) STRICT;
    INSERT INTO chairside_migrations VALUES (1), (2), (3);
  `);
  const store = openStore(db);
  const about = { account: 'acct_1', paymentId: 'cpm_01h', reference: 'pi_1', openedAt: 8 };
  expect((await store.reviews.list('open', 9))._unsafeUnwrap()).toStrictEqual([
    { id: 'rev_01h', reason: 'capturedAnotherAmount', ...about },
  ]);
  const secretOf = async (id: string) =>
    (await store.payments.get(id))._unsafeUnwrap()?.clientSecret;
  expect(await secretOf('cpm_01h')).toBe('');
  expect(await secretOf('cpm_02h')).toBe('secret');
  expect(await secretOf('cpm_03h')).toBe('secret');
  await store.close();
  db.close();
});

it("leaves a host's own schema unchanged", () => {
  const db = openDatabase();
  db.exec(initial);
  db.exec(`
    CREATE VIEW waiting AS SELECT subject FROM chairside_events;
    CREATE VIEW broken AS SELECT * FROM gone;
    CREATE TABLE chairside_migrations (version INTEGER PRIMARY KEY) STRICT;
    INSERT INTO chairside_migrations VALUES (1);
  `);
  openStore(db);
  expect(db.prepare('SELECT * FROM waiting').all()).toEqual([]);
  db.close();
});
