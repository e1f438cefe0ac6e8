export type {
  PostgresOpenError,
  PostgresStoreOptions,
} from './open.ts';
export { openPostgresStore } from './open.ts';
export type { PostgresOpenFailure } from './requirements.ts';
export type { PostgresStore } from './store.ts';
