import type { Work } from './payment.ts';
import type { EpochMs } from './time.ts';

export const refundStates = ['pending', 'succeeded', 'failed', 'canceled'] as const;
/** Where a refund stands. `pending` counts as given back until the processor says otherwise. */
export type RefundState = (typeof refundStates)[number];

/** At most this many refunds of one payment are made here. */
export const maxRefunds = 100;
/** More refunds of one payment are not read: a payment with so many needs a person. */
export const maxListedRefunds = 1000;

/** Money of a captured payment that goes back, whole or in part (D44). */
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
  /** Whether the transfer to the business is reversed, where the platform was charged. Frozen too. */
  readonly reversesTransfer: boolean;
  readonly state: RefundState;
  /** Rises by one with every change; writes name the version they were made from. */
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
  /** When `reconcile` looks at it next; absent when there is nothing left to do. */
  readonly nextCheckAt?: EpochMs;
  /** How often `reconcile` looked in vain; the wait doubles with each. */
  readonly checks: number;
}

/** A refund that a call works on, or worked on and died. */
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

/** Whether its amount counts as given back: it went, it is on its way, or it may be. */
export function isCounted({ state }: Pick<Refund, 'state'>): boolean {
  return state === 'pending' || state === 'succeeded';
}

/** What these refunds give back, or may give back. */
export function refundedMinor(refunds: readonly Pick<Refund, 'state' | 'amountMinor'>[]): bigint {
  return refunds.filter(isCounted).reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
}

/** Whether anything can still become of it without a person: `succeeded` may fail later. */
export function isSettled({ state, work }: Refund): boolean {
  return state !== 'pending' && work === undefined;
}
