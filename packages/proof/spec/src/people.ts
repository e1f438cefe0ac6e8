import type { AuthContext } from '@chairside/core';

/** The people of the specs. Their token is their name. */
export const people = {
  /** The barber of most appointments. */
  ada: { subject: 'user-ada', barberId: 'ada', entitlements: ['contactlessPayments'] },
  /** Another barber of the same shop. */
  ben: { subject: 'user-ben', barberId: 'ben', entitlements: ['contactlessPayments'] },
  /** A barber whose shop has no processor account. */
  cleo: { subject: 'user-cleo', barberId: 'cleo', entitlements: ['contactlessPayments'] },
  /** Ada, logged in without the entitlement. */
  adaWithoutEntitlement: { subject: 'user-ada-2', barberId: 'ada' },
  /** A barber whom the host does not know. */
  stranger: { subject: 'user-stranger', barberId: 'x', entitlements: ['contactlessPayments'] },
  customer: { subject: 'user-customer', customerId: 'customer' },
  otherCustomer: { subject: 'user-customer-2', customerId: 'customer-2' },
  owner: { subject: 'user-owner', businessIds: ['shop'] },
  administrator: { subject: 'user-admin', systemAdministrator: true },
} as const satisfies Record<string, AuthContext>;

export type Person = keyof typeof people;
