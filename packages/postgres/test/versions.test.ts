import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Commit } from '@chairside/core/ports';
import { aBarber, aPayment } from '@chairside/testkit';
import type { Pool } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callOf } from '../src/commit-group.ts';
import { encodeCommit } from '../src/encode.ts';
import { functions } from '../src/functions/functions.ts';
import { released } from '../src/migrate.ts';
import { openWith } from '../src/open.ts';
import { inSchema } from '../src/schema.ts';
import {
  commitOf,
  connectionString,
  createSchema,
  hold,
  insertOf,
  newPlace,
  newPool,
  openStore,
} from './helpers.ts';
import { additive } from './next-version.ts';

async function versionsOf(pool: Pool, schema: string): Promise<string> {
  const { rows } = await pool.query<{ version: string }>(
    inSchema('SELECT version FROM @migrations ORDER BY version', schema),
  );
  return rows.map(({ version }) => version).join();
}

describe('nodes of two versions (D52)', () => {
  it('an open one and a later one with its own functions change the same appointments', async () => {
    const { schema, pool } = newPlace();
    const run = (text: string) => pool.query(inSchema(text, schema));
    const store = await openStore({ schema }, pool);
    /** The text of the function that the open node calls. */
    const calledText = async () => {
      const { rows } = await pool.query<{ text: string }>(
        `SELECT prosrc AS text FROM pg_proc WHERE proname = 'chairside_commit_v1'
         AND pronamespace = to_regnamespace($1)`,
        [`"${schema}"`],
      );
      return rows.map(({ text }) => text);
    };
    const before = await calledText();
    expect(before).toHaveLength(1);
    // The later version counts the moves of a ledger in a column of its own.
    const laterFunctions = functions
      .replaceAll('_v1', '_v2')
      .replaceAll('open_payments = ledger.open_payments + ', 'moves = ledger.moves + 1, $&');
    await run(`ALTER TABLE @ledgers ADD COLUMN moves BIGINT NOT NULL DEFAULT 0;
      ${laterFunctions}`);
    expect(await calledText()).toStrictEqual(before);
    const move = (id: string): Commit =>
      commitOf(id, {
        kind: 'moveLedger',
        appointmentId: 'a',
        openPayments: 1,
        reservedMinor: 5n,
        capturedMinor: 0n,
        currency: 'eur',
      });
    /** Sends a group as the later version does. */
    const later = async (commits: readonly Commit[]) => {
      const { rows } = await pool.query(
        callOf(inSchema('@commit_v2', schema), commits.map(encodeCommit), 1000),
      );
      expect(rows).toStrictEqual([{ answers: {} }]);
    };
    for (let round = 0; round < 10; round += 1) {
      const [answer] = await Promise.all([
        store.commit(move(`open ${round}`)),
        later([move(`later ${round}, 1`), move(`later ${round}, 2`)]),
      ]);
      answer._unsafeUnwrap();
    }
    const { rows } = await run('SELECT moves::INT FROM @ledgers');
    // The first move, of the open node or of the later one, inserted the row.
    expect([19, 20]).toContain(rows[0]?.moves);
    const ledger = (await store.ledgers.get('a'))._unsafeUnwrap();
    expect([ledger.openPayments, ledger.reservedMinor]).toStrictEqual([30, 150n]);
    for (const id of ['open 9', 'later 9, 2']) {
      expect((await store.wasCommitted(id))._unsafeUnwrap()).toBe(true);
      // A repetition by either version has one effect.
      (await store.commit(move(id)))._unsafeUnwrap();
    }
    expect((await store.ledgers.get('a'))._unsafeUnwrap().openPayments).toBe(30);
  });

  it('an open one keeps working while a later one adds columns, tables and functions', async () => {
    const { schema, pool } = newPlace();
    const run = (text: string) => pool.query(inSchema(text, schema));
    const store = await openStore({ schema }, pool);
    (await store.commit(insertOf('cpm_1')))._unsafeUnwrap();
    await run(`ALTER TABLE @payments ADD COLUMN record TEXT NOT NULL DEFAULT 'x';
      ALTER TABLE @barbers ADD COLUMN change JSONB;
      CREATE FUNCTION @commit_v9(JSONB) RETURNS JSONB LANGUAGE sql AS 'SELECT NULL::JSONB'`);
    (await store.commit(insertOf('cpm_2')))._unsafeUnwrap();
    (await store.commit(commitOf('b', { kind: 'putBarber', barber: aBarber() })))._unsafeUnwrap();
    const found = (await store.payments.get('cpm_2'))._unsafeUnwrap();
    expect(found).toStrictEqual(aPayment({ id: 'cpm_2' }));
  });

  it('an earlier one restarts on a schema that only grew, and not on another one', async () => {
    const { schema, pool } = newPlace();
    await createSchema(schema);
    await (await openWith(additive, pool, { schema }))._unsafeUnwrap().close();
    expect(await versionsOf(pool, schema)).toBe('1,2');
    const store = await openStore({ schema }, pool);
    (await store.commit(insertOf('cpm_1')))._unsafeUnwrap();
    await store.close();
    const third = [...additive, { text: 'ALTER TABLE @payments DROP note', oldestVersion: 2 }];
    await (await openWith(third, pool, { schema }))._unsafeUnwrap().close();
    const opened = await openWith(released, pool, { schema });
    expect(opened._unsafeUnwrapErr()).toMatchObject({
      reason: 'newerSchema',
      message: expect.stringContaining('which 2 or later may work with'),
    });
    await (await openWith(additive, pool, { schema }))._unsafeUnwrap().close();
  });
});

