import type {
  Appointment,
  AppointmentReference,
  Barber,
  Business,
  FinancialAccount,
  PaymentStateEvent,
  PayoutPreferences,
  Problem,
  Schedule,
} from '@chairside/core';
import type {
  Dispute,
  KeyRecord,
  MethodSetup,
  Movement,
  Payment,
  Payout,
  Refund,
  SettlementEntry,
  ShareEntry,
  Tender,
  Terminal,
} from '@chairside/core/ports';

/** A time for tests that need any: 2026-11-02T09:00:00Z. */
export const someTime = Date.UTC(2026, 10, 2, 9);

const builder =
  <T extends object>(fields: T) =>
  (over: Partial<T> = {}): T => ({ ...fields, ...over });

export const anAppointmentReference = builder<AppointmentReference>({
  id: 'appointment-1',
  occursOn: '2026-11-02T09:00:00.000Z',
  timeZone: 'Europe/Berlin',
  barber: { id: 'barber-1', givenName: 'Ada', surname: 'Marlow' },
  location: { id: 'location-1', name: 'Old Town', shopName: 'Marlow & Sons' },
});

export const anAppointment = builder<Appointment>({
  ...anAppointmentReference(),
  businessId: 'business-1',
  amountDueMinor: 4500n,
});

export const aBarber = builder<Barber>({ id: 'barber-1', businessId: 'business-1' });

export const aBusiness = builder<Business>({
  id: 'business-1',
  name: 'Marlow & Sons',
  processorAccount: { id: 'acct_1', currency: 'eur', terminalLocation: 'tml_1' },
});

/** Claimed and not opened yet, as the first commit of a create writes it. */
export const aPayment = builder<Payment>({
  id: 'cpm_1',
  appointment: anAppointmentReference(),
  businessId: 'business-1',
  account: 'acct_1',
  currency: 'eur',
  amountMinor: 4500n,
  state: 'created',
  version: 1,
  expiresAt: someTime + 900_000,
  createdAt: someTime,
  updatedAt: someTime,
  reserved: false,
  checks: 0,
  timeline: [],
});

export const aTerminal = builder<Terminal>({
  id: 'trm_1',
  platform: 'ios',
  deviceIdentifier: 'device-1',
  barberId: 'barber-1',
  businessId: 'business-1',
  createdAt: someTime,
  updatedAt: someTime,
});

export const aKeyRecord = builder<KeyRecord>({
  subject: 'user-1',
  key: 'key-1',
  operation: 'createContactlessPayment',
  fingerprint: 'f'.repeat(64),
});

export const anEvent = builder<PaymentStateEvent>({
  subject: 'cpm_1',
  version: 1,
  type: 'contactlessPayment.created',
  occurredAt: someTime,
  data: {
    contactlessPaymentId: 'cpm_1',
    appointmentId: 'appointment-1',
    businessId: 'business-1',
    barberId: 'barber-1',
    amount: '45.00',
    currency: 'eur',
    state: 'created',
  },
});

export const aProblem = builder<Problem>({
  type: 'unprocessableEntity',
  title: 'The request is well-formed but invalid',
  status: 422,
  occurredAt: '2026-11-02T09:00:00.000Z',
  id: 'prb_1',
  recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
});

/** Claimed and not opened yet. */
export const aSetup = builder<MethodSetup>({
  id: 'pms_1',
  customerId: 'customer-1',
  savePaymentMethod: true,
  version: 1,
  createdAt: someTime,
  expiresAt: someTime + 3_600_000,
  nextCheckAt: someTime + 3_600_000,
});

export const aFinancialAccount = builder<FinancialAccount>({
  id: 'account-1',
  businessId: 'business-1',
  bankName: 'Old Town Savings',
  maskedAccountNumber: '*6789',
  currency: 'eur',
  isDefault: false,
});

export const aSchedule = builder<Schedule>({
  id: 'schedule-1',
  barberId: 'barber-1',
  name: 'Winter',
  hours: [{ day: 'monday', from: '09:00', to: '17:30' }],
});

export const aPayoutPreferences = builder<PayoutPreferences>({
  businessId: 'business-1',
  settings: { frequency: 'manual' },
});

/** Reserved and not sent yet, as the commit of its claim writes it. */
export const aRefund = builder<Refund>({
  id: 'rfd_1',
  paymentId: 'cpm_1',
  account: 'acct_1',
  currency: 'eur',
  amountMinor: 1000n,
  origin: 'here',
  returnsFee: false,
  reversesTransfer: true,
  state: 'pending',
  isBooked: false,
  version: 1,
  createdAt: someTime,
  updatedAt: someTime,
  checks: 0,
});

export const aDispute = builder<Dispute>({
  id: 'dsp_1',
  paymentId: 'cpm_1',
  businessId: 'business-1',
  account: 'acct_1',
  reference: 'dp_1',
  currency: 'eur',
  amountMinor: 1000n,
  state: 'open',
  takenMinor: 1000n,
  returnedMinor: 0n,
  bookedIn: 'eur',
  isRefundable: false,
  version: 1,
  openedAt: someTime,
  updatedAt: someTime,
  seenAt: someTime,
});

export const aTender = builder<Tender>({
  id: 'tnd_1',
  version: 1,
  act: 'record',
  appointmentId: 'appointment-1',
  businessId: 'business-1',
  barberId: 'barber-1',
  barberName: 'Ada Marlow',
  kind: 'cash',
  currency: 'eur',
  amountMinor: 2000n,
  at: someTime,
  returnedMinor: 0n,
});

export const aShareEntry = builder<ShareEntry>({
  id: 'shr_1',
  version: 1,
  actId: 'shr_1',
  kind: 'payment',
  paymentId: 'cpm_1',
  appointmentId: 'appointment-1',
  businessId: 'business-1',
  barberId: 'barber-1',
  currency: 'eur',
  amountMinor: 2000n,
  tipMinor: 0n,
  at: someTime,
});

export const aMovement = builder<Movement>({
  id: 'rfd_1.2',
  businessId: 'business-1',
  barberId: 'barber-1',
  account: 'acct_1',
  paymentId: 'cpm_1',
  kind: 'refund',
  subject: 're_1',
  currency: 'eur',
  amountMinor: -1000n,
  tipMinor: 0n,
  at: someTime,
});

export const aSettlement = builder<SettlementEntry>({
  id: 'acct_1/txn_1',
  account: 'acct_1',
  businessId: 'business-1',
  paymentId: 'cpm_1',
  kind: 'payment',
  subject: 'pi_1',
  currency: 'eur',
  amountMinor: 4500n,
  processorFeeMinor: 88n,
  applicationFeeMinor: 0n,
  at: someTime,
});

export const aPayout = builder<Payout>({
  id: 'acct_1/po_1',
  account: 'acct_1',
  reference: 'po_1',
  currency: 'eur',
  amountMinor: 4412n,
  state: 'pending',
  createdAt: someTime,
  arrivesAt: someTime + 86_400_000,
  isItemized: true,
  isRead: false,
  oursMinor: 0n,
  othersMinor: 0n,
  others: [],
});
