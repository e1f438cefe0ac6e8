import {
  type ApplicationFee,
  type Appointment,
  type AppointmentReference,
  type BarberReference,
  type Business,
  type Card,
  cardNetworks,
  type Dispute,
  type DisputeEventData,
  type DomainEvent,
  disputeStates,
  type FinancialAccount,
  fundingTypes,
  isStorable,
  type KeyRecord,
  type MethodSetup,
  type MoneyBackEventData,
  type NestedProblem,
  type Payment,
  type PaymentStateEventData,
  type PayoutPreferences,
  type Problem,
  type ProcessorAccount,
  paymentStates,
  platforms,
  type Recovery,
  type Refund,
  type RefundEventData,
  type RefundPolicy,
  type Review,
  type ReviewOpenedEventData,
  refundStates,
  reviewReasons,
  type Schedule,
  type Terminal,
  type TerminalEventData,
  type TimelineEntry,
  tokenizationMethods,
  type Work,
  weekdays,
} from '@chairside/core';
import * as fc from 'fast-check';

// Records for a store: every optional field present or absent, text of any script.

/**
 * An arbitrary for each field, optional ones included. A new field of a record that this file does
 * not draw fails to compile. A store that then forgets its column fails the contract.
 */
type FieldsOf<T> = { readonly [K in keyof T]-?: fc.Arbitrary<Exclude<T[K], undefined>> };

const text = fc
  .oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom(`"'\\;--`, '\u{1F600}', ''))
  .filter(isStorable);

const id = fc.tuple(fc.uuid(), text).map((parts) => parts.join(''));

const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
/** Up to the 15 digits of D2. */
const money = fc.bigInt({ min: 0n, max: 999_999_999_999_999n });
const counter = fc.integer({ min: 0, max: 2 ** 31 });

const referenceFields = {
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
    } satisfies FieldsOf<BarberReference>,
    { requiredKeys: ['id', 'givenName', 'surname'] },
  ),
  location: fc.record({ id, name: text, shopName: text }),
} satisfies FieldsOf<AppointmentReference>;

const reference: fc.Arbitrary<AppointmentReference> = fc.record(referenceFields, {
  requiredKeys: ['id', 'occursOn', 'barber', 'location'],
});

const card: fc.Arbitrary<Card> = fc.record(
  {
    maskedPersonalAccountNumber: fc.constantFrom('*4242', '*0005'),
    network: fc.constantFrom(...cardNetworks),
    fundingType: fc.constantFrom(...fundingTypes),
    expirationMonth: fc.constantFrom('01', '12'),
    expirationYear: fc.constantFrom('2026', '2031'),
    tokenizationMethod: fc.constantFrom(...tokenizationMethods),
  } satisfies FieldsOf<Card>,
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
      'currencyChanged',
      'partiallyAuthorized',
    ),
    fence: counter,
    attempt: counter,
    leaseUntil: instant,
  } satisfies FieldsOf<Work>,
  { requiredKeys: ['kind', 'fence', 'attempt', 'leaseUntil'] },
);

const entry: fc.Arbitrary<TimelineEntry> = fc.record({ at: instant, what: text, cause: text });

/** The fields that are set when a payment begins. */
const opened = {
  id,
  appointment: reference,
  businessId: id,
  account: id,
  currency: fc.constantFrom('eur', 'usd'),
  amountMinor: money,
  createdAt: instant,
} satisfies Partial<FieldsOf<Payment>>;

/** Frozen in the claim, where the business has a fee. */
const fee = { applicationFeeMinor: money } satisfies Partial<FieldsOf<Payment>>;
const base = fc.record({ ...opened, ...fee }, { requiredKeys: [...typedKeys(opened)] });

function typedKeys<T extends object>(record: T): readonly (keyof T)[] {
  // cast: the record was written here, with these members alone
  return Object.keys(record) as (keyof T)[];
}

/** The fields that a later change may set: all that `opened` lacks. */
const changing = {
  state: fc.constantFrom(...paymentStates),
  version: counter,
  clientSecret: text,
  reference: text,
  card,
  authorizedAt: instant,
  capturedAt: instant,
  capturedMinor: money,
  expiresAt: instant,
  updatedAt: instant,
  reserved: fc.boolean(),
  work,
  nextCheckAt: instant,
  checks: counter,
  review: fc.constantFrom(...reviewReasons),
  timeline: fc.array(entry, { maxLength: 5 }),
} satisfies FieldsOf<Omit<Payment, keyof typeof opened | keyof typeof fee>>;

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
  .tuple(base, states)
  .map(([first, state]) => ({ ...first, ...state }));

