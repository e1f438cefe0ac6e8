import * as v from 'valibot';
import { type PayoutSettings, weekdays } from '../domain/business.ts';

function days(min: number, max: number) {
  const why = `must be ${min} to ${max}`;
  return v.pipe(
    v.number(),
    v.integer('must be a whole number'),
    v.minValue(min, why),
    v.maxValue(max, why),
  );
}

const delayDays = days(0, 31);

export const payoutSettingsSchema = v.variant('frequency', [
  v.strictObject({ frequency: v.literal('daily'), delayDays }),
  v.strictObject({ frequency: v.literal('weekly'), delayDays, dayOfWeek: v.picklist(weekdays) }),
  v.strictObject({ frequency: v.literal('monthly'), delayDays, dayOfMonth: days(1, 31) }),
  v.strictObject({ frequency: v.literal('manual') }),
]);

export const businessPayoutPreferencesSchema = v.object({ settings: payoutSettingsSchema });

/** A business's payout schedule, in the clients' view (D7). */
export interface BusinessPayoutPreferences
  extends v.InferOutput<typeof businessPayoutPreferencesSchema> {
  settings: PayoutSettings;
}
