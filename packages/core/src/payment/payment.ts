import {
  type Charge,
  type Charged,
  type ChargeRefusal,
  chargeRefusals,
  type OtherOwner,
} from '../charge/charge.ts';
import { type ByActor, keyRetentionMs } from '../frame/record.ts';
import type { AppointmentReference } from '../host/host.ts';
import type { Share } from '../share/share.ts';
import type { ReviewReason } from '../upkeep/review.ts';
import { dayMs, type EpochMs, hourMs, minuteMs } from '../values/time.ts';

export const cardNetworks = ['network_a', 'network_b', 'network_c', 'network_d', 'other'] as const;
export const fundingTypes = ['debit', 'credit', 'prepaid', 'other'] as const;
export const tokenizationMethods = [
  'wallet_method_a',
  'wallet_method_b',
  'wallet_method_c',
  'wallet_method_d',
] as const;

/** A summary of a card-present payment method that a receipt or a screen may show. */
export interface Card {
  /** An asterisk and the last four digits. */
  readonly maskedPersonalAccountNumber: string;
  readonly network: (typeof cardNetworks)[number];
  readonly fundingType: (typeof fundingTypes)[number];
  /** `01` to `12`. */
  readonly expirationMonth: string;
  /** Four digits. */
  readonly expirationYear: string;
  /** Present if the customer used a digital wallet. */
  readonly tokenizationMethod?: (typeof tokenizationMethods)[number];
}

export const paymentStates = [
  'created',
  'processing',
  'authorized',
  'captured',
  'failed',
  'canceled',
] as const;
/** The state of a payment. `transitions` lists the moves. */
export type PaymentState = (typeof paymentStates)[number];

/** How long a customer has to present a card. */
export const openLifetimeMs = 15 * minuteMs;
/** How long an authorization is held when the processor states no deadline. */
export const authorizedLifetimeMs = 48 * hourMs;
/**
 * A payment that is unsettled for this long needs a person. It never becomes "failed" by age (D27).
 */
export const reviewAfterMs = 72 * hourMs;

/** The longest time for which anything waits. A due time further ahead was written by a wrong clock. */
export const longestWaitMs = keyRetentionMs + hourMs;

/** Whether a check is due. A time that a wrong clock has written is due at once. */
export function isDue(nextCheckAt: EpochMs, now: EpochMs): boolean {
  return nextCheckAt <= now || nextCheckAt > now + longestWaitMs;
}

/** A time to wait until, unless a wrong clock has moved it further ahead than anything waits. */
export function boundedWait(until: EpochMs, now: EpochMs): EpochMs {
  return Math.min(until, now + longestWaitMs);
}

/** An open payment is compared with the processor's books at least this often. */
const checkEveryMs = hourMs;

export function nextCheck(expiresAt: EpochMs, now: EpochMs): EpochMs {
  return Math.max(now, Math.min(expiresAt, now + checkEveryMs));
}

/** A list shows at most this many payments of an appointment, the newest ones. */
export const maxListedPayments = 1000;

/** Why a payment is being canceled. */
export type CancelCause =
  | 'requested'
  | 'expired'
  | 'appointmentPaid'
  | 'exceedsRemainingBalance'
  | 'currencyChanged'
  | 'differsAtProcessor'
  | 'partiallyAuthorized'
  | 'visitPaid'
  | OtherOwner
  | ChargeRefusal;

/**
 * Work that has begun at the processor and has no recorded end. It is durable before the processor
 * is called, so that a retry or `reconcile` can finish it.
 */
export interface Work {
  readonly kind: 'open' | 'capture' | 'cancel' | 'refund';
  /** The cause, if `kind` is `cancel`. */
  readonly cause?: CancelCause;
  /** Rises with each takeover. A holder with an older number cannot write. */
  readonly fence: number;
  /**
   * Part of the processor's idempotency key. It rises only after a read proved that the last
   * attempt did not apply.
   */
  readonly attempt: number;
  /** The holder counts as alive until then. */
  readonly leaseUntil: EpochMs;
}

/** Whether it has work at the processor that has not ended. */
export function isAtWork<T extends { readonly work?: Work | undefined }>(
  record: T,
): record is T & { readonly work: Work } {
  return record.work !== undefined;
}

