/** Milliseconds since 1970-01-01T00:00:00Z. Every instant in the core is one of these. */
export type EpochMs = number;

/** A second in milliseconds. */
export const secondMs = 1000;
/** A minute in milliseconds. */
export const minuteMs = 60 * secondMs;
/** An hour in milliseconds. */
export const hourMs = 60 * minuteMs;
/** A day in milliseconds. */
export const dayMs = 24 * hourMs;

/** The wire form: `YYYY-MM-DDThh:mm:ss.sssZ`, UTC. */
export const timestampPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The years that four digits can write. A call of `Date.parse` would stay in every bundle. */
const firstMs = -62_167_219_200_000;
const lastMs = 253_402_300_799_999;

/** The day that was formatted last, because most times in a response are on one day. */
let lastDay = { startsAt: Number.NaN, text: '' };

/**
 * The wire form of a time. Fractions of a millisecond are cut off. A value that is no time between the
 * years 0 and 9999 is `Invalid Date`.
 */
export function formatTimestamp(at: EpochMs): string {
  if (typeof at !== 'number' || !(at >= firstMs && at <= lastMs)) return 'Invalid Date';
  // Faster than `toISOString`, which uses C's printf: with five times in a payment, it took 4 % of
  // a read.
  const whole = Math.trunc(at);
  const startsAt = Math.floor(whole / dayMs) * dayMs;
  // Stryker disable next-line ConditionalExpression: only the speed differs.
  if (startsAt !== lastDay.startsAt) lastDay = { startsAt, text: formatDay(startsAt) };
  const ms = whole - startsAt;
  const hours = digits(2, Math.floor(ms / hourMs));
  const minutes = digits(2, Math.floor(ms / minuteMs) % 60);
  const seconds = digits(2, Math.floor(ms / secondMs) % 60);
  return `${lastDay.text}T${hours}:${minutes}:${seconds}.${digits(3, ms % secondMs)}Z`;
}

function formatDay(at: EpochMs): string {
  const day = new Date(at);
  const year = digits(4, day.getUTCFullYear());
  return `${year}-${digits(2, day.getUTCMonth() + 1)}-${digits(2, day.getUTCDate())}`;
}

function digits(count: number, value: number): string {
  return `${value}`.padStart(count, '0');
}

