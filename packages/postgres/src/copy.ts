import { createHash } from 'node:crypto';
import { err, ok, type Result, ResultAsync } from '@chairside/core';
import { movingMark } from '@chairside/core/storage';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { Client } from 'pg';
import { asText } from './connection.ts';
import { openPostgresStore } from './open.ts';
import { isUndone, messageOf } from './postgres-error.ts';
import { quoted } from './schema.ts';

export interface CopyOptions {
  /** The file of a stopped Chairside. */
  readonly sqlitePath: string;
  /** A database whose schema is empty or missing. */
  readonly connectionString: string;
  /** As in `openPostgresStore`. */
  readonly schema?: string;
  /** As in `openPostgresStore`. */
  readonly durability?: 'fromServer' | 'providedByService';
}

/** The rows that both sides have. */
export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
  /** Over all rows in any order: the sum of their SHA-256 hashes. */
  readonly checksum: string;
}

type Failure = Omit<CopyError, 'kind'>;

export interface CopyError {
  readonly kind: 'copyError';
  /** `unknown`: the reply to the COMMIT was lost, so that either all rows were copied or none. */
  readonly outcome: 'nothingCopied' | 'unknown';
  /** For a person. */
  readonly message: string;
}

const rowsPerBatch = 500;

/** Short: a Chairside that still writes to the file must be stopped first. */
const lockTimeoutMs = 100;

/** Reads go on meanwhile. A node that writes for longer uses the schema, which must not be used yet. */
const targetLockTimeoutMs = 5000;

/**
 * Copies all records from SQLite to PostgreSQL in one transaction. Both must have the same version and the same
 * tables. Before it ends, both sides are counted and hashed, and it commits only if they agree. Both are locked
 * against writers meanwhile.
 *
 * The file is marked before its first record is read: from then on it neither opens nor takes a commit (D206). If the
 * copy certainly failed, the mark is removed again.
 */
export function copySqliteToPostgres(
  options: CopyOptions,
): ResultAsync<readonly CopiedTable[], CopyError> {
  return new ResultAsync(copy(options)).mapErr((failure) => ({ kind: 'copyError', ...failure }));
}

async function copy(options: CopyOptions): Promise<Result<readonly CopiedTable[], Failure>> {
  const { sqlitePath, connectionString, schema = 'chairside', durability } = options;
  const opened = await openPostgresStore(connectionString, { schema, durability });
  if (opened.isErr()) return err(nothingCopied(opened.error.message));
  await opened.value.close();

  let from: Database | undefined;
  const to = new Client({ connectionString });
  to.on('error', () => {});
  let isMarked = false;
  let mayHaveCopied = false;
  try {
    from = new BetterSqlite3(sqlitePath, { fileMustExist: true, timeout: lockTimeoutMs });
    from.defaultSafeIntegers(true);
    isMarked = mark(from);
    from.exec('BEGIN IMMEDIATE');
    await to.connect();
    const tables = await tablesOf(to, schema);
    const difference = await differenceOf(from, to, schema, tables);
    if (difference !== undefined) return err(nothingCopied(difference));
    await to.query('BEGIN');
    const names = [...tables.keys()].map((table) => `${quoted(schema)}.${table}`);
    await to.query(`SET LOCAL lock_timeout = ${targetLockTimeoutMs}`);
    await to.query(`LOCK TABLE ${names} IN EXCLUSIVE MODE`);
    const copied: CopiedTable[] = [];
    for (const [table, columns] of tables) {
      const one = await copyTable(from, to, schema, table, columns);
      if (one.isErr()) return err(nothingCopied(one.error));
      copied.push(one.value);
    }
    mayHaveCopied = true;
    await to.query('COMMIT');
    return ok(copied);
  } catch (error) {
    const message = messageOf(error);
    mayHaveCopied &&= !isUndone(error);
    return err(mayHaveCopied ? { outcome: 'unknown', message } : nothingCopied(message));
  } finally {
    // Without a COMMIT, this rolls back all changes.
    await to.end();
    if (from?.inTransaction === true) from.exec('ROLLBACK');
    if (isMarked && !mayHaveCopied) from?.exec(`DROP TRIGGER ${movingMark}`);
    from?.close();
  }
}

/** Returns whether this call marked the file: another copy may have done it before. Throws SQLite's errors. */
function mark(from: Database): boolean {
  const isNew = from.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(movingMark);
  // A file of another program has no such table, and is refused here.
  from.exec(`CREATE TRIGGER IF NOT EXISTS ${movingMark} BEFORE INSERT ON chairside_commits
    BEGIN SELECT RAISE(ABORT, 'the records move to another store'); END`);
  return isNew === undefined;
}

