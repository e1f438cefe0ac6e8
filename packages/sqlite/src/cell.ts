import type { Cell as AnyCell, Columns } from '@chairside/core/storage';
import type { Database } from 'better-sqlite3';

/** The types of SQLite's columns. */
export type Cell = string | number | null;

/**
 * SQLite stores NaN as NULL. better-sqlite3 tries a number first and `null` last, so that binding
 * NaN takes half the instructions. A payment that was just opened has eleven absent cells.
 */
const absent = Number.NaN;

/**
 * A cell of a record for SQLite. Throws a RangeError for minor units beyond 2^53, far above the 15 digits of
 * D2. So it does for a number that is not finite: the time of a broken clock would be stored as absent.
 */
function toCell(cell: AnyCell): Cell {
  if (cell === undefined || cell === null) return absent;
  if (typeof cell === 'boolean') return Number(cell);
  if (typeof cell === 'bigint') {
    const integer = Number(cell);
    if (!Number.isSafeInteger(integer)) throw new RangeError('An amount has too many digits');
    return integer;
  }
  if (typeof cell === 'number' && !Number.isFinite(cell)) {
    throw new RangeError('A number is not finite');
  }
  return cell;
}

/** The values of a record's columns. Throws like {@link toCell}. */
export function cellsOf<R>({ cells }: Columns<R>, record: R): Cell[] {
  return cells(record).map(toCell);
}

/**
 * Prepares statements: each once, because preparing on each call halves the speed. The host's class, which
 * opens our connection (D90), may read integers as bigints.
 *
 * @internal Declarations cannot name the statements of better-sqlite3.
 */
export function preparer(db: Database) {
  return <Row = unknown, Params extends unknown[] = unknown[]>(text: string) =>
    db.prepare<Params, Row>(text).safeIntegers(false);
}

/** @internal */
export type Preparer = ReturnType<typeof preparer>;
