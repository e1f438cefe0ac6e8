import {
  type EpochMs,
  err,
  formatMoney,
  hourMs,
  ok,
  type RefundState,
  type Result,
} from '@chairside/core';
import { isCounted, type ProcessorDispute, type ProcessorRefund } from '@chairside/core/ports';
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

/** How a refund begins: where refunds are slow, it may wait until the balance suffices. */
export type NewRefund = Pick<RefundEntry, 'isBooked'> & { readonly state: 'pending' | 'succeeded' };

/** Gives money back, at once or, where refunds are slow, in a while. */
export function refunded(
  entry: Entry,
  { refundId, returnsFee, amountMinor }: Asked,
  { state, isBooked }: NewRefund,
  at: EpochMs,
): Result<Entry, Rejection> {
  if (entry.status !== 'captured') return err('unexpectedState');
  if (entry.isRefundedInPerson) return err('cardMustBePresent');
  if (amountMinor <= 0n) return err('amountNotPositive');
  if (amountMinor > leftMinor(entry, entry.refunds.filter(isCounted))) return err('notRefundable');
  const amount = formatMoney(amountMinor);
  const what = state === 'succeeded' ? 'refunded' : 'refundChanged';
  const id = nextSubject(entry, what);
  const made = { id, state, amount, returnsFee, isBooked, createdAt: at };
  const refund: RefundEntry = refundId === undefined ? made : { ...made, refundId };
  const after = { ...entry, refunds: [...entry.refunds, refund] };
  const booked = isBooked ? { booked: formatMoney(-amountMinor) } : {};
  return ok(withLine(after, { at, what, amount, subject: id, ...booked }));
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
  const isGiven = state === 'succeeded';
  const isBooked = refund.isBooked || isGiven;
  const isMoved = isGiven !== refund.isBooked;
  const moved = isGiven ? { bookedAt: at } : { returnedAt: at };
  const ended = { ...refund, state, isBooked, ...failure, ...(isMoved && moved) };
  const refunds = replaced(entry.refunds, ended);
  const what = isGiven ? 'refunded' : 'refundChanged';
  const { amount } = refund;
  const sign = isGiven ? -1n : 1n;
  const booked = isMoved ? { booked: formatMoney(sign * minor(amount)) } : {};
  return ok(withLine({ ...entry, refunds }, { at, what, amount, subject: id, ...booked }));
}

/** A pending refund ends in any way; a refund that took place may fail later. */
function isEnd(from: RefundState, to: RefundState): boolean {
  return from === 'pending' ? to !== 'pending' : from === 'succeeded' && to === 'failed';
}

const respondWithinMs = 7 * 24 * hourMs;

/** The cardholder contests a captured payment, or a part of it: with an inquiry, or at once in earnest. */
export function disputed(
  entry: Entry,
  amountMinor: bigint,
  isInquiry: boolean,
  at: EpochMs,
): Result<Entry, Rejection> {
  if (entry.status !== 'captured') return err('unexpectedState');
  const { disputes, currency } = entry;
  if (amountMinor <= 0n || amountMinor > leftMinor(entry, disputes)) return err('amountTooLarge');
  const dispute: DisputeEntry = {
    id: nextSubject(entry, 'disputed'),
    state: 'open',
    isInquiry,
    bookings: [],
    amount: formatMoney(amountMinor),
    currency,
    reason: 'fraudulent',
    respondBy: at + respondWithinMs,
    createdAt: at,
  };
  const after = { ...entry, disputes: [...disputes, dispute] };
  return ok(noted(after, dispute, isInquiry ? 0n : -amountMinor, at, 'disputed'));
}

/**
 * Changes a dispute. `won` and `lost` close it, and `lost` takes what is not withheld yet; an inquiry can
 * only be closed as won. `reopened`: a closed case goes on. `withheld`: an open case takes its amount, so
 * that an inquiry becomes a dispute.
 */
export function disputeChanged(
  entry: Entry,
  id: string,
  change: 'won' | 'lost' | 'reopened' | 'withheld',
  at: EpochMs,
): Result<Entry, Rejection> {
  const dispute = entry.disputes.find((one) => one.id === id);
  if (dispute === undefined) return err('unexpectedState');
  const isOpen = dispute.state === 'open';
  const takenMinor = -sumOf(dispute.bookings);
  const restMinor = minor(dispute.amount) - takenMinor;
  switch (change) {
    case 'won':
      if (!isOpen) return err('unexpectedState');
      return ok(noted(entry, { ...dispute, state: 'won' }, takenMinor, at));
    case 'lost':
      if (!isOpen || dispute.isInquiry) return err('unexpectedState');
      return ok(noted(entry, { ...dispute, state: 'lost' }, -restMinor, at));
    case 'reopened': {
      if (isOpen) return err('unexpectedState');
      const respondBy = at + respondWithinMs;
      return ok(noted(entry, { ...dispute, state: 'open', respondBy }, 0n, at));
    }
    case 'withheld':
      if (!isOpen || restMinor === 0n) return err('unexpectedState');
      return ok(noted(entry, { ...dispute, isInquiry: false }, -restMinor, at));
  }
}

function noted(
  entry: Entry,
  changed: DisputeEntry,
  bookedMinor: bigint,
  at: EpochMs,
  what: 'disputed' | 'disputeChanged' = 'disputeChanged',
): Entry {
  const { id: subject, amount, bookings } = changed;
  const booked = formatMoney(bookedMinor);
  const isBooked = bookedMinor !== 0n;
  const dispute = isBooked
    ? { ...changed, bookings: [...bookings, { amount: booked, at }] }
    : changed;
  const line = { at, what, amount, subject, dispute, ...(isBooked && { booked }) };
  return withLine({ ...entry, disputes: replaced(entry.disputes, dispute) }, line);
}

function sumOf(bookings: DisputeEntry['bookings']): bigint {
  return bookings.reduce((sum, { amount }) => sum + minor(amount), 0n);
}

/** Every refund of a payment, those of the dashboard included. */
export function refundsOf({ currency, refunds }: Entry): readonly ProcessorRefund[] {
  return refunds.map(({ id, amount, returnsFee: _, createdAt, bookedAt, ...refund }) => ({
    ...refund,
    reference: id,
    amountMinor: minor(amount),
    currency,
    madeAt: bookedAt ?? createdAt,
    ...(refund.state === 'pending' && {
      pendingReason: refund.isBooked ? 'processing' : 'insufficient_funds',
    }),
  }));
}

/** Every dispute of a payment, as it is now. */
export function disputesOf({ disputes }: Entry): readonly ProcessorDispute[] {
  return disputes.map(({ id, amount, createdAt, ...dispute }) => ({
    reference: id,
    amountMinor: minor(amount),
    state: dispute.state,
    bookings: dispute.bookings.map((one) => ({ amountMinor: minor(one.amount), at: one.at })),
    isRefundable: dispute.isInquiry,
    currency: dispute.currency,
    reason: dispute.reason,
    respondBy: dispute.respondBy,
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
