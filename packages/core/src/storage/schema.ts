import { eventTable } from '../event/wire.ts';
import type { Actor, KeyRecord } from '../frame/record.ts';
import {
  appointmentTable,
  barberTable,
  businessTable,
  financialAccountTable,
  payoutPreferencesTable,
  scheduleTable,
} from '../host/row.ts';
import { paymentTable } from '../payment/row.ts';
import { disputeTable, refundTable } from '../refund/wire.ts';
import { setupTable } from '../setup/wire.ts';
import { shareTable } from '../share/wire.ts';
import { movementTable, payoutTable, settlementTable } from '../statement/row.ts';
import { tenderTable } from '../tender/wire.ts';
import { terminalTable } from '../terminal/wire.ts';
import { factTable, reviewTable, sweepTable } from '../upkeep/row.ts';
import { sha256Hex } from '../values/text.ts';
import { type Columns, type Encoders, type Table, tableOf, toNumber } from './columns.ts';

/** One step of a store's schema. The first has the number 1, and both stores number them alike. */
export interface Migration {
  readonly text: string;
  /**
   * The oldest migration whose code may still work with the schema after this step. A step that only
   * adds to the schema keeps the number of the step before it.
   */
  readonly oldestVersion: number;
}

/**
 * The columns of `chairside_migrations`, after `version`, its primary key. They have no default: the
 * code of before they existed cannot write a row.
 */
export interface AppliedMigration {
  readonly version: number;
  /** The hash of the text that was run. */
  readonly hash: string;
  readonly oldest_version: number;
}

/**
 * The trigger of a SQLite file whose records moved, or are moving, to another store. It refuses every commit, also those
 * of a process that has the file open, and the file does not open while it is there.
 */
export const movingMark = 'chairside_moving';

/** A store judges its schema before it reads or changes anything else. */
export type SchemaState =
  /** It opens: it has all steps of this code, and perhaps later ones that this code may work with. */
  | { readonly kind: 'current' }
  /** The steps after this number are missing. */
  | { readonly kind: 'behind'; readonly version: number }
  | {
      readonly kind: 'refused';
      readonly reason: 'unreleasedSchema' | 'newerSchema';
      /** For a person. */
      readonly why: string;
    };

/** The row for `chairside_migrations` of the migration with this number. */
export function appliedOf(version: number, { text, oldestVersion }: Migration): AppliedMigration {
  return { version, hash: sha256Hex(text), oldest_version: oldestVersion };
}

/**
 * @param rows all rows and columns of `chairside_migrations` (`SELECT *`), as the driver reads them. Without
 * a `hash`, they are by code from before the first release.
 */
export function judgeSchema(
  known: readonly Migration[],
  rows: readonly Readonly<Record<string, unknown>>[],
): SchemaState {
  const applied = new Map(rows.map((row) => [Number(row['version']), row]));
  const version = Math.max(0, ...applied.keys());
  for (const [index, { text }] of known.slice(0, version).entries()) {
    if (applied.get(index + 1)?.['hash'] !== sha256Hex(text)) return unreleased(index + 1);
  }
  if (version < known.length) return { kind: 'behind', version };
  const oldestVersion = Number(applied.get(version)?.['oldest_version']);
  if (oldestVersion <= known.length) return { kind: 'current' };
  return {
    kind: 'refused',
    reason: 'newerSchema',
    why: `a later version wrote it: its schema is ${version}, which ${oldestVersion} or later may work with, and this version knows ${known.length}`,
  };
}

function unreleased(version: number): SchemaState {
  return {
    kind: 'refused',
    reason: 'unreleasedSchema',
    why: `it was made by an unreleased version of Chairside, whose migration ${version} differs from the released one. It was not changed. Open it with the code that made it, or begin with an empty database`,
  };
}

const actorEncoders = {
  number: (a) => a.number,
  subject: (a) => a.subject,
} satisfies Encoders<Actor>;
const actorTable = tableOf(
  actorEncoders,
  (row): Actor => ({ number: toNumber(row.number), subject: row.subject }),
);

const keyEncoders = {
  subject: ({ subject }) => subject,
  key: ({ key }) => key,
  operation: ({ operation }) => operation,
  fingerprint: ({ fingerprint }) => fingerprint,
  resource_id: ({ resourceId }) => resourceId,
  problem: ({ problem }) => problem && JSON.stringify(problem),
  forget_at: ({ forgetAt }) => forgetAt,
} satisfies Encoders<KeyRecord>;
const keyTable = tableOf(
  keyEncoders,
  (row): KeyRecord => ({
    subject: row.subject,
    key: row.key,
    operation: row.operation,
    fingerprint: row.fingerprint,
    ...(row.resource_id !== null && { resourceId: row.resource_id }),
    ...(row.problem !== null && { problem: JSON.parse(row.problem) }),
    ...(row.forget_at !== null && { forgetAt: toNumber(row.forget_at) }),
  }),
);

const definitions = {
  keys: keyTable,
  payments: paymentTable,
  setups: setupTable,
  events: eventTable,
  refunds: refundTable,
  disputes: disputeTable,
  tenders: tenderTable,
  shares: shareTable,
  movements: movementTable,
  settlements: settlementTable,
  payouts: payoutTable,
  reviews: reviewTable,
  sweeps: sweepTable,
  facts: factTable,
  actors: actorTable,
  terminals: terminalTable,
  appointments: appointmentTable,
  barbers: barberTable,
  businesses: businessTable,
  financial_accounts: financialAccountTable,
  schedules: scheduleTable,
  payout_preferences: payoutPreferencesTable,
} as const;

export type TableName = keyof typeof definitions;
export type RecordOf<T extends TableName> =
  (typeof definitions)[T] extends Columns<infer Stored> ? Stored : never;
export type StoredRow<T extends TableName> = Parameters<(typeof definitions)[T]['record']>[0];

/** The tables that a store fills from records, by the names that both stores use. */
export const tables: { readonly [T in TableName]: Columns<RecordOf<T>> } = definitions;

const readable: { readonly [T in TableName]: Table<RecordOf<T>, StoredRow<T>> } = definitions;

/** Makes the record of a row. It throws an error that names a corrupt row, and holds none of its values. */
export function decoderOf<T extends TableName>(table: T): (row: StoredRow<T>) => RecordOf<T> {
  const { record } = readable[table];
  return (row) => {
    try {
      return record(row);
    } catch {
      throw new Error(`A row of chairside_${table} cannot be read${keyOf(table, row)}`);
    }
  };
}

/** The columns that name a row, where it is no `id`. Keys that may name a person are left out. */
const keys: { readonly [T in TableName]?: readonly string[] } = {
  events: ['subject', 'version'],
  sweeps: ['account'],
};

function keyOf(table: TableName, row: object): string {
  const names = keys[table] ?? ['id'];
  const key = names.map((name): unknown => Reflect.get(row, name));
  return key.includes(undefined) ? '' : `: ${key.join('/')}`;
}

/**
 * Makes the records of rows that upkeep works off. A corrupt one is left out and reported, because it must not stop the
 * work of all shops, unless the list must be whole.
 */
export function workOf<T extends TableName>(
  table: T,
  report: (error: unknown) => void,
  mustBeWhole?: true,
) {
  const record = decoderOf(table);
  return (rows: readonly StoredRow<T>[]): RecordOf<T>[] =>
    rows.flatMap((row) => {
      try {
        return [record(row)];
      } catch (error) {
        if (mustBeWhole) throw error;
        report(error);
        return [];
      }
    });
}
