import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  type AuthContext,
  type Change,
  type Clock,
  type ContactlessPayment,
  createChairside,
  type Payment,
  type Problem,
  type Result,
  systemClock,
} from '@chairside/core';
import { createFakeProcessor, type FakeLedger } from '@chairside/fake-processor';
import { openSqliteStore } from '@chairside/sqlite';
import BetterSqlite3 from 'better-sqlite3';
import { countCommits } from './count-commits.ts';

/** Callers by token, for authentication. */
export const people: ReadonlyMap<string, AuthContext> = new Map([
  ['ada', { subject: 'user-ada', barberId: 'ada', entitlements: ['contactlessPayments'] }],
  ['ben', { subject: 'user-ben', barberId: 'ben', entitlements: ['contactlessPayments'] }],
]);
const ada: AuthContext = { subject: 'user-ada', barberId: 'ada' };

export const amount = '45.00';
export const amountMinor = 4500;

export interface ShopOptions {
  readonly folder: string;
  readonly database?: string | undefined;
  readonly clock?: Clock;
  readonly ledger?: FakeLedger;
  /** The duration of each processor call. */
  readonly latencyMs?: number;
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** Chairside over SQLite and the fake processor, with a business and a barber. */
export async function openShop(options: ShopOptions) {
  const { clock = systemClock, ledger, latencyMs } = options;
  const path = options.database ?? join(options.folder, 'chairside.db');
  const commits = countCommits();
  const store = openSqliteStore(path)._unsafeUnwrap();
  const db = new BetterSqlite3(path);
  const processor = createFakeProcessor({
    clock,
    ...(ledger !== undefined && { ledger }),
    ...(latencyMs !== undefined && {
      delay: (_, way) =>
        way === 'request'
          ? new Promise((resolve) => setTimeout(resolve, latencyMs))
          : Promise.resolve(),
    }),
  });
  const chairside = createChairside({ store, processor, clock, rateLimits: 'off' });

  must(
    await chairside.records.putBusiness({
      id: 'shop',
      name: 'Marlow & Sons',
      processorAccount: { id: 'acct_shop', currency: 'eur' },
    }),
  );
  must(await chairside.records.putBarber({ id: 'ada', businessId: 'shop' }));

  return {
    db,
    store,
    processor,
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

export function must<T>(result: Result<T, Problem>): T {
  if (result.isErr()) throw new Error(`${result.error.type}: ${result.error.detail}`);
  return result.value;
}

const perCommit = 1000;

/** Writes many changes, a thousand in each commit. */
export async function commitAll(
  { store, clock }: Pick<Shop, 'store' | 'clock'>,
  changes: readonly Change[],
): Promise<void> {
  for (let from = 0; from < changes.length; from += perCommit) {
    const written = await store.commit({
      id: randomUUID(),
      at: clock.now(),
      changes: changes.slice(from, from + perCommit),
    });
    if (written.isErr()) throw new Error(written.error.kind);
  }
}

/** Creates appointments of Ada with 45.00 due, and returns their ids. */
export async function addAppointments(shop: Shop, count: number): Promise<string[]> {
  const prefix = randomUUID().slice(0, 8);
  const ids = Array.from({ length: count }, (_, index) => `appointment-${prefix}-${index}`);
  await commitAll(shop, ids.map(anAppointment));
  return ids;
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
  { chairside }: Shop,
  appointmentId: string,
  idempotencyKey: string = randomUUID(),
): Promise<ContactlessPayment> {
  const input = { appointmentId, idempotencyKey, body: { amount } };
  return must(await chairside.createContactlessPayment(ada, input));
}

/** Presents a card at the terminal, and returns the reference that the app receives. */
export function present({ processor }: Shop, clientSecret: string): string {
  const presented = processor.presentCard(clientSecret, 'visa_credit');
  if (presented.isErr()) throw new Error(presented.error.kind);
  return presented.value.externalPaymentReference.id;
}

/** The stored payment. */
export async function stored({ store }: Shop, id: string): Promise<Payment> {
  const read = await store.payments.get(id);
  if (read.isErr() || read.value === undefined) throw new Error(`payment ${id} is missing`);
  return read.value;
}

export function captureBody(reference: string) {
  return {
    externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' as const },
  };
}

export async function capture(
  { chairside }: Shop,
  contactlessPaymentId: string,
  reference: string,
): Promise<ContactlessPayment> {
  const body = captureBody(reference);
  const input = { contactlessPaymentId, idempotencyKey: randomUUID(), body };
  return must(await chairside.captureContactlessPayment(ada, input));
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
