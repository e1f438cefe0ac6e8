import type { Dispute } from './dispute.ts';
import type { Payment } from './payment.ts';
import { isCounted, type Refund } from './refund.ts';
import type { EpochMs } from './time.ts';

/**
 * A change of the amount that went back of a payment. A record is never changed, so that the statement
 * of a past day stays the same (D50).
 */
export interface Movement {
  readonly id: string;
  readonly businessId: string;
  readonly barberId: string;
  readonly account: string;
  readonly paymentId: string;
  readonly kind: 'refund' | 'dispute';
  /** The processor's id of the refund or dispute. */
  readonly subject: string;
  readonly currency: string;
  /** Negative for money that leaves the shop, positive for money that comes back to it. */
  readonly amountMinor: bigint;
  /** The part of the amount that is tip (D48). */
  readonly tipMinor: bigint;
  readonly at: EpochMs;
}

type Moved = Pick<Movement, 'kind' | 'subject' | 'currency' | 'amountMinor' | 'tipMinor' | 'at'>;

/** A movement of a payment; none for zero. `id` is unique among the movements of all payments. */
export function movement(
  id: string,
  { id: paymentId, businessId, account, appointment }: Payment,
  moved: Moved,
): readonly Movement[] {
  if (moved.amountMinor === 0n) return [];
  return [{ id, businessId, barberId: appointment.barber.id, account, paymentId, ...moved }];
}

/** The movement of a refund's change. `madeAt` is the processor's time of a new one, if it states one. */
export function refundMovement(
  payment: Payment,
  before: Refund | undefined,
  after: Refund,
  madeAt?: EpochMs,
): readonly Movement[] {
  const { id, version, reference, currency, updatedAt } = after;
  const isNew = before === undefined || givenBack(before) === 0n;
  return movement(`${id}.${version}`, payment, {
    kind: 'refund',
    subject: reference ?? id,
    currency,
    amountMinor: givenBack(before) - givenBack(after),
    tipMinor: tipGivenBack(before) - tipGivenBack(after),
    at: isNew && madeAt !== undefined ? madeAt : updatedAt,
  });
}

/** Only a refund that the processor has accepted is in its books. */
function givenBack(refund: Refund | undefined): bigint {
  const isInBooks = refund?.acceptedAt !== undefined && isCounted(refund);
  return isInBooks ? refund.amountMinor : 0n;
}

function tipGivenBack(refund: Refund | undefined): bigint {
  return givenBack(refund) === 0n ? 0n : (refund?.tipMinor ?? 0n);
}

/** The movement of a dispute's change. `openedAt` is the processor's time of a new one. */
export function disputeMovement(
  payment: Payment,
  before: Dispute | undefined,
  after: Dispute,
  openedAt?: EpochMs,
): readonly Movement[] {
  const { id, version, reference, currency, updatedAt } = after;
  return movement(`${id}.${version}`, payment, {
    kind: 'dispute',
    subject: reference,
    currency,
    amountMinor: withheld(before) - withheld(after),
    tipMinor: 0n,
    at: before === undefined ? (openedAt ?? updatedAt) : updatedAt,
  });
}

function withheld(dispute: Dispute | undefined): bigint {
  return dispute === undefined || dispute.state === 'won' ? 0n : dispute.amountMinor;
}
