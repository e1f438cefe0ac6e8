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

/** A dispute as the processor shows it. */
export interface ProcessorDispute {
  /** The processor's id of the dispute. */
  readonly reference: string;
  readonly amountMinor: bigint;
  readonly state: DisputeState;
  readonly currency?: string;
  readonly reason?: string;
  readonly respondBy?: EpochMs;
  /** When the processor sent the message; absent if the dispute was read at the processor. */
  readonly at?: EpochMs;
  /** When it was opened, if the processor states that. */
  readonly openedAt?: EpochMs;
}

/** The details of a dispute in a message. */
export type SeenDispute = Omit<ProcessorDispute, 'reference' | 'amountMinor'> & {
  readonly at: EpochMs;
};

interface Disputed {
  readonly currency: string;
  readonly capturedMinor: bigint;
}

/**
 * The sum that disputes withhold: the open and the lost ones (D44). An amount in another currency than
 * the payment's cannot be subtracted, so that dispute withholds the whole payment (D45).
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
 * The dispute as the processor shows it; `undefined` if its record stays as it is. A dispute that was
 * read at the processor counts. A message counts unless it is older than the record. A closed dispute
 * is never opened again (D45).
 */
export function followDispute(
  dispute: Dispute,
  seen: ProcessorDispute,
  at: EpochMs,
): Dispute | undefined {
  const { amountMinor, state, at: seenAt = Math.max(at, dispute.seenAt) } = seen;
  const isReopened = dispute.state !== 'open' && state === 'open';
  if (isReopened || seenAt < dispute.seenAt) return undefined;
  // Processors count whole seconds, so two messages of one second are ordered by what they say.
  if (seenAt === dispute.seenAt && seen.at !== undefined && !withholdsMore(dispute, seen)) {
    return undefined;
  }
  const { reason = dispute.reason, respondBy = dispute.respondBy } = seen;
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
    seenAt,
  };
}

/** Closed counts after open; lost counts after won; else the larger amount counts. */
const order: Readonly<Record<DisputeState, number>> = { open: 0, won: 1, lost: 2 };

function withholdsMore(dispute: Dispute, seen: ProcessorDispute): boolean {
  const difference = order[seen.state] - order[dispute.state];
  return difference > 0 || (difference === 0 && seen.amountMinor > dispute.amountMinor);
}
