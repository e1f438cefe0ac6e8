import type { PaymentIntent, useStripeTerminal } from '@stripe/stripe-terminal-react-native';
import { expectTypeOf, it } from 'vitest';
import type { StripeTerminalSdk } from '../src/stripe-terminal.ts';

// Checked by the compiler against the real package, whose version is pinned.
it('match the result of useStripeTerminal()', () => {
  expectTypeOf<ReturnType<typeof useStripeTerminal>['easyConnect']>().not.toBeAny();
  expectTypeOf<ReturnType<typeof useStripeTerminal>>().toExtend<
    StripeTerminalSdk<PaymentIntent.Type>
  >();
});
