import {
  type Card,
  type ChargeRefusal,
  type DisputeState,
  type EpochMs,
  formatMoney,
  hourMs,
  type PaymentState,
  type RefundState,
} from '@chairside/core';
import type {
  OpenPaymentRequest,
  ProcessorPayment,
  ProcessorSetup,
  VisitMarks,
} from '@chairside/core/ports';

/** A payment in the fake's books: plain JSON, money as decimal text. */
export interface Entry {
  /** The processor's reference of the payment. */
  readonly id: string;
  readonly account: string;
  readonly paymentId: string;
  readonly installation: string;
  readonly visit?: VisitMarks;
  readonly amount: string;
  /** The part of the amount that is tip, if any. */
  readonly tip?: string;
  /** The platform's fee, if any. */
  readonly applicationFee?: string;
  /** The amount that the issuer approved. */
  readonly amountAuthorized?: string;
  readonly amountCaptured: string;
  readonly currency: string;
  readonly status: PaymentState;
  readonly card?: Card;
  readonly isRefundedInPerson?: true;
  /** Why a charge of a saved card failed. */
  readonly refusal?: ChargeRefusal;
  readonly authorizedAt?: EpochMs;
  readonly capturedAt?: EpochMs;
  readonly captureBefore?: EpochMs;
  readonly createdAt: EpochMs;
  readonly clientSecret: string;
  /** The last capture that was accepted, to end later. */
  readonly capture?: LateCapture;
  /** A card was presented at the terminal: from then on late references are known too. */
  readonly presented: boolean;
  readonly refunds: readonly RefundEntry[];
  readonly disputes: readonly DisputeEntry[];
  /** All changes, in order. */
  readonly history: readonly HistoryLine[];
}

/** A capture that ends some time after its reply. Until then the payment stays authorized. */
export interface LateCapture {
  /** The idempotency key under which it was accepted. */
  readonly key: string;
  readonly amount: string;
  readonly state: 'pending' | 'captured' | 'failed';
}

/** The changes of a payment, and the port's event for each. */
export const eventKinds = {
  opened: 'payment',
  processing: 'payment',
  authorized: 'payment',
  declined: 'payment',
  captured: 'payment',
  captureAccepted: 'payment',
  captureFailed: 'payment',
  canceled: 'payment',
  canceledAtTerminal: 'payment',
  /** Canceled by the processor: it was not captured in time. */
  expired: 'payment',
  /** Refunds and disputes. Neither changes the status. */
  refunded: 'refund',
  disputed: 'dispute',
  /** A refund was accepted as pending, or ended otherwise than it began. */
  refundChanged: 'refund',
  disputeChanged: 'dispute',
} as const;

export interface HistoryLine {
  readonly at: EpochMs;
  readonly what: keyof typeof eventKinds;
  /** The refunded or disputed amount. */
  readonly amount?: string;
  /** The id of the refund or dispute. */
  readonly subject?: string;
  /** What a refund or dispute has changed in the balance: negative for money that leaves. */
  readonly booked?: string;
  /** The dispute after the change. */
  readonly dispute?: DisputeEntry;
}

/** A refund of a payment. */
export interface RefundEntry {
  readonly id: string;
  /** The mark of the service that made it; absent for one made in the dashboard. */
  readonly refundId?: string;
  readonly state: RefundState;
  readonly amount: string;
  readonly returnsFee: boolean;
  /** Its amount has left the balance, even if it came back since. */
  readonly isBooked: boolean;
  readonly failure?: string;
  readonly createdAt: EpochMs;
  /** Later than `createdAt` if it had to wait for the balance. */
  readonly bookedAt?: EpochMs;
  /** When its amount came back. */
  readonly returnedAt?: EpochMs;
}

/** A dispute of a payment. */
export interface DisputeEntry {
  readonly id: string;
  readonly state: DisputeState;
  /** An open inquiry takes no money, and the payment can be refunded. */
  readonly isInquiry: boolean;
  /** What it has taken, negative, and given back. */
  readonly bookings: readonly { readonly amount: string; readonly at: EpochMs }[];
  readonly amount: string;
  readonly currency: string;
  readonly reason: string;
  readonly respondBy: EpochMs;
  readonly createdAt: EpochMs;
}

/** A setup in the fake's books: plain JSON. */
export interface SetupEntry {
  /** The processor's reference of the setup. */
  readonly id: string;
  readonly setupId: string;
  readonly installation: string;
  readonly customerId: string;
  readonly savePaymentMethod: boolean;
  readonly status: ProcessorSetup['status'];
  readonly paymentMethod?: string;
  /** The name of the card that was entered. */
  readonly cardName?: string;
  /** A card was declined; the setup stays open for another card. */
  readonly declined: boolean;
  readonly createdAt: EpochMs;
  readonly completedAt?: EpochMs;
  readonly clientSecret: string;
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
    ...(request.visit !== undefined && { visit: request.visit }),
    amount: formatMoney(request.amountMinor),
    ...(request.tipMinor !== undefined && { tip: formatMoney(request.tipMinor) }),
    ...(request.applicationFeeMinor !== undefined && {
      applicationFee: formatMoney(request.applicationFeeMinor),
    }),
    amountCaptured: formatMoney(0n),
    currency: request.currency,
    status: 'created',
    createdAt: at,
    clientSecret,
    presented: false,
    refunds: [],
    disputes: [],
    history: [{ at, what: 'opened' }],
  };
}

/** The entry in the port's form, without its reference while that is not known. */
export function toProcessorPayment(entry: Entry, isReferenceKnown: boolean): ProcessorPayment {
  const { amountAuthorized, card, refusal, authorizedAt, capturedAt, captureBefore } = entry;
  return {
    ...(isReferenceKnown && { reference: entry.id }),
    status: entry.status,
    account: entry.account,
    currency: entry.currency,
    amountMinor: minor(entry.amount),
    ...(amountAuthorized !== undefined && { authorizedMinor: minor(amountAuthorized) }),
    ...(capturedAt !== undefined && { capturedAt, capturedMinor: minor(entry.amountCaptured) }),
    tipMinor: minor(entry.tip ?? '0.00'),
    applicationFeeMinor: minor(entry.applicationFee ?? '0.00'),
    ...(card !== undefined && { card }),
    ...(refusal !== undefined && entry.status === 'failed' && { refusal }),
    ...(authorizedAt !== undefined && { authorizedAt }),
    ...(captureBefore !== undefined && { captureBefore }),
    openedAt: entry.createdAt,
    clientSecret: entry.clientSecret,
  };
}

export function withLine(entry: Entry, line: HistoryLine): Entry {
  return { ...entry, history: [...entry.history, line] };
}

/** `formatMoney` has written the amounts in the books. */
export function minor(money: string): bigint {
  return BigInt(money.replace('.', ''));
}

/** Of entries in the order of opening: the one with the most progress, then the newest. */
export function furthest<S extends string, T extends { readonly status: S }>(
  entries: readonly T[],
  progress: Readonly<Record<S, number>>,
): T | undefined {
  return entries.toSorted((a, b) => progress[a.status] - progress[b.status]).at(-1);
}
