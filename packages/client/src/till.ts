import type { AnswerOf } from './answers.ts';
import type { Client } from './client.ts';
import type { Entry, Notes } from './journal.ts';
import type { AnyProblem } from './problem.ts';
import type { Intent, Reader, Report } from './reader.ts';
import type { Result } from './result.ts';
import type { CallOptions } from './send.ts';
import type { Attempt } from './settings.ts';
import type { End, Step } from './taking.ts';
import type { Time } from './time.ts';

type RegisterCall =
  | 'createContactlessPayment'
  | 'listContactlessPayments'
  | 'getContactlessPayment'
  | 'captureContactlessPayment';

/** The part of a client that a register uses. */
export type RegisterClient = Pick<Client, 'newKey' | 'time'> & {
  readonly [N in RegisterCall]: (
    ...call: Parameters<Client[N]>
  ) => Promise<Result<AnswerOf<N>, AnyProblem>>;
};

/** The context of one payment at the till. */
export interface Till {
  readonly client: RegisterClient;
  readonly reader: Reader;
  readonly notes: Notes;
  readonly time: Time;
  readonly limits: Limits;
  /** Aborts if the barber gives up before a card is read. */
  readonly stop: AbortSignal;
  /** Aborts if the barber stops waiting for the outcome of a card that was read. */
  readonly leave: AbortSignal;
  /** Whether the reader may ask for a card; otherwise an unpaid payment stays as it is. */
  readonly presents: boolean;
  /** State that only this process has. */
  readonly memory: Memory;
  /** Shows a step; `attempt` describes a wait. */
  show(step: Step, entry: Entry, attempt?: Attempt): void;
  /**
   * Records a collect, so that no other begins before its end. The returned function is called if the
   * payment goes on without that end: the server is then asked again after it.
   */
  watch(entry: Entry, collecting: Promise<Report>): () => void;
  /** Whether the card screen of this payment is still open. */
  isCollecting(entry: Entry): boolean;
}

export interface Limits {
  /** The time that the reader waits for a card. */
  readonly presentMs: number;
  /** The time after which a person must ask again for the outcome of a capture. */
  readonly checkMs: number;
  /** The time that the key of a create is used: shorter than the service keeps it (72 hours). */
  readonly keyLifeMs: number;
}

interface Memory {
  /** Never stored, because `create` and `get` return it again. */
  clientSecret?: string | undefined;
  /** Retrieved and not collected yet; absent after a restart. */
  intent?: Intent | undefined;
  /** The reader's last report; absent after a restart. */
  report?: Report | undefined;
  /** Whether the server knew of no card when it was asked by capturing. The next start asks again. */
  hasAsked?: boolean;
  /** The number of failed reads, and of captures that found no processed card. */
  fruitless: number;
}

/** The entry to write before the next act, or the end. */
export type Next = { readonly entry: Entry } | { readonly end: End };

/** Shows a step, and makes call options that show the reason of each wait. */
export function showing(till: Till, step: Step, entry: Entry, signal: AbortSignal): CallOptions {
  till.show(step, entry);
  return { signal, onAttempt: (attempt) => till.show(step, entry, attempt) };
}

export function read(till: Till, step: Step, entry: Entry, signal: AbortSignal) {
  const contactlessPaymentId = entry.paymentId ?? '';
  return till.client.getContactlessPayment(
    { contactlessPaymentId },
    showing(till, step, entry, signal),
  );
}
