import {
  type Appointment,
  type AppointmentReference,
  type Business,
  type Card,
  cardNetworks,
  type DomainEvent,
  type FinancialAccount,
  fundingTypes,
  isStorable,
  type KeyRecord,
  type MethodSetup,
  type Payment,
  type PayoutPreferences,
  type Problem,
  paymentStates,
  platforms,
  type Schedule,
  type Terminal,
  type TimelineEntry,
  tokenizationMethods,
  type Work,
  weekdays,
} from '@chairside/core';
import * as fc from 'fast-check';

// Records as a store may be given them: every optional field there or not, text of any script.

const text = fc
  .oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom(`"'\\;--`, '\u{1F600}', ''))
  .filter(isStorable);

const id = fc.tuple(fc.uuid(), text).map((parts) => parts.join(''));

const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
/** Up to the 15 digits of D2. */
const money = fc.bigInt({ min: 0n, max: 999_999_999_999_999n });
const counter = fc.integer({ min: 0, max: 2 ** 31 });

const reference: fc.Arbitrary<AppointmentReference> = fc.record(
  {
    id,
    occursOn: instant.map((at) => new Date(at).toISOString()),
    timeZone: fc.constantFrom(null, 'Europe/Berlin'),
    barber: fc.record(
      {
        id,
        givenName: text,
        surname: text,
        preferredName: text,
        biography: text,
        spokenLanguages: fc.array(text, { maxLength: 3 }),
        experience: fc.integer({ min: 0, max: 100 }),
        instagram: text,
        urlSlug: text,
        profileImage_URL: fc.webUrl(),
      },
      { requiredKeys: ['id', 'givenName', 'surname'] },
    ),
    location: fc.record({ id, name: text, shopName: text }),
  },
  { requiredKeys: ['id', 'occursOn', 'barber', 'location'] },
);

const card: fc.Arbitrary<Card> = fc.record(
  {
    maskedPersonalAccountNumber: fc.constantFrom('*4242', '*0005'),
    network: fc.constantFrom(...cardNetworks),
    fundingType: fc.constantFrom(...fundingTypes),
    expirationMonth: fc.constantFrom('01', '12'),
    expirationYear: fc.constantFrom('2026', '2031'),
    tokenizationMethod: fc.constantFrom(...tokenizationMethods),
  },
  {
    requiredKeys: [
      'maskedPersonalAccountNumber',
      'network',
      'fundingType',
      'expirationMonth',
      'expirationYear',
    ],
  },
);

const work: fc.Arbitrary<Work> = fc.record(
  {
    kind: fc.constantFrom('open', 'capture', 'cancel'),
    cause: fc.constantFrom(
      'requested',
      'expired',
      'appointmentPaid',
      'exceedsRemainingBalance',
      'partiallyAuthorized',
    ),
    fence: counter,
    attempt: counter,
    leaseUntil: instant,
  },
  { requiredKeys: ['kind', 'fence', 'attempt', 'leaseUntil'] },
);

const entry: fc.Arbitrary<TimelineEntry> = fc.record({ at: instant, what: text, cause: text });

/** What a payment is opened with. */
const opened = {
  id,
  appointment: reference,
  businessId: id,
  account: id,
  currency: fc.constantFrom('eur', 'usd'),
  amountMinor: money,
  createdAt: instant,
};

/** What a later change may set. */
const changing = {
  state: fc.constantFrom(...paymentStates),
  version: counter,
  clientSecret: text,
  reference: text,
  card,
  authorizedAt: instant,
  capturedAt: instant,
  expiresAt: instant,
  updatedAt: instant,
  reserved: fc.boolean(),
  work,
  nextCheckAt: instant,
  checks: counter,
  review: text,
  timeline: fc.array(entry, { maxLength: 5 }),
};

const alwaysSet = [
  'state',
  'version',
  'expiresAt',
  'updatedAt',
  'reserved',
  'checks',
  'timeline',
] as const;

const states = fc.record(changing, { requiredKeys: [...alwaysSet] });

export const payments: fc.Arbitrary<Payment> = fc
  .tuple(fc.record(opened), states)
  .map(([base, state]) => ({ ...base, ...state }));

/** A payment and what another commit makes of it. */
export const changedPayments: fc.Arbitrary<readonly [Payment, Payment]> = fc
  .tuple(fc.record(opened), states, states)
  .map(([base, before, after]) => [
    { ...base, ...before },
    { ...base, ...after },
  ]);

const json = fc
  .jsonValue({ noUnicodeString: false, depthSize: 'small' })
  // Text has no negative zero: a store could not keep it.
  .map(withoutNegativeZero)
  .filter((value) => isStorable(JSON.stringify(value)));

