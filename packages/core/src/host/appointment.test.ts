import { expect, it } from 'vitest';
import { snapshotOf } from './appointment.ts';

it('a snapshot has every public member of an appointment, and no other', () => {
  const least = {
    id: 'appointment-1',
    occursOn: '2026-11-21T09:00:00.000Z',
    barber: { id: 'barber-1', givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'location-1', name: 'Old Town', shopName: 'Marlow & Sons' },
  };
  const profile = {
    preferredName: 'Addie',
    biography: 'Cuts hair.',
    spokenLanguages: ['en'],
    experience: 'senior',
    instagram: '@ada',
    urlSlug: 'ada',
    profileImage_URL: 'https://shop.example/ada.png',
  };
  const most = { ...least, timeZone: null, barber: { ...least.barber, ...profile } };
  for (const shown of [least, most]) {
    const kept = {
      ...shown,
      note: 'private',
      barber: { ...shown.barber, phone: 'private' },
      location: { ...shown.location, rent: 'private' },
    };
    expect(snapshotOf(kept)).toStrictEqual(shown);
  }
});
