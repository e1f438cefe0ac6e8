import { ResultAsync } from '@chairside/core';
import type { Store } from '@chairside/core/ports';
import { openSqliteStore } from '@chairside/sqlite';
import { type Config, inMemory } from './config.ts';

type Database = Pick<Config, 'databasePath' | 'postgres'>;

/** Opens the store in PostgreSQL if there is an address of one, else in a SQLite file. An error is for a person. */
export function openRecords(
  { databasePath, postgres }: Database,
  onError: (error: unknown) => void,
): ResultAsync<Store, string> {
  const opened =
    postgres === undefined
      ? openSqliteStore(databasePath, { onError }).asyncMap(async (store): Promise<Store> => store)
      : openPostgres(postgres.href, onError);
  return opened.mapErr(({ message }) => message);
}

/** The driver is loaded only if it is used, because it takes memory. */
function openPostgres(address: string, onError: (error: unknown) => void) {
  return ResultAsync.fromSafePromise(import('@chairside/postgres')).andThen(
    ({ openPostgresStore }) => openPostgresStore(address, { onError }),
  );
}

/** Where the records are, without a password. */
export function placeOf({ databasePath, postgres }: Database): string {
  if (postgres !== undefined) return `PostgreSQL, ${postgres.host}${postgres.pathname}`;
  return databasePath === inMemory ? 'memory' : databasePath;
}
