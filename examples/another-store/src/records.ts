import type { DatabaseSync } from 'node:sqlite';
import { fromDocument, longestWaitMs, toDocument } from '@chairside/core/storage';

/** One table holds every collection: a record is a document beside the values it is found by. */
export const schema = `
CREATE TABLE IF NOT EXISTS records (
  collection TEXT NOT NULL,
  id TEXT NOT NULL,
  document TEXT NOT NULL,
  parent TEXT,
  label TEXT,
  at INTEGER,
  due INTEGER,
  UNIQUE (collection, id)
) STRICT;
CREATE INDEX IF NOT EXISTS records_by_parent ON records (collection, parent, at);
CREATE INDEX IF NOT EXISTS records_by_label ON records (collection, label, id);
CREATE INDEX IF NOT EXISTS records_by_due ON records (collection, due) WHERE due IS NOT NULL;
`;

/** Values to find a record by, besides its id. */
interface Index {
  readonly parent?: string | undefined;
  readonly label?: string | undefined;
  /** Orders the records of a parent. */
  readonly at?: number | undefined;
  readonly due?: number | undefined;
}

/** The records of one connection, all of its reads and writes. */
export interface Records {
  get<T extends object>(collection: string, id: string): T | undefined;
  put(collection: string, id: string, record: object, index?: Index): true;
  /** False if the id is taken. */
  insert(collection: string, id: string, record: object, index?: Index): boolean;
  remove(collection: string, id: string): boolean;
  /** The newest of a parent, oldest first. */
  newest<T extends object>(collection: string, parent: string, limit: number): T[];
  /** In order of their ids. */
  labeled<T extends object>(collection: string, label: string, after: string, limit: number): T[];
  /** All of a collection, in order of their ids. */
  all<T extends object>(collection: string, after: string, limit: number): T[];
  /** Those due at this time or earlier, the longest due first. */
  due<T extends object>(collection: string, now: number, limit: number): T[];
  /** The same, and after them those that are due later than anything waits. */
  toCheck<T extends object>(collection: string, now: number, limit: number): T[];
}

export const everything = 1_000_000;

export function recordsOf(db: DatabaseSync): Records {
  const select = (condition: string) =>
    db.prepare(`SELECT document FROM records WHERE collection = ? AND ${condition}`);
  const byId = select('id = ?');
  const byParent = select('parent = ? ORDER BY at DESC, rowid DESC LIMIT ?');
  const byLabel = select('label = ? AND id > ? ORDER BY id LIMIT ?');
  const byPlace = select('id > ? ORDER BY id LIMIT ?');
  const byDue = select('due <= ? ORDER BY due, rowid LIMIT ?');
  const byAhead = select('due > ? ORDER BY due, rowid LIMIT ?');
  const write = (onConflict: string) =>
    db.prepare(
      `INSERT INTO records (collection, id, document, parent, label, at, due)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO ${onConflict}`,
    );
  const inserted = write('NOTHING');
  const replaced = write(`UPDATE SET document = excluded.document, parent = excluded.parent,
    label = excluded.label, at = excluded.at, due = excluded.due`);
  const removed = db.prepare('DELETE FROM records WHERE collection = ? AND id = ?');

  const cells = (collection: string, id: string, record: object, index: Index = {}) => {
    const { parent = null, label = null, at = null, due = null } = index;
    return [collection, id, toDocument(record), parent, label, at, due] as const;
  };
  const decode = <T extends object>(row: Readonly<Record<string, unknown>>): T =>
    fromDocument<T>(String(row['document']));

  return {
    get: (collection, id) => {
      const row = byId.get(collection, id);
      return row === undefined ? undefined : decode(row);
    },
    put: (collection, id, record, index) => {
      replaced.run(...cells(collection, id, record, index));
      return true;
    },
    insert: (collection, id, record, index) =>
      inserted.run(...cells(collection, id, record, index)).changes === 1,
    remove: (collection, id) => removed.run(collection, id).changes === 1,
    newest: <T extends object>(collection: string, parent: string, limit: number) =>
      byParent
        .all(collection, parent, Math.max(0, limit))
        .reverse()
        .map((row) => decode<T>(row)),
    labeled: <T extends object>(collection: string, label: string, after: string, limit: number) =>
      byLabel.all(collection, label, after, Math.max(0, limit)).map((row) => decode<T>(row)),
    all: <T extends object>(collection: string, after: string, limit: number) =>
      byPlace.all(collection, after, Math.max(0, limit)).map((row) => decode<T>(row)),
    due: <T extends object>(collection: string, now: number, limit: number) =>
      byDue.all(collection, now, Math.max(0, limit)).map((row) => decode<T>(row)),
    toCheck: <T extends object>(collection: string, now: number, limit: number) => {
      const due = byDue.all(collection, now, Math.max(0, limit));
      const left = Math.max(0, limit - due.length);
      const ahead = byAhead.all(collection, now + longestWaitMs, left);
      return [...due, ...ahead].map((row) => decode<T>(row));
    },
  };
}
