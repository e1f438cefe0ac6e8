import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyInstant } from '../../test/support.ts';
import {
  formatTimestamp,
  isAgedBy,
  isTimeZone,
  parseTime,
  parseTimestamp,
  timestampPattern,
} from './time.ts';

describe('a timestamp', () => {
  it('is unchanged after formatting and parsing', () => {
    fc.assert(
      fc.property(anyInstant, (at) => {
        const wire = formatTimestamp(at);
        expect(wire).toMatch(timestampPattern);
        expect(parseTimestamp(wire)).toBe(at);
      }),
    );
  });

  it('sorts as text in the order of time', () => {
    fc.assert(
      fc.property(anyInstant, anyInstant, (a, b) => {
        expect(formatTimestamp(a) < formatTimestamp(b)).toBe(a < b);
      }),
    );
  });

  it.each([
    ['no calendar has the day', '2026-02-31T09:00:00.000Z'],
    ['2026 has no leap day', '2026-02-29T09:00:00.000Z'],
    ['there is no month 13', '2026-13-01T09:00:00.000Z'],
    ['there is no day 0', '2026-01-00T09:00:00.000Z'],
    ['midnight is 00:00', '2026-01-01T24:00:00.000Z'],
    ['leap seconds are not kept', '2016-12-31T23:59:60.000Z'],
    ['it lacks milliseconds', '2026-01-01T09:00:00Z'],
    ['it has microseconds', '2026-01-01T09:00:00.000000Z'],
    ['it is not UTC', '2026-01-01T09:00:00.000+01:00'],
    ['it has no zone', '2026-01-01T09:00:00.000'],
    ['letters are upper case', '2026-01-01t09:00:00.000z'],
    ['its year has six digits', '+002026-01-01T09:00:00.000Z'],
    ['something follows', '2026-01-01T09:00:00.000Z\n'],
    ['it is empty', ''],
  ])('is invalid if %s (D3)', (_why, wire) => {
    expect(parseTimestamp(wire)).toBeUndefined();
  });

  it('may be a leap day in a leap year', () => {
    expect(parseTimestamp('2028-02-29T00:00:00.000Z')).toBe(Date.UTC(2028, 1, 29));
  });
});

describe('a time of a database', () => {
  const at = Date.UTC(2026, 11, 1, 9);
  it.each([
    ['2026-12-01T09:00:00.000Z', at],
    ['2026-12-01T09:00:00Z', at],
    ['2026-12-01T09:00:00.001999Z', at + 1],
    ['2026-12-01T10:00:00+01:00', at],
    [new Date(at), at],
    [new Date(Number.NaN), undefined],
    ['2026-12-01 09:00:00', undefined],
    ['2026-12-01T09:00:00', undefined],
    ['2026-02-31T09:00:00Z', undefined],
    ['2026-12-01T09:00:00+99:00', undefined],
    [at, undefined],
  ])('%j is %j', (written, expected) => {
    expect(parseTime(written)).toBe(expected);
  });
});

describe('a time zone', () => {
  it.each(['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC', 'Etc/GMT+2'])(
    'may be %s',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  it.each(['', 'Mars/Olympus', '+02:00', '-02:00', 'Europe/Berlin ', 'Europe/Berlin\0'])(
    'is not %j (D3)',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );

  it('is not an offset with the real minus sign, which formats too', () => {
    expect(isTimeZone('\u221202:00')).toBe(false);
  });
});

it('an age counts from its bound, and also if the beginning is as far ahead (D42)', () => {
  const now = 9000;
  for (const sign of [1, -1]) {
    const ages = [999, 1000, 1001].map((ms) => isAgedBy(1000, now - sign * ms, now));
    expect(ages).toEqual([false, true, true]);
  }
});
