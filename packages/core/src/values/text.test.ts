import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../test/support.ts';
import { canBeId, clip, codePointLength, isStorable, unknownOption } from './text.ts';

describe('codePointLength', () => {
  it('counts code points', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })), (units) => {
        expect(codePointLength(units.join(''))).toBe(units.length);
      }),
    );
  });

  it.each([
    ['', 0],
    ['abc', 3],
    ['😀', 1],
    ['👩‍👩‍👧', 5],
    ['e\u0301', 2],
    ['\ud83d', 1],
    ['\ude00\ud83d', 2],
  ])('of %j is %i', (text, length) => {
    expect(codePointLength(text)).toBe(length);
  });
});

describe('clip', () => {
  it('keeps at most the first code points', () => {
    fc.assert(
      fc.property(anyText, fc.nat(40), (text, max) => {
        const clipped = clip(text, max);
        expect(codePointLength(clipped)).toBe(Math.min(max, codePointLength(text)));
        expect(text.startsWith(clipped)).toBe(true);
      }),
    );
  });

  it('never splits a surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, max) => {
        expect(clip(text, max).isWellFormed()).toBe(true);
      }),
    );
    expect(clip('a😀b', 2)).toBe('a😀');
  });
});

describe('isStorable', () => {
  it('is true for text that survives UTF-8 and has no U+0000 (D12)', () => {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    fc.assert(
      fc.property(anyText, (text) => {
        const kept = decoder.decode(new TextEncoder().encode(text));
        expect(isStorable(text)).toBe(kept === text && !text.includes('\0'));
      }),
    );
  });
});

describe('canBeId', () => {
  it.each(['a', 'x'.repeat(255), '😀'.repeat(255), 'naïve id/../?#%00', ' '])('allows %j', (id) => {
    expect(canBeId(id)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['a dot, which no path can name', '.'],
    ['two dots', '..'],
    ['256 characters', 'x'.repeat(256)],
    ['256 code points', '😀'.repeat(256)],
    ['U+0000', 'a\0'],
    ['the last of the C0 controls', 'a\u001f'],
    ['a line feed at the end', 'a\n'],
    ['DEL', '\u007f'],
    ['the last of the C1 controls', '\u009f'],
    ['half of a surrogate pair', '\ud83d'],
  ])('rejects %s (D1)', (_what, id) => {
    expect(canBeId(id)).toBe(false);
  });

  it('rejects other values, which hosts without types may pass', () => {
    expect(canBeId(7 as never)).toBe(false); // cast: as above
  });

  it('accepts the neighbours of the controls', () => {
    expect(['\u0020', '\u007e', '\u00a0'].map(canBeId)).toEqual([true, true, true]);
  });
});

it.each([
  ['a', { a1: true, a2: true }, 'a: is no option; did you mean a1?'],
  ['b', { aaab: true }, 'b: is no option; there are aaab'],
  ['x'.repeat(65), { ids: true }, `${'x'.repeat(64)}: is no option; there are ids`],
] as const)('an option %s is none of %j', (name, names, told) => {
  expect(unknownOption({ [name]: 1 }, names)).toBe(told);
});
