import { isStorable, type Work } from '@chairside/core/ports';
import * as fc from 'fast-check';

/**
 * An arbitrary for each field, optional ones included. A new field of a record that these files do
 * not draw fails to compile. A store that then forgets its column fails the contract.
 */
export type FieldsOf<T> = { readonly [K in keyof T]-?: fc.Arbitrary<Exclude<T[K], undefined>> };

const short = fc
  .oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom(`"'\\;--`, '\u{1F600}', ''))
  .filter(isStorable);

/** The bound of a request's body, and more than any page of a database. */
const long = `${'0123456789abcdef'.repeat(1_024)}\u{1F600}`;
/** Some have full length, because a store may cut a column without an error. */
export const text = fc.oneof(
  { weight: 4, arbitrary: short },
  { weight: 1, arbitrary: fc.constant(long) },
);

export const id = fc.tuple(fc.uuid(), short).map((parts) => parts.join(''));

export const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
/** Up to 15 digits (D2). */
export const money = fc.bigInt({ min: 0n, max: 999_999_999_999_999n });
export const counter = fc.integer({ min: 0, max: 2 ** 31 });

type OptionalKey<T> = {
  [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? K : never;
}[keyof T];

/**
 * Draws records with all required fields, and with each optional one or without it. The compiler asks
 * for every field, on its side.
 */
export const recordOf =
  <T extends object>() =>
  (
    required: FieldsOf<Omit<T, OptionalKey<T>>>,
    optional: FieldsOf<Pick<T, OptionalKey<T>>>,
  ): fc.Arbitrary<T> => {
    const requiredKeys = Object.keys(required) as never[]; // cast: names of the model
    const drawn: fc.Arbitrary<unknown> = fc.record({ ...required, ...optional }, { requiredKeys });
    return drawn as fc.Arbitrary<T>; // cast: both together have exactly the members of T
  };

export const currency = fc.constantFrom('eur', 'usd');

export const work = recordOf<Work>()(
  {
    kind: fc.constantFrom('open', 'capture', 'cancel'),
    fence: counter,
    attempt: counter,
    leaseUntil: instant,
  },
  {
    cause: fc.constantFrom(
      ...(['requested', 'expired', 'appointmentPaid'] as const),
      ...(['exceedsRemainingBalance', 'currencyChanged', 'partiallyAuthorized'] as const),
    ),
  },
);

export const json = fc
  .jsonValue({ noUnicodeString: false, depthSize: 'small' })
  // JSON text has no negative zero, so a store could not keep it.
  .map(withoutNegativeZero)
  .filter((value) => isStorable(JSON.stringify(value)));

/** Replaces every negative zero by zero, at any depth. */
function withoutNegativeZero(value: fc.JsonValue): fc.JsonValue {
  return JSON.parse(JSON.stringify(value));
}
