import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { anyText, card } from '../../test/support.ts';
import { barberReferenceSchema } from '../host/wire.ts';
import { cardSchema, externalPaymentReferenceSchema } from '../payment/wire.ts';
import { codePointLength, isStorable } from './text.ts';
import { countSchema, idempotencyKeySchema, text } from './wire.ts';

const barber = { id: 'barber-1', givenName: 'Ada', surname: 'Marlow' };
const isBarber = (over: object) => v.is(barberReferenceSchema, { ...barber, ...over });

function obeysItsBounds(minimum: fc.Arbitrary<number>) {
  fc.assert(
    fc.property(anyText, minimum, fc.nat(12), (value, min, more) => {
      const length = codePointLength(value);
      const fits = length >= min && length <= min + more && isStorable(value);
      expect(v.is(text(min, min + more), value)).toBe(fits);
    }),
    { numRuns: 500 },
  );
}

describe('text', () => {
  it('is bounded in code points, and storable', () => {
    obeysItsBounds(fc.nat(2));
  });

  it('is so for any minimum length', () => {
    obeysItsBounds(fc.nat(9));
    expect(v.is(text(3, 9), '😀😀')).toBe(false);
  });

  it('is text', () => {
    expect([1, null, {}, ['a'], true].some((value) => v.is(text(0, 9), value))).toBe(false);
  });
});

describe('an idempotency key', () => {
  it.each(['k', ' k ', 'x'.repeat(255), ` ${'😀'.repeat(255)}\t`])('may be %.20j', (key) => {
    expect(v.is(idempotencyKeySchema, key)).toBe(true);
  });

  it.each(['', '  ', 'x'.repeat(256), '😀'.repeat(256), 'a\0', '\ud83d', 7])(
    'is not %.20j (D19)',
    (key) => {
      expect(v.is(idempotencyKeySchema, key)).toBe(false);
    },
  );
});

describe('a barber', () => {
  it.each([
    {},
    { givenName: 'x'.repeat(55), surname: '😀'.repeat(55), preferredName: '', biography: '' },
    { preferredName: 'x'.repeat(55), biography: 'x'.repeat(2000) },
    { spokenLanguages: ['de'], experience: 0 },
    { spokenLanguages: ['de', 'en', 'zh-hans'], experience: 100 },
    { instagram: 'a', urlSlug: 'a-b' },
    { instagram: `a${'.'.repeat(28)}_`.replace(/_$/, 'z'), urlSlug: 'a'.repeat(40) },
    { profileImage_URL: 'https://example.com/a.png' },
  ])('may have %o', (over) => {
    expect(isBarber(over)).toBe(true);
  });

  it.each([
    { givenName: '' },
    { givenName: 'x'.repeat(56) },
    { surname: '' },
    { surname: 'x'.repeat(56) },
    { surname: '\0' },
    { preferredName: 'x'.repeat(56) },
    { preferredName: undefined },
    { biography: 'x'.repeat(2001) },
    { spokenLanguages: [] },
    { spokenLanguages: ['a', 'b', 'c', 'd'] },
    { spokenLanguages: ['German'] },
    { spokenLanguages: [''] },
    { experience: -1 },
    { experience: 101 },
    { experience: 1.5 },
    { instagram: '' },
    { instagram: '@ada' },
    { instagram: '.ada' },
    { instagram: 'ada_' },
    { instagram: 'x'.repeat(31) },
    { urlSlug: 'ab' },
    { urlSlug: 'a--b' },
    { urlSlug: '-ab' },
    { urlSlug: 'ab-' },
    { urlSlug: 'Abc' },
    { urlSlug: 'a'.repeat(41) },
    { profileImage_URL: 'no URI' },
    { profileImage_URL: `https://example.com/${'x'.repeat(255)}` },
  ])('may not have %o', (over) => {
    expect(isBarber(over)).toBe(false);
  });

  it('rejects text that some store cannot keep (D12)', () => {
    expect(isBarber({ spokenLanguages: ['\0'] })).toBe(false);
    expect(isBarber({ profileImage_URL: 'https://example.com/\0' })).toBe(false);
  });
});

describe('a card', () => {
  it.each([
    {},
    { expirationMonth: '12', network: 'other', fundingType: 'prepaid' },
    { tokenizationMethod: 'wallet_method_d' },
  ])('may have %o', (over) => {
    expect(v.is(cardSchema, { ...card, ...over })).toBe(true);
  });

  it.each([
    { maskedPersonalAccountNumber: '4242' },
    { maskedPersonalAccountNumber: '*42424' },
    { network: 'visa' },
    { fundingType: 'charge' },
    { expirationMonth: '00' },
    { expirationMonth: '13' },
    { expirationMonth: '1' },
    { expirationYear: '29' },
    { tokenizationMethod: 'apple_pay' },
  ])('may not have %o', (over) => {
    expect(v.is(cardSchema, { ...card, ...over })).toBe(false);
  });
});

it('counts fit int16', () => {
  const counts = [0, 32_767, -1, 32_768, 0.5, '1'].map((count) => v.is(countSchema, count));
  expect(counts).toEqual([true, true, false, false, false, false]);
});

it('a reference has the one supported processor, and at most 255 characters', () => {
  const is = (id: string, paymentProcessor = 'processor_a') =>
    v.is(externalPaymentReferenceSchema, { id, paymentProcessor });
  expect([is('a'), is('x'.repeat(255)), is(''), is('x'.repeat(256)), is('a', 'stripe')]).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
