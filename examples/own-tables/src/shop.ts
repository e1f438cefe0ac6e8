import type { Appointment } from '@chairside/core';

/** The host's own tables, in its own database. Chairside never writes them. */
export interface Shop {
  /** The appointment as it is now: not from a cache or a replica. */
  appointment(id: string): Promise<Appointment | undefined>;
  /** Commits what the appointment costs from now on. */
  setDue(id: string, dueMinor: bigint): Promise<void>;
  /** Commits the entry, unless the stored one with its reference is as new or newer. */
  record(entry: CardEntry): Promise<void>;
  /** The sum of the appointment's entries. */
  paidByCardMinor(appointmentId: string): Promise<bigint>;
}

/** Money that a payment took, or a refund gave back: one row for each. */
export interface CardEntry {
  /** The id of the payment or the refund. */
  readonly reference: string;
  readonly appointmentId: string;
  /** Negative if it was given back. */
  readonly amountMinor: bigint;
  /** Of the event that says so. Later events have greater ones, as text. */
  readonly sequence: string;
}

/** The columns that make an appointment for Chairside. */
export interface AppointmentRow {
  readonly id: string;
  readonly startsAt: Date;
  readonly dueMinor: bigint;
  readonly barberId: string;
  readonly givenName: string;
  readonly surname: string;
}

export function toAppointment(row: AppointmentRow): Appointment {
  return {
    id: row.id,
    businessId: 'shop',
    amountDueMinor: row.dueMinor,
    occursOn: row.startsAt.toISOString(),
    timeZone: 'Europe/Berlin',
    barber: { id: row.barberId, givenName: row.givenName, surname: row.surname },
    location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
  };
}