describe('a schema of an unreleased version (D206)', () => {
  it.each([
    ['whose text differed', `UPDATE @migrations SET hash = 'another'`],
    ['that kept no hashes', 'ALTER TABLE @migrations DROP hash, DROP oldest_version'],
    [
      'that counted its own steps',
      `INSERT INTO @migrations VALUES (2, 'x', 2), (8, 'y', 8);
      UPDATE @migrations SET hash = 'z' WHERE version = 1`,
    ],
  ])('%s is neither opened nor migrated', async (_, change) => {
    const { schema, pool } = newPlace();
    await createSchema(schema);
    await pool.query(inSchema(change, schema));
    const before = await versionsOf(pool, schema);
    for (const known of [released, additive]) {
      const opened = await openWith(known, pool, { schema });
      expect(opened._unsafeUnwrapErr()).toMatchObject({
        reason: 'unreleasedSchema',
        message: expect.stringContaining('unreleased version'),
      });
    }
    expect(await versionsOf(pool, schema)).toBe(before);
  });

  it('cannot take a schema of this version for one of its own', async () => {
    const { schema, pool } = newPlace();
    await createSchema(schema);
    // What a node of such a version sends for its step 2.
    const step = pool.query(inSchema('INSERT INTO @migrations (version) VALUES (2)', schema));
    await expect(step).rejects.toMatchObject({ code: '23502' });
  });
});

it('a migration that a statement_timeout ends says what to set, and leaves the schema', async () => {
  const { schema, pool } = newPlace();
  await createSchema(schema);
  const slow = [...released, { text: 'SELECT pg_sleep(60)', oldestVersion: 1 }];
  const limited = newPool({ options: '-c statement_timeout=200' });
  const opened = await openWith(slow, limited, { schema });
  expect(opened._unsafeUnwrapErr()).toMatchObject({
    reason: 'failed',
    message: expect.stringContaining('let the account that migrates have none'),
  });
  expect(await versionsOf(pool, schema)).toBe('1');
});

describe('a migration while somebody reads the table for long, as pg_dump does', () => {
  async function given() {
    const { schema, pool } = newPlace();
    const store = await openStore({ schema, deadlineMs: 2000 }, pool);
    (await store.commit(insertOf('cpm_1')))._unsafeUnwrap();
    const reader = await hold(schema, 'SELECT count(*) FROM @payments');
    return { schema, pool, store, reader };
  }

  it('stops no payment, and is applied when the reader has gone', async () => {
    const { schema, pool, store, reader } = await given();
    const opening = openWith(additive, newPool(), { schema });
    await reader.waitedFor();
    for (let count = 2; count < 22; count += 1) {
      (await store.commit(insertOf(`cpm_${count}`)))._unsafeUnwrap();
      (await store.payments.get(`cpm_${count}`))._unsafeUnwrap();
      await delay(100);
    }
    expect(await versionsOf(pool, schema)).toBe('1');
    await reader.release();
    await (await opening)._unsafeUnwrap().close();
    expect(await versionsOf(pool, schema)).toBe('1,2');
  });

  it('says how long it has waited, and why', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { schema, reader } = await given();
    const told: string[] = [];
    const onError = (error: unknown) => told.push(String(error));
    const opening = openWith(additive, newPool(), { schema, onError });
    await reader.waitedFor();
    const isTold = () => told.some((each) => /Migration 2 has taken \d+ s: it waits/.test(each));
    await expect.poll(() => vi.advanceTimersByTime(10_000) && isTold()).toBe(true);
    await reader.release();
    await (await opening)._unsafeUnwrap().close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends when its process is killed', async () => {
    const { schema, pool, reader } = await given();
    const file = new URL('fixtures/migrating-node.ts', import.meta.url).pathname;
    const child = spawn(
      process.execPath,
      ['--conditions=@chairside/source', file, connectionString, schema],
      { stdio: 'inherit' },
    );
    await reader.waitedFor();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await reader.release();
    await delay(1000);
    expect(await versionsOf(pool, schema)).toBe('1');
    // The earlier version restarts.
    await (await openWith(released, newPool(), { schema }))._unsafeUnwrap().close();
  });
});
