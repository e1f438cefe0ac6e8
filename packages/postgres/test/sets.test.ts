import { setTimeout as delay } from 'node:timers/promises';
import type { Change, Commit } from '@chairside/core/ports';
import { aKeyRecord, anEvent, aPayment, someTime } from '@chairside/testkit';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callOf, chooseGroup, setWise } from '../src/commit-group.ts';
import { encodeCommit, encodeQuestion } from '../src/encode.ts';
import { inSchema } from '../src/schema.ts';
import {
  commitOf,
  createSchema,
  empty,
  hold,
  holdLedger,
  moveOf,
  newPool,
  newSchema,
  openStore,
} from './helpers.ts';

const { fewest } = setWise;
afterEach(() => {
  setWise.fewest = fewest;
});

const event = (subject: string, version: number): Change => ({
  kind: 'appendEvent',
  event: anEvent({ subject, version }),
});
const key = (name: string): Change => ({
  kind: 'insertKey',
  record: aKeyRecord({ key: name, resourceId: 'cpm_1' }),
});
const insert = (id: string, over: object = {}): Change => ({
  kind: 'insertPayment',
  payment: aPayment({ id, ...over }),
});
const update = (id: string, expectedVersion: number): Change => ({
  kind: 'updatePayment',
  payment: aPayment({ id, version: expectedVersion + 1 }),
  expectedVersion,
});
const encoded = (...commits: readonly Commit[]) => commits.map(encodeCommit);

describe('a group', () => {
  const commits = encoded(
    commitOf('1', moveOf('a'), key('k1')),
    commitOf('2', moveOf('b'), event('s', 1)),
    commitOf('3', moveOf('c'), event('s', 2)),
    commitOf('4', moveOf('d')),
    commitOf('5', { kind: 'deleteTerminal', id: 'trm_1' }),
  );
  const idsOf = (chosen: readonly { head: string }[]) => chosen.map(({ head }) => head[1]).join('');

  it('takes commits that change different rows, and the others wait', () => {
    expect(idsOf(chooseGroup(commits))).toBe('124');
  });

  it('that begins with another one takes those that change the same rows or other tables', () => {
    expect(idsOf(chooseGroup([...commits.slice(4), ...commits.slice(0, 4)]))).toBe('53');
  });

  it('takes all if most of them would wait', () => {
    const hot = encoded(
      ...['1', '2', '3', '4', '5', '6', '7'].map((id) => commitOf(id, moveOf('a'))),
    );
    expect(chooseGroup([...hot, ...commits.slice(1, 4)])).toHaveLength(10);
  });

  it('never writes a commit as a set that changes a row twice', () => {
    setWise.fewest = 1;
    for (const twice of [
      [event('s', 1), event('s', 2)],
      [moveOf('a'), moveOf('a')],
      [key('k'), key('k')],
      [key('k'), { kind: 'deleteKeys', resourceId: 'cpm_1' } as const],
    ]) {
      expect(callOf('f', encoded(commitOf('1', ...twice)), 9).text).toContain(', false)');
    }
    const single = encoded(commitOf('1', key('k'), moveOf('a'), event('s', 1)));
    expect(callOf('f', single, 9).text).toContain(', true)');
    expect(callOf('f', [encodeQuestion('1')], 9).text).toContain(', false)');
    // The second would find the id, and the first has not written it yet.
    const repeated = encoded(commitOf('1', moveOf('a')), commitOf('1', moveOf('a')));
    expect(callOf('f', repeated, 9).text).toContain(', false)');
  });
});

/** Rows with this in a text cannot be written. */
const poison = 'poison';
const [sets, oneByOne] = [newSchema(), newSchema()];
const pool = newPool({ max: 2 });

beforeAll(async () => {
  for (const schema of [sets, oneByOne]) {
    await createSchema(schema);
    await pool.query(`CREATE FUNCTION "${schema}".refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$
      BEGIN
        IF row_to_json(NEW)::TEXT LIKE '%${poison}%' THEN RAISE EXCEPTION 'no' USING ERRCODE = '23514'; END IF;
        RETURN NEW;
      END $$`);
    for (const table of ['commits', 'keys', 'payments', 'sweeps', 'ledgers', 'events']) {
      await pool.query(`CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON "${schema}".chairside_${table}
        FOR EACH ROW EXECUTE FUNCTION "${schema}".refuse()`);
    }
  }
});

