export { openPostgresStore, type PostgresOpenError, type PostgresStoreOptions } from './open.ts';
export type { PostgresOpenFailure } from './requirements.ts';
export type { PostgresStore } from './store.ts';
