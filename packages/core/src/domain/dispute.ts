import type { EpochMs } from './time.ts';

export const disputeStates = ['open', 'won', 'lost'] as const;
/** `open`: the money is withheld. `lost`: it is gone. `won`: it came back to the shop. */
export type DisputeState = (typeof disputeStates)[number];

/** A cardholder contests a captured payment (D45). It changes no payment's state. */
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

/** A dispute as a message of the processor shows it. */
export interface SeenDispute {
  readonly state: DisputeState;
  readonly currency?: string;
  readonly reason?: string;
  readonly respondBy?: EpochMs;
  /** When the processor sent it. */
  readonly at: EpochMs;
}

/** The payment that is disputed. */
interface Disputed {
  readonly currency: string;
  readonly capturedMinor: bigint;
}

/**
 * The sum that disputes withhold: the open and the lost ones (D44). An amount in another currency than
 * the payment's cannot be subtracted, so that dispute withholds the whole payment (D145).
 */
export function disputedMinor(
  disputes: readonly Pick<Dispute, 'state' | 'amountMinor' | 'currency'>[],
  payment: Disputed,
): bigint {
  return disputes
    .filter(({ state }) => state !== 'won')
    .map((one) => (one.currency === payment.currency ? one.amountMinor : payment.capturedMinor))
    .reduce((sum, amountMinor) => sum + amountMinor, 0n);
}

/**
 * The dispute after a message about it; `undefined` if the message is older than the record, or the
 * same. A closed dispute is never opened again.
 */
export function followDispute(
  dispute: Dispute,
  amountMinor: bigint,
  seen: SeenDispute,
  at: EpochMs,
): Dispute | undefined {
  const isOlder = seen.at < dispute.seenAt || (dispute.state !== 'open' && seen.state === 'open');
  if (isOlder) return undefined;
  const { reason = dispute.reason, respondBy = dispute.respondBy, state } = seen;
  const { currency = dispute.currency } = seen;
  const isSame =
    state === dispute.state &&
    amountMinor === dispute.amountMinor &&
    currency === dispute.currency &&
    reason === dispute.reason &&
    respondBy === dispute.respondBy;
  if (isSame) return undefined;
  return {
    ...dispute,
    amountMinor,
    currency,
    state,
    ...(reason !== undefined && { reason }),
    ...(respondBy !== undefined && { respondBy }),
    version: dispute.version + 1,
    updatedAt: at,
    seenAt: seen.at,
  };
}
