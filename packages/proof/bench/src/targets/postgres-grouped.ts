import { setImmediate as atEndOfTurn } from 'node:timers';
import type { Pool } from 'pg';
import type { Run, StatementName } from './postgres-by-hand.ts';

/** A statement for many requests at once: each parameter is an array with one value for each. */
const read = (columns: string, table: string, key: string) => ({
  types: ['TEXT'],
  text: `SELECT place, ${columns} FROM unnest($1::TEXT[]) WITH ORDINALITY AS asked (value, place)
    JOIN ${table} ON ${key} = value`,
});

const rows = (columns: string) => `WITH row AS (SELECT * FROM
    unnest(${columns
      .split(', ')
      .map((column, index) => `$${index + 1}::${typeOf(column)}[]`)
      .join(', ')}) AS row (${columns}))`;

const write = (columns: string, text: string) => ({
  types: columns.split(', ').map(typeOf),
  text: `${rows(columns)}, ${text}`,
});

function typeOf(column: string): string {
  return ['now', 'amount'].includes(column) ? 'BIGINT' : 'TEXT';
}

const committed = 'committed AS (INSERT INTO commits SELECT commit, now FROM row)';

const sql: Readonly<Record<StatementName, { readonly types: readonly string[]; text: string }>> = {
  getAppointment: read('id, business, due', 'appointments', 'id'),
  getBusiness: read('id, account', 'businesses', 'id'),
  getKey: read('payment', 'keys', 'key'),
  getLedger: read('open, reserved, captured', 'ledgers', 'appointment'),
  getPayment: read('id, appointment, amount, state, secret, created_at', 'payments', 'id'),
  listPayments: read('id, state', 'payments', 'appointment'),
  begin: write(
    'commit, key, id, appointment, amount, now',
    `${committed},
    keyed AS (INSERT INTO keys SELECT key, id FROM row),
    paid AS (INSERT INTO payments SELECT id, appointment, amount, 'new', NULL, now FROM row)
    INSERT INTO ledgers SELECT appointment, 1, 0, 0 FROM row
    ON CONFLICT (appointment) DO UPDATE SET open = ledgers.open + 1`,
  ),
  opened: write(
    'commit, now, payment, opened_secret, data',
    `${committed},
    paid AS (UPDATE payments SET state = 'created', secret = opened_secret FROM row
      WHERE id = payment)
    INSERT INTO events SELECT payment, 1, data FROM row`,
  ),
  reserve: write(
    'commit, now, key, payment, data, moved, amount',
    `${committed},
    keyed AS (INSERT INTO keys SELECT key, payment FROM row),
    paid AS (UPDATE payments SET state = 'authorized' FROM row WHERE id = payment),
    told AS (INSERT INTO events SELECT payment, 2, data FROM row)
    UPDATE ledgers SET reserved = reserved + amount FROM row WHERE appointment = moved`,
  ),
  captured: write(
    'commit, now, payment, data, moved, amount',
    `${committed},
    paid AS (UPDATE payments SET state = 'captured' FROM row WHERE id = payment),
    told AS (INSERT INTO events SELECT payment, 3, data FROM row)
    UPDATE ledgers SET open = open - 1, reserved = reserved - amount, captured = captured + amount
    FROM row WHERE appointment = moved`,
  ),
};

interface Waiting {
  readonly values: readonly unknown[];
  readonly resolve: (row: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends all requests of one turn, and those that arrive while the same statement is running, as one
 * statement. So many of them share a round trip and a flush.
 */
export function createGroupedRun(pool: Pool): Run {
  const groups = new Map<StatementName, { waiting: Waiting[]; isBusy: boolean }>();

  async function flush(name: StatementName): Promise<void> {
    const group = groups.get(name);
    if (group === undefined) return;
    const taken = group.waiting;
    group.waiting = [];
    const { types, text } = sql[name];
    const values = types.map((_, column) => taken.map((each) => each.values[column]));
    try {
      const found = await pool.query<{ place?: string }>({ name, text, values });
      const byPlace = new Map(found.rows.map((row) => [Number(row.place), row]));
      for (const [index, { resolve }] of taken.entries()) resolve(byPlace.get(index + 1));
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
    group.isBusy = group.waiting.length > 0;
    if (group.isBusy) atEndOfTurn(() => void flush(name));
  }

  return <Row extends object>(name: StatementName, ...values: unknown[]) =>
    new Promise<Row | undefined>((resolve, reject) => {
      const group = groups.get(name) ?? { waiting: [], isBusy: false };
      groups.set(name, group);
      // cast: each statement is used with the row type of its columns
      group.waiting.push({ values, resolve: (row) => resolve(row as Row | undefined), reject });
      if (group.isBusy) return;
      group.isBusy = true;
      atEndOfTurn(() => void flush(name));
    });
}
