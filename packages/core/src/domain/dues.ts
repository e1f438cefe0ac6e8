import type { Appointment, Ledger } from './appointment.ts';
import type { Business } from './business.ts';
import { dueMinorFor } from './charge.ts';
import type { Payment } from './payment.ts';

/** The stored records that decide whether a payment may be captured. */
export interface Dues {
  /** Absent if the host has removed it: then it owes no money. */
  readonly appointment: Appointment | undefined;
  /** The appointment's business, which determines the currency of the amount due. */
  readonly business: Business | undefined;
  readonly ledger: Ledger;
}

export type Undue = 'appointmentGone' | 'currencyChanged' | 'exceedsRemainingBalance';

/**
 * Compares a payment whose amount is reserved with the amount due. `undefined`: it may be captured
 * (D13).
 */
export function whyUndue(payment: Payment, dues: Dues): Undue | undefined {
  const { appointment, ledger } = dues;
  if (appointment === undefined) return 'appointmentGone';
  if (hasOtherCurrency(dues, payment.currency)) return 'currencyChanged';
  const committedMinor = ledger.capturedMinor + ledger.reservedMinor;
  // Hosts without types may give an amount that is not a bigint, so only a true comparison counts.
  return committedMinor <= dueMinorFor(payment, appointment)
    ? undefined
    : 'exceedsRemainingBalance';
}

/**
 * Whether the business or the ledger uses another currency (D39). A business without an account has
 * no currency to compare.
 */
export function hasOtherCurrency(
  { business, ledger }: Pick<Dues, 'business' | 'ledger'>,
  currency: string,
): boolean {
  const present = business?.processorAccount?.currency ?? currency;
  const { currency: held = currency } = ledger;
  return present !== currency || held !== currency;
}
