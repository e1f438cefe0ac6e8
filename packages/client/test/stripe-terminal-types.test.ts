import { readFileSync, writeFileSync } from 'node:fs';
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

const page = new URL('../../../docs/reference/terminal-errors.md', import.meta.url);
const moneyIs = { none: 'no card was read', ask: 'only the server knows' } as const;
const doneFor = {
  again: 'asks for the card again',
  reconnect: 'connects again, then asks for the card',
  end: 'ends the payment',
} as const;

it('are explained on the page of codes', () => {
  const rows = Object.entries(troubles).flatMap(([trouble, { money, act, words }]) => {
    const codes = [...troubleByCode].filter(([, its]) => its === trouble);
    if (codes.length === 0) return [];
    const names = codes.map(([code]) => `\`${code}\``).join(', ');
    return [`| ${[words, moneyIs[money], doneFor[act], names].join(' | ')} |`];
  });
  const head = '| The barber reads | The money | The client | Codes |\n| --- | --- | --- | --- |';
  const text = readFileSync(page, 'utf8');
  const written = text.replace(
    /(<!-- codes -->\n).*?(<!-- end -->)/s,
    `$1\n${head}\n${rows.join('\n')}\n\n$2`,
  );
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(page, written);
  expect(text).toBe(written);
});
