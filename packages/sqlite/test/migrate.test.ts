import { expect, it } from 'vitest';
import { initial } from '../src/migrations/0001-initial.ts';
import { sweepsTriedAt } from '../src/migrations/0002-sweeps-tried-at.ts';
import { openDatabase, openStore } from './helpers.ts';

it('keeps what an older version has written', async () => {
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

  for (const [id, isThere] of Object.entries({ a: true, b: true, c: false })) {
    expect((await store.wasCommitted(id))._unsafeUnwrap()).toBe(isThere);
  }
  const { type, data } = (await store.events.listDue(7, 9))._unsafeUnwrap()[0]?.event ?? {};
  expect({ type, data }).toStrictEqual({ type: 'contactlessPayment.created', data: { n: 1 } });
  expect((await store.events.listDue(6, 9))._unsafeUnwrap()).toStrictEqual([]);
  expect((await store.events.listDead(9))._unsafeUnwrap()).toMatchObject([
    { event: { subject: 'cpm_2', version: 1 }, attempts: 10 },
  ]);
  // The oldest commits go first, and what waits behind an event comes when that is gone.
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

it("leaves alone what a host's own schema says of it", () => {
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
