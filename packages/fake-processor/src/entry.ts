import {
  type Card,
  type EpochMs,
  err,
  formatMoney,
  hourMs,
  type OpenPaymentRequest,
  ok,
  type PaymentState,
  type ProcessorPayment,
  type Result,
} from '@chairside/core';
import { approvalDelayMs, type SimulatedCard } from './cards.ts';
import { rejections } from './errors.ts';
import type { DisputeEntry, RefundEntry } from './money-back-entry.ts';

/** A payment in the fake's ledger: plain JSON, money as decimal text. */
export interface Entry {
  /** The processor's reference of the payment. */
  readonly id: string;
  readonly account: string;
  readonly paymentId: string;
  readonly installation: string;
  readonly amount: string;
  /** The platform's fee, if any. */
  readonly applicationFee?: string;
  /** The amount that the issuer approved. */
  readonly amountAuthorized?: string;
  readonly amountCaptured: string;
  readonly currency: string;
  readonly status: PaymentState;
  readonly card?: Card;
  readonly authorizedAt?: EpochMs;
  readonly capturedAt?: EpochMs;
  readonly captureBefore?: EpochMs;
  readonly createdAt: EpochMs;
  readonly clientSecret: string;
  /** A card was presented at the terminal: from then on late references are known too. */
  readonly presented: boolean;
  /** Its refunds and disputes; absent in the ledger of an earlier fake. */
  readonly refunds?: readonly RefundEntry[];
  readonly disputes?: readonly DisputeEntry[];
  /** All changes, in order. */
  readonly history: readonly HistoryLine[];
}

export interface HistoryLine {
  readonly at: EpochMs;
  readonly what:
    | 'opened'
    | 'processing'
    | 'authorized'
    | 'declined'
    | 'captured'
    | 'canceled'
    /** Canceled by the customer at the terminal. */
    | 'canceledAtTerminal'
    /** Canceled by the processor: it was not captured in time. */
    | 'expired'
    /** Refunds and disputes. Neither changes the status. */
    | 'refunded'
    | 'disputed'
    /** A refund was accepted as pending, or ended otherwise than it began. */
    | 'refundChanged'
    | 'disputeChanged';
  /** The refunded or disputed amount. */
  readonly amount?: string;
  /** The refund or dispute it is about; lines of earlier fakes do not name it. */
  readonly subject?: string;
}

/** How long an authorization is held, unless the card differs. */
export const holdMs = 48 * hourMs;

export function openEntry(
  request: OpenPaymentRequest,
  id: string,
  clientSecret: string,
  at: EpochMs,
): Entry {
  return {
    id,
    account: request.account,
    paymentId: request.paymentId,
    installation: request.installation,
    amount: formatMoney(request.amountMinor),
    ...(request.applicationFeeMinor !== undefined && {
      applicationFee: formatMoney(request.applicationFeeMinor),
    }),
    amountCaptured: formatMoney(0n),
    currency: request.currency,
    status: 'created',
    createdAt: at,
    clientSecret,
    presented: false,
    history: [{ at, what: 'opened' }],
  };
}

/** The entry at `at`, after changes that only time causes: late approvals, missed deadlines. */
export function aged(entry: Entry, at: EpochMs): Entry {
  const due = dueAt(entry);
  if (due === undefined || at < due) return entry;
  return entry.status === 'processing'
    ? aged(authorized(entry, due), at)
    : noted({ ...entry, status: 'canceled' }, due, 'expired');
}

/** The time of the entry's next change that only time causes. */
export function dueAt({ status, history, createdAt, captureBefore }: Entry): EpochMs | undefined {
  if (status === 'processing') return (history.at(-1)?.at ?? createdAt) + approvalDelayMs;
  return status === 'authorized' ? captureBefore : undefined;
}

