import type { InferInput } from 'valibot';
import type { RoutedOperation } from '../route.ts';
import type { named, SchemaName } from './named-schemas.ts';

/** An example of each schema, with every property of an object. */
type Examples = { readonly [N in SchemaName]: Full<InferInput<(typeof named)[N]>> };
type Full<T> = T extends object ? Required<T> : T;

const barber: Examples['BarberReference'] = {
  id: 'barber_ada',
  givenName: 'Ada',
  surname: 'Marlow',
  preferredName: 'Ada',
  biography: 'Cuts hair in Old Town since 2014.',
  spokenLanguages: ['de', 'en'],
  experience: 12,
  instagram: 'ada.marlow',
  urlSlug: 'ada-marlow',
  profileImage_URL: 'https://marlow.example/ada.jpg',
};

const location: Examples['ShopLocationReference'] = {
  id: 'location_old_town',
  name: 'Old Town',
  shopName: 'Marlow & Sons',
};

const appointment: Examples['AppointmentReference'] = {
  id: 'appointment_8241',
  occursOn: '2026-11-20T09:00:00.000Z',
  timeZone: 'Europe/Berlin',
  barber,
  location,
};

const card: Examples['Card'] = {
  maskedPersonalAccountNumber: '*4242',
  network: 'network_a',
  fundingType: 'credit',
  expirationMonth: '04',
  expirationYear: '2029',
  tokenizationMethod: 'wallet_method_a',
};

const externalPaymentReference: Examples['ExternalPaymentReference'] = {
  id: 'pi_3Q',
  paymentProcessor: 'processor_a',
};

const contactlessPayment: Examples['ContactlessPayment'] = {
  id: 'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc',
  appointment,
  amount: '45.00',
  state: 'captured',
  externalPaymentReference,
  clientSecret: 'pi_3Q_secret_8Zk',
  card,
  authorizedAt: '2026-11-20T09:30:40.000Z',
  capturedAt: '2026-11-20T09:30:42.000Z',
  expiresAt: '2026-11-20T09:45:00.000Z',
  createdAt: '2026-11-20T09:30:00.000Z',
  updatedAt: '2026-11-20T09:30:42.000Z',
};

const refund: Examples['Refund'] = {
  id: 'rfd_01jd3zk8q0e5v9h2m7x4r6t1bf',
  contactlessPaymentId: contactlessPayment.id,
  amount: '10.00',
  currency: 'eur',
  state: 'failed',
  origin: 'here',
  reason: 'The cut was too short',
  failure: 'lost_or_stolen_card',
  createdAt: '2026-11-20T10:30:00.000Z',
  updatedAt: '2026-11-22T10:30:00.000Z',
};
const { failure: _, ...withoutFailure } = refund;
const refunded = {
  ...withoutFailure,
  state: 'succeeded',
  updatedAt: '2026-11-20T10:30:01.000Z',
} as const;

const device: Examples['RegisterTerminal'] = {
  platform: 'ios',
  deviceIdentifier: '5E9C3C52-3F0D-4B8E-9B6B-1B1B7E1D9A44',
  deviceModel: 'iPhone14,5',
  osVersion: '18.1',
  appVersion: '3.2.0',
  terminalSdkVersion: '5.1.0',
};

const terminal: Examples['Terminal'] = {
  id: 'trm_01jd3zk8q0e5v9h2m7x4r6t1bd',
  ...device,
  terminalLocation: 'tml_1',
  createdAt: '2026-11-20T09:30:00.000Z',
  updatedAt: '2026-11-20T09:30:00.000Z',
};

const weekly: Examples['WeeklyPayoutSettings'] = {
  frequency: 'weekly',
  delayDays: 2,
  dayOfWeek: 'friday',
};

const rateLimit: Examples['RateLimit'] = {
  limit: 60,
  remaining: 0,
  resetsAt: '2026-11-20T09:30:42.000Z',
};

