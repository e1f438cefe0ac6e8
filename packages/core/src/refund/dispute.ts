import type { Payment } from '../payment/payment.ts';
import type { Part } from '../share/share.ts';
import { orNothing } from '../values/bounds.ts';
import { Money } from '../values/money.ts';
import type { EpochMs } from '../values/time.ts';

export const disputeStates = ['open', 'won', 'lost'] as const;
/**
 * The case. Whether money is withheld is a fact of its own: an open inquiry withholds nothing. A
 * closed case may be opened again, by an appeal for example.
 */
export type DisputeState = (typeof disputeStates)[number];

/** A cardholder contests a captured payment. It changes no payment's state. */
export interface Dispute {
  readonly id: string;
  readonly paymentId: string;
  readonly businessId: string;
  readonly account: string;
  /** The processor's id of the dispute. */
  readonly reference: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly state: DisputeState;
  /** All that the processor has taken from the shop for it, and all that it has given back. */
  readonly takenMinor: bigint;
  readonly returnedMinor: bigint;
  /** The currency of both, which is the balance's. */
  readonly bookedIn: string;
  /** Whether the payment can be refunded while the case is open, as with an inquiry. */
  readonly isRefundable: boolean;
  /** Whose money is contested, of a payment that was shared before any was held: what was left to each. */
  readonly parts?: readonly Part[];
  /** The cardholder's reason, in the processor's words. */
  readonly reason?: string;
  /** The deadline for the shop's evidence. */
  readonly respondBy?: EpochMs;
  readonly version: number;
  readonly openedAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** The processor's time of the recorded message: older messages have no effect. */
  readonly seenAt: EpochMs;
}

/** A change of the shop's balance by a dispute. */
export interface DisputeBooking {
  /** Negative for money that the processor takes, positive for money that it gives back. */
  readonly amountMinor: bigint;
  /** When the processor booked it. */
  readonly at?: EpochMs;
}

/** A dispute as the processor shows it. */
export interface ProcessorDispute {
  /** The processor's id of the dispute. */
  readonly reference: string;
  readonly amountMinor: bigint;
  /** The case, whatever was booked. */
  readonly state: DisputeState;
  /** All that was booked for it so far; empty for an inquiry. */
  readonly bookings: readonly DisputeBooking[];
  /** The currency of the bookings. Default: the currency of the dispute. */
  readonly bookedIn?: string;
  /**
   * Whether the processor refunds the payment while the case is open. If it does not say so, a case for
   * which nothing was booked is an inquiry, and can be refunded.
   */
  readonly isRefundable?: boolean;
  readonly currency?: string;
  readonly reason?: string;
  readonly respondBy?: EpochMs;
  /** When the processor sent the message; absent if the dispute was read at the processor. */
  readonly at?: EpochMs;
  /** When the processor opened it, by its clock. A dispute that is read must have it. */
  readonly openedAt?: EpochMs;
}

/** The details of a dispute in a message. */
export type SeenDispute = Omit<ProcessorDispute, 'reference' | 'amountMinor'> & {
  readonly at: EpochMs;
};

/** The amount that the processor withholds from the shop now. */
export function withheldMinor({
  takenMinor,
  returnedMinor,
}: Pick<Dispute, 'takenMinor' | 'returnedMinor'>): bigint {
  return orNothing(takenMinor - returnedMinor);
}

export type Held = Pick<
  Dispute,
  | 'state'
  | 'amountMinor'
  | 'currency'
  | 'takenMinor'
  | 'returnedMinor'
  | 'bookedIn'
  | 'isRefundable'
>;

export interface Disputed {
  readonly currency: string;
  readonly capturedMinor?: bigint;
}

/**
 * What is withheld; and the whole amount of an open case that is no inquiry, because one that was won may
 * go on before its money is taken again. A lost case that gave back all it took holds its amount too: a processor may
 * not show that it took the money once more.
 */
export function heldMinor(dispute: Held, { currency, capturedMinor = 0n }: Disputed): bigint {
  const hasTaken = dispute.takenMinor > 0n;
  const isBlocked =
    (dispute.state === 'open' && (!dispute.isRefundable || hasTaken)) ||
    (dispute.state === 'lost' && hasTaken && withheldMinor(dispute) === 0n);
  const inCurrency = (minor: bigint, of: string) =>
    minor === 0n ? minor : (new Money(minor, of).in(currency) ?? capturedMinor);
  const withheld = inCurrency(withheldMinor(dispute), dispute.bookedIn);
  const blocked = inCurrency(isBlocked ? dispute.amountMinor : 0n, dispute.currency);
  // Stryker disable next-line EqualityOperator: of two equal amounts, either is the same.
  if (blocked > withheld) return blocked;
  return withheld;
}

