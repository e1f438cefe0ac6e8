import {
  countSchema,
  idempotencyKeySchema,
  moneySchema,
  resourceIdSchema,
  timestampSchema,
} from '../shared.ts';
import { shape } from './shape.ts';

/** The member of every list. */
export const count = ['The number of `items`.', 1] as const;

export const sharedShapes = {
  ResourceId: shape(
    resourceIdSchema,
    'The opaque, case-sensitive id of a record.',
    'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc',
  ),
  Money: shape(
    moneySchema,
    'An exact decimal with two fractional digits, in the currency of the business.',
    '45.00',
  ),
  Timestamp: shape(
    timestampSchema,
    'A time: RFC 3339, UTC, with milliseconds.',
    '2026-11-20T09:30:00.000Z',
  ),
  Count: shape(countSchema, 'The number of entries in a list.', 1),
  IdempotencyKey: shape(
    idempotencyKeySchema,
    'A key of the client, of 1 to 255 characters after trimming. It applies the operation once, even if the request is repeated. A UUID is best.',
    '5d1f3f0e-8c1c-4a52-9b35-0d2d1a9f6c11',
  ),
};
