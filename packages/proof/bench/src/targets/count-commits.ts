import BetterSqlite3, { type Database, type Statement } from 'better-sqlite3';

/**
 * Counts the committed transactions of every connection that this process opens later. Each is one
 * flush.
 */
export function countCommits(): () => number {
  const prototype: Pick<Database, 'prepare'> = BetterSqlite3.prototype;
  const { prepare } = prototype;
  let commits = 0;
  function counting(this: Database, sql: string) {
    const statement: Statement<[]> = Reflect.apply(prepare, this, [sql]);
    if (sql !== 'COMMIT') return statement;
    const run = statement.run.bind(statement);
    statement.run = () => {
      commits += 1;
      return run();
    };
    return statement;
  }
  prototype.prepare = counting as typeof prepare; // cast: the types of its rows pass through
  return () => commits;
}
