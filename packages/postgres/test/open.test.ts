import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Commit } from '@chairside/core/ports';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import {
  commitOf,
  connectionString,
  createSchema,
  insertOf,
  newPlace,
  newPool,
  newSchema,
  openNoting,
  openStore,
} from './helpers.ts';
import { openWire } from './wire.ts';

describe('opens', () => {
  it('a schema that many nodes create at the same moment', async () => {
    const schema = newSchema();
    const opened = await Promise.all(
      Array.from({ length: 12 }, () => openPostgresStore(newPool(), { schema })),
    );
    for (const each of opened) {
      const store = each._unsafeUnwrap();
      expect((await store.payments.get('no')).isOk()).toBe(true);
      await store.close();
    }
  });

  it('a schema that many processes create at the same moment', async () => {
    const open = `
      import { openPostgresStore } from '@chairside/postgres';
      const [url, schema] = process.argv.slice(1);
      const opened = await openPostgresStore(url, { schema });
      if (opened.isErr()) throw new Error(opened.error.message);
      await opened.value.close();
    `;
    const flags = ['--no-warnings', '--conditions=@chairside/source', '--input-type=module'];
    const args = [...flags, '-e', open, connectionString, newSchema()];
    const processes = Array.from({ length: 3 }, () =>
      spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: 'inherit' }),
    );
    const codes = await Promise.all(processes.map((process) => once(process, 'exit')));
    expect(codes.map(([code]) => code)).toStrictEqual([0, 0, 0]);
  });

  it('a schema whose creation was interrupted, also if DDL is not rolled back', async () => {
    const schema = await createSchema();
    const pool = newPool();
    await pool.query(`DELETE FROM "${schema}".chairside_migrations`);
    const store = await openStore({ schema }, pool);
    expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
  });

  it('with undefined options as if they were omitted', async () => {
    const store = await openStore({
      maxConnections: undefined,
      maxAttempts: undefined,
      deadlineMs: undefined,
      onError: undefined,
    });
    expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
  });

  it('a schema with any name', async () => {
    const pool = newPool();
    const schema = `a "quoted" schema; DROP TABLE x --${newSchema().slice(-6)}`;
    const store = await openStore({ schema }, pool);
    expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
    expect((await store.payments.get('cpm_1'))._unsafeUnwrap()?.id).toBe('cpm_1');
    await store.close();
    await pool.query(`DROP SCHEMA "${schema.replaceAll('"', '""')}" CASCADE`);
  });

  it('two schemas over one pool, separate from each other', async () => {
    const pool = newPool({ max: 1 });
    const [one, two] = [await openStore({}, pool), await openStore({}, pool)];
    (await one.commit(insertOf('cpm_1')))._unsafeUnwrap();
    expect((await one.payments.get('cpm_1'))._unsafeUnwrap()).toBeDefined();
    expect((await two.payments.get('cpm_1'))._unsafeUnwrap()).toBeUndefined();
    await one.close();
    expect((await two.commit(insertOf('cpm_1'))).isOk()).toBe(true);
    await two.close();
    // The pool is the host's.
    expect((await pool.query('SELECT 1')).rowCount).toBe(1);
  });

  it("over a host's pool without pipelining, with its own number parsers", async () => {
    const types = { getTypeParser: () => () => 'not what you think' };
    const pool = newPool({ pipeline: false, types });
    const schema = newSchema();
    (await openStore({ schema })).close();
    const store = await openStore({ schema, maxAttempts: 1 }, pool);
    (await store.commit(insertOf('cpm_1')))._unsafeUnwrap();
    const conflict = await store.commit(commitOf('2', { kind: 'deleteTerminal', id: 'no' }));
    expect(conflict._unsafeUnwrapErr()).toStrictEqual({
      kind: 'storeConflict',
      change: 'deleteTerminal',
    });
    expect((await store.payments.get('cpm_1'))._unsafeUnwrap()?.amountMinor).toBe(4500n);
  });

  it('an up-to-date schema, without a right to change it', async () => {
    const { schema, pool } = newPlace();
    await createSchema(schema);
    const role = `reader_${schema.slice(-12)}`;
    await pool.query(`CREATE ROLE "${role}";
      GRANT USAGE ON SCHEMA "${schema}" TO "${role}";
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${role}"`);
    const limited = newPool({ options: `-c role=${role}` });
    const store = await openStore({ schema }, limited);
    expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
    await store.close();
    const refused = await openPostgresStore(limited, { schema: newSchema() });
    expect(refused._unsafeUnwrapErr().reason).toBe('forbidden');
    await limited.end();
    await pool.query(`DROP OWNED BY "${role}"; DROP ROLE "${role}"`);
  });
});

