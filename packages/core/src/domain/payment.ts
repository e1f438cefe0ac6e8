import type { AppointmentReference } from './appointment.ts';
import type { Card } from './card.ts';
import { type EpochMs, hourMs, minuteMs } from './time.ts';

export const paymentStates = [
  'created',
  'processing',
  'authorized',
  'captured',
  'failed',
  'canceled',
] as const;
/** Where a payment stands; which leads to which is D15's. */
export type PaymentState = (typeof paymentStates)[number];

/** How long a customer has to present a card (D17). */
export const openLifetimeMs = 15 * minuteMs;
/** How long an authorization is held when the processor states no deadline (D17). */
export const authorizedLifetimeMs = 48 * hourMs;
/** Unsettled for this long is for a person to decide; it never becomes "failed" by age (D27). */
export const reviewAfterMs = 72 * hourMs;
/** How long the answer to a key is kept after it became final (D21). */
export const keyRetentionMs = 72 * hourMs;

/** An open payment is compared with the processor's ledger at least this often (D27). */
const lookEveryMs = hourMs;

/** When `reconcile` looks at an open payment next. */
export function nextLook(expiresAt: EpochMs, now: EpochMs): EpochMs {
  return Math.max(now, Math.min(expiresAt, now + lookEveryMs));
}

/** A list shows an appointment's newest payments, and no more than this. */
export const maxListedPayments = 1000;

/** Why a payment is being given up (D13, D17). */
export type CancelCause =
  | 'requested'
  | 'expired'
  | 'appointmentPaid'
  | 'exceedsRemainingBalance'
  | 'currencyChanged'
  | 'partiallyAuthorized';

/**
 * Something begun at the processor whose end is not recorded yet. It is durable before the
 * processor is called (D20), so that a retry, or `reconcile`, carries it to its end.
 */
export interface Work {
  readonly kind: 'open' | 'capture' | 'cancel';
  /** Why, where `kind` is `cancel`. */
  readonly cause?: CancelCause;
  /** Rises with each takeover; a holder with an older number writes nothing (D20). */
  readonly fence: number;
  /** Part of the processor's idempotency key; rises only when the last one proved dead (D20). */
  readonly attempt: number;
  /** Until then the holder is taken to be alive. */
  readonly leaseUntil: EpochMs;
}

/** One line of the answer to "why is it in this state?"; holds no secret. */
export interface TimelineEntry {
  readonly at: EpochMs;
  /** What happened: a state that was reached, or a call to the processor and its outcome. */
  readonly what: string;
  /** What made it happen: an operation, a processor event, `reconcile`. */
  readonly cause: string;
}

/** A timeline keeps its first and its latest entries, and no more than this. */
export const maxTimelineEntries = 64;

/** A card-present payment of an appointment. */
export interface Payment {
  readonly id: string;
  readonly appointment: AppointmentReference;
  readonly businessId: string;
  /** The processor account it was opened with, and keeps (D14). */
  readonly account: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly state: PaymentState;
  /** Rises by one with every change; writes name the version they were made from. */
  readonly version: number;
  /**
   * Absent until the processor opened the payment; no one sees the payment before that. Empty once it
   * was erased (D47).
   */
  readonly clientSecret?: string;
  /** The processor's id of the payment, as soon as it is known. */
  readonly reference?: string;
  readonly card?: Card;
  readonly authorizedAt?: EpochMs;
  readonly capturedAt?: EpochMs;
  readonly expiresAt: EpochMs;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** Its amount is held in the appointment's ledger: a capture may have been sent (D13). */
  readonly reserved: boolean;
  readonly work?: Work;
  /** When `reconcile` looks at it next; absent when there is nothing left to do. */
  readonly nextCheckAt?: EpochMs;
  /** How often `reconcile` looked in vain; the wait doubles with each. */
  readonly checks: number;
  /** Why a person should look at it: a `ReviewReason`, which stores keep as text. */
  readonly review?: string;
  readonly timeline: readonly TimelineEntry[];
}

/** A payment that the processor has opened. */
export type OpenedPayment = Payment & { readonly clientSecret: string };

/** Its secret is gone: it is final, and its keys are forgotten (D47). Clients see an empty string. */
export function isErased({ clientSecret }: Payment): boolean {
  return clientSecret === erasedSecret;
}

/** What is kept in the place of a client secret that was erased: the payment was opened. */
export const erasedSecret = '';

export function isOpened(payment: Payment): payment is OpenedPayment {
  return payment.clientSecret !== undefined;
}

/** A payment that somebody works on, or worked on and died. */
export type PaymentAtWork = Payment & { readonly work: Work };

/** A copy of a payment that is still being changed. */
export type PaymentDraft = { -readonly [Name in keyof Payment]: Payment[Name] };

/** A copy of a payment that nobody works on any more. */
export function draftWithoutWork(payment: Payment): PaymentDraft {
  const { work: _work, ...draft } = payment;
  return draft;
}

/** Captured or canceled: no transition leads on from there (D15). */
export function isFinal(payment: Payment): boolean {
  return payment.state === 'captured' || payment.state === 'canceled';
}

/** Which states a payment may move to (D15). */
export const transitions: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
  created: ['processing', 'authorized', 'failed', 'canceled'],
  processing: ['authorized', 'failed', 'canceled'],
  failed: ['processing', 'authorized', 'canceled'],
  authorized: ['captured', 'canceled', 'failed'],
  captured: [],
  canceled: [],
};

/**
 * The states passed through from `from` to `to`, `to` included: what was skipped between two
 * observations is made up for (D15). `undefined` where no way leads.
 */
export function pathTo(from: PaymentState, to: PaymentState): readonly PaymentState[] | undefined {
  if (from === to) return [];
  if (transitions[from].includes(to)) return [to];
  // The one state that is not a single step away is `captured`, and it lies behind `authorized`.
  return to === 'captured' && transitions[from].includes('authorized')
    ? ['authorized', 'captured']
    : undefined;
}
