import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setWise } from '../src/commit-group.ts';
import type { PostgresStore } from '../src/index.ts';
import { commitOf, hold, holdLedger, moveOf, newSchema, openStore } from './helpers.ts';
import { openWire } from './wire.ts';

const move = moveOf('a');
const notApplied = { kind: 'storeUnavailable', outcome: 'notApplied' };

let schema: string;
let asked: PostgresStore;
beforeEach(async () => {
  schema = newSchema();
  asked = await openStore({ schema });
  (await asked.commit(commitOf('first', move)))._unsafeUnwrap();
});
const { fewest: usual } = setWise;
afterEach(async () => {
  setWise.fewest = usual;
  await asked.close();
});

const openPayments = async () => (await asked.ledgers.get('a'))._unsafeUnwrap().openPayments;

describe.each([
  ['set by set', 1],
  ['one by one', Number.POSITIVE_INFINITY],
])('a commit, written %s, that another node is asked about', (_way, fewest) => {
  beforeEach(() => {
    setWise.fewest = fewest;
  });

  it('is found if it waits for a row and is then written', async () => {
    const writing = await openStore({ schema, deadlineMs: 30_000 });
    const held = await holdLedger(schema, 'a');
    const sent = writing.commit(commitOf('c1', move));
    await held.waitedFor();
    const answer = asked.wasCommitted('c1');
    await delay(100);
    await held.release();
    (await sent)._unsafeUnwrap();
    expect((await answer)._unsafeUnwrap()).toBe(true);
    expect(await openPayments()).toBe(2);
  });

  it('is never written if it still waits for its turn, so that its id was not there', async () => {
    const writing = await openStore({ schema, deadlineMs: 30_000 });
    const held = await hold(schema, 'SELECT pg_advisory_xact_lock(1130910564, 97)');
    const sent = writing.commit(commitOf('c1', move));
    await held.waitedFor();
    expect((await asked.wasCommitted('c1'))._unsafeUnwrap()).toBe(false);
    await held.release();
    expect((await sent)._unsafeUnwrapErr()).toMatchObject(notApplied);
    expect(await openPayments()).toBe(1);
    expect((await writing.wasCommitted('c1'))._unsafeUnwrap()).toBe(false);
  });

  it('is never written if it arrives after the question', async () => {
    const wire = await openWire();
    const writing = await openStore({ schema, maxAttempts: 1 }, wire.connectionString);
    wire.strike({ marker: 'late', fault: 'delayRequest' });
    const sent = await writing.commit(commitOf('late', move));
    expect(sent._unsafeUnwrapErr()).toMatchObject({ outcome: 'unknown' });
    expect((await asked.wasCommitted('late'))._unsafeUnwrap()).toBe(false);
    await wire.letGo();
    expect(await openPayments()).toBe(1);
    expect((await writing.wasCommitted('late'))._unsafeUnwrap()).toBe(false);
    await writing.close();
    await wire.close();
  });
});
