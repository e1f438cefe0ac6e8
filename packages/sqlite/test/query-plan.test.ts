import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openStoreOn } from '../src/open.ts';

const db = new BetterSqlite3(':memory:');
const prepared = new Set<string>();
db.prepare = new Proxy(db.prepare, {
  apply(prepare, self, [text]) {
    prepared.add(text);
    return Reflect.apply(prepare, self, [text]);
  },
});
openStoreOn(db)._unsafeUnwrap();

// A walk along an index or a table's order up to a limit reads only the returned rows.
const isBoundedWalk = (text: string, plan: string) =>
  (/LIMIT (\?|max\(0, \+\?\))$/.test(text) &&
    /^SCAN \S+ USING (COVERING )?INDEX \S+$/.test(plan)) ||
  (text.endsWith('ORDER BY rowid LIMIT ?') && /^SCAN \S+$/.test(plan));

function planOf(text: string): string {
  const explain = db.prepare<[unknown], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
  // Each parameter must be bound to some value.
  const names = [...text.matchAll(/@(\w+)/g)].map(([, name]) => [name, 0]);
  const count = text.split('?').length - 1;
  const rows = explain.all(count > 0 ? Array(count).fill(0) : Object.fromEntries(names));
  return rows.map(({ detail }) => detail).join('\n');
}

const scans = /\bSCAN (?!CONSTANT ROW)|TEMP B-TREE/;

const statements = [...prepared].filter(
  (text) =>
    /^(SELECT|UPDATE|DELETE|INSERT)/.test(text) && !/sqlite_schema|_migrations|pragma_/.test(text),
);

it.each(statements)('%s uses an index, and sorts no rows', (text) => {
  const plan = planOf(text);
  if (!isBoundedWalk(text, plan)) expect(plan).not.toMatch(scans);
});

it.each(statements.filter((text) => /^SELECT \* .*ORDER BY/.test(text)))(
  '%s is not compiled again for each value',
  (text) => {
    expect(text).not.toMatch(/[^+]\?/);
  },
);

it('detects a statement without an index', () => {
  expect(statements.length).toBeGreaterThan(70);
  expect(planOf('SELECT * FROM chairside_payments WHERE review = ?')).toMatch(scans);
  expect(planOf('SELECT * FROM chairside_payments WHERE id > ? ORDER BY review')).toMatch(scans);
});
