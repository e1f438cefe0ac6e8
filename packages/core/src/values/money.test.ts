import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { value } from '../../test/support.ts';
import { formatMoney, Money, maxMoneyDigits, moneyPattern, parseMoney, sumIn } from './money.ts';

const largest = 10n ** BigInt(maxMoneyDigits) - 1n;
const anyMinor = fc.bigInt({ min: -largest, max: largest });

describe('money', () => {
  it.each([
    ['45.00', 4500n],
    ['0.05', 5n],
    ['0.00', 0n],
    ['-0.00', 0n],
    ['-1.50', -150n],
    ['9999999999999.99', largest],
    ['-9999999999999.99', -largest],
  ])('parses %s as %s minor units', (wire, minor) => {
    expect(value(parseMoney(wire))).toBe(minor);
  });

  it.each(['10000000000000.00', '-10000000000000.00', `1${'0'.repeat(9000)}.00`])(
    'rejects the sixteenth digit of %.24s',
    (wire) => {
      expect(parseMoney(wire)._unsafeUnwrapErr()).toBe('tooLarge');
    },
  );

  it.each([0n, 5n, -5n, 99n, 100n, -100n, 123_456n])('writes %s as Intl does', (minor) => {
    const whole = new Intl.NumberFormat('en', { useGrouping: false, minimumFractionDigits: 2 });
    expect(formatMoney(minor)).toBe(whole.format(Number(minor) / 100));
  });

  it('is unchanged after formatting and parsing', () => {
    fc.assert(
      fc.property(anyMinor, (minor) => {
        const wire = formatMoney(minor);
        expect(wire).toMatch(moneyPattern);
        expect(value(parseMoney(wire))).toBe(minor);
      }),
    );
  });

  it('reads every amount of the wire, and writes it back (D2)', () => {
    const wires = fc.stringMatching(/^-?(?:0|[1-9][0-9]{0,12})\.[0-9]{2}$/);
    fc.assert(
      fc.property(wires, (wire) => {
        expect(formatMoney(value(parseMoney(wire)))).toBe(wire === '-0.00' ? '0.00' : wire);
      }),
    );
  });

  it.each([
    '',
    '45',
    '45.0',
    '45.000',
    '.50',
    '045.00',
    '+1.00',
    '--1.00',
    '1,00',
    '1.00 ',
    ' 1.00',
    '1.00\n',
    '1e3',
    'NaN',
    '١.٠٠',
  ])('rejects the form %j', (wire) => {
    expect(wire).not.toMatch(moneyPattern);
    expect(parseMoney(wire)._unsafeUnwrapErr()).toBe('malformed');
  });
});

describe('an amount with its currency (D39)', () => {
  const euros = new Money(2000n, 'eur');

  it('tells its minor units only to a caller that names its currency', () => {
    expect(euros.in('eur')).toBe(2000n);
    expect(euros.in('chf')).toBeUndefined();
    expect(new Money(2000n, undefined).in('chf')).toBe(2000n);
  });

  it('has no other way to its minor units, so that nobody adds two currencies', () => {
    expect(Object.values(euros)).toEqual(['eur']);
    expect(JSON.stringify(euros)).not.toContain('2000');
  });

  it('is added only to amounts of its own currency', () => {
    expect(sumIn('eur', [euros, new Money(500n, 'eur')])).toBe(2500n);
    expect(sumIn('eur', [])).toBe(0n);
    expect(sumIn('eur', [euros, new Money(500n, 'chf')])).toBeUndefined();
  });
});
