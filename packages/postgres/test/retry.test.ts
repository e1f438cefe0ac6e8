import { randomBytes } from 'node:crypto';
import type { Change } from '@chairside/core/ports';
import { anAppointment, anEvent, aPayment, someTime } from '@chairside/testkit';
import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { setWise } from '../src/commit-group.ts';
import type { PostgresStore } from '../src/index.ts';
import {
  commitOf,
  createSchema,
  hold,
  insertOf,
  moveOf,
  newPlace,
  newPool,
  newSchema,
  openNoting,
  openStore,
} from './helpers.ts';

const notApplied = { kind: 'storeUnavailable', outcome: 'notApplied' };

/** A commit that may be written set by set is tried in both ways. A cancelation ends the first way. */
const triesPerAttempt = (code: string) => (setWise.fewest === 1 && code !== '57014' ? 2 : 1);

/** Makes inserts of a payment fail in the next attempts. A sequence is not rolled back. */
async function failInserts(pool: Pool, schema: string, code: string, times: number) {
  await pool.query(`
    CREATE SEQUENCE "${schema}".failures;
    CREATE FUNCTION "${schema}".fail() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('"${schema}".failures') <= ${times * triesPerAttempt(code)} THEN
        RAISE EXCEPTION 'as the test wants it' USING ERRCODE = '${code}';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER fail BEFORE INSERT ON "${schema}".chairside_payments
      FOR EACH ROW EXECUTE FUNCTION "${schema}".fail()`);
}

describe('a transaction that PostgreSQL aborted', () => {
  it.each([
    ['40001', 'a serialization failure', 'insertPayment'],
    ['40P01', 'a deadlock', 'insertPayment'],
    ['57014', "a host's time limit", 'commit'],
  ])('with %s, %s, is retried', async (code, _what, during) => {
    const { schema, pool } = newPlace();
    const { store, errors } = await openNoting({ schema }, pool);
    await failInserts(pool, schema, code, 2);
    expect((await store.commit(insertOf('cpm_1'))).isOk()).toBe(true);
    expect((await store.payments.get('cpm_1'))._unsafeUnwrap()).toBeDefined();
    expect(errors).toStrictEqual(
      Array(2).fill(`Error: PostgreSQL answered ${code} to ${during}: as the test wants it`),
    );
  });

  it('is retried up to the limit', async () => {
    const { schema, pool } = newPlace();
    const store = await openStore({ schema, maxAttempts: 3 }, pool);
    await failInserts(pool, schema, '40001', 1000);
    expect((await store.commit(insertOf('1')))._unsafeUnwrapErr()).toMatchObject(notApplied);
    const { rows } = await pool.query(`SELECT last_value FROM "${schema}".failures`);
    expect(rows).toStrictEqual([{ last_value: `${3 * triesPerAttempt('40001')}` }]);
  });

  it('with a permanent error is not retried, and its values are not reported', async () => {
    const { store, errors } = await openNoting();
    const answer = await store.commit(insertOf('1', { createdAt: 0.5, clientSecret: 'secret' }));
    expect(answer._unsafeUnwrapErr()).toMatchObject(notApplied);
    expect(errors).toStrictEqual(['Error: PostgreSQL answered 22P02 to insertPayment']);
  });

  it.each([
    ['a NUL', '\0'],
    ['a NUL in the middle', 'a\0b'],
  ])('because of %s, which it does not accept, leaves no change', async (_what, id) => {
    const store = await openStore();
    const both = [...insertOf('fine').changes, ...insertOf(id).changes];
    expect((await store.commit(commitOf('c', ...both)))._unsafeUnwrapErr()).toMatchObject(
      notApplied,
    );
    expect((await store.payments.get('fine'))._unsafeUnwrap()).toBeUndefined();
    // It has no record, so nothing is asked.
    expect((await store.payments.get(id))._unsafeUnwrap()).toBeUndefined();
  });

  it('because of an id too long for an index is not retried', async () => {
    const { store, errors } = await openNoting();
    // Random bytes, which cannot be compressed.
    const id = randomBytes(3000).toString('hex');
    expect((await store.commit(insertOf(id)))._unsafeUnwrapErr()).toMatchObject(notApplied);
    expect(errors).toHaveLength(1);
  });

  it('because of a change of another port version returns an error', async () => {
    const { store, errors } = await openNoting();
    // cast: hosts in plain JavaScript may send it
    const change = { kind: 'flyToTheMoon' } as unknown as Change;
    expect((await store.commit(commitOf('c', change)))._unsafeUnwrapErr()).toMatchObject(
      notApplied,
    );
    expect(String(errors)).toContain('Unknown change flyToTheMoon');
  });
});

