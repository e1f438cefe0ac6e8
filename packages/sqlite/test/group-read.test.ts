import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Payment, Store } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import {
  insertOf,
  lockPayments,
  newPath,
  openDatabase,
  openNoting,
  openStore,
  watchStatement,
} from './helpers.ts';

const notApplied = { kind: 'storeUnavailable', outcome: 'notApplied' };

async function insert(store: Store, ...ids: readonly string[]): Promise<void> {
  const answers = await Promise.all(ids.map((id) => store.commit(insertOf(id))));
  expect(answers.every((answer) => answer.isOk())).toBe(true);
}

function getAll(store: Store, ids: readonly string[]) {
  return Promise.all(ids.map((id) => store.payments.get(id)));
}

function idOf(payment: Payment | undefined): string | undefined {
  return payment?.id;
}

describe('reads of one turn (D71)', () => {
  it('share one transaction; a single read needs none', async () => {
    const db = openDatabase();
    const begun = watchStatement(db, 'BEGIN');
    const store = openStore(db);
    await insert(store, '1', '2');
    const found = await getAll(store, ['1', 'no', '2']);
    expect(found.map((read) => idOf(read._unsafeUnwrap()))).toStrictEqual(['1', undefined, '2']);
    expect(begun.runs).toBe(1);
    expect(db.inTransaction).toBe(false);

    expect(idOf((await store.payments.get('1'))._unsafeUnwrap())).toBe('1');
    expect(begun.runs).toBe(1);
  });

  it('see every commit before the end of the turn', async () => {
    const path = newPath();
    const store = openStore(path);
    await insert(store, '1');
    const asked = getAll(store, ['1', '1']);
    const other = openDatabase(path);
    other.exec("UPDATE chairside_payments SET review = 'seen'");
    other.close();
    for (const read of await asked) expect(read._unsafeUnwrap()?.review).toBe('seen');
  });

  it('are spread over transactions of a bounded size', async () => {
    const db = openDatabase(':memory:');
    const begun = watchStatement(db, 'BEGIN');
    const store = openStore(db);
    await insert(store, '1');
    const found = await getAll(
      store,
      Array.from({ length: 600 }, () => '1'),
    );
    expect(found.every((read) => read._unsafeUnwrap() !== undefined)).toBe(true);
    expect(begun.runs).toBe(3); // 256, 256 and 88
  });

  it('are refused when too many wait already', async () => {
    const store = openStore(':memory:');
    const asked = Array.from({ length: 10_001 }, (_, id) => store.payments.get(`${id}`));
    expect((await asked[10_000])?._unsafeUnwrapErr()).toStrictEqual(notApplied);
    const waited = await Promise.all(asked.slice(0, 10_000));
    expect(waited.every((read) => read.isOk())).toBe(true);
    expect((await store.payments.get('later')).isOk()).toBe(true);
  });

  it('fail alone for a corrupt row', async () => {
    const db = openDatabase();
    const { store, errors } = openNoting(db);
    await insert(store, '1', '2');
    db.exec("UPDATE chairside_payments SET timeline = 'not JSON' WHERE id = '1'");
    const [broken, whole] = await getAll(store, ['1', '2']);
    expect(broken?._unsafeUnwrapErr()).toMatchObject(notApplied);
    expect(idOf(whole?._unsafeUnwrap())).toBe('2');
    expect(errors).toHaveLength(1);
  });

  it('fail together if their transaction cannot begin', async () => {
    const db = openDatabase();
    const begun = watchStatement(db, 'BEGIN');
    const { store, errors } = openNoting(db);
    begun.error = new Error('disk I/O error');
    for (const read of await getAll(store, ['1', '2'])) {
      expect(read._unsafeUnwrapErr()).toStrictEqual(notApplied);
    }
    expect(errors).toStrictEqual([begun.error]);
    begun.error = undefined;
    expect((await getAll(store, ['1', '2'])).every((read) => read.isOk())).toBe(true);
  });

  it('return even if their transaction cannot end, which is reported', async () => {
    const db = openDatabase();
    const ended = watchStatement(db, 'ROLLBACK');
    const { store, errors } = openNoting(db);
    await insert(store, '1');
    ended.error = new Error('disk I/O error');
    const found = await getAll(store, ['1', '1']);
    expect(found.map((read) => idOf(read._unsafeUnwrap()))).toStrictEqual(['1', '1']);
    expect(errors).toStrictEqual([ended.error]);
  });

  it('are refused inside a transaction that could not be ended', async () => {
    const db = openDatabase();
    const store = openStore(db);
    db.exec('BEGIN');
    const refused = [await store.payments.get('1'), ...(await getAll(store, ['1', '2']))];
    for (const read of refused) expect(read._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect(db.inTransaction).toBe(true);
    db.exec('COMMIT');
    expect((await store.payments.get('1')).isOk()).toBe(true);
  });

  it('wait for a lock of another connection, as commits do', async () => {
    const db = openDatabase();
    const reads = lockPayments(db, 5);
    const { store, errors } = openNoting(db);
    await insert(store, '1', '2');
    const asked = getAll(store, ['1', '2', 'no']);
    // These come while the others wait, and do not overtake them.
    const later = asked.then(() => reads.runs);
    await nextTurn();
    expect(idOf((await store.payments.get('2'))._unsafeUnwrap())).toBe('2');
    const found = (await asked).map((read) => idOf(read._unsafeUnwrap()));
    expect(found).toStrictEqual(['1', '2', undefined]);
    expect(await later).toBe(5 + 3 + 1);
    expect(errors).toStrictEqual([]);
  });

  it('end before the store closes, even if they wait for a lock', async () => {
    const db = openDatabase();
    lockPayments(db, 3);
    const store = openStore(db);
    await insert(store, '1');
    const asked = getAll(store, ['1', '1']);
    await store.close();
    for (const read of await asked) expect(idOf(read._unsafeUnwrap())).toBe('1');
  });

  it('are refused if the lock lasts, with the reason', async () => {
    const db = openDatabase();
    const reads = lockPayments(db, 4);
    const { store, errors } = openNoting(db, { maxBusyAttempts: 3 });
    await insert(store, '1');
    expect((await store.payments.get('1'))._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect(reads.runs).toBe(3);
    expect(String(errors)).toContain('Another connection locked the database for too long');
    // The next ones have attempts of their own.
    expect(idOf((await store.payments.get('1'))._unsafeUnwrap())).toBe('1');
  });

  it('return before the store closes; later ones are refused', async () => {
    const store = openStore(newPath());
    await insert(store, '1');
    const asked = getAll(store, ['1', '1']);
    const closed = store.close();
    const late = await store.payments.get('1');
    expect(late._unsafeUnwrapErr()).toStrictEqual(notApplied);
    for (const read of await asked) expect(idOf(read._unsafeUnwrap())).toBe('1');
    await closed;
  });
});
