import type { AlsoPays } from './answers.ts';
import type { ContactlessPayment } from './operations.ts';
import type { AnyProblem } from './problem.ts';
import type { ReaderError } from './reader.ts';

/** The step of a payment. `captured`, `declined`, `canceled` and `stuck` are ends. */
export type Step =
  | 'idle'
  | 'opening'
  | 'presenting'
  | 'stopping'
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
  | 'ended'
  // declined
  | 'partlyApproved'
  // canceled
  | 'stopped'
  | 'sheetClosed'
  | 'expired'
  | 'alreadyPaid'
  | 'noPrice'
  | 'paidElsewhere'
  | 'owesLess'
  | 'noAccess'
  | 'notSetUp'
  | 'refused'
  // stuck
  | 'askShop'
  | 'noAnswer'
  | 'storedOffline'
  | 'notStarted'
  | 'signIn'
  | 'otherPayment'
  | 'reader'
  | 'readerBusy'
  | 'storage'
  | 'unreadable'
  | 'otherWindow'
  | 'inUse';

/** A captured payment, without its secret. */
export interface Paid {
  readonly id: string;
  readonly amount: string;
  readonly capturedAt?: string | undefined;
  readonly card?: ContactlessPayment['card'] | undefined;
}

/** The state of a payment for the screen. Each change makes a new object. */
export interface Taking {
  readonly step: Step;
  readonly reason?: Reason | undefined;
  /** For the barber. */
  readonly words: string;
  /**
   * `yes`: the payment was captured, or the one in `paidBy`. `no` only if the server has said so, or no
   * capture was ever sent.
   */
  readonly charged: 'yes' | 'no' | 'unknown';
  /** The last captured payment of the appointment, if this payment was not needed. */
  readonly paidBy?: Paid | undefined;
  readonly appointmentId?: string | undefined;
  readonly paymentId?: string | undefined;
  /** The amount of the payment, once it is known. */
  readonly amount?: string | undefined;
  /** The tip in the amount. */
  readonly tip?: string | undefined;
  /** The other visits in the amount (D208). */
  readonly alsoPays?: AlsoPays | undefined;
  /** The currency of the options, for the screen. */
  readonly currency?: string | undefined;
  /** The time of the next attempt, in milliseconds since 1970, for a countdown. */
  readonly nextAttemptAt?: number | undefined;
  /** The reason of the wait, or of the end. */
  readonly problem?: AnyProblem | undefined;
  /** Why the reader failed and what to do, for the barber. */
  readonly readerSaid?: string | undefined;
  /** The error in the words of the reader's SDK, for support. */
  readonly readerError?: ReaderError | undefined;
}

/** An end. The entry is removed if `keep` is false. */
export interface End
  extends Pick<
    Taking,
    'step' | 'charged' | 'reason' | 'problem' | 'readerSaid' | 'readerError' | 'paidBy'
  > {
  readonly keep: boolean;
}

export function canceled(reason: Reason, problem?: AnyProblem): End {
  return {
    step: 'canceled',
    // This phone may have charged it: its note is removed before "Paid." is seen.
    charged: reason === 'alreadyPaid' ? 'unknown' : 'no',
    keep: false,
    reason,
    problem,
  };
}

export function stuck(reason: Reason, problem?: AnyProblem): End {
  return { step: 'stuck', charged: 'unknown', keep: true, reason, problem };
}

export const captured: End = { step: 'captured', charged: 'yes', keep: false };
