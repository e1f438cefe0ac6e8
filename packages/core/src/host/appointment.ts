import { Money } from '../values/money.ts';

/** A barber's public profile, as shown with an appointment. */
export interface BarberReference {
  readonly id: string;
  readonly givenName: string;
  readonly surname: string;
  readonly preferredName?: string;
  readonly biography?: string;
  readonly spokenLanguages?: string[];
  /** Years, 0 to 100. */
  readonly experience?: number;
  readonly instagram?: string;
  readonly urlSlug?: string;
  readonly profileImage_URL?: string;
}

export function barberName({ preferredName, givenName, surname }: BarberReference): string {
  return preferredName ?? `${givenName} ${surname}`;
}

/** The place of an appointment, as a payment keeps it. */
export interface ShopLocationReference {
  readonly id: string;
  readonly name: string;
  readonly shopName: string;
}

/**
 * The appointment as a payment shows it. A payment keeps the reference that it was opened with, so
 * that it stays readable after the appointment is removed (D35).
 */
export interface AppointmentReference {
  readonly id: string;
  /** RFC 3339, UTC. */
  readonly occursOn: string;
  readonly timeZone?: string | null;
  readonly barber: BarberReference;
  readonly location: ShopLocationReference;
}

/** Copies the members above and no others: a host's record of a barber may hold private ones. */
export function snapshotOf(reference: AppointmentReference): AppointmentReference {
  const { id, occursOn, timeZone, barber, location } = reference;
  const { name, shopName } = location;
  return {
    id,
    occursOn,
    ...(timeZone !== undefined && { timeZone }),
    barber: profileOf(barber),
    location: { id: location.id, name, shopName },
  };
}

function profileOf(barber: BarberReference): BarberReference {
  const { id, givenName, surname, preferredName, biography, spokenLanguages } = barber;
  const { experience, instagram, urlSlug, profileImage_URL } = barber;
  return {
    id,
    givenName,
    surname,
    ...(preferredName !== undefined && { preferredName }),
    ...(biography !== undefined && { biography }),
    ...(spokenLanguages !== undefined && { spokenLanguages }),
    ...(experience !== undefined && { experience }),
    ...(instagram !== undefined && { instagram }),
    ...(urlSlug !== undefined && { urlSlug }),
    ...(profileImage_URL !== undefined && { profileImage_URL }),
  };
}

/**
 * An appointment as the host gives it: to `records.putAppointment`, or from its own database by
 * `store.appointments.get` (D35).
 */
export interface Appointment extends AppointmentReference {
  /** The business whose processor account and currency its payments use (D14). */
  readonly businessId: string;
  /**
   * The total that the host asks for in minor units. Chairside subtracts captured amounts, without the
   * tips of payments, and what was paid without a card (D13, D48, D202).
   */
  readonly amountDueMinor: bigint;
  /** The customer, whose saved methods may be charged for it (D49). */
  readonly customerId?: string;
  /** The setup whose method was collected for this appointment alone (D23, D49). */
  readonly paymentMethodSetupId?: string;
  /** The fee for a missed visit that the customer was shown, in minor units (D49). */
  readonly noShowFeeMinor?: bigint;
  /** Whether the customer missed the visit. Only then is the fee due (D49). */
  readonly isMissed?: boolean;
  /**
   * The payments of an earlier customer and day are for this visit: a mother paid the deposit, and her son
   * comes. Without it, a create at an id that is used again is refused (D209).
   */
  readonly sameVisit?: boolean;
}

/** Chairside's own sums over an appointment's payments. */
export interface Ledger {
  readonly appointmentId: string;
  readonly capturedMinor: bigint;
  /** Held by captures that may have been sent and have no known outcome yet (D13). */
  readonly reservedMinor: bigint;
  /** Paid without a card, less what was voided. Absent while it is zero (D202). */
  readonly tenderedMinor?: bigint;
  /** The tips beside the sums above, captured or reserved. Absent while they are zero (D48). */
  readonly tipsMinor?: bigint;
  /** The currency of these sums; absent while all are zero (D39). */
  readonly currency?: string;
  /** Payments that are neither captured nor canceled. */
  readonly openPayments: number;
  /** The charge of a saved method that holds the ledger's one slot (D49). */
  readonly chargeId?: string;
}

/** At most this many payments of one appointment are open at once (D13). */
export const maxOpenPayments = 50;

/** The ledger of an appointment without payments. */
export function emptyLedger(appointmentId: string): Ledger {
  return { appointmentId, capturedMinor: 0n, reservedMinor: 0n, openPayments: 0 };
}

/** What the appointment's payments have taken. */
export function capturedOf({ capturedMinor, currency }: Ledger): Money {
  return new Money(capturedMinor, currency);
}

/** What has been paid, by card or without one (D202). */
export function paidOf({ capturedMinor, tenderedMinor = 0n, currency }: Ledger): Money {
  return new Money(capturedMinor + tenderedMinor, currency);
}

/** What has been paid, or may be taken yet. */
export function committedOf(ledger: Ledger): Money {
  const { capturedMinor, reservedMinor, tenderedMinor = 0n, currency } = ledger;
  return new Money(capturedMinor + reservedMinor + tenderedMinor, currency);
}

/**
 * The remaining balance of the appointment in a currency (D13). Negative if the host lowered the amount
 * due; `undefined` if it was paid in another currency.
 */
export function remainingMinor(
  { amountDueMinor }: Pick<Appointment, 'amountDueMinor'>,
  ledger: Ledger,
  currency: string,
): bigint | undefined {
  const paidMinor = paidOf(ledger).in(currency);
  return paidMinor === undefined ? undefined : amountDueMinor - paidMinor;
}
