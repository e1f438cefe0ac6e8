import type { AppointmentRecord, AuthContext, BarberRecord, BusinessRecord } from '@chairside/core';

// What a host knows already: its shops, its barbers, its appointments, and who is logged in.

export const shop: BusinessRecord = {
  id: 'shop',
  name: 'Marlow & Sons',
  processorAccount: { id: 'acct_shop', currency: 'eur' },
};

export const ada: BarberRecord = { id: 'ada', businessId: shop.id };

export const haircut: AppointmentRecord = {
  id: 'haircut',
  businessId: shop.id,
  amountDue: '45.00',
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
