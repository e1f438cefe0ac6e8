import type { Appointment, MoneyEntry } from '@chairside/core';

/** Your appointments. Chairside reads them before each charge, and never writes them. */
export interface Appointments {
  list(): Promise<readonly Row[]>;
  get(id: string): Promise<Row | undefined>;
  add(row: Row): Promise<void>;
  /**
   * Stores the entry, unless the stored one with its reference is as new or newer: an event may arrive
   * twice, or after a later one.
   */
  record(entry: MoneyEntry): Promise<void>;
}

export interface Row {
  readonly id: string;
  readonly startsAt: string;
  /** In cents. */
  readonly price: number;
  /** In cents: what was paid for the visit, less refunds. Tips and fees for missed visits are apart. */
  readonly paid: number;
}

export const business = { id: 'shop', name: 'Marlow & Sons' };
export const barber = { id: 'ada', givenName: 'Ada', surname: 'Marlow' };

/** Adds three appointments to an empty table. Delete this function once you have your own. */
export async function addExamples(appointments: Appointments): Promise<void> {
  if ((await appointments.list()).length > 0) return;
  for (const [id, hour, price] of [
    ['haircut', '09', 4500],
    ['shave', '10', 2800],
    ['beard', '11', 1900],
  ] as const) {
    await appointments.add({ id, startsAt: `2027-01-04T${hour}:00:00.000Z`, price, paid: 0 });
  }
}

/** The appointment as Chairside reads it. Chairside itself subtracts what its payments took. */
export function toAppointment({ id, startsAt, price }: Row): Appointment {
  return {
    id,
    businessId: business.id,
    amountDueMinor: BigInt(price),
    occursOn: startsAt,
    barber,
    location: { id: 'old-town', name: 'Old Town', shopName: business.name },
  };
}
