import { aPayment } from '@chairside/testkit';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { commitOf, insertOf, newPool, newSchema, openStore } from './helpers.ts';

const role = `other_${newSchema().slice(-12)}`;
const evil = newSchema();
const admin = newPool();

beforeAll(async () => {
  await admin.query(`CREATE ROLE "${role}"; CREATE SCHEMA "${evil}";
    CREATE TABLE "${evil}".chairside_payments (id TEXT);
    CREATE FUNCTION "${evil}".jsonb_array_length(JSONB) RETURNS INT LANGUAGE sql AS 'SELECT 0';
    CREATE FUNCTION "${evil}".never(TEXT, TEXT) RETURNS BOOLEAN LANGUAGE sql AS 'SELECT FALSE';
    CREATE OPERATOR "${evil}".= (LEFTARG = TEXT, RIGHTARG = TEXT, FUNCTION = "${evil}".never);
    GRANT USAGE ON SCHEMA "${evil}" TO PUBLIC`);
});
afterAll(async () => {
  await admin.query(`DROP SCHEMA "${evil}" CASCADE; DROP ROLE "${role}"`);
});

/** The server ends such a commit, and it is written on another connection. */
const impatient = 'gives up on statements that take long';
/** The states in which a host may return a connection. */
const habits: Readonly<Record<string, string>> = {
  'drops all that a session has': 'DISCARD ALL',
  'drops its plans': 'DEALLOCATE ALL',
  'looks for tables, functions and operators elsewhere': `SET search_path = "${evil}", pg_catalog`,
  'takes another role': `SET ROLE "${role}"`,
  'does not wait for the flush': 'SET synchronous_commit = off',
  'writes another encoding': `SET client_encoding = 'LATIN1'`,
  'quotes in the old way': 'SET standard_conforming_strings = off',
  'wants serializable transactions': 'SET default_transaction_isolation = serializable',
  'only reads': 'SET default_transaction_read_only = on',
  'gives up on locks at once': 'SET lock_timeout = 1',
  [impatient]: 'SET statement_timeout = 300',
  'hears no warning': 'SET client_min_messages = error',
  'checks functions more strictly': `SET plpgsql.extra_errors = 'all'`,
  'resolves names in functions otherwise': `SET plpgsql.variable_conflict = error`,
  'has another way with NULL': 'SET array_nulls = off; SET transform_null_equals = on',
  'has a table of the same name': 'CREATE TEMP TABLE chairside_payments (id TEXT)',
  'leaves a transaction open': 'BEGIN; SELECT 1',
  'leaves a failed transaction open': 'BEGIN; SELECT 1 / 0',
};

async function does(pool: Pool, sql: string): Promise<void> {
  const client = await pool.connect();
  await client.query(sql).catch(() => undefined);
  client.release();
}

describe.each([true, false])('on a pool of the host, pipeline: %s,', (pipeline) => {
  it.each(Object.keys(habits))('a commit is unaffected if the host %s', async (habit) => {
    const schema = newSchema();
    const types = { getTypeParser: () => () => 'not what you think' };
    const pool = newPool({ max: 1, pipeline, types });
    const store = (await openPostgresStore(pool, { schema }))._unsafeUnwrap();
    // Prints at the end of a transaction whether it waits for its flush.
    await admin.query(`CREATE TABLE "${schema}".probe (setting TEXT);
      GRANT ALL ON "${schema}".probe TO PUBLIC;
      CREATE FUNCTION "${schema}".probe() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO "${schema}".probe VALUES (pg_catalog.current_setting('synchronous_commit'));
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER probe AFTER INSERT ON "${schema}".chairside_commits
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "${schema}".probe();
      CREATE SEQUENCE "${schema}".tries;
      GRANT ALL ON SEQUENCE "${schema}".tries TO PUBLIC;
      CREATE FUNCTION "${schema}".try() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
        PERFORM nextval('"${schema}".tries');
        PERFORM pg_catalog.pg_sleep(${habit === impatient ? 0.5 : 0});
        RETURN NEW;
      END $$;
      CREATE TRIGGER try BEFORE INSERT ON "${schema}".chairside_commits
      FOR EACH ROW EXECUTE FUNCTION "${schema}".try()`);
    const payment = aPayment({ id: `cpm_'\\é\u{1F600}`, clientSecret: '\\u0041 \\\\ ' });

    await does(pool, habits[habit] ?? '');
    (await store.commit(commitOf('1', { kind: 'insertPayment', payment })))._unsafeUnwrap();
    // A group that cannot be written set by set would be tried again, one by one.
    const tries = await admin.query(`SELECT last_value FROM "${schema}".tries`);
    expect(tries.rows).toStrictEqual([{ last_value: habit === impatient ? '2' : '1' }]);
    await does(pool, habits[habit] ?? '');
    expect((await store.payments.get(payment.id))._unsafeUnwrap()).toStrictEqual(payment);
    await does(pool, habits[habit] ?? '');
    const again = await store.commit(commitOf('2', { kind: 'insertPayment', payment }));
    expect(again._unsafeUnwrapErr()).toMatchObject({ change: 'insertPayment' });
    await does(pool, habits[habit] ?? '');
    expect((await store.wasCommitted('1'))._unsafeUnwrap()).toBe(true);
    expect((await store.wasCommitted('2'))._unsafeUnwrap()).toBe(false);
    await store.close();
    const { rows } = await admin.query(`SELECT setting FROM "${schema}".probe`);
    // A question that denies a commit writes as well.
    expect(rows).toStrictEqual([{ setting: 'on' }, { setting: 'on' }]);
  });
});

it('a commit with a stricter flush setting keeps it', async () => {
  const schema = newSchema();
  const pool = newPool({ max: 1, options: '-c synchronous_commit=remote_apply' });
  const store = await openStore({ schema }, pool);
  await admin.query(`CREATE TABLE "${schema}".probe (setting TEXT);
    CREATE FUNCTION "${schema}".probe() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO "${schema}".probe VALUES (current_setting('synchronous_commit'));
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER probe AFTER INSERT ON "${schema}".chairside_commits
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "${schema}".probe()`);
  (await store.commit(insertOf('1')))._unsafeUnwrap();
  await store.close();
  const { rows } = await admin.query(`SELECT setting FROM "${schema}".probe`);
  expect(rows).toStrictEqual([{ setting: 'remote_apply' }]);
});
