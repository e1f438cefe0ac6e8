import type { BusinessDay, Span } from '../../domain/business-day.ts';
import { formatMoney } from '../../domain/money.ts';
import type { Payout } from '../../domain/settlement.ts';
import {
  barberName,
  type DifferenceReason,
  hasArrived,
  type PaidPart,
  payoutReason,
  reasonOf,
  type StatementDifference,
  type StatementLine,
  type StatementSums,
  stateOf,
  sumsOf,
} from '../../domain/statement.ts';
import { type EpochMs, formatTimestamp } from '../../domain/time.ts';
import {
  type BarberSumsView,
  type StatementPayoutView,
  type StatementView,
  viewDifference,
  viewLine,
  viewSums,
} from '../../schemas/statement.ts';
import type { DayRead } from './read-day.ts';

/** Computes the statement of a day from its records. */
export function closeDay(
  businessId: string,
  { day, timeZone }: BusinessDay,
  span: Span,
  read: DayRead,
  now: EpochMs,
): StatementView {
  const { traces, payouts, readUntil, sweptBefore } = read;
  const names = namesIn(read);
  // The barber of an entry whose payment was captured on another day.
  const lines = read.lines.map((line) => {
    const barberId = line.barberId ?? traces.get(line.paymentId)?.payment?.appointment.barber.id;
    return barberId === undefined ? line : { ...line, barberId };
  });
  const reasons = reasonsOf(lines, read);
  const payoutOf = ({ payoutId }: PaidPart) => payouts.get(payoutId);
  const isAtBank = (part: PaidPart) => {
    const payout = payoutOf(part);
    return payout !== undefined && hasArrived(payout, now);
  };
  const differing = [...reasons].map(([line, reason]): StatementDifference => {
    const { at: since, currency, oursMinor = 0n, theirsMinor = 0n } = line;
    return { reason, since, currency, oursMinor, theirsMinor, line };
  });
  const state = stateOf(span, now, readUntil ?? sweptBefore, [...reasons.values()]);
  // One payout may have replaced several.
  const distinct = new Map([...payouts.values()].map((payout) => [payout.id, payout]));
  const paying = [...distinct.values()].sort(byArrival);
  const paid = Map.groupBy(
    lines.flatMap((line) => line.paid),
    (part) => payoutOf(part)?.id,
  );
  return {
    businessId,
    day,
    timeZone,
    from: formatTimestamp(span.from),
    until: formatTimestamp(span.until),
    state,
    ...(readUntil !== undefined && { readUntil: formatTimestamp(readUntil) }),
    shop: sumsOf(lines, () => undefined, isAtBank).map(viewSums),
    barbers: sumsOf(lines, ({ barberId }) => barberId, isAtBank).map((sums) =>
      viewBarber(sums, names.get(sums.barberId ?? '')),
    ),
    payouts: paying.map((payout) => viewPaying(payout, paid.get(payout.id) ?? [])),
    differences: [...differing, ...paying.flatMap(payoutDifference)].map(viewDifference),
    lines: lines.map((line) => {
      // The line is at the bank once its last payout is.
      const last = line.paid
        .flatMap((part) => payoutOf(part) ?? [])
        .sort(byArrival)
        .at(-1);
      return viewLine(line, names.get(line.barberId ?? ''), last, reasons.get(line));
    }),
  };
}

/** Why a line differs from the processor's entries, once those were read. */
function reasonsOf(
  lines: readonly StatementLine[],
  { readUntil, traces }: DayRead,
): ReadonlyMap<StatementLine, DifferenceReason> {
  const reasons = new Map<StatementLine, DifferenceReason>();
  if (readUntil === undefined) return reasons;
  for (const line of lines) {
    const reason = reasonOf(line, readUntil, traces.get(line.paymentId));
    if (reason !== undefined) reasons.set(line, reason);
  }
  return reasons;
}

/** The barbers' names, as the payments of the day show them. */
function namesIn({ records, traces }: DayRead): ReadonlyMap<string, string> {
  const traced = [...traces.values()].flatMap(({ payment }) => payment ?? []);
  const barbers = [...traced, ...records.captures].map(({ appointment }) => appointment.barber);
  return new Map(barbers.map((barber) => [barber.id, barberName(barber)]));
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
  return a.arrivesAt - b.arrivesAt || (keys(a) < keys(b) ? -1 : 1);
}

function viewPaying(payout: Payout, parts: readonly PaidPart[]): StatementPayoutView {
  const { reference: id, state, currency, amountMinor, arrivesAt } = payout;
  const ofThisDay = parts.reduce((sum, part) => sum + part.netMinor, 0n);
  return {
    id,
    state,
    currency,
    amount: formatMoney(amountMinor),
    ofThisDay: formatMoney(ofThisDay),
    arrivesAt: formatTimestamp(arrivesAt),
  };
}

function payoutDifference(payout: Payout): readonly StatementDifference[] {
  const reason = payoutReason(payout);
  if (reason === undefined) return [];
  const { createdAt: since, currency, oursMinor, othersMinor, amountMinor } = payout;
  const theirsMinor = reason === 'payoutFailed' ? 0n : amountMinor;
  return [{ reason, since, currency, oursMinor: oursMinor + othersMinor, theirsMinor, payout }];
}
