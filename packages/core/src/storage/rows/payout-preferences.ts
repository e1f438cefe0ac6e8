import type { PayoutPreferences } from '../../domain/payout-preferences.ts';
import { columnsOf } from './columns.ts';

export interface PayoutPreferencesRow {
  readonly business_id: string;
  readonly settings: string;
}

export const payoutPreferencesColumns = columnsOf<PayoutPreferencesRow, PayoutPreferences>({
  business_id: ({ businessId }) => businessId,
  settings: ({ settings }) => JSON.stringify(settings),
});

export function toPayoutPreferences(row: PayoutPreferencesRow): PayoutPreferences {
  return { businessId: row.business_id, settings: JSON.parse(row.settings) };
}