/** Sends a group, and returns the server's answers. */
async function send(schema: string, commits: readonly Commit[], lockMs = 1000): Promise<unknown> {
  setWise.fewest = schema === sets ? 1 : Number.POSITIVE_INFINITY;
  const call = callOf(inSchema('@commit_v1', schema), encoded(...commits), lockMs);
  const { rows } = await pool.query(call);
  return rows[0]?.answers;
}

const written = ['commits', 'keys', 'payments', 'sweeps', 'ledgers', 'events'];

async function rowsOf(schema: string): Promise<unknown> {
  const lists = written.map(
    (table) => `(SELECT json_agg(row ORDER BY row::TEXT) FROM @${table} AS row) AS ${table}`,
  );
  const { rows } = await pool.query(inSchema(`SELECT ${lists}`, schema));
  return rows[0];
}

const name = fc.oneof(
  { weight: 30, arbitrary: fc.nat(30).map((n) => `n${n}`) },
  { weight: 1, arbitrary: fc.constant(poison) },
);
const small = fc.nat(3);
const amount = fc.bigInt({ min: -1n, max: 9n });
const version = fc.constantFrom(1, 1, 1, 1, 1, 2);
const drawn: fc.Arbitrary<Change> = fc.oneof(
  name.map(key),
  fc.record({ name, version: small }).map(({ name, version }) => event(name, version)),
  fc
    .record(
      {
        appointmentId: name,
        openPayments: fc.integer({ min: -1, max: 2 }),
        reservedMinor: amount,
        capturedMinor: amount,
        currency: fc.constantFrom('eur', 'eur', 'eur', 'usd'),
        maxOpenPayments: fc.constantFrom(1, 9, 9, 9, 9),
        maxCommittedMinor: fc.constantFrom(5n, 30n, 30n, 30n),
      },
      {
        requiredKeys: [
          'appointmentId',
          'openPayments',
          'reservedMinor',
          'capturedMinor',
          'currency',
        ],
      },
    )
    .map(({ appointmentId, ...over }) => moveOf(appointmentId, over)),
  fc
    .record({ id: name, account: name, createdAt: fc.constantFrom(...Array(30).fill(1), 0.5) })
    .map((over): Change => ({ kind: 'insertPayment', payment: aPayment(over) })),
  fc.record({ id: name, version: small, reference: name, expectedVersion: version }).map(
    ({ expectedVersion, ...over }): Change => ({
      kind: 'updatePayment',
      payment: aPayment({ ...over, amountMinor: 1n, account: 'never written' }),
      expectedVersion,
    }),
  ),
);
/** One of each row, so that the group may be written as sets. */
function disjoint(changes: readonly (readonly Change[])[], repeats: boolean): readonly Commit[] {
  const rows = new Set<string>();
  return changes.map((each, place) => {
    const kept = each.filter((change) => {
      const own = encodeCommit(commitOf('', change)).rows?.[1] ?? '';
      return repeats || (!rows.has(own) && rows.add(own));
    });
    return commitOf(`commit ${place}`, ...kept);
  });
}
const group = fc
  .record({
    changes: fc.array(fc.array(drawn, { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 6,
    }),
    repeats: fc.constantFrom(false, false, false, true),
    ids: fc.array(
      fc.oneof(
        { weight: 20, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom('written', 'denied', poison) },
      ),
    ),
    round: fc.nat(9),
  })
  .map(({ changes, repeats, ids, round }) =>
    disjoint(changes, repeats).map((commit, place) => ({
      ...commit,
      id: ids[place] ?? `${commit.id} of ${round}`,
    })),
  );

/** A third of the payments exists, with the first version. */
const given = `${written.map((table) => `DELETE FROM @${table}`).join('; ')};
  INSERT INTO @commits VALUES ('written', 1, FALSE), ('denied', 1, TRUE)`;
const existing = Array.from({ length: 10 }, (_, n) =>
  commitOf(`given ${n}`, insert(`n${n}`, { version: 1 })),
);

it('leaves the same rows, and returns the same answers, as a group that is written one by one', async () => {
  const told = { written: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(group, { minLength: 1, maxLength: 5 }), async (groups) => {
      for (const schema of [sets, oneByOne]) {
        await pool.query(inSchema(given, schema));
        expect(await send(schema, existing)).toStrictEqual({});
      }
      for (const commits of groups) {
        const answers = await send(sets, commits);
        told[JSON.stringify(answers) === '{}' ? 'written' : 'refused'] += 1;
        expect(answers).toStrictEqual(await send(oneByOne, commits));
        expect(await rowsOf(sets)).toStrictEqual(await rowsOf(oneByOne));
      }
    }),
    { numRuns: 60 },
  );
  expect(told.written).toBeGreaterThan(15);
  expect(told.refused).toBeGreaterThan(40);
});

