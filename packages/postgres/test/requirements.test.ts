import { describe, expect, it } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { missingOf } from '../src/requirements.ts';
import { createSchema, insertOf, newPlace, newPool, newSchema, openStore } from './helpers.ts';

const good = {
  server_version_num: '180004',
  server_encoding: 'UTF8',
  synchronous_commit: 'on',
  fsync: 'on',
  is_standby: 'false',
};

describe('the requirements for the server, each with one sentence', () => {
  const missing = (row: object) => missingOf(async () => [{ ...good, ...row }]);

  it.each([
    [
      { server_version_num: '130020' },
      'unsupportedVersion',
      'PostgreSQL is version 13; the store needs 14 or later',
    ],
    [
      { server_version_num: '90624' },
      'unsupportedVersion',
      'PostgreSQL is version 9; the store needs 14 or later',
    ],
    [{ server_encoding: 'LATIN1' }, 'notUtf8', `The database's encoding is LATIN1, not UTF8`],
    [
      { synchronous_commit: 'local' },
      'notDurable',
      'synchronous_commit is local: the latest commits can be lost',
    ],
    [{ fsync: 'off' }, 'notDurable', 'fsync is off: all records can be lost'],
    [{ is_standby: 'true' }, 'readOnly', 'The server is a standby, which takes no writes'],
  ])('%j', async (row, reason, why) => {
    expect(await missing(row)).toStrictEqual({ reason, why });
  });

  it.each([
    {},
    { server_version_num: '140000' },
    { synchronous_commit: 'remote_apply' },
    // A database with PostgreSQL's protocol may lack a setting.
    { server_version_num: null, server_encoding: null, synchronous_commit: null, fsync: null },
  ])('%j is enough', async (row) => {
    expect(await missing(row)).toBeUndefined();
  });
});

describe('a service that makes commits durable by itself', () => {
  it.each([
    ['accepts', { fsync: 'off' }, undefined],
    ['still rejects', { synchronous_commit: 'off' }, 'notDurable'],
  ])('%s %j', async (_, row, reason) => {
    const missing = await missingOf(async () => [{ ...good, ...row }], true);
    expect(missing?.reason).toBe(reason);
  });

  it('reports the option at each opening', async () => {
    const told: unknown[] = [];
    const opened = await openPostgresStore('', {
      durability: 'providedByService',
      deadlineMs: 1,
      maxAttempts: 1,
      onError: (error) => told.push(String(error)),
    });
    expect(told).toContain('Error: fsync is not checked: durability is providedByService');
    if (opened.isOk()) await opened.value.close();
  });
});

describe('an account that lacks a right', () => {
  const rights = 'SELECT, INSERT, UPDATE, DELETE';

  it.each([
    ['SELECT', 'ON @payments'],
    ['INSERT', 'ON @commits'],
    ['UPDATE', 'ON @ledgers'],
    ['DELETE', 'ON @keys'],
    ['EXECUTE', 'ON FUNCTION @commit_v1'],
    ['EXECUTE', 'ON FUNCTION @read_v1'],
  ])('%s %s gets the name of the missing one', async (right, where) => {
    const { schema, pool } = newPlace();
    await createSchema(schema);
    const name = where.replace(/.*@/, 'chairside_');
    const place = where.replace('@', `"${schema}".chairside_`);
    const role = `limited_${schema.slice(-12)}`;
    await pool.query(`CREATE ROLE "${role}";
      GRANT USAGE ON SCHEMA "${schema}" TO "${role}";
      GRANT ${rights} ON ALL TABLES IN SCHEMA "${schema}" TO "${role}";
      REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA "${schema}" FROM PUBLIC;
      GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA "${schema}" TO "${role}"`);
    const limited = newPool({ options: `-c role=${role}` });
    const open = () => openPostgresStore(limited, { schema });
    await (await open())._unsafeUnwrap().close();
    await pool.query(`REVOKE ${right} ${place} FROM "${role}"`);
    expect((await open())._unsafeUnwrapErr()).toStrictEqual({
      kind: 'postgresOpenError',
      reason: 'forbidden',
      message: `The account may not use ${name} in ${schema}`,
    });
    await limited.end();
    await pool.query(`DROP OWNED BY "${role}"; DROP ROLE "${role}"`);
  });
});

describe('an account on a schema that somebody else made', () => {
  /** An account of its own, over a pool of its own. */
  async function given() {
    const admin = newPool();
    const schema = newSchema();
    const role = `limited_${schema.slice(-12)}`;
    await admin.query(`CREATE ROLE "${role}"`);
    const limited = newPool({ options: `-c role=${role}` });
    const end = async () => {
      await limited.end();
      await admin.query(
        `DROP SCHEMA "${schema}" CASCADE; DROP OWNED BY "${role}"; DROP ROLE "${role}"`,
      );
    };
    return { admin, schema, role, limited, end };
  }

  it('needs only USAGE and CREATE on it to make the tables', async () => {
    const { admin, schema, role, limited, end } = await given();
    await admin.query(
      `CREATE SCHEMA "${schema}"; GRANT USAGE, CREATE ON SCHEMA "${schema}" TO "${role}"`,
    );
    const store = await openStore({ schema }, limited);
    (await store.commit(insertOf('cpm_1')))._unsafeUnwrap();
    await store.close();
    await end();
  });

  it('is refused, and never finds less, where row level security hides rows', async () => {
    const { admin, schema, role, limited, end } = await given();
    await (await openStore({ schema }, admin)).close();
    await admin.query(`GRANT USAGE ON SCHEMA "${schema}" TO "${role}";
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${role}"`);
    const store = await openStore({ schema, maxAttempts: 1 }, limited);
    (await store.commit(insertOf('cpm_1')))._unsafeUnwrap();
    await admin.query(`ALTER TABLE "${schema}".chairside_payments ENABLE ROW LEVEL SECURITY`);
    expect((await store.payments.get('cpm_1')).isErr()).toBe(true);
    expect((await store.commit(insertOf('cpm_2')))._unsafeUnwrapErr()).toMatchObject({
      outcome: 'notApplied',
    });
    await store.close();
    const opened = await openPostgresStore(limited, { schema });
    expect(opened._unsafeUnwrapErr()).toMatchObject({
      reason: 'forbidden',
      message: `Row level security hides rows of chairside_payments in ${schema}`,
    });
    await end();
  });
});
