import { closeSync, existsSync, openSync } from 'node:fs';
import type { Collection, Collections, FakeStorage, StorageWrite } from '@chairside/fake-processor';
import BetterSqlite3, { type Database } from 'better-sqlite3';

const schema = `
  CREATE TABLE IF NOT EXISTS ledger (
    seq INTEGER PRIMARY KEY,
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    grp TEXT,
    record TEXT NOT NULL,
    UNIQUE (collection, id)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS ledger_groups ON ledger (collection, grp) WHERE grp IS NOT NULL;
`;

/** Opens the file of the fake processor's books. Throws SQLite's errors. */
export function openStorageFile(path: string): Database {
  // It holds client secrets, and SQLite would make the file readable by every local user.
  if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const db = new BetterSqlite3(path, { timeout: 1000 });
  db.pragma('journal_mode = WAL');
  // Without it, a power cut could lose the latest entries. Their payments could then never be
  // settled.
  db.pragma('synchronous = FULL');
  db.exec(schema);
  // Fails if the file may only be read.
  db.exec('BEGIN IMMEDIATE; COMMIT');
  return db;
}

interface Row {
  readonly record: string;
}

/** The fake processor's books in a SQLite table. */
export function createDurableStorage(db: Database): FakeStorage {
  const get = db.prepare<[Collection, string], Row>(
    'SELECT record FROM ledger WHERE collection = ? AND id = ?',
  );
  const all = db.prepare<[Collection], Row>(
    'SELECT record FROM ledger WHERE collection = ? ORDER BY seq',
  );
  const group = db.prepare<[Collection, string], Row>(
    'SELECT record FROM ledger WHERE collection = ? AND grp = ? ORDER BY seq',
  );
  const put = db.prepare<[Collection, string, string | null, string]>(
    `INSERT INTO ledger (collection, id, grp, record) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET record = excluded.record`,
  );

  const parse = <C extends Collection>({ record }: Row): Collections[C] => JSON.parse(record);

  return {
    get<C extends Collection>(collection: C, id: string) {
      const row = get.get(collection, id);
      return row && parse<C>(row);
    },
    list<C extends Collection>(collection: C, of?: string) {
      const rows = of === undefined ? all.all(collection) : group.all(collection, of);
      return rows.map((row) => parse<C>(row));
    },
    write: db.transaction((writes: readonly StorageWrite[]) => {
      for (const { collection, id, group = null, record } of writes) {
        put.run(collection, id, group, JSON.stringify(record));
      }
    }),
  };
}
