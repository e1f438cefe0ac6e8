import type { Movement } from '../refund/movement.ts';
import {
  documentTable,
  type Encoders,
  fromDocument,
  type RowOf,
  tableOf,
  toDocument,
  toMinor,
  toNumber,
} from '../storage/columns.ts';
import {
  type Payout,
  type PayoutSum,
  type SettlementEntry,
  settlementKinds,
} from './settlement.ts';

export const movementTable = documentTable<Movement>({
  id: (m) => m.id,
  business_id: (m) => m.businessId,
  payment_id: (m) => m.paymentId,
  at: (m) => m.at,
});

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
  platform_minor: (e) => e.platformMinor,
  at: (e) => e.at,
  payout_id: (e) => e.payoutId,
} satisfies Encoders<SettlementEntry>;
type SettlementRow = RowOf<typeof settlementEncoders>;
export const settlementTable = tableOf(
  settlementEncoders,
  (row): SettlementEntry => ({
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
    ...(row.platform_minor !== null && { platformMinor: toMinor(row.platform_minor) }),
    at: toNumber(row.at),
    ...(row.payout_id !== null && { payoutId: row.payout_id }),
  }),
);

/** Sums of `sumOfPayout`, as a store returns them. */
interface PayoutSumRow
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

const payoutEncoders = {
  id: (p) => p.id,
  account: (p) => p.account,
  arrives_at: (p) => p.arrivesAt,
  replaced_by: (p) => p.replacedBy,
  document: toDocument,
} satisfies Encoders<Payout>;
export const payoutTable = tableOf(
  payoutEncoders,
  // Another write may keep the payout that replaced this one, so that column counts and not the document.
  ({ replaced_by: replacedBy, document }): Payout => ({
    ...fromDocument<Payout>(document),
    ...(replacedBy !== null && { replacedBy }),
  }),
);
