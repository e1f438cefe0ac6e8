import type { Database } from 'better-sqlite3';
import { initial } from './migrations/0001-initial.ts';

/** In order, from version 1. A released migration is never edited. */
const migrations: readonly string[] = [initial];

/**
 * Brings the schema up to date, with one transaction for each step.
 * @returns false if the schema is newer than this code; it is left unchanged.
 */
export function migrate(db: Database): boolean {
  const step = db.transaction((version: number, sql: string) => {
    // Another process may have applied it between the check above and this lock.
    if (schemaVersion(db) >= version) return;
    db.exec('CREATE TABLE IF NOT EXISTS chairside_migrations (version INTEGER PRIMARY KEY) STRICT');
    db.exec(sql);
    db.prepare('INSERT INTO chairside_migrations (version) VALUES (?)').run(version);
  });
  for (const [index, sql] of migrations.entries()) {
    if (schemaVersion(db) <= index) step.immediate(index + 1, sql);
  }
  return schemaVersion(db) === migrations.length;
}

function schemaVersion(db: Database): number {
  const table = db
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'chairside_migrations'")
    .get();
  if (table === undefined) return 0;
  const row = db
    .prepare<[], { version: number }>(
      'SELECT coalesce(max(version), 0) AS version FROM chairside_migrations',
    )
    .safeIntegers(false)
    .get();
  return row?.version ?? 0;
}
