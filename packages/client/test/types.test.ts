import type { Chairside } from '@chairside/core';
import { expectTypeOf, it } from 'vitest';
import type { Client, ClientProblem, ContactlessPayment, ResultAsync } from '../src/index.ts';
import type { OperationName } from '../src/operations.ts';

// Checked by the compiler (`pnpm typecheck`); nothing is left of it to run.

/** The error types that a call of the core may end in. */
type CoreError<N extends OperationName> = Chairside[N] extends (
  ...args: never[]
) => ResultAsync<unknown, infer E>
  ? E
  : never;

type ClientError<N extends OperationName> = Client[N] extends (
  ...args: never[]
) => ResultAsync<unknown, infer E>
  ? E
  : never;

/** `never` for each operation whose errors are the core's and the client's own. */
type Different = {
  [N in OperationName]: [ClientError<N>] extends [CoreError<N> | ClientProblem]
    ? [CoreError<N> | ClientProblem] extends [ClientError<N>]
      ? never
      : N
    : N;
}[OperationName];

it('ends each operation in the errors of the core, and two of its own', () => {
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

it('keeps enums open', () => {
  expectTypeOf<'somethingNew'>().toExtend<ContactlessPayment['state']>();
});
