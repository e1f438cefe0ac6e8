import type { Schedule } from '../../domain/schedule.ts';

export interface ScheduleRow {
  readonly id: string;
  readonly barber_id: string;
  readonly name: string;
  readonly hours: string;
}

export function toSchedule(row: ScheduleRow): Schedule {
  return { id: row.id, barberId: row.barber_id, name: row.name, hours: JSON.parse(row.hours) };
}
