import type { Database } from 'better-sqlite3';

/** Counts the transactions that are committed on a database from here on, each one flush. */
export function countCommits(db: Database): () => number {
  const prepare = db.prepare.bind(db);
  let commits = 0;
  const counting = (sql: string) => {
    const statement = prepare(sql);
    if (sql === 'COMMIT') {
      const run = statement.run.bind(statement);
      statement.run = (...params) => {
        commits += 1;
        return run(...params);
      };
    }
    return statement;
  };
  db.prepare = counting as typeof db.prepare; // cast: the types of its rows pass through
  return () => commits;
}
