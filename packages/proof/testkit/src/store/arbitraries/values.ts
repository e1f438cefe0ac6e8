import { isStorable, type Work } from '@chairside/core';
import * as fc from 'fast-check';

/**
 * An arbitrary for each field, optional ones included. A new field of a record that these files do
 * not draw fails to compile. A store that then forgets its column fails the contract.
 */
export type FieldsOf<T> = { readonly [K in keyof T]-?: fc.Arbitrary<Exclude<T[K], undefined>> };

export const text = fc
  .oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom(`"'\\;--`, '\u{1F600}', ''))
  .filter(isStorable);

export const id = fc.tuple(fc.uuid(), text).map((parts) => parts.join(''));

export const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
/** Up to the 15 digits of D2. */
export const money = fc.bigInt({ min: 0n, max: 999_999_999_999_999n });
export const counter = fc.integer({ min: 0, max: 2 ** 31 });

export const work: fc.Arbitrary<Work> = fc.record(
  {
    kind: fc.constantFrom('open', 'capture', 'cancel'),
    cause: fc.constantFrom(
      'requested',
      'expired',
      'appointmentPaid',
      'exceedsRemainingBalance',
      'currencyChanged',
      'partiallyAuthorized',
    ),
    fence: counter,
    attempt: counter,
    leaseUntil: instant,
  } satisfies FieldsOf<Work>,
  { requiredKeys: ['kind', 'fence', 'attempt', 'leaseUntil'] },
);

export function typedKeys<T extends object>(record: T): readonly (keyof T)[] {
  // cast: the record was written here, with these members alone
  return Object.keys(record) as (keyof T)[];
}

export const json = fc
  .jsonValue({ noUnicodeString: false, depthSize: 'small' })
  // JSON text has no negative zero, so a store could not keep it.
  .map(withoutNegativeZero)
  .filter((value) => isStorable(JSON.stringify(value)));

/** Replaces every negative zero by zero, at any depth. */
function withoutNegativeZero(value: fc.JsonValue): fc.JsonValue {
  return JSON.parse(JSON.stringify(value));
}
