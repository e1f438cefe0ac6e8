import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BusinessDay, daysFrom, hourMs, isDay, isTimeOfDay, spanOf } from './time.ts';

/** Zones with summer time, with odd offsets, and with days that were skipped. */
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Etc/GMT+12',
  'UTC',
];
const dayMs = 24 * hourMs;
const dayOf = (index: number) => new Date(index * dayMs).toISOString().slice(0, 10);
/** 1990 to 2037. */
const index = fc.integer({ min: 7305, max: 24_800 });
const zone = fc.constantFrom(...zones);

function span(day: BusinessDay) {
  const found = spanOf(day);
  if (found === undefined) throw new Error('the day has no span');
  return found;
}

/** The date that a calendar shows, by another format than the code's. */
function dateAt(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(at);
}

const hoursOf = (day: string, timeZone: string) => {
  const { from, until } = span({ day, timeZone });
  return (until - from) / hourMs;
};

describe('a day of a business', () => {
  it.each([
    ['2026-03-28', 'Europe/Berlin', 24],
    ['2026-03-29', 'Europe/Berlin', 23],
    ['2026-10-25', 'Europe/Berlin', 25],
    ['2026-11-01', 'America/New_York', 25],
    ['2026-10-04', 'Australia/Lord_Howe', 23.5],
    // Midnight itself was skipped.
    ['2017-10-15', 'America/Sao_Paulo', 23],
    // The whole day was skipped.
    ['2011-12-30', 'Pacific/Apia', 0],
  ])('%s in %s has %d hours', (day, timeZone, hours) => {
    expect(hoursOf(day, timeZone)).toBe(hours);
  });

  it('begins at its midnight', () => {
    const { from, until } = span({ day: '2026-11-24', timeZone: 'Europe/Berlin' });
    expect([from, until].map((at) => new Date(at).toISOString())).toEqual([
      '2026-11-23T23:00:00.000Z',
      '2026-11-24T23:00:00.000Z',
    ]);
  });

  it('begins when the calendar shows it, and not a millisecond earlier', () => {
    fc.assert(
      fc.property(index, zone, (number, timeZone) => {
        const day = dayOf(number);
        const { from } = span({ day, timeZone });
        expect(dateAt(from, timeZone) >= day).toBe(true);
        expect(dateAt(from - 1, timeZone) < day).toBe(true);
      }),
    );
  });

  it.each([
    ['2026-11-24', '04:00', '2026-11-24T03:00:00.000Z', 24],
    // 02:30 is skipped, and so the day begins at 03:00.
    ['2026-03-29', '02:30', '2026-03-29T01:00:00.000Z', 23.5],
    ['2026-03-28', '02:30', '2026-03-28T01:30:00.000Z', 23.5],
    ['2026-10-24', '04:00', '2026-10-24T02:00:00.000Z', 25],
  ])('%s from %s begins at %s and has %d hours', (day, dayStartsAt, begins, hours) => {
    const { from, until } = span({ day, timeZone: 'Europe/Berlin', dayStartsAt });
    expect(new Date(from).toISOString()).toBe(begins);
    expect((until - from) / hourMs).toBe(hours);
  });

  it.each(['4:00', '24:00', '04:60', '', 'noon'])('cannot begin at %j', (dayStartsAt) => {
    expect(spanOf({ day: '2026-11-24', timeZone: 'UTC', dayStartsAt })).toBeUndefined();
  });

  it('follows the day before without gap or overlap, also where the shop moves (D50)', () => {
    const start = fc.constantFrom(undefined, '00:00', '01:30', '02:30', '04:00', '23:59');
    const week = fc.array(fc.tuple(zone, start), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(index, week, (first, moves) => {
        let endedAt: number | undefined;
        for (const [number, [timeZone, dayStartsAt]] of moves.entries()) {
          const [movedFrom, dayStartedAt = number > 0 ? '00:00' : undefined] =
            moves[number - 1] ?? [];
          const day = dayOf(first + number);
          const found = spanOf({ day, timeZone, movedFrom, dayStartsAt, dayStartedAt });
          // A move over more than a day's difference is refused.
          fc.pre(found !== undefined);
          if (endedAt !== undefined) expect(found.from).toBe(endedAt);
          endedAt = found.until;
        }
      }),
    );
  });

  it.each(['', '2026-1-1', '2026-02-30', '2026-13-01', '1969-12-31', '3000-01-01', '2026-11-24Z'])(
    'is not %j',
    (day) => {
      expect(isDay(day)).toBe(false);
      expect(spanOf({ day, timeZone: 'UTC' })).toBeUndefined();
      expect(daysFrom(day, '2026-02-01', 9)).toBeUndefined();
      expect(daysFrom('2026-02-01', day, 9)).toBeUndefined();
    },
  );

  it('begins at no list, whose text would be a time', () => {
    // cast: hosts without types may pass it
    expect(isTimeOfDay(['04:00'] as unknown as string)).toBe(false);
  });

  it('has no span after a move by more than a day', () => {
    const timeZone = 'Pacific/Kiritimati';
    const day = '2026-11-24';
    expect(spanOf({ day, timeZone, movedFrom: 'Etc/GMT+12' })).toBeUndefined();
  });
});
