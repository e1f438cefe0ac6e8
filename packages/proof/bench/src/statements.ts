import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createChairside, hourMs, systemClock } from '@chairside/core';
import type { Change, Payment, Store } from '@chairside/core/ports';
import { startEmbeddedServer } from '@chairside/embedded-postgres';
import { createFakeProcessor } from '@chairside/fake-processor';
import { openPostgresStore } from '@chairside/postgres';
import { openSqliteStore } from '@chairside/sqlite';
import type { Args } from './args.ts';
import { median } from './load.ts';
import { amountMinor } from './request.ts';
import { addBusiness, anAppointment, commitAll, createAndCapture, must } from './targets/shop.ts';
import { ids } from './targets/target.ts';

// The statement of a day, of a shop that has taken payments for a year (D50).

const dayMs = 24 * hourMs;
/** 300,000 in a year. */
const perDay = 822;
const owner = { subject: 'user-owner', businessIds: ['shop'] };

/** A store, and what ends it. */
interface Opened {
  readonly store: Store;
  close(): Promise<unknown>;
}

async function openSqlite(folder: string): Promise<Opened> {
  const own = mkdtempSync(join(folder, 'statements-'));
  const store = openSqliteStore(join(own, 'chairside.db'))._unsafeUnwrap();
  return {
    store,
    async close() {
      await store.close();
      rmSync(own, { recursive: true });
    },
  };
}

async function openPostgres(): Promise<Opened> {
  const { connectionString, remove } = (await startEmbeddedServer())._unsafeUnwrap();
  const opened = await openPostgresStore(connectionString, { onError: console.error });
  const store = opened._unsafeUnwrap();
  return {
    store,
    async close() {
      await store.close();
      await remove();
    },
  };
}

/** Fills each store, with a tenth of the payments and with all, and measures the statements of its days. */
export async function statements({ payments, folder, seconds }: Args): Promise<void> {
  console.log(`\n${perDay} payments a day\n`);
  console.log('| Payments | Store | median | 99th of 100 | CPU of the node | statements/s |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const days of [payments / 10, payments].map((all) => Math.ceil(all / perDay))) {
    for (const [name, open] of Object.entries({ SQLite: openSqlite, PostgreSQL: openPostgres })) {
      const { store, close } = await open(folder);
      try {
        const { p50, p99, cpuMs, rate } = await measure(store, days, seconds);
        const cells = [p50, p99, cpuMs].map((ms) => `${ms.toFixed(1)} ms`);
        console.log(`| ${[days * perDay, name, ...cells, rate.toFixed(1)].join(' | ')} |`);
      } finally {
        await close();
      }
    }
  }
}

async function measure(store: Store, days: number, seconds: number) {
  const processor = createFakeProcessor({ clock: systemClock });
  const chairside = createChairside({ store, processor, clock: systemClock, rateLimits: 'off' });
  await addBusiness(chairside);
  const first = Math.floor(Date.now() / dayMs) * dayMs - (days + 7) * dayMs;
  await fill(store, await aCaptured(store), first, days);
  const times: number[] = [];
  const statementOf = async (number: number) => {
    const day = new Date(first + number * dayMs).toISOString().slice(0, 10);
    const input = { businessId: 'shop', day, timeZone: 'UTC' };
    const startedAt = performance.now();
    const found = must(await chairside.getStatement(owner, input));
    times.push(performance.now() - startedAt);
    const isWhole = found.lines.length > perDay && found.differences.length === 0;
    if (!isWhole || found.state !== 'closed') throw new Error(`The statement of ${day} is wrong.`);
  };
  // Each day is far from the one before, so that no statement finds its pages in a cache of the CPU.
  const dayOf = (index: number) => (index * 149) % days;
  for (let index = 0; index < 30; index += 1) await statementOf(dayOf(index));
  times.length = 0;
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  for (let index = 0; performance.now() - startedAt < seconds * 1000; index += 1) {
    await statementOf(dayOf(index));
  }
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  await chairside.settled();
  const sorted = times.toSorted((a, b) => a - b);
  return {
    p50: median(sorted),
    p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
    cpuMs: (user + system) / 1000 / times.length,
    rate: (times.length * 1000) / tookMs,
  };

  async function aCaptured(of: Store): Promise<Payment> {
    await commitAll(of, [anAppointment('appointment-first')]);
    const shop = { chairside, processor, store: of };
    const id = await createAndCapture(shop, 'appointment-first');
    const found = (await of.payments.get(id))._unsafeUnwrap();
    if (found === undefined) throw new Error(`payment ${id} is missing`);
    return found;
  }
}

/** Each day has payments with their entries, a payout, and a refund for every fiftieth payment. */
async function fill(store: Store, real: Payment, first: number, days: number): Promise<void> {
  const { nextCheckAt: _next, ...template } = real;
  const sweptBefore = first + (days + 3) * dayMs;
  for (let day = 0; day < days; day += 1) {
    const from = first + day * dayMs;
    const changes = Array.from({ length: perDay }, (_, n) =>
      taken(template, from + 8 * hourMs + Math.floor((n * 10 * hourMs) / perDay), n),
    );
    await commitAll(store, [...changes.flat(), payoutOf(from)]);
  }
  await commitAll(store, [
    { kind: 'putSweep', swept: { ledger: 'acct_shop', sweptBefore, triedAt: sweptBefore } },
  ]);
}

const payoutId = (from: number) => `acct_shop/po_${from}`;

function payoutOf(from: number): Change {
  return {
    kind: 'putPayout',
    payout: {
      id: payoutId(from),
      account: 'acct_shop',
      reference: `po_${from}`,
      currency: 'eur',
      amountMinor: 0n,
      state: 'paid',
      createdAt: from + 2 * dayMs,
      arrivesAt: from + 3 * dayMs,
      isItemized: false,
      isRead: true,
      oursMinor: 0n,
      othersMinor: 0n,
      others: [],
    },
  };
}

function taken(template: Payment, at: number, number: number): readonly Change[] {
  const id = ids.next('cpm');
  const barber = { ...template.appointment.barber, id: `barber-${number % 8}` };
  const appointment = { ...template.appointment, id: `appointment-${id}`, barber };
  const times = { createdAt: at, updatedAt: at, capturedAt: at };
  const payment = { ...template, ...times, id, appointment, reference: `pi_${id}` };
  const of = {
    account: payment.account,
    businessId: payment.businessId,
    paymentId: id,
    currency: 'eur',
    at,
  };
  const entry = {
    ...of,
    kind: 'payment',
    id: `acct_shop/txn_${id}`,
    subject: `pi_${id}`,
    amountMinor: BigInt(amountMinor),
    processorFeeMinor: 93n,
    applicationFeeMinor: 0n,
    payoutId: payoutId(Math.floor(at / dayMs) * dayMs),
  } as const;
  const changes: Change[] = [
    { kind: 'insertPayment', payment },
    { kind: 'putSettlement', settlement: entry },
  ];
  if (number % 50 > 0) return changes;
  const refund = { kind: 'refund', subject: `re_${id}`, amountMinor: -1000n } as const;
  const moved = { ...of, ...refund, id: `rfd_${id}.2`, barberId: barber.id, tipMinor: 0n };
  const returned = { ...entry, ...refund, id: `acct_shop/txr_${id}`, processorFeeMinor: 0n };
  return [
    ...changes,
    { kind: 'insertMovement', movement: moved },
    { kind: 'putSettlement', settlement: returned },
  ];
}
