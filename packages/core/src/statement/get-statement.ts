import * as v from 'valibot';
import { find, managesShop, managesShops, onlyFor, requireOwn } from '../frame/access.ts';
import { hostOperation, parseInput, toLimit } from '../frame/operation.ts';
import { type Business, barberName } from '../host/host.ts';
import type { AuthContext, Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import { type FaultOf, fault, fieldFault } from '../problems/problem.ts';
import { formatMoneyIn } from '../values/money.ts';
import { err, ok, type Result, type Steps } from '../values/result.ts';
import { byText } from '../values/text.ts';
import {
  daysFrom,
  type EpochMs,
  formatTimestamp,
  isDay,
  isTimeOfDay,
  isTimeZone,
  parseTimestamp,
  spanOf,
} from '../values/time.ts';
import {
  type DayOfRead,
  type DaysRead,
  ownAccounts,
  readDays,
  readEach,
  wholeOf,
} from './read-day.ts';
import type { Payout, PayoutOfDay } from './settlement.ts';
import {
  agrees,
  byTime,
  type DifferenceReason,
  hasArrived,
  payoutReason,
  reasonOf,
  type StatementDifference,
  type StatementItem,
  type StatementSums,
  settledMinor,
  stateOf,
  sumsOf,
} from './statement.ts';
import {
  type BarberSumsView,
  type PayoutView,
  type StatementLineView,
  type StatementPayoutView,
  type StatementView,
  viewDifference,
  viewLine,
  viewPayout,
  viewProgress,
  viewShareLine,
  viewSums,
  viewTenderLine,
} from './wire.ts';

interface GetStatementInput {
  readonly businessId: string;
  /** `YYYY-MM-DD`, on the calendar of `timeZone`. */
  readonly day: string;
  /** The IANA zone of the shop on that day. */
  readonly timeZone: string;
  /**
   * The zone of the day before, on the day after a move of the shop. The day then begins where the day
   * before ended, so that no payment is on two days or on none.
   */
  readonly movedFrom?: string | undefined;
  /** The last of several days, at most 31: the statement is then the sum of the days. */
  readonly lastDay?: string | undefined;
  /** When the shop's day begins, such as `04:00`: a late shift is of the day before. Default: midnight. */
  readonly dayStartsAt?: string | undefined;
  /**
   * The `dayStartsAt` of the day before, on the day of a change. The day then begins where the day before
   * ended.
   */
  readonly dayStartedAt?: string | undefined;
}

interface FindStatementLinesInput extends GetStatementInput {
  /** The last four digits of the card: text, because they may begin with a zero. */
  readonly cardLastFour: string;
  /** Such as `45.00`. Without it, all amounts are found. */
  readonly amount?: string | undefined;
}

interface ListPayoutsInput {
  readonly businessId: string;
  /** RFC 3339, UTC. Payouts that arrive from this time on, in order of arrival. */
  readonly from: string;
  /** Payouts that arrive before this time. */
  readonly until: string;
  /** The maximum number of payouts, up to 1,000. Default: 100. */
  readonly limit?: number | undefined;
}

const timeZone = v.pipe(v.string(), v.check(isTimeZone, 'must be an IANA time zone'));
const day = v.pipe(v.string(), v.check(isDay, 'must be a day, such as 2026-11-24'));
const timeOfDay = v.pipe(v.string(), v.check(isTimeOfDay, 'must be a time, such as 04:00'));
const dayEntries = {
  businessId: v.string(),
  day,
  lastDay: v.optional(day),
  timeZone,
  movedFrom: v.optional(timeZone),
  dayStartsAt: v.optional(timeOfDay),
  dayStartedAt: v.optional(timeOfDay),
};
// Closed: a misspelled option would move amounts to other days in silence.
const daySchema = v.strictObject(dayEntries);
const findSchema = v.strictObject({
  ...dayEntries,
  cardLastFour: v.pipe(v.string(), v.regex(/^\d{4}$/, 'must be four digits')),
  amount: v.optional(
    v.pipe(v.string(), v.regex(/^-?\d{1,15}(?:\.\d{2,4})?$/, 'must be an amount, such as 45.00')),
  ),
});

/** The days of one statement. */
const maxDays = 31;

const time = v.pipe(v.string(), v.transform(parseTimestamp), v.number('must be a time in UTC'));
const payoutsSchema = v.strictObject({
  businessId: v.string(),
  from: time,
  until: time,
  // Any number is a limit (`toLimit`).
  limit: v.optional(v.unknown()),
});

export const statements = {
  /**
   * Returns the statement of a day: for the shop and each barber what was captured, refunded and disputed,
   * with fees; the processor's entries and payouts; and each entry that differs, with the reason. It is
   * computed from records, and is the same each time once its `state` is `closed`. For the business or an
   * administrator. `statementToCsv` makes a table of it.
   *
   * @example
   * const statement = await chairside.getStatement(manager, {
   *   businessId: 'marlow',
   *   day: '2026-11-24',
   *   timeZone: 'Europe/Berlin',
   * });
   * if (statement.isOk()) console.log(statement.value.shop, statement.value.differences);
   */
  getStatement: hostOperation<GetStatementInput, StatementView>()({
    problems: ['badRequest', 'forbidden', 'notFound', 'unprocessableEntity'],
    async *run({ ports, auth }, input) {
      return yield* makeStatement(ports, auth, yield* parseInput(daySchema, { ...input }));
    },
  }),

  /**
   * Finds the lines of a card on some days, by its last four digits: what a customer means by "45.00 on my
   * card 4242". Refunds and disputes of the card are among them. For the business or an administrator.
   *
   * @example
   * const found = await chairside.findStatementLines(manager, {
   *   businessId: 'marlow',
   *   day: '2026-11-01',
   *   lastDay: '2026-11-30',
   *   timeZone: 'Europe/Berlin',
   *   cardLastFour: '4242',
   *   amount: '45.00',
   * });
   * if (found.isOk()) console.log(found.value.map(({ contactlessPaymentId }) => contactlessPaymentId));
   */
  findStatementLines: hostOperation<FindStatementLinesInput, readonly StatementLineView[]>()({
    problems: ['badRequest', 'forbidden', 'notFound', 'unprocessableEntity'],
    async *run({ ports, auth }, input) {
      const { cardLastFour, amount, ...days } = yield* parseInput(findSchema, { ...input });
      const { lines } = yield* makeStatement(ports, auth, days);
      return lines.filter(
        (line) =>
          line.cardLastFour === cardLastFour && (amount === undefined || line.amount === amount),
      );
    },
  }),

  /**
   * Lists the payouts of a business's accounts, those of before too, by the time of their arrival at the
   * bank. It never asks the processor: upkeep records them. For the business or an administrator.
   *
   * @example
   * const listed = await chairside.listPayouts(manager, {
   *   businessId: 'marlow',
   *   from: '2026-11-23T00:00:00.000Z',
   *   until: '2026-11-30T00:00:00.000Z',
   * });
   * if (listed.isOk()) console.log(listed.value.map(({ amount, arrivesAt }) => [amount, arrivesAt]));
   */
  listPayouts: hostOperation<ListPayoutsInput, readonly PayoutView[]>()({
    problems: ['badRequest', 'forbidden', 'notFound'],
    async *run({ ports, auth }, input) {
      const { businessId, from, until } = yield* parseInput(payoutsSchema, { ...input });
      const business = yield* findManagedBusiness(ports, auth, businessId);
      const limit = toLimit(input.limit);
      const all: Payout[] = [];
      for (const account of ownAccounts(business)) {
        all.push(...(yield* await ports.store.payouts.list(account, { from, until }, limit)));
      }
      const found = all.sort(byArrival).slice(0, limit);
      return yield* readEach(found, (payout) =>
        ports.store.settlements
          .sumOfPayout(payout.id, businessId)
          .map((sums) => viewPayout(payout, sums)),
      );
    },
  }),
};

/** The role comes before the record, so that a caller cannot tell which businesses exist. */
async function* findManagedBusiness(
  ports: Ports,
  auth: AuthContext,
  id: string,
): Steps<Business, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable> {
  if (!managesShops(auth)) return yield* err(onlyFor('the business or an administrator'));
  const business = yield* await find('business', id, ports.store.businesses);
  yield* requireOwn(managesShop(auth, business.id), 'business');
  return business;
}

type AskedDays = v.InferOutput<typeof daySchema>;

async function* makeStatement(
  ports: Ports,
  auth: AuthContext,
  { businessId, ...asked }: AskedDays,
): Steps<
  StatementView,
  FaultOf<'badRequest' | 'forbidden' | 'notFound' | 'unprocessableEntity'> | StoreUnavailable
> {
  const days = yield* daysOf(asked);
  const business = yield* findManagedBusiness(ports, auth, businessId);
  const read = yield* readDays(ports, business, days);
  if (read === undefined) {
    const detail = 'The days have too many payments for one statement.';
    return yield* err(fault('unprocessableEntity', detail));
  }
  return closeDays(businessId, asked, days, read, ports.clock.now());
}

/** The days with their spans. A change of zone or start is before the first of them. */
function daysOf({
  day: first,
  lastDay = first,
  movedFrom,
  dayStartedAt,
  ...always
}: Omit<AskedDays, 'businessId'>): Result<readonly DayOfRead[], FaultOf<'badRequest'>> {
  const days: DayOfRead[] = [];
  for (const day of daysFrom(first, lastDay, maxDays) ?? []) {
    const change = day === first ? { movedFrom, dayStartedAt } : {};
    const span = spanOf({ day, ...always, ...change });
    if (span === undefined) {
      return err(fieldFault('/movedFrom', 'The day ends before it begins: check `movedFrom`.'));
    }
    days.push({ day, span });
  }
  if (days.length > 0) return ok(days);
  const detail = `It must be the first day or one of the ${maxDays - 1} after it.`;
  return err(fieldFault('/lastDay', detail));
}

/** Computes the statement of days from their records. */
function closeDays(
  businessId: string,
  { day, lastDay, timeZone }: Pick<AskedDays, 'day' | 'lastDay' | 'timeZone'>,
  days: readonly DayOfRead[],
  read: DaysRead,
  now: EpochMs,
): StatementView {
  const { payments, payouts, readUntil, sweptBefore, waitsFor } = read;
  const span = wholeOf(days);
  const names = namesIn(read);
  // The barber of an entry whose payment was captured on another day.
  const dated = read.items.map(([on, item]) => {
    const barberId = item.barberId ?? payments.get(item.paymentId)?.appointment.barber.id;
    return [on, { ...item, barberId }] as const;
  });
  const items = dated.map(([, item]) => item);
  const tenders = read.tenders.map(([, tender]) => tender);
  const shares = read.shares.map(([, entry]) => entry);
  const reasons = reasonsOf(items, read);
  const isAtBank = (payoutId: string) => {
    const found = payouts.get(payoutId);
    return found !== undefined && hasArrived(found.paying, now);
  };
  const differing = [...reasons].map(([item, reason]): StatementDifference => {
    const { at: since, currency, oursMinor: ours = 0n, theirsMinor: theirs = 0n } = item;
    // Where the amounts agree, the fees are what differs.
    const [oursMinor, theirsMinor] =
      ours === theirs ? [item.askedFeeMinor, item.applicationFeeMinor] : [ours, theirs];
    return { reason, since, currency, oursMinor, theirsMinor, item };
  });
  const lines = dated
    .flatMap(([on, item]) => item.lines.map((line) => ({ on, item, line })))
    .sort((a, b) => byTime(a.line, b.line));
  const paying = payingOf(payouts);
  return {
    businessId,
    day,
    ...(lastDay !== undefined && { lastDay }),
    timeZone,
    from: formatTimestamp(span.from),
    until: formatTimestamp(span.until),
    state: stateOf(span, now, readUntil ?? sweptBefore, [...reasons.values()]),
    ...(readUntil !== undefined && { readUntil: formatTimestamp(readUntil) }),
    ...(now >= span.until && waitsFor.length > 0 && { waitsFor: waitsFor.map(viewProgress) }),
    shop: sumsOf(items, () => undefined, isAtBank, tenders, shares).map(viewSums),
    barbers: sumsOf(items, ({ barberId }) => barberId, isAtBank, tenders, shares).map((sums) =>
      viewBarber(sums, names.get(sums.barberId ?? '')),
    ),
    payouts: paying.map(({ payout, pays }) => {
      const paid = lines.filter(({ line: { payoutId = '' } }) => pays.has(payoutId));
      return viewPaying(
        payout,
        [...pays.values()].filter((id) => id !== payout.reference),
        paid.reduce((sum, { line }) => sum + settledMinor(line), 0n),
      );
    }),
    differences: [...differing, ...paying.flatMap(({ payout }) => payoutDifference(payout))].map(
      viewDifference,
    ),
    lines: lines.map(({ on, item, line }) =>
      viewLine(line, payments.get(line.paymentId), {
        day: on,
        barberId: item.barberId,
        barber: names.get(item.barberId ?? ''),
        paid: payouts.get(line.payoutId ?? ''),
        difference: agrees(line) ? undefined : reasons.get(item),
      }),
    ),
    ...(tenders.length > 0 && {
      tenders: read.tenders.map(([on, tender]) => viewTenderLine(on, tender)),
    }),
    ...(shares.length > 0 && {
      shares: read.shares.map(([on, entry]) => viewShareLine(on, entry, names.get(entry.barberId))),
    }),
  };
}

/** Why an item differs from the processor's entries, once those were read. */
function reasonsOf(
  items: readonly StatementItem[],
  { readUntil, traces }: DaysRead,
): ReadonlyMap<StatementItem, DifferenceReason> {
  const reasons = new Map<StatementItem, DifferenceReason>();
  if (readUntil === undefined) return reasons;
  for (const item of items) {
    const reason = reasonOf(item, readUntil, traces.get(item.paymentId));
    if (reason !== undefined) reasons.set(item, reason);
  }
  return reasons;
}

/** A payout that pays entries of the day, with those whose entries it pays: itself, or one that failed. */
interface PayingPayout {
  readonly payout: Payout;
  /** The processor's ids, by ours. */
  readonly pays: ReadonlyMap<string, string>;
}

/** The payouts that pay the day's entries now, in order of arrival. One may have replaced several. */
function payingOf(payouts: ReadonlyMap<string, PayoutOfDay>): readonly PayingPayout[] {
  const byPaying = Map.groupBy(payouts.values(), ({ paying }) => paying.id);
  const found = [...byPaying.values()].flatMap((same) => {
    const pays = new Map(same.map(({ payout }) => [payout.id, payout.reference]));
    return same.slice(0, 1).map(({ paying: payout }) => ({ payout, pays }));
  });
  return found.sort((a, b) => byArrival(a.payout, b.payout));
}

/** The barbers' names, as the latest payments show them. */
function namesIn({ payments, tenders, shares }: DaysRead): ReadonlyMap<string, string> {
  const ordered = [...payments.values()].sort((a, b) => (a.capturedAt ?? 0) - (b.capturedAt ?? 0));
  const barbers = ordered.map(({ appointment }) => appointment.barber);
  return new Map([
    ...shares.flatMap(([, { barberId, barberName: name }]) =>
      name === undefined ? [] : [[barberId, name] as const],
    ),
    ...tenders.map(([, one]) => [one.barberId, one.barberName] as const),
    ...barbers.map((barber) => [barber.id, barberName(barber)] as const),
  ]);
}

function viewBarber(sums: StatementSums, barber: string | undefined): BarberSumsView {
  const { barberId } = sums;
  return {
    ...(barberId !== undefined && { barberId }),
    ...(barber !== undefined && { barber }),
    ...viewSums(sums),
  };
}

function byArrival(a: Payout, b: Payout): number {
  const keys = ({ currency, reference }: Payout) => `${currency} ${reference}`;
  return a.arrivesAt - b.arrivesAt || byText(keys(a), keys(b));
}

function viewPaying(
  payout: Payout,
  paysAgain: readonly string[],
  ofThisDay: bigint,
): StatementPayoutView {
  const { reference: id, state, currency, amountMinor, arrivesAt } = payout;
  return {
    id,
    state,
    currency,
    amount: formatMoneyIn(amountMinor, currency),
    ofThisDay: formatMoneyIn(ofThisDay, currency),
    arrivesAt: formatTimestamp(arrivesAt),
    ...(paysAgain.length > 0 && { paysAgain: paysAgain.toSorted() }),
  };
}

function payoutDifference(payout: Payout): readonly StatementDifference[] {
  const reason = payoutReason(payout);
  if (reason === undefined) return [];
  const { createdAt: since, currency, oursMinor, othersMinor, amountMinor } = payout;
  const theirsMinor = reason === 'payoutFailed' ? 0n : amountMinor;
  return [{ reason, since, currency, oursMinor: oursMinor + othersMinor, theirsMinor, payout }];
}
