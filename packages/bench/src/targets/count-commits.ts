import BetterSqlite3, { type Database } from 'better-sqlite3';

/**
 * Counts the transactions that are committed from here on, by every connection that this process opens
 * later, each one flush.
 */
export function countCommits(): () => number {
  const prototype: Pick<Database, 'prepare'> = BetterSqlite3.prototype;
  const { prepare } = prototype;
  let commits = 0;
  function counting(this: Database, sql: string) {
    const statement = prepare.call(this, sql);
    if (sql !== 'COMMIT') return statement;
    return new Proxy(statement, {
      get(target, name) {
        if (name === 'run') commits += 1;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }
  prototype.prepare = counting as typeof prepare; // cast: the types of its rows pass through
  return () => commits;
}
