import { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createStore } from '../src/store.ts';
import { commitOf } from './helpers.ts';
import { type Script, type Statement, startScriptedServer } from './scripted-server.ts';

/** A store of one connection and one attempt, over a server that replies with these. */
async function storeOver(...script: Script) {
  const server = await startScriptedServer(script);
  const errors: unknown[] = [];
  const store = createStore(new Pool({ ...server.config, max: 1 }), 'any', {
    maxAttempts: 1,
    deadlineMs: 10_000,
    ownsPool: true,
    report: (error) => errors.push(error),
  });
  onTestFinished(server.close);
  onTestFinished(store.close);
  return { store, server, errors };
}

const begin = { tag: 'BEGIN' };
const commit = { tag: 'COMMIT' };
const rollback = { tag: 'ROLLBACK' };
const noRow = { tag: 'SELECT 0' };
const row = (answers: string | null) => ({ tag: 'SELECT 1', answers });
const written = [begin, row('{}'), commit];

describe('a commit is unknown if the reply', () => {
  it.each<[string, readonly Statement[]]>([
    ['has no row, and the transaction was rolled back', [begin, noRow, rollback]],
    ['has no row', [begin, noRow, commit]],
    ['has no statement', []],
    ['says that the transaction was rolled back', [begin, row('{}'), rollback]],
    ['ends before the transaction', [begin, row('{}')]],
    ['is NULL', [begin, row(null), commit]],
    ['is null', [begin, row('null'), commit]],
    ['is a list', [begin, row('[]'), commit]],
    ['is a text', [begin, row('"written"'), commit]],
    ['cannot be parsed', [begin, row('{'), commit]],
    ['is about another commit', [begin, row('{"1": {"state": "CS001", "step": 0}}'), commit]],
    ['has a refusal without a state', [begin, row('{"0": {}}'), commit]],
    ['has a refusal of another shape', [begin, row('{"0": null}'), commit]],
    ['names no step', [begin, row('{"0": {"state": "CS001", "step": "0"}}'), commit]],
  ])('%s', async (_, reply) => {
    const { store, errors } = await storeOver(reply);
    const unknown = { kind: 'storeUnavailable', outcome: 'unknown' };
    expect((await store.commit(commitOf('c')))._unsafeUnwrapErr()).toMatchObject(unknown);
    expect(errors).toHaveLength(1);
    // A doubtful commit is neither there nor absent.
    expect((await store.wasCommitted('c')).isErr()).toBe(true);
    expect((await store.wasCommitted('other')).isErr()).toBe(true);
  });
});

it.each([
  ['without refusals', '{}', 'written'],
  ['that finds the commit', '{"0": {"state": "found"}}', 'written'],
  ['with a refusal', '{"0": {"state": "CS001", "message": "Condition", "step": 0}}', 'conflict'],
])('a whole reply %s is certain', async (_, answers, expected) => {
  const { store } = await storeOver([begin, row(answers), commit]);
  const committed = await store.commit(commitOf('c', { kind: 'deleteTerminal', id: 'trm_1' }));
  const outcome = committed.match(
    () => 'written',
    (error) => (error.kind === 'storeConflict' ? 'conflict' : error.outcome),
  );
  expect(outcome).toBe(expected);
});

const notARead: readonly [string, readonly Statement[]][] = [
  ['has no row', [noRow]],
  ['has no statement', []],
  ['is of another command', [rollback]],
  ['is NULL', [row(null)]],
  ['is an object', [row('{}')]],
  ['has no results', [row('[]')]],
  ['has too few results', [row('[0, []]')]],
  ['has too many results', [row('[2, [null, null]]')]],
  ['has no lists', [row('[1]')]],
  ['has a result that is not a list', [row('[1, [7]]')]],
  ['has a row without a place', [row('[1, [[[]]]]')]],
  ['has a row of another read', [row('[1, [[[1, {}]]]]')]],
  ['has a row whose place is a text', [row('[1, [[["0", {}]]]]')]],
  ['cannot be parsed', [row('[')]],
];

describe('a read fails if the reply', () => {
  it.each(notARead)('%s', async (_, reply) => {
    const { store, errors } = await storeOver(reply);
    const read = await store.keys.get('ada', 'key-1');
    expect(read._unsafeUnwrapErr()).toStrictEqual({
      kind: 'storeUnavailable',
      outcome: 'notApplied',
      cause: expect.any(Error),
    });
    expect(errors).toHaveLength(1);
  });
});

it('a read without rows finds no record', async () => {
  const { store } = await storeOver([row('[1, [null]]')]);
  expect((await store.keys.get('ada', 'key-1'))._unsafeUnwrap()).toBeUndefined();
});

describe('a rate limiter fails if the reply', () => {
  it.each<[string, readonly Statement[]]>([
    ['has no row', [begin, noRow, commit]],
    ['has no count', [begin, row('{}'), commit]],
    ['has no time', [begin, row('{"0": [1]}'), commit]],
    ['has a count that is not a number', [begin, row('{"0": ["1", 2]}'), commit]],
    ['is rolled back', [begin, row('{"0": [1, 2]}'), rollback]],
  ])('%s', async (_, reply) => {
    const { store } = await storeOver(reply);
    const taken = await store.rateLimiter.take('any', 'key', { limit: 3, windowMs: 9 }, 0);
    expect(taken._unsafeUnwrapErr()).toMatchObject({ kind: 'limiterFailed' });
  });
});

it('an unexpected reply closes the connection, and later calls are served', async () => {
  const bad = [begin, row('{'), rollback];
  const { store, server } = await storeOver(bad, bad, bad, bad, written);
  for (let call = 0; call < 4; call += 1) {
    expect((await store.commit(commitOf(`c${call}`))).isErr()).toBe(true);
  }
  expect((await store.commit(commitOf('last'))).isOk()).toBe(true);
  expect((await store.commit(commitOf('after it'))).isOk()).toBe(true);
  expect(server.connections()).toBe(5);
});
