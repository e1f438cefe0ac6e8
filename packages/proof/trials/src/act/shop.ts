import {
  type AuthContext,
  type Business,
  type Chairside,
  hourMs,
  type Problem,
  type ResultAsync,
} from '@chairside/core';
import type { BusinessName, Plan, Sender } from '../plan/plan.ts';

/** The start of every run: 2026-11-02T09:00:00Z. */
export const start = Date.UTC(2026, 10, 2, 9);

/** The processor account of the shop's payments at the start. */
export const shopAccount = 'acct_shop';

/**
 * The first two work at the shop and take its appointments in turn; the third works at the annex.
 */
export const barbers = ['ada', 'ben', 'cem'] as const;

export const appointmentId = (appointment: number) => `appointment-${appointment}`;

/** The name of a payment for its barber, because both barbers use the same keys. */
export function nameOf(appointment: number, key: string): string {
  return `${appointment % 2} ${key}`;
}

/** The name of a setup for its customer. */
export function setupNameOf({
  customer,
  setup,
}: {
  readonly customer: number;
  readonly setup: string;
}): string {
  return `${customer} ${setup}`;
}

/** Works for both businesses, and may cancel payments of both. */
export const owner: AuthContext = { subject: 'user-owner', businessIds: ['shop', 'annex'] };

/** A person of another business alone. */
export function officeOf(business: string): AuthContext {
  return { subject: `user-${business}`, businessIds: [business] };
}

/** The number of the barber who has an appointment at the start. */
const firstBarberOf = (appointment: number) => appointment % 2;

const barberName = (barber: number) => barbers[barber] ?? barbers[0];

/** The host's facts about an appointment. */
export interface AppointmentFacts {
  readonly dueMinor: bigint;
  readonly barber: number;
  readonly business: BusinessName;
  readonly customer?: number;
  /** How much later it takes place. */
  readonly weeks?: number;
  /** The id of the setup that was made for it. */
  readonly setup?: string;
  /** The fee for a visit that the customer has missed. */
  readonly missedFeeMinor?: bigint;
}

export function firstFacts(appointment: number): AppointmentFacts {
  const dueMinor = appointment % 3 === 2 ? 10_000n : 4500n;
  return { dueMinor, barber: firstBarberOf(appointment), business: 'shop' };
}

/** A barber as currently logged in; without the role, the same person. */
export function barberAuth(barber: number, hasRole: boolean, login: number): AuthContext {
  const name = barberName(barber);
  const subject = `user-${name}`;
  if (!hasRole) return { subject };
  // After a new login, a person has another token, which may have other claims.
  return login % 2 === 0
    ? { subject, barberId: name }
    : { subject, barberId: name, entitlements: ['contactlessPayments'] };
}

/** The number of the barber who sends a request about an appointment. */
export function senderOf(appointment: number, as: Sender, current: number): number {
  const own = firstBarberOf(appointment);
  if (as === 'other') return 1 - own;
  return as === 'current' ? current : own;
}

/** A barber with a phone, who registers it and may open sessions with it. */
export function terminalSenderOf(barber: number, as: Sender = 'self'): AuthContext {
  const auth = barberAuth(as === 'other' ? 1 - barber : barber, as !== 'roleless', 0);
  return as === 'roleless' ? auth : { ...auth, entitlements: ['contactlessPayments'] };
}

/** The first two customers are also barbers: one subject with shared keys. */
export function customerOf(customer: number, as: Sender = 'self'): AuthContext {
  const who = as === 'other' ? customer + 1 : customer;
  const subject = who < 2 ? `user-${barberName(who)}` : `user-customer-${who}`;
  return as === 'roleless' ? { subject } : { subject, customerId: customerIdOf(who) };
}

export const customerIdOf = (customer: number) => `customer-${customer}`;

/** The host's request to erase a customer, with all appointments. */
export function erasureOf({ appointments }: Plan, customer: number) {
  const appointmentIds = Array.from({ length: appointments }, (_, index) => appointmentId(index));
  return { customerId: customerIdOf(customer), appointmentIds };
}

/** The two businesses, their barbers and appointments. */
export async function furnish({ records }: Chairside, plan: Plan): Promise<void> {
  await must(records.putBusiness(businessOf('shop', firstBusinesses.shop)));
  await must(records.putBusiness(businessOf('annex', firstBusinesses.annex)));
  for (const [index, id] of barbers.entries()) {
    await must(records.putBarber({ id, businessId: index < 2 ? 'shop' : 'annex' }));
  }
  for (let appointment = 0; appointment < plan.appointments; appointment += 1) {
    await must(putAppointment(records, appointment, firstFacts(appointment)));
  }
}

/** The host's facts about a business. */
export interface BusinessFacts {
  readonly account: string;
  readonly currency: string;
  /** The platform's share of its payments, beside a fixed part; 0 for no fee at all. */
  readonly basisPoints: number;
}

export const firstBusinesses: Readonly<Record<BusinessName, BusinessFacts>> = {
  shop: { account: shopAccount, currency: 'eur', basisPoints: 290 },
  annex: { account: 'acct_annex', currency: 'usd', basisPoints: 0 },
};

/** The fixed part of the platform's fee, in the currency of the account. */
export const fixedFeeMinor = 30n;

export function businessOf(
  id: BusinessName,
  { account, currency, basisPoints }: BusinessFacts,
): Business {
  const fee = { fixedMinor: fixedFeeMinor, currency, basisPoints };
  return {
    id,
    name: id === 'shop' ? 'Marlow & Sons' : 'The Annex',
    processorAccount: { id: account, currency },
    ...(basisPoints > 0 && { applicationFee: fee }),
    refundPolicy: { returnsFee: id === 'shop', reversesTransfer: true },
  };
}

export function putAppointment(
  records: Chairside['records'],
  appointment: number,
  { dueMinor, barber, business, customer, weeks = 0, setup, missedFeeMinor }: AppointmentFacts,
) {
  return records.putAppointment({
    id: appointmentId(appointment),
    businessId: business,
    amountDueMinor: dueMinor,
    ...(customer !== undefined && { customerId: customerIdOf(customer) }),
    ...(setup !== undefined && { paymentMethodSetupId: setup }),
    ...(missedFeeMinor !== undefined && { noShowFeeMinor: missedFeeMinor, isMissed: true }),
    occursOn: new Date(start + hourMs + weeks * 7 * 24 * hourMs).toISOString(),
    barber: { id: barberName(barber), givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
  });
}

async function must(result: ResultAsync<unknown, Problem>): Promise<void> {
  const done = await result;
  if (done.isErr()) throw new Error(done.error.detail);
}
