import type { Commit } from '@chairside/core';
import { aBarber, aPayment } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';
import { callOf } from '../src/commit-group.ts';
import { encodeCommit } from '../src/encode.ts';
import { functions } from '../src/functions/functions.ts';
import { openPostgresStore } from '../src/index.ts';
import { inSchema } from '../src/schema.ts';
import { commitOf, insertOf, newPool, newSchema, openStore } from './helpers.ts';

describe('nodes of two versions (D52)', () => {
  it('an open one and a later one with its own functions change the same appointments', async () => {
    const schema = newSchema();
    const pool = newPool();
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
      INSERT INTO @migrations SELECT max(version) + 1 FROM @migrations;
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
      const { rows } = await run(callOf('@commit_v2', commits.map(encodeCommit), 1000));
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
    await store.close();
  });

  it('an open one keeps working while a later one adds columns, tables and functions', async () => {
    const schema = newSchema();
    const pool = newPool();
    const run = (text: string) => pool.query(inSchema(text, schema));
    const store = await openStore({ schema }, pool);
    (await store.commit(insertOf('cpm_1')))._unsafeUnwrap();
    await run(`ALTER TABLE @payments ADD COLUMN record TEXT NOT NULL DEFAULT 'x';
      ALTER TABLE @barbers ADD COLUMN change JSONB;
      CREATE FUNCTION @commit_v9(JSONB) RETURNS JSONB LANGUAGE sql AS 'SELECT NULL::JSONB';
      INSERT INTO @migrations SELECT max(version) + 1 FROM @migrations`);
    (await store.commit(insertOf('cpm_2')))._unsafeUnwrap();
    (await store.commit(commitOf('b', { kind: 'putBarber', barber: aBarber() })))._unsafeUnwrap();
    const found = (await store.payments.get('cpm_2'))._unsafeUnwrap();
    expect(found).toStrictEqual(aPayment({ id: 'cpm_2' }));
    await store.close();
    const opened = await openPostgresStore(pool, { schema });
    expect(opened._unsafeUnwrapErr().reason).toBe('newerSchema');
  });
});
