import type {
  CancelContactlessPaymentError,
  CaptureContactlessPaymentError,
  Chairside,
  CreateContactlessPaymentError,
  CreateTerminalConnectionTokenError,
  DeleteBarberScheduleError,
  DeleteTerminalError,
  GetContactlessPaymentError,
  GetPayoutPreferencesError,
  GetTerminalError,
  ListChallengeMethodsError,
  ListContactlessPaymentsError,
  ListTerminalsError,
  PreparePaymentMethodError,
  Problem,
  ProblemType,
  PutRecordError,
  ReadPaymentMethodSetupError,
  RegisterTerminalError,
  ReleaseTerminalError,
  RemoveFinancialAccountError,
  ResultAsync,
} from '@chairside/core';
import { expectTypeOf, it } from 'vitest';

// Checked by the compiler (`pnpm typecheck`); it has no effect at run time.

/** Every row of the interface has 401 and 429; D28 adds 500 and 503. */
type Everywhere = 'unauthorized' | 'tooManyRequests' | 'internalError' | 'serviceUnavailable';

/** The error of a use case, as bound by `createChairside`. */
type ErrorOf<Name extends keyof Chairside> = Chairside[Name] extends (
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
  expectTypeOf<CreateContactlessPaymentError['type']>().toEqualTypeOf<
    | 'badRequest'
    | 'forbidden'
    | 'notFound'
    | 'conflict'
    | 'appointmentAlreadyPaid'
    | 'unprocessableEntity'
    | 'paymentProviderNotSetup'
    | Everywhere
  >();
  expectTypeOf<ListContactlessPaymentsError['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | Everywhere
  >();
  expectTypeOf<GetContactlessPaymentError['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | Everywhere
  >();
  expectTypeOf<CaptureContactlessPaymentError['type']>().toEqualTypeOf<
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
  expectTypeOf<RegisterTerminalError['type']>().toEqualTypeOf<
    | 'badRequest'
    | 'forbidden'
    | 'contactlessPaymentEntitlementMissing'
    | 'conflict'
    | 'unprocessableEntity'
    | 'contactlessPaymentDeviceUnsupported'
    | Everywhere
  >();
  expectTypeOf<ListTerminalsError['type']>().toEqualTypeOf<'forbidden' | Everywhere>();
  expectTypeOf<GetTerminalError['type']>().toEqualTypeOf<'forbidden' | 'notFound' | Everywhere>();
  expectTypeOf<DeleteTerminalError['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | Everywhere
  >();
  expectTypeOf<CreateTerminalConnectionTokenError['type']>().toEqualTypeOf<
    | 'badRequest'
    | 'forbidden'
    | 'contactlessPaymentEntitlementMissing'
    | 'notFound'
    | 'unprocessableEntity'
    | 'paymentProviderNotSetup'
    | Everywhere
  >();
  expectTypeOf<PreparePaymentMethodError['type']>().toEqualTypeOf<
    'badRequest' | 'forbidden' | 'notFound' | 'conflict' | 'unprocessableEntity' | Everywhere
  >();
  expectTypeOf<RemoveFinancialAccountError['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | 'conflict' | Everywhere
  >();
  expectTypeOf<DeleteBarberScheduleError['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | 'conflict' | Everywhere
  >();
  expectTypeOf<ListChallengeMethodsError['type']>().toEqualTypeOf<'badRequest' | Everywhere>();
  expectTypeOf<GetPayoutPreferencesError['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | Everywhere
  >();
});

it("the host's own use cases do so too, although they have no row", () => {
  expectTypeOf<CancelContactlessPaymentError['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | 'conflict' | Everywhere
  >();
  expectTypeOf<ReleaseTerminalError['type']>().toEqualTypeOf<
    'badRequest' | 'forbidden' | 'notFound' | Everywhere
  >();
  expectTypeOf<PutRecordError['type']>().toEqualTypeOf<
    'badRequest' | 'unprocessableEntity' | Everywhere
  >();
  expectTypeOf<ReadPaymentMethodSetupError['type']>().toEqualTypeOf<
    'forbidden' | 'notFound' | Everywhere
  >();
});

it('the host sees exactly that error', () => {
  expectTypeOf<
    ErrorOf<'createContactlessPayment'>
  >().toEqualTypeOf<CreateContactlessPaymentError>();
  expectTypeOf<ErrorOf<'listContactlessPayments'>>().toEqualTypeOf<ListContactlessPaymentsError>();
  expectTypeOf<ErrorOf<'getContactlessPayment'>>().toEqualTypeOf<GetContactlessPaymentError>();
  expectTypeOf<
    ErrorOf<'captureContactlessPayment'>
  >().toEqualTypeOf<CaptureContactlessPaymentError>();
  expectTypeOf<
    ErrorOf<'cancelContactlessPayment'>
  >().toEqualTypeOf<CancelContactlessPaymentError>();
  expectTypeOf<ErrorOf<'registerTerminal'>>().toEqualTypeOf<RegisterTerminalError>();
  expectTypeOf<ErrorOf<'listTerminals'>>().toEqualTypeOf<ListTerminalsError>();
  expectTypeOf<ErrorOf<'getTerminal'>>().toEqualTypeOf<GetTerminalError>();
  expectTypeOf<ErrorOf<'deleteTerminal'>>().toEqualTypeOf<DeleteTerminalError>();
  expectTypeOf<ErrorOf<'releaseTerminal'>>().toEqualTypeOf<ReleaseTerminalError>();
  expectTypeOf<
    ErrorOf<'createTerminalConnectionToken'>
  >().toEqualTypeOf<CreateTerminalConnectionTokenError>();
  expectTypeOf<ErrorOf<'preparePaymentMethod'>>().toEqualTypeOf<PreparePaymentMethodError>();
  expectTypeOf<ErrorOf<'readPaymentMethodSetup'>>().toEqualTypeOf<ReadPaymentMethodSetupError>();
  expectTypeOf<ErrorOf<'removeFinancialAccount'>>().toEqualTypeOf<RemoveFinancialAccountError>();
  expectTypeOf<ErrorOf<'deleteBarberSchedule'>>().toEqualTypeOf<DeleteBarberScheduleError>();
  expectTypeOf<ErrorOf<'listChallengeMethods'>>().toEqualTypeOf<ListChallengeMethodsError>();
  expectTypeOf<ErrorOf<'getPayoutPreferences'>>().toEqualTypeOf<GetPayoutPreferencesError>();
});

it('each error is a union of problems of one type, so that a switch narrows it', () => {
  expectTypeOf<Distributes<CreateContactlessPaymentError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ListContactlessPaymentsError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<GetContactlessPaymentError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<CaptureContactlessPaymentError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<CancelContactlessPaymentError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<RegisterTerminalError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ListTerminalsError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<GetTerminalError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<DeleteTerminalError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ReleaseTerminalError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<CreateTerminalConnectionTokenError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<PutRecordError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<PreparePaymentMethodError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ReadPaymentMethodSetupError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<RemoveFinancialAccountError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<DeleteBarberScheduleError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<ListChallengeMethodsError>>().toEqualTypeOf<true>();
  expectTypeOf<Distributes<GetPayoutPreferencesError>>().toEqualTypeOf<true>();

  // The proof can fail: a problem of two types is rejected.
  expectTypeOf<Distributes<Problem<'notFound' | 'conflict'>>>().toEqualTypeOf<false>();
  expectTypeOf<Distributes<Problem<ProblemType>>>().toEqualTypeOf<false>();

  expectTypeOf<Extract<GetTerminalError, { type: 'notFound' }>>().toEqualTypeOf<
    Problem<'notFound'>
  >();
  const narrow = (error: GetTerminalError) => {
    if (error.type === 'notFound') expectTypeOf(error).toEqualTypeOf<Problem<'notFound'>>();
  };
  expectTypeOf(narrow).returns.toEqualTypeOf<void>();
});
