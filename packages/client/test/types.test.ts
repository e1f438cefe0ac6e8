import type { Chairside, ResultAsync } from '@chairside/core';
import type { receiptToText } from '@chairside/core/receipt';
import { expectTypeOf, it } from 'vitest';
import type { Client, ClientProblem, ContactlessPayment, Result } from '../src/index.ts';
import type { Receipt } from '../src/receipts.ts';
import type { refundOperations } from '../src/refunds.ts';

// Checked by the compiler (`pnpm typecheck`); it has no effect at run time.

type AllOperations = Omit<Client<typeof refundOperations>, 'newKey' | 'time'>;
type AnyName = keyof AllOperations;

/** The error types of a call of the core. */
type CoreError<N extends AnyName> = Chairside[N] extends (
  ...args: never[]
) => ResultAsync<unknown, infer E>
  ? E
  : never;

type ClientError<N extends AnyName> = AllOperations[N] extends (
  ...args: never[]
) => Promise<Result<unknown, infer E>>
  ? E
  : never;

/** `never` for each operation that has exactly the errors of the core and the client. */
type Different = {
  [N in AnyName]: [ClientError<N>] extends [CoreError<N> | ClientProblem]
    ? [CoreError<N> | ClientProblem] extends [ClientError<N>]
      ? never
      : N
    : N;
}[AnyName];

it('gives each operation the errors of the core, and two of its own', () => {
  expectTypeOf<Different>().toEqualTypeOf<never>();
});

it('lets a switch on the type be exhaustive', () => {
  const say = (error: ClientError<'createContactlessPayment'>): string => {
    switch (error.type) {
      case 'appointmentAlreadyPaid':
        return 'paid';
      case 'badRequest':
      case 'conflict':
      case 'forbidden':
      case 'notFound':
      case 'unprocessableEntity':
      case 'paymentProviderNotSetup':
      case 'tipTooHigh':
      case 'unauthorized':
      case 'tooManyRequests':
      case 'internalError':
      case 'serviceUnavailable':
        return error.detail ?? error.title;
      case 'unanswered':
        return error.why;
      case 'unexpected':
        return error.name;
    }
  };
  expectTypeOf(say).returns.toBeString();
});

it('lets a switch on the type of a refund be exhaustive', () => {
  const isUnknown = (error: ClientError<'refundPayment'>): boolean => {
    switch (error.type) {
      case 'badRequest':
      case 'conflict':
      case 'forbidden':
      case 'notFound':
      case 'unprocessableEntity':
      case 'paymentProviderNotSetup':
      case 'unauthorized':
      case 'tooManyRequests':
      case 'internalError':
      case 'serviceUnavailable':
      case 'unanswered':
      case 'unexpected':
        return error.recovery.outcome === 'unknown';
    }
  };
  expectTypeOf(isUnknown).returns.toBeBoolean();
});

it('keeps enums open', () => {
  expectTypeOf<'somethingNew'>().toExtend<ContactlessPayment['state']>();
});

it('prints what a client reads', () => {
  expectTypeOf<Receipt>().toExtend<Parameters<typeof receiptToText>[0]>();
});
