/** A payment as the service returns it. */
export const aPayment = {
  id: 'cpm_1',
  appointment: {
    id: 'a-1',
    occursOn: '2026-11-02T10:00:00.000Z',
    barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'l', name: 'Old Town', shopName: 'Marlow' },
  },
  amount: '45.00',
  state: 'created',
  clientSecret: 'secret_1',
  createdAt: '2026-11-02T09:00:00.000Z',
  updatedAt: '2026-11-02T09:00:00.000Z',
};
