import * as v from 'valibot';
import { weekdays } from '../domain/payout-preferences.ts';
import { canBeId } from '../domain/text.ts';
import { barberReferenceSchema, shopLocationReferenceSchema } from './appointment.ts';
import { payoutSettingsSchema } from './payout-preferences.ts';
import { moneySchema, resourceIdSchema, text, timestampSchema } from './shared.ts';

/** Another id names nothing in a path (D1): its record could never be found. */
const recordIdSchema = v.pipe(
  resourceIdSchema,
  v.check(canBeId, 'must not contain a control character'),
);

export const appointmentRecordSchema = v.object({
  id: recordIdSchema,
  businessId: recordIdSchema,
  amountDue: moneySchema,
  occursOn: timestampSchema,
  timeZone: v.exactOptional(v.nullable(v.string())),
  barber: barberReferenceSchema,
  location: shopLocationReferenceSchema,
});

export const barberRecordSchema = v.object({ id: recordIdSchema, businessId: recordIdSchema });

export const businessRecordSchema = v.object({
  id: recordIdSchema,
  name: text(1, 255),
  processorAccount: v.exactOptional(
    v.object({
      id: text(1, 255),
      currency: text(1, 8),
      terminalLocation: v.exactOptional(text(1, 255)),
    }),
  ),
});

const timeOfDaySchema = v.pipe(
  v.string(),
  v.regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, 'must be a time of day such as 09:30'),
);

export const financialAccountRecordSchema = v.object({
  id: recordIdSchema,
  businessId: recordIdSchema,
  bankName: text(1, 255),
  maskedAccountNumber: v.pipe(
    v.string(),
    v.regex(/^\*[0-9A-Za-z]{4}$/, 'must be an asterisk and the last four characters'),
  ),
  currency: v.pipe(v.string(), v.regex(/^[a-z]{3}$/, 'must be a lower-case currency such as eur')),
  isDefault: v.boolean(),
});

/** No barber's week has more spans than this. */
const maxHours = 100;

export const scheduleRecordSchema = v.object({
  id: recordIdSchema,
  barberId: recordIdSchema,
  name: text(1, 255),
  hours: v.pipe(
    v.array(v.object({ day: v.picklist(weekdays), from: timeOfDaySchema, to: timeOfDaySchema })),
    v.maxLength(maxHours, `must have at most ${maxHours} items`),
  ),
});

export const payoutPreferencesRecordSchema = v.object({
  businessId: recordIdSchema,
  settings: payoutSettingsSchema,
});

/** An appointment as the host fills it in (D35); `amountDue` is all it asks for (D13). */
export type AppointmentRecord = v.InferInput<typeof appointmentRecordSchema>;
/** Which business a barber works for. */
export type BarberRecord = v.InferInput<typeof barberRecordSchema>;
/** A business, and the processor account that its payments go to (D14, D18). */
export type BusinessRecord = v.InferInput<typeof businessRecordSchema>;
/** A bank account that a business is paid out to; one of them is the default (D30). */
export type FinancialAccountRecord = v.InferInput<typeof financialAccountRecordSchema>;
/** A barber's named weekly schedule. */
export type ScheduleRecord = v.InferInput<typeof scheduleRecordSchema>;
/** When a business is paid out (D7). */
export type PayoutPreferencesRecord = v.InferInput<typeof payoutPreferencesRecordSchema>;
