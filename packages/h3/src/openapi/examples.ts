import type {
  BusinessPayoutPreferences,
  CaptureContactlessPaymentBody,
  ChallengeMethods,
  ContactlessPayment,
  ContactlessPayments,
  CreateContactlessPaymentBody,
  PaymentMethodSetup,
  PreparePaymentMethodBody,
  RegisterTerminalBody,
  TerminalConnectionToken,
  Terminals,
  TerminalView,
} from '@chairside/core';
import type { RoutedOperation } from '../route.ts';

/** 2026-11-20T09:30:00.000Z */
export const exampleTime = Date.UTC(2026, 10, 20, 9, 30);

const payment: ContactlessPayment = {
  id: 'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc',
  appointment: {
    id: 'appointment_8241',
    occursOn: '2026-11-20T09:00:00.000Z',
    timeZone: 'Europe/Berlin',
    barber: {
      id: 'barber_ada',
      givenName: 'Ada',
      surname: 'Marlow',
      spokenLanguages: ['de', 'en'],
      experience: 12,
      urlSlug: 'ada-marlow',
    },
    location: { id: 'location_old_town', name: 'Old Town', shopName: 'Marlow & Sons' },
  },
  amount: '45.00',
  state: 'created',
  clientSecret: 'pi_3Q_secret_8Zk',
  expiresAt: '2026-11-20T09:45:00.000Z',
  createdAt: '2026-11-20T09:30:00.000Z',
  updatedAt: '2026-11-20T09:30:00.000Z',
};

const captured: ContactlessPayment = {
  ...payment,
  state: 'captured',
  externalPaymentReference: { id: 'pi_3Q', paymentProcessor: 'processor_a' },
  card: {
    maskedPersonalAccountNumber: '*4242',
    network: 'network_a',
    fundingType: 'credit',
    expirationMonth: '04',
    expirationYear: '2029',
    tokenizationMethod: 'wallet_method_a',
  },
  authorizedAt: '2026-11-20T09:30:40.000Z',
  capturedAt: '2026-11-20T09:30:42.000Z',
  updatedAt: '2026-11-20T09:30:42.000Z',
};

const device: RegisterTerminalBody = {
  platform: 'ios',
  deviceIdentifier: '5E9C3C52-3F0D-4B8E-9B6B-1B1B7E1D9A44',
  deviceModel: 'iPhone14,5',
  osVersion: '18.1',
  appVersion: '3.2.0',
  terminalSdkVersion: '5.1.0',
};

const terminal: TerminalView = {
  id: 'trm_01jd3zk8q0e5v9h2m7x4r6t1bd',
  ...device,
  createdAt: '2026-11-20T09:30:00.000Z',
  updatedAt: '2026-11-20T09:30:00.000Z',
};

interface Examples {
  readonly request?: unknown;
  readonly response?: unknown;
}

/** The request and response of a successful call. */
export const examples: { readonly [O in RoutedOperation]?: Examples } = {
  createContactlessPayment: {
    request: { amount: '45.00' } satisfies CreateContactlessPaymentBody,
    response: payment,
  },
  listContactlessPayments: {
    response: { items: [captured], count: 1 } satisfies ContactlessPayments,
  },
  getContactlessPayment: { response: captured },
  captureContactlessPayment: {
    request: {
      externalPaymentReference: { id: 'pi_3Q', paymentProcessor: 'processor_a' },
    } satisfies CaptureContactlessPaymentBody,
    response: captured,
  },
  registerTerminal: { request: device, response: terminal },
  listTerminals: { response: { items: [terminal], count: 1 } satisfies Terminals },
  getTerminal: { response: terminal },
  createTerminalConnectionToken: {
    response: { clientSecret: 'pst_test_YWNjdF8x' } satisfies TerminalConnectionToken,
  },
  preparePaymentMethod: {
    request: { savePaymentMethod: true } satisfies PreparePaymentMethodBody,
    response: {
      paymentMethodSetupId: 'pms_01jd3zk8q0e5v9h2m7x4r6t1be',
      clientSecret: 'seti_1Q_secret_2Wd',
      expiresAt: '2026-11-20T10:30:00.000Z',
      paymentMethodReuseAuthorized: true,
    } satisfies PaymentMethodSetup,
  },
  listChallengeMethods: {
    response: { items: [{ label: 'sms' }], count: 1 } satisfies ChallengeMethods,
  },
  getPayoutPreferences: {
    response: {
      settings: { frequency: 'weekly', delayDays: 2, dayOfWeek: 'friday' },
    } satisfies BusinessPayoutPreferences,
  },
};
