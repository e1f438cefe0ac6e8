import { describe, expect, it } from 'vitest';
import { emptyLedger } from '../host/host.ts';
import { faultOfTips, maxTipMinor, partsLeft, tipBoundOf, tipIn, tipLast } from './tip.ts';

describe("a host's policy of tips (D48)", () => {
  it.each([
    ['no limit', {}, undefined],
    ['a share', { maxShare: 0.3 }, undefined],
    ['the largest share', { maxShare: 10 }, undefined],
    // 50 for 50 % would allow a tip of fifty times the price.
    [
      'a share that is a percentage',
      { maxShare: 50 },
      'maxShare must be above 0, at most 10; 0.5 is 50 %',
    ],
    // cast: hosts without types may pass it
    ['a misspelt bound', { maxMinors: 5n } as never, 'did you mean maxMinor?'],
    // cast: hosts without types may pass it
    ['a share alone', 0.5 as never, 'must be an object, such as { maxShare: 0.5 }'],
    // cast: hosts without types may pass it
    ['a share that is a text', { maxShare: '0.5' as never }, 'maxShare'],
    ['no share', { maxShare: 0 }, 'maxShare'],
    ['a share that is not a number', { maxShare: Number.NaN }, 'maxShare'],
    ['an amount', { maxMinor: 0n }, undefined],
    ['an amount below zero', { maxMinor: -1n }, 'maxMinor'],
    // cast: hosts without types may pass it
    ['an amount that is a number', { maxMinor: 5 as never }, 'maxMinor'],
  ])('with %s', (_, policy, fault) => {
    const found = faultOfTips(policy);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(fault);
  });

  it.each([
    ['is zero without a policy', undefined, 0n],
    ['is a share of the amount', { maxShare: 0.3 }, 1350n],
    ['is at most the amount that it names', { maxMinor: 1000n }, 1000n],
    ['is at most its share if that is less', { maxMinor: 9000n }, 4500n],
    ['is the amount itself by default', {}, 4500n],
  ])('the largest tip %s', (_, policy, expected) => {
    expect(maxTipMinor(policy, 4500n)).toBe(expected);
  });

  it('is bounded by all that was paid where it is a tip alone', () => {
    const ledger = { ...emptyLedger('visit'), capturedMinor: 3n, tenderedMinor: 2n };
    expect(tipBoundOf({}, ledger)).toEqual({ maxTipsMinor: 5n, minPaidMinor: 5n });
  });

  it.each([
    [1000n, { owedMinor: 700n, tipMinor: 300n }],
    [200n, { owedMinor: 0n, tipMinor: 200n }],
    [0n, { owedMinor: 0n, tipMinor: 0n }],
    // A dispute may withhold more than what is left.
    [-500n, { owedMinor: -500n, tipMinor: 0n }],
  ])('a rest of %d has the parts %o', (left, parts) => {
    expect(partsLeft(left, 300n, [])).toEqual(parts);
  });

  it('refunds take the tip that they name, unless they failed', () => {
    const refunds = [
      { state: 'succeeded', tipMinor: 100n },
      { state: 'pending', tipMinor: 50n },
      { state: 'failed', tipMinor: 70n },
      { state: 'succeeded' },
    ] as const;
    expect(partsLeft(1000n, 300n, refunds)).toEqual({ owedMinor: 850n, tipMinor: 150n });
  });

  it.each([
    [600n, 0n],
    [700n, 0n],
    [800n, 100n],
    [1000n, 300n],
  ])('a refund of %d that names no tip contains %d of it', (amount, tip) => {
    expect(tipLast(amount, { owedMinor: 700n, tipMinor: 300n })).toBe(tip);
  });

  it.each([
    [5000n, 500n],
    [4800n, 300n],
    [4500n, 0n],
    [1000n, 0n],
    [6000n, 500n],
  ])('%d of 45.00 and a tip of 5.00 contain %d of the tip', (captured, tip) => {
    expect(tipIn({ amountMinor: 5000n, tipMinor: 500n }, captured)).toBe(tip);
    expect(tipIn({ amountMinor: 5000n }, captured)).toBe(0n);
  });
});
