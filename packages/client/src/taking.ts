import type { AnyProblem } from './problem.ts';

/** The step of a payment. `captured`, `declined`, `canceled` and `stuck` are ends. */
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

/** The reason of an end. `docs/guide/app.md` describes what to do for each. */
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

/** The state of a payment for the screen. Each change makes a new object. */
export interface Taking {
  readonly step: Step;
  readonly reason?: Reason | undefined;
  /** For the barber. */
  readonly words: string;
  /** `no` only if the server has said so, or no capture was ever sent. */
  readonly charged: 'yes' | 'no' | 'unknown';
  readonly appointmentId?: string | undefined;
  readonly paymentId?: string | undefined;
  /** The amount of the payment, once it is known. */
  readonly amount?: string | undefined;
  /** The time of the next attempt, in milliseconds since 1970, for a countdown. */
  readonly nextAttemptAt?: number | undefined;
  /** The reason of the wait, or of the end. */
  readonly problem?: AnyProblem | undefined;
  /** The reader's own message. */
  readonly readerSaid?: string | undefined;
}

/** An end. The entry is removed if `keep` is false. */
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

/** @param charged the server's statement; `no` if no capture was ever sent */
export function stuck(reason: Reason, charged: Taking['charged'], problem?: AnyProblem): End {
  return { step: 'stuck', charged, keep: true, reason, problem };
}

export const captured: End = { step: 'captured', charged: 'yes', keep: false };
