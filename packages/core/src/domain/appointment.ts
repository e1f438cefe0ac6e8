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
   * tips of payments (D13, D48).
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
}

/** Chairside's own sums over an appointment's payments. */
export interface Ledger {
  readonly appointmentId: string;
  readonly capturedMinor: bigint;
  /** Held by captures that may have been sent and have no known outcome yet (D13). */
  readonly reservedMinor: bigint;
  /** The currency of these two sums; absent while both are zero (D39). */
  readonly currency?: string;
  /** Payments that are neither captured nor canceled. */
  readonly openPayments: number;
}

/** At most this many payments of one appointment are open at once (D13). */
export const maxOpenPayments = 50;

/** The ledger of an appointment without payments. */
export function emptyLedger(appointmentId: string): Ledger {
  return { appointmentId, capturedMinor: 0n, reservedMinor: 0n, openPayments: 0 };
}

/** The remaining balance of the appointment (D13). Negative if the host lowered the amount due. */
export function remainingMinor(appointment: Appointment, ledger: Ledger): bigint {
  return appointment.amountDueMinor - ledger.capturedMinor;
}
