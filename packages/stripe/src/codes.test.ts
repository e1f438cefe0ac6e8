import { expectTypeOf, it } from 'vitest';
import type { ListedCode, meanings } from './failure.ts';

it('the SDK lists every code that the adapter knows', () => {
  expectTypeOf<keyof typeof meanings>().toExtend<ListedCode>();
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
