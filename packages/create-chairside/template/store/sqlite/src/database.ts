import { openSqliteStore, SqliteStoreFailed } from '@chairside/sqlite';
import Database from 'better-sqlite3';
import type { Appointments, Row } from './appointments.ts';

const tables = `
  CREATE TABLE IF NOT EXISTS appointments (
    id TEXT PRIMARY KEY,
    starts_at TEXT NOT NULL,
    price INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS card_entries (
    reference TEXT PRIMARY KEY,
    appointment_id TEXT NOT NULL,
    paid INTEGER NOT NULL,
    tip INTEGER NOT NULL,
    fee INTEGER NOT NULL,
    sequence TEXT NOT NULL
  ) STRICT;
`;
const rows = `
  SELECT id, starts_at AS startsAt, price,
    (SELECT COALESCE(SUM(card_entries.paid), 0) FROM card_entries WHERE appointment_id = appointments.id) AS paid
  FROM appointments
`;

/** A failed COMMIT stops the store for good. Let a supervisor start the process again. */
function onError(error: unknown): void {
  console.error(error);
  if (error instanceof SqliteStoreFailed) process.exit(1);
}

/** Your tables and Chairside's, in one file. */
export async function openDatabase() {
  const path = process.env['DATABASE'] ?? 'shop.db';
  const opened = openSqliteStore(path, { onError });
  if (opened.isErr()) throw new Error(opened.error.message);
  const store = opened.value;
  const db = new Database(path);
  db.exec(tables);
  const list = db.prepare<[], Row>(`${rows} ORDER BY starts_at`);
  const get = db.prepare<[string], Row>(`${rows} WHERE id = ?`);
  const add = db.prepare('INSERT OR IGNORE INTO appointments VALUES (?, ?, ?)');
  const record = db.prepare(`
    INSERT INTO card_entries VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (reference) DO UPDATE
    SET paid = excluded.paid, tip = excluded.tip, fee = excluded.fee, sequence = excluded.sequence
    WHERE card_entries.sequence < excluded.sequence
  `);

  const appointments: Appointments = {
    list: async () => list.all(),
    get: async (id) => get.get(id),
    async add({ id, startsAt, price }) {
      add.run(id, startsAt, price);
    },
    async record({ reference, appointmentId, paidMinor, tipMinor, feeMinor, sequence }) {
      record.run(reference, appointmentId, paidMinor, tipMinor, feeMinor, sequence);
    },
  };
  async function close(): Promise<void> {
    await store.close();
    db.close();
  }
  return { store, appointments, close };
}
