import type { Journal } from './journal.ts';

/** A part of the DOM's `Storage`. */
export interface WebStorage {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/**
 * For pages: `localStorageJournal(localStorage)`. Its errors, such as a full quota, become
 * rejections.
 */
export function localStorageJournal(storage: WebStorage): Journal {
  return {
    keys: async () =>
      Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? ''),
    get: async (key) => storage.getItem(key),
    set: async (key, value) => storage.setItem(key, value),
    remove: async (key) => storage.removeItem(key),
  };
}

/** A part of `@react-native-async-storage/async-storage`. */
export interface AsyncStorage {
  getAllKeys(): Promise<readonly string[]>;
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
}

/** For demos: its writes may be lost if the phone crashes. */
export function asyncStorageJournal(storage: AsyncStorage): Journal {
  return {
    keys: () => storage.getAllKeys(),
    get: (key) => storage.getItem(key),
    set: (key, value) => storage.setItem(key, value),
    remove: (key) => storage.removeItem(key),
  };
}

/** A part of `expo-sqlite`: the result of `openDatabaseAsync`. */
export interface ExpoDatabase {
  execAsync(source: string): Promise<void>;
  runAsync(source: string, params: string[]): Promise<unknown>;
  getFirstAsync<T>(source: string, params: string[]): Promise<T | null>;
  getAllAsync<T>(source: string, params: string[]): Promise<T[]>;
}

/**
 * The recommended one: its writes survive a crash of the phone. Let `open` make a new connection each time, because
 * Android may free one that is in use.
 */
export function sqliteJournal(open: () => Promise<ExpoDatabase>): Journal {
  let opened: Promise<ExpoDatabase> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function prepare(): Promise<ExpoDatabase> {
    const db = await open();
    // In WAL mode the default is NORMAL, which loses the last writes in a power cut.
    await db.execAsync(`
      PRAGMA busy_timeout = 3000;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS chairside_journal (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    `);
    return db;
  }

  async function once<T>(query: (db: ExpoDatabase) => Promise<T>): Promise<T> {
    opened ??= prepare();
    try {
      return await query(await opened);
    } catch (error) {
      opened = undefined;
      throw error;
    }
  }

  /** Runs one query at a time: overlapping ones may crash the app. If it fails, it runs once more, opened again. */
  function run<T>(query: (db: ExpoDatabase) => Promise<T>): Promise<T> {
    const ended = last.then(() => once(query)).catch(() => once(query));
    last = ended.catch(() => {});
    return ended;
  }

  return {
    async keys() {
      const text = 'SELECT key FROM chairside_journal';
      const rows = await run((db) => db.getAllAsync<{ key: string }>(text, []));
      return rows.map(({ key }) => key);
    },
    async get(key) {
      const text = 'SELECT value FROM chairside_journal WHERE key = ?';
      return (await run((db) => db.getFirstAsync<{ value: string }>(text, [key])))?.value;
    },
    async set(key, value) {
      const text = 'INSERT OR REPLACE INTO chairside_journal (key, value) VALUES (?, ?)';
      await run((db) => db.runAsync(text, [key, value]));
    },
    async remove(key) {
      await run((db) => db.runAsync('DELETE FROM chairside_journal WHERE key = ?', [key]));
    },
  };
}
