import { type EpochMs, err, formatMoney, ok, type Result } from '@chairside/core';
import type { CapturePaymentRequest } from '@chairside/core/ports';
import { approvalDelayMs, type SimulatedCard } from './cards.ts';
import { type Entry, type HistoryLine, holdMs, minor, withLine } from './entry.ts';
import type { Rejection } from './errors.ts';

/** The entry at `at`, after changes that only time causes: late approvals, missed deadlines. */
export function aged(entry: Entry, at: EpochMs): Entry {
  const due = dueAt(entry);
  if (due === undefined || at < due) return entry;
  return entry.status === 'processing'
    ? aged(authorized(entry, due), at)
    : noted({ ...entry, status: 'canceled' }, due, 'expired');
}

/** The time of the entry's next change that only time causes. */
export function dueAt(entry: Entry): EpochMs | undefined {
  const { status, history, createdAt, captureBefore } = entry;
  if (status === 'processing') return (history.at(-1)?.at ?? createdAt) + approvalDelayMs;
  return status === 'authorized' && !isCapturing(entry) ? captureBefore : undefined;
}

/** Whether a capture was accepted that has not ended. */
function isCapturing({ capture }: Entry): boolean {
  return capture?.state === 'pending';
}

/** Presents a card at the terminal. Fails if the payment no longer accepts one. */
export function presented(
  entry: Entry,
  { card, does, holdMs: hold, isRefundedInPerson }: SimulatedCard,
  at: EpochMs,
): Result<Entry, 'notPresentable'> {
  if (entry.status !== 'created' && entry.status !== 'failed') return err('notPresentable');
  const seen: Entry = {
    ...entry,
    presented: true,
    ...(isRefundedInPerson && { isRefundedInPerson }),
  };
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

/** Charges a saved card without its customer. */
export function chargedOffSession(entry: Entry, card: SimulatedCard, at: EpochMs): Entry {
  const seen: Entry = { ...entry, presented: true, card: card.card };
  switch (card.offSession) {
    case 'needsCustomer':
      return { ...declined(seen, at), refusal: 'customerMustAct' };
    case 'decline':
      return { ...declined(seen, at), refusal: 'declined' };
    case 'unusable':
      return { ...declined(seen, at), refusal: 'cardUnusable' };
    default:
      // A card that declines once did so when it was saved.
      return presented(
        seen,
        card.does === 'declineOnce' ? { ...card, does: 'approve' } : card,
        at,
      ).unwrapOr(seen);
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
): Result<Entry, Rejection> {
  if (entry.status !== 'authorized') return err('unexpectedState');
  if (entry.currency !== currency) return err('currencyMismatch');
  if (amountMinor <= 0n) return err('amountNotPositive');
  if (amountMinor > minor(entry.amountAuthorized ?? entry.amount)) {
    return err('amountTooLarge');
  }
  const amountCaptured = formatMoney(amountMinor);
  return ok(
    noted({ ...entry, status: 'captured', amountCaptured, capturedAt: at }, at, 'captured'),
  );
}

/** Accepts a capture that ends later. The payment stays authorized until then. */
export function captureAccepted(
  entry: Entry,
  { amountMinor, currency, idempotencyKey: key }: CapturePaymentRequest,
  at: EpochMs,
): Result<Entry, Rejection> {
  if (isCapturing(entry)) return entry.capture?.key === key ? ok(entry) : err('unexpectedState');
  return captured(entry, amountMinor, currency, at).map(() =>
    noted(
      { ...entry, capture: { key, amount: formatMoney(amountMinor), state: 'pending' } },
      at,
      'captureAccepted',
    ),
  );
}

/** Ends a capture that was accepted. A failed one leaves the payment authorized. */
export function captureEnded(
  entry: Entry,
  state: 'captured' | 'failed',
  at: EpochMs,
): Result<Entry, Rejection> {
  const { capture, currency } = entry;
  if (capture?.state !== 'pending') return err('unexpectedState');
  const ended = { ...entry, capture: { ...capture, state } };
  return state === 'captured'
    ? captured(ended, minor(capture.amount), currency, at)
    : ok(noted(ended, at, 'captureFailed'));
}

/** Cancels an uncaptured payment, authorized or not. Idempotent. */
export function canceled(entry: Entry, at: EpochMs): Result<Entry, Rejection> {
  if (entry.status === 'captured' || isCapturing(entry)) return err('unexpectedState');
  if (entry.status === 'canceled') return ok(entry);
  return ok(noted({ ...entry, status: 'canceled' }, at, 'canceled'));
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

function half(money: string): string {
  return formatMoney(minor(money) / 2n);
}