const nestedProblem: Examples['NestedProblem'] = {
  type: 'https://chairside.example/problems/badRequest',
  title: 'The request is not well-formed',
  occurredAt: '2026-11-20T09:30:00.000Z',
  detail: '/amount must be an exact decimal.',
  id: 'prb_01jd3zk8q0e5v9h2m7x4r6t1b1',
  status: 400,
  instance: 'https://api.shop.example/terminals#req_1',
  attributes: { pointer: '/amount' },
};

const recovery = { outcome: 'notApplied', retry: 'retrySameRequestAfterDelay', rateLimit } as const;

export const schemaExamples: Examples = {
  ResourceId: contactlessPayment.id,
  Money: contactlessPayment.amount,
  Timestamp: contactlessPayment.createdAt,
  Count: 1,
  IdempotencyKey: '5d1f3f0e-8c1c-4a52-9b35-0d2d1a9f6c11',

  ContactlessPayment: contactlessPayment,
  ContactlessPayments: { items: [contactlessPayment], count: 1 },
  ContactlessPaymentState: contactlessPayment.state,
  AppointmentReference: appointment,
  BarberReference: barber,
  ShopLocationReference: location,
  Card: card,
  CardNetwork: card.network,
  CardFundingType: card.fundingType,
  CardTokenizationMethod: card.tokenizationMethod,
  ExternalPaymentReference: externalPaymentReference,
  PaymentProcessor: externalPaymentReference.paymentProcessor,
  CreateContactlessPayment: { amount: contactlessPayment.amount },
  CaptureContactlessPayment: { externalPaymentReference },

  Refund: refund,
  Refunds: { items: [refunded], count: 1, captured: '45.00', refundable: '35.00' },
  RefundState: refunded.state,
  RefundOrigin: refund.origin,
  Currency: refund.currency,
  RefundPayment: { amount: refund.amount, reason: refund.reason },

  Terminal: terminal,
  Terminals: { items: [terminal], count: 1 },
  TerminalPlatform: device.platform,
  TerminalConnectionToken: { clientSecret: 'pst_test_YWNjdF8x' },
  RegisterTerminal: device,

  PaymentMethodSetup: {
    paymentMethodSetupId: 'pms_01jd3zk8q0e5v9h2m7x4r6t1be',
    clientSecret: 'seti_1Q_secret_2Wd',
    expiresAt: '2026-11-20T10:30:00.000Z',
    paymentMethodReuseAuthorized: true,
  },
  PreparePaymentMethod: { savePaymentMethod: true },

  BusinessPayoutPreferences: { settings: weekly },
  PayoutSettings: weekly,
  DailyPayoutSettings: { frequency: 'daily', delayDays: 2 },
  WeeklyPayoutSettings: weekly,
  MonthlyPayoutSettings: { frequency: 'monthly', delayDays: 2, dayOfMonth: 31 },
  ManualPayoutSettings: { frequency: 'manual' },
  Weekday: weekly.dayOfWeek,
  ChallengeMethods: { items: [{ label: 'sms' }], count: 1 },
  ChallengeMethod: { label: 'sms' },
  PhoneNumber: '+49 30 901820',
  EmailAddress: 'ada@marlow.example',

  Problem: { ...nestedProblem, recovery, problems: [nestedProblem] },
  NestedProblem: nestedProblem,
  Recovery: { ...recovery, sessionAction: 'refresh' },
  RateLimit: rateLimit,
};

/** The examples of responses that show another moment than the example of their schema. */
export const responseExamples: { readonly [O in RoutedOperation]?: unknown } = {
  createContactlessPayment: {
    id: contactlessPayment.id,
    appointment,
    amount: contactlessPayment.amount,
    state: 'created',
    clientSecret: contactlessPayment.clientSecret,
    expiresAt: contactlessPayment.expiresAt,
    createdAt: contactlessPayment.createdAt,
    updatedAt: contactlessPayment.createdAt,
  } satisfies Partial<Examples['ContactlessPayment']>,
  refundPayment: refunded,
  getRefund: refunded,
};
