import {
  type EpochMs,
  err,
  formatMoney,
  isCounted,
  ok,
  type ProcessorDispute,
  type ProcessorRefund,
  type RefundPaymentRequest,
  type RefundState,
  type Result,
} from '@chairside/core';
import { type Entry, type HistoryLine, minor, withLine } from './entry.ts';
import { rejections } from './errors.ts';
import { subjectOf } from './events.ts';
import type { DisputeEntry, RefundEntry } from './money-back-entry.ts';

type Asked = Pick<RefundEntry, 'refundId' | 'returnsFee'> & { readonly amountMinor: bigint };

/** The captured amount that is not refunded yet. */
function leftMinor({ amountCaptured, refunds = [] }: Entry): bigint {
  return refunds
    .filter(isCounted)
    .reduce((left, { amount }) => left - minor(amount), minor(amountCaptured));
}

/** Gives money back, at once or, where refunds are slow, in a while. */
export function refunded(
  entry: Entry,
  { refundId, returnsFee, amountMinor }: Asked,
  state: 'pending' | 'succeeded',
  at: EpochMs,
): Result<Entry, string> {
  if (entry.status !== 'captured') return err(rejections.unexpectedState);
  if (amountMinor <= 0n) return err(rejections.amountNotPositive);
  if (amountMinor > leftMinor(entry)) return err(rejections.notRefundable);
  const amount = formatMoney(amountMinor);
  const what = state === 'succeeded' ? 'refunded' : 'refundChanged';
  const noted = begun(entry, { at, what, amount });
  const refund: RefundEntry = {
    id: noted.subject,
    ...(refundId !== undefined && { refundId }),
    state,
    amount,
    returnsFee,
    createdAt: at,
  };
  return ok({ ...noted.entry, refunds: [...(entry.refunds ?? []), refund] });
}

function toProcessorRefund(
  { currency }: Entry,
  { id, refundId, state, amount, failure }: RefundEntry,
): ProcessorRefund {
  return {
    reference: id,
    ...(refundId !== undefined && { refundId }),
    state,
    amountMinor: minor(amount),
    currency,
    ...(failure !== undefined && { failure }),
  };
}

/** Every refund of a payment, those of the dashboard included. */
export function refundsOf(entry: Entry): readonly ProcessorRefund[] {
  return (entry.refunds ?? []).map((refund) => toProcessorRefund(entry, refund));
}

/** Every dispute of a payment, as it is now. */
export function disputesOf({ disputes = [] }: Entry): readonly ProcessorDispute[] {
  return disputes.map(({ id, state, amount, currency, reason, respondBy }) => ({
    reference: id,
    amountMinor: minor(amount),
    state,
    currency,
    reason,
    respondBy,
  }));
}

/** The refund of a request, once it was applied. */
export function findRefund(
  entry: Entry,
  { refundId }: Pick<RefundPaymentRequest, 'refundId'>,
): ProcessorRefund | undefined {
  const refund = entry.refunds?.findLast((one) => one.refundId === refundId);
  return refund && toProcessorRefund(entry, refund);
}

/** Ends a refund otherwise than it stands: days later, it fails. */
export function refundEnded(
  entry: Entry,
  id: string,
  state: RefundState,
  at: EpochMs,
): Result<Entry, string> {
  const { refunds = [] } = entry;
  const refund = refunds.find((one) => one.id === id);
  if (refund === undefined || !isEnd(refund.state, state)) return err(rejections.unexpectedState);
  const after: RefundEntry = {
    ...refund,
    state,
    ...(state === 'failed' && { failure: 'lost_or_stolen_card' }),
  };
  const what = state === 'succeeded' ? 'refunded' : 'refundChanged';
  const noted = withLine(entry, { at, what, amount: refund.amount, subject: id });
  return ok({ ...noted, refunds: refunds.map((one) => (one.id === id ? after : one)) });
}

/** A pending refund ends in any way; one that took place may fail later. */
function isEnd(from: RefundState, to: RefundState): boolean {
  return from === 'pending' ? to !== 'pending' : from === 'succeeded' && to === 'failed';
}

const respondWithinMs = 7 * 24 * 3_600_000;

/** The cardholder contests a captured payment, or a part of it. */
export function disputed(entry: Entry, amountMinor: bigint, at: EpochMs): Result<Entry, string> {
  if (entry.status !== 'captured') return err(rejections.unexpectedState);
  const { disputes = [], amountCaptured, currency } = entry;
  const left = disputes.reduce((sum, { amount }) => sum - minor(amount), minor(amountCaptured));
  if (amountMinor <= 0n || amountMinor > left) return err(rejections.amountTooLarge);
  const amount = formatMoney(amountMinor);
  const noted = begun(entry, { at, what: 'disputed', amount });
  const dispute: DisputeEntry = {
    id: noted.subject,
    state: 'open',
    amount,
    currency,
    reason: 'fraudulent',
    respondBy: at + respondWithinMs,
    createdAt: at,
  };
  return ok({ ...noted.entry, disputes: [...disputes, dispute] });
}

export function disputeClosed(
  entry: Entry,
  id: string,
  state: 'won' | 'lost',
  at: EpochMs,
): Result<Entry, string> {
  const { disputes = [] } = entry;
  const dispute = disputes.find((one) => one.id === id);
  if (dispute?.state !== 'open') return err(rejections.unexpectedState);
  const noted = withLine(entry, {
    at,
    what: 'disputeChanged',
    amount: dispute.amount,
    subject: id,
  });
  const after = disputes.map((one) => (one.id === id ? { ...one, state } : one));
  return ok({ ...noted, disputes: after });
}

/** A line that begins a refund or dispute, which takes its id from the line. */
function begun(entry: Entry, line: HistoryLine): { entry: Entry; subject: string } {
  const index = entry.history.length;
  const subject = subjectOf(withLine(entry, line), index);
  return { entry: withLine(entry, { ...line, subject }), subject };
}
