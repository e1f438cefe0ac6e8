import type { Ledger } from '../domain/appointment.ts';
import { formatMoney } from '../domain/money.ts';
import { tipMember } from '../domain/tip.ts';

/** The amounts that an appointment's payments have captured, and those they still may capture. */
export interface AppointmentLedger {
  readonly captured: string;
  /** Held by captures with an unknown outcome: this amount may still be captured. */
  readonly reserved: string;
  /** ISO 4217, lower case; absent while both are `0.00`. */
  readonly currency?: string;
  /** The tips that were captured beside `captured`, which counts none. Absent without one (D48). */
  readonly tip?: string;
}

export function viewLedger(
  { capturedMinor, reservedMinor, currency }: Ledger,
  tipMinor?: bigint,
): AppointmentLedger {
  return {
    captured: formatMoney(capturedMinor),
    reserved: formatMoney(reservedMinor),
    ...(currency !== undefined && { currency }),
    ...tipMember(tipMinor),
  };
}
