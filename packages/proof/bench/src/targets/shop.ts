import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  type AuthContext,
  type Chairside,
  type Clock,
  type ContactlessPayment,
  createChairside,
  type Problem,
  type Result,
  systemClock,
} from '@chairside/core';
import type { Change, Payment, Store } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';
import { openSqliteStore } from '@chairside/sqlite';
import BetterSqlite3, { type Database, type Statement } from 'better-sqlite3';
import type { Finding } from '../job.ts';
import { amount, amountMinor, captureBody } from '../request.ts';
import { createForgetfulLedger } from './forgetful-ledger.ts';
import { differences, ids } from './target.ts';

export const ada: AuthContext = {
  subject: 'user-ada',
  barberId: 'ada',
  entitlements: ['contactlessPayments'],
};

export interface ShopOptions {
  readonly folder: string;
  readonly database?: string | undefined;
  readonly clock?: Clock;
  /** The duration of each processor call. */
  readonly latencyMs?: number | undefined;
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** Chairside over SQLite and the fake processor, with a business and a barber. */
export async function openShop(options: ShopOptions) {
  const { clock = systemClock, latencyMs } = options;
  const ledger = createForgetfulLedger();
  const path = options.database ?? join(options.folder, 'chairside.db');
  const commits = countCommits();
  const store = openSqliteStore(path)._unsafeUnwrap();
  const db = new BetterSqlite3(path);
  const processor = createFakeProcessor({
    clock,
    ledger,
    ...(latencyMs !== undefined && {
      delay: (_, way) =>
        new Promise((resolve) => (way === 'request' ? setTimeout(resolve, latencyMs) : resolve())),
    }),
  });
  const chairside = createChairside({ store, processor, clock, rateLimits: 'off' });
  await addBusiness(chairside);
  return {
    db,
    store,
    processor,
    ledger,
    chairside,
    clock,
    commits,
    async close() {
      await chairside.settled();
      await store.close();
      db.close();
    },
  };
}

/**
 * Counts the committed transactions of every connection that this process opens later. Each is one
 * flush.
 */
function countCommits(): () => number {
  const prototype: Pick<Database, 'prepare'> = BetterSqlite3.prototype;
  const { prepare } = prototype;
  let commits = 0;
  function counting(this: Database, sql: string) {
    const statement: Statement<[]> = Reflect.apply(prepare, this, [sql]);
    if (sql !== 'COMMIT') return statement;
    const run = statement.run.bind(statement);
    statement.run = () => {
      commits += 1;
      return run();
    };
    return statement;
  }
  prototype.prepare = counting as typeof prepare; // cast: the types of its rows pass through
  return () => commits;
}

export async function addBusiness({ records }: Pick<Chairside, 'records'>): Promise<void> {
  const processorAccount = { id: 'acct_shop', currency: 'eur' };
  must(await records.putBusiness({ id: 'shop', name: 'Marlow & Sons', processorAccount }));
  must(await records.putBarber({ id: 'ada', businessId: 'shop' }));
}

export function must<T>(result: Result<T, Problem>): T {
  if (result.isErr()) throw new Error(`${result.error.type}: ${result.error.detail}`);
  return result.value;
}

const perCommit = 1000;

/** Writes many changes, a thousand in each commit. */
export async function commitAll(store: Store, changes: readonly Change[], at = Date.now()) {
  for (let from = 0; from < changes.length; from += perCommit) {
    const part = changes.slice(from, from + perCommit);
    const written = await store.commit({ id: ids.next('cmt'), at, changes: part });
    if (written.isErr()) throw new Error(written.error.kind);
  }
}

/** Creates appointments of Ada with 45.00 due, and returns their ids. */
export async function addAppointments({ store, clock }: Shop, count: number): Promise<string[]> {
  const prefix = randomUUID().slice(0, 8);
  const appointmentIds = Array.from({ length: count }, (_, n) => `appointment-${prefix}-${n}`);
  await commitAll(store, appointmentIds.map(anAppointment), clock.now());
  return appointmentIds;
}

export function anAppointment(id: string): Change {
  return {
    kind: 'putAppointment',
    appointment: {
      id,
      businessId: 'shop',
      amountDueMinor: BigInt(amountMinor),
      occursOn: '2026-11-02T10:00:00.000Z',
      timeZone: 'Europe/Berlin',
      barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow', spokenLanguages: ['de', 'en'] },
      location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
    },
  };
}

export async function create(
  { chairside }: Pick<Shop, 'chairside'>,
  appointmentId: string,
  idempotencyKey: string = randomUUID(),
): Promise<ContactlessPayment> {
  const input = { appointmentId, idempotencyKey, body: { amount } };
  return must(await chairside.createContactlessPayment(ada, input));
}

/** Presents a card at the terminal, and returns the reference that the app receives. */
export function present({ processor }: Pick<Shop, 'processor'>, clientSecret: string): string {
  const presented = processor.presentCard(clientSecret, 'visa_credit');
  if (presented.isErr()) throw new Error(presented.error.kind);
  return presented.value.externalPaymentReference.id;
}

/** Creates a payment, presents a card and captures it. */
export async function createAndCapture(
  shop: Pick<Shop, 'chairside' | 'processor'>,
  appointmentId: string,
): Promise<string> {
  const { id, clientSecret } = await create(shop, appointmentId);
  const body = captureBody(present(shop, clientSecret));
  const input = { contactlessPaymentId: id, idempotencyKey: randomUUID(), body };
  must(await shop.chairside.captureContactlessPayment(ada, input));
  return id;
}

/** The stored payment. */
export async function stored({ store }: Shop, id: string): Promise<Payment> {
  const read = await store.payments.get(id);
  if (read.isErr() || read.value === undefined) throw new Error(`payment ${id} is missing`);
  return read.value;
}

/** Runs an action for each item, with a limit of concurrent ones. */
export async function forEachOf<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

type Tally = Readonly<Record<string, number>>;

interface Growth {
  readonly creates?: number;
  readonly captures?: number;
  /** Payments that were opened at the processor. Default: all. */
  readonly opened?: number;
}

/**
 * Counts from now on. The returned function compares the records and the processor's ledger with
 * the exact changes that these creates and captures must have made.
 */
export function countFrom(shop: Shop): (growth: Growth) => Finding {
  const before = tally(shop);
  const commitsBefore = shop.commits();
  return ({ creates = 0, captures = 0, opened = creates }) => {
    const growth: Tally = {
      payments: creates,
      created: creates - captures,
      captured: captures,
      keys: creates + captures,
      events: creates + 2 * captures, // authorized and captured
      open: creates - captures,
      capturedMinor: captures * amountMinor,
      atProcessor: opened,
      takenMinor: captures * amountMinor,
    };
    const expected = Object.keys({ ...before, ...growth }).map((name) => [
      name,
      (before[name] ?? 0) + (growth[name] ?? 0),
    ]);
    const faults = differences(tally(shop), Object.fromEntries(expected));
    return { commits: shop.commits() - commitsBefore, faults };
  };
}

function tally({ db, ledger }: Shop): Tally {
  const count = (sql: string) => db.prepare<[], number>(`SELECT ${sql}`).pluck().get() ?? 0;
  const states = db
    .prepare<[], { state: string; payments: number }>(
      `SELECT state, count(*) AS payments FROM chairside_payments
       WHERE client_secret IS NOT NULL AND work_kind IS NULL GROUP BY state`,
    )
    .all();
  return {
    ...Object.fromEntries(states.map(({ state, payments }) => [state, payments])),
    payments: count('count(*) FROM chairside_payments'),
    keys: count('count(*) FROM chairside_keys'),
    events: count('count(*) FROM chairside_events'),
    open: count('coalesce(sum(open_payments), 0) FROM chairside_ledgers'),
    reservedMinor: count('coalesce(sum(reserved_minor), 0) FROM chairside_ledgers'),
    capturedMinor: count('coalesce(sum(captured_minor), 0) FROM chairside_ledgers'),
    atProcessor: ledger.opened(),
    takenMinor: ledger.takenMinor(),
  };
}
