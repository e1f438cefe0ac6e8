import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type JsonValue } from './text.ts';

const { value: anyJson } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
  ),
}));

/** The same value with its members in the opposite order at every level. */
function reversed(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  // cast: `isArray` does not narrow a readonly array
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(reversed);
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, member]) => [name, reversed(member ?? null)]));
}

describe('canonical JSON', () => {
  it('is JSON with the same content', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('differs for different values', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (a, b) => {
        const plain = (value: JsonValue) => JSON.parse(JSON.stringify(value));
        const isSame = fc.stringify(plain(reversed(a))) === fc.stringify(plain(reversed(b)));
        if (isSame) expect(canonicalJson(a)).toBe(canonicalJson(b));
        if (canonicalJson(a) === canonicalJson(b)) expect(plain(a)).toEqual(plain(b));
      }),
    );
  });

  it('sorts members, keeps arrays in order and omits absent members', () => {
    const value = { b: [2, 1, { d: undefined, c: null }], a: 'ä"', B: {}, 10: 0, 9: 1 };
    expect(canonicalJson(value)).toBe('{"10":0,"9":1,"B":{},"a":"ä\\"","b":[2,1,{"c":null}]}');
    expect(canonicalJson({ amount: undefined })).toBe('{}');
  });
});
