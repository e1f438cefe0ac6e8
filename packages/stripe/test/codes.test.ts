import { expect, expectTypeOf, it } from 'vitest';
import { type ListedCode, notSetUpCodes, type reasons } from '../src/codes.ts';

it('the SDK lists every code that the adapter knows', () => {
  expectTypeOf<(typeof notSetUpCodes)[number]>().toExtend<ListedCode>();
  expectTypeOf<keyof typeof reasons>().toExtend<ListedCode>();
  expect(new Set(notSetUpCodes).size).toBe(notSetUpCodes.length);
});

it('codes that only look like Stripe’s are not listed', () => {
  expectTypeOf<'card_declined'>().toExtend<ListedCode>();
  type Invented =
    | 'charge_not_enabled'
    | 'insufficient_capabilities_for_transfer'
    | 'currency_invalid'
    | 'parameter_invalid';
  expectTypeOf<Extract<Invented, ListedCode>>().toBeNever();
});
