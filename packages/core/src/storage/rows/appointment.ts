import {
  type Appointment,
  type AppointmentReference,
  snapshotOf,
} from '../../domain/appointment.ts';
import { type Minor, toMinor } from './cell.ts';
import { columnsOf } from './columns.ts';

export interface AppointmentRow {
  readonly id: string;
  readonly business_id: string;
  readonly amount_due_minor: Minor;
  readonly reference: string;
}

export const appointmentColumns = columnsOf<AppointmentRow, Appointment>({
  id: ({ id }) => id,
  business_id: ({ businessId }) => businessId,
  amount_due_minor: ({ amountDueMinor }) => amountDueMinor,
  reference: (appointment) => JSON.stringify(snapshotOf(appointment)),
});

export function toAppointment(row: AppointmentRow): Appointment {
  const reference: AppointmentReference = JSON.parse(row.reference);
  return {
    ...reference,
    id: row.id,
    businessId: row.business_id,
    amountDueMinor: toMinor(row.amount_due_minor),
  };
}
