import type { MethodSetup } from '../../domain/method-setup.ts';
import { columnsOf, type Encoders, type RowOf, toNumber } from './columns.ts';
import { toWork, workEncoders } from './work.ts';

const setupEncoders = {
  id: (s) => s.id,
  version: (s) => s.version,
  customer_id: (s) => s.customerId,
  save_payment_method: (s) => s.savePaymentMethod,
  client_secret: (s) => s.clientSecret,
  reference: (s) => s.reference,
  created_at: (s) => s.createdAt,
  expires_at: (s) => s.expiresAt,
  outcome: (s) => s.outcome,
  charge_id: (s) => s.chargeId,
  released_at: (s) => s.releasedAt,
  ...workEncoders,
  next_check_at: (s) => s.nextCheckAt,
} satisfies Encoders<MethodSetup>;
export type SetupRow = RowOf<typeof setupEncoders>;
export const setupColumns = columnsOf<MethodSetup>(setupEncoders);

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
    ...(row.charge_id !== null && { chargeId: row.charge_id }),
    ...(row.released_at !== null && { releasedAt: toNumber(row.released_at) }),
    ...(work !== undefined && { work }),
    ...(row.next_check_at !== null && { nextCheckAt: toNumber(row.next_check_at) }),
  };
}
