import * as v from 'valibot';
import { weekdays } from '../domain/business.ts';
import { canBeId } from '../domain/text.ts';
import { barberReferenceSchema, shopLocationReferenceSchema } from './appointment.ts';
import { payoutSettingsSchema } from './payout-preferences.ts';
import { anyTextSchema, resourceIdSchema, text, timestampSchema } from './shared.ts';

/** Paths reject other ids (D1), so such a record could never be read. */
const recordIdSchema = v.pipe(
  resourceIdSchema,
  v.check(canBeId, 'must not contain a control character'),
);

export const appointmentRecordSchema = v.object({
  id: recordIdSchema,
  businessId: recordIdSchema,
  amountDueMinor: v.bigint(),
  customerId: v.exactOptional(anyTextSchema),
  paymentMethodSetupId: v.exactOptional(resourceIdSchema),
  noShowFeeMinor: v.exactOptional(v.pipe(v.bigint(), v.minValue(0n, 'must not be negative'))),
  isMissed: v.exactOptional(v.boolean()),
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
  applicationFee: v.exactOptional(
    v.object({
      fixedMinor: v.exactOptional(v.pipe(v.bigint(), v.minValue(0n, 'must not be negative'))),
      currency: v.exactOptional(text(1, 8)),
      basisPoints: v.exactOptional(
        v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000, 'must be 0 to 10000')),
      ),
      includesTip: v.exactOptional(v.boolean()),
    }),
  ),
  refundPolicy: v.exactOptional(
    v.object({ returnsFee: v.boolean(), reversesTransfer: v.boolean() }),
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

/** A schedule has at most this many spans. */
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
