import type { Barber } from '../../domain/business.ts';
import { columnsOf } from './columns.ts';

export interface BarberRow {
  readonly id: string;
  readonly business_id: string;
}

export const barberColumns = columnsOf<BarberRow, Barber>({
  id: ({ id }) => id,
  business_id: ({ businessId }) => businessId,
});

export function toBarber(row: BarberRow): Barber {
  return { id: row.id, businessId: row.business_id };
}
