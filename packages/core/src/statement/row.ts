import type { Movement } from '../refund/movement.ts';
import {
  columnsOf,
  type Encoders,
  fromDocument,
  type RowOf,
  toDocument,
  toMinor,
  toNumber,
} from '../storage/columns.ts';
import {
  type OtherEntry,
  type Payout,
  type PayoutSum,
  type SettlementEntry,
  settlementKinds,
} from './settlement.ts';

const movementEncoders = {
  id: (m) => m.id,
  business_id: (m) => m.businessId,
  barber_id: (m) => m.barberId,
  account: (m) => m.account,
  payment_id: (m) => m.paymentId,
  kind: (m) => m.kind,
  subject: (m) => m.subject,
  currency: (m) => m.currency,
  amount_minor: (m) => m.amountMinor,
  tip_minor: (m) => m.tipMinor,
  at: (m) => m.at,
} satisfies Encoders<Movement>;
export type MovementRow = RowOf<typeof movementEncoders>;
export const movementColumns = columnsOf<Movement>(movementEncoders);

export function toMovement(row: MovementRow): Movement {
  return {
    id: row.id,
    businessId: row.business_id,
    barberId: row.barber_id,
    account: row.account,
    paymentId: row.payment_id,
    kind: row.kind,
    subject: row.subject,
    currency: row.currency,
    amountMinor: toMinor(row.amount_minor),
    tipMinor: toMinor(row.tip_minor),
    at: toNumber(row.at),
  };
}

const settlementEncoders = {
  id: (e) => e.id,
  account: (e) => e.account,
  business_id: (e) => e.businessId,
  payment_id: (e) => e.paymentId,
  kind: (e) => e.kind,
  subject: (e) => e.subject,
  currency: (e) => e.currency,
  amount_minor: (e) => e.amountMinor,
  processor_fee_minor: (e) => e.processorFeeMinor,
  application_fee_minor: (e) => e.applicationFeeMinor,
  at: (e) => e.at,
  payout_id: (e) => e.payoutId,
} satisfies Encoders<SettlementEntry>;
export type SettlementRow = RowOf<typeof settlementEncoders>;
export const settlementColumns = columnsOf<SettlementEntry>(settlementEncoders);

export function toSettlement(row: SettlementRow): SettlementEntry {
  return {
    id: row.id,
    account: row.account,
    ...(row.business_id !== null && { businessId: row.business_id }),
    paymentId: row.payment_id,
    kind: row.kind,
    subject: row.subject,
    currency: row.currency,
    amountMinor: toMinor(row.amount_minor),
    processorFeeMinor: toMinor(row.processor_fee_minor),
    applicationFeeMinor: toMinor(row.application_fee_minor),
    at: toNumber(row.at),
    ...(row.payout_id !== null && { payoutId: row.payout_id }),
  };
}

const payoutEncoders = {
  id: (p) => p.id,
  account: (p) => p.account,
  reference: (p) => p.reference,
  currency: (p) => p.currency,
  amount_minor: (p) => p.amountMinor,
  state: (p) => p.state,
  created_at: (p) => p.createdAt,
  arrives_at: (p) => p.arrivesAt,
  failure: (p) => p.failure,
  is_itemized: (p) => p.isItemized,
  cursor: (p) => p.cursor,
  is_read: (p) => p.isRead,
  ours_minor: (p) => p.oursMinor,
  others_minor: (p) => p.othersMinor,
  others: (p) => toDocument(p.others),
  replaced_by: (p) => p.replacedBy,
} satisfies Encoders<Payout>;
/** Sums of `sumOfPayout`, as a store returns them. */
export interface PayoutSumRow
  extends Pick<
    SettlementRow,
    'kind' | 'amount_minor' | 'processor_fee_minor' | 'application_fee_minor'
  > {}

export function toPayoutSum(row: PayoutSumRow): PayoutSum {
  return {
    kind: row.kind,
    amountMinor: toMinor(row.amount_minor),
    processorFeeMinor: toMinor(row.processor_fee_minor),
    applicationFeeMinor: toMinor(row.application_fee_minor),
  };
}

/** What entries add up to, for a store that cannot ask its database for sums. */
export function sumsByKind(entries: readonly SettlementEntry[]): readonly PayoutSum[] {
  return settlementKinds.flatMap((kind): PayoutSum[] => {
    const same = entries.filter((entry) => entry.kind === kind);
    if (same.length === 0) return [];
    const total = (of: (entry: SettlementEntry) => bigint) =>
      same.reduce((sum, entry) => sum + of(entry), 0n);
    return [
      {
        kind,
        amountMinor: total(({ amountMinor }) => amountMinor),
        processorFeeMinor: total(({ processorFeeMinor }) => processorFeeMinor),
        applicationFeeMinor: total(({ applicationFeeMinor }) => applicationFeeMinor),
      },
    ];
  });
}

export type PayoutRow = RowOf<typeof payoutEncoders>;
export const payoutColumns = columnsOf<Payout>(payoutEncoders);

export function toPayout(row: PayoutRow): Payout {
  return {
    id: row.id,
    account: row.account,
    reference: row.reference,
    currency: row.currency,
    amountMinor: toMinor(row.amount_minor),
    state: row.state,
    createdAt: toNumber(row.created_at),
    arrivesAt: toNumber(row.arrives_at),
    ...(row.failure !== null && { failure: row.failure }),
    isItemized: Boolean(row.is_itemized),
    ...(row.cursor !== null && { cursor: row.cursor }),
    isRead: Boolean(row.is_read),
    oursMinor: toMinor(row.ours_minor),
    othersMinor: toMinor(row.others_minor),
    others: fromDocument<OtherEntry[]>(row.others),
    ...(row.replaced_by !== null && { replacedBy: row.replaced_by }),
  };
}