/** Parses a wire timestamp; `undefined` for another form or an impossible day. */
export function parseTimestamp(wire: string): EpochMs | undefined {
  if (typeof wire !== 'string' || !timestampPattern.test(wire)) return undefined;
  const at = Date.parse(wire);
  // `Date` turns 31 February into March; only a real date formats back to the same text.
  return formatTimestamp(at) === wire ? at : undefined;
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;

/** The time that a database wrote, with another precision or offset than on the wire; `undefined` if it is none. */
export function parseTime(written: unknown): EpochMs | undefined {
  if (written instanceof Date) return parseTime(formatTimestamp(written.getTime()));
  if (typeof written !== 'string' || !rfc3339.test(written)) return undefined;
  const isOfCalendar = parseTimestamp(`${written.slice(0, 19)}.000Z`) !== undefined;
  const at = Date.parse(written);
  return isOfCalendar && !Number.isNaN(at) ? at : undefined;
}

/** The zones that were found, because asking the runtime takes as long as a read of a store. */
const foundZones = new Set<string>();
/** More than the IANA list has. A sender may write one in many ways, such as `europe/BERLIN`. */
const maxFoundZones = 1000;

/** Whether the runtime knows this IANA time zone. */
export function isTimeZone(name: string): boolean {
  // Stryker disable next-line ConditionalExpression: only the speed differs.
  if (foundZones.has(name)) return true;
  // An offset such as `+02:00` formats too, but is not a zone of the IANA list.
  if (typeof name !== 'string' || /^[+\-\u2212]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    // Stryker disable next-line ConditionalExpression,EqualityOperator: only the speed differs.
    if (foundZones.size < maxFoundZones) foundZones.add(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the age since `begunAt` is at least `ms`. A wrong clock may have written a time far in the
 * future: the age is then unknown and counts as old.
 */
export function isAgedBy(ms: number, begunAt: EpochMs, now: EpochMs): boolean {
  return Math.abs(now - begunAt) >= ms;
}

/** A day of a business, on the calendar of its time zone. */
export interface BusinessDay {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** IANA. */
  readonly timeZone: string;
  /** The zone of the day before, if the shop has moved since: this day begins where that day ended. */
  readonly movedFrom?: string | undefined;
  /** The time at which the shop's day begins, such as `04:00`: a late shift counts on the day before. Default: midnight. */
  readonly dayStartsAt?: string | undefined;
  /** Where the day before began at another time: this day begins where that day ended. */
  readonly dayStartedAt?: string | undefined;
}

/** The time from `from` (included) to `until` (excluded). */
export interface Span {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** No zone is further from UTC. */
const maxOffsetMs = 16 * hourMs;
const timeOfDayPattern = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const dayPattern = /^(?:19[7-9]\d|2\d{3})-\d{2}-\d{2}$/;

/** The UTC midnight with this date; `undefined` for another form or an impossible day. */
function midnightOf(day: string): EpochMs | undefined {
  if (typeof day !== 'string' || !dayPattern.test(day)) return undefined;
  return parseTimestamp(`${day}T00:00:00.000Z`);
}

function dateOf(at: EpochMs): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Whether this text is a day from 1970 to 2999. */
export function isDay(day: string): boolean {
  return midnightOf(day) !== undefined;
}

/** Whether this text is a time of a day, such as `04:00`. */
export function isTimeOfDay(time: string): boolean {
  return typeof time === 'string' && timeOfDayPattern.test(time);
}

/** The days from the first to the last one; undefined if they are none, or more than this. */
export function daysFrom(first: string, last: string, most: number): readonly string[] | undefined {
  const from = midnightOf(first);
  const until = midnightOf(last);
  if (from === undefined || until === undefined) return undefined;
  const count = (until - from) / dayMs + 1;
  if (count < 1 || count > most) return undefined;
  return Array.from({ length: count }, (_, index) => dateOf(from + index * dayMs));
}

/**
 * The span of a day: 23 or 25 hours where the clocks change. Days of one zone follow each other without
 * gap or overlap, and so they do over a move. `undefined` for an invalid day or zone, and for a move in which
 * the new zone's day ends before it begins.
 */
export function spanOf(of: BusinessDay): Span | undefined {
  // Hosts without types may pass any value.
  const { day, timeZone, movedFrom = timeZone, dayStartsAt = '00:00' } = of ?? {};
  const { dayStartedAt = dayStartsAt } = of ?? {};
  const midnight = midnightOf(day);
  if (midnight === undefined || !isTimeZone(timeZone) || !isTimeZone(movedFrom)) return undefined;
  if (!isTimeOfDay(dayStartsAt) || !isTimeOfDay(dayStartedAt)) return undefined;
  const from = startOf(midnight + msOf(dayStartedAt), movedFrom);
  const until = startOf(midnight + dayMs + msOf(dayStartsAt), timeZone);
  return until < from ? undefined : { from, until };
}

function msOf(timeOfDay: string): number {
  return Number(timeOfDay.slice(0, 2)) * hourMs + Number(timeOfDay.slice(3)) * minuteMs;
}

/**
 * When the zone's clocks come to show this date and time, which is written as UTC; where they skip it, the
 * moment of the change. Where they show it twice, it is one of both, always the same.
 */
function startOf(local: EpochMs, timeZone: string): EpochMs {
  const clock = wallClockOf(timeZone);
  let before = local - maxOffsetMs;
  let after = local + maxOffsetMs;
  while (after - before > 1) {
    const middle = before + Math.floor((after - before) / 2);
    if (clock(middle) >= local) after = middle;
    else before = middle;
  }
  return after;
}

/** Writes times as the zone's clocks show them, such as `2026-10-31 00:20:00`. */
export function localTimes(timeZone: string): (at: EpochMs) => string {
  const clock = wallClockOf(isTimeZone(timeZone) ? timeZone : 'UTC');
  return (at) => formatTimestamp(clock(at)).slice(0, 19).replace('T', ' ');
}

/** The date and time that the zone's clocks show, as the same date and time in UTC. */
function wallClockOf(timeZone: string): (at: EpochMs) => EpochMs {
  const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn-hc-h23', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour, minute, second } = Object.fromEntries(parts);
    return Date.UTC(year, month - 1, day, hour ?? 0, minute ?? 0, second ?? 0);
  };
}

/**
 * The only source of time, in every package. A test's clock moves only when the test sets it.
 */
export interface Clock {
  /** Whole milliseconds since 1970, as `Date.now()` returns them. */
  now(): EpochMs;
}

/** The clock of the node. */
export const systemClock: Clock = { now: () => Date.now() };
