import { hourMs } from '@chairside/core';
import type { Payment } from '@chairside/core/ports';
import type { Statements } from '../check/check-statements.ts';
import { businessNames } from '../plan/plan.ts';
import { createRandom, hash } from '../plan/random.ts';
import { installation, type Run } from './run.ts';
import { owner, start } from './shop.ts';

/** In the first three, a day begins in the first hour of a plan; in the last, it does not. */
const zones = [
  'America/Anchorage',
  'Pacific/Marquesas',
  'Pacific/Honolulu',
  'Europe/Berlin',
] as const;

/** All runs have ended long before. */
const endOfAllMs = 60 * 24 * hourMs;

/** The statements of each business as the host reads them, for each day of the run with money, and its payouts. */
export async function readStatements(
  run: Run,
  payments: readonly Payment[],
): Promise<Statements | undefined> {
  const { store, processor } = run.world();
  if (processor.settlements === undefined || processor.balance === undefined) return undefined;
  const random = createRandom(hash(run.plan.seed, zoneMark));
  const timeZone = random.pick(zones);
  const dayOf = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const statements: Statements = {
    at: run.scheduler.clock.now(),
    dayOf: (at) => dayOf.format(at),
    isListed: run.evidence.unlisted === undefined,
    books: new Map(),
    businesses: [],
  };
  const accounts = new Set(payments.map(({ account }) => account));
  const chairside = run.ungated();
  for (const id of businessNames) {
    const own = payments.filter(({ businessId }) => businessId === id);
    const business = (await store.businesses.get(id))._unsafeUnwrap();
    const account = business?.processorAccount?.id ?? '';
    accounts.add(account);
    const days = await daysOf(run, own, statements.dayOf);
    const read = await Promise.all(
      days.map((day) => chairside.getStatement(owner, { businessId: id, day, timeZone })),
    );
    const span = { from: timestamp(start), until: timestamp(start + endOfAllMs), limit: 1000 };
    const payouts = await chairside.listPayouts(owner, { businessId: id, ...span });
    statements.businesses.push({
      id,
      account,
      statements: read.map((one) => one._unsafeUnwrap()),
      payouts: payouts._unsafeUnwrap(),
    });
  }
  for (const account of accounts) statements.books.set(account, await processor.balance(account));
  return statements;
}

const zoneMark = 0xda15;

const timestamp = (at: number) => new Date(at).toISOString();

/** The days on which money moved there, and today. */
async function daysOf(
  run: Run,
  own: readonly Payment[],
  dayOf: (at: number) => string,
): Promise<readonly string[]> {
  const { processor } = run.world();
  const accounts = new Set(own.map(({ account }) => account));
  const books = await Promise.all([...accounts].map((account) => processor.balance?.(account)));
  const entries = books.flatMap((balance) => balance?.entries ?? []);
  const ids = new Set(own.map(({ id }) => id));
  const times = entries
    .filter((entry) => entry.installation === installation && ids.has(entry.paymentId))
    .map(({ openedAt }) => openedAt);
  const captured = own.flatMap(({ capturedAt }) => capturedAt ?? []);
  // A refund or dispute whose message came late is on the day of the message here.
  const told = run.evidence.appended.map(({ occurredAt }) => occurredAt);
  return [...new Set([...times, ...captured, ...told, run.scheduler.clock.now()].map(dayOf))];
}

/** In some worlds a bank returns payouts. The money of each is in a later payout. */
export async function failPayouts(run: Run): Promise<void> {
  const { processor } = run.world();
  const random = createRandom(hash(run.plan.seed, payoutsMark));
  const share = random.pick([0, 0.5, 1]);
  const accounts = new Set((await processor.entries()).map(({ account }) => account));
  for (const account of accounts) {
    const { payouts = [] } = (await processor.balance?.(account)) ?? {};
    for (const { reference } of payouts) {
      if (!random.chance(share)) continue;
      const failed = await processor.failPayout?.(account, reference);
      if (failed?.isErr()) run.evidence.texts.add(JSON.stringify(failed.error));
    }
  }
}

const payoutsMark = 0x9a1d;

/** In some worlds a list of the processor fails for days. */
export function beginOutage(run: Run): void {
  const random = createRandom(hash(run.plan.seed, outageMark));
  run.evidence.unlisted = random.pick([
    undefined,
    undefined,
    'listEntries',
    'listPayouts',
  ] as const);
}

const outageMark = 0x0ff1;

/** The lists work again. */
export function endOutage({ evidence }: Run): void {
  evidence.unlisted = undefined;
}
