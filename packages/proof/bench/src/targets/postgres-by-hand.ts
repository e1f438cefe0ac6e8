import { randomUUID } from 'node:crypto';
import { setImmediate as atEndOfTurn } from 'node:timers';
import { H3, type H3Event } from 'h3';
import { toNodeHandler } from 'h3/node';
import { Client, Pool } from 'pg';
import { amountMinor } from '../request.ts';
import type { OverPostgres } from './over-postgres.ts';
import { listen } from './target.ts';

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

/** A statement for one request, and the same for a group: an array for each of its parameters. */
interface Statement {
  readonly single: string;
  readonly grouped: string;
  readonly parameters: number;
}

const read = (columns: string, table: string, key: string): Statement => ({
  single: `SELECT ${columns} FROM ${table} WHERE ${key} = $1`,
  grouped: `SELECT place, ${columns} FROM unnest($1::TEXT[]) WITH ORDINALITY AS asked (value, place)
    JOIN ${table} ON ${key} = value`,
  parameters: 1,
});

/** The text reads its values from `row`. */
function write(columns: string, text: string): Statement {
  const names = columns.split(', ');
  const typed = names.map(
    (name, n) => `$${n + 1}::${/now|moved_minor/.test(name) ? 'BIGINT' : 'TEXT'}`,
  );
  const from = (source: string) =>
    `WITH row AS (SELECT * FROM ${source} AS row (${columns})),
    committed AS (INSERT INTO commits SELECT commit, now FROM row), ${text}`;
  return {
    single: from(`(VALUES (${typed}))`),
    grouped: from(`unnest(${typed.map((parameter) => `${parameter}[]`)})`),
    parameters: names.length,
  };
}

// Each is one round trip. They read and write Chairside's rows, in minimal columns and without
// conditions.
const statements = {
  getAppointment: read('id, business, due', 'appointments', 'id'),
  getBusiness: read('id, account', 'businesses', 'id'),
  getKey: read('payment', 'keys', 'key'),
  getLedger: read('open, reserved, captured', 'ledgers', 'appointment'),
  getPayment: read('id, appointment, amount, state, secret, created_at', 'payments', 'id'),
  listPayments: read('id, state', 'payments', 'appointment'),
  /** The payment and its key, before the processor call. */
  begin: write(
    'commit, now, new_key, new_id, moved, moved_minor',
    `keyed AS (INSERT INTO keys SELECT new_key, new_id FROM row),
    paid AS (INSERT INTO payments SELECT new_id, moved, moved_minor, 'new', NULL, now FROM row)
    INSERT INTO ledgers SELECT moved, 1, 0, 0 FROM row
    ON CONFLICT (appointment) DO UPDATE SET open = ledgers.open + 1`,
  ),
  /** The writes after the processor's reply. */
  opened: write(
    'commit, now, paid_id, new_secret, data',
    `paid AS (UPDATE payments SET state = 'created', secret = new_secret FROM row
      WHERE id = paid_id)
    INSERT INTO events SELECT paid_id, 1, data FROM row`,
  ),
  reserve: write(
    'commit, now, new_key, paid_id, data, moved, moved_minor',
    `keyed AS (INSERT INTO keys SELECT new_key, paid_id FROM row),
    paid AS (UPDATE payments SET state = 'authorized' FROM row WHERE id = paid_id),
    told AS (INSERT INTO events SELECT paid_id, 2, data FROM row)
    UPDATE ledgers SET reserved = reserved + moved_minor FROM row WHERE appointment = moved`,
  ),
  captured: write(
    'commit, now, paid_id, data, moved, moved_minor',
    `paid AS (UPDATE payments SET state = 'captured' FROM row WHERE id = paid_id),
    told AS (INSERT INTO events SELECT paid_id, 3, data FROM row)
    UPDATE ledgers SET open = open - 1, reserved = reserved - moved_minor,
      captured = captured + moved_minor FROM row WHERE appointment = moved`,
  ),
} as const;

type Name = keyof typeof statements;

interface Row {
  readonly appointment?: string;
  /** In a group. */
  readonly place?: string;
}

/** Sends a statement, alone or with others. Returns its first row. */
type Run = (name: Name, ...values: readonly unknown[]) => Promise<Row | undefined>;

/** Each statement is one round trip. */
export function createRun(pool: Pool): Run {
  return async (name, ...values) => {
    const text = statements[name].single;
    return (await pool.query<Row>({ name, text, values: [...values] })).rows[0];
  };
}

interface Waiting {
  readonly values: readonly unknown[];
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends all requests of one turn, and those that arrive while the same statement is running, as one
 * statement. So many of them share a round trip and a flush.
 */
export function createGroupedRun(pool: Pool): Run {
  const groups = new Map<Name, { waiting: Waiting[]; isBusy: boolean }>();

  async function flush(name: Name): Promise<void> {
    const group = groups.get(name);
    if (group === undefined) return;
    const taken = group.waiting;
    group.waiting = [];
    const { grouped: text, parameters } = statements[name];
    const values = Array.from({ length: parameters }, (_, n) =>
      taken.map((each) => each.values[n]),
    );
    try {
      const { rows } = await pool.query<Row>({ name, text, values });
      const byPlace = new Map(rows.map((row) => [Number(row.place), row]));
      for (const [index, { resolve }] of taken.entries()) resolve(byPlace.get(index + 1));
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
    group.isBusy = group.waiting.length > 0;
    if (group.isBusy) atEndOfTurn(() => void flush(name));
  }

  return (name, ...values) =>
    new Promise((resolve, reject) => {
      const group = groups.get(name) ?? { waiting: [], isBusy: false };
      groups.set(name, group);
      group.waiting.push({ values, resolve, reject });
      if (group.isBusy) return;
      group.isBusy = true;
      atEndOfTurn(() => void flush(name));
    });
}

/** A hand-written service: h3 and pg, with the same rows only. */
export const byHand = (makeRun: (pool: Pool) => Run): OverPostgres => ({
  async prepare(connectionString, appointmentIds) {
    const client = new Client({ connectionString });
    await client.connect();
    await client.query(schema);
    await client.query(
      `INSERT INTO appointments SELECT id, 'shop', ${amountMinor} FROM unnest($1::TEXT[]) AS id`,
      [appointmentIds],
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
  async serve(connectionString) {
    const pool = new Pool({ connectionString });
    const run = makeRun(pool);
    let takenMinor = 0;

    const app = new H3()
      .post('/appointments/:id/contactlessPayments', async (event) => {
        const { id: appointment, key } = await parse(event);
        await run('getAppointment', appointment);
        await run('getKey', key);
        await run('getLedger', appointment);
        await run('getBusiness', 'shop');
        const id = `cpm_${randomUUID()}`;
        const now = Date.now();
        await run('begin', randomUUID(), now, key, id, appointment, amountMinor);
        const clientSecret = `${id}_secret_${id}`;
        const payment = { id, appointment: { id: appointment }, state: 'created', clientSecret };
        await run('opened', randomUUID(), now, id, clientSecret, JSON.stringify(payment));
        event.res.status = 201;
        return payment;
      })
      .post('/contactlessPayments/:id/captured', async (event) => {
        const { id, key } = await parse(event);
        const { appointment = '' } = (await run('getPayment', id)) ?? {};
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
      close: () => close().then(() => pool.end()),
    };

    async function parse(event: H3Event) {
      await event.req.json();
      const key = event.req.headers.get('idempotency-key') ?? '';
      return { id: event.context.params?.['id'] ?? '', key };
    }
  },
});
