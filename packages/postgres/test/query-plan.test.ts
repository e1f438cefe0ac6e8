import { expect, it } from 'vitest';
import { inSchema, type StatementName, sql } from '../src/statements.ts';
import { newPool, newSchema, openStore } from './helpers.ts';

const schema = newSchema();
const pool = newPool({ max: 1 });
await (await openStore({ schema })).close();
// Without this, PostgreSQL reads small tables whole, which is right and shows nothing.
await pool.query('SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan');

async function planOf(text: string): Promise<string> {
  await pool.query(`PREPARE looked_at AS ${inSchema(text, schema)}`);
  const count = new Set(text.match(/\$\d+/g)).size;
  const cells = count === 0 ? '' : `(${Array(count).fill('NULL').join(', ')})`;
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE looked_at${cells}`);
  await pool.query('DEALLOCATE looked_at');
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

const statements = Object.entries(sql).filter(([, text]) =>
  /^(SELECT|UPDATE|DELETE|INSERT|WITH)/.test(text),
);

/** What is read whole in order to sort it, or without an index at all. */
const unbounded = /Seq Scan|Sort Key/;

/** A barber has few terminals due to be equal in time, and so on: sorted are only equals. */
it.each(statements)('%s uses an index, and sorts nothing', async (_name, text) => {
  expect(await planOf(text)).not.toMatch(unbounded);
});

it('would notice a statement without an index', async () => {
  const names: StatementName[] = ['getPayment', 'moveLedger', 'listEventsDue'];
  expect(statements.map(([name]) => name)).toEqual(expect.arrayContaining(names));
  expect(await planOf('SELECT 1 FROM @payments WHERE review = $1')).toMatch(unbounded);
  expect(await planOf('SELECT 1 FROM @payments WHERE id > $1 ORDER BY review')).toMatch(unbounded);
});
