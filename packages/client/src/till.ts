import type { Client } from './client.ts';
import type { Entry, Notes } from './journal.ts';
import type { Collected, Intent, Reader } from './reader.ts';
import type { CallOptions } from './send.ts';
import type { Attempt } from './settings.ts';
import type { End, Step } from './taking.ts';
import type { Time } from './time.ts';

/** What one payment at the till works with. */
export interface Till {
  readonly client: Client;
  readonly reader: Reader;
  readonly notes: Notes;
  readonly time: Time;
  readonly limits: Limits;
  /** The barber gives up before a card was read. */
  readonly stop: AbortSignal;
  /** The barber does not wait for the answer about a card that was read. */
  readonly leave: AbortSignal;
  /** Whether a card may be asked for; else an unpaid payment is left as it is. */
  readonly presents: boolean;
  /** What is known only in this process. */
  readonly memory: Memory;
  /** Shows a step; an attempt says what is waited for. */
  show(step: Step, entry: Entry, attempt?: Attempt): void;
  /** A canceled collect has not ended: no other may begin. */
  readerHangs(collecting: Promise<unknown>): void;
}

export interface Limits {
  /** How long the reader waits for a card. */
  readonly presentMs: number;
  /** How long a capture is asked for before a person has to ask again. */
  readonly checkMs: number;
  /** How long keys are used: less than the service keeps them (72 hours). */
  readonly keyLifeMs: number;
}

export interface Memory {
  /** Never written down: `create` and `get` return it again. */
  clientSecret?: string | undefined;
  /** Retrieved and not collected yet; absent after a restart. */
  intent?: Intent | undefined;
  /** What the reader said last; absent after a restart. */
  said?: Collected | undefined;
  /** Readings that came to nothing, and captures that found no processed card. */
  fruitless: number;
}

/** The entry to write down before the next act, or the end. */
export type Next = { readonly entry: Entry } | { readonly end: End };

/** Shows a step, and makes options of a call that show what it waits for. */
export function showing(till: Till, step: Step, entry: Entry, signal: AbortSignal): CallOptions {
  till.show(step, entry);
  return { signal, onAttempt: (attempt) => till.show(step, entry, attempt) };
}

/** Reads the entry's payment. */
export function read(till: Till, step: Step, entry: Entry, signal: AbortSignal) {
  const contactlessPaymentId = entry.paymentId ?? '';
  return till.client.getContactlessPayment(
    { contactlessPaymentId },
    showing(till, step, entry, signal),
  );
}
