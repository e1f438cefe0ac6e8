import Database from 'better-sqlite3';
import { type ExpoDatabase, sqliteJournal } from '../../src/journals.ts';
import type { KeptJournal } from './run.ts';

/** SQLite in Node with the calls of `expo-sqlite`. */
function expoDatabase(path: string): ExpoDatabase & { close(): void } {
  const db = new Database(path);
  return {
    execAsync: async (source) => void db.exec(source),
    runAsync: async (source, params) => db.prepare(source).run(...params),
    getFirstAsync: async <T>(source: string, params: string[]) =>
      // cast: as with expo-sqlite, the caller states the type of the rows
      (db.prepare(source).get(...params) as T | undefined) ?? null,
    getAllAsync: async <T>(source: string, params: string[]) =>
      db.prepare(source).all(...params) as T[], // cast: as above
    close: () => void db.close(),
  };
}

/** The recommended journal, over a database that outlives every life of the app. */
export function openKeptJournal(path = ':memory:'): KeptJournal & { close(): void } {
  const db = expoDatabase(path);
  const journal = sqliteJournal(async () => db);
  return {
    ...journal,
    async entries() {
      const keys = await journal.keys();
      return Promise.all(keys.map(async (key) => String(await journal.get(key))));
    },
    close: db.close,
  };
}
