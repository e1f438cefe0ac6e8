import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, parseVersion } from './terminal.ts';

const anyVersion = fc.array(fc.nat(12), { minLength: 1, maxLength: 4 });

describe('a version', () => {
  it.each([
    ['13', [13]],
    ['16.7', [16, 7]],
    ['16.7.2', [16, 7, 2]],
    ['1.2.3.4', [1, 2, 3, 4]],
    ['017', [17]],
    ['5.0.0-beta.1', [5, 0, 0]],
    ['16.7.2 (20H115)', [16, 7, 2]],
    ['999999999', [999_999_999]],
    ['iOS 17.1', [17, 1]],
    ['Android 14', [14]],
  ])('%s is read', (text, numbers) => {
    expect(parseVersion(text)).toEqual(numbers);
  });

  it.each([
    '',
    'x',
    'v16',
    '16.',
    '.7',
    '16..7',
    '1.2.3.4.5',
    '-1',
    '1,5',
    '1_0',
    ' 16',
    '16\n',
    '١٦',
    '1234567890',
    `16 ${'x'.repeat(31)}`,
  ])('is not %j', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });

  it('is unchanged after writing and reading', () => {
    fc.assert(
      fc.property(anyVersion, (numbers) => {
        expect(parseVersion(numbers.join('.'))).toEqual(numbers);
      }),
    );
  });
});

describe('compareVersions', () => {
  const sign = (a: readonly number[], b: readonly number[]) => Math.sign(compareVersions(a, b));

  it('is a total order', () => {
    fc.assert(
      fc.property(anyVersion, anyVersion, anyVersion, (a, b, c) => {
        expect(sign(a, a)).toBe(0);
        // `+ 0` turns a negative zero into a positive one
        expect(sign(a, b)).toBe(-sign(b, a) + 0);
        const [first, second, third] = [a, b, c].sort(compareVersions);
        expect(sign(first ?? [], second ?? [])).toBeLessThanOrEqual(0);
        expect(sign(second ?? [], third ?? [])).toBeLessThanOrEqual(0);
        expect(sign(first ?? [], third ?? [])).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('treats missing parts as zero, and decides by the first difference', () => {
    fc.assert(
      fc.property(anyVersion, fc.nat(3), anyVersion, anyVersion, (head, zeros, a, b) => {
        const longer = [...head, ...Array<number>(zeros).fill(0)];
        expect([sign(head, longer), sign(longer, head)]).toEqual([0, 0]);
        expect(sign([...head, 1, ...a], [...head, 2, ...b])).toBe(-1);
      }),
    );
  });
});
