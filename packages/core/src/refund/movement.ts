import type { Payment } from '../payment/payment.ts';
import { tipIn } from '../payment/tip.ts';
import { orNothing } from '../values/bounds.ts';
import type { EpochMs } from '../values/time.ts';
import type { Dispute, DisputeBooking, ProcessorDispute } from './dispute.ts';
import { isCounted, type ProcessorRefund, type Refund } from './refund.ts';

/**
 * A change of the amount that went back of a payment, or of what a person's word had recorded as captured.
 * A record is never changed, so that the statement of a past day stays the same (D50).
 */
export interface Movement {
  readonly id: string;
  readonly businessId: string;
  readonly barberId: string;
  readonly account: string;
  readonly paymentId: string;
  readonly kind: 'payment' | 'refund' | 'dispute';
  /** The processor's id of the refund or dispute. */
  readonly subject: string;
  readonly currency: string;
  /** Negative for money that leaves the shop, positive for money that comes back to it. */
  readonly amountMinor: bigint;
  /** The part of the amount that is tip. */
  readonly tipMinor: bigint;
  readonly at: EpochMs;
}

type Moved = Pick<Movement, 'kind' | 'subject' | 'currency' | 'amountMinor' | 'tipMinor' | 'at'>;

/** A movement of a payment; none for zero. `id` is unique among the movements of all payments. */
function movement(
  id: string,
  { id: paymentId, businessId, account, appointment }: Payment,
  moved: Moved,
): readonly Movement[] {
  if (moved.amountMinor === 0n) return [];
  return [{ id, businessId, barberId: appointment.barber.id, account, paymentId, ...moved }];
}

/** Takes back what a person's word recorded as captured, or adds it again. */
export function correctionOf(payment: Payment, at: EpochMs): readonly Movement[] {
  const { id, version, reference: subject = id, currency, capturedMinor = 0n } = payment;
  const sign = payment.state === 'captured' ? 1n : -1n;
  const amountMinor = sign * capturedMinor;
  const tipMinor = sign * tipIn(payment, capturedMinor);
  const moved = { kind: 'payment', subject, currency, amountMinor, tipMinor, at } as const;
  return movement(`${id}.${version}`, payment, moved);
}

/**
 * The movements of a refund's change. A refund that had failed before we recorded its booking has two,
 * because the processor's books have both. One that the processor never booked has none. Each is at the
 * processor's time for it, if the reply states one.
 */
export function refundMovements(
  payment: Payment,
  before: Refund | undefined,
  after: Refund,
  seen: Partial<Pick<ProcessorRefund, 'madeAt' | 'returnedAt'>> = {},
): readonly Movement[] {
  const { id, version, reference, currency, updatedAt } = after;
  const isNew = before?.isBooked !== true;
  const { madeAt = updatedAt, returnedAt = updatedAt } = seen;
  const about = { kind: 'refund', subject: reference ?? id, currency } as const;
  const moved = (
    of: string,
    amountMinor: bigint,
    tipMinor: bigint,
    at: EpochMs,
    subject?: string,
  ) => movement(of, payment, { ...about, ...(subject && { subject }), amountMinor, tipMinor, at });
  // A person's word recorded it under our own id, and the processor's entry has another one. The day
  // that shows it may be closed, so both move now (D201).
  const isNamed = isGivenBack(before) && before.reference === undefined && reference !== undefined;
  if (isNamed || (isNew && after.isBooked && !isCounted(after))) {
    const { amountMinor, tipMinor = 0n } = after;
    const named = [givenBack(before), tipGivenBack(before), updatedAt, id] as const;
    return [
      ...(isNamed ? moved(`${id}.${version}.unnamed`, ...named) : []),
      ...moved(`${id}.${version}`, -amountMinor, -tipMinor, isNamed ? updatedAt : madeAt),
      ...(isCounted(after)
        ? []
        : moved(`${id}.${version}.back`, amountMinor, tipMinor, isNamed ? updatedAt : returnedAt)),
    ];
  }
  const amountMinor = givenBack(before) - givenBack(after);
  const tipMinor = tipGivenBack(before) - tipGivenBack(after);
  const laterAt = isCounted(after) ? updatedAt : returnedAt;
  return moved(`${id}.${version}`, amountMinor, tipMinor, isNew ? madeAt : laterAt);
}

/** Only a refund that the processor has booked is in its books. */
function isGivenBack(refund: Refund | undefined): refund is Refund {
  return refund?.isBooked === true && isCounted(refund);
}

function givenBack(refund: Refund | undefined): bigint {
  return isGivenBack(refund) ? refund.amountMinor : 0n;
}

function tipGivenBack(refund: Refund | undefined): bigint {
  return isGivenBack(refund) ? (refund.tipMinor ?? 0n) : 0n;
}

/** The movements of a dispute's change: one for each booking that is not recorded yet. */
export function disputeMovements(
  payment: Payment,
  before: Dispute | undefined,
  after: Dispute,
  { bookings, openedAt }: Pick<ProcessorDispute, 'bookings' | 'openedAt'>,
): readonly Movement[] {
  const { id, version, reference, bookedIn: currency, updatedAt } = after;
  const about = { kind: 'dispute', subject: reference, tipMinor: 0n } as const;
  const isSame = before?.bookedIn === currency;
  const known = isSame ? before : undefined;
  // Two currencies cannot be subtracted, so all of it moves anew.
  const undone: readonly (DisputeBooking & { readonly currency: string })[] =
    before === undefined || isSame
      ? []
      : [{ amountMinor: before.takenMinor - before.returnedMinor, currency: before.bookedIn }];
  const takenAt = (before === undefined ? openedAt : undefined) ?? updatedAt;
  const moved = [
    ...undone,
    ...[
      ...unrecorded(bookings.map(negated), known?.takenMinor).map(negated),
      ...unrecorded(bookings, known?.returnedMinor),
    ].map((one) => ({ ...one, currency })),
  ].filter(({ amountMinor }) => amountMinor !== 0n);
  return moved.flatMap(({ amountMinor, at, currency: of }, index) =>
    movement(index === 0 ? `${id}.${version}` : `${id}.${version}.${index}`, payment, {
      ...about,
      currency: of,
      amountMinor,
      // Stryker disable next-line EqualityOperator: bookings of nothing are left out above.
      at: at ?? (amountMinor < 0n ? takenAt : updatedAt),
    }),
  );
}

const negated = (one: DisputeBooking) => ({ ...one, amountMinor: -one.amountMinor });

/** What the positive bookings have beyond a recorded sum, oldest first; what is missing of it is undone. */
function unrecorded(
  bookings: readonly DisputeBooking[],
  recordedMinor = 0n,
): readonly DisputeBooking[] {
  let knownMinor = recordedMinor;
  const ordered = bookings.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  const found = ordered.map((one) => {
    const sizeMinor = orNothing(one.amountMinor);
    const amountMinor = orNothing(sizeMinor - knownMinor);
    knownMinor = orNothing(knownMinor - sizeMinor);
    return { ...one, amountMinor };
  });
  return [...found, { amountMinor: -knownMinor }];
}
