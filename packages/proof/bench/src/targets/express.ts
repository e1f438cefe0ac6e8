import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import express, { type RequestHandler } from 'express';
import { createRequests } from './by-hand.ts';
import { differences, listen, type Served, type Setting } from './target.ts';

const payments = sqliteTable('payments', {
  id: text().primaryKey(),
  appointmentId: text().notNull(),
  amount: text().notNull(),
  state: text().notNull(),
  clientSecret: text(),
});
const ledgers = sqliteTable('ledgers', {
  appointmentId: text().primaryKey(),
  open: integer().notNull(),
});
const events = sqliteTable('events', {
  id: text().primaryKey(),
  paymentId: text().notNull(),
  data: text({ mode: 'json' }).notNull(),
});
const keys = sqliteTable('keys', {
  key: text().primaryKey(),
  status: integer(),
  body: text({ mode: 'json' }),
});
const schema = `
CREATE TABLE payments (id TEXT PRIMARY KEY, appointmentId TEXT NOT NULL, amount TEXT NOT NULL,
  state TEXT NOT NULL, clientSecret TEXT);
CREATE TABLE ledgers (appointmentId TEXT PRIMARY KEY, open INTEGER NOT NULL);
CREATE TABLE events (id TEXT PRIMARY KEY, paymentId TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE keys (key TEXT PRIMARY KEY, status INTEGER, body TEXT);
`;

/**
 * The usual design: Express, an ORM, and a middleware that claims the key, runs the handler and
 * stores the response. Three commits a request, each with a flush.
 */
export async function openExpress(setting: Setting): Promise<Served> {
  const sqlite = new BetterSqlite3(join(setting.folder, 'express.db'));
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = FULL');
  sqlite.exec(schema);
  const db = drizzle({ client: sqlite });
  let commits = 0;

  const idempotent: RequestHandler = (request, response, next) => {
    const key = request.get('idempotency-key') ?? '';
    const stored = db.select().from(keys).where(eq(keys.key, key)).get();
    if (stored !== undefined) {
      response.status(stored.status ?? 409).json(stored.body);
      return;
    }
    db.insert(keys).values({ key }).run();
    commits += 1;
    const json = response.json.bind(response);
    response.json = (body) => {
      db.update(keys).set({ status: response.statusCode, body }).where(eq(keys.key, key)).run();
      commits += 1;
      return json(body);
    };
    next();
  };

  const app = express();
  app.use(express.json());
  app.post('/appointments/:id/contactlessPayments', idempotent, (request, response) => {
    const id = randomUUID();
    const appointmentId = String(request.params['id']);
    const { amount } = request.body;
    const payment = { id, appointmentId, amount, state: 'created', clientSecret: `${id}_secret` };
    db.transaction((tx) => {
      tx.insert(payments).values(payment).run();
      tx.insert(ledgers)
        .values({ appointmentId, open: 1 })
        .onConflictDoUpdate({
          target: ledgers.appointmentId,
          set: { open: sql`${ledgers.open} + 1` },
        })
        .run();
      tx.insert(events).values({ id: randomUUID(), paymentId: id, data: payment }).run();
    });
    commits += 1;
    response.status(201).json(payment);
  });

  const { port, close } = await listen(app);
  return {
    ports: [port],
    requests: createRequests(setting.wanted),
    repeats: false,
    finish: async ({ answered }) => ({
      commits,
      faults: differences(
        {
          payments: await db.$count(payments),
          keys: await db.$count(keys),
          events: await db.$count(events),
        },
        { payments: answered, keys: answered, events: answered },
      ),
    }),
    async close() {
      await close();
      sqlite.close();
    },
  };
}
