import type { MethodSetup } from '../../domain/method-setup.ts';
import { type Flag, type Integer, toNumber } from './cell.ts';
import { columnsOf } from './columns.ts';
import { toWork, type WorkRow, workEncoders } from './work.ts';

export interface SetupRow extends WorkRow {
  readonly id: string;
  readonly customer_id: string;
  readonly save_payment_method: Flag;
  readonly version: Integer;
  readonly client_secret: string | null;
  readonly reference: string | null;
  readonly created_at: Integer;
  readonly expires_at: Integer;
  readonly outcome: NonNullable<MethodSetup['outcome']> | null;
  readonly next_check_at: Integer;
}

export const setupColumns = columnsOf<SetupRow, MethodSetup>({
  id: (s) => s.id,
  version: (s) => s.version,
  customer_id: (s) => s.customerId,
  save_payment_method: (s) => s.savePaymentMethod,
  client_secret: (s) => s.clientSecret,
  reference: (s) => s.reference,
  created_at: (s) => s.createdAt,
  expires_at: (s) => s.expiresAt,
  outcome: (s) => s.outcome,
  ...workEncoders,
  next_check_at: (s) => s.nextCheckAt,
});

export function toSetup(row: SetupRow): MethodSetup {
  const work = toWork(row);
  return {
    id: row.id,
    customerId: row.customer_id,
    savePaymentMethod: Boolean(row.save_payment_method),
    version: toNumber(row.version),
    ...(row.client_secret !== null && { clientSecret: row.client_secret }),
    ...(row.reference !== null && { reference: row.reference }),
    createdAt: toNumber(row.created_at),
    expiresAt: toNumber(row.expires_at),
    ...(row.outcome !== null && { outcome: row.outcome }),
    ...(work !== undefined && { work }),
    nextCheckAt: toNumber(row.next_check_at),
  };
}
