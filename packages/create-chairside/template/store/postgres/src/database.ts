import { openPostgresStore } from '@chairside/postgres';
import { Pool } from 'pg';
import type { Appointments, Row } from './appointments.ts';

const queryTimeoutMs = 10_000;
const tables = `
  CREATE TABLE IF NOT EXISTS appointments (
    id TEXT PRIMARY KEY,
    starts_at TEXT NOT NULL,
    price INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS card_entries (
    reference TEXT PRIMARY KEY,
    appointment_id TEXT NOT NULL,
    paid INTEGER NOT NULL,
    tip INTEGER NOT NULL,
    fee INTEGER NOT NULL,
    sequence TEXT NOT NULL
  );
`;
const rows = `
  SELECT id, starts_at AS "startsAt", price,
    (SELECT COALESCE(SUM(card_entries.paid), 0)::integer FROM card_entries WHERE appointment_id = appointments.id) AS paid
  FROM appointments
`;

const record = `
  INSERT INTO card_entries VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (reference) DO UPDATE
  SET paid = excluded.paid, tip = excluded.tip, fee = excluded.fee, sequence = excluded.sequence
  WHERE card_entries.sequence < excluded.sequence
`;

/** Your tables and Chairside's, in one database. Chairside's have a schema of their own. */
export async function openDatabase() {
  const connectionString = process.env['DATABASE_URL'];
  if (connectionString === undefined) throw new Error('Set DATABASE_URL, as .env.example does.');
  const pool = new Pool({ connectionString, query_timeout: queryTimeoutMs });
  pool.on('error', console.error);
  await pool.query(tables);
  const opened = await openPostgresStore(pool, { onError: console.error });
  if (opened.isErr()) throw new Error(opened.error.message);
  const store = opened.value;

  const appointments: Appointments = {
    list: async () => (await pool.query<Row>(`${rows} ORDER BY starts_at`)).rows,
    get: async (id) => (await pool.query<Row>(`${rows} WHERE id = $1`, [id])).rows[0],
    async add({ id, startsAt, price }) {
      const text = 'INSERT INTO appointments VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
      await pool.query(text, [id, startsAt, price]);
    },
    async record({ reference, appointmentId, paidMinor, tipMinor, feeMinor, sequence }) {
      await pool.query(record, [reference, appointmentId, paidMinor, tipMinor, feeMinor, sequence]);
    },
  };
  async function close(): Promise<void> {
    await store.close();
    await pool.end();
  }
  return { store, rateLimiter: store.rateLimiter, appointments, close };
}