/** A payment of an appointment: card-present, or a charge of a saved method. */
export interface Payment {
  readonly id: string;
  readonly appointment: AppointmentReference;
  readonly businessId: string;
  /** The processor account that it was opened with; it never changes. */
  readonly account: string;
  readonly currency: string;
  /** All that the card is charged, the tip included. */
  readonly amountMinor: bigint;
  /** The part of the amount that is tip, frozen in the claim; absent without a tip. */
  readonly tipMinor?: bigint;
  readonly state: PaymentState;
  /** Rises by one with every change. Writes name the version that they are based on. */
  readonly version: number;
  /**
   * Absent until the processor has opened the payment; until then the payment is hidden. Empty
   * after erasure, and of a refused charge that is shown although the processor never opened it.
   */
  readonly clientSecret?: string;
  /** The processor's id of the payment, once it is known. */
  readonly reference?: string;
  readonly card?: Card;
  readonly authorizedAt?: EpochMs;
  readonly capturedAt?: EpochMs;
  /** The captured amount, which limits refunds; absent until the capture. */
  readonly capturedMinor?: bigint;
  /** The platform's fee, frozen in the claim. */
  readonly applicationFeeMinor?: bigint;
  /** Present for a charge of a saved method. */
  readonly charge?: Charge;
  /** The customer that the appointment had, if the host named one. */
  readonly customerId?: string;
  /**
   * Whose it is: each visit's and barber's part of the captured amount, or of the one to capture. Absent while all
   * of it belongs to the appointment and its barber.
   */
  readonly shares?: readonly Share[];
  readonly expiresAt: EpochMs;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** The appointment's ledger holds its amount, because a capture may have been sent. */
  readonly reserved: boolean;
  readonly work?: Work | undefined;
  /** The time of `reconcile`'s next check; absent if no work is left. */
  readonly nextCheckAt?: EpochMs;
  /** The number of `reconcile`'s checks in vain. The wait doubles with each. */
  readonly checks: number;
  /** Why a person should check it: a `ReviewReason`, which stores keep as text. */
  readonly review?: ReviewReason;
  readonly timeline: readonly TimelineEntry[];
}

/** The line of the timeline for a capture that was requested again under another key. */
export const repeated = 'repeated';
/** The keys are kept longer by this, so that captures repeated meanwhile need no line each. */
const repeatedWithinMs = minuteMs;

/**
 * When the keys and the secret of a final payment are forgotten: a while after the last line of its
 * timeline (D21, D47). The processor's time counts too, because the clock of the node that wrote
 * the end may have been behind (D55).
 */
export function keysKeptUntil({ updatedAt, capturedAt = 0, timeline }: Payment): EpochMs {
  const { at, what } = timeline.at(-1) ?? { at: updatedAt };
  const lastAt = what === repeated ? at + repeatedWithinMs : at;
  return Math.max(updatedAt, capturedAt, lastAt) + keyRetentionMs;
}

/** Why the bank refused a charge, if it did. The timeline keeps it as the cause of the cancelation. */
export function chargeRefusalOf({ charge, timeline }: Payment): ChargeRefusal | undefined {
  if (charge === undefined) return undefined;
  const cause = timeline.findLast(({ what }) => what === 'canceling')?.cause;
  return chargeRefusals.find((refusal) => refusal === cause);
}

/** A payment that the processor has opened. */
export type OpenedPayment = Payment & { readonly clientSecret: string };

/**
 * The id of the ledger that a payment counts on. No-show fees have a ledger beside that of the amount
 * due. No appointment has its id, because ids of the host have no control characters.
 */
export function ledgerIdOf({
  charge,
  appointment,
}: Charged & { readonly appointment: { readonly id: string } }): string {
  return charge?.purpose === 'noShow' ? `\u0001${appointment.id}` : appointment.id;
}

/**
 * Whether its secret was erased: it is final, and its keys are forgotten (D47). Clients see an
 * empty string.
 */
export function isErased({ clientSecret }: Payment): boolean {
  return clientSecret === erasedSecret;
}

/** Replaces an erased client secret. The payment still counts as opened. */
export const erasedSecret = '';

/** Whether the processor has opened it. Until then it is hidden from every caller. */
export function isOpened(payment: Payment): payment is OpenedPayment {
  return payment.clientSecret !== undefined;
}

/** Whether its card is present. The card of a charge of a saved method is not. */
export function isContactless({ charge }: Payment): boolean {
  return charge === undefined;
}

/** A payment with unfinished work, whose holder may be dead. */
export type PaymentAtWork = Payment & { readonly work: Work };

/** A mutable copy of a payment. */
export type PaymentDraft = { -readonly [Name in keyof Payment]: Payment[Name] };

export function draftWithoutWork(payment: Payment): PaymentDraft {
  // A rest pattern costs more, because V8 copies it member by member.
  return { ...payment, work: undefined };
}

/** The payment once the processor could be read after all. */
export function withoutUnsettled(payment: Payment): Payment {
  if (payment.review !== 'unsettled') return payment;
  const { review: _review, ...rest } = payment;
  return rest;
}

/** Whether it is captured or canceled: no transition leads on from there. */
export function isFinal(payment: Payment): boolean {
  return payment.state === 'captured' || payment.state === 'canceled';
}

/** The cause in the timeline of what a person has ended. */
export const byWord = 'word';
/** The processor is asked for it so often, and for so long: its account may come back. */
export const askAgainEveryMs = dayMs;
export const askedForMs = 30 * dayMs;
/** The line of the timeline for an end by a person's word that the processor shows too. */
export const confirmed = 'confirmed';

