export type {
  SqliteOpenError,
  SqliteOpenFailure,
  SqliteStore,
  SqliteStoreOptions,
} from './open.ts';
export { openSqliteStore } from './open.ts';
export type { SqliteRateLimiter, SqliteRateLimiterOptions } from './rate-limiter.ts';
export { createSqliteRateLimiter } from './rate-limiter.ts';
export { SqliteStoreFailed } from './sqlite-error.ts';
