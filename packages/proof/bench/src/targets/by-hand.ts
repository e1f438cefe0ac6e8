import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import BetterSqlite3 from 'better-sqlite3';
import { H3, type H3Event } from 'h3';
import { toNodeHandler } from 'h3/node';
import { Pool, type PoolClient } from 'pg';
import type { Setup } from '../serve.ts';
import { amounts, createWait } from '../visits.ts';

const schema = [
  'TABLE IF NOT EXISTS payments (id TEXT PRIMARY KEY, visit TEXT, amount BIGINT, state TEXT, secret TEXT, at BIGINT)',
  'TABLE IF NOT EXISTS keys (key TEXT PRIMARY KEY, payment TEXT)',
  'TABLE IF NOT EXISTS ledgers (visit TEXT PRIMARY KEY, open BIGINT, reserved BIGINT, captured BIGINT)',
  'TABLE IF NOT EXISTS events (payment TEXT, version BIGINT, data TEXT, PRIMARY KEY (payment, version))',
  'INDEX IF NOT EXISTS by_visit ON payments (visit)',
].map((what) => `CREATE ${what};`);

// Each parameter once and in order, as SQLite's driver wants them.
const sql = {
  get: 'SELECT * FROM payments WHERE id = $1',
  list: 'SELECT * FROM payments WHERE visit = $1 ORDER BY at DESC LIMIT 1000',
  key: 'INSERT INTO keys VALUES ($1, $2)',
  begin: "INSERT INTO payments VALUES ($1, $2, $3, 'new', NULL, $4)",
  count: `INSERT INTO ledgers VALUES ($1, 1, 0, 0)
    ON CONFLICT (visit) DO UPDATE SET open = ledgers.open + 1`,
  opened: "UPDATE payments SET state = 'created', secret = $1 WHERE id = $2",
  event: 'INSERT INTO events VALUES ($1, $2, $3)',
  authorized: "UPDATE payments SET state = 'authorized' WHERE id = $1",
  reserve: 'UPDATE ledgers SET reserved = reserved + $1 WHERE visit = $2',
  captured: "UPDATE payments SET state = 'captured' WHERE id = $1",
  settle: `UPDATE ledgers SET open = open - 1, reserved = reserved - $1, captured = captured + $2
    WHERE visit = $3`,
};

type Name = keyof typeof sql;
type Value = string | number;
type Write = readonly [name: Name, ...values: Value[]];
type Payment = Readonly<Record<'id' | 'visit' | 'amount', string>>;

export function openSqlite(path: string) {
  const db = new BetterSqlite3(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(schema.join(''));
  const prepare = (text: string) => db.prepare<Value[], Payment>(text.replaceAll(/\$\d/g, '?'));
  const prepared = new Map(Object.entries(sql).map(([name, text]) => [name, prepare(text)]));
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];
  return {
    read: async (name: Name, value: string) => prepared.get(name)?.all(value) ?? [],
    /** Resolves once all of it is on the disk. */
    async transact(...writes: readonly Write[]) {
      begin.run();
      for (const [name, ...values] of writes) prepared.get(name)?.run(...values);
      commit.run();
    },
    close: async () => void db.close(),
  };
}

export async function openPostgres(url: string) {
  const pool = new Pool({ connectionString: url });
  await pool.query(schema.join(''));
  const query = (client: Pool | PoolClient, name: Name, values: Value[]) =>
    client.query<Payment>({ name, text: sql[name], values });
  return {
    read: async (name: Name, value: string) => (await query(pool, name, [value])).rows,
    async transact(...writes: readonly Write[]) {
      const client = await pool.connect();
      await client.query('BEGIN');
      for (const [name, ...values] of writes) await query(client, name, values);
      await client.query('COMMIT');
      client.release();
    },
    close: () => pool.end(),
  };
}

/** Ordered by time, as Chairside's. Random ones cost a third. */
export const newId = () => `cpm_${process.hrtime.bigint()}`;
export const opened = (id: string, visit: string, amount: number) => {
  return { id, visit, amount, state: 'created', clientSecret: `pi_${id}_secret_${id}` };
};
export const pathId = ({ context }: H3Event) => context.params?.['id'] ?? '';
export const keyOf = ({ req }: H3Event) => req.headers.get('idempotency-key') ?? '';
export const minorOf = async ({ req }: H3Event) => Number((await req.text()).replaceAll(/\D/g, ''));

/** The commits of a create: before the processor is called, and after it. */
export function createWith(transact: (...writes: readonly Write[]) => Promise<void>) {
  return {
    async begin(key: string, visit: string, minor: number): Promise<string> {
      const id = newId();
      const reserved: Write = ['begin', id, visit, minor, Date.now()];
      await transact(['key', key, id], reserved, ['count', visit]);
      return id;
    },
    async end(id: string, visit: string, minor: number) {
      const answer = opened(id, visit, minor);
      const told: Write = ['event', id, 1, JSON.stringify(answer)];
      await transact(['opened', answer.clientSecret, id], told);
      return answer;
    },
  };
}

/** The same durable commits as Chairside's, in tables as small as possible, and without a check. */
export async function serveByHand({ address: { path = '', url }, latencyMs }: Setup) {
  const db = url === undefined ? openSqlite(path) : await openPostgres(url);
  const wait = createWait(latencyMs);
  const { begin, end } = createWith(db.transact);
  const app = new H3()
    .post('/appointments/:id/contactlessPayments', async (event) => {
      const [visit, amount] = [pathId(event), await minorOf(event)];
      const id = await begin(keyOf(event), visit, amount);
      await wait(amount === amounts.slowOpen);
      event.res.status = 201;
      return end(id, visit, amount);
    })
    .post('/contactlessPayments/:id/captured', async (event) => {
      await event.req.json();
      const id = pathId(event);
      const [found] = await db.read('get', id);
      const [visit = '', amount] = [found?.visit, Number(found?.amount)];
      const answer = { id, visit, amount, state: 'captured' };
      await wait(false); // asks whether the card was approved
      const told = (version: number): Write => ['event', id, version, JSON.stringify(answer)];
      const key: Write = ['key', keyOf(event), id];
      await db.transact(key, ['authorized', id], told(2), ['reserve', amount, visit]);
      await wait(amount === amounts.slowCapture);
      await db.transact(['captured', id], told(3), ['settle', amount, amount, visit]);
      return answer;
    })
    .get('/contactlessPayments/:id', async (event) => (await db.read('get', pathId(event)))[0])
    .get('/appointments/:id/contactlessPayments', async (event) => ({
      items: await db.read('list', pathId(event)),
    }));

  return listen(toNodeHandler(app), db.close);
}

export async function listen(handler: RequestListener, close: () => Promise<unknown>) {
  const server = createServer({ keepAliveTimeout: 120_000 }, handler); // as Chairside's
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // cast: it listens on a port
  return { port, tasks: {}, close };
}
