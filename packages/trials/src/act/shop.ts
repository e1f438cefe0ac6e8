import type { AuthContext, Business, Chairside, Problem, ResultAsync } from '@chairside/core';
import type { BusinessName, Plan, Sender } from '../plan/plan.ts';

/** The start of every run: 2026-11-02T09:00:00Z. */
export const start = Date.UTC(2026, 10, 2, 9);

/** The processor account of the shop's payments at the start. */
export const shopAccount = 'acct_shop';

/** The processor accounts of a run, each with its currency. */
export const accounts = [
  { id: shopAccount, currency: 'eur' },
  { id: 'acct_annex', currency: 'usd' },
  { id: 'acct_new', currency: 'eur' },
] as const;

/**
 * The first two work at the shop and take its appointments in turn; the third works at the annex.
 */
export const barbers = ['ada', 'ben', 'cem'] as const;

export const appointmentId = (appointment: number) => `appointment-${appointment}`;

/** Works for both businesses, and may cancel payments of both. */
export const owner: AuthContext = { subject: 'user-owner', businessIds: ['shop', 'annex'] };

/** The number of the barber who has an appointment at the start. */
export const firstBarberOf = (appointment: number) => appointment % 2;

export const barberName = (barber: number) => barbers[barber] ?? barbers[0];

/** The host's facts about an appointment. */
export interface AppointmentFacts {
  readonly dueMinor: bigint;
  readonly barber: number;
  readonly business: BusinessName;
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
export function terminalSenderOf(barber: number, as: Sender): AuthContext {
  const auth = barberAuth(as === 'other' ? 1 - barber : barber, as !== 'roleless', 0);
  return as === 'roleless' ? auth : { ...auth, entitlements: ['contactlessPayments'] };
}

/** The first two customers are also barbers: one subject with shared keys. */
export function customerOf(customer: number, as: Sender): AuthContext {
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

/** The two businesses, their barbers, appointments and offices. */
export async function furnish({ records }: Chairside, plan: Plan): Promise<void> {
  const [eur, usd] = accounts;
  await must(records.putBusiness(businessOf('shop', eur)));
  await must(records.putBusiness(businessOf('annex', usd)));
  for (const [index, id] of barbers.entries()) {
    await must(records.putBarber({ id, businessId: index < 2 ? 'shop' : 'annex' }));
  }
  for (let appointment = 0; appointment < plan.appointments; appointment += 1) {
    await must(putAppointment(records, appointment, firstFacts(appointment)));
  }
  if (plan.actions.some(({ does }) => does === 'office')) await furnishOffice(records);
}

async function furnishOffice(records: Chairside['records']): Promise<void> {
  const account = { businessId: 'shop', bankName: 'Old Town Savings', currency: 'eur' };
  const masked = { ...account, maskedAccountNumber: '*6789' };
  await must(records.putFinancialAccount({ ...masked, id: 'bank-1', isDefault: true }));
  await must(records.putFinancialAccount({ ...masked, id: 'bank-2', isDefault: false }));
  await must(
    records.putPayoutPreferences({ businessId: 'shop', settings: { frequency: 'manual' } }),
  );
  const hours = [{ day: 'monday', from: '09:00', to: '17:30' }] as const;
  await must(
    records.putSchedule({ id: 'winter', barberId: 'ada', name: 'Winter', hours: [...hours] }),
  );
}

export function businessOf(
  id: BusinessName,
  { id: account, currency }: { readonly id: string; readonly currency: string },
): Business {
  const name = id === 'shop' ? 'Marlow & Sons' : 'The Annex';
  return { id, name, processorAccount: { id: account, currency } };
}

export function putAppointment(
  records: Chairside['records'],
  appointment: number,
  { dueMinor, barber, business }: AppointmentFacts,
) {
  return records.putAppointment({
    id: appointmentId(appointment),
    businessId: business,
    amountDueMinor: dueMinor,
    occursOn: '2026-11-02T10:00:00.000Z',
    barber: { id: barberName(barber), givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
  });
}

async function must(result: ResultAsync<unknown, Problem>): Promise<void> {
  const done = await result;
  if (done.isErr()) throw new Error(done.error.detail);
}
