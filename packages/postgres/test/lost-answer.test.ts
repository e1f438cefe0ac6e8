import type { Change } from '@chairside/core/ports';
import { aTerminal } from '@chairside/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore, type PostgresStore } from '../src/index.ts';
import { commitOf, holdLedger, moveOf, newPool, newSchema, openStore } from './helpers.ts';
import { openWire, serverIsLost, type Wire } from './wire.ts';

const move = moveOf('a');
const notApplied = { kind: 'storeUnavailable', outcome: 'notApplied' };
const unknown = { kind: 'storeUnavailable', outcome: 'unknown' };

let wire: Wire;
let schema: string;
let store: PostgresStore;
let errors: unknown[];

beforeEach(async () => {
  wire = await openWire();
  schema = newSchema();
  errors = [];
  store = await openStore(
    { schema, onError: (error) => errors.push(error) },
    wire.connectionString,
  );
});
afterEach(async () => {
  await store.close();
  await wire.close();
});

const openPayments = async () => (await store.ledgers.get('a'))._unsafeUnwrap().openPayments;

/** The server may still work on a commit whose reply was given up, or may not have read it yet. */
async function expectAnswerToBeTrue(asked: PostgresStore, id: string): Promise<void> {
  const isWritten = (await asked.wasCommitted(id))._unsafeUnwrap();
  await wire.settled();
  expect((await openPayments()) > 0).toBe(isWritten);
  expect((await asked.wasCommitted(id))._unsafeUnwrap()).toBe(isWritten);
}

it('a question whose reply was lost is asked again', async () => {
  (await store.commit(commitOf('asked', move)))._unsafeUnwrap();
  wire.strike({ marker: 'asked', fault: 'loseReply' });
  expect((await store.wasCommitted('asked'))._unsafeUnwrap()).toBe(true);
});

describe('a commit', () => {
  it('whose reply was lost is found to be written, and has one effect', async () => {
    wire.strike({ marker: 'lost-reply', fault: 'loseReply' });
    expect((await store.commit(commitOf('lost-reply', move))).isOk()).toBe(true);
    expect(await openPayments()).toBe(1);
    expect(errors).not.toStrictEqual([]);
  });

  it('that never arrived is sent again', async () => {
    wire.strike({ marker: 'lost-request', fault: 'loseRequest' });
    expect((await store.commit(commitOf('lost-request', move))).isOk()).toBe(true);
    expect(await openPayments()).toBe(1);
  });

  it('that arrives after its repetition has one effect', async () => {
    wire.strike({ marker: 'delayed', fault: 'delayRequest' });
    expect((await store.commit(commitOf('delayed', move))).isOk()).toBe(true);
    await wire.letGo();
    expect(await openPayments()).toBe(1);
  });

  it('that may still arrive is not reported as refused', async () => {
    wire.strike({ marker: 'doubtful', fault: 'delayRequest' });
    const changes: Change[] = [move, { kind: 'deleteTerminal', id: 'trm_1' }];
    // The second attempt meets a conflict, but the outcome of the first is still open.
    const answer = await store.commit(commitOf('doubtful', ...changes));
    expect(answer._unsafeUnwrapErr()).toMatchObject(unknown);
    // Not even a new attempt that only meets the conflict.
    const second = await store.commit(commitOf('doubtful', ...changes));
    expect(second._unsafeUnwrapErr()).toMatchObject(unknown);
    (
      await store.commit(commitOf('t', { kind: 'insertTerminal', terminal: aTerminal() }))
    )._unsafeUnwrap();
    await wire.letGo();
    expect(await openPayments()).toBe(1);
    expect((await store.wasCommitted('doubtful'))._unsafeUnwrap()).toBe(true);
  });

  it('that may still arrive is not applied once it is denied', async () => {
    wire.strike({ marker: 'doubtful', fault: 'delayRequest' });
    const changes: Change[] = [move, { kind: 'deleteTerminal', id: 'trm_1' }];
    const answer = await store.commit(commitOf('doubtful', ...changes));
    expect(answer._unsafeUnwrapErr()).toMatchObject(unknown);
    expect((await store.wasCommitted('doubtful'))._unsafeUnwrap()).toBe(false);
    (
      await store.commit(commitOf('t', { kind: 'insertTerminal', terminal: aTerminal() }))
    )._unsafeUnwrap();
    await wire.letGo();
    expect(await openPayments()).toBe(0);
    const again = await store.commit(commitOf('doubtful', ...changes));
    expect(again._unsafeUnwrapErr()).toMatchObject(notApplied);
  });

  it('is unknown if a proxy reports a lost server', async () => {
    const impatient = (
      await openPostgresStore(wire.connectionString, { schema, maxAttempts: 1 })
    )._unsafeUnwrap();
    wire.strike({ marker: 'disowned', fault: 'loseReply', lastWords: serverIsLost('FATAL') });
    // Twice on one ledger: sent as a transaction, whose last part is the COMMIT.
    const answer = await impatient.commit(commitOf('disowned', move, move));
    await expectAnswerToBeTrue(impatient, 'disowned');
    await impatient.close();
    expect(answer._unsafeUnwrapErr()).toMatchObject(unknown);
  });

  it("is unknown if the host's pool gives up waiting, and leaves no transaction open", async () => {
    const pool = newPool({ pipeline: false, max: 1, query_timeout: 1000 });
    const hasty = await openStore({ schema, maxAttempts: 1 }, pool);
    (await store.commit(commitOf('first', move)))._unsafeUnwrap();
    const held = await holdLedger(schema, 'a');
    const answer = await hasty.commit(commitOf('hasty', move, move));
    await held.release();
    // On the same pool: an open transaction would see its own changes.
    const next = await hasty.commit(commitOf('next', moveOf('b')));
    const seen = (await store.ledgers.get('b'))._unsafeUnwrap().openPayments;
    const wasHasty = await store.wasCommitted('hasty');
    await pool.end();
    expect(answer._unsafeUnwrapErr()).toMatchObject(unknown);
    expect([next.isOk(), seen]).toStrictEqual([true, 1]);
    // The server gave up as well (D205).
    expect(wasHasty._unsafeUnwrap()).toBe(false);
    expect(await openPayments()).toBe(1);
  });

  it('whose row another session holds fails alone, and in time', async () => {
    // The lock is given up after a third of it; the rest is for a busy machine.
    const patience = { schema, deadlineMs: 4500, maxAttempts: 1, maxConnections: 1 };
    const impatient = await openStore(patience, wire.connectionString);
    (await store.commit(commitOf('first', move)))._unsafeUnwrap();
    const held = await holdLedger(schema, 'a');
    const answers = await Promise.all([
      impatient.commit(commitOf('before', moveOf('b'))),
      impatient.commit(commitOf('held', move)),
      impatient.commit(commitOf('after', moveOf('c'))),
    ]);
    await held.release();
    await impatient.close();
    expect(answers.map((answer) => answer.isOk())).toStrictEqual([true, false, true]);
    expect(answers[1]?._unsafeUnwrapErr()).toMatchObject(notApplied);
    expect(await openPayments()).toBe(1);
  });
});

it('a read whose reply was lost is repeated', async () => {
  (await store.commit(commitOf('1', moveOf('ledger-x'))))._unsafeUnwrap();
  wire.strike({ marker: 'ledger-x', fault: 'loseReply' });
  expect((await store.ledgers.get('ledger-x'))._unsafeUnwrap().openPayments).toBe(1);
});
