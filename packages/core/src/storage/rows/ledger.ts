import type { Ledger } from '../../domain/appointment.ts';
import { type Integer, type Minor, toMinor, toNumber } from './cell.ts';

export interface LedgerRow {
  readonly appointment_id: string;
  readonly open_payments: Integer;
  readonly reserved_minor: Minor;
  readonly captured_minor: Minor;
  /** Absent until the first move; meaningless while the sums are zero. */
  readonly currency: string | null;
}

export function toLedger(row: LedgerRow): Ledger {
  const capturedMinor = toMinor(row.captured_minor);
  const reservedMinor = toMinor(row.reserved_minor);
  return {
    appointmentId: row.appointment_id,
    capturedMinor,
    reservedMinor,
    openPayments: toNumber(row.open_payments),
    ...(row.currency !== null &&
      capturedMinor + reservedMinor !== 0n && { currency: row.currency }),
  };
}
