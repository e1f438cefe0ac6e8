import type { Database, Row } from './database.ts';
import { ada, addAppointments, must, openShop } from './targets/chairside.ts';
import { appointment } from './visits.ts';

const dayMs = 24 * 3_600_000;
const perDay = 822; // 300,000 in a year
const digits = 12;
const copied = ['payments', 'appointments', 'ledgers', 'keys', 'events', 'settlements'];
const key = 'key-of-the-template';

/**
 * Fills a database with copies of one payment, its appointment, ledger, keys, events and entry, of a shop
 * that takes 822 a day.
 * @param isDue whether upkeep still has to deliver the events, and to forget the keys.
 */
export async function fill(database: Database, payments: number, isDue: boolean) {
  const { store, run, tables: prefix } = database;
  const isSqlite = store === 'sqlite';
  const days = Math.ceil(payments / perDay);
  const first = Math.floor(Date.now() / dayMs) * dayMs - (days + 7) * dayMs;
  const { id, at } = await makeTemplate(database, first + (days + 6) * dayMs);
  const stem = id.slice(0, -digits);
  const padded = isSqlite ? `printf('%0${digits}d', n)` : `lpad(n::text, ${digits}, '0')`;
  const texts: Readonly<Record<string, string>> = {
    [id]: `'${stem}' || ${padded}`,
    [appointment(0)]: `'filled-' || n`,
    [key]: isSqlite ? 'lower(hex(randomblob(16)))' : 'gen_random_uuid()',
  };
  const marks = new RegExp(`(${Object.keys(texts).join('|')})`);
  const shift = `+ ${first - at} + n * ${Math.floor(dayMs / perDay)}`;

  // The keys and events stay, for a database as large as can be, but neither is due.
  const settled: Readonly<Record<string, string>> = {
    ...{ client_secret: "''", next_check_at: 'NULL' },
    ...{ deliver_at: 'NULL', occurred_at: `${Date.now()}` },
  };

  /** The expression of a copy's column: texts name the copy, and times are the copy's. */
  function cell([name, value]: [string, unknown]): string {
    if (value === null) return 'NULL';
    const known = isDue ? undefined : settled[name];
    if (known !== undefined) return known;
    if (typeof value !== 'string') return /(^|_)at$/.test(name) ? `${value} ${shift}` : `${value}`;
    const quoted = (part: string) => `'${part.replaceAll("'", "''")}'`;
    return value
      .split(marks)
      .map((part) => texts[part] ?? quoted(part))
      .join(' || ');
  }

  const series = isSqlite
    ? `WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < ${payments - 1})`
    : `WITH s (n) AS (SELECT generate_series(0, ${payments - 1}::bigint))`;
  const inserts: string[] = [];
  for (const table of copied) {
    const columns = isSqlite ? '*' : 'to_jsonb(t) AS row';
    for (const found of await run(`SELECT ${columns} FROM ${prefix}${table} t`)) {
      const row = isSqlite ? found : (found['row'] as Row); // cast: `to_jsonb` makes an object
      const cells = Object.entries(row);
      const into = `${prefix}${table} (${cells.map(([name]) => name)})`;
      inserts.push(`INSERT INTO ${into} ${series} SELECT ${cells.map(cell)} FROM s`);
    }
  }
  const quick = 'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000';
  const all = isSqlite ? [quick, ...inserts, 'PRAGMA journal_mode = WAL'] : inserts;
  await run(all.join(';'));
  if (!isSqlite) await run('VACUUM ANALYZE');
  return {
    /** The day of this number, as its statement wants it. */
    day: (number: number) => new Date(first + (number % days) * dayMs).toISOString().slice(0, 10),
    random() {
      const number = Math.floor(Math.random() * payments);
      return { id: stem + `${number}`.padStart(digits, '0'), appointmentId: `filled-${number}` };
    },
  };
}

/** Makes the payment that is copied, by Chairside. */
async function makeTemplate({ address, run, tables }: Database, sweptBefore: number) {
  const { store, chairside } = await openShop(address);
  await addAppointments(store, 1);
  const asked = { appointmentId: appointment(0), idempotencyKey: `${key}-create` };
  const body = { amount: '45.00' };
  const { id } = must(await chairside.createContactlessPayment(ada, { ...asked, body }));
  const externalPaymentReference = { id: `pi_${id}`, paymentProcessor: 'processor_a' } as const;
  const of = { contactlessPaymentId: id, idempotencyKey: `${key}-capture` };
  const capture = { ...of, body: { externalPaymentReference } };
  must(await chairside.captureContactlessPayment(ada, capture));
  await chairside.settled();
  const { createdAt: at = 0 } = must(await store.payments.get(id)) ?? {};
  await store.close();
  const fees = `'eur', amount_minor, 93, 0, NULL, captured_at, NULL FROM ${tables}payments`;
  await run(`INSERT INTO ${tables}settlements
    SELECT 'txn_' || id, account, business_id, id, 'payment', reference, ${fees}`);
  await run(`UPDATE ${tables}sweeps SET swept_before = ${sweptBefore}`);
  return { id, at };
}
