import {
  type EpochMs,
  formatMoney,
  formatTimestamp,
  hourMs,
  minuteMs,
  secondMs,
} from '@chairside/core';
import type { ProcessorError, StoreUnavailable } from '@chairside/core/ports';
import { firstLine } from './config.ts';

const dayMs = 24 * hourMs;

/** `2026-11-02 09:00:03`, in UTC. */
export function timeText(at: EpochMs): string {
  return formatTimestamp(at).slice(0, 19).replace('T', ' ');
}

/** The same of a timestamp. */
export function timestampText(timestamp: string): string {
  return timestamp.slice(0, 19).replace('T', ' ');
}

/** `3 d 4 h`, `2 h 5 min`, `40 s`. */
export function ageText(ms: number): string {
  const age = Math.max(0, ms);
  const whole = (unit: number) => Math.floor(age / unit);
  const two = (first: string, rest: number, unit: string) =>
    rest === 0 ? first : `${first} ${rest} ${unit}`;
  if (age >= dayMs) return two(`${whole(dayMs)} d`, whole(hourMs) % 24, 'h');
  if (age >= hourMs) return two(`${whole(hourMs)} h`, whole(minuteMs) % 60, 'min');
  return age >= minuteMs ? `${whole(minuteMs)} min` : `${whole(secondMs)} s`;
}

export function moneyText(minor: bigint, currency: string): string {
  return `${formatMoney(minor)} ${currency.toUpperCase()}`;
}

/** `1 payment`, `2 payments`, `1000 or more payments`. */
export function countText(count: number, what: string, most = Number.POSITIVE_INFINITY): string {
  if (count >= most) return `${most} or more ${what}s`;
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Why the processor does not tell, in a sentence. */
export function processorText(error: ProcessorError): string {
  switch (error.kind) {
    case 'notSetUp':
      return 'The account is gone, or it cannot take cards.';
    case 'rejected':
      return `The processor rejects the call: ${error.reason}.`;
    case 'rateLimited':
      return 'The processor accepts no more calls for now.';
    case 'unavailable':
      if (error.why === 'denied') return 'The processor does not know the payment.';
      return error.why === 'keyRejected'
        ? 'The processor rejects the key.'
        : 'The processor does not answer.';
  }
}

/** Why the store does not tell, in a sentence. */
export function storeText({ cause }: Pick<StoreUnavailable, 'cause'>): string {
  return cause === undefined
    ? 'The database does not answer.'
    : `The database cannot be read: ${firstLine(cause).replace(/\.$/, '')}.`;
}
