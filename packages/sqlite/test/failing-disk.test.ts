import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { explained, meanings } from '../src/fault.ts';
import { openSqliteStore, SqliteFault } from '../src/index.ts';
import { failureOf } from '../src/open-failure.ts';
import { insertOf, newPath, openDatabase, openNoting } from './helpers.ts';

const isLinux = process.platform === 'linux';
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name);
const node = ['--conditions=@chairside/source'];

function sqliteError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

describe('a database file that cannot be written for a while', () => {
  it.runIf(isLinux)(
    'is reported as long as it lasts, bounds the WAL, and needs no restart (D69)',
    async () => {
      const args = [...node, fixture('file-that-cannot-grow.ts'), newPath()];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const seen = JSON.parse(stdout);
      expect(seen).toMatchObject({
        refused: ['notApplied'],
        readable: true,
        answerAfter: 'ok',
        silentAfter: true,
      });
      // The limit is 400 pages. A commit has a few, and eight commits may pass before the first
      // failure.
      expect(seen.acknowledged).toBeGreaterThan(10);
      expect(seen.mostPages).toBeGreaterThanOrEqual(400);
      expect(seen.mostPages).toBeLessThan(460);
      expect(seen.pagesAfter).toBeLessThan(50);
      // 1.5 s at one message in 0.2 s.
      expect(seen.messages.length).toBeGreaterThanOrEqual(3);
      expect(seen.messages.length).toBeLessThanOrEqual(8);
      expect(seen.messages.at(-1)).toBe(
        'SqliteCheckpointFailed: The database file cannot be written: its WAL has 2 MB, so writes are refused until the file can be written again. The disk refused to write (EIO), or a file may not grow further (EFBIG) (disk I/O error, SQLITE_IOERR_WRITE)',
      );
    },
    60_000,
  );
});

describe('an error of SQLite', () => {
  it.each([
    ['SQLITE_CORRUPT', 'database disk image is malformed', 'or the disk failed to read it (EIO)'],
    ['SQLITE_IOERR_CORRUPTFS', 'disk I/O error', 'The disk could not read the database (EIO)'],
    ['SQLITE_IOERR_SHMSIZE', 'disk I/O error', 'the disk is full'],
    ['SQLITE_FULL', 'database or disk is full', 'ENOSPC'],
    ['SQLITE_IOERR_BLOCKED', 'disk I/O error', 'The disk failed (EIO)'],
    ['SQLITE_READONLY_DBMOVED', 'attempt to write', 'was moved or deleted'],
  ])('%s carries its meaning', (code, message, meaning) => {
    const error = sqliteError(code, message);
    const said = explained(error);
    expect(said).toBeInstanceOf(SqliteFault);
    expect(said).toMatchObject({ code, cause: error });
    expect(String(said)).toContain(meaning);
    expect(String(said)).toContain(`(${message}, ${code})`);
    expect(explained(said)).toBe(said);
  });

  it('that no disk causes is unchanged', () => {
    const error = sqliteError('SQLITE_CONSTRAINT_UNIQUE', 'UNIQUE constraint failed');
    expect(explained(error)).toBe(error);
    expect(explained('no error')).toBe('no error');
  });

  it('has its meaning on the page for operators', () => {
    const page = readFileSync(
      join(import.meta.dirname, '../../../docs/operate/operating.md'),
      'utf8',
    );
    for (const meaning of Object.values(meanings)) expect(page).toContain(meaning);
    for (const message of ['A COMMIT failed', 'A ROLLBACK failed', 'locked the database for too']) {
      expect(page).toContain(message);
    }
  });

  it('reaches `onError` with its meaning', async () => {
    const db = openDatabase();
    const { store, errors } = openNoting(db);
    expect((await store.commit(insertOf('1'))).isOk()).toBe(true);
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
    const clientSecret = 'x'.repeat(10_000);
    expect((await store.commit(insertOf('2', { clientSecret }))).isErr()).toBe(true);
    expect(String(errors)).toContain('The disk is full, or a quota is used up (ENOSPC, EDQUOT)');
  });
});

describe('at the start', () => {
  it.each([
    ['SQLITE_IOERR_SHMSIZE', 'diskFull'],
    ['SQLITE_FULL', 'diskFull'],
    ['SQLITE_IOERR_READ', 'diskFailed'],
    ['SQLITE_IOERR_LOCK', 'unwritable'],
    ['SQLITE_READONLY_CANTINIT', 'unwritable'],
    ['SQLITE_NOTADB', 'notADatabase'],
    ['SQLITE_MISUSE', 'failed'],
  ])('%s is named %s', (code, reason) => {
    expect(failureOf(sqliteError(code, 'x')).reason).toBe(reason);
  });

  it.runIf(isLinux)('a file that may not grow is distinguished from a damaged one', () => {
    const script = `ulimit -f 8; exec "$0" "$@"`;
    const open = `
      import { openSqliteStore } from '@chairside/sqlite';
      const { error } = openSqliteStore(process.argv[1]);
      console.log(JSON.stringify(error));
    `;
    const args = [...node, '--input-type=module', '-e', open, newPath()];
    const said = execFileSync('sh', ['-c', script, process.execPath, ...args], {
      cwd: import.meta.dirname,
    });
    const error = JSON.parse(said.toString());
    expect(error.reason).toBe('diskFull');
    expect(error.message).toContain('the disk is full or fails');
    expect(error.message).toContain('SQLITE_IOERR_SHMSIZE');
  });

  it.skipIf(!canMount())('a full disk is named', () => {
    const folder = newPath();
    execFileSync('mkdir', [folder]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder]);
    try {
      const error = openSqliteStore(join(folder, 'payments.db'))._unsafeUnwrapErr();
      expect(error.reason).toBe('diskFull');
      expect(error.message).toContain('the disk is full or fails');
    } finally {
      execFileSync('umount', [folder]);
    }
  });
});

/** Needs root and a kernel that permits it. */
function canMount(): boolean {
  if (!isLinux || process.getuid?.() !== 0) return false;
  const folder = newPath();
  try {
    execFileSync('mkdir', [folder]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  }
}
