import {
  type Card,
  type EpochMs,
  formatMoney,
  hourMs,
  type OpenPaymentRequest,
  type PaymentState,
  type ProcessorPayment,
} from '@chairside/core';
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
  { id, clientSecret }: Pick<Entry, 'id' | 'clientSecret'>,
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

/** The entry with one more line in its history. */
export function withLine(entry: Entry, line: HistoryLine): Entry {
  return { ...entry, history: [...entry.history, line] };
}

/** `formatMoney` has written the amounts in the ledger. */
export function minor(money: string): bigint {
  return BigInt(money.replace('.', ''));
}
