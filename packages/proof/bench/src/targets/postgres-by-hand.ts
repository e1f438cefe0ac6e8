import { randomUUID } from 'node:crypto';
import { H3 } from 'h3';
import { toNodeHandler } from 'h3/node';
import { Client, Pool, type QueryConfig } from 'pg';
import { listen } from './listen.ts';
import type { OverPostgres, ServedNode } from './over-postgres.ts';
import { amountMinor } from './shop.ts';

const schema = `
CREATE TABLE appointments (id TEXT PRIMARY KEY, business TEXT NOT NULL, due BIGINT NOT NULL);
CREATE TABLE businesses (id TEXT PRIMARY KEY, account TEXT NOT NULL);
CREATE TABLE commits (id TEXT PRIMARY KEY, at BIGINT NOT NULL);
CREATE TABLE payments (
  id TEXT PRIMARY KEY, appointment TEXT NOT NULL, amount BIGINT NOT NULL, state TEXT NOT NULL,
  secret TEXT, created_at BIGINT NOT NULL
);
CREATE INDEX payments_appointment ON payments (appointment);
CREATE TABLE keys (key TEXT PRIMARY KEY, payment TEXT NOT NULL);
CREATE TABLE ledgers (
  appointment TEXT PRIMARY KEY, open BIGINT NOT NULL, reserved BIGINT NOT NULL,
  captured BIGINT NOT NULL
);
CREATE TABLE events (
  payment TEXT NOT NULL, version BIGINT NOT NULL, data TEXT NOT NULL,
  PRIMARY KEY (payment, version)
);
INSERT INTO businesses VALUES ('shop', 'acct_shop');
`;

// One statement and so one round trip for each. They read and write Chairside's rows, in minimal
// columns and without conditions.
const sql = {
  getAppointment: 'SELECT id, business, due FROM appointments WHERE id = $1',
  getBusiness: 'SELECT id, account FROM businesses WHERE id = $1',
  getKey: 'SELECT payment FROM keys WHERE key = $1',
  getLedger: 'SELECT open, reserved, captured FROM ledgers WHERE appointment = $1',
  getPayment:
    'SELECT id, appointment, amount, state, secret, created_at FROM payments WHERE id = $1',
  listPayments: 'SELECT id, state FROM payments WHERE appointment = $1 LIMIT 50',
  /** The payment and its key, before the processor call. */
  begin: `WITH
    committed AS (INSERT INTO commits VALUES ($1, $6)),
    keyed AS (INSERT INTO keys VALUES ($2, $3)),
    paid AS (INSERT INTO payments VALUES ($3, $4, $5, 'new', NULL, $6))
    INSERT INTO ledgers VALUES ($4, 1, 0, 0)
    ON CONFLICT (appointment) DO UPDATE SET open = ledgers.open + 1`,
  /** The writes after the processor's reply. */
  opened: `WITH
    committed AS (INSERT INTO commits VALUES ($1, $2)),
    paid AS (UPDATE payments SET state = 'created', secret = $4 WHERE id = $3)
    INSERT INTO events VALUES ($3, 1, $5)`,
  reserve: `WITH
    committed AS (INSERT INTO commits VALUES ($1, $2)),
    keyed AS (INSERT INTO keys VALUES ($3, $4)),
    paid AS (UPDATE payments SET state = 'authorized' WHERE id = $4),
    told AS (INSERT INTO events VALUES ($4, 2, $5))
    UPDATE ledgers SET reserved = reserved + $7 WHERE appointment = $6`,
  captured: `WITH
    committed AS (INSERT INTO commits VALUES ($1, $2)),
    paid AS (UPDATE payments SET state = 'captured' WHERE id = $3),
    told AS (INSERT INTO events VALUES ($3, 3, $4))
    UPDATE ledgers SET open = open - 1, reserved = reserved - $6, captured = captured + $6
    WHERE appointment = $5`,
} as const;

interface Payment {
  readonly id: string;
  readonly appointment: string;
}

export const byHand: OverPostgres = {
  async prepare(connectionString, appointments) {
    const client = new Client({ connectionString });
    await client.connect();
    await client.query(schema);
    await client.query(
      `INSERT INTO appointments SELECT id, 'shop', ${amountMinor} FROM unnest($1::TEXT[]) AS id`,
      [appointments],
    );
    await client.end();
  },
  counts: {
    payments: 'count(*) FROM payments WHERE secret IS NOT NULL',
    captured: "count(*) FROM payments WHERE state = 'captured'",
    keys: 'count(*) FROM keys',
    events: 'count(*) FROM events',
    openPayments: 'sum(open) FROM ledgers',
    reservedMinor: 'sum(reserved) FROM ledgers',
    capturedMinor: 'sum(captured) FROM ledgers',
  },
};

export type StatementName = keyof typeof sql;

/** Sends a statement, alone or with others. Returns its first row. */
export type Run = <Row extends object>(
  name: StatementName,
  ...values: unknown[]
) => Promise<Row | undefined>;

/** Each statement is one round trip. */
export function createRun(pool: Pool): Run {
  return async <Row extends object>(name: StatementName, ...values: unknown[]) => {
    const query: QueryConfig = { name, text: sql[name], values };
    const { rows } = await pool.query<Row>(query);
    return rows[0];
  };
}

/** A hand-written service: h3 and pg, with the same rows only. */
export async function serveByHand(
  connectionString: string,
  makeRun: (pool: Pool) => Run,
): Promise<ServedNode> {
  const pool = new Pool({ connectionString });
  const run = makeRun(pool);
  let takenMinor = 0;

  const app = new H3()
    .post('/appointments/:id/contactlessPayments', async (event) => {
      await event.req.json();
      const appointment = event.context.params?.['id'] ?? '';
      const key = event.req.headers.get('idempotency-key') ?? '';
      await run('getAppointment', appointment);
      await run('getKey', key);
      await run('getLedger', appointment);
      await run('getBusiness', 'shop');
      const id = `cpm_${randomUUID()}`;
      const now = Date.now();
      await run('begin', randomUUID(), key, id, appointment, amountMinor, now);
      const clientSecret = `${id}_secret_${id}`;
      const payment = { id, appointment: { id: appointment }, state: 'created', clientSecret };
      await run('opened', randomUUID(), now, id, clientSecret, JSON.stringify(payment));
      event.res.status = 201;
      return payment;
    })
    .post('/contactlessPayments/:id/captured', async (event) => {
      await event.req.json();
      const id = event.context.params?.['id'] ?? '';
      const key = event.req.headers.get('idempotency-key') ?? '';
      const { appointment } = (await run<Payment>('getPayment', id)) ?? { appointment: '' };
      await run('getKey', key);
      await run('getAppointment', appointment);
      const now = Date.now();
      const payment = { id, appointment: { id: appointment }, state: 'captured' };
      const data = JSON.stringify(payment);
      await run('reserve', randomUUID(), now, key, id, data, appointment, amountMinor);
      takenMinor += amountMinor;
      await run('captured', randomUUID(), now, id, data, appointment, amountMinor);
      // Reads the other open payments of the appointment, which has none.
      void run('listPayments', appointment);
      return payment;
    });

  const { port, close } = await listen(toNodeHandler(app));
  return {
    port,
    takenMinor: () => takenMinor,
    async close() {
      await close();
      await pool.end();
    },
  };
}