/** The sums of what was booked for a dispute. */
export function bookedSums(
  bookings: readonly DisputeBooking[],
): Pick<Dispute, 'takenMinor' | 'returnedMinor'> {
  let [takenMinor, returnedMinor] = [0n, 0n];
  for (const { amountMinor } of bookings) {
    takenMinor += orNothing(-amountMinor);
    returnedMinor += orNothing(amountMinor);
  }
  return { takenMinor, returnedMinor };
}

/** A dispute that the processor shows, as a new record. */
export function openedDispute(
  id: string,
  { id: paymentId, businessId, account, currency: paidIn }: Payment,
  {
    reference,
    amountMinor,
    currency = paidIn,
    state,
    reason,
    respondBy,
    bookings,
    bookedIn = currency,
    isRefundable = bookings.length === 0,
    at: seenAt,
  }: ProcessorDispute,
  at: EpochMs,
): Dispute {
  return {
    id,
    paymentId,
    businessId,
    account,
    reference,
    currency,
    amountMinor,
    state,
    ...bookedSums(bookings),
    bookedIn,
    isRefundable,
    ...(reason !== undefined && { reason }),
    ...(respondBy !== undefined && { respondBy }),
    version: 1,
    openedAt: at,
    updatedAt: at,
    seenAt: seenAt ?? at,
  };
}

/**
 * The dispute as the processor shows it; `undefined` if its record stays as it is. A dispute that was
 * read at the processor counts. A message counts unless it is older than the record. A case may go on
 * after its end, and then has only the deadline that the processor states now.
 */
export function followDispute(
  dispute: Dispute,
  seen: ProcessorDispute,
  at: EpochMs,
): Dispute | undefined {
  const { amountMinor, state, at: seenAt = Math.max(at, dispute.seenAt) } = seen;
  if (seenAt < dispute.seenAt) return undefined;
  // Processors count whole seconds, so two messages of one second are ordered by what they say.
  if (seenAt === dispute.seenAt && seen.at !== undefined && !isFurther(dispute, seen)) {
    return undefined;
  }
  const isReopened = dispute.state !== 'open' && state === 'open';
  const { reason = dispute.reason, currency = dispute.currency } = seen;
  const respondBy = seen.respondBy ?? (isReopened ? undefined : dispute.respondBy);
  const { isRefundable = !isReopened && dispute.isRefundable } = seen;
  const { takenMinor, returnedMinor } = bookedSums(seen.bookings);
  const { bookedIn = currency } = seen;
  const isSame =
    state === dispute.state &&
    amountMinor === dispute.amountMinor &&
    takenMinor === dispute.takenMinor &&
    returnedMinor === dispute.returnedMinor &&
    bookedIn === dispute.bookedIn &&
    isRefundable === dispute.isRefundable &&
    currency === dispute.currency &&
    reason === dispute.reason &&
    respondBy === dispute.respondBy;
  if (isSame) return undefined;
  const { respondBy: _before, ...rest } = dispute;
  return {
    ...rest,
    amountMinor,
    currency,
    state,
    takenMinor,
    returnedMinor,
    bookedIn,
    isRefundable,
    ...(reason !== undefined && { reason }),
    ...(respondBy !== undefined && { respondBy }),
    version: dispute.version + 1,
    updatedAt: at,
    seenAt,
  };
}

/** Closed counts after open, and lost after won. */
const order: Readonly<Record<DisputeState, number>> = { open: 0, won: 1, lost: 2 };

/** Bookings are only added, so more of them count; else the later state does, else the larger amount. */
function isFurther(dispute: Dispute, seen: ProcessorDispute): boolean {
  const booked = bookedSums(seen.bookings);
  const more =
    booked.takenMinor + booked.returnedMinor - dispute.takenMinor - dispute.returnedMinor;
  if (more !== 0n) return more > 0n;
  const difference = order[seen.state] - order[dispute.state];
  return difference > 0 || (difference === 0 && seen.amountMinor > dispute.amountMinor);
}
