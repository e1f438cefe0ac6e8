import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChairside, okAsync, type Store } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { openPostgresStore } from '@chairside/postgres';
import { openSqliteStore } from '@chairside/sqlite';
import { createManualClock } from '@chairside/testkit';
import BetterSqlite3 from 'better-sqlite3';
import { Pool } from 'pg';
import { afterAll, expect, it } from 'vitest';
import { host } from '../src/elsewhere.ts';
import { postgresServer } from './ours/open-postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'chairside-upgrade-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The records of the version before refunds, after it captured one payment. */
const written = (file: string) => readFileSync(join(import.meta.dirname, 'fixtures', file), 'utf8');
const account = 'acct_shop';

interface Upgraded {
  readonly paymentId: string;
  /** Writes the database as that version left it, and opens it with this one. */
  open(): Promise<{ readonly store: Store; close(): Promise<void> }>;
}

const databases = {
  sqlite: {
    paymentId: 'cpm_01m6dqs9m0e6fba7xn9hqqsnzm',
    async open() {
      const path = join(folder, 'chairside.db');
      const before = new BetterSqlite3(path);
      before.exec(written('before-refunds.sql'));
      before.close();
      const store = openSqliteStore(path)._unsafeUnwrap();
      return { store, close: () => store.close() };
    },
  },
  postgres: {
    paymentId: 'cpm_01m6dqs9m0f5htcxcvkth2yw3c',
    async open() {
      const pool = new Pool({ connectionString: await postgresServer() });
      const schema = `upgrade_${randomUUID()}`;
      const text = written('before-refunds.postgres.sql');
      await pool.query(text.replaceAll('"before"', `"${schema}"`));
      const store = (await openPostgresStore(pool, { schema }))._unsafeUnwrap();
      return {
        store,
        async close() {
          await store.close();
          await pool.query(`DROP SCHEMA "${schema}" CASCADE`);
          await pool.end();
        },
      };
    },
  },
} satisfies Readonly<Record<string, Upgraded>>;

it.each(['sqlite', 'postgres'] as const)(
  'opens a %s database of the version before, migrates it, and refunds from it',
  async (kind) => {
    const { paymentId, open: openDatabase } = databases[kind];
    const clock = createManualClock();
    // The processor of that time, with the captured payment.
    const processor = createFakeProcessor({ clock, seed: 'before' });
    const about = { account, paymentId, installation: 'chairside', begunAt: clock.now() };
    const money = { amountMinor: 4500n, currency: 'eur' };
    const open = { ...about, ...money, idempotencyKey: 'open' };
    const { clientSecret, reference = '' } = (await processor.openPayment(open))._unsafeUnwrap();
    expect(processor.presentCard(clientSecret, 'visa_credit').isOk()).toBe(true);
    const capture = { ...about, ...money, reference, idempotencyKey: 'capture' };
    expect((await processor.capturePayment(capture)).isOk()).toBe(true);

    const { store: real, close } = await openDatabase();
    // The shared time is the clock's, not the database server's.
    const store = { ...real, now: () => okAsync(clock.now()) };
    const chairside = createChairside({ store, processor, clock });
    const stored = (await store.payments.get(paymentId))._unsafeUnwrap();
    expect(stored).toMatchObject({ state: 'captured', reference, amountMinor: 4500n });
    expect(stored?.capturedMinor).toBeUndefined();

    const refund = (amount: string) =>
      chairside.refundPayment(host, {
        contactlessPaymentId: paymentId,
        idempotencyKey: amount,
        body: { amount },
      });
    expect((await refund('20.00'))._unsafeUnwrap()).toMatchObject({ state: 'succeeded' });
    expect((await refund('25.01'))._unsafeUnwrapErr().attributes).toMatchObject({
      refundable: '25.00',
    });
    expect((await store.payments.get(paymentId))._unsafeUnwrap()?.capturedMinor).toBe(4500n);
    const listed = await chairside.listRefunds(host, { contactlessPaymentId: paymentId });
    expect(listed._unsafeUnwrap()).toMatchObject({ count: 1, refundable: '25.00' });
    await close();
  },
);
