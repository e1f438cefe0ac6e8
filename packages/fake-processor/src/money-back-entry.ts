import type { DisputeState, EpochMs, RefundState } from '@chairside/core';

/** A refund of a payment: plain JSON, money as decimal text. */
export interface RefundEntry {
  readonly id: string;
  /** The mark of the service that made it; absent for one made in the dashboard. */
  readonly refundId?: string;
  readonly state: RefundState;
  readonly amount: string;
  readonly returnsFee: boolean;
  readonly failure?: string;
  readonly createdAt: EpochMs;
}

/** A dispute of a payment. */
export interface DisputeEntry {
  readonly id: string;
  readonly state: DisputeState;
  readonly amount: string;
  readonly currency: string;
  readonly reason: string;
  readonly respondBy: EpochMs;
  readonly createdAt: EpochMs;
}
