import { businessPayoutPreferencesSchema, payoutSettingsSchema } from '../payout-preferences.ts';
import { type Example, shape } from './shape.ts';

const [daily, weekly, monthly, manual] = payoutSettingsSchema.options;
const delayText = 'The number of days between a payment and its payout.';

const weeklyExample: Example<typeof weekly> = {
  frequency: 'weekly',
  delayDays: 2,
  dayOfWeek: 'friday',
};

export const payoutPreferencesShapes = {
  BusinessPayoutPreferences: shape(
    businessPayoutPreferencesSchema,
    {
      about: 'The payout schedule of a business.',
      properties: { settings: 'The settings of the chosen frequency.' },
    },
    { settings: weeklyExample },
  ),
  PayoutSettings: shape(
    payoutSettingsSchema,
    'The settings of a payout schedule, by `frequency`. A payout that falls on a weekend or a holiday is processed on the next business day.',
    weeklyExample,
  ),
  DailyPayoutSettings: shape(
    daily,
    {
      about: 'A payout every day.',
      properties: { frequency: 'The frequency.', delayDays: delayText },
    },
    { frequency: 'daily', delayDays: 2 },
  ),
  WeeklyPayoutSettings: shape(
    weekly,
    {
      about: 'A payout every week.',
      properties: {
        frequency: 'The frequency.',
        delayDays: delayText,
        dayOfWeek: 'The day of the payout.',
      },
    },
    weeklyExample,
  ),
  MonthlyPayoutSettings: shape(
    monthly,
    {
      about: 'A payout every month.',
      properties: {
        frequency: 'The frequency.',
        delayDays: delayText,
        dayOfMonth: 'The day of the payout. A shorter month pays on its last day.',
      },
    },
    { frequency: 'monthly', delayDays: 2, dayOfMonth: 31 },
  ),
  ManualPayoutSettings: shape(
    manual,
    {
      about: 'Payouts that the business starts.',
      properties: { frequency: 'The frequency.' },
    },
    { frequency: 'manual' },
  ),
  Weekday: shape(weekly.entries.dayOfWeek, 'A day of the week.', weeklyExample.dayOfWeek),
};
