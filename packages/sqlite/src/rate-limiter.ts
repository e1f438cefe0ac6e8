import { errAsync, okAsync, type RateLimiter, Result } from '@chairside/core';
import { tell } from '@chairside/core/ports';
import type { Database } from 'better-sqlite3';
import { connect, nextPath } from './connect.ts';
import { explained, SqliteStoreFailed } from './fault.ts';
import { type Footing, standOn } from './ground.ts';
import { type Failure, failureOf } from './open-failure.ts';
import { busyTimeoutMs, defaultOpeningTimeoutMs, switchToWal } from './pragmas.ts';

export interface SqliteRateLimiter extends RateLimiter {
  /** Closes the limiter's own connection. */
  close(): void;
}

export interface SqliteRateLimiterOptions {
  /** Receives SQLite's errors; the port says only that the limiter failed. */
  readonly onError?: (error: unknown) => void;
  /**
   * Windows beyond this number are deleted, those that end first before the others. Default:
   * 100,000.
   */
  readonly maxWindows?: number;
  /**
   * How long opening waits, in milliseconds, for another connection's lock. It blocks the event loop.
   * Default: 10,000.
   */
  readonly openingTimeoutMs?: number;
}

/** One call in this many also deletes old windows. */
const callsPerSweep = 256;
const windowsPerSweep = 1024;
const defaultMaxWindows = 100_000;

const schema = `
  CREATE TABLE IF NOT EXISTS chairside_rate_limits (
    policy TEXT NOT NULL,
    caller TEXT NOT NULL,
    used INTEGER NOT NULL,
    resets_at INTEGER NOT NULL,
    UNIQUE (policy, caller)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS chairside_rate_limits_ends ON chairside_rate_limits (resets_at);
`;

// One statement, so that no other process comes between reading and counting. `used` stops one
// above the limit, which tells the call that it exceeded the limit. A window that another process's
// clock began in the future is cut to its length, so no caller waits longer than one window.
const countCall = `
  INSERT INTO chairside_rate_limits (policy, caller, used, resets_at)
  VALUES (:policy, :key, 1, :now + :windowMs)
  ON CONFLICT (policy, caller) DO UPDATE SET
    used = CASE WHEN resets_at <= :now THEN 1 ELSE min(used + 1, :limit + 1) END,
    resets_at = CASE WHEN resets_at <= :now THEN :now ELSE min(resets_at - :windowMs, :now) END
      + :windowMs
  RETURNING used, resets_at AS resetsAt
`;

const forgetEnded = `
  DELETE FROM chairside_rate_limits WHERE rowid IN (
    SELECT rowid FROM chairside_rate_limits WHERE resets_at <= :now ORDER BY resets_at LIMIT :most
  )
`;

const forgetExcess = `
  DELETE FROM chairside_rate_limits WHERE rowid IN (
    SELECT rowid FROM chairside_rate_limits ORDER BY resets_at
    LIMIT max(0, (SELECT count(*) FROM chairside_rate_limits) - :maxWindows)
  )
`;

interface Counted {
  readonly used: number;
  readonly resetsAt: number;
}

/**
 * Counts calls in fixed windows, for all processes on one file together. It uses the caller's
 * clock, so the processes' clocks should agree to about a second.
 *
 * @param pathOrDatabase a path in an existing folder, best of a separate file. Its writes are not
 * flushed, because counting may begin anew after a power loss. Or a host's own database in WAL
 * mode: the limiter opens its own connection to the file.
 */
export function createSqliteRateLimiter(
  pathOrDatabase: string | Database,
  options: SqliteRateLimiterOptions = {},
): Result<SqliteRateLimiter, { readonly kind: 'limiterNotOpened'; readonly message: string }> {
  return connect(pathOrDatabase)
    .andThen((db) =>
      Result.fromThrowable(limiterOn, failureOf)(db, nextPath(pathOrDatabase), options)
        .andThen((limiter) => limiter)
        .mapErr((failure) => {
          db.close();
          return failure;
        }),
    )
    .mapErr(({ why }) => ({ kind: 'limiterNotOpened', message: why }) as const);
}

/** Throws SQLite's errors. */
function limiterOn(
  db: Database,
  path: string | undefined,
  options: SqliteRateLimiterOptions,
): Result<SqliteRateLimiter, Failure> {
  const { openingTimeoutMs = defaultOpeningTimeoutMs } = options;
  switchToWal(db, openingTimeoutMs);
  db.pragma('synchronous = NORMAL');
  db.exec(schema);
  return standOn(db, openingTimeoutMs, path).map((footing) => countingOn(db, footing, options));
}

function countingOn(
  db: Database,
  footing: Footing,
  { onError, maxWindows = defaultMaxWindows }: SqliteRateLimiterOptions,
): SqliteRateLimiter {
  // Waiting blocks the whole process, so an uncounted call may pass instead (D31).
  db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  const count = db.prepare<object, Counted>(countCall).safeIntegers(false);
  const ended = db.prepare<object>(forgetEnded);
  const excess = db.prepare<object>(forgetExcess);
  let calls = 0;
  let hasFailed = false;

  /** The file may be that of payments, which a write or a checkpoint from lost files would overwrite (D205). */
  function isFirm(): boolean {
    if (hasFailed) return false;
    const fault = footing.look();
    if (fault === undefined) return true;
    hasFailed = fault.lost !== undefined;
    if (hasFailed) footing.abandon();
    tell(onError, fault.lost === undefined ? fault.error : new SqliteStoreFailed(fault));
    return false;
  }

  function sweep(now: number): void {
    calls += 1;
    if (calls % callsPerSweep !== 0) return;
    ended.run({ now, most: windowsPerSweep });
    excess.run({ maxWindows });
  }

  return {
    take(policy, key, { limit, windowMs }, now) {
      try {
        if (!isFirm()) return errAsync({ kind: 'limiterFailed' });
        // The statement always returns a row.
        const { used = 0, resetsAt = now } = count.get({ policy, key, limit, windowMs, now }) ?? {};
        sweep(now);
        const remaining = Math.max(0, limit - used);
        return okAsync({ policy, limit, windowMs, remaining, resetsAt, allowed: used <= limit });
      } catch (thrown) {
        tell(onError, explained(thrown));
        return errAsync({ kind: 'limiterFailed' });
      }
    },
    close() {
      footing.close();
    },
  };
}
