import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { someTime } from '@chairside/testkit';
import { rateLimiterContract } from '@chairside/testkit/contracts';
import { describe, expect, it } from 'vitest';
import { createSqliteRateLimiter, type SqliteRateLimiterOptions } from '../src/index.ts';
import { newPath, openDatabase } from './helpers.ts';

type Opened = Parameters<typeof createSqliteRateLimiter>[0];
const open = (on: Opened, options?: SqliteRateLimiterOptions) =>
  createSqliteRateLimiter(on, options)._unsafeUnwrap();

rateLimiterContract('The SQLite rate limiter', async () => [open(newPath())]);

rateLimiterContract('SQLite rate limiters on one file', async () => {
  const path = newPath();
  return [open(path), open(path), open(path)];
});

rateLimiterContract("The SQLite rate limiter in a host's database", async () => {
  const db = openDatabase();
  db.pragma('journal_mode = WAL');
  return [open(db)];
});

const quota = { limit: 3, windowMs: 60_000 };

type Limiter = ReturnType<typeof open>;
const take = async (limiter: Limiter, key: string, now: number) =>
  (await limiter.take('writes', key, quota, now))._unsafeUnwrap();

describe('the SQLite rate limiter', () => {
  it('counts the calls of all processes', async () => {
    const path = newPath();
    open(path).close();
    const child = join(import.meta.dirname, 'fixtures', 'count-calls.ts');
    const args = ['--conditions=@chairside/source', child, path, '150', '100', `${someTime}`];
    const runs = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args));
    const answers = await Promise.all(runs.map(async (run) => JSON.parse((await run).stdout)));
    const sum = (is: string) => answers.reduce((total, answer) => total + answer[is], 0);
    expect(sum('passed') + sum('refused') + sum('failed')).toBe(400);
    // A call that could not get the lock in time passed uncounted.
    expect(sum('passed')).toBe(Math.min(150, 400 - sum('failed')));
    expect(sum('failed')).toBeLessThan(200);
  });

  it('deletes expired windows, and never keeps too many', async () => {
    const db = openDatabase();
    db.pragma('journal_mode = WAL');
    const limiter = open(db, { maxWindows: 300 });
    const rows = () => db.prepare('SELECT count(*) FROM chairside_rate_limits').pluck().get();
    for (let i = 0; i < 2048; i += 1) await take(limiter, `${i}`, someTime + i);
    expect(rows()).toBe(300);
    const next = someTime + 3_600_000;
    for (let i = 0; i < 256; i += 1) await take(limiter, 'a', next + i);
    expect(rows()).toBe(1);
    limiter.close();
    expect(db.open).toBe(true);
  });

  it('reports its failure with the reason', async () => {
    const errors: unknown[] = [];
    const limiter = open(newPath(), { onError: (error) => errors.push(error) });
    limiter.close();
    const failed = await limiter.take('writes', 'a', quota, someTime);
    expect(failed._unsafeUnwrapErr()).toEqual({ kind: 'limiterFailed' });
    expect(errors).toHaveLength(1);

    for (const path of ['', '/no/such/folder/limits.db', import.meta.dirname]) {
      const refused = createSqliteRateLimiter(path)._unsafeUnwrapErr();
      expect(refused).toMatchObject({ kind: 'limiterNotOpened' });
    }
    const held = openDatabase();
    held.exec('BEGIN EXCLUSIVE');
    const opened = createSqliteRateLimiter(held.name, { openingTimeoutMs: 20 });
    expect(opened._unsafeUnwrapErr().message).toMatch(/locked/);
  });
});
