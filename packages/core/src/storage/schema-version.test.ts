import { describe, expect, it } from 'vitest';
import { appliedOf, judgeSchema, type Migration } from './schema.ts';

const first: Migration = { text: 'CREATE TABLE a (b)', oldestVersion: 1 };
const adds: Migration = { text: 'ALTER TABLE a ADD COLUMN c', oldestVersion: 1 };
const changes: Migration = { text: 'ALTER TABLE a DROP COLUMN c', oldestVersion: 3 };
const rowsOf = (...migrations: readonly Migration[]) =>
  migrations.map((migration, index) => ({ ...appliedOf(index + 1, migration) }));

describe('a schema (D206)', () => {
  it.each([
    ['is new', [], { kind: 'behind', version: 0 }],
    ['lacks a step', rowsOf(first), { kind: 'behind', version: 1 }],
    ['has all steps', rowsOf(first, adds), { kind: 'current' }],
  ])('%s', (_, rows, state) => {
    expect(judgeSchema([first, adds], rows)).toStrictEqual(state);
  });

  it('opens after later steps that only add to it', () => {
    expect(judgeSchema([first], rowsOf(first, adds))).toStrictEqual({ kind: 'current' });
  });

  it('is refused if a later step needs later code, and says so', () => {
    const state = judgeSchema([first, adds], rowsOf(first, adds, changes));
    expect(state).toMatchObject({ kind: 'refused', reason: 'newerSchema' });
    expect(JSON.stringify(state)).toMatch(/schema is 3.* this version knows 2/);
  });

  const other: Migration = { ...first, text: `${first.text} ` };
  it.each([
    ['is of another text', rowsOf(other)],
    ['is of another text, and later steps follow', rowsOf(other, adds, changes)],
    ['has no hash, as before there were any', [{ version: 1 }]],
    ['is missing below a later one', rowsOf(first, adds).slice(1)],
    ['is numbered beyond them all', [{ version: 8 }]],
  ])('is refused as unreleased if a known step %s', (_, rows) => {
    for (const known of [[first], [first, adds]]) {
      const state = judgeSchema(known, rows);
      expect(state).toMatchObject({ kind: 'refused', reason: 'unreleasedSchema' });
      expect(JSON.stringify(state)).toContain('unreleased version');
    }
  });

  it('reads rows of a driver that returns numbers as text', () => {
    const rows = rowsOf(first, adds, changes).map((row) => ({
      ...row,
      version: `${row.version}`,
      oldest_version: BigInt(row.oldest_version),
    }));
    expect(judgeSchema([first, adds, changes], rows).kind).toBe('current');
    expect(judgeSchema([first, adds], rows).kind).toBe('refused');
  });
});
