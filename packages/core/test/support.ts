import * as fc from 'fast-check';
import { operations } from '../src/chairside.ts';
import { keyedIn } from '../src/frame/operation.ts';
import type { Appointment } from '../src/host/host.ts';
import { type Payment, type ProcessorPayment, paymentStates } from '../src/payment/payment.ts';
import type { Dispute } from '../src/refund/dispute.ts';
import type { Refund } from '../src/refund/refund.ts';
import type { Result } from '../src/values/result.ts';

/** The time of all events here: 2026-11-21T09:00:00.000Z. */
export const now = Date.UTC(2026, 10, 21, 9);

export function value<T, E>(result: Result<T, E>): T {
  if (result.isErr()) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

export function problem<T, E>(result: Result<T, E>): E {
  if (result.isOk()) throw new Error('accepted, where it should have been refused');
  return result.error;
}

export function aPayment(over: Partial<Payment> = {}): Payment {
  return {
    id: 'cpm_1',
    appointment: {
      id: 'appointment-1',
      occursOn: '2026-11-21T09:00:00.000Z',
      barber: { id: 'barber-1', givenName: 'Ada', surname: 'Marlow' },
      location: { id: 'location-1', name: 'Old Town', shopName: 'Marlow & Sons' },
    },
    businessId: 'business-1',
    account: 'acct_1',
    currency: 'eur',
    amountMinor: 4537n,
    state: 'created',
    version: 1,
    clientSecret: 'secret_1',
    expiresAt: now + 900_000,
    createdAt: now,
    updatedAt: now,
    reserved: false,
    checks: 0,
    timeline: [],
    ...over,
  };
}

export function anAppointment(over: Partial<Appointment> = {}): Appointment {
  const { appointment: reference, businessId } = aPayment();
  return { ...reference, businessId, amountDueMinor: 4537n, ...over };
}

export function aRefund(over: Partial<Refund> = {}): Refund {
  return {
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
    createdAt: now,
    updatedAt: now,
    nextCheckAt: now,
    checks: 0,
    ...over,
  };
}

/** Open, with its whole amount withheld. */
export function aDispute(over: Partial<Dispute> = {}): Dispute {
  const { amountMinor = 1000n, currency = 'eur' } = over;
  return {
    id: 'dsp_1',
    paymentId: 'cpm_1',
    businessId: 'shop',
    account: 'acct_1',
    reference: 'dp_1',
    currency,
    amountMinor,
    state: 'open',
    takenMinor: amountMinor,
    returnedMinor: 0n,
    bookedIn: currency,
    isRefundable: false,
    version: 1,
    openedAt: now,
    updatedAt: now,
    seenAt: now,
    ...over,
  };
}

/** A book entry that agrees with `aPayment`. */
export function entry(over: Partial<ProcessorPayment> = {}): ProcessorPayment {
  return {
    status: 'created',
    account: 'acct_1',
    currency: 'eur',
    amountMinor: 4537n,
    clientSecret: 'secret_1',
    ...over,
  };
}

export const card = {
  maskedPersonalAccountNumber: '*4242',
  network: 'network_a',
  fundingType: 'credit',
  expirationMonth: '08',
  expirationYear: '2029',
} as const;

/** Makes a payment a charge of a saved method. */
export const charge = {
  purpose: 'deposit',
  setupId: 'pms_1',
  customerId: 'cus_1',
  setupReference: 'seti_1',
  paymentMethod: 'pm_1',
  agreedAt: now,
  agreementRef: 'terms-1',
} as const;

export const anyState = fc.constantFrom(...paymentStates);
export const anyInstant = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) });
/** Text with every kind of character: surrogate halves, controls, other planes. */
export const anyText = fc
  .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud83d', '\ude00', '😀', '\0')))
  .map((parts) => parts.join(''));

/** The name and the rate limit of two operations, as their binding passes them. */
export const keyed = keyedIn(operations);
export const getTerminal = { name: 'getTerminal', limit: 'reads', keyed } as const;
export const putBarber = { name: 'putBarber', limit: 'none' } as const;
