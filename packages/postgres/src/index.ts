export type {
  PostgresOpenError,
  PostgresOpenFailure,
  PostgresStoreOptions,
} from './open.ts';
export { openPostgresStore } from './open.ts';
export type { PostgresStore } from './store.ts';
