import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Change } from '@chairside/core/ports';
import { anEvent, aPayment, aRefund, aTerminal } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';
import { SqliteStoreFailed } from '../src/index.ts';
import {
  commitOf,
  insertOf,
  newPath,
  openDatabase,
  openNoting,
  openStore,
  watchStatement,
} from './helpers.ts';

const notApplied = { kind: 'storeUnavailable', outcome: 'notApplied' };
const unknown = { kind: 'storeUnavailable', outcome: 'unknown' };

describe('a change of another version of the port', () => {
  it('is named, and its commit is not applied', async () => {
    const { store, errors } = openNoting(newPath());
    // cast: hosts in plain JavaScript may send it
    const change = { kind: 'flyToTheMoon' } as unknown as Change;
    const commit = { ...insertOf('one'), changes: [...insertOf('one').changes, change] };
    expect((await store.commit(commit))._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect(String(errors)).toContain('Unknown change flyToTheMoon');
    expect((await store.payments.get('one'))._unsafeUnwrap()).toBeUndefined();
  });
});

describe('a BEGIN that fails', () => {
  it('is reported at once, and its commit is not applied', async () => {
    const db = openDatabase();
    const begin = watchStatement(db, 'BEGIN IMMEDIATE');
    const { store, errors } = openNoting(db);
    begin.error = new Error('attempt to write a readonly database');
    expect((await store.commit(insertOf('1')))._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect(errors).toEqual([begin.error]);
    expect(begin.runs).toBe(1);
    begin.error = undefined;
    expect((await store.commit(insertOf('1'))).isOk()).toBe(true);
    await store.close();
    expect(errors).toHaveLength(1);
  });
});

describe('a COMMIT that fails', () => {
  it('is unknown to all its commits, and ends all writing and reading (D70)', async () => {
    const db = openDatabase();
    const commit = watchStatement(db, 'COMMIT');
    const { store, errors } = openNoting(db);
    expect((await store.commit(insertOf('before'))).isOk()).toBe(true);

    commit.error = new Error('disk I/O error');
    const answers = await Promise.all([
      store.commit(insertOf('1')),
      store.commit(insertOf('2')),
      store.commit(commitOf('3', { kind: 'deleteTerminal', id: 'no' })),
    ]);
    for (const answer of answers) expect(answer._unsafeUnwrapErr()).toStrictEqual(unknown);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(SqliteStoreFailed);
    expect(errors[0]).toMatchObject({
      message:
        'A COMMIT failed: the store stays unavailable until it is opened again; restart the process. disk I/O error',
      cause: commit.error,
    });

    commit.error = undefined;
    const later = await store.commit(insertOf('later'));
    expect(later._unsafeUnwrapErr()).toStrictEqual(notApplied);
    // The file's content is uncertain until it is reopened, so reads must not decide on it.
    expect((await store.wasCommitted('1'))._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect((await store.payments.get('1'))._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect((await store.keys.get('ada', 'key'))._unsafeUnwrapErr()).toStrictEqual(notApplied);
    await store.close();

    const again = openStore(db.name);
    expect((await again.wasCommitted('before'))._unsafeUnwrap()).toBe(true);
    expect((await again.wasCommitted('1'))._unsafeUnwrap()).toBe(false);
    expect((await again.commit(insertOf('1', { id: 'cpm_2' }))).isOk()).toBe(false);
    expect((await again.commit(insertOf('2'))).isOk()).toBe(true);
  });

  it.skipIf(process.platform === 'win32')(
    'because the disk is full is reported as such',
    () => {
      // The kernel refuses to let a file grow beyond the limit, as on a full disk.
      const script = `ulimit -f 1024; exec "$0" --conditions=@chairside/source "$1" "$2"`;
      const child = join(import.meta.dirname, 'fixtures', 'until-the-disk-is-full.ts');
      const told = execFileSync('sh', ['-c', script, process.execPath, child, newPath()]);
      const { answers, found } = JSON.parse(told.toString());
      expect(answers.slice(0, -3)).toStrictEqual(answers.slice(0, -3).map(() => 'ok'));
      expect(answers.slice(-3)).toStrictEqual(['unknown', 'notApplied', 'notApplied']);
      // All acknowledged commits exist after reopening; the unknown one may.
      expect(found.slice(0, -3)).toStrictEqual(found.slice(0, -3).map(() => true));
      expect(found.slice(-2)).toStrictEqual([false, false]);
    },
    20_000,
  );
});

describe('an error inside one commit', () => {
  it('affects only that commit', async () => {
    const { store, errors } = openNoting(':memory:');
    const [before, failed, after] = await Promise.all([
      store.commit(insertOf('1')),
      store.commit(insertOf('2', { amountMinor: 10n ** 17n })),
      store.commit(insertOf('3')),
    ]);
    expect(failed._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect([before.isOk(), after.isOk()]).toStrictEqual([true, true]);
    expect((await store.payments.get('2'))._unsafeUnwrap()).toBeUndefined();
    expect((await store.wasCommitted('2'))._unsafeUnwrap()).toBe(false);
    expect(errors).toHaveLength(1);
    await store.close();
    expect(errors).toHaveLength(1);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('because of the time %s', async (nextCheckAt) => {
    const store = openStore(':memory:');
    const answer = await store.commit(insertOf('1', { nextCheckAt }));
    expect(answer._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect((await store.payments.get('1'))._unsafeUnwrap()).toBeUndefined();
  });

  it('leaves no change of that commit', async () => {
    const store = openStore(':memory:');
    const [ok] = insertOf('ok').changes;
    const [bad] = insertOf('bad', { createdAt: 0.5 }).changes;
    if (ok === undefined || bad === undefined) throw new Error('A commit has a change');
    expect((await store.commit(commitOf('c', ok, bad)))._unsafeUnwrapErr()).toStrictEqual(
      notApplied,
    );
    expect((await store.payments.get('ok'))._unsafeUnwrap()).toBeUndefined();
  });

  it('such as a database that may not grow fails as few commits as possible', async () => {
    const db = openDatabase();
    const store = openStore(db);
    const pages = Number(db.pragma('page_count', { simple: true }));
    db.pragma(`max_page_count = ${pages + 8}`);
    const clientSecret = 'x'.repeat(3000);
    const ids = Array.from({ length: 40 }, (_, id) => `${id}`);
    const answers = await Promise.all(
      ids.map((id) => store.commit(insertOf(id, { clientSecret }))),
    );
    const found = await Promise.all(ids.map((id) => store.payments.get(id)));
    const kept = found.map((payment) => payment._unsafeUnwrap() !== undefined);
    expect(answers.map((answer) => answer.isOk())).toStrictEqual(kept);
    for (const answer of answers.filter((answer) => answer.isErr())) {
      expect(answer._unsafeUnwrapErr()).toStrictEqual(notApplied);
    }
    expect(kept).toContain(false);

    db.pragma(`max_page_count = ${pages + 1000}`);
    expect((await store.commit(insertOf('later', { clientSecret }))).isOk()).toBe(true);
  });

  it('that makes SQLite roll everything back is reported to all', async () => {
    const db = openDatabase();
    const store = openStore(db);
    // As some I/O errors do, in the middle of a transaction.
    db.exec(`CREATE TRIGGER full BEFORE INSERT ON chairside_payments WHEN NEW.id = 'full'
      BEGIN SELECT RAISE(ROLLBACK, 'full'); END`);
    const answers = await Promise.all(['1', 'full', '3'].map((id) => store.commit(insertOf(id))));
    for (const answer of answers) expect(answer._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect((await store.payments.get('1'))._unsafeUnwrap()).toBeUndefined();
    expect((await store.commit(insertOf('1'))).isOk()).toBe(true);
  });

  it.each([
    ['waits, if another connection has the lock', 'SQLITE_BUSY', [true, false, true]],
    ['fails, if the disk does', 'SQLITE_IOERR', [false, false, false]],
  ])('makes the others begin again, which %s', async (_, code, written) => {
    const db = openDatabase();
    const begun = watchStatement(db, 'BEGIN IMMEDIATE');
    const { store, errors } = openNoting(db);
    // The first transaction finds the conflict; then it cannot begin again for a while.
    let fault: Error | undefined = Object.assign(new Error('no'), { code });
    db.function('strike', () => {
      begun.error = fault;
      fault = undefined;
      return null;
    });
    db.exec(`CREATE TEMP TRIGGER conflict BEFORE DELETE ON chairside_terminals
      BEGIN SELECT strike(); END`);
    const terminal = aTerminal({ id: 'no' });
    expect((await store.commit(commitOf('t', { kind: 'insertTerminal', terminal }))).isOk()).toBe(
      true,
    );
    const stale = { kind: 'deletePayment', id: 'none', expectedVersion: 1 } as const;
    const asked = [
      store.commit(insertOf('1')),
      store.commit(commitOf('2', { kind: 'deleteTerminal', id: 'no' }, stale)),
      store.commit(insertOf('3')),
    ];
    setTimeout(() => {
      begun.error = undefined;
    }, 5);
    const answers = await Promise.all(asked);
    expect(answers.map((answer) => answer.isOk())).toStrictEqual(written);
    expect(errors).toHaveLength(code === 'SQLITE_BUSY' ? 0 : 1);
    expect(db.inTransaction).toBe(false);
  });

  it('that a rollback cannot undo ends all writing', async () => {
    const db = openDatabase();
    const rollback = watchStatement(db, 'ROLLBACK');
    const rollbackTo = watchStatement(db, 'ROLLBACK TO one_commit');
    const { store, errors } = openNoting(db);
    rollback.error = new Error('no');
    rollbackTo.error = new Error('no');
    const failed = await store.commit(commitOf('1', { kind: 'deleteTerminal', id: 'no' }));
    expect(failed._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect((await store.commit(insertOf('2')))._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect((await store.payments.get('2'))._unsafeUnwrapErr()).toStrictEqual(notApplied);
    expect(errors.filter((error) => error instanceof SqliteStoreFailed)).toHaveLength(1);
    expect(String(errors)).toContain('A ROLLBACK failed: the store stays unavailable');
  });
});

describe('a row that is corrupt', () => {
  const corruptions = [
    `appointment = '{'`,
    `timeline = '5'`,
    `timeline = 'secret'`,
    `card = 'x'`,
    `work_kind = 'open'`,
    `amount_minor = 1 << 60`,
  ];

  it.each(corruptions)('in %s is storeUnavailable, with a reason', async (assignment) => {
    const db = openDatabase(':memory:');
    const { store, errors } = openNoting(db);
    const payment = aPayment({ nextCheckAt: 1 });
    const committed = await store.commit(commitOf('c', { kind: 'insertPayment', payment }));
    expect(committed.isOk()).toBe(true);
    db.exec(`UPDATE chairside_payments SET ${assignment}`);
    const reads = await Promise.all([
      store.payments.get(payment.id),
      store.payments.listByAppointment(payment.appointment.id, 9),
    ]);
    const cause = new Error(`A row of chairside_payments cannot be read: ${payment.id}`);
    for (const read of reads) {
      expect(read._unsafeUnwrapErr()).toStrictEqual({ ...notApplied, cause });
    }
    expect(errors).toStrictEqual([cause, cause]);
  });

  it('is reported and left out of what upkeep works off', async () => {
    const db = openDatabase(':memory:');
    const { store, errors } = openNoting(db);
    const ids = ['cut', 'whole'];
    const changes = ids.flatMap((id): Change[] => [
      { kind: 'insertPayment', payment: aPayment({ id, nextCheckAt: 1 }) },
      { kind: 'appendEvent', event: anEvent({ subject: id, version: 5 }) },
      { kind: 'putSweep', swept: { books: id, sweptBefore: 1, triedAt: 1 } },
      { kind: 'insertRefund', refund: aRefund({ id, nextCheckAt: 1 }) },
    ]);
    expect((await store.commit(commitOf('c', ...changes))).isOk()).toBe(true);
    db.exec(`
      UPDATE chairside_payments SET timeline = '[' WHERE id = 'cut';
      UPDATE chairside_events SET data = '{' WHERE subject = 'cut';
      UPDATE chairside_sweeps SET lists = '{' WHERE account = 'cut';
      UPDATE chairside_refunds SET document = '{' WHERE id = 'cut'`);
    const due = (await store.payments.listDue(1, 9))._unsafeUnwrap();
    expect(due.map(({ id }) => id)).toEqual(['whole']);
    const waiting = (await store.events.listDue(Number.MAX_SAFE_INTEGER, 9))._unsafeUnwrap();
    expect(waiting.map(({ event }) => event.subject)).toEqual(['whole']);
    expect(errors.map(String)).toEqual([
      'Error: A row of chairside_payments cannot be read: cut',
      'Error: A row of chairside_events cannot be read: cut/5',
    ]);
    // Shops stay closed until all books are read, and a day is open while a refund is unknown.
    const whole = [await store.sweeps.listStale(1, 9), await store.refunds.listDue(1, 9)];
    for (const read of whole) expect(read._unsafeUnwrapErr()).toMatchObject(notApplied);
  });

  it('does not let an observer’s error escape', async () => {
    const db = openDatabase(':memory:');
    const store = openStore(db, {
      onError: () => {
        throw new Error('the observer fails too');
      },
    });
    db.close();
    expect((await store.payments.get('1'))._unsafeUnwrapErr()).toMatchObject(notApplied);
    expect((await store.commit(insertOf('1')))._unsafeUnwrapErr()).toStrictEqual(notApplied);
  });
});
