import { businessPayoutPreferencesSchema, payoutSettingsSchema } from '../payout-preferences.ts';
import { objectShape, shape } from './shape.ts';

const [daily, weekly, monthly, manual] = payoutSettingsSchema.options;
const frequency = 'The frequency.';
const delay = ['The number of days between a payment and its payout.', 2] as const;

const weeklyPayoutSettingsShape = objectShape(weekly, 'A payout every week.', {
  frequency: [frequency, 'weekly'],
  delayDays: delay,
  dayOfWeek: ['The day of the payout.', 'friday'],
});
const { example } = weeklyPayoutSettingsShape;

export const payoutPreferencesShapes = {
  BusinessPayoutPreferences: objectShape(
    businessPayoutPreferencesSchema,
    'The payout schedule of a business.',
    { settings: ['The settings of the chosen frequency.', example] },
  ),
  PayoutSettings: shape(
    payoutSettingsSchema,
    'The settings of a payout schedule, by `frequency`. A payout that falls on a weekend or a holiday is processed on the next business day.',
    example,
  ),
  DailyPayoutSettings: objectShape(daily, 'A payout every day.', {
    frequency: [frequency, 'daily'],
    delayDays: delay,
  }),
  WeeklyPayoutSettings: weeklyPayoutSettingsShape,
  MonthlyPayoutSettings: objectShape(monthly, 'A payout every month.', {
    frequency: [frequency, 'monthly'],
    delayDays: delay,
    dayOfMonth: ['The day of the payout. A shorter month pays on its last day.', 31],
  }),
  ManualPayoutSettings: objectShape(manual, 'Payouts that the business starts.', {
    frequency: [frequency, 'manual'],
  }),
  Weekday: shape(weekly.entries.dayOfWeek, 'A day of the week.', example.dayOfWeek),
};
