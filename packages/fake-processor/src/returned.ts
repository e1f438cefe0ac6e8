import {
  type EpochMs,
  err,
  formatMoney,
  hourMs,
  isCounted,
  ok,
  type ProcessorDispute,
  type ProcessorRefund,
  type RefundState,
  type Result,
} from '@chairside/core';
import {
  type DisputeEntry,
  type Entry,
  type HistoryLine,
  minor,
  type RefundEntry,
  withLine,
} from './entry.ts';
import type { Rejection } from './errors.ts';
import { derive } from './ids.ts';

type Asked = Pick<RefundEntry, 'refundId' | 'returnsFee'> & { readonly amountMinor: bigint };

/** Gives money back, at once or, where refunds are slow, in a while. */
export function refunded(
  entry: Entry,
  { refundId, returnsFee, amountMinor }: Asked,
  state: 'pending' | 'succeeded',
  at: EpochMs,
): Result<Entry, Rejection> {
  if (entry.status !== 'captured') return err('unexpectedState');
  if (amountMinor <= 0n) return err('amountNotPositive');
  if (amountMinor > leftMinor(entry, entry.refunds.filter(isCounted))) return err('notRefundable');
  const amount = formatMoney(amountMinor);
  const what = state === 'succeeded' ? 'refunded' : 'refundChanged';
  const id = nextSubject(entry, what);
  const made = { id, state, amount, returnsFee, createdAt: at };
  const refund: RefundEntry = refundId === undefined ? made : { ...made, refundId };
  const after = { ...entry, refunds: [...entry.refunds, refund] };
  return ok(withLine(after, { at, what, amount, subject: id }));
}

/** Ends a refund otherwise than it stands: days later, it fails. */
export function refundEnded(
  entry: Entry,
  id: string,
  state: RefundState,
  at: EpochMs,
): Result<Entry, Rejection> {
  const refund = entry.refunds.find((one) => one.id === id);
  if (refund === undefined || !isEnd(refund.state, state)) return err('unexpectedState');
  const failure = state === 'failed' ? { failure: 'lost_or_stolen_card' } : {};
  const refunds = replaced(entry.refunds, { ...refund, state, ...failure });
  const what = state === 'succeeded' ? 'refunded' : 'refundChanged';
  return ok(withLine({ ...entry, refunds }, { at, what, amount: refund.amount, subject: id }));
}

/** A pending refund ends in any way; a refund that took place may fail later. */
function isEnd(from: RefundState, to: RefundState): boolean {
  return from === 'pending' ? to !== 'pending' : from === 'succeeded' && to === 'failed';
}

const respondWithinMs = 7 * 24 * hourMs;

/** The cardholder contests a captured payment, or a part of it. */
export function disputed(entry: Entry, amountMinor: bigint, at: EpochMs): Result<Entry, Rejection> {
  if (entry.status !== 'captured') return err('unexpectedState');
  const { disputes, currency } = entry;
  if (amountMinor <= 0n || amountMinor > leftMinor(entry, disputes)) return err('amountTooLarge');
  const amount = formatMoney(amountMinor);
  const id = nextSubject(entry, 'disputed');
  const dispute: DisputeEntry = {
    id,
    state: 'open',
    amount,
    currency,
    reason: 'fraudulent',
    respondBy: at + respondWithinMs,
    createdAt: at,
  };
  const after = { ...entry, disputes: [...disputes, dispute] };
  return ok(withLine(after, { at, what: 'disputed', amount, subject: id }));
}

export function disputeClosed(
  entry: Entry,
  id: string,
  state: 'won' | 'lost',
  at: EpochMs,
): Result<Entry, Rejection> {
  const dispute = entry.disputes.find((one) => one.id === id);
  if (dispute?.state !== 'open') return err('unexpectedState');
  const disputes = replaced(entry.disputes, { ...dispute, state });
  const line = { at, what: 'disputeChanged', amount: dispute.amount, subject: id } as const;
  return ok(withLine({ ...entry, disputes }, line));
}

/** Every refund of a payment, those of the dashboard included. */
export function refundsOf({ currency, refunds }: Entry): readonly ProcessorRefund[] {
  return refunds.map(({ id, refundId, state, amount, failure, createdAt }) => ({
    reference: id,
    ...(refundId !== undefined && { refundId }),
    state,
    amountMinor: minor(amount),
    currency,
    ...(failure !== undefined && { failure }),
    madeAt: createdAt,
  }));
}

/** Every dispute of a payment, as it is now. */
export function disputesOf({ disputes }: Entry): readonly ProcessorDispute[] {
  return disputes.map(({ id, state, amount, currency, reason, respondBy, createdAt }) => ({
    reference: id,
    amountMinor: minor(amount),
    state,
    currency,
    reason,
    respondBy,
    openedAt: createdAt,
  }));
}

/** The captured amount, less these refunds or disputes. */
function leftMinor(
  { amountCaptured }: Entry,
  taken: readonly { readonly amount: string }[],
): bigint {
  return taken.reduce((left, { amount }) => left - minor(amount), minor(amountCaptured));
}

function replaced<T extends { readonly id: string }>(all: readonly T[], after: T): readonly T[] {
  return all.map((one) => (one.id === after.id ? after : one));
}

/** The id of a refund or dispute that the next line of the history begins. */
function nextSubject({ id, history }: Entry, what: HistoryLine['what']): string {
  return `fre_${derive(id, what, history.length)}`;
}