/** Presents a card at the terminal. Fails if the payment no longer accepts one. */
export function presented(
  entry: Entry,
  { card, does, holdMs: hold }: SimulatedCard,
  at: EpochMs,
): Result<Entry, 'notPresentable'> {
  if (entry.status !== 'created' && entry.status !== 'failed') return err('notPresentable');
  const seen: Entry = { ...entry, presented: true };
  switch (does) {
    case 'cancel':
      return ok(noted({ ...seen, status: 'canceled' }, at, 'canceledAtTerminal'));
    case 'decline':
      return ok(declined(seen, at));
    case 'declineOnce':
      return ok(
        entry.history.some(({ what }) => what === 'declined')
          ? authorized({ ...seen, card }, at)
          : declined(seen, at),
      );
    case 'approveLater':
      return ok(noted({ ...seen, card, status: 'processing' }, at, 'processing'));
    case 'approveHalf':
      return ok(authorized({ ...seen, card, amountAuthorized: half(entry.amount) }, at));
    case 'approve':
      return ok(authorized({ ...seen, card }, at, hold));
  }
}

/**
 * Captures the money. As with a real processor, it may be less than the authorization, never more.
 */
export function captured(
  entry: Entry,
  amountMinor: bigint,
  currency: string,
  at: EpochMs,
): Result<Entry, string> {
  if (entry.status !== 'authorized') return err(rejections.unexpectedState);
  if (entry.currency !== currency) return err(rejections.currencyMismatch);
  if (amountMinor <= 0n) return err(rejections.amountNotPositive);
  if (amountMinor > minor(entry.amountAuthorized ?? entry.amount)) {
    return err(rejections.amountTooLarge);
  }
  const amountCaptured = formatMoney(amountMinor);
  return ok(
    noted({ ...entry, status: 'captured', amountCaptured, capturedAt: at }, at, 'captured'),
  );
}

/** Cancels an uncaptured payment, authorized or not. Idempotent. */
export function canceled(entry: Entry, at: EpochMs): Result<Entry, string> {
  if (entry.status === 'captured') return err(rejections.unexpectedState);
  if (entry.status === 'canceled') return ok(entry);
  return ok(noted({ ...entry, status: 'canceled' }, at, 'canceled'));
}

/** The entry in the port's form, without its reference while that is not known. */
export function toProcessorPayment(entry: Entry, isReferenceKnown: boolean): ProcessorPayment {
  const { amountAuthorized, card, authorizedAt, capturedAt, captureBefore } = entry;
  return {
    ...(isReferenceKnown && { reference: entry.id }),
    status: entry.status,
    account: entry.account,
    currency: entry.currency,
    amountMinor: minor(entry.amount),
    ...(amountAuthorized !== undefined && { authorizedMinor: minor(amountAuthorized) }),
    ...(capturedAt !== undefined && { capturedAt, capturedMinor: minor(entry.amountCaptured) }),
    applicationFeeMinor: minor(entry.applicationFee ?? '0.00'),
    ...(card !== undefined && { card }),
    ...(authorizedAt !== undefined && { authorizedAt }),
    ...(captureBefore !== undefined && { captureBefore }),
    openedAt: entry.createdAt,
    clientSecret: entry.clientSecret,
  };
}

function authorized(entry: Entry, at: EpochMs, hold = holdMs): Entry {
  const { amountAuthorized = entry.amount } = entry;
  const approved: Entry = {
    ...entry,
    status: 'authorized',
    amountAuthorized,
    authorizedAt: at,
    captureBefore: at + hold,
  };
  return noted(approved, at, 'authorized');
}

function declined(entry: Entry, at: EpochMs): Entry {
  return noted({ ...entry, status: 'failed' }, at, 'declined');
}

function noted(entry: Entry, at: EpochMs, what: HistoryLine['what']): Entry {
  return withLine(entry, { at, what });
}

/** The entry with one more line in its history. */
export function withLine(entry: Entry, line: HistoryLine): Entry {
  return { ...entry, history: [...entry.history, line] };
}

/** `formatMoney` has written the amounts in the ledger. */
export function minor(money: string): bigint {
  return BigInt(money.replace('.', ''));
}

function half(money: string): string {
  return formatMoney(minor(money) / 2n);
}