/** A payment before and after another commit. */
export const changedPayments: fc.Arbitrary<readonly [Payment, Payment]> = fc
  .tuple(base, states, states)
  .map(([first, before, after]) => [
    { ...first, ...before },
    { ...first, ...after },
  ]);

const json = fc
  .jsonValue({ noUnicodeString: false, depthSize: 'small' })
  // JSON text has no negative zero, so a store could not keep it.
  .map(withoutNegativeZero)
  .filter((value) => isStorable(JSON.stringify(value)));

/** Replaces every negative zero by zero, at any depth. */
function withoutNegativeZero(value: fc.JsonValue): fc.JsonValue {
  return JSON.parse(JSON.stringify(value));
}

const problemType = fc.constantFrom<('unprocessableEntity' | 'contactlessPaymentCanceled')[]>(
  'unprocessableEntity',
  'contactlessPaymentCanceled',
);

const nested = {
  type: problemType,
  title: text,
  status: fc.constantFrom(409, 422),
  occurredAt: instant.map((at) => new Date(at).toISOString()),
  id,
  detail: text,
  instance: text,
  attributes: fc.record({ pointer: text, nested: json }, { requiredKeys: [] }),
} satisfies FieldsOf<NestedProblem>;

const everyProblem = ['type', 'title', 'status', 'occurredAt', 'id'] as const;

const recovery: fc.Arbitrary<Recovery> = fc.record(
  {
    outcome: fc.constantFrom('notApplied', 'unknown'),
    retry: fc.constantFrom('doNotRetry', 'retrySameRequest'),
    sessionAction: fc.constantFrom('refresh', 'signIn'),
    rateLimit: fc.record({ limit: counter, remaining: counter, resetsAt: text }),
  } satisfies FieldsOf<Recovery>,
  { requiredKeys: ['outcome', 'retry'] },
);

export const problems: fc.Arbitrary<Problem> = fc.record(
  {
    ...nested,
    recovery,
    problems: fc.array(fc.record(nested, { requiredKeys: [...everyProblem] }), { maxLength: 2 }),
  } satisfies FieldsOf<Problem>,
  { requiredKeys: [...everyProblem, 'recovery'] },
);

const eventFrame = { subject: id, version: counter, occurredAt: instant };
const moneyBackData = {
  contactlessPaymentId: id,
  appointmentId: id,
  businessId: id,
  amount: text,
  currency: text,
} satisfies FieldsOf<MoneyBackEventData>;

export const events: fc.Arbitrary<DomainEvent> = fc.oneof(
  fc.record({
    ...eventFrame,
    type: fc.constantFrom(...paymentStates.map((state) => `contactlessPayment.${state}` as const)),
    data: fc.record({
      ...moneyBackData,
      barberId: id,
      state: fc.constantFrom(...paymentStates),
    } satisfies FieldsOf<PaymentStateEventData>),
  }),
  fc.record({
    ...eventFrame,
    type: fc.constantFrom('contactlessPayment.refunded', 'contactlessPayment.refundFailed'),
    data: fc.record(
      {
        ...moneyBackData,
        refundId: id,
        state: fc.constantFrom(...refundStates),
        origin: fc.constantFrom('here', 'elsewhere'),
        reason: text,
        failure: text,
        processorReference: text,
      } satisfies FieldsOf<RefundEventData>,
      { requiredKeys: [...typedKeys(moneyBackData)] },
    ),
  }),
  fc.record({
    ...eventFrame,
    type: fc.constantFrom('contactlessPayment.disputed', 'contactlessPayment.disputeWon'),
    data: fc.record(
      {
        ...moneyBackData,
        disputeId: id,
        state: fc.constantFrom(...disputeStates),
        reason: text,
        respondBy: text,
        processorReference: text,
      } satisfies FieldsOf<DisputeEventData>,
      { requiredKeys: [...typedKeys(moneyBackData), 'disputeId', 'state', 'processorReference'] },
    ),
  }),
  fc.record({
    ...eventFrame,
    type: fc.constantFrom('terminal.registered', 'terminal.removed', 'terminal.released'),
    data: fc.record({
      terminalId: id,
      barberId: id,
      businessId: id,
      platform: fc.constantFrom(...platforms),
    } satisfies FieldsOf<TerminalEventData>),
  }),
  fc.record({
    ...eventFrame,
    type: fc.constant('review.opened'),
    data: fc.record(
      {
        reviewId: id,
        reason: fc.constantFrom(...reviewReasons),
        account: id,
        contactlessPaymentId: id,
        processorReference: text,
      } satisfies FieldsOf<ReviewOpenedEventData>,
      { requiredKeys: ['reviewId', 'reason', 'account'] },
    ),
  }),
);

