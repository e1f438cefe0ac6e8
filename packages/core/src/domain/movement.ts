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

/**
 * The movements of a refund's change. A refund that had failed before we recorded it has two, because the
 * processor's books have both. `madeAt` is the processor's time of a new refund, if the reply states it.
 */
export function refundMovements(
  payment: Payment,
  before: Refund | undefined,
  after: Refund,
  madeAt?: EpochMs,
): readonly Movement[] {
  const { id, version, reference, currency, updatedAt } = after;
  const isNew = givenBack(before) === 0n;
  const begunAt = (isNew ? madeAt : undefined) ?? updatedAt;
  const about = { kind: 'refund', subject: reference ?? id, currency } as const;
  const moved = (of: string, amountMinor: bigint, tipMinor: bigint, at: EpochMs) =>
    movement(of, payment, { ...about, amountMinor, tipMinor, at });
  if (before?.acceptedAt === undefined && after.acceptedAt !== undefined && !isCounted(after)) {
    const { amountMinor, tipMinor = 0n } = after;
    return [
      ...moved(`${id}.${version}`, -amountMinor, -tipMinor, begunAt),
      ...moved(`${id}.${version}.back`, amountMinor, tipMinor, updatedAt),
    ];
  }
  const amountMinor = givenBack(before) - givenBack(after);
  const tipMinor = tipGivenBack(before) - tipGivenBack(after);
  return moved(`${id}.${version}`, amountMinor, tipMinor, begunAt);
}

/** Only a refund that the processor has accepted is in its books. */
function givenBack(refund: Refund | undefined): bigint {
  const isInBooks = refund?.acceptedAt !== undefined && isCounted(refund);
  return isInBooks ? refund.amountMinor : 0n;
}

function tipGivenBack(refund: Refund | undefined): bigint {
  return givenBack(refund) === 0n ? 0n : (refund?.tipMinor ?? 0n);
}

/**
 * The movements of a dispute's change. A dispute that was won before we recorded it has two. `openedAt` is
 * the processor's time of a new dispute.
 */
export function disputeMovements(
  payment: Payment,
  before: Dispute | undefined,
  after: Dispute,
  openedAt?: EpochMs,
): readonly Movement[] {
  const { id, version, reference, currency, updatedAt } = after;
  const about = { kind: 'dispute', subject: reference, currency, tipMinor: 0n } as const;
  const begunAt = (before === undefined ? openedAt : undefined) ?? updatedAt;
  const moved = (of: string, amountMinor: bigint, at: EpochMs) =>
    movement(of, payment, { ...about, amountMinor, at });
  if (before === undefined && after.state === 'won') {
    return [
      ...moved(`${id}.${version}`, -after.amountMinor, begunAt),
      ...moved(`${id}.${version}.back`, after.amountMinor, updatedAt),
    ];
  }
  if (before !== undefined && before.currency !== currency) {
    // Two currencies cannot be subtracted (D45).
    const undone = { ...about, currency: before.currency, amountMinor: withheld(before) };
    return [
      ...movement(`${id}.${version}.back`, payment, { ...undone, at: begunAt }),
      ...moved(`${id}.${version}`, -withheld(after), begunAt),
    ];
  }
  return moved(`${id}.${version}`, withheld(before) - withheld(after), begunAt);
}

function withheld(dispute: Dispute | undefined): bigint {
  return dispute === undefined || dispute.state === 'won' ? 0n : dispute.amountMinor;
}
