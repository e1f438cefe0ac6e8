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

/** The recommended one: its writes survive a crash of the phone. */
export function sqliteJournal(open: () => Promise<ExpoDatabase>): Journal {
  let opened: Promise<ExpoDatabase> | undefined;

  async function prepare(): Promise<ExpoDatabase> {
    const db = await open();
    // In WAL mode the default is NORMAL, which loses the last writes in a power cut.
    await db.execAsync(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS chairside_journal (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    `);
    return db;
  }

  /** Opens the database again at the next call if this one fails. */
  async function database(): Promise<ExpoDatabase> {
    opened ??= prepare();
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw error;
    }
  }

  return {
    async keys() {
      const db = await database();
      const rows = await db.getAllAsync<{ key: string }>('SELECT key FROM chairside_journal', []);
      return rows.map(({ key }) => key);
    },
    async get(key) {
      const db = await database();
      const text = 'SELECT value FROM chairside_journal WHERE key = ?';
      return (await db.getFirstAsync<{ value: string }>(text, [key]))?.value;
    },
    async set(key, value) {
      const db = await database();
      const text = 'INSERT OR REPLACE INTO chairside_journal (key, value) VALUES (?, ?)';
      await db.runAsync(text, [key, value]);
    },
    async remove(key) {
      const db = await database();
      await db.runAsync('DELETE FROM chairside_journal WHERE key = ?', [key]);
    },
  };
}
