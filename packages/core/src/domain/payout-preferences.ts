export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** When a business is paid out (D7). A shorter month pays on its last day. */
export type PayoutSettings =
  | { readonly frequency: 'daily'; readonly delayDays: number }
  | {
      readonly frequency: 'weekly';
      readonly delayDays: number;
      readonly dayOfWeek: (typeof weekdays)[number];
    }
  | { readonly frequency: 'monthly'; readonly delayDays: number; readonly dayOfMonth: number }
  | { readonly frequency: 'manual' };

export interface PayoutPreferences {
  readonly businessId: string;
  readonly settings: PayoutSettings;
}
