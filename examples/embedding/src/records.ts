import type { Appointment, AuthContext, Barber, Business } from '@chairside/core';

// The host's own records: its shops, its barbers, its appointments, and its users.

export const shop: Business = {
  id: 'shop',
  name: 'Marlow & Sons',
  processorAccount: { id: 'acct_shop', currency: 'eur' },
};

export const ada: Barber = { id: 'ada', businessId: shop.id };

export const haircut: Appointment = {
  id: 'haircut',
  businessId: shop.id,
  amountDueMinor: 4500n,
  occursOn: '2026-12-01T09:00:00.000Z',
  timeZone: 'Europe/Berlin',
  barber: { id: ada.id, givenName: 'Ada', surname: 'Marlow' },
  location: { id: 'old-town', name: 'Old Town', shopName: shop.name },
};

export const login: AuthContext = {
  subject: 'user-ada',
  barberId: ada.id,
  entitlements: ['contactlessPayments'],
};
