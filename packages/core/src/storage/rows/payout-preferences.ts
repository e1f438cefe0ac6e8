import type { PayoutPreferences } from '../../domain/payout-preferences.ts';

export interface PayoutPreferencesRow {
  readonly business_id: string;
  readonly settings: string;
}

export function toPayoutPreferences(row: PayoutPreferencesRow): PayoutPreferences {
  return { businessId: row.business_id, settings: JSON.parse(row.settings) };
}
