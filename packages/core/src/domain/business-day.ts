import { dayMs, type EpochMs, hourMs } from './time.ts';

/** A day of a business, on the calendar of its time zone (D50). */
export interface BusinessDay {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** IANA. */
  readonly timeZone: string;
  /** The zone of the day before, if the shop has moved since: this day begins where that day ended. */
  readonly movedFrom?: string | undefined;
}

/** The time from `from` (included) to `until` (excluded). */
export interface Span {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** No zone is further from UTC. */
const maxOffsetMs = 16 * hourMs;
const dayPattern = /^(?:19[7-9]\d|2\d{3})-\d{2}-\d{2}$/;

/** The UTC midnight with this date; `undefined` for another form or an impossible day. */
function midnightOf(day: string): EpochMs | undefined {
  if (!dayPattern.test(day)) return undefined;
  const at = Date.parse(`${day}T00:00:00.000Z`);
  return Number.isNaN(at) || dateOf(at) !== day ? undefined : at;
}

function dateOf(at: EpochMs): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Whether this text is a day from 1970 to 2999. */
export function isDay(day: string): boolean {
  return midnightOf(day) !== undefined;
}

/**
 * The span of a day: 23 or 25 hours where the clocks change. Days of one zone follow each other without
 * gap or overlap, and so they do over a move. `undefined` for an invalid day, and for a move in which
 * the new zone's day ends before it begins.
 */
export function spanOf({ day, timeZone, movedFrom = timeZone }: BusinessDay): Span | undefined {
  const midnight = midnightOf(day);
  if (midnight === undefined) return undefined;
  const from = startOf(midnight, movedFrom);
  const until = startOf(midnight + dayMs, timeZone);
  return until < from ? undefined : { from, until };
}

/** The first moment when the zone's calendar shows the day of this UTC midnight, or a later day. */
function startOf(midnight: EpochMs, timeZone: string): EpochMs {
  const calendar = calendarOf(timeZone);
  let before = midnight - maxOffsetMs;
  let after = midnight + maxOffsetMs;
  while (after - before > 1) {
    const middle = before + Math.floor((after - before) / 2);
    if (calendar(middle) >= midnight) after = middle;
    else before = middle;
  }
  return after;
}

/** The UTC midnight of the date that the zone's calendar shows. */
function calendarOf(timeZone: string): (at: EpochMs) => EpochMs {
  const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0 } = Object.fromEntries(parts);
    return Date.UTC(year, month - 1, day);
  };
}
