import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { ids } from './ids.ts';
import { differences } from './target.ts';

const schema = `
CREATE TABLE payments (
  id TEXT NOT NULL UNIQUE, appointment TEXT NOT NULL, amount INTEGER NOT NULL,
  state TEXT NOT NULL, secret TEXT, created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX payments_appointment ON payments (appointment);
CREATE TABLE keys (key TEXT PRIMARY KEY, payment TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE ledgers (
  appointment TEXT PRIMARY KEY, open INTEGER NOT NULL, captured INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE events (
  payment TEXT NOT NULL, version INTEGER NOT NULL, data TEXT NOT NULL,
  PRIMARY KEY (payment, version)
) STRICT, WITHOUT ROWID;
`;

/** A requested create. */
export interface Asked {
  readonly appointment: string;
  readonly key: string;
  readonly amount: string;
}

export interface SlimPayment {
  readonly id: string;
  readonly appointment: string;
  readonly amount: string;
  readonly state: string;
  readonly clientSecret: string;
}

/**
 * The minimal writes of a create or a capture: key, payment and ledger before the processor is
 * called, payment and event after it. The columns are as small as possible, and there are no checks.
 */
export function openSlim(folder: string) {
  const db = new BetterSqlite3(join(folder, 'slim.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(schema);
  const insertKey = db.prepare('INSERT INTO keys VALUES (?, ?)');
  const insertPayment = db.prepare("INSERT INTO payments VALUES (?, ?, ?, 'new', NULL, ?)");
  const openLedger = db.prepare(
    'INSERT INTO ledgers VALUES (?, 1, 0) ON CONFLICT DO UPDATE SET open = open + 1',
  );
  const updatePayment = db.prepare('UPDATE payments SET state = ?, secret = ? WHERE id = ?');
  const insertEvent = db.prepare('INSERT INTO events VALUES (?, 1, ?)');
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  let commits = 0;

  function begun({ appointment, amount }: Asked): SlimPayment {
    const id = ids.next('cpm');
    const clientSecret = `${id}_secret_${id}`;
    return { id, appointment, amount, state: 'created', clientSecret };
  }

  /** The first half, which reserves the payment and its key. */
  function reserve({ id, appointment, amount }: SlimPayment, key: string): void {
    insertKey.run(key, id);
    insertPayment.run(id, appointment, Number(amount.replace('.', '')), Date.now());
    openLedger.run(appointment);
  }

  /** The second half: the writes after the processor's response. */
  function effects(payment: SlimPayment): void {
    updatePayment.run(payment.state, payment.clientSecret, payment.id);
    insertEvent.run(payment.id, JSON.stringify(payment));
  }

  function inTransaction(work: () => void): void {
    begin.run();
    work();
    commit.run();
    commits += 1;
  }

  const count = (sql: string) => db.prepare<[], number>(`SELECT ${sql}`).pluck().get() ?? 0;

  return {
    begun,
    reserve,
    effects,
    inTransaction,
    commits: () => commits,
    verify: async (answered: number) =>
      differences(
        {
          payments: count("count(*) FROM payments WHERE state = 'created' AND secret IS NOT NULL"),
          keys: count('count(*) FROM keys'),
          open: count('coalesce(sum(open), 0) FROM ledgers'),
          events: count('count(*) FROM events'),
        },
        { payments: answered, keys: answered, open: answered, events: answered },
      ),
    close: () => db.close(),
  };
}
