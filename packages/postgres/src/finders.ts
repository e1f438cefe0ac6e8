import type { EpochMs } from '@chairside/core';
import type { Read } from '@chairside/core/ports';
import {
  type Cell,
  decoderOf,
  type Finders,
  longestWaitMs,
  type RecordOf,
  type StoredRow,
  type TableName,
  workOf,
} from '@chairside/core/storage';
import { shown } from './columns.ts';

/** Runs the read of this name. `from` throws for a corrupt row. */
export type Ask = <Row, T>(
  name: string,
  asked: readonly Cell[],
  from: (rows: readonly Row[]) => T,
) => Read<T>;

// The values of a read are in the array `ask`, behind its place.
export const text = (index: number) => `ask->>${index}`;
const number = (index: number) => `(ask->>${index})::BIGINT`;
/** PostgreSQL rejects a negative limit. */
const limit = (index: number) => `LIMIT greatest(0, ${number(index)})`;

/** The kinds of reads. Each defines its statement under a name, by which it is asked for later. */
export function createFinders(
  ask: Ask,
  report: (error: unknown) => void,
  define?: (name: string, select: string) => void,
): Finders {
  return { isTrue: (column) => column, has, one, list, work, newest, due };

  function has(table: string, condition: string) {
    const name = nameOf('has', table, condition);
    define?.(name, `SELECT 1 AS found FROM @${table} WHERE ${typed(condition)}`);
    return (...asked: Cell[]) => ask(name, asked, ({ length }) => length > 0);
  }

  function one<T extends TableName>(table: T, condition: string) {
    const record = decoderOf(table);
    const name = nameOf('get', table, condition);
    define?.(name, `SELECT ${shown(table)} FROM @${table} WHERE ${typed(condition)}`);
    return (...asked: Cell[]) =>
      ask(name, asked, ([row]: readonly StoredRow<T>[]) => row && record(row));
  }

  function list<T extends TableName>(table: T, condition: string, order: string) {
    const record = decoderOf(table);
    return listed(table, condition, order, (rows) => rows.map(record));
  }

  function work<T extends TableName>(table: T, condition: string, order: string) {
    return listed(table, condition, order, workOf(table, report));
  }

  function listed<T extends TableName>(
    table: T,
    condition: string,
    order: string,
    from: (rows: readonly StoredRow<T>[]) => RecordOf<T>[],
  ) {
    const name = nameOf('list', table, condition, order);
    define?.(
      name,
      `SELECT ${shown(table)} FROM @${table} WHERE ${typed(condition)}
        ORDER BY ${order} ${limit(condition.split(/[?#]/).length)}`,
    );
    return (...asked: Cell[]) => ask(name, asked, from);
  }

  function newest<T extends TableName>(table: T, condition: string, time: string) {
    const found = list(table, condition, `${time} DESC, id DESC`);
    return (...asked: Cell[]) => found(...asked).map((records) => records.reverse());
  }

  function due<T extends TableName>(table: T, mustBeWhole?: true) {
    const records = workOf(table, report, mustBeWhole);
    const name = nameOf('list', table, 'due');
    const among = (condition: string) => `(SELECT ${shown(table)} FROM @${table}
          WHERE next_check_at ${condition} ORDER BY next_check_at ${limit(2)})`;
    define?.(
      name,
      `SELECT * FROM (${among(`<= ${number(1)}`)}
        UNION ALL ${among(`> ${number(1)} + ${longestWaitMs}`)}) AS due
        ${limit(2)}`,
    );
    return (now: EpochMs, most: number) => ask(name, [now, most], records);
  }
}

/** The words of a read: `get_payments_id`, for example. */
function nameOf(...parts: readonly string[]): string {
  return parts.join(' ').replaceAll(/\W+/g, '_').replace(/_$/, '');
}

function typed(condition: string): string {
  let index = 0;
  return condition.replaceAll(/[?#]/g, (mark) => {
    index += 1;
    return mark === '?' ? text(index) : number(index);
  });
}
