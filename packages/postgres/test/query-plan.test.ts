import { expect, it } from 'vitest';
import { columns, typeOf } from '../src/columns.ts';
import { functions } from '../src/functions/functions.ts';
import { indexLoops } from '../src/functions/settings.ts';
import { initial } from '../src/migrations/0001-initial.ts';
import { inSchema } from '../src/schema.ts';
import { createSchema, newPool } from './helpers.ts';

// As in the functions. Without the first, PostgreSQL scans small tables whole, which proves no plan.
const settings = `SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan`;

/** The JSON variables of the functions, in the order of the parameters. */
const variables = ['change', 'asked', 'taking', 'sets'];

const pool = newPool({ max: 1 });
/** Its tables were never analyzed. */
const schema = await createSchema();
/** Its tables were analyzed while they were empty. */
const analyzed = await createSchema();
/** Its tables have many rows. */
const full = await createSchema();
const tableNames = `${[...new Set(initial.match(/@\w+/g))]}`;
await pool.query(
  inSchema(
    `INSERT INTO @payments SELECT id, '', '', '', '', '', 1, 1, '', 1, NULL, NULL, NULL, NULL, NULL,
       1, 1, FALSE, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, '', NULL, NULL
     FROM generate_series(1, 9999) AS id;
     INSERT INTO @ledgers SELECT id, 1, 0, 0, 0, 0, NULL FROM generate_series(1, 9999) AS id;
     INSERT INTO @events SELECT id, 1, '', 1, '', 0, 1, FALSE FROM generate_series(1, 9999) AS id;
     ANALYZE ${tableNames}`,
    full,
  ),
);
await pool.query(inSchema(`ANALYZE ${tableNames}`, analyzed));