/** The same, with zero in the place of every negative zero, however deep. */
function withoutNegativeZero(value: fc.JsonValue): fc.JsonValue {
  return JSON.parse(JSON.stringify(value));
}

export const problems: fc.Arbitrary<Problem> = fc.record(
  {
    type: fc.constantFrom('unprocessableEntity', 'contactlessPaymentCanceled'),
    title: text,
    status: fc.constantFrom(409, 422),
    occurredAt: instant.map((at) => new Date(at).toISOString()),
    id,
    detail: text,
    instance: text,
    attributes: fc.record({ pointer: text, nested: json }, { requiredKeys: [] }),
    recovery: fc.record({
      outcome: fc.constantFrom('notApplied', 'unknown'),
      retry: fc.constantFrom('doNotRetry', 'retrySameRequest'),
    }),
  },
  { requiredKeys: ['type', 'title', 'status', 'occurredAt', 'id', 'recovery'] },
);

export const events: fc.Arbitrary<DomainEvent> = fc.record({
  subject: id,
  version: counter,
  type: fc.constantFrom('contactlessPayment.captured', 'terminal.registered'),
  occurredAt: instant,
  data: fc.record({ amount: text, nested: json }, { requiredKeys: [] }),
});

export const keyRecords: fc.Arbitrary<KeyRecord> = fc.record(
  {
    subject: id,
    key: id,
    operation: fc.constantFrom(
      'createContactlessPayment',
      'captureContactlessPayment',
      'preparePaymentMethod',
    ),
    fingerprint: fc.stringMatching(/^[0-9a-f]{64}$/),
    resourceId: id,
    problem: problems,
    forgetAt: instant,
  },
  { requiredKeys: ['subject', 'key', 'operation', 'fingerprint'] },
);

export const terminals: fc.Arbitrary<Terminal> = fc.record(
  {
    id,
    platform: fc.constantFrom(...platforms),
    deviceIdentifier: id,
    deviceModel: text,
    osVersion: text,
    appVersion: text,
    terminalSdkVersion: text,
    barberId: id,
    businessId: id,
    createdAt: instant,
    updatedAt: instant,
  },
  {
    requiredKeys: [
      'id',
      'platform',
      'deviceIdentifier',
      'barberId',
      'businessId',
      'createdAt',
      'updatedAt',
    ],
  },
);

export const appointments: fc.Arbitrary<Appointment> = fc.record({
  id,
  businessId: id,
  amountDueMinor: money,
  reference,
});

export const businesses: fc.Arbitrary<Business> = fc.record(
  {
    id,
    name: text,
    processorAccount: fc.record(
      { id, currency: fc.constantFrom('eur', 'usd'), terminalLocation: id },
      { requiredKeys: ['id', 'currency'] },
    ),
  },
  { requiredKeys: ['id', 'name'] },
);

export const setups: fc.Arbitrary<MethodSetup> = fc.record(
  {
    id,
    customerId: id,
    savePaymentMethod: fc.boolean(),
    version: counter,
    clientSecret: text,
    reference: text,
    createdAt: instant,
    expiresAt: instant,
    work,
    nextCheckAt: instant,
  },
  {
    requiredKeys: [
      'id',
      'customerId',
      'savePaymentMethod',
      'version',
      'createdAt',
      'expiresAt',
      'nextCheckAt',
    ],
  },
);

export const financialAccounts: fc.Arbitrary<FinancialAccount> = fc.record({
  id,
  businessId: id,
  bankName: text,
  maskedAccountNumber: text,
  currency: fc.constantFrom('eur', 'usd'),
  isDefault: fc.boolean(),
});

const weekday = fc.constantFrom(...weekdays);
const delayDays = fc.integer({ min: 0, max: 31 });

export const schedules: fc.Arbitrary<Schedule> = fc.record({
  id,
  barberId: id,
  name: text,
  hours: fc.array(fc.record({ day: weekday, from: text, to: text }), { maxLength: 3 }),
});

export const payoutPreferences: fc.Arbitrary<PayoutPreferences> = fc.record({
  businessId: id,
  settings: fc.oneof(
    fc.record({ frequency: fc.constant('daily'), delayDays }),
    fc.record({ frequency: fc.constant('weekly'), delayDays, dayOfWeek: weekday }),
    fc.record({
      frequency: fc.constant('monthly'),
      delayDays,
      dayOfMonth: fc.integer({ min: 1, max: 31 }),
    }),
    fc.record({ frequency: fc.constant('manual') }),
  ),
});
