import type {
  Chairside,
  ErrorOf,
  OperationName,
  Problem,
  ProblemType,
  ResultAsync,
} from '@chairside/core';
import { expectTypeOf, it } from 'vitest';

// Checked by the compiler (`pnpm typecheck`); it has no effect at run time.

/** Every row of the interface has 401 and 429; D28 adds 500 and 503. */
type Everywhere = 'unauthorized' | 'tooManyRequests' | 'internalError' | 'serviceUnavailable';

/** The error of a use case, as bound by `createChairside`. */
type ErrorOfCall<Name extends keyof Chairside> = Chairside[Name] extends (
  ...args: never[]
) => ResultAsync<unknown, infer E>
  ? E
  : never;

/** True if the union has one member per type: a `switch` on `type` narrows it. */
type Distributes<E extends Problem> = E extends E
  ? E extends Problem<infer T>
    ? IsOne<T>
    : false
  : never;
type IsOne<T, U = T> = T extends T ? ([U] extends [T] ? true : false) : never;

it('each use case returns the errors of its row in the interface', () => {
  expectTypeOf<ErrorOf<'createContactlessPayment'>['type']>().toEqualTypeOf<
    | 'badRequest'
    | 'forbidden'
    | 'notFound'
    | 'conflict'
    | 'appointmentAlreadyPaid'
    | 'unprocessableEntity'
    | 'paymentProviderNotSetup'
    | 'tipTooHigh'
    | Everywhere
  >();
  expectTypeOf<ErrorOf<'listContactlessPayments'>['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | Everywhere
  >();
  expectTypeOf<ErrorOf<'getContactlessPayment'>['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | Everywhere
  >();
  expectTypeOf<ErrorOf<'captureContactlessPayment'>['type']>().toEqualTypeOf<
    | 'badRequest'
    | 'forbidden'
    | 'notFound'
    | 'conflict'
    | 'contactlessPaymentCanceled'
    | 'contactlessPaymentDeclined'
    | 'unprocessableEntity'
    | 'paymentProviderNotSetup'
    | Everywhere
  >();
  expectTypeOf<ErrorOf<'registerTerminal'>['type']>().toEqualTypeOf<
    | 'badRequest'
    | 'forbidden'
    | 'contactlessPaymentEntitlementMissing'
    | 'conflict'
    | 'unprocessableEntity'
    | 'contactlessPaymentDeviceUnsupported'
    | Everywhere
  >();
  expectTypeOf<ErrorOf<'listTerminals'>['type']>().toEqualTypeOf<'forbidden' | Everywhere>();
  expectTypeOf<ErrorOf<'getTerminal'>['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | Everywhere
  >();
  expectTypeOf<ErrorOf<'deleteTerminal'>['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | Everywhere
  >();
  expectTypeOf<ErrorOf<'createTerminalConnectionToken'>['type']>().toEqualTypeOf<
    | 'badRequest'
    | 'forbidden'
    | 'contactlessPaymentEntitlementMissing'
    | 'notFound'
    | 'unprocessableEntity'
    | 'paymentProviderNotSetup'
    | Everywhere
  >();
  expectTypeOf<ErrorOf<'preparePaymentMethod'>['type']>().toEqualTypeOf<
    'badRequest' | 'forbidden' | 'notFound' | 'conflict' | 'unprocessableEntity' | Everywhere
  >();
  expectTypeOf<ErrorOf<'removeFinancialAccount'>['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | 'conflict' | Everywhere
  >();
  expectTypeOf<ErrorOf<'deleteBarberSchedule'>['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | 'conflict' | Everywhere
  >();
  expectTypeOf<ErrorOf<'listChallengeMethods'>['type']>().toEqualTypeOf<
    'badRequest' | Everywhere
  >();
  expectTypeOf<ErrorOf<'getPayoutPreferences'>['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | Everywhere
  >();
});

it('a use case without a route lists its errors too', () => {
  expectTypeOf<ErrorOf<'cancelContactlessPayment'>['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | 'conflict' | Everywhere
  >();
  expectTypeOf<ErrorOf<'releaseTerminal'>['type']>().toEqualTypeOf<
    'badRequest' | 'forbidden' | 'notFound' | Everywhere
  >();
  expectTypeOf<ErrorOf<'putAppointment'>['type']>().toEqualTypeOf<
    'badRequest' | 'unprocessableEntity' | Everywhere
  >();
  expectTypeOf<ErrorOf<'readPaymentMethodSetup'>['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | Everywhere
  >();
});

type Called = OperationName & keyof Chairside;

/** The operations whose call returns another error: none. */
type Differing = {
  [N in Called]: [ErrorOfCall<N>, ErrorOf<N>] extends [ErrorOf<N>, ErrorOfCall<N>] ? never : N;
}[Called];

it('the host sees exactly that error', () => {
  expectTypeOf<'createContactlessPayment'>().toExtend<Called>();
  expectTypeOf<Differing>().toEqualTypeOf<never>();
});

it('each error is a union of problems of one type, so that a switch narrows it', () => {
  type Undistributed = {
    [N in OperationName]: Distributes<ErrorOf<N>> extends true ? never : N;
  }[OperationName];
  expectTypeOf<Undistributed>().toEqualTypeOf<never>();

  // The proof can fail: a problem of two types is rejected.
  expectTypeOf<Distributes<Problem<'notFound' | 'conflict'>>>().toEqualTypeOf<false>();
  expectTypeOf<Distributes<Problem<ProblemType>>>().toEqualTypeOf<false>();

  expectTypeOf<Extract<ErrorOf<'getTerminal'>, { type: 'notFound' }>>().toEqualTypeOf<
    Problem<'notFound'>
  >();
  const narrow = (error: ErrorOf<'getTerminal'>) => {
    if (error.type === 'notFound') expectTypeOf(error).toEqualTypeOf<Problem<'notFound'>>();
  };
  expectTypeOf(narrow).returns.toEqualTypeOf<void>();
});
