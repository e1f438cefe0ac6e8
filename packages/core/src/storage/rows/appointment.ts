import {
  type Appointment,
  type AppointmentReference,
  snapshotOf,
} from '../../domain/appointment.ts';
import { type Minor, toMinor } from './cell.ts';

export interface AppointmentRow {
  readonly id: string;
  readonly business_id: string;
  readonly amount_due_minor: Minor;
  readonly reference: string;
}

export function toAppointment(row: AppointmentRow): Appointment {
  const reference: AppointmentReference = JSON.parse(row.reference);
  return {
    ...reference,
    id: row.id,
    businessId: row.business_id,
    amountDueMinor: toMinor(row.amount_due_minor),
  };
}

/** The `reference` cell of an appointment. */
export function packReference(appointment: Appointment): string {
  return JSON.stringify(snapshotOf(appointment));
}
