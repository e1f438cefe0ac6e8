import type { Appointment, Ledger } from './appointment.ts';
import type { Business } from './business.ts';
import type { Payment } from './payment.ts';

/** What decides whether a payment may be captured, as it is stored now. */
export interface Dues {
  /** Absent where the host has removed it: then nothing is owed. */
  readonly appointment: Appointment | undefined;
  /** The appointment's business, whose currency is that of the amount due. */
  readonly business: Business | undefined;
  readonly ledger: Ledger;
}

/** Why a payment is not owed. */
export type Undue = 'appointmentGone' | 'currencyChanged' | 'exceedsRemainingBalance';

/**
 * Compares a payment whose amount is reserved with what is due. `undefined`: it may be captured (D13).
 */
export function whyUndue(payment: Payment, dues: Dues): Undue | undefined {
  const { appointment, ledger } = dues;
  if (appointment === undefined) return 'appointmentGone';
  if (hasOtherCurrency(dues, payment.currency)) return 'currencyChanged';
  const committedMinor = ledger.capturedMinor + ledger.reservedMinor;
  // A host without types may give an amount that is not a bigint: only a true comparison counts.
  return committedMinor <= appointment.amountDueMinor ? undefined : 'exceedsRemainingBalance';
}

/**
 * Whether the business or what the ledger holds is in another currency (D39). A business without an
 * account has no currency to compare with.
 */
export function hasOtherCurrency(
  { business, ledger }: Pick<Dues, 'business' | 'ledger'>,
  currency: string,
): boolean {
  const present = business?.processorAccount?.currency ?? currency;
  const { currency: held = currency } = ledger;
  return present !== currency || held !== currency;
}