/** Both stores number their migrations alike, so that equal numbers mean equal steps. */
async function differenceOf(
  from: Database,
  to: Client,
  schema: string,
  tables: ReadonlyMap<string, unknown>,
): Promise<string | undefined> {
  const version = 'SELECT max(version)';
  const ours = from.prepare(`${version} FROM chairside_migrations`).pluck().get();
  const { rows } = await to.query<[string]>({
    text: `${version} FROM ${quoted(schema)}.chairside_migrations`,
    rowMode: 'array',
    types: asText,
  });
  const theirs = rows[0]?.[0];
  if (`${ours}` !== `${theirs}`) {
    return `the versions of the schemas differ, ${ours} and ${theirs}; bring both to the same version first`;
  }
  const found = from.prepare<[], string>(`SELECT name FROM sqlite_schema
    WHERE type = 'table' AND name LIKE 'chairside\\_%' ESCAPE '\\' AND name NOT IN (${notCopied})`);
  const left = new Set(found.pluck().all());
  const differing = [...tables.keys()].filter((table) => !left.delete(table)).concat(...left);
  return differing.length === 0 ? undefined : `only one side has ${differing.join(', ')}`;
}

function nothingCopied(message: string): Failure {
  return { outcome: 'nothingCopied', message };
}

const notCopied = "'chairside_migrations', 'chairside_rate_limits'";

interface Column {
  readonly name: string;
  readonly type: string;
}

/** The columns of all tables except the counts of calls and the migration history. */
async function tablesOf(client: Client, schema: string): Promise<Map<string, readonly Column[]>> {
  const { rows } = await client.query<Column & { table: string }>(
    `SELECT table_name AS table, column_name AS name, data_type AS type
     FROM information_schema.columns
     WHERE table_schema = $1 AND table_name LIKE 'chairside\\_%'
       AND table_name NOT IN (${notCopied})
     ORDER BY table_name, ordinal_position`,
    [schema],
  );
  return Map.groupBy(rows, ({ table }) => table);
}

async function copyTable(
  from: Database,
  to: Client,
  schema: string,
  table: string,
  typed: readonly Column[],
): Promise<Result<CopiedTable, string>> {
  const name = `${quoted(schema)}.${table}`;
  const columns = typed.map((column) => column.name);
  const theirs = from.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck();
  if (`${theirs.all(table).sort()}` !== `${[...columns].sort()}`) {
    return err(`${table}: the columns differ; bring both to the same version first`);
  }
  const before = await to.query(`SELECT 1 FROM ${name} LIMIT 1`);
  if (before.rowCount !== 0) return err(`${table} is not empty`);

  const source = createSum();
  const insert = async (rows: readonly SqliteRow[]) => {
    await to.query(
      `INSERT INTO ${name} (${columns}) SELECT ${columns}
       FROM json_populate_recordset(NULL::${name}, $1)`,
      [JSON.stringify(rows, inExactText)],
    );
  };
  let batch: SqliteRow[] = [];
  for (const row of from.prepare<[], SqliteRow>(`SELECT ${columns} FROM ${table}`).iterate()) {
    source.add(columns.map((column) => cellOf(row[column])));
    batch.push(row);
    if (batch.length < rowsPerBatch) continue;
    await insert(batch);
    batch = [];
  }
  if (batch.length > 0) await insert(batch);

  const target = await sumOf(to, name, typed);
  if (source.rows !== target.rows)
    return err(`${table}: ${source.rows} rows were read, ${target.rows} arrived`);
  if (source.checksum() !== target.checksum()) return err(`${table}: the checksums differ`);
  return ok({ table, rows: source.rows, checksum: source.checksum() });
}

type SqliteRow = Readonly<Record<string, string | bigint | null>>;

/** JSON has no 64-bit integers; PostgreSQL accepts them as text. */
function inExactText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}

/** In PostgreSQL's text form. SQLite's booleans are numbers. */
function cellOf(value: string | bigint | null | undefined): string | null {
  return value === null || value === undefined ? null : value.toString();
}

async function sumOf(client: Client, table: string, columns: readonly Column[]): Promise<Sum> {
  const sum = createSum();
  const shown = columns.map(({ name, type }) => (type === 'boolean' ? `${name}::INT` : name));
  await client.query(`DECLARE copied CURSOR FOR SELECT ${shown} FROM ${table}`);
  for (;;) {
    const { rows } = await client.query<(string | null)[]>({
      text: `FETCH ${rowsPerBatch} FROM copied`,
      rowMode: 'array',
      types: asText,
    });
    for (const row of rows) sum.add(row);
    if (rows.length < rowsPerBatch) break;
  }
  await client.query('CLOSE copied');
  return sum;
}

interface Sum {
  readonly rows: number;
  add(row: readonly (string | null)[]): void;
  checksum(): string;
}

/** Independent of the order of rows, because the two databases sort text differently. */
function createSum(): Sum {
  let rows = 0;
  let total = 0n;
  return {
    get rows() {
      return rows;
    },
    add(row) {
      const digest = createHash('sha256').update(JSON.stringify(row)).digest('hex');
      total = BigInt.asUintN(256, total + BigInt(`0x${digest}`));
      rows += 1;
    },
    checksum: () => total.toString(16).padStart(64, '0'),
  };
}
