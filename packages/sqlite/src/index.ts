export { SqliteCheckpointFailed } from './checkpoint-failed.ts';
export { SqliteFault } from './fault.ts';
export type { SqliteOpenError, SqliteStore, SqliteStoreOptions } from './open.ts';
export { openSqliteStore } from './open.ts';
export type { SqliteOpenFailure } from './open-failure.ts';
export type { SqliteRateLimiter, SqliteRateLimiterOptions } from './rate-limiter.ts';
export { createSqliteRateLimiter } from './rate-limiter.ts';
export { SqliteStoreFailed } from './store-failed.ts';