/** When a person's word ended the payment, unless the processor has shown its end since. */
export function endedByWordAt({ timeline }: Payment): EpochMs | undefined {
  const ends: readonly string[] = ['captured', 'canceled', confirmed];
  const last = timeline.findLast(({ what }) => ends.includes(what));
  return last?.cause === byWord ? last.at : undefined;
}

/** When a person's word last ended a refund of the payment. */
export function refundSaidAt({ timeline }: Payment): EpochMs | undefined {
  const ends: readonly string[] = ['refunded', 'refundFailed'];
  return timeline.findLast(({ what, cause }) => cause === byWord && ends.includes(what))?.at;
}

/**
 * The states that a payment may move to (D15). One move more is the processor's: what a person's word
 * captured becomes canceled, once the processor shows that no money was taken (D201).
 */
export const transitions: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
  created: ['processing', 'authorized', 'failed', 'canceled'],
  processing: ['authorized', 'failed', 'canceled'],
  failed: ['processing', 'authorized', 'canceled'],
  authorized: ['captured', 'canceled', 'failed'],
  captured: [],
  canceled: [],
};

/**
 * The states from `from` (excluded) to `to` (included). It fills in states that were skipped
 * between two observations. `undefined` if no path leads there.
 */
export function pathTo(from: PaymentState, to: PaymentState): readonly PaymentState[] | undefined {
  if (from === to) return [];
  if (transitions[from].includes(to)) return [to];
  // Only `captured` can be two steps away, and its predecessor is `authorized`.
  return to === 'captured' && transitions[from].includes('authorized')
    ? ['authorized', 'captured']
    : undefined;
}

/** One line of a payment's history. Holds no secret. */
export interface TimelineEntry extends ByActor {
  readonly at: EpochMs;
  /** The event: a new state, or a call to the processor and its outcome. */
  readonly what: string;
  /** Its trigger: an operation, a processor event, `reconcile`. */
  readonly cause: string;
}

/**
 * A timeline keeps at most this many entries: the first and the latest. Beyond it stay the first of each kind, and the
 * last of each person. Some decide what is done: the first `capturing`, the last `canceling`, a refund that was
 * rejected, an end by a person's word.
 */
export const maxTimelineEntries = 64;

/** Adds a line to the timeline, within its bound. */
export function noted(
  timeline: readonly TimelineEntry[],
  entry: TimelineEntry,
): readonly TimelineEntry[] {
  const all = [...timeline, entry];
  if (all.length <= maxTimelineEntries) return all;
  // The beginning and the end explain the most, so entries in the middle are dropped, repetitions first: a barber may
  // try a capture for hours. What a person's word ended (D201) and what somebody did (D211) stays until they do it again.
  const middle = maxTimelineEntries / 2;
  const find = (mayGo: (one: TimelineEntry, index: number) => boolean) =>
    timeline.findIndex((one, index) => index >= middle && mayGo(one, index));
  const isBetween = ({ what, cause, actor }: TimelineEntry, index: number) =>
    all.findIndex((one) => one.what === what) < index &&
    all
      .slice(index + 1)
      .some((one) => one.what === what && one.cause === cause && one.actor === actor);
  const isNobodys = ({ actor, cause }: TimelineEntry) => actor === undefined && cause !== byWord;
  const gone = [
    find((one, index) => isNobodys(one) && isBetween(one, index)),
    find(isBetween),
    find(isNobodys),
  ].find((index) => index !== -1);
  return gone === undefined ? all : all.toSpliced(gone, 1);
}

/** A payment as the processor's books show it. */
export interface ProcessorPayment {
  /** The processor's id of the payment; some assign it only when a card is presented. */
  readonly reference?: string;
  /** The processor's state, in our names. */
  readonly status: PaymentState;
  readonly account: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  /** The part of the amount that is tip, if the processor shows tips: zero without one. */
  readonly tipMinor?: bigint;
  /**
   * The amount that the card's issuer approved. Less than `amountMinor` is a partial authorization.
   */
  readonly authorizedMinor?: bigint;
  readonly capturedMinor?: bigint;
  /** The platform's fee, if the processor shows fees: zero if there is none. */
  readonly applicationFeeMinor?: bigint;
  readonly card?: Card;
  /** Why a charge was refused, if its status is `failed` and the processor says so. */
  readonly refusal?: ChargeRefusal;
  readonly authorizedAt?: EpochMs;
  /**
   * When the processor booked the capture, by its clock. A captured payment must have it: it decides
   * the day on which the amount stands.
   */
  readonly capturedAt?: EpochMs;
  /** The processor's capture deadline. */
  readonly captureBefore?: EpochMs;
  /** When the processor opened it, by the processor's clock. */
  readonly openedAt?: EpochMs;
  /**
   * The processor's time when it sent this reply. Ages are measured by it, so that a node with a
   * wrong clock releases no money. Replies to reads and lists carry it if the processor
   * states one.
   */
  readonly at?: EpochMs;
  /** Empty if the reply does not show it. */
  readonly clientSecret: string;
}
