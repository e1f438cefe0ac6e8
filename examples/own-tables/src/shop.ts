import type { Appointment, MoneyEntry } from '@chairside/core';

/** The host's own tables, in its own database. Chairside never writes them. */
export interface Shop {
  /** The appointment as it is now: not from a cache or a replica. */
  appointment(id: string): Promise<Appointment | undefined>;
  /** Commits what the appointment costs from now on. */
  setDue(id: string, dueMinor: bigint): Promise<void>;
  /** Commits the entry, unless the stored one with its reference is as new or newer. */
  record(entry: MoneyEntry): Promise<void>;
  /** What was paid for the appointment: the sum of its entries, without tips and fees. */
  paidByCardMinor(appointmentId: string): Promise<bigint>;
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
