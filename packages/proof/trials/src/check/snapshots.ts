import type { CancelCause, EpochMs } from '@chairside/core';
import type { Payment } from '@chairside/core/ports';

export interface AppointmentSnapshot {
  readonly at: EpochMs;
  readonly moment: number;
  readonly dueMinor: bigint;
  readonly barberId: string;
  readonly businessId: string;
  readonly customerId?: string | undefined;
  readonly occursOn?: string;
  readonly isGone?: true;
}

export interface BusinessSnapshot {
  readonly at: EpochMs;
  readonly moment: number;
  readonly account: string | undefined;
  readonly currency: string | undefined;
  readonly basisPoints: number;
}

/** An appointment's ledger, as applied writes made it. */
export interface LedgerSnapshot {
  readonly moment: number;
  readonly reservedMinor: bigint;
  readonly capturedMinor: bigint;
  /** By the tenders themselves, not by the ledger. */
  readonly tenderedMinor: bigint;
  /** Absent while it holds nothing. */
  readonly currency?: string;
}

/** The sums that count as given back of a payment, as applied writes made them. */
export interface ReturnedSnapshot {
  readonly moment: number;
  readonly refundedMinor: bigint;
  readonly disputedMinor: bigint;
}

/** A payment that was given up: as it was written then, why, and while which request. */
export interface Release {
  readonly payment: Payment;
  readonly cause: CancelCause;
  /** When the request began, and when the release was written. */
  readonly from: number;
  readonly moment: number;
}

export interface Lowering {
  readonly appointment: string;
  readonly dueMinor: bigint;
  /** When it was sent, and when the host received the response. */
  readonly from: number;
  readonly to: number;
}

/** The comparison before a capture, and the captured amount. */
export interface Take {
  readonly payment: string;
  readonly appointment: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** When the same task last wrote or sent the payment before. */
  readonly touchedAt: number;
  readonly comparedAt: number;
  readonly dueMinor: bigint;
  readonly moment: number;
}