export const keyRecords: fc.Arbitrary<KeyRecord> = fc.record(
  {
    subject: id,
    key: id,
    operation: fc.constantFrom(
      'createContactlessPayment',
      'captureContactlessPayment',
      'preparePaymentMethod',
      'refundPayment',
    ),
    fingerprint: fc.stringMatching(/^[0-9a-f]{64}$/),
    resourceId: id,
    problem: problems,
    forgetAt: instant,
  } satisfies FieldsOf<KeyRecord>,
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
  } satisfies FieldsOf<Terminal>,
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

export const appointments: fc.Arbitrary<Appointment> = fc.record(
  { ...referenceFields, businessId: id, amountDueMinor: money } satisfies FieldsOf<Appointment>,
  { requiredKeys: ['id', 'businessId', 'amountDueMinor', 'occursOn', 'barber', 'location'] },
);

export const businesses: fc.Arbitrary<Business> = fc.record(
  {
    id,
    name: text,
    processorAccount: fc.record(
      {
        id,
        currency: fc.constantFrom('eur', 'usd'),
        terminalLocation: id,
      } satisfies FieldsOf<ProcessorAccount>,
      { requiredKeys: ['id', 'currency'] },
    ),
    applicationFee: fc.oneof(
      fc.record({ fixedMinor: money, currency: fc.constant('eur') }),
      fc.record({ basisPoints: fc.integer({ min: 0, max: 10_000 }) }),
      fc.record({
        fixedMinor: money,
        currency: fc.constant('usd'),
        basisPoints: counter,
      } satisfies FieldsOf<ApplicationFee>),
    ),
    refundPolicy: fc.record({
      returnsFee: fc.boolean(),
      reversesTransfer: fc.boolean(),
    } satisfies FieldsOf<RefundPolicy>),
  } satisfies FieldsOf<Business>,
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
    outcome: fc.constantFrom('completed', 'canceled', 'expired'),
    work,
    nextCheckAt: instant,
  } satisfies FieldsOf<MethodSetup>,
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

export const reviews: fc.Arbitrary<Review> = fc.record(
  {
    id,
    reason: fc.constantFrom(...reviewReasons),
    account: id,
    paymentId: id,
    reference: text,
    openedAt: instant,
    resolvedAt: instant,
    note: text,
  } satisfies FieldsOf<Review>,
  { requiredKeys: ['id', 'reason', 'account', 'openedAt'] },
);

export const refunds: fc.Arbitrary<Refund> = fc.record(
  {
    id,
    paymentId: id,
    account: id,
    currency: fc.constantFrom('eur', 'usd'),
    amountMinor: money,
    origin: fc.constantFrom('here', 'elsewhere'),
    reason: text,
    returnsFee: fc.boolean(),
    reversesTransfer: fc.boolean(),
    state: fc.constantFrom(...refundStates),
    version: counter,
    reference: text,
    failure: text,
    createdAt: instant,
    updatedAt: instant,
    acceptedAs: fc.constantFrom(...refundStates),
    acceptedAt: instant,
    work,
    nextCheckAt: instant,
    checks: counter,
  } satisfies FieldsOf<Refund>,
  {
    requiredKeys: [
      ...(['id', 'paymentId', 'account', 'currency', 'amountMinor', 'origin'] as const),
      ...(['returnsFee', 'reversesTransfer', 'state', 'version'] as const),
      ...(['createdAt', 'updatedAt', 'checks'] as const),
    ],
  },
);

export const disputes: fc.Arbitrary<Dispute> = fc.record(
  {
    id,
    paymentId: id,
    businessId: id,
    account: id,
    reference: text,
    currency: fc.constantFrom('eur', 'usd'),
    amountMinor: money,
    state: fc.constantFrom(...disputeStates),
    reason: text,
    respondBy: instant,
    version: counter,
    openedAt: instant,
    updatedAt: instant,
    seenAt: instant,
  } satisfies FieldsOf<Dispute>,
  {
    requiredKeys: [
      ...(['id', 'paymentId', 'businessId', 'account', 'reference', 'currency'] as const),
      ...(['amountMinor', 'state', 'version', 'openedAt', 'updatedAt', 'seenAt'] as const),
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
} satisfies FieldsOf<FinancialAccount>);

const weekday = fc.constantFrom(...weekdays);
const delayDays = fc.integer({ min: 0, max: 31 });

export const schedules: fc.Arbitrary<Schedule> = fc.record({
  id,
  barberId: id,
  name: text,
  hours: fc.array(fc.record({ day: weekday, from: text, to: text }), { maxLength: 3 }),
} satisfies FieldsOf<Schedule>);

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
