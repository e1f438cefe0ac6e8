import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../src/migrate.ts';
import { two } from './fixtures/two-migrations.ts';
import { insertOf, newPath, openDatabase, openStore } from './helpers.ts';

it("leaves a host's own schema unchanged", async () => {
  const db = openDatabase();
  db.exec(`
    CREATE TABLE notes (text TEXT);
    CREATE VIEW long_notes AS SELECT text FROM notes;
    CREATE VIEW broken AS SELECT * FROM gone;
  `);
  const ownSchema = () =>
    db.prepare("SELECT * FROM sqlite_schema WHERE tbl_name NOT LIKE 'chairside%'").all();
  const before = ownSchema();
  openStore(db.name);
  expect(ownSchema()).toStrictEqual(before);
  expect(db.prepare('SELECT * FROM long_notes').all()).toEqual([]);
});

it('opens after a later version has added to the schema, and keeps its rows (D206)', async () => {
  const path = newPath();
  await openStore(path).close();
  const db = openDatabase(path);
  db.exec(`ALTER TABLE chairside_payments ADD COLUMN later TEXT NOT NULL DEFAULT 'x';
    INSERT INTO chairside_migrations VALUES (2, 'a hash', 1)`);
  const store = openStore(path);
  (await store.commit(insertOf('cpm_1')))._unsafeUnwrap();
  expect((await store.payments.get('cpm_1'))._unsafeUnwrap()?.id).toBe('cpm_1');
  expect(db.prepare('SELECT later FROM chairside_payments').pluck().all()).toEqual(['x']);
});

it('runs the steps that are missing, each once, and refuses the earlier code if a step says so', () => {
  const db = openDatabase();
  const first = { text: 'CREATE TABLE chairside_a (b)', oldestVersion: 1 };
  const adds = { text: 'ALTER TABLE chairside_a ADD COLUMN c', oldestVersion: 1 };
  const changes = { text: 'ALTER TABLE chairside_a DROP COLUMN b', oldestVersion: 3 };
  expect(migrate(db, { known: [first] }).kind).toBe('current');
  expect(migrate(db, { known: [first, adds] }).kind).toBe('current');
  expect(migrate(db, { known: [first] }).kind).toBe('current');
  expect(migrate(db, { known: [first, adds, changes] }).kind).toBe('current');
  expect(migrate(db, { known: [first, adds] })).toMatchObject({ reason: 'newerSchema' });
});

it('tells its progress on a large database (D206)', () => {
  const db = openDatabase();
  const told: string[] = [];
  const tell = ({ message }: Error) => told.push(message);
  const first = { text: 'CREATE TABLE chairside_a (b)', oldestVersion: 1 };
  const adds = { text: 'ALTER TABLE chairside_a ADD COLUMN c', oldestVersion: 1 };
  expect(migrate(db, { known: [first], tell }).kind).toBe('current');
  expect(told).toEqual([]);
  db.exec('INSERT INTO chairside_a VALUES (zeroblob(101000000))');
  expect(migrate(db, { known: [first, adds], tell }).kind).toBe('current');
  expect(told).toEqual([
    'Migration 2 of 2 begins on 102 MB: it blocks this process, and others wait for it',
    expect.stringMatching(/^Migration 2 of 2 has run for \d+\.\d s, and is committed now$/),
  ]);
});

/** Another process that opens a database which lacks a step. */
function openElsewhere(path: string, waitMs: number) {
  const script = join(import.meta.dirname, 'fixtures', 'migrating-process.ts');
  const args = ['--conditions=@chairside/source', '--no-warnings', script, path, `${waitMs}`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return createInterface(child.stdout)[Symbol.asyncIterator]();
}

it('waits for a process that upgrades the schema, and says so (D206)', async () => {
  const path = newPath();
  const db = openDatabase(path);
  db.pragma('journal_mode = WAL');
  expect(migrate(db, { known: two.slice(0, 1) }).kind).toBe('current');
  db.exec('BEGIN IMMEDIATE');
  const said = openElsewhere(path, 60_000);
  expect((await said.next()).value).toMatch(
    /^Opening has waited \d+ s: another process holds the write lock, probably to upgrade the schema\. It has 1 of 2 migrations$/,
  );
  db.exec('ROLLBACK');
  expect(migrate(db, { known: two }).kind).toBe('current');
  let last = '';
  for (let next = await said.next(); next.done !== true; next = await said.next())
    last = next.value;
  expect(last).toBe('current');
});

it('ends its wait with words that name the upgrade', async () => {
  const path = newPath();
  const db = openDatabase(path);
  db.pragma('journal_mode = WAL');
  migrate(db, { known: two.slice(0, 1) });
  db.exec('BEGIN IMMEDIATE');
  const said = openElsewhere(path, 0);
  expect((await said.next()).value).toMatch(
    /^locked: another process holds the write lock, probably to upgrade the schema\. It has 1 of 2 migrations\. Opening waited 0 s; open it again later/,
  );
});
