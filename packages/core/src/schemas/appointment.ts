import * as v from 'valibot';
import { anyTextSchema, resourceIdSchema, text, timestampSchema } from './shared.ts';

export const barberReferenceSchema = v.object({
  id: resourceIdSchema,
  givenName: text(1, 55),
  surname: text(1, 55),
  preferredName: v.exactOptional(text(0, 55)),
  biography: v.exactOptional(text(0, 2000)),
  spokenLanguages: v.exactOptional(
    v.pipe(
      v.array(v.pipe(anyTextSchema, v.regex(/^[^A-Z]+$/, 'must be lower case'))),
      v.minLength(1, 'must have 1 to 3 items'),
      v.maxLength(3, 'must have 1 to 3 items'),
    ),
  ),
  experience: v.exactOptional(
    v.pipe(
      v.number(),
      v.integer('must be whole years'),
      v.minValue(0, 'must be 0 to 100'),
      v.maxValue(100, 'must be 0 to 100'),
      v.metadata({ format: 'int32' }),
    ),
  ),
  instagram: v.exactOptional(
    v.pipe(
      v.string(),
      v.regex(
        /^[A-Za-z0-9](?:[A-Za-z0-9._]{0,28}[A-Za-z0-9])?$/,
        'must be an Instagram name without @',
      ),
    ),
  ),
  urlSlug: v.exactOptional(
    v.pipe(
      v.string(),
      v.regex(
        /^(?=.{3,40}$)[a-z0-9]+(?:-[a-z0-9]+)*$/,
        'must be 3 to 40 lower-case letters and digits in groups joined by hyphens',
      ),
    ),
  ),
  profileImage_URL: v.exactOptional(
    v.pipe(
      text(0, 255),
      // RFC 3986: other characters must be percent-encoded.
      v.regex(
        /^[A-Za-z][A-Za-z0-9+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/,
        'must be a URI',
      ),
      v.metadata({ format: 'uri' }),
    ),
  ),
});

export const shopLocationReferenceSchema = v.object({
  id: resourceIdSchema,
  name: anyTextSchema,
  shopName: anyTextSchema,
});

export const appointmentReferenceSchema = v.object({
  id: resourceIdSchema,
  occursOn: timestampSchema,
  timeZone: v.exactOptional(v.nullable(v.string())),
  barber: barberReferenceSchema,
  location: shopLocationReferenceSchema,
});
