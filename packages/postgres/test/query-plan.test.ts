import { expect, it } from 'vitest';
import { columns, typeOf } from '../src/columns.ts';
import { functions } from '../src/functions/functions.ts';
import { inSchema } from '../src/schema.ts';
import { newPool, newSchema, openStore } from './helpers.ts';

const schema = newSchema();
const pool = newPool({ max: 1 });
await (await openStore({ schema })).close();
// As in the functions. Without it, PostgreSQL scans small tables whole, which proves no plan.
await pool.query('SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan');

/** The JSON variables of the functions, in the order of the parameters. */
const variables = ['change', 'record', 'ask', 'taking'];

async function planOf(text: string): Promise<string> {
  const parameters = variables.reduce(
    (all, name, index) => all.replaceAll(new RegExp(`\\b${name}(?=->| \\?)`, 'g'), `$${index + 1}`),
    text.replaceAll(/\bcommits->place\b|\bcommits->0\b/g, '$1').replaceAll(/\bchanges\b/g, '$2'),
  );
  const types = variables.map(() => 'JSONB');
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
  .replaceAll(/SELECT json_agg\(row_to_json\(one\)\) INTO answer FROM \(([^;]*)\) AS one;/g, '$1;')
  .replaceAll(/ INTO (answer|known);/g, ';')
  .split(/;|THEN\n|\bBEGIN\b|\bLOOP\b/)
  .map((text) => text.trim().replaceAll(/\s+/g, ' '))
  .filter((text) => /^(SELECT|UPDATE|DELETE|INSERT|WITH)\b/.test(text) && text.includes('@'));

/** Plans that read a whole table to sort it, or without an index. */
const unbounded = /Seq Scan|Sort Key/;

/** Rows with equal times, such as a barber's terminals, are few: only these are sorted. */
it.each(statements)('uses an index, and sorts no rows: %s', async (text) => {
  expect(await planOf(text)).not.toMatch(unbounded);
});

it('detects a statement without an index', async () => {
  expect(statements.length).toBeGreaterThanOrEqual(55);
  for (const start of ['UPDATE @payments SET', 'INSERT INTO @ledgers', 'SELECT subject, version']) {
    expect(statements.some((text) => text.startsWith(start))).toBe(true);
  }
  expect(await planOf("SELECT 1 FROM @payments WHERE review = change->>'x'")).toMatch(unbounded);
  expect(await planOf("SELECT 1 FROM @payments WHERE id > change->>'x' ORDER BY review")).toMatch(
    unbounded,
  );
});

it('the name of each column determines its type', async () => {
  const { rows } = await pool.query<{ table: string; column: string; type: string }>(
    `SELECT table_name AS table, column_name AS column, data_type AS type
     FROM information_schema.columns WHERE table_schema = $1`,
    [schema],
  );
  for (const [table, names] of Object.entries(columns)) {
    for (const name of names) {
      const found = rows.find((row) => row.table === `chairside_${table}` && row.column === name);
      expect(found?.type.toUpperCase(), `${table}.${name}`).toBe(typeOf(name));
    }
  }
});
