import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { H3, HTTPError } from 'h3';
import { toNodeHandler } from 'h3/node';
import type { Load } from '../load.ts';
import { createRequest } from '../request.ts';
import { differences, ids, listen, type Served, type Setting } from './target.ts';

const schema = `
CREATE TABLE payments (
  id TEXT NOT NULL UNIQUE, appointment TEXT NOT NULL, amount INTEGER NOT NULL,
  state TEXT NOT NULL, secret TEXT, created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX payments_appointment ON payments (appointment);
CREATE TABLE keys (key TEXT PRIMARY KEY, payment TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE ledgers (
  appointment TEXT PRIMARY KEY, open INTEGER NOT NULL, captured INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE events (
  payment TEXT NOT NULL, version INTEGER NOT NULL, data TEXT NOT NULL,
  PRIMARY KEY (payment, version)
) STRICT, WITHOUT ROWID;
`;

type Slim = ReturnType<typeof openSlim>;

/**
 * The minimal writes of a create: key, payment and ledger before the processor is called, payment
 * and event after it. The columns are as small as possible, and there are no checks.
 */
function openSlim(folder: string) {
  const db = new BetterSqlite3(join(folder, 'slim.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(schema);
  const insertKey = db.prepare('INSERT INTO keys VALUES (?, ?)');
  const insertPayment = db.prepare("INSERT INTO payments VALUES (?, ?, ?, 'new', NULL, ?)");
  const openLedger = db.prepare(
    'INSERT INTO ledgers VALUES (?, 1, 0) ON CONFLICT DO UPDATE SET open = open + 1',
  );
  const updatePayment = db.prepare('UPDATE payments SET state = ?, secret = ? WHERE id = ?');
  const insertEvent = db.prepare('INSERT INTO events VALUES (?, 1, ?)');
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const count = (sql: string) => db.prepare<[], number>(`SELECT ${sql}`).pluck().get() ?? 0;
  let commits = 0;

  return {
    begin(appointment: string, amount: string, key: string) {
      const id = ids.next('cpm');
      const clientSecret = `${id}_secret_${id}`;
      const payment = { id, appointment, amount, state: 'created', clientSecret };
      return {
        payment,
        /** The first half, which reserves the payment and its key. */
        reserve() {
          insertKey.run(key, id);
          insertPayment.run(id, appointment, Number(amount.replace('.', '')), Date.now());
          openLedger.run(appointment);
        },
        /** The second half: the writes after the processor's response. */
        open() {
          updatePayment.run(payment.state, clientSecret, id);
          insertEvent.run(id, JSON.stringify(payment));
        },
      };
    },
    transact(writes: Iterable<() => void>) {
      begin.run();
      for (const write of writes) write();
      commit.run();
      commits += 1;
    },
    finish: async ({ answered }: Load) => ({
      commits,
      faults: differences(
        {
          payments: count("count(*) FROM payments WHERE state = 'created' AND secret IS NOT NULL"),
          keys: count('count(*) FROM keys'),
          open: count('coalesce(sum(open), 0) FROM ledgers'),
          events: count('count(*) FROM events'),
        },
        { payments: answered, keys: answered, open: answered, events: answered },
      ),
    }),
    close: async () => void db.close(),
  };
}

/** Does the writes of one create, and returns once they are durable. */
type Write = (halves: ReturnType<Slim['begin']>) => void | Promise<void>;

/** Both halves in one transaction for each request. */
const perTransaction =
  ({ transact }: Slim): Write =>
  ({ reserve, open }) =>
    transact([reserve, open]);

/** Each half in a transaction that all requests of the same turn share. */
function grouped({ transact }: Slim): Write {
  let waiting: { readonly write: () => void; readonly done: () => void }[] = [];

  function flush() {
    const batch = waiting;
    waiting = [];
    transact(batch.map(({ write }) => write));
    for (const { done } of batch) done();
  }

  function durably(write: () => void): Promise<void> {
    return new Promise((done) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ write, done });
    });
  }

  return async ({ reserve, open }) => {
    await durably(reserve);
    await durably(open);
  };
}

/** A server written by hand: h3 and better-sqlite3, with the writes but without checks. */
const serveByHand =
  (createWrite: (slim: Slim) => Write) =>
  async ({ folder, wanted }: Setting): Promise<Served> => {
    const slim = openSlim(folder);
    const write = createWrite(slim);
    const app = new H3().post('/appointments/:id/contactlessPayments', async (event) => {
      const amount = amountIn(await event.req.json());
      const key = event.req.headers.get('idempotency-key') ?? '';
      const halves = slim.begin(event.context.params?.['id'] ?? '', amount, key);
      await write(halves);
      event.res.status = 201;
      return halves.payment;
    });
    const { port, close } = await listen(toNodeHandler(app));
    return {
      ports: [port],
      requests: createRequests(wanted),
      repeats: false,
      finish: slim.finish,
      close: () => close().then(slim.close),
    };
  };

export const openPerTransaction = serveByHand(perTransaction);
export const openGrouped = serveByHand(grouped);

function amountIn(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'amount' in body) return String(body.amount);
  throw new HTTPError({ status: 400 });
}

/** The same as for Chairside: one appointment each, and keys in random order. */
const createRequests = (wanted: number) =>
  Array.from({ length: wanted }, (_, index) => createRequest(`appointment-${index}`));
