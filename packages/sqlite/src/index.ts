export { SqliteCheckpointFailed, SqliteFault, SqliteStoreFailed, SqliteWalHeld } from './fault.ts';
export { openSqliteStore, type SqliteOpenError, type SqliteStore } from './open.ts';
export type { SqliteOpenFailure } from './open-failure.ts';
export { readSqliteStore } from './read-only.ts';
export type { SqliteStoreOptions } from './store.ts';
