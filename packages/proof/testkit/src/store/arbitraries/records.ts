import {
  type ApplicationFee,
  type Appointment,
  type AppointmentReference,
  type Barber,
  type BarberReference,
  type Business,
  type Card,
  type EarlierAccount,
  type FinancialAccount,
  type PayoutPreferences,
  type ProcessorAccount,
  type RefundPolicy,
  type Schedule,
  weekdays,
} from '@chairside/core';
import {
  type Actor,
  type Charge,
  cardNetworks,
  chargePurposes,
  type Dispute,
  disputeStates,
  fundingTypes,
  type MethodSetup,
  type Movement,
  type OtherEntry,
  type Part,
  type Payment,
  type Payout,
  paymentStates,
  payoutStates,
  platforms,
  type Refund,
  type Review,
  refundStates,
  reviewOutcomes,
  reviewReasons,
  type SettlementEntry,
  type Share,
  type ShareEntry,
  settlementKinds,
  type Tender,
  type Terminal,
  type TimelineEntry,
  tokenizationMethods,
} from '@chairside/core/ports';
import * as fc from 'fast-check';
import { counter, currency, id, instant, money, recordOf, text, work } from './values.ts';

const barber = recordOf<BarberReference>()(
  { id, givenName: text, surname: text },
  {
    preferredName: text,
    biography: text,
    spokenLanguages: fc.array(text, { maxLength: 3 }),
    experience: fc.integer({ min: 0, max: 100 }),
    instagram: text,
    urlSlug: text,
    profileImage_URL: fc.webUrl(),
  },
);

/** The required fields of a reference, and those that it may lack. */
const requiredOfReference = {
  id,
  occursOn: instant.map((at) => new Date(at).toISOString()),
  barber,
  location: fc.record({ id, name: text, shopName: text }),
};
const optionalOfReference = { timeZone: fc.constantFrom(null, 'Europe/Berlin') };

// In the order of the core, which responses show: a store may keep the members without their names.
const reference = recordOf<AppointmentReference>()(requiredOfReference, optionalOfReference).map(
  ({ barber, location, ...first }): AppointmentReference => ({ ...first, barber, location }),
);

const card = recordOf<Card>()(
  {
    maskedPersonalAccountNumber: fc.constantFrom('*4242', '*0005'),
    network: fc.constantFrom(...cardNetworks),
    fundingType: fc.constantFrom(...fundingTypes),
    expirationMonth: fc.constantFrom('01', '12'),
    expirationYear: fc.constantFrom('2026', '2031'),
  },
  { tokenizationMethod: fc.constantFrom(...tokenizationMethods) },
);

const line = { at: instant, what: text, cause: text };
const entry: fc.Arbitrary<TimelineEntry> = fc.oneof(
  fc.record(line),
  fc.record({ ...line, actor: counter }),
  fc.record({ ...line, actor: counter, requestId: id }),
);

type SetOnce =
  | 'id'
  | 'appointment'
  | 'businessId'
  | 'account'
  | 'currency'
  | 'amountMinor'
  | 'createdAt'
  | 'applicationFeeMinor'
  | 'tipMinor'
  | 'charge'
  | 'customerId';

const charge = recordOf<Charge>()(
  {
    purpose: fc.constantFrom(...chargePurposes),
    setupId: id,
    customerId: id,
    setupReference: text,
    paymentMethod: text,
    agreedAt: instant,
    agreementRef: text,
  },
  { isForOneVisit: fc.constant(true as const), ownerId: id },
);

/** The fields that are set when a payment begins; the fee where the business has one. */
const base = recordOf<Pick<Payment, SetOnce>>()(
  {
    id,
    appointment: reference,
    businessId: id,
    account: id,
    currency,
    amountMinor: money,
    createdAt: instant,
  },
  { applicationFeeMinor: money, tipMinor: money, charge, customerId: id },
);

const parts: fc.Arbitrary<Part> = fc.record({
  appointmentId: id,
  barberId: id,
  amountMinor: money,
  tipMinor: money,
});

const share = recordOf<Share>()(
  { appointmentId: id, barberId: id, amountMinor: money, tipMinor: money },
  { barberName: text },
);

