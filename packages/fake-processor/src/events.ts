import {
  err,
  formatTimestamp,
  moneyPattern,
  ok,
  parseMoney,
  parseTimestamp,
  Result,
} from '@chairside/core';
import { disputeStates, type ProcessorEvent, type SeenDispute } from '@chairside/core/ports';
import { type Entry, eventKinds, type HistoryLine } from './entry.ts';
import type { Rejection } from './errors.ts';
import { derive } from './ids.ts';

/**
 * The event of a line in a payment's history: always the same text with the same id. It names the
 * payment and holds only data that logs may hold.
 */
export function eventText(entry: Entry, index: number): string | undefined {
  const line = entry.history[index];
  if (line === undefined) return undefined;
  const { paymentId, installation, account, id: reference } = entry;
  return JSON.stringify({
    id: `fev_${derive(entry.id, 'event', index)}`,
    type: `payment.${line.what}`,
    occurredAt: formatTimestamp(line.at),
    paymentId,
    installation,
    account,
    reference,
    amount: line.amount,
    subject: line.subject,
    ...disputeMembers(line),
  });
}

function disputeMembers({ dispute, at }: HistoryLine) {
  if (dispute === undefined) return {};
  const { state, reason, respondBy, currency, isInquiry, bookings } = dispute;
  return {
    dispute: {
      state,
      reason,
      respondBy: formatTimestamp(respondBy),
      currency,
      isRefundable: isInquiry,
      bookings: bookings.map((one) => ({ ...one, at: formatTimestamp(one.at) })),
      at: formatTimestamp(at),
    },
  };
}

/** Parses an event's text, which may come from anyone. */
export function readEvent(text: string): Result<ProcessorEvent, Rejection> {
  return Result.fromThrowable(
    () => new Map<string, unknown>(Object.entries(JSON.parse(text))),
    (): Rejection => 'malformedEvent',
  )().andThen((members) => {
    const read = (from: ReadonlyMap<string, unknown>) => (name: string) => {
      const value = from.get(name);
      return typeof value === 'string' && value !== '' ? value : undefined;
    };
    const dispute = new Map<string, unknown>(Object.entries(members.get('dispute') ?? {}));
    const event = toEvent(read(members), toDispute(read(dispute), dispute));
    return event === undefined ? err('malformedEvent') : ok(event);
  });
}

type Members = (name: string) => string | undefined;

/** The dispute in a message; `undefined` if it is implausible. */
function toDispute(
  member: Members,
  members: ReadonlyMap<string, unknown>,
): SeenDispute | undefined {
  const state = disputeStates.find((one) => one === member('state'));
  const [at, respondBy] = [member('at'), member('respondBy')].map((text) =>
    parseTimestamp(text ?? ''),
  );
  const bookings = readBookings(members.get('bookings'));
  if (state === undefined || at === undefined || bookings === undefined) return undefined;
  const isRefundable = members.get('isRefundable');
  const [currency, reason] = [member('currency'), member('reason')];
  return {
    state,
    at,
    bookings,
    ...(typeof isRefundable === 'boolean' && { isRefundable }),
    ...(currency !== undefined && { currency }),
    ...(reason !== undefined && { reason }),
    ...(respondBy !== undefined && { respondBy }),
  };
}

/** All bookings, or none if one of them is implausible. */
function readBookings(told: unknown): SeenDispute['bookings'] | undefined {
  if (!Array.isArray(told)) return undefined;
  const bookings = told.flatMap((one: unknown) => {
    const [amount, at] = ['amount', 'at'].map((name) => `${Reflect.get(Object(one), name)}`);
    const bookedAt = parseTimestamp(at ?? '');
    const amountMinor = moneyPattern.test(amount ?? '') ? parseMoney(amount ?? '') : undefined;
    if (amountMinor === undefined || amountMinor.isErr() || bookedAt === undefined) return [];
    return [{ amountMinor: amountMinor.value, at: bookedAt }];
  });
  return bookings.length === told.length ? bookings : undefined;
}

function toEvent(member: Members, dispute: SeenDispute | undefined): ProcessorEvent | undefined {
  const [id, type] = [member('id'), member('type')];
  if (id === undefined || type === undefined) return undefined;
  const kind = kindsByType.get(type);
  if (kind === undefined) return { id, kind: 'ignored' };
  const [paymentId, installation] = [member('paymentId'), member('installation')];
  const [account, reference] = [member('account'), member('reference')];
  if (paymentId === undefined || installation === undefined || account === undefined) {
    return undefined;
  }
  const about = { id, paymentId, installation, account };
  if (kind === 'payment') return { ...about, kind };
  const [amountMinor, subject] = [readAmount(member('amount')), member('subject')];
  if (reference === undefined || amountMinor === undefined || subject === undefined) {
    return undefined;
  }
  const told = { ...about, kind, subject, reference, amountMinor };
  return kind === 'dispute' && dispute !== undefined ? { ...told, dispute } : told;
}

const kindsByType = new Map(
  Object.entries(eventKinds).map(([what, kind]) => [`payment.${what}`, kind]),
);

/** Refunds and disputes need an amount above zero. */
function readAmount(text = ''): bigint | undefined {
  if (!moneyPattern.test(text)) return undefined;
  const amountMinor = parseMoney(text).unwrapOr(0n);
  return amountMinor > 0n ? amountMinor : undefined;
}
