import type { Chairside, ResultAsync } from '@chairside/core';
import { expectTypeOf, it } from 'vitest';
import type { OperationName } from '../src/client.ts';
import type {
  Client,
  ClientProblem,
  ContactlessPayment,
  Result,
  TakeInput,
  Taking,
  Unfinished,
} from '../src/index.ts';
import type { Refund, RefundClient } from '../src/refunds.ts';
import type { TippedTaking } from '../src/tips.ts';

// Checked by the compiler (`pnpm typecheck`); it has no effect at run time.

type AllOperations = Pick<Client, OperationName> & RefundClient;
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

/** The names of a type that speak of tips. */
type TipMember<T> = Extract<keyof T, 'tip' | 'tips'>;

it('has no trace of tips outside their entry (D48)', () => {
  expectTypeOf<TipMember<ContactlessPayment>>().toEqualTypeOf<never>();
  expectTypeOf<TipMember<TakeInput>>().toEqualTypeOf<never>();
  expectTypeOf<TipMember<Taking>>().toEqualTypeOf<never>();
  expectTypeOf<TipMember<Unfinished>>().toEqualTypeOf<never>();
  expectTypeOf<TipMember<Refund>>().toEqualTypeOf<never>();
  expectTypeOf<TipMember<TippedTaking>>().toEqualTypeOf<'tip'>();
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
