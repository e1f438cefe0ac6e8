import { forbidden } from './functions/settings.ts';
import { literal } from './literal.ts';
import type { Run } from './migrate.ts';

export type PostgresOpenFailure =
  /** The server does not respond in time, or the address is missing. */
  | 'unreachable'
  /** The account may not log in, or may not create or use the tables. */
  | 'forbidden'
  /** It accepts no writes: a standby, or its administrator forbids them. */
  | 'readOnly'
  /** A later version of this package wrote it, and this one may not work with it; it is unchanged. */
  | 'newerSchema'
  /** Code from before a release made the schema; it is unchanged. */
  | 'unreleasedSchema'
  /** Its settings allow acknowledged commits to be lost. */
  | 'notDurable'
  /** PostgreSQL is too old. */
  | 'unsupportedVersion'
  /** Its encoding is not UTF-8. */
  | 'notUtf8'
  /** The name of the schema is empty or too long. */
  | 'invalidSchemaName'
  /** An option that does not exist, a typing error for example; the message names the nearest one. */
  | 'unknownOption'
  | 'failed';

/** The missing requirement, in one sentence. */
export interface Missing {
  readonly reason: PostgresOpenFailure;
  readonly why: string;
}

/** The oldest version that PostgreSQL supports. */
const oldestVersion = 14;

/**
 * Checks the server's settings against the store's requirements. A setting that a database lacks is
 * not required.
 * @param allowsFsyncOff the service makes commits durable, and not the server's own disk.
 */
export async function missingOf(run: Run, allowsFsyncOff = false): Promise<Missing | undefined> {
  const settings = ['server_version_num', 'server_encoding', 'synchronous_commit', 'fsync'];
  const shown = settings.map((name) => `current_setting('${name}', TRUE) AS ${name}`);
  const [row = {}] = await run(`SELECT ${shown}, pg_is_in_recovery()::TEXT AS is_standby,
    (SELECT reset_val FROM pg_settings WHERE name = 'default_transaction_read_only') AS read_only`);
  const version = Math.floor(Number(row['server_version_num'] ?? oldestVersion * 10_000) / 10_000);
  if (version < oldestVersion) {
    const why = `PostgreSQL is version ${version}; the store needs ${oldestVersion} or later`;
    return { reason: 'unsupportedVersion', why };
  }
  const encoding = row['server_encoding'] ?? 'UTF8';
  if (!/^utf-?8$/i.test(encoding)) {
    return { reason: 'notUtf8', why: `The database's encoding is ${encoding}, not UTF8` };
  }
  const commit = row['synchronous_commit'] ?? 'on';
  if (/^(off|local|remote_write)$/.test(commit)) {
    const why = `synchronous_commit is ${commit}: the latest commits can be lost`;
    return { reason: 'notDurable', why };
  }
  if (row['fsync'] === 'off' && !allowsFsyncOff) {
    return { reason: 'notDurable', why: 'fsync is off: all records can be lost' };
  }
  if (row['is_standby'] === 'true') {
    return { reason: 'readOnly', why: 'The server is a standby, which takes no writes' };
  }
  // Not the present value: somebody may have left a pool's session read-only.
  if (row['read_only'] === 'on') return { reason: 'readOnly', why: forbidden };
  return undefined;
}

/**
 * Finds a table or function that the account may not use, or whose rows a policy hides from it.
 * @param names those that this version uses. An account may lack rights on what a later one added.
 */
export async function missingRight(
  run: Run,
  schema: string,
  names: readonly string[],
): Promise<Missing | undefined> {
  const may = (right: string) => `has_table_privilege(pg_class.oid, '${right}')`;
  const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map(may);
  const here = `(SELECT oid FROM pg_namespace WHERE nspname = ${literal(schema)})`;
  const known = `ANY ('{${names}}')`;
  const [row] = await run(`
    SELECT relname AS name, row_security_active(pg_class.oid)::TEXT AS is_hidden FROM pg_class
    WHERE relnamespace = ${here} AND relkind = 'r' AND relname = ${known}
      AND (NOT (${rights.join(' AND ')}) OR row_security_active(pg_class.oid))
    UNION ALL
    SELECT proname, 'false' FROM pg_proc
    WHERE pronamespace = ${here} AND proname = ${known}
      AND NOT has_function_privilege(pg_proc.oid, 'EXECUTE')
    LIMIT 1`);
  if (row === undefined) return undefined;
  const why =
    row['is_hidden'] === 'true'
      ? `Row level security hides rows of ${row['name']} in ${schema}`
      : `The account may not use ${row['name']} in ${schema}`;
  return { reason: 'forbidden', why };
}
