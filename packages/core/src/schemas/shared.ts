/** The interface's shared types as valibot schemas that convert to JSON Schema without loss. */
import * as v from 'valibot';
import { moneyPattern } from '../domain/money.ts';
import { codePointLength, isLonger, isStorable } from '../domain/text.ts';
import { parseTimestamp, timestampPattern } from '../domain/time.ts';

const storable = v.check(isStorable, 'must not contain U+0000 or half of a surrogate pair');

/** A string of `min` to `max` code points that every store can keep (D12). */
export function text(min: number, max: number) {
  return v.pipe(
    v.string(),
    v.check((value) => {
      // A code point is one or two UTF-16 units, so short texts need no count.
      const length =
        value.length < 2 * min || value.length > max ? codePointLength(value) : value.length;
      return length >= min && length <= max;
    }, `must have ${min} to ${max} characters`),
    storable,
    v.metadata({ minLength: min, maxLength: max }),
  );
}

/** A string of any length that every store can keep. */
export const anyTextSchema = v.pipe(v.string(), storable);

export const resourceIdSchema = text(1, 255);

export const moneySchema = v.pipe(
  v.string(),
  v.regex(moneyPattern, 'must be an exact decimal with two fractional digits, such as 45.00'),
);

export const timestampSchema = v.pipe(
  v.string(),
  v.regex(timestampPattern, 'must be a time such as 2026-11-20T09:30:00.000Z'),
  v.check((value) => parseTimestamp(value) !== undefined, 'is not a date of the calendar'),
  v.metadata({ format: 'date-time' }),
);

/** A non-negative integer that fits `int16`, for the counts of lists. */
export const countSchema = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.maxValue(32_767),
  v.metadata({ format: 'int16' }),
);

/** The `Idempotency-Key` header: 1 to 255 characters after trimming (D19). */
export const idempotencyKeySchema = v.pipe(
  v.string(),
  v.check((value) => {
    const key = value.trim();
    return key !== '' && !isLonger(key, 255);
  }, 'must have 1 to 255 characters'),
  storable,
  v.regex(/^(?=[\s\S]*\S)(?!\s*""\s*$)/, 'must not be empty between its quotes'),
  v.metadata({ minLength: 1, maxLength: 255 }),
);
