import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromDocument, toDocument } from './columns.ts';

it('a document keeps amounts, and texts that look like its marks', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('n:5', 's:n:5', 's:', 'n:'));
  const record = fc.record({
    amountMinor: fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
    text,
    nested: fc.array(fc.record({ text, fixedMinor: fc.bigInt() })),
    none: fc.constant(null),
  });
  fc.assert(
    fc.property(record, (drawn) => {
      const given = structuredClone(drawn);
      expect(fromDocument(toDocument(given))).toStrictEqual(given);
    }),
  );
});

it.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'a document refuses %s, which JSON would lose',
  (at) => {
    expect(() => toDocument({ at })).toThrow(RangeError);
  },
);
