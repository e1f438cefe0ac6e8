import type { AuthContext, Chairside, Problem, ResultAsync } from '@chairside/core';
import type { Evidence } from '../check/evidence.ts';
import type { Plan, Sender } from '../plan/plan.ts';

/** When every run begins: 2026-11-02T09:00:00Z. */
export const start = Date.UTC(2026, 10, 2, 9);

/** The processor account that everything is charged to. */
export const shopAccount = 'acct_shop';

export const barbers = ['ada', 'ben'] as const;

export const appointmentId = (appointment: number) => `appointment-${appointment}`;

/** Who sends a request about an appointment: its barber, as they are logged in at the moment. */
export function senderOf(appointment: number, as: Sender, login: number): AuthContext {
  const own = barbers[appointment % 2 === 0 ? 0 : 1];
  const other = barbers[appointment % 2 === 0 ? 1 : 0];
  switch (as) {
    case 'other':
      return { subject: `user-${other}`, barberId: other };
    case 'roleless':
      return { subject: `user-${own}` };
    case 'self':
      // Logged in anew, a person has another token, and it may say something else.
      return login % 2 === 0
        ? { subject: `user-${own}`, barberId: own }
        : { subject: `user-${own}`, barberId: own, entitlements: ['contactlessPayments'] };
  }
}

/** A barber with their phone: who registers it, and may open sessions with it. */
export function terminalSenderOf(barber: number, as: Sender): AuthContext {
  const auth = senderOf(barber, as, 0);
  return as === 'roleless' ? auth : { ...auth, entitlements: ['contactlessPayments'] };
}

/** The first two customers are the barbers, as customers: one subject, and its keys are shared. */
export function customerOf(customer: number, as: Sender): AuthContext {
  const who = as === 'other' ? customer + 1 : customer;
  const own = barbers[who];
  const subject = own === undefined ? `user-customer-${who}` : `user-${own}`;
  return as === 'roleless' ? { subject } : { subject, customerId: customerIdOf(who) };
}

const customerIdOf = (customer: number) => `customer-${customer}`;

/** The shop, its barbers and their appointments. */
export async function furnish(
  { records }: Chairside,
  plan: Plan,
  evidence: Evidence,
): Promise<void> {
  const processorAccount = { id: shopAccount, currency: 'eur' };
  await must(records.putBusiness({ id: 'shop', name: 'Marlow & Sons', processorAccount }));
  for (const id of barbers) await must(records.putBarber({ id, businessId: 'shop' }));
  for (let appointment = 0; appointment < plan.appointments; appointment += 1) {
    const minor = appointment % 3 === 2 ? 10_000n : 4500n;
    const id = appointmentId(appointment);
    evidence.dues.set(id, [{ at: start, minor }]);
    await must(putAppointment(records, appointment, minor));
  }
}

export function putAppointment(
  records: Chairside['records'],
  appointment: number,
  dueMinor: bigint,
): ResultAsync<unknown, Problem> {
  const barber = barbers[appointment % 2 === 0 ? 0 : 1];
  return records.putAppointment({
    id: appointmentId(appointment),
    businessId: 'shop',
    amountDue: `${dueMinor / 100n}.${(dueMinor % 100n).toString().padStart(2, '0')}`,
    occursOn: '2026-11-02T10:00:00.000Z',
    barber: { id: barber, givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
  });
}

async function must(result: ResultAsync<unknown, Problem>): Promise<void> {
  const done = await result;
  if (done.isErr()) throw new Error(done.error.detail);
}
