import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { PaymentIntent, useStripeTerminal } from '@stripe/stripe-terminal-react-native';
import { expect, expectTypeOf, it } from 'vitest';
import { troubleByCode, troubles } from '../src/stripe-errors.ts';
import type { StripeTerminalSdk } from '../src/stripe-terminal.ts';

// Checked by the compiler against the real package, whose version is pinned.
it('match the result of useStripeTerminal()', () => {
  expectTypeOf<ReturnType<typeof useStripeTerminal>['easyConnect']>().not.toBeAny();
  expectTypeOf<ReturnType<typeof useStripeTerminal>>().toExtend<
    StripeTerminalSdk<PaymentIntent.Type>
  >();
});

/** One file of the real package, which needs no React Native. */
const { ErrorCode }: { readonly ErrorCode: Readonly<Record<string, string>> } = createRequire(
  import.meta.url,
)('@stripe/stripe-terminal-react-native/lib/commonjs/Errors/ErrorCodes.js');

it('have each error code in the table, and no other code is there', () => {
  expect([...troubleByCode.keys()].toSorted()).toEqual(Object.values(ErrorCode).toSorted());
});

it('are explained code by code in the documents', async () => {
  const rows = [...troubleByCode].map(([code, trouble]) => {
    const { money, act, words } = troubles[trouble];
    return `| ${[`\`${code}\``, moneyIs[money], words, doneFor[act]].join(' | ')} |`;
  });
  const page = readFileSync(
    new URL('../../../docs/guide/terminal-errors.md', import.meta.url),
    'utf8',
  );
  const written = page.split('\n').map((line) => line.replace(/ +/g, ' '));
  expect(rows.filter((row) => !written.includes(row))).toEqual([]);
});

const moneyIs = { none: 'no card was read', ask: 'the server is asked' } as const;
const doneFor = {
  again: 'asks for the card again',
  reconnect: 'connects again, then asks for the card',
  end: 'ends the payment',
} as const;
