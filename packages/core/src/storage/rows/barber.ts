import type { Barber } from '../../domain/business.ts';

export interface BarberRow {
  readonly id: string;
  readonly business_id: string;
}

export function toBarber(row: BarberRow): Barber {
  return { id: row.id, businessId: row.business_id };
}
