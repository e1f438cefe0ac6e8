import {
  err,
  formatTimestamp,
  moneyPattern,
  ok,
  type ProcessorEvent,
  parseMoney,
  Result,
} from '@chairside/core';
import type { Entry, HistoryLine } from './entry.ts';
import { rejections } from './errors.ts';
import { derive } from './ids.ts';

/** What each line of a history is to the port. */
const kinds: Readonly<Record<HistoryLine['what'], 'payment' | 'refund' | 'dispute'>> = {
  opened: 'payment',
  processing: 'payment',
  authorized: 'payment',
  declined: 'payment',
  captured: 'payment',
  canceled: 'payment',
  canceledAtTerminal: 'payment',
  expired: 'payment',
  refunded: 'refund',
  disputed: 'dispute',
};

/**
 * The event that a line of a payment's history is: the same text, with the same id, whenever it is
 * asked for. It names the payment and says no more of it than any log may hold.
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
    // The processor gives each refund and dispute a separate id.
    ...(line.amount !== undefined && { subject: `fre_${derive(entry.id, line.what, index)}` }),
  });
}

/** Reads an event's text, which may be anyone's. */
export function readEvent(text: string): Result<ProcessorEvent, string> {
  return Result.fromThrowable(
    () => new Map<string, unknown>(Object.entries(JSON.parse(text))),
    () => rejections.malformedEvent,
  )().andThen((members) => {
    const event = toEvent((name) => {
      const value = members.get(name);
      return typeof value === 'string' && value !== '' ? value : undefined;
    });
    return event === undefined ? err(rejections.malformedEvent) : ok(event);
  });
}

function toEvent(member: (name: string) => string | undefined): ProcessorEvent | undefined {
  const [id, type] = [member('id'), member('type')];
  if (id === undefined || type === undefined) return undefined;
  const kind = kindOf(type);
  if (kind === undefined) return { id, kind: 'ignored' };
  const [paymentId, installation] = [member('paymentId'), member('installation')];
  const [account, reference] = [member('account'), member('reference')];
  if (paymentId === undefined || installation === undefined || account === undefined) {
    return undefined;
  }
  const about = { id, paymentId, installation, account };
  if (kind === 'payment') return { ...about, kind };
  const amountMinor = readAmount(member('amount'));
  if (reference === undefined || amountMinor === undefined) return undefined;
  // Messages from before a refund had an id name it by their own.
  return { ...about, kind, subject: member('subject') ?? id, reference, amountMinor };
}

function kindOf(type: string) {
  const byType = new Map(Object.entries(kinds).map(([what, kind]) => [`payment.${what}`, kind]));
  return byType.get(type);
}

/** Refunds and disputes need an amount above zero. */
function readAmount(text = ''): bigint | undefined {
  if (!moneyPattern.test(text)) return undefined;
  const amountMinor = parseMoney(text).unwrapOr(0n);
  return amountMinor > 0n ? amountMinor : undefined;
}
