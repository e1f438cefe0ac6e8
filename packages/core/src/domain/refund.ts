import type { Work } from './payment.ts';
import type { EpochMs } from './time.ts';

export const refundStates = ['pending', 'succeeded', 'failed', 'canceled'] as const;
/** The state of a refund. `pending` counts as given back until the processor says otherwise. */
export type RefundState = (typeof refundStates)[number];

/** The maximum of refunds of one payment that are made here. */
export const maxRefunds = 100;
/** The maximum of refunds of one payment that are read. With so many it takes no further refund. */
export const maxListedRefunds = 1000;

/** A refund of a captured payment, in full or in part (D44). */
export interface Refund {
  readonly id: string;
  readonly paymentId: string;
  readonly account: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  /** `elsewhere`: made at the processor, in its dashboard for example. */
  readonly origin: 'here' | 'elsewhere';
  /** The caller's own words. */
  readonly reason?: string;
  /** Whether the platform's fee goes back in proportion. Frozen in the claim (D46). */
  readonly returnsFee: boolean;
  /** Whether the transfer to the business is reversed, if the platform was charged. Frozen too. */
  readonly reversesTransfer: boolean;
  readonly state: RefundState;
  /** Rises by one with every change. Writes name the version that they are based on. */
  readonly version: number;
  /** The processor's id of the refund, once it has accepted the refund. */
  readonly reference?: string;
  /** Why it failed, in the processor's words. */
  readonly failure?: string;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** The state in which the processor first accepted it: the response to its key (D21). */
  readonly acceptedAs?: RefundState;
  readonly acceptedAt?: EpochMs;
  readonly work?: Work;
  /** The time of `reconcile`'s next check; absent if no work is left. */
  readonly nextCheckAt?: EpochMs;
  /** The number of `reconcile`'s checks in vain. The wait doubles with each. */
  readonly checks: number;
}

/** A refund with unfinished work, whose holder may be dead. */
export type RefundAtWork = Refund & { readonly work: Work };

/** A refund as the processor shows it. */
export interface ProcessorRefund {
  /** The processor's id of the refund. */
  readonly reference: string;
  /** Our id, from the mark that the refund was made with; absent for one made elsewhere. */
  readonly refundId?: string;
  readonly state: RefundState;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** Why it failed, in the processor's words. */
  readonly failure?: string;
}

/** Whether its amount counts as given back: it was refunded, is pending, or may be either. */
export function isCounted({ state }: Pick<Refund, 'state'>): boolean {
  return state === 'pending' || state === 'succeeded';
}

/** The sum that these refunds give back, or may give back. */
export function refundedMinor(refunds: readonly Pick<Refund, 'state' | 'amountMinor'>[]): bigint {
  return refunds.filter(isCounted).reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/** Whether the processor accepted it. Its key keeps that response, even if the refund fails later. */
export function wasAcknowledged({ acceptedAs }: Pick<Refund, 'acceptedAs'>): boolean {
  return acceptedAs === 'pending' || acceptedAs === 'succeeded';
}