/** Whether the set-wise function writes this group. */
async function isWritten(...commits: readonly Commit[]): Promise<boolean> {
  setWise.fewest = 1;
  const { values } = callOf('', encoded(...commits), 0);
  const text = inSchema('SELECT @commit_sets_v1($1) AS done', sets);
  const { rows } = await pool.query(text, values);
  return rows[0]?.done;
}

it('writes all kinds of a create and a capture as sets, and no row if a condition fails', async () => {
  await empty(sets);
  const { version } = aPayment();
  const create = (id: string): Commit =>
    commitOf(id, key(id), insert(id), moveOf(id), event(id, 1));
  const capture = (id: string): Commit =>
    commitOf(`capture ${id}`, key(`capture ${id}`), update(id, version), moveOf(id), event(id, 2));
  expect(await isWritten(create('a'), create('b'))).toBe(true);
  expect(await isWritten(capture('a'), create('c'), commitOf('moved', moveOf('b')))).toBe(true);
  const before = await rowsOf(sets);
  for (const fails of [
    commitOf('a'),
    commitOf('1', key('a')),
    commitOf('1', insert('a')),
    commitOf('1', update('a', version)),
    commitOf('1', update('absent', version)),
    commitOf('1', moveOf('a', { maxOpenPayments: 2 })),
    commitOf('1', moveOf('new', { maxOpenPayments: 0 })),
    commitOf('1', moveOf('new', { reservedMinor: 5n, maxCommittedMinor: 4n })),
    commitOf('1', event('a', 2)),
    commitOf(poison),
    commitOf('1', insert('d', { account: poison })),
  ]) {
    expect(await isWritten(create('fine'), fails)).toBe(false);
    expect(await rowsOf(sets)).toStrictEqual(before);
  }
});

it('begins the sweep of a ledger at the earliest of its payments in the group', async () => {
  await empty(sets);
  const at = (id: string, createdAt: number) =>
    commitOf(id, insert(id, { account: 'x', createdAt }));
  expect(await isWritten(at('late', 7), at('early', 5))).toBe(true);
  expect(await isWritten(at('earlier', 3), at('other', 4))).toBe(true);
  const { rows } = await pool.query(inSchema('SELECT * FROM @sweeps', sets));
  expect(rows).toStrictEqual([{ account: 'x', swept_before: '5', tried_at: '5', lists: null }]);
});

it('changes only the columns of a payment that may change', async () => {
  await empty(sets);
  const { version, account } = aPayment();
  expect(await isWritten(commitOf('1', insert('a', { account })))).toBe(true);
  const changed = aPayment({ id: 'a', version: version + 1, account: 'other', reference: 'pi_1' });
  const change = { kind: 'updatePayment', payment: changed, expectedVersion: version } as const;
  expect(await isWritten(commitOf('2', change))).toBe(true);
  const { rows } = await pool.query(inSchema('SELECT account, reference FROM @payments', sets));
  expect(rows).toStrictEqual([{ account, reference: 'pi_1' }]);
});

it('an event is due if the earlier one of its subject is removed at the same moment', async () => {
  await empty(sets);
  expect(await isWritten(commitOf('1', event('s', 1)))).toBe(true);
  const removed = await hold(sets, `DELETE FROM @events WHERE subject = 's'`);
  const written = isWritten(commitOf('2', event('s', 2)));
  // Without a lock on the earlier event it does not wait, and misses the removal.
  await Promise.race([removed.waitedFor(), written]);
  await removed.release('COMMIT');
  expect(await written).toBe(true);
  const { rows } = await pool.query(inSchema('SELECT version, deliver_at FROM @events', sets));
  expect(rows).toStrictEqual([{ version: '2', deliver_at: expect.any(String) }]);
});