/** The fields that a later change may set. */
const states = recordOf<Omit<Payment, SetOnce>>()(
  {
    state: fc.constantFrom(...paymentStates),
    version: counter,
    expiresAt: instant,
    updatedAt: instant,
    reserved: fc.boolean(),
    checks: counter,
    timeline: fc.array(entry, { maxLength: 5 }),
  },
  {
    clientSecret: text,
    reference: text,
    card,
    authorizedAt: instant,
    capturedAt: instant,
    capturedMinor: money,
    work,
    nextCheckAt: instant,
    review: fc.constantFrom(...reviewReasons),
    shares: fc.array(share, { minLength: 1, maxLength: 3 }),
  },
);

/** A payment before and after another commit. */
export const changedPayments: fc.Arbitrary<readonly [Payment, Payment]> = fc
  .tuple(base, states, states)
  .map(([first, before, after]) => [
    { ...first, ...before },
    { ...first, ...after },
  ]);

export const reviews = recordOf<Review>()(
  {
    id,
    version: counter,
    reason: fc.constantFrom(...reviewReasons),
    account: id,
    openedAt: instant,
  },
  {
    paymentId: id,
    reference: text,
    count: counter,
    resolvedAt: instant,
    note: text,
    outcome: fc.constantFrom(...reviewOutcomes),
    resolvedBy: counter,
  },
);

export const refunds = recordOf<Refund>()(
  {
    id,
    paymentId: id,
    account: id,
    currency,
    amountMinor: money,
    origin: fc.constantFrom('here', 'elsewhere'),
    returnsFee: fc.boolean(),
    reversesTransfer: fc.boolean(),
    state: fc.constantFrom(...refundStates),
    isBooked: fc.boolean(),
    version: counter,
    createdAt: instant,
    updatedAt: instant,
    checks: counter,
  },
  {
    isRestored: fc.constant(true as const),
    reason: text,
    tipMinor: money,
    isTransferReversed: fc.boolean(),
    reference: text,
    failure: text,
    pendingReason: text,
    siblings: fc.array(id, { minLength: 1, maxLength: 3 }),
    parts: fc.array(parts, { maxLength: 3 }),
    acceptedAs: fc.constantFrom(...refundStates),
    acceptedAt: instant,
    work,
    nextCheckAt: instant,
  },
);

export const disputes = recordOf<Dispute>()(
  {
    id,
    paymentId: id,
    businessId: id,
    account: id,
    reference: text,
    currency,
    amountMinor: money,
    state: fc.constantFrom(...disputeStates),
    takenMinor: money,
    returnedMinor: money,
    bookedIn: currency,
    isRefundable: fc.boolean(),
    version: counter,
    openedAt: instant,
    updatedAt: instant,
    seenAt: instant,
  },
  { reason: text, respondBy: instant, parts: fc.array(parts, { maxLength: 3 }) },
);

const setups = recordOf<MethodSetup>()(
  {
    id,
    customerId: id,
    savePaymentMethod: fc.boolean(),
    version: counter,
    createdAt: instant,
    expiresAt: instant,
  },
  {
    nextCheckAt: instant,
    chargeId: id,
    releasedAt: instant,
    releasedBy: counter,
    releasedRequestId: text,
    clientSecret: text,
    reference: text,
    outcome: fc.constantFrom('completed', 'canceled', 'expired'),
    work,
  },
);

/** A setup before and after another commit, which leaves what it began with. */
export const changedSetups = fc.tuple(setups, setups).map(([before, after]) => {
  const { customerId, savePaymentMethod, createdAt } = before;
  return [before, { ...after, customerId, savePaymentMethod, createdAt }] as const;
});

const signed = fc
  .tuple(money, fc.boolean())
  .map(([minor, isNegative]) => (isNegative ? -minor : minor));

export const shares = recordOf<ShareEntry>()(
  {
    id,
    version: counter,
    actId: id,
    kind: fc.constantFrom('payment', 'refund', 'dispute'),
    paymentId: id,
    appointmentId: id,
    businessId: id,
    barberId: id,
    currency,
    amountMinor: signed,
    tipMinor: signed,
    at: instant,
  },
  {
    barberName: text,
    purpose: fc.constantFrom(...chargePurposes),
    shares: fc.array(share, { minLength: 1, maxLength: 3 }),
    note: text,
    actor: counter,
    requestId: id,
  },
);

