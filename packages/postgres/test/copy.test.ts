import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Change, Store } from '@chairside/core/ports';
import { copySqliteToPostgres } from '@chairside/postgres/copy';
import { openSqliteStore } from '@chairside/sqlite';
import {
  aDispute,
  aFinancialAccount,
  aKeyRecord,
  anAppointment,
  anEvent,
  aPayment,
  aProblem,
  aRefund,
  aSetup,
  aTender,
  aTerminal,
  someTime,
} from '@chairside/testkit';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import {
  commitOf,
  connectionString,
  createSchema,
  hold,
  insertOf,
  newSchema,
  openStore,
  startServer,
} from './helpers.ts';
import { openWire } from './wire.ts';

const folder = mkdtempSync(join(tmpdir(), 'chairside-copy-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

/** A closed SQLite file with these changes. */
async function sqliteWith(...changes: readonly Change[]): Promise<string> {
  const path = join(folder, `${++files}.db`);
  const store = openSqliteStore(path)._unsafeUnwrap();
  (await store.commit(commitOf('all', ...changes)))._unsafeUnwrap();
  await store.close();
  return path;
}

/** A person says that the file counts again. */
function openAgain(sqlitePath: string): void {
  const db = new BetterSqlite3(sqlitePath);
  db.exec('DROP TRIGGER chairside_moving');
  db.close();
}

/** The file opens, so that its shop may go on. */
async function expectToOpen(sqlitePath: string): Promise<void> {
  await openSqliteStore(sqlitePath)._unsafeUnwrap().close();
}

const id = `\u{1F600} "it's"\n\\`;
const aBitOfAll: readonly Change[] = [
  {
    kind: 'insertPayment',
    payment: aPayment({ id, amountMinor: 999_999_999_999_999n, reserved: true, nextCheckAt: 1 }),
  },
  { kind: 'insertKey', record: aKeyRecord({ key: id, problem: aProblem({ detail: id }) }) },
  { kind: 'appendEvent', event: anEvent({ subject: id, version: 1 }) },
  { kind: 'appendEvent', event: anEvent({ subject: id, version: 2 }) },
  { kind: 'postponeEvent', subject: id, version: 1 },
  {
    kind: 'moveLedger',
    appointmentId: id,
    openPayments: 1,
    reservedMinor: 2n,
    capturedMinor: 2n ** 52n,
    tenderedMinor: 3n,
    currency: 'eur',
  },
  { kind: 'insertSetup', setup: aSetup({ savePaymentMethod: true }) },
  { kind: 'insertTerminal', terminal: aTerminal() },
  { kind: 'insertActor', actor: { number: 7, subject: 'user-1' } },
  { kind: 'putAppointment', appointment: anAppointment({ id }) },
  { kind: 'putFinancialAccount', account: aFinancialAccount({ isDefault: true }) },
  { kind: 'insertProcessorEvent', id: 'evt_1', at: someTime },
  {
    kind: 'insertReview',
    review: { id: 'rev_1', version: 1, reason: 'unsettled', account: 'acct_1', openedAt: someTime },
  },
  { kind: 'insertRefund', refund: aRefund({ id }) },
  { kind: 'insertDispute', dispute: aDispute({ id }) },
  { kind: 'insertTender', tender: aTender({ amountMinor: 2n ** 52n, note: 'n:1' }) },
];

async function seen(store: Store): Promise<readonly unknown[]> {
  const reads = await Promise.all([
    store.payments.get(id),
    store.payments.listDue(1, 9),
    store.keys.get('user-1', id),
    store.events.listDead(9),
    store.ledgers.get(id),
    store.setups.get('pms_1'),
    store.terminals.get('trm_1'),
    store.actors.get(7),
    store.appointments.get(id),
    store.financialAccounts.get('account-1'),
    store.processorEvents.has('evt_1'),
    store.sweeps.listStale(Number.MAX_SAFE_INTEGER, 9),
    store.reviews.get('rev_1'),
    store.refunds.get(id),
    store.disputes.get(id),
    store.tenders.get('tnd_1'),
    store.wasCommitted('all'),
  ]);
  return reads.map((read) => (read.isOk() ? read.value : read.error));
}

describe('a copy of a SQLite file', () => {
  it('returns the same records', async () => {
    const sqlitePath = await sqliteWith(...aBitOfAll);
    const schema = newSchema();
    const copied = await copySqliteToPostgres({ sqlitePath, connectionString, schema });
    const rows = copied._unsafeUnwrap().map(({ table, rows }) => [table, rows]);
    expect(Object.fromEntries(rows)).toMatchObject({
      chairside_payments: 1,
      chairside_events: 2,
      chairside_commits: 1,
      chairside_schedules: 0,
    });
    expect(rows).toHaveLength(25);
    expect(openSqliteStore(sqlitePath)._unsafeUnwrapErr()).toMatchObject({ reason: 'moving' });
    openAgain(sqlitePath);
    const before = openSqliteStore(sqlitePath)._unsafeUnwrap();
    const after = await openStore({ schema });
    expect(await seen(after)).toStrictEqual(await seen(before));
    await before.close();
    await after.close();
  });

  it('holds more rows than one batch', async () => {
    const payments = Array.from({ length: 1234 }, (_, n) => aPayment({ id: `${n}` }));
    const sqlitePath = await sqliteWith(
      ...payments.map((payment): Change => ({ kind: 'insertPayment', payment })),
    );
    const schema = newSchema();
    const copied = await copySqliteToPostgres({ sqlitePath, connectionString, schema });
    expect(copied._unsafeUnwrap().find(({ table }) => table === 'chairside_payments')?.rows).toBe(
      1234,
    );
  });

  it('is refused over existing records', async () => {
    const sqlitePath = await sqliteWith(...aBitOfAll);
    const schema = newSchema();
    const store = await openStore({ schema });
    (await store.commit(insertOf('theirs')))._unsafeUnwrap();
    const copied = await copySqliteToPostgres({ sqlitePath, connectionString, schema });
    expect(copied._unsafeUnwrapErr().message).toMatch(/is not empty$/);
    expect((await store.payments.get('theirs'))._unsafeUnwrap()).toBeDefined();
    expect((await store.payments.get(id))._unsafeUnwrap()).toBeUndefined();
    await store.close();
    await expectToOpen(sqlitePath);
  });

  it.each([
    ['a table more', 'CREATE TABLE chairside_later (a)', /only one side has chairside_later$/],
    ['a table less', 'DROP TABLE chairside_schedules', /only one side has chairside_schedules$/],
    [
      'another version',
      "INSERT INTO chairside_migrations VALUES (2, 'a hash', 1)",
      /^the versions of the schemas differ, 2 and 1;/,
    ],
  ])('is refused from a file with %s (D206)', async (_, change, message) => {
    const sqlitePath = await sqliteWith(...aBitOfAll);
    const db = new BetterSqlite3(sqlitePath);
    db.exec(change);
    const copied = await copySqliteToPostgres({
      sqlitePath,
      connectionString,
      schema: newSchema(),
    });
    expect(copied._unsafeUnwrapErr()).toMatchObject({ outcome: 'nothingCopied' });
    expect(copied._unsafeUnwrapErr().message).toMatch(message);
    const mark = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'chairside_moving'").get();
    expect(mark).toBeUndefined();
    db.close();
  });

  it('is refused while another connection writes to PostgreSQL (D206)', async () => {
    const sqlitePath = await sqliteWith(...aBitOfAll);
    const schema = await createSchema();
    const other = await hold(schema, `INSERT INTO @processor_events VALUES ('x', 1)`);
    const copied = await copySqliteToPostgres({ sqlitePath, connectionString, schema });
    await other.release('COMMIT');
    expect(copied._unsafeUnwrapErr().message).toMatch(/lock timeout/);
    await expectToOpen(sqlitePath);
  }, 30_000);

  it('ends the commits of a process that has the file open (D206)', async () => {
    const sqlitePath = await sqliteWith(...aBitOfAll);
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const running = openSqliteStore(sqlitePath, { onError })._unsafeUnwrap();
    const schema = newSchema();
    const first = await copySqliteToPostgres({ sqlitePath, connectionString, schema });
    expect(first.isOk()).toBe(true);
    expect((await running.commit(insertOf('late')))._unsafeUnwrapErr()).toMatchObject({
      outcome: 'notApplied',
    });
    expect(String(errors)).toContain('the records move to another store');
    // A second copy is refused, and its failure does not open the file again.
    const second = await copySqliteToPostgres({ sqlitePath, connectionString, schema });
    expect(second._unsafeUnwrapErr().message).toMatch(/is not empty$/);
    expect(openSqliteStore(sqlitePath)._unsafeUnwrapErr().reason).toBe('moving');
    await running.close();
  });

  it('is refused during writes to SQLite', async () => {
    const sqlitePath = await sqliteWith();
    const writer = new BetterSqlite3(sqlitePath);
    writer.exec('BEGIN IMMEDIATE');
    const schema = newSchema();
    const copied = await copySqliteToPostgres({ sqlitePath, connectionString, schema });
    expect(copied._unsafeUnwrapErr().message).toMatch(/locked/);
    writer.close();
  });

  it('is refused for a missing file', async () => {
    const sqlitePath = join(folder, 'no.db');
    const schema = newSchema();
    const copied = await copySqliteToPostgres({ sqlitePath, connectionString, schema });
    expect(copied.isErr()).toBe(true);
  });
});

describe('the command', () => {
  const command = join(import.meta.dirname, '..', 'src', 'copy-command.ts');
  const args = ['--conditions=@chairside/source', '--no-warnings', command];

  it('copies, and prints the tables', async () => {
    const sqlitePath = await sqliteWith(...aBitOfAll);
    const env = { ...process.env, DATABASE_URL: connectionString };
    const told = execFileSync(process.execPath, [...args, sqlitePath, newSchema()], { env });
    expect(told.toString()).toMatch(/chairside_payments +1 {2}[0-9a-f]{16}\n/);
    expect(told.toString()).toMatch(
      /Both sides have the same rows\. The file does not open any more\.\n$/,
    );
  });

  it('copies to a service that makes its log durable elsewhere, if it is told to', async () => {
    const server = await startServer({ settings: { fsync: 'off' } });
    const sqlitePath = await sqliteWith(...aBitOfAll);
    const env = { ...process.env, DATABASE_URL: server.connectionString };
    const copy = (...flags: readonly string[]) =>
      spawnSync(process.execPath, [...args, ...flags, sqlitePath], { env });
    expect(copy().stderr.toString()).toMatch(/^Nothing was copied: fsync is off/);
    expect(copy('--durability-provided-by-service').status).toBe(0);
  });

  it.each([
    ['to the end', 'COMMIT', /^All records may be copied, or none: /],
    ['to an earlier step', 'FETCH', /^Nothing was copied: /],
  ] as const)('reports an uncertain outcome if the reply %s is lost', async (_, marker, told) => {
    const sqlitePath = await sqliteWith(...aBitOfAll);
    const schema = await createSchema();
    const wire = await openWire();
    wire.strike({ marker, fault: 'loseReply' });
    const env = { ...process.env, DATABASE_URL: wire.connectionString };
    const child = spawn(process.execPath, [...args, sqlitePath, schema], { env });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    await wire.close();
    expect(said).toMatch(told);
    expect(code).toBe(1);
    expect(openSqliteStore(sqlitePath).isErr()).toBe(marker === 'COMMIT');
  });

  it('prints its usage', () => {
    const { status, stderr } = spawnSync(process.execPath, args);
    expect(status).toBe(2);
    expect(stderr.toString()).toContain('DATABASE_URL');
  });
});
