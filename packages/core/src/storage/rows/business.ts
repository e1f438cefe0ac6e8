import type { Business } from '../../domain/business.ts';
import { type Flag, type Integer, type Minor, toMinor, toNumber } from './cell.ts';
import { columnsOf } from './columns.ts';

export interface BusinessRow {
  readonly id: string;
  readonly name: string;
  readonly account_id: string | null;
  readonly account_currency: string | null;
  readonly account_terminal_location: string | null;
  readonly fee_fixed_minor: Minor | null;
  readonly fee_currency: string | null;
  readonly fee_basis_points: Integer | null;
  readonly returns_fee: Flag | null;
  readonly reverses_transfer: Flag | null;
}

export const businessColumns = columnsOf<BusinessRow, Business>({
  id: ({ id }) => id,
  name: ({ name }) => name,
  account_id: ({ processorAccount: account }) => account?.id,
  account_currency: ({ processorAccount: account }) => account?.currency,
  account_terminal_location: ({ processorAccount: account }) => account?.terminalLocation,
  fee_fixed_minor: ({ applicationFee: fee }) => fee?.fixedMinor,
  fee_currency: ({ applicationFee: fee }) => fee?.currency,
  fee_basis_points: ({ applicationFee: fee }) => fee?.basisPoints,
  returns_fee: ({ refundPolicy }) => refundPolicy?.returnsFee,
  reverses_transfer: ({ refundPolicy }) => refundPolicy?.reversesTransfer,
});

export function toBusiness(row: BusinessRow): Business {
  return {
    id: row.id,
    name: row.name,
    ...accountOf(row),
    ...applicationFeeOf(row),
    ...policyOf(row),
  };
}

function accountOf(row: BusinessRow): Pick<Business, 'processorAccount'> {
  const { account_id: id, account_currency: currency, account_terminal_location: location } = row;
  if (id === null) return {};
  if (currency === null) throw new TypeError('A processor account has no currency');
  return {
    processorAccount: { id, currency, ...(location !== null && { terminalLocation: location }) },
  };
}

function applicationFeeOf(row: BusinessRow): Pick<Business, 'applicationFee'> {
  const { fee_fixed_minor: fixed, fee_currency: currency, fee_basis_points: points } = row;
  if (fixed === null && points === null) return {};
  return {
    applicationFee: {
      ...(fixed !== null && { fixedMinor: toMinor(fixed) }),
      ...(currency !== null && { currency }),
      ...(points !== null && { basisPoints: toNumber(points) }),
    },
  };
}

function policyOf(row: BusinessRow): Pick<Business, 'refundPolicy'> {
  const { returns_fee, reverses_transfer } = row;
  if (returns_fee === null || reverses_transfer === null) return {};
  return {
    refundPolicy: {
      returnsFee: Boolean(returns_fee),
      reversesTransfer: Boolean(reverses_transfer),
    },
  };
}
