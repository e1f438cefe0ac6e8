import type { AnyProblem } from './problem.ts';

/** Where a payment is. `captured`, `declined`, `canceled` and `stuck` are ends. */
export type Step =
  | 'idle'
  | 'opening'
  | 'presenting'
  | 'capturing'
  | 'captured'
  | 'declined'
  | 'canceled'
  | 'checking'
  | 'stuck';

/** More about an end. `docs/guide/app.md` says what to do for each. */
export type Reason =
  // idle
  | 'waiting'
  // declined
  | 'partlyApproved'
  // canceled
  | 'stopped'
  | 'expired'
  | 'alreadyPaid'
  | 'owesLess'
  | 'amountChanged'
  | 'noAccess'
  | 'notSetUp'
  | 'refused'
  // stuck
  | 'askShop'
  | 'noAnswer'
  | 'notStarted'
  | 'signIn'
  | 'otherPayment'
  | 'reader'
  | 'readerBusy'
  | 'storage'
  | 'tooOld'
  | 'unreadable'
  | 'otherWindow'
  | 'inUse';

/** What the screen shows of a payment. A new object for each change. */
export interface Taking {
  readonly step: Step;
  readonly reason?: Reason | undefined;
  /** For the barber. */
  readonly words: string;
  /** `no` only where the server said so or no capture was ever sent. */
  readonly charged: 'yes' | 'no' | 'unknown';
  readonly appointmentId?: string | undefined;
  readonly paymentId?: string | undefined;
  /** What the payment collects, once it is known. */
  readonly amount?: string | undefined;
  /** When the next attempt is, in milliseconds since 1970: count down to it. */
  readonly nextAttemptAt?: number | undefined;
  /** What the attempt waits for, or what ended it. */
  readonly problem?: AnyProblem | undefined;
  /** What the reader said about itself. */
  readonly readerSaid?: string | undefined;
}

/** An end, and what becomes of the entry: removed if `keep` is false. */
export interface End {
  readonly step: Step;
  readonly charged: Taking['charged'];
  readonly keep: boolean;
  readonly reason?: Reason | undefined;
  readonly problem?: AnyProblem | undefined;
  readonly readerSaid?: string | undefined;
}

export function canceled(reason: Reason, problem?: AnyProblem): End {
  return { step: 'canceled', charged: 'no', keep: false, reason, problem };
}

/** @param charged whether the server has told, or no capture was ever sent */
export function stuck(reason: Reason, charged: Taking['charged'], problem?: AnyProblem): End {
  return { step: 'stuck', charged, keep: true, reason, problem };
}

export const captured: End = { step: 'captured', charged: 'yes', keep: false };
