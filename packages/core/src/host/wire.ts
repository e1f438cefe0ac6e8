import * as v from 'valibot';
import { tipMember } from '../payment/tip.ts';
import { formatMoney } from '../values/money.ts';
import { canBeId } from '../values/text.ts';
import {
  anyTextSchema,
  count,
  resourceIdSchema,
  shape,
  text,
  timestampSchema,
  wireBody,
  wireObject,
} from '../values/wire.ts';
import { type Ledger, maxEarlierAccounts, type PayoutSettings, weekdays } from './host.ts';

export const barberReference = wireObject("A barber's public profile.", {
  id: [resourceIdSchema, 'The id of the barber.', 'barber_ada'],
  givenName: [text(1, 55), 'The given name.', 'Ada'],
  surname: [text(1, 55), 'The surname.', 'Marlow'],
  preferredName: [v.exactOptional(text(0, 55)), 'The name that the barber prefers.', 'Ada'],
  biography: [
    v.exactOptional(text(0, 2000)),
    'A text by the barber.',
    'Cuts hair in Old Town since 2014.',
  ],
  spokenLanguages: [
    v.exactOptional(
      v.pipe(
        v.array(v.pipe(anyTextSchema, v.regex(/^[^A-Z]+$/, 'must be lower case'))),
        v.minLength(1, 'must have 1 to 3 items'),
        v.maxLength(3, 'must have 1 to 3 items'),
      ),
    ),
    'The languages that the barber speaks: 1 to 3 lower-case values.',
    ['de', 'en'],
  ],
  experience: [
    v.exactOptional(
      v.pipe(
        v.number(),
        v.integer('must be whole years'),
        v.minValue(0, 'must be 0 to 100'),
        v.maxValue(100, 'must be 0 to 100'),
        v.metadata({ format: 'int32' }),
      ),
    ),
    'The years of experience.',
    12,
  ],
  instagram: [
    v.exactOptional(
      v.pipe(
        v.string(),
        v.regex(
          /^[A-Za-z0-9](?:[A-Za-z0-9._]{0,28}[A-Za-z0-9])?$/,
          'must be an Instagram name without @',
        ),
      ),
    ),
    'The name on Instagram, without `@`.',
    'ada.marlow',
  ],
  urlSlug: [
    v.exactOptional(
      v.pipe(
        v.string(),
        v.regex(
          /^(?=.{3,40}$)[a-z0-9]+(?:-[a-z0-9]+)*$/,
          'must be 3 to 40 lower-case letters and digits in groups joined by hyphens',
        ),
      ),
    ),
    'The last part of the address of the booking page.',
    'ada-marlow',
  ],
  profileImage_URL: [
    v.exactOptional(
      v.pipe(
        text(0, 255),
        // RFC 3986: other characters must be percent-encoded.
        v.regex(
          /^[A-Za-z][A-Za-z0-9+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/,
          'must be a URI',
        ),
        v.metadata({ format: 'uri' }),
      ),
    ),
    'The address of a picture.',
    'https://marlow.example/ada.jpg',
  ],
});
export const barberReferenceSchema = barberReference.schema;

export const shopLocationReference = wireObject('A place of a business.', {
  id: [resourceIdSchema, 'The id of the location.', 'location_old_town'],
  name: [anyTextSchema, 'The name of the location.', 'Old Town'],
  shopName: [anyTextSchema, 'The name of the business.', 'Marlow & Sons'],
});
const shopLocationReferenceSchema = shopLocationReference.schema;

export const appointmentReference = wireObject('An appointment, as a payment shows it.', {
  id: [resourceIdSchema, 'The id of the appointment.', 'appointment_8241'],
  occursOn: [
    timestampSchema,
    'The time at which the appointment begins.',
    '2026-11-20T09:00:00.000Z',
  ],
  timeZone: [
    v.exactOptional(v.nullable(v.string())),
    'The IANA time zone of the shop.',
    'Europe/Berlin',
  ],
  barber: [barberReferenceSchema, 'The barber.', barberReference.example],
  location: [shopLocationReferenceSchema, 'The place.', shopLocationReference.example],
});

const maxAppointments = 100;
/** Those of a customer, which only the host knows. */
export const appointmentIdsSchema = v.optional(
  v.pipe(v.array(anyTextSchema), v.maxLength(maxAppointments, `at most ${maxAppointments}`)),
);

/** What an appointment's payments have captured and still may capture, and what was paid without a card. */
export interface AppointmentLedger {
  readonly captured: string;
  /** Held by captures with an unknown outcome: this amount may still be captured. */
  readonly reserved: string;
  /** Paid in cash or in another way without a card, less what was voided. Absent without it. */
  readonly tendered?: string;
  /** ISO 4217, lower case; absent while all are `0.00`. */
  readonly currency?: string;
  /** The tips that were captured beside `captured`, which counts none. Absent without one. */
  readonly tip?: string;
}

export function viewLedger(
  { capturedMinor, reservedMinor, tenderedMinor = 0n, currency }: Ledger,
  tipMinor?: bigint,
): AppointmentLedger {
  return {
    captured: formatMoney(capturedMinor),
    reserved: formatMoney(reservedMinor),
    ...(tenderedMinor > 0n && { tendered: formatMoney(tenderedMinor) }),
    ...(currency !== undefined && { currency }),
    ...tipMember(tipMinor),
  };
}

function days(min: number, max: number) {
  const why = `must be ${min} to ${max}`;
  return v.pipe(
    v.number(),
    v.integer('must be a whole number'),
    v.minValue(min, why),
    v.maxValue(max, why),
  );
}

const frequency = 'The frequency.';
const delayDays = [days(0, 31), 'The number of days between a payment and its payout.', 2] as const;

const daily = wireBody('A payout every day.', {
  frequency: [v.literal('daily'), frequency, 'daily'],
  delayDays,
});
const weekly = wireBody('A payout every week.', {
  frequency: [v.literal('weekly'), frequency, 'weekly'],
  delayDays,
  dayOfWeek: [v.picklist(weekdays), 'The day of the payout.', 'friday'],
});
const monthly = wireBody('A payout every month.', {
  frequency: [v.literal('monthly'), frequency, 'monthly'],
  delayDays,
  dayOfMonth: [days(1, 31), 'The day of the payout. A shorter month pays on its last day.', 31],
});
const manual = wireBody('Payouts that the business starts.', {
  frequency: [v.literal('manual'), frequency, 'manual'],
});

export const payoutSettingsSchema = v.variant('frequency', [
  daily.schema,
  weekly.schema,
  monthly.schema,
  manual.schema,
]);

const payoutPreferences = wireObject('The payout schedule of a business.', {
  settings: [payoutSettingsSchema, 'The settings of the chosen frequency.', weekly.example],
});
export const businessPayoutPreferencesSchema = payoutPreferences.schema;

/** A business's payout schedule, in the clients' view. */
export interface BusinessPayoutPreferences
  extends v.InferOutput<typeof businessPayoutPreferencesSchema> {
  settings: PayoutSettings;
}

export const payoutPreferencesShapes = {
  BusinessPayoutPreferences: payoutPreferences,
  PayoutSettings: shape(
    payoutSettingsSchema,
    'The settings of a payout schedule, by `frequency`. A payout that falls on a weekend or a holiday is processed on the next business day.',
    weekly.example,
  ),
  DailyPayoutSettings: daily,
  WeeklyPayoutSettings: weekly,
  MonthlyPayoutSettings: monthly,
  ManualPayoutSettings: manual,
  Weekday: shape(weekly.schema.entries.dayOfWeek, 'A day of the week.', weekly.example.dayOfWeek),
};

/** Paths reject other ids, so such a record could never be read. */
const recordIdSchema = v.pipe(
  resourceIdSchema,
  v.check(canBeId, 'must not be `.` or `..`, or contain a control character'),
);

export const appointmentRecordSchema = v.object({
  id: recordIdSchema,
  businessId: recordIdSchema,
  amountDueMinor: v.bigint(),
  customerId: v.exactOptional(anyTextSchema),
  paymentMethodSetupId: v.exactOptional(resourceIdSchema),
  noShowFeeMinor: v.exactOptional(v.pipe(v.bigint(), v.minValue(0n, 'must not be negative'))),
  isMissed: v.exactOptional(v.boolean()),
  sameVisit: v.exactOptional(v.boolean()),
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
  earlierAccounts: v.exactOptional(
    v.pipe(
      v.array(v.object({ id: text(1, 255), retiredAt: v.exactOptional(timestampSchema) })),
      v.maxLength(maxEarlierAccounts, `must be at most ${maxEarlierAccounts} accounts`),
    ),
  ),
  accountChangedAt: v.exactOptional(v.number()),
});

/** What a payment takes from a business. */
export const businessTermsSchema = v.pick(businessRecordSchema, [
  'processorAccount',
  'applicationFee',
]);

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

/**
 * Groups of digits: a leading plus, parentheses around a group, one separator between two groups.
 */
const phonePattern = /^\+?(?:\([0-9]+\)|[0-9])(?:[ .-]?(?:\([0-9]+\)|[0-9]))*$/;
const emailPattern = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

const phoneNumberSchema = v.pipe(
  text(6, 32),
  v.regex(phonePattern, 'must be a phone number such as +49 30 901820'),
);

const emailAddressSchema = v.pipe(
  text(6, 100),
  v.regex(emailPattern, 'must be an email address such as ada@marlow.example'),
);

/** The query parameters; they exclude each other. */
export const challengeMethodsQuery = {
  phoneNumber: v.optional(phoneNumberSchema),
  emailAddress: v.optional(emailAddressSchema),
};

const challengeMethod = wireObject('A way to send a one-time passcode.', {
  label: [v.string(), 'The name of the way, such as `sms`.', 'sms'],
});
const challengeMethods = wireObject(
  'The ways to send a one-time passcode. They do not reveal whether an account exists.',
  { items: [v.array(challengeMethod.schema), 'The ways.', [challengeMethod.example]], count },
);
export const challengeMethodsSchema = challengeMethods.schema;

/** The ways to send a one-time passcode (spec "ChallengeMethod list"). */
export interface ChallengeMethods extends v.InferOutput<typeof challengeMethodsSchema> {}
/** Exactly one of the two. */
export interface ChallengeMethodsQuery {
  readonly phoneNumber?: string | undefined;
  readonly emailAddress?: string | undefined;
}

export const challengeMethodsShapes = {
  ChallengeMethods: challengeMethods,
  ChallengeMethod: challengeMethod,
  PhoneNumber: shape(
    phoneNumberSchema,
    'A phone number: digits, with an optional leading plus, and single spaces, dots or hyphens between groups.',
    '+49 30 901820',
  ),
  EmailAddress: shape(emailAddressSchema, 'An email address.', 'ada@marlow.example'),
};