describe('returns an error for', () => {
  const reasonFor = async (...args: Parameters<typeof openPostgresStore>) => {
    const error = (await openPostgresStore(...args))._unsafeUnwrapErr();
    expect(error.message).not.toBe('');
    return error.reason;
  };

  it('a missing server', async () => {
    expect(await reasonFor('postgresql://nobody@localhost/none?host=/nowhere')).toBe('unreachable');
  });

  it('a pool without a free connection in time', async () => {
    const pool = newPool({ max: 1 });
    const holder = await pool.connect();
    const reason = await reasonFor(pool, { schema: newSchema(), deadlineMs: 50 });
    holder.release();
    expect(reason).toBe('unreachable');
    // The late connection was given back.
    await (await openStore({}, pool)).close();
  });

  it('a server that falls silent', async () => {
    const wire = await openWire();
    const pool = newPool({ connectionString: wire.connectionString });
    wire.strike({ marker: 'server_encoding', fault: 'stall' });
    const reason = await reasonFor(pool, { schema: newSchema(), deadlineMs: 50 });
    await pool.end();
    await wire.close();
    expect(reason).toBe('unreachable');
  });

  it('an invalid connection string', async () => {
    expect(await reasonFor('postgresql://[')).toBe('unreachable');
  });

  it.each([undefined, null, 5, {}])('%j instead of a pool', async (pool) => {
    // cast: hosts without types may pass it
    expect(await reasonFor(pool as never)).toBe('unreachable');
  });

  it('a missing database', async () => {
    const url = new URL(connectionString);
    url.pathname = '/no_such_database';
    expect(await reasonFor(url.href)).toBe('forbidden');
  });

  it.each(['', 'x'.repeat(64), 'a\0b'])('a schema named %j', async (schema) => {
    expect(await reasonFor(connectionString, { schema })).toBe('invalidSchemaName');
  });

  it('a later schema, which stays unchanged', async () => {
    const { schema, pool } = newPlace();
    await createSchema(schema);
    await pool.query(`INSERT INTO "${schema}".chairside_migrations VALUES (999, 'x', 998)`);
    expect(await reasonFor(pool, { schema })).toBe('newerSchema');
  });

  it.each([
    'synchronous_commit=off',
    'synchronous_commit=local',
    'synchronous_commit=remote_write',
  ])('a session that may lose acknowledged commits: %s', async (setting) => {
    const pool = newPool({ options: `-c ${setting}` });
    expect(await reasonFor(pool, { schema: newSchema() })).toBe('notDurable');
  });

  it('a session that accepts no writes', async () => {
    const pool = newPool({ options: '-c default_transaction_read_only=on' });
    expect(await reasonFor(pool, { schema: newSchema() })).toBe('readOnly');
  });
});

describe('closes', () => {
  it("over a host's pool that has ended", async () => {
    const pool = new Pool({ connectionString });
    const store = await openStore({ maxAttempts: 2 }, pool);
    await pool.end();
    expect((await store.payments.get('no')).isErr()).toBe(true);
    expect((await store.commit(insertOf('1'))).isErr()).toBe(true);
  });
});

it('an observer’s error is ignored', async () => {
  const store = await openStore({
    onError: () => {
      throw new Error('the observer fails too');
    },
  });
  expect((await store.commit(insertOf('1', { createdAt: 0.5 }))).isErr()).toBe(true);
  expect((await store.commit(insertOf('2'))).isOk()).toBe(true);
});

it.each<[string, unknown]>([
  ['undefined', undefined],
  ['null', null],
  ['no changes', { id: '1', at: 0 }],
  ['a change that is none', { id: '1', at: 0, changes: [null] }],
])('a host without types that commits %s gets an error', async (_, commit) => {
  const { store, errors } = await openNoting();
  // cast: hosts without types may pass it
  const malformed = await store.commit(commit as Commit);
  expect(malformed._unsafeUnwrapErr()).toStrictEqual({
    kind: 'storeUnavailable',
    outcome: 'notApplied',
  });
  expect(errors).toStrictEqual([expect.stringMatching(/^TypeError: /)]);
  expect((await store.commit(insertOf('1'))).isOk()).toBe(true);
});
