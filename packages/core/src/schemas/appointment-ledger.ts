import type { Ledger } from '../domain/appointment.ts';
import { formatMoney } from '../domain/money.ts';

/** What the payments of an appointment have taken, and what they may still take. */
export interface AppointmentLedger {
  readonly captured: string;
  /** Held by captures that were begun and whose outcome is not known yet: it may still be captured. */
  readonly reserved: string;
  /** ISO 4217, lower case; absent while both are `0.00`. */
  readonly currency?: string;
}

export function viewLedger({ capturedMinor, reservedMinor, currency }: Ledger): AppointmentLedger {
  return {
    captured: formatMoney(capturedMinor),
    reserved: formatMoney(reservedMinor),
    ...(currency !== undefined && { currency }),
  };
}
