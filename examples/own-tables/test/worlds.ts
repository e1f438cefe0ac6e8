import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@chairside/core/ports';
import { openPostgresStore } from '@chairside/postgres';
import { postgresServer } from '@chairside/spec/open-postgres';
import { openSqliteStore } from '@chairside/sqlite';
import BetterSqlite3 from 'better-sqlite3';
import { Pool } from 'pg';
import { openDrizzleShop } from '../src/drizzle-shop.ts';
import { openKyselyShop } from '../src/kysely-shop.ts';
import type { Shop } from '../src/shop.ts';

/** The connections of one process: to the host's database, and to Chairside's store. */
export interface Opened {
  readonly shop: Shop;
  readonly store: Store;
  readonly close: () => Promise<void>;
}

/** Databases that outlive a process. */
export interface World {
  readonly open: () => Promise<Opened>;
  /** Adds an appointment to the host's table, and returns its id. */
  readonly addAppointment: (dueMinor: number) => Promise<string>;
  readonly remove: () => Promise<void>;
}

const tables = (time: string) => `
  CREATE TABLE barbers (id TEXT PRIMARY KEY, given_name TEXT NOT NULL, surname TEXT NOT NULL);
  CREATE TABLE appointments (id TEXT PRIMARY KEY, barber_id TEXT NOT NULL REFERENCES barbers (id),
    starts_at ${time} NOT NULL, due_minor BIGINT NOT NULL);
  CREATE TABLE card_entries (reference TEXT PRIMARY KEY,
    appointment_id TEXT NOT NULL REFERENCES appointments (id),
    paid_minor BIGINT NOT NULL, tip_minor BIGINT NOT NULL, fee_minor BIGINT NOT NULL,
    sequence TEXT NOT NULL);
  INSERT INTO barbers VALUES ('ada', 'Ada', 'Marlow');`;
const startsAt = new Date('2026-12-01T09:00:00.000Z');

/** The host's file, and Chairside's file beside it. */
async function drizzleWithSqlite(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'own-tables-'));
  const file = join(folder, 'shop.db');
  const client = new BetterSqlite3(file);
  client.exec(tables('INTEGER'));
  const insert = client.prepare("INSERT INTO appointments VALUES (?, 'ada', ?, ?)");
  return {
    async addAppointment(dueMinor) {
      const id = randomUUID();
      insert.run(id, startsAt.getTime(), dueMinor);
      return id;
    },
    async open() {
      const shopClient = new BetterSqlite3(file);
      const store = openSqliteStore(join(folder, 'payments.db'))._unsafeUnwrap();
      const close = async () => {
        await store.close();
        shopClient.close();
      };
      return { shop: openDrizzleShop(shopClient), store, close };
    },
    async remove() {
      client.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The host's schema, and Chairside's schema beside it. */
async function kyselyWithPostgres(): Promise<World> {
  const connectionString = await postgresServer();
  const own = `shop_${randomUUID()}`;
  const ofChairside = `chairside_${randomUUID()}`;
  const options = `-c search_path="${own}"`;
  const newPool = () => new Pool({ connectionString, options, query_timeout: 5000 });
  const admin = newPool();
  await admin.query(`CREATE SCHEMA "${own}"; ${tables('TIMESTAMPTZ')}`);
  return {
    async addAppointment(dueMinor) {
      const id = randomUUID();
      const row = [id, startsAt, dueMinor];
      await admin.query("INSERT INTO appointments VALUES ($1, 'ada', $2, $3)", row);
      return id;
    },
    async open() {
      const pool = newPool();
      const opened = await openPostgresStore(pool, { schema: ofChairside });
      const store = opened._unsafeUnwrap();
      const close = async () => {
        await store.close();
        await pool.end();
      };
      return { shop: openKyselyShop(pool), store, close };
    },
    async remove() {
      await admin.query(`DROP SCHEMA "${own}" CASCADE; DROP SCHEMA "${ofChairside}" CASCADE`);
      await admin.end();
    },
  };
}

export const worlds = {
  'Drizzle with SQLite': drizzleWithSqlite,
  'Kysely with PostgreSQL': kyselyWithPostgres,
};
