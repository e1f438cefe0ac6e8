import type { AppointmentReference, BarberReference } from '@chairside/core';
import * as fc from 'fast-check';
import { type FieldsOf, id, instant, text } from './values.ts';

export const referenceFields = {
  id,
  occursOn: instant.map((at) => new Date(at).toISOString()),
  timeZone: fc.constantFrom(null, 'Europe/Berlin'),
  barber: fc.record(
    {
      id,
      givenName: text,
      surname: text,
      preferredName: text,
      biography: text,
      spokenLanguages: fc.array(text, { maxLength: 3 }),
      experience: fc.integer({ min: 0, max: 100 }),
      instagram: text,
      urlSlug: text,
      profileImage_URL: fc.webUrl(),
    } satisfies FieldsOf<BarberReference>,
    { requiredKeys: ['id', 'givenName', 'surname'] },
  ),
  location: fc.record({ id, name: text, shopName: text }),
} satisfies FieldsOf<AppointmentReference>;

export const reference: fc.Arbitrary<AppointmentReference> = fc.record(referenceFields, {
  requiredKeys: ['id', 'occursOn', 'barber', 'location'],
});
