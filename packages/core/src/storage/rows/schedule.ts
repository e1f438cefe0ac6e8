import type { Schedule } from '../../domain/schedule.ts';
import { columnsOf } from './columns.ts';

export interface ScheduleRow {
  readonly id: string;
  readonly barber_id: string;
  readonly name: string;
  readonly hours: string;
}

export const scheduleColumns = columnsOf<ScheduleRow, Schedule>({
  id: ({ id }) => id,
  barber_id: ({ barberId }) => barberId,
  name: ({ name }) => name,
  hours: ({ hours }) => JSON.stringify(hours),
});

export function toSchedule(row: ScheduleRow): Schedule {
  return { id: row.id, barberId: row.barber_id, name: row.name, hours: JSON.parse(row.hours) };
}