async function planOf(text: string, schema: string): Promise<string> {
  const isSetWise = /(sets|asked)->/.test(text);
  const parameters = variables.reduce(
    (all, name, index) =>
      // In the other function, `change` is a column.
      isSetWise && name === 'change'
        ? all
        : all.replaceAll(new RegExp(`\\b${name}(?=->| \\?)`, 'g'), `$${index + 1}`),
    text.replaceAll('commits->place', '$1'),
  );
  const types = variables.map(() => 'JSONB');
  await pool.query(
    `RESET ALL; ${settings} ${isSetWise ? indexLoops.replaceAll('SET', '; SET') : ''}`,
  );
  await pool.query(`PREPARE looked_at (${types}) AS ${inSchema(parameters, schema)}`);
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN EXECUTE looked_at(${variables.map(() => "'{}'")})`,
  );
  await pool.query('DEALLOCATE looked_at');
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

/** The statements of the functions that use a table. */
const statements = functions
  .replaceAll(/--.*$/gm, '')
  .replaceAll(/ INTO (answer|known)(?=;|\s+FROM)/g, '')
  .split(/;|THEN\n|\bBEGIN\b|\bLOOP\b/)
  .map((text) => text.trim().replaceAll(/\s+/g, ' '))
  .filter((text) => /^(SELECT|UPDATE|DELETE|INSERT|WITH)\b/.test(text) && text.includes('@'));

/** Plans that read a whole table to sort it, or without an index. */
const unbounded = /Seq Scan|Sort Key/;

const setWise = statements.filter((text) => text.includes('sets->'));

/**
 * Only the statement of a day asks for the open payments of a business, and few are due at once. An appointment has
 * few tenders and shares, a customer few setups, and fewer of one moment.
 */
const sortsFew = (text: string) =>
  /'list_(?:payments_business_id_AND_next_check_at|(?:tenders|shares)_appointment_id|setups_customer_id)_/.test(
    text,
  );

/** Rows with equal times, such as a barber's terminals, are few: only these are sorted. */
it.each(statements.filter((text) => !setWise.includes(text)))(
  'uses an index, and sorts no rows: %s',
  async (text) => {
    expect(await planOf(text, schema)).not.toMatch(sortsFew(text) ? /Seq Scan/ : unbounded);
  },
);

/** Each index of our tables with its first column. */
const { rows: indexes } = await pool.query<{ name: string; column: string }>(
  `SELECT relname AS name, pg_get_indexdef(indexrelid, 1, TRUE) AS column
   FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relnamespace = to_regnamespace($1)`,
  [`"${schema}"`],
);

/** The lines of a plan that read a table, and not only the rows of an index with some values. */
function wholeScans(plan: string): readonly string[] {
  const lines = plan.split('\n');
  return lines.filter((line, place) => {
    const [, name] = /Index.* Scan.* using (\w+)/.exec(line) ?? [];
    if (name === undefined)
      return / on chairside_/.test(line) && !/^(Update|Insert|Delete)/.test(line);
    const column = indexes.find((index) => index.name === name)?.column;
    return !new RegExp(`Index Cond: .*\\b${column}\\b`).test(lines[place + 1] ?? '');
  });
}

/** Statements that find one record by its key. Open reviews are few, so all of them may be read. */
const byKey = statements.filter(
  (text) =>
    /WHERE (stored\.)?(id|subject|appointment_id|device_identifier) = (change|ask|\(SELECT)/.test(
      text,
    ) && !/UPDATE @reviews|ORDER BY/.test(text),
);

it.each(byKey)(
  'looks up a record by its key, also if the table was analyzed while it was empty: %s',
  async (text) => {
    const plan = await planOf(text, analyzed);
    expect(wholeScans(plan), plan).toStrictEqual([]);
  },
);

it.each(setWise)(
  'looks each row up by its key, also if the table was analyzed while it was empty: %s',
  async (text) => {
    for (const each of [schema, analyzed]) {
      const plan = await planOf(text, each);
      expect(wholeScans(plan), plan).toStrictEqual([]);
      // Other joins compare each row with each change, or read all rows.
      expect(plan).not.toMatch(/(Hash|Merge) Join|Materialize/);
    }
  },
);

it('detects a statement without an index', async () => {
  expect(statements.length).toBeGreaterThanOrEqual(55);
  expect(byKey.length).toBeGreaterThanOrEqual(30);
  for (const start of [
    'UPDATE @payments AS stored SET',
    'INSERT INTO @ledgers',
    'SELECT json_agg(',
  ]) {
    expect(statements.some((text) => text.startsWith(start))).toBe(true);
  }
});

it('compares indexed text by its bytes, so that an index outlives a change of the locale', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT DISTINCT collname AS name
     FROM pg_index CROSS JOIN unnest(indcollation) AS used (id)
       JOIN pg_collation ON pg_collation.oid = used.id JOIN pg_class ON pg_class.oid = indexrelid
     WHERE relnamespace = to_regnamespace($1)`,
    [`"${schema}"`],
  );
  expect(rows).toStrictEqual([{ name: 'C' }]);
});

it.each(['commit_v1', 'read_v1', 'take_v1'])(
  'compiles no plan of %s, which would cost more than any of its statements',
  async (name) => {
    const { rows } = await pool.query<{ settings: string[] | null }>(
      `SELECT proconfig AS settings FROM pg_proc
       WHERE proname = $1 AND pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = $2)`,
      [`chairside_${name}`, schema],
    );
    expect(rows).toMatchObject([{ settings: expect.arrayContaining(['jit=off']) }]);
  },
);

it('the name of each column determines its type', async () => {
  const { rows } = await pool.query<{ table: string; column: string; type: string }>(
    `SELECT table_name AS table, column_name AS column, data_type AS type
     FROM information_schema.columns WHERE table_schema = $1`,
    [schema],
  );
  for (const [table, { names }] of Object.entries(columns)) {
    for (const name of names) {
      const found = rows.find((row) => row.table === `chairside_${table}` && row.column === name);
      expect(found?.type.toUpperCase(), `${table}.${name}`).toBe(typeOf(name));
    }
  }
});
