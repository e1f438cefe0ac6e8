import type { Chairside, ErrorOf, Problem, ProblemType, ResultAsync } from '@chairside/core';
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

it('the host sees exactly that error', () => {
  expectTypeOf<ErrorOfCall<'createContactlessPayment'>>().toEqualTypeOf<
    ErrorOf<'createContactlessPayment'>
  >();
  expectTypeOf<ErrorOfCall<'listContactlessPayments'>>().toEqualTypeOf<
    ErrorOf<'listContactlessPayments'>
  >();
  expectTypeOf<ErrorOfCall<'getContactlessPayment'>>().toEqualTypeOf<
    ErrorOf<'getContactlessPayment'>
  >();
  expectTypeOf<ErrorOfCall<'captureContactlessPayment'>>().toEqualTypeOf<
    ErrorOf<'captureContactlessPayment'>
  >();
  expectTypeOf<ErrorOfCall<'cancelContactlessPayment'>>().toEqualTypeOf<
    ErrorOf<'cancelContactlessPayment'>
  >();
  expectTypeOf<ErrorOfCall<'registerTerminal'>>().toEqualTypeOf<ErrorOf<'registerTerminal'>>();
  expectTypeOf<ErrorOfCall<'listTerminals'>>().toEqualTypeOf<ErrorOf<'listTerminals'>>();
  expectTypeOf<ErrorOfCall<'getTerminal'>>().toEqualTypeOf<ErrorOf<'getTerminal'>>();
  expectTypeOf<ErrorOfCall<'deleteTerminal'>>().toEqualTypeOf<ErrorOf<'deleteTerminal'>>();
  expectTypeOf<ErrorOfCall<'releaseTerminal'>>().toEqualTypeOf<ErrorOf<'releaseTerminal'>>();
  expectTypeOf<ErrorOfCall<'createTerminalConnectionToken'>>().toEqualTypeOf<
    ErrorOf<'createTerminalConnectionToken'>
  >();
  expectTypeOf<ErrorOfCall<'preparePaymentMethod'>>().toEqualTypeOf<
    ErrorOf<'preparePaymentMethod'>
  >();
  expectTypeOf<ErrorOfCall<'readPaymentMethodSetup'>>().toEqualTypeOf<
    ErrorOf<'readPaymentMethodSetup'>
  >();
  expectTypeOf<ErrorOfCall<'removeFinancialAccount'>>().toEqualTypeOf<
    ErrorOf<'removeFinancialAccount'>
  >();
  expectTypeOf<ErrorOfCall<'deleteBarberSchedule'>>().toEqualTypeOf<
    ErrorOf<'deleteBarberSchedule'>
  >();
  expectTypeOf<ErrorOfCall<'listChallengeMethods'>>().toEqualTypeOf<
    ErrorOf<'listChallengeMethods'>
  >();
  expectTypeOf<ErrorOfCall<'getPayoutPreferences'>>().toEqualTypeOf<
    ErrorOf<'getPayoutPreferences'>
  >();
});

it('each error is a union of problems of one type, so that a switch narrows it', () => {
  expectTypeOf<Distributes<ErrorOf<'createContactlessPayment'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'listContactlessPayments'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'getContactlessPayment'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'captureContactlessPayment'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'cancelContactlessPayment'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'registerTerminal'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'listTerminals'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'getTerminal'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'deleteTerminal'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'releaseTerminal'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'createTerminalConnectionToken'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'putAppointment'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'preparePaymentMethod'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'readPaymentMethodSetup'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'removeFinancialAccount'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'deleteBarberSchedule'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'listChallengeMethods'>>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ErrorOf<'getPayoutPreferences'>>>().toEqualTypeOf<true>();

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