export const tenders = recordOf<Tender>()(
  {
    id,
    version: counter,
    act: fc.constantFrom('record', 'return', 'void'),
    appointmentId: id,
    businessId: id,
    barberId: id,
    barberName: text,
    kind: fc.constantFrom('cash', 'voucher', 'bankTransfer', 'other'),
    currency,
    amountMinor: money,
    at: instant,
    returnedMinor: money,
  },
  {
    customerId: id,
    visitDay: text,
    tenderId: id,
    paymentId: id,
    tipMinor: money,
    parts: fc.array(parts, { maxLength: 3 }),
    note: text,
    voidedAt: instant,
    actor: counter,
    requestId: id,
  },
);

export const movements: fc.Arbitrary<Movement> = fc.record({
  id,
  businessId: id,
  barberId: id,
  account: id,
  paymentId: id,
  kind: fc.constantFrom('refund', 'dispute'),
  subject: text,
  currency,
  amountMinor: signed,
  tipMinor: signed,
  at: instant,
});

export const settlements = recordOf<SettlementEntry>()(
  {
    id,
    account: id,
    paymentId: id,
    kind: fc.constantFrom(...settlementKinds),
    subject: text,
    currency,
    amountMinor: signed,
    processorFeeMinor: signed,
    applicationFeeMinor: signed,
    at: instant,
  },
  { platformMinor: signed, businessId: id, payoutId: id },
);

const payouts = recordOf<Payout>()(
  {
    id,
    account: id,
    reference: text,
    currency,
    amountMinor: signed,
    state: fc.constantFrom(...payoutStates),
    createdAt: instant,
    arrivesAt: instant,
    isItemized: fc.boolean(),
    isRead: fc.boolean(),
    oursMinor: signed,
    othersMinor: signed,
    others: fc.array(
      recordOf<OtherEntry>()(
        { reference: text, kind: text, amountMinor: signed, at: instant },
        { description: text },
      ),
      { maxLength: 3 },
    ),
  },
  { failure: text, cursor: text, replacedBy: id },
);

/** A payout before and after it is listed again, which leaves the one that pays it again. */
export const changedPayouts = fc.tuple(payouts, payouts).map(([before, after]) => {
  const { replacedBy } = before;
  return [before, { ...(replacedBy !== undefined && { replacedBy }), ...after }] as const;
});

export const appointments = recordOf<Appointment>()(
  { ...requiredOfReference, businessId: id, amountDueMinor: money },
  {
    ...optionalOfReference,
    customerId: id,
    paymentMethodSetupId: id,
    noShowFeeMinor: money,
    isMissed: fc.boolean(),
    sameVisit: fc.boolean(),
  },
);

const basisPoints = fc.integer({ min: 0, max: 10_000 });

export const businesses = recordOf<Business>()(
  { id, name: text },
  {
    processorAccount: recordOf<ProcessorAccount>()({ id, currency }, { terminalLocation: id }),
    applicationFee: fc.oneof<fc.Arbitrary<ApplicationFee>[]>(
      fc.record({ fixedMinor: money, currency: fc.constant('eur') }),
      fc.record({ basisPoints, includesTip: fc.boolean() }),
      fc.record({ fixedMinor: money, currency: fc.constant('usd'), basisPoints: counter }),
    ),
    refundPolicy: recordOf<RefundPolicy>()(
      { returnsFee: fc.boolean(), reversesTransfer: fc.boolean() },
      {},
    ),
    earlierAccounts: fc.array(recordOf<EarlierAccount>()({ id }, { retiredAt: text }), {
      minLength: 1,
      maxLength: 3,
    }),
    accountChangedAt: fc.nat(),
  },
);

export const barbers: fc.Arbitrary<Barber> = fc.record({ id, businessId: id });

export const financialAccounts = recordOf<FinancialAccount>()(
  {
    id,
    businessId: id,
    bankName: text,
    maskedAccountNumber: text,
    currency,
    isDefault: fc.boolean(),
  },
  {},
);

const weekday = fc.constantFrom(...weekdays);
const delayDays = fc.integer({ min: 0, max: 31 });

export const schedules = recordOf<Schedule>()(
  {
    id,
    barberId: id,
    name: text,
    hours: fc.array(fc.record({ day: weekday, from: text, to: text }), { maxLength: 3 }),
  },
  {},
);

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

export const actors = recordOf<Actor>()({ number: counter, subject: id }, {});

export const terminals = recordOf<Terminal>()(
  {
    id,
    platform: fc.constantFrom(...platforms),
    deviceIdentifier: id,
    barberId: id,
    businessId: id,
    createdAt: instant,
    updatedAt: instant,
  },
  { deviceModel: text, osVersion: text, appVersion: text, terminalSdkVersion: text },
);