describe('with any pool', () => {
  const setTo = (id: string, amountDueMinor: bigint): Change => ({
    kind: 'putAppointment',
    appointment: anAppointment({ id, amountDueMinor }),
  });

  it('commits are not mixed with each other on a connection without pipelining', async () => {
    const pool = newPool({ max: 1, pipeline: false });
    const store = await openStore({}, pool);
    const commits = Array.from({ length: 20 }, (_, n) => {
      const changes = [setTo(`a${n}`, 1n), setTo(`a${n}`, 2n)];
      const refused: Change[] = n % 2 === 0 ? [] : [{ kind: 'deleteTerminal', id: 'trm_none' }];
      return store.commit(commitOf(`c${n}`, ...changes, ...refused));
    });
    const answers = await Promise.all(commits);
    for (const [n, answer] of answers.entries()) {
      const found = (await store.appointments.get(`a${n}`))._unsafeUnwrap();
      expect(answer.isOk(), `commit ${n}`).toBe(n % 2 === 0);
      expect(found?.amountDueMinor, `commit ${n}`).toBe(n % 2 === 0 ? 2n : undefined);
    }
  });

  it('the isolation of a host is not used', async () => {
    const options = '-c default_transaction_isolation=serializable';
    const schema = await createSchema();
    const store = await openStore({ schema }, newPool({ options }));
    const move = moveOf('hot');
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, n) => store.commit(commitOf(`c${n}`, move))),
    );
    expect(answers.filter((answer) => answer.isErr())).toStrictEqual([]);
    expect((await store.ledgers.get('hot'))._unsafeUnwrap().openPayments).toBe(64);
    expect((await store.wasCommitted('c1'))._unsafeUnwrap()).toBe(true);
    expect((await store.wasCommitted('no'))._unsafeUnwrap()).toBe(false);
    // Again, as after a lost reply.
    expect((await store.commit(commitOf('c1', move))).isOk()).toBe(true);
    expect((await store.ledgers.get('hot'))._unsafeUnwrap().openPayments).toBe(64);
  });
});

describe('commits that block each other', () => {
  it('in crossed order are both written', async () => {
    const { schema, pool } = newPlace();
    const store = await openStore({ schema }, pool);
    (await store.commit(commitOf('both', moveOf('a'), moveOf('b'))))._unsafeUnwrap();
    const other = await pool.connect();
    const table = `"${schema}".chairside_ledgers`;
    await other.query('BEGIN');
    // The longer wait gives up: not this one, so that our commit must retry.
    await other.query(`SET LOCAL deadlock_timeout = '60s'`);
    await other.query(`UPDATE ${table} SET open_payments = 10 WHERE appointment_id = 'b'`);
    const written = store.commit(commitOf('crossed', moveOf('a'), moveOf('b')));
    await other.query(`UPDATE ${table} SET open_payments = 10 WHERE appointment_id = 'a'`);
    await other.query('COMMIT');
    other.release();
    expect((await written).isOk()).toBe(true);
    expect((await store.ledgers.get('a'))._unsafeUnwrap().openPayments).toBe(11);
    expect((await store.ledgers.get('b'))._unsafeUnwrap().openPayments).toBe(11);
  });
});

