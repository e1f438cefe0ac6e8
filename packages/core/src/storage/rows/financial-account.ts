import type { FinancialAccount } from '../../domain/business.ts';
import type { Flag } from './cell.ts';
import { columnsOf } from './columns.ts';

export interface FinancialAccountRow {
  readonly id: string;
  readonly business_id: string;
  readonly bank_name: string;
  readonly masked_account_number: string;
  readonly currency: string;
  readonly is_default: Flag;
}

export const financialAccountColumns = columnsOf<FinancialAccountRow, FinancialAccount>({
  id: (a) => a.id,
  business_id: (a) => a.businessId,
  bank_name: (a) => a.bankName,
  masked_account_number: (a) => a.maskedAccountNumber,
  currency: (a) => a.currency,
  is_default: (a) => a.isDefault,
});

export function toFinancialAccount(row: FinancialAccountRow): FinancialAccount {
  return {
    id: row.id,
    businessId: row.business_id,
    bankName: row.bank_name,
    maskedAccountNumber: row.masked_account_number,
    currency: row.currency,
    isDefault: Boolean(row.is_default),
  };
}
