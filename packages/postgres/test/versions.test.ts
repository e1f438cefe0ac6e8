import type { Commit } from '@chairside/core';
import { aBarber, aPayment } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';
import { encodeCommit } from '../src/encode.ts';
import { functions } from '../src/functions/functions.ts';
import { openPostgresStore } from '../src/index.ts';
import { literalArray } from '../src/literal.ts';
import { initial } from '../src/migrations/0001-initial.ts';
import { sweepsTriedAt } from '../src/migrations/0002-sweeps-tried-at.ts';
import { eventsByDueTime } from '../src/migrations/0003-events-by-due-time.ts';
import { inSchema } from '../src/schema.ts';
import { commitOf, insertOf, newPool, newSchema, openStore } from './helpers.ts';

describe('nodes of two versions (D94)', () => {
  it('one from before the functions works beside one that has them', async () => {
    const schema = newSchema();
    const pool = newPool();
    const run = (text: string) => pool.query(inSchema(text, schema));
    await pool.query(`CREATE SCHEMA "${schema}"`);
    await run('CREATE TABLE @migrations (version BIGINT PRIMARY KEY)');
    for (const text of [initial, sweepsTriedAt, eventsByDueTime]) await run(text);
    await run('INSERT INTO @migrations VALUES (1), (2), (3)');
    /** Sends a commit as the earlier version does. */
    const earlier = (id: string) =>
      run(`WITH named AS (INSERT INTO @commits (id, at) VALUES ('${id}', 1)),
        moved AS (INSERT INTO @ledgers AS ledger
            (appointment_id, open_payments, reserved_minor, captured_minor)
          VALUES ('a', 1, 0, 0) ON CONFLICT (appointment_id) DO UPDATE
          SET open_payments = ledger.open_payments + excluded.open_payments RETURNING 1),
        put AS (INSERT INTO @setups (id, version, customer_id, save_payment_method, created_at,
            expires_at, next_check_at) VALUES ('${id}', 1, 'c', FALSE, 1, 2, 3))
        INSERT INTO @events (subject, version, type, occurred_at, data, attempts, deliver_at, is_dead)
        VALUES ('${id}', 1, 'contactlessPayment.created', 1, '{}', 0, 1, FALSE)`);
    await earlier('before');
    const store = await openStore({ schema }, pool);
    await earlier('beside');
    const move = {
      kind: 'moveLedger',
      appointmentId: 'a',
      openPayments: 1,
      reservedMinor: 0n,
      capturedMinor: 0n,
      currency: 'eur',
    } as const;
    (await store.commit(commitOf('new', move)))._unsafeUnwrap();
    await earlier('after');
    expect((await store.ledgers.get('a'))._unsafeUnwrap().openPayments).toBe(4);
    for (const id of ['before', 'beside', 'after']) {
      expect((await store.setups.get(id))._unsafeUnwrap()?.id).toBe(id);
      expect((await store.wasCommitted(id))._unsafeUnwrap()).toBe(true);
    }
    expect((await store.events.listDue(5, 9))._unsafeUnwrap()).toHaveLength(3);
    await store.close();
  });

  it('an open one and a later one with its own functions change the same appointments', async () => {
    const schema = newSchema();
    const pool = newPool();
    const run = (text: string) => pool.query(inSchema(text, schema));
    const store = await openStore({ schema }, pool);
    await run(`ALTER TABLE @ledgers ADD COLUMN refunded_minor BIGINT NOT NULL DEFAULT 0;
      INSERT INTO @migrations SELECT max(version) + 1 FROM @migrations;
      ${functions.replaceAll('_v1', '_v2')}`);
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
      const encoded = commits.map(encodeCommit);
      const turns = encoded.flatMap((commit) => commit.turns);
      const { rows } = await run(
        `SELECT @commit_v2(${literalArray(encoded)}, '{${turns}}', 1000) AS answers`,
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