describe('an event that is appended while the one before it is removed', () => {
  const event = (version: number): Change => ({
    kind: 'appendEvent',
    event: anEvent({ subject: 's', version }),
  });
  const remove = { kind: 'removeEvent', subject: 's', version: 1, deliverAt: 5 } as const;
  /** It no longer waits from the time of its writer, so it may be forgotten. */
  const counted: readonly Change[] = [
    event(1),
    { kind: 'postponeEvent', subject: 's', version: 1 },
    { kind: 'reviveEvent', subject: 's', version: 1, deliverAt: someTime - 1 },
  ];

  /** Commits a change that waits for another node's write, and ends that wait. */
  async function meet(
    before: readonly Change[],
    written: string,
    change: Change,
    end?: 'COMMIT',
  ): Promise<PostgresStore> {
    const schema = newSchema();
    const store = await openStore({ schema });
    (await store.commit(commitOf('1', ...before)))._unsafeUnwrap();
    const other = await hold(schema, written);
    const committed = store.commit(commitOf('2', change));
    await other.waitedFor();
    await other.release(end);
    expect((await committed).isOk()).toBe(true);
    return store;
  }

  it.each(['goes', 'stays'] as const)('is due when that one %s', async (fate) => {
    const end = fate === 'goes' ? 'COMMIT' : undefined;
    const removed = 'DELETE FROM @events WHERE version = 1';
    const store = await meet([event(1)], removed, event(2), end);
    const due = (await store.events.listDue(aPayment().createdAt * 2, 9))._unsafeUnwrap();
    expect(due.map(({ event }) => event.version)).toStrictEqual([fate === 'goes' ? 2 : 1]);
  });

  const forget: Change = {
    kind: 'forget',
    now: someTime,
    commitsBefore: 0,
    processorEventsBefore: 0,
    eventsBefore: someTime + 1,
    limit: 9,
  };

  it('is due when that one is deleted', async () => {
    const appended = `SELECT 1 FROM @events WHERE version = 1 FOR SHARE;
      INSERT INTO @events VALUES ('s', 2, 'contactlessPayment.failed', ${someTime - 1}, '{}', 0, NULL, FALSE)`;
    const store = await meet(counted, appended, forget, 'COMMIT');
    const due = (await store.events.listDue(someTime, 9))._unsafeUnwrap();
    expect(due.map(({ event }) => event.version)).toStrictEqual([2]);
  });

  it('keeps waiting if another node leases that one before its deletion', async () => {
    const taken = `UPDATE @events SET attempts = 1, deliver_at = ${someTime + 9} WHERE version = 1`;
    const store = await meet([...counted, event(2)], taken, forget, 'COMMIT');
    const due = (await store.events.listDue(someTime + 9, 9))._unsafeUnwrap();
    expect(due.map(({ event, attempts }) => [event.version, attempts])).toStrictEqual([[1, 1]]);
  });

  it('is due if it is not visible yet when that one is removed', async () => {
    // Does the same as `insertEvent`, from the other side.
    const appended = `SELECT 1 FROM @events WHERE version = 1 FOR SHARE;
      INSERT INTO @events VALUES ('s', 2, 'contactlessPayment.failed', 1, '{}', 0, NULL, FALSE)`;
    const store = await meet([event(1)], appended, remove, 'COMMIT');
    const due = (await store.events.listDue(5, 9))._unsafeUnwrap();
    expect(due.map(({ event }) => event.version)).toStrictEqual([2]);
  });
});

it('of two accounts that become the default at once, both are put and one is the default', async () => {
  const store = await openStore();
  const put = (id: string): Change => ({
    kind: 'putFinancialAccount',
    account: {
      id,
      businessId: 'b',
      bankName: 'Bank',
      maskedAccountNumber: '*1',
      currency: 'eur',
      isDefault: true,
    },
  });
  const ids = Array.from({ length: 8 }, (_, n) => `account-${n}`);
  const answers = await Promise.all(ids.map((id) => store.commit(commitOf(id, put(id)))));
  expect(answers.map((answer) => answer.isOk())).toStrictEqual(ids.map(() => true));
  const accounts = await Promise.all(ids.map((id) => store.financialAccounts.get(id)));
  expect(accounts.filter((account) => account._unsafeUnwrap()?.isDefault)).toHaveLength(1);
});
