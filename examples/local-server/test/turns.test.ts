import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createTurns } from '../src/turns.ts';
import { newPath } from './server.ts';

function openFiles() {
  const path = newPath();
  const ours = new BetterSqlite3(path, { timeout: 0 });
  ours.pragma('journal_mode = WAL');
  ours.pragma('foreign_keys = ON');
  ours.exec(`CREATE TABLE things (
    id INTEGER PRIMARY KEY,
    parent INTEGER REFERENCES things (id) DEFERRABLE INITIALLY DEFERRED
  ) STRICT`);
  const theirs = new BetterSqlite3(path, { timeout: 0 });
  const write = ours.prepare<[id: number, parent: number | null]>(
    'INSERT INTO things VALUES (?, ?)',
  );
  const seen = theirs.prepare<[], number>('SELECT id FROM things ORDER BY id').pluck();
  return { ours, theirs, write, seenByOthers: () => seen.all() };
}

test('the writes of one turn are committed together, at its end', async () => {
  const { ours, write, seenByOthers } = openFiles();
  const turns = createTurns(ours);
  const first = turns.enter();
  write.run(1, null);
  const second = turns.enter();
  write.run(2, null);
  expect(second).toBe(first);
  expect(seenByOthers()).toEqual([]);

  expect(await first?.committed).toBe(true);
  expect(seenByOthers()).toEqual([1, 2]);
});

test('a turn that ends early is committed then, and the next write begins another', async () => {
  const { ours, write, seenByOthers } = openFiles();
  const turns = createTurns(ours);
  const first = turns.enter();
  write.run(1, null);
  expect(first?.end()).toBe(true);
  expect(seenByOthers()).toEqual([1]);

  const second = turns.enter();
  write.run(2, null);
  expect(await first?.committed).toBe(true);
  expect(await second?.committed).toBe(true);
  expect(seenByOthers()).toEqual([1, 2]);
});

test('a turn whose commit fails leaves no writes behind', async () => {
  const { ours, write, seenByOthers } = openFiles();
  const turns = createTurns(ours);
  const turn = turns.enter();
  write.run(1, 404); // whose parent is missing
  expect(await turn?.committed).toBe(false);
  expect(turn?.end()).toBe(false);

  const next = turns.enter();
  write.run(2, null);
  expect(await next?.committed).toBe(true);
  expect(seenByOthers()).toEqual([2]);
});

test('a turn that a full disk has ended is over, and the next write begins another', async () => {
  const { ours, write, seenByOthers } = openFiles();
  const turns = createTurns(ours);
  const lost = turns.enter();
  write.run(1, null);
  ours.exec('ROLLBACK'); // SQLite does this by itself when the disk is full
  const next = turns.enter();
  write.run(2, null);
  expect(await lost?.committed).toBe(false);
  expect(await next?.committed).toBe(true);
  expect(seenByOthers()).toEqual([2]);
});

test('a turn does not begin while another process writes', () => {
  const { ours, theirs } = openFiles();
  const turns = createTurns(ours);
  theirs.exec('BEGIN IMMEDIATE');
  expect(turns.enter()).toBeUndefined();
  theirs.exec('ROLLBACK');
  expect(turns.enter()?.end()).toBe(true);
});