describe('if another session holds a row', () => {
  it('a group writes the others', async () => {
    await empty(sets);
    await send(sets, [commitOf('before', moveOf('held'))]);
    const held = await holdLedger(sets, 'held');
    const commits = ['1', 'held', '3'].map((id) => commitOf(id, moveOf(id)));
    const answers = await send(sets, commits, 400);
    await held.release();
    expect(answers).toStrictEqual({ 1: { state: '55P03', message: expect.any(String), step: 0 } });
    const { rows } = await pool.query(inSchema('SELECT id FROM @commits ORDER BY 1', sets));
    expect(rows.map(({ id }) => id)).toStrictEqual(['1', '3', 'before']);
  });

  it.each([
    [1000, ['250ms', '750ms']],
    [1, ['1ms', '1ms']],
  ])('both tries of a group together wait no longer than %d ms', async (lockMs, expected) => {
    const schema = await createSchema();
    await pool.query(
      inSchema(
        `CREATE FUNCTION @.tell() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN
          RAISE WARNING '%', current_setting('lock_timeout');
          RAISE EXCEPTION 'no';
        END $$;
        CREATE TRIGGER tell BEFORE INSERT ON @keys FOR EACH ROW EXECUTE FUNCTION @.tell()`,
        schema,
      ),
    );
    setWise.fewest = 1;
    const told: (string | undefined)[] = [];
    const client = await pool.connect();
    client.on('notice', ({ message }) => told.push(message));
    const call = callOf(inSchema('@commit_v1', schema), encoded(commitOf('1', key('k'))), lockMs);
    await client.query(call);
    client.release(true);
    expect(told).toStrictEqual(expected);
  });

  it('a question about a waiting commit is answered as the commit ends', async () => {
    setWise.fewest = 1;
    const schema = newSchema();
    const asked = await openStore({ schema });
    (await asked.commit(commitOf('first', moveOf('a'))))._unsafeUnwrap();
    // The first try ends after 500 ms, and the question waits for its id meanwhile.
    const writing = await openStore({ schema, deadlineMs: 6000 });
    const held = await holdLedger(schema, 'a');
    const sent = writing.commit(commitOf('c1', moveOf('a')));
    await held.waitedFor();
    const answer = asked.wasCommitted('c1');
    await delay(800);
    await held.release();
    const isDone = (await answer)._unsafeUnwrap();
    expect((await sent).isOk()).toBe(isDone);
    expect((await asked.ledgers.get('a'))._unsafeUnwrap().openPayments).toBe(isDone ? 2 : 1);
    await asked.close();
  });
});

it('sorts the rows of each kind, so that groups lock them in one order', async () => {
  // An emptied table would put new rows in the places of old ones.
  await pool.query(inSchema(`TRUNCATE ${written.map((table) => `@${table}`)}`, sets));
  const ids = ['b', 'c', 'a'];
  await isWritten(...ids.map((id) => commitOf(id, key(id), insert(id), event(id, 1), moveOf(id))));
  for (const [table, column] of [
    ['commits', 'id'],
    ['keys', 'key'],
    ['payments', 'id'],
    ['events', 'subject'],
    ['ledgers', 'appointment_id'],
  ]) {
    // In the order in which they were inserted.
    const { rows } = await pool.query(
      inSchema(`SELECT ${column} AS id FROM @${table} ORDER BY ctid`, sets),
    );
    expect(
      rows.map(({ id }) => id),
      table,
    ).toStrictEqual(['a', 'b', 'c']);
  }
});

it('uses a time of the commit', async () => {
  await empty(sets);
  expect(await isWritten({ ...commitOf('1', moveOf('a')), at: someTime + 7 })).toBe(true);
  const { rows } = await pool.query(inSchema('SELECT * FROM @commits', sets));
  expect(rows).toStrictEqual([{ id: '1', at: `${someTime + 7}`, is_denied: false }]);
});
