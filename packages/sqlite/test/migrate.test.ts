import { expect, it } from 'vitest';
import { openDatabase, openStore } from './helpers.ts';

it("leaves a host's own schema unchanged", async () => {
  const db = openDatabase();
  db.exec(`
    CREATE TABLE notes (text TEXT);
    CREATE VIEW long_notes AS SELECT text FROM notes;
    CREATE VIEW broken AS SELECT * FROM gone;
  `);
  const ownSchema = () =>
    db.prepare("SELECT * FROM sqlite_schema WHERE tbl_name NOT LIKE 'chairside%'").all();
  const before = ownSchema();
  const store = openStore(db.name);
  expect(ownSchema()).toStrictEqual(before);
  expect(db.prepare('SELECT * FROM long_notes').all()).toEqual([]);
  await store.close();
  db.close();
});
