import { amountMinor, type Shop } from './shop.ts';
import { differences } from './target.ts';

type Tally = Readonly<Record<string, number>>;

/** Counts the stored records and the entries of the processor's ledger. */
export function tally({ db, processor }: Shop): Tally {
  const count = (sql: string) => db.prepare<[], number>(`SELECT ${sql}`).pluck().get() ?? 0;
  const states = db
    .prepare<[], { state: string; payments: number }>(
      `SELECT state, count(*) AS payments FROM chairside_payments
       WHERE client_secret IS NOT NULL AND work_kind IS NULL GROUP BY state`,
    )
    .all();
  const entries = processor.entries();
  return {
    ...Object.fromEntries(states.map(({ state, payments }) => [state, payments])),
    payments: count('count(*) FROM chairside_payments'),
    keys: count('count(*) FROM chairside_keys'),
    events: count('count(*) FROM chairside_events'),
    open: count('coalesce(sum(open_payments), 0) FROM chairside_ledgers'),
    reservedMinor: count('coalesce(sum(reserved_minor), 0) FROM chairside_ledgers'),
    capturedMinor: count('coalesce(sum(captured_minor), 0) FROM chairside_ledgers'),
    atProcessor: entries.length,
    takenMinor: entries.reduce((sum, entry) => sum + minorOf(entry.amountCaptured), 0),
  };
}

function minorOf(money: string): number {
  return Number(money.replace('.', ''));
}

interface Growth {
  readonly creates?: number;
  readonly captures?: number;
  /** Payments that were opened at the processor. Default: all. */
  readonly opened?: number;
}

/** The exact changes that these creates and captures must have made since `before`. */
export function verifyGrowth(
  shop: Shop,
  before: Tally,
  { creates = 0, captures = 0, opened = creates }: Growth,
): string[] {
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
  return differences(tally(shop), Object.fromEntries(expected));
}
