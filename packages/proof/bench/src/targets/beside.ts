// What a user would take instead: an engine for durable work, and the usual stack of Express and an ORM. Creates only.
import { DBOS } from '@dbos-inc/dbos-sdk';
import BetterSqlite3 from 'better-sqlite3';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import express, { type RequestHandler } from 'express';
import { H3 } from 'h3';
import { toNodeHandler } from 'h3/node';
import type { Setup } from '../serve.ts';
import { amounts, createWait } from '../visits.ts';
import * as byHand from './by-hand.ts';

const path = '/appointments/:id/contactlessPayments';

/** The commits by hand, as steps of a workflow whose id is the caller's key. */
export async function serveDbos({ address: { url = '' }, latencyMs }: Setup) {
  const db = await byHand.openPostgres(url);
  const { begin, end } = byHand.createWith(db.transact);
  const wait = createWait(latencyMs);
  async function run(key: string, visit: string, minor: number) {
    const id = await DBOS.runStep(() => begin(key, visit, minor), { name: 'begin' });
    await DBOS.runStep(() => wait(minor === amounts.slowOpen), { name: 'open' });
    return DBOS.runStep(() => end(id, visit, minor), { name: 'opened' });
  }
  const create = DBOS.registerWorkflow(run, { name: 'create' });
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, logLevel: 'error' });
  await DBOS.launch();
  const app = new H3().post(path, async (event) => {
    event.res.status = 201;
    const workflowID = byHand.keyOf(event);
    const asked = [byHand.pathId(event), await byHand.minorOf(event)] as const;
    return (await DBOS.startWorkflow(create, { workflowID })(workflowID, ...asked)).getResult();
  });
  return byHand.listen(toNodeHandler(app), () => DBOS.shutdown().then(db.close));
}

const payments = sqliteTable('payments', {
  ...{ id: text().primaryKey(), visit: text().notNull(), amount: integer().notNull() },
  ...{ state: text().notNull(), secret: text(), at: integer() },
});
const ledgers = sqliteTable('ledgers', {
  ...{ visit: text().primaryKey(), open: integer().notNull() },
  ...{ reserved: integer().notNull(), captured: integer().notNull() },
});
const events = sqliteTable('events', { payment: text(), version: integer(), data: text() });
const answers = sqliteTable('answers', {
  ...{ key: text().primaryKey(), status: integer(), body: text({ mode: 'json' }) },
});

/** Express, an ORM, and a middleware that claims the key, runs the handler, and stores the response. */
export async function serveDrizzle({ address, latencyMs }: Setup) {
  await byHand.openSqlite(address.path ?? '').close(); // makes the tables
  const client = new BetterSqlite3(address.path);
  client.pragma('synchronous = FULL');
  client.exec('CREATE TABLE answers (key TEXT PRIMARY KEY, status INTEGER, body TEXT)');
  const db = drizzle({ client });
  const wait = createWait(latencyMs);
  const keyed: RequestHandler = (request, response, next) => {
    const key = request.get('idempotency-key') ?? '';
    const stored = db.select().from(answers).where(eq(answers.key, key)).get();
    if (stored !== undefined) return void response.status(stored.status ?? 409).json(stored.body);
    db.insert(answers).values({ key }).run();
    const send = response.json.bind(response);
    response.json = (body) => {
      const answered = { status: response.statusCode, body };
      db.update(answers).set(answered).where(eq(answers.key, key)).run();
      return send(body);
    };
    next();
  };
  const app = express().use(express.json());
  app.post(path, keyed, async ({ params, body }, response) => {
    const minor = Math.round(Number(body.amount) * 100);
    const answer = byHand.opened(byHand.newId(), String(params['id']), minor);
    const { clientSecret: secret, ...payment } = answer;
    await wait(minor === amounts.slowOpen);
    db.transaction((tx) => {
      tx.insert(payments)
        .values({ ...payment, secret, at: Date.now() })
        .run();
      const first = { visit: payment.visit, open: 1, reserved: 0, captured: 0 };
      const set = { open: sql`${ledgers.open} + 1` };
      tx.insert(ledgers).values(first).onConflictDoUpdate({ target: ledgers.visit, set }).run();
      const told = { payment: payment.id, version: 1, data: JSON.stringify(answer) };
      tx.insert(events).values(told).run();
    });
    response.status(201).json(answer);
  });
  return byHand.listen(app, async () => void client.close());
}
