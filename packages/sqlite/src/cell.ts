import type { Cell as AnyCell } from '@chairside/core/storage';

/** The types of SQLite's columns. */
export type Cell = string | number | null;

/**
 * Minor units for SQLite: exact up to 2^53, far above the 15 digits of D2. Throws a RangeError
 * beyond that, before the write.
 */
function toInteger(minor: bigint): number {
  const integer = Number(minor);
  if (!Number.isSafeInteger(integer)) throw new RangeError('An amount has too many digits');
  return integer;
}

/**
 * SQLite stores NaN as NULL. better-sqlite3 tries a number first and `null` last, so that binding
 * NaN takes half the instructions. A payment that was just opened has eleven absent cells.
 */
const absent = Number.NaN;

/**
 * A cell of a record for SQLite. Throws like {@link toInteger}, and for a number that is not finite:
 * the time of a broken clock would be stored as absent.
 */
export function toCell(cell: AnyCell): Cell {
  if (cell === undefined || cell === null) return absent;
  if (typeof cell === 'bigint') return toInteger(cell);
  if (typeof cell === 'number' && !Number.isFinite(cell)) {
    throw new RangeError('A number is not finite');
  }
  return typeof cell === 'boolean' ? Number(cell) : cell;
}
