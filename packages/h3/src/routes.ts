import {
  businessPayoutPreferencesSchema,
  captureContactlessPaymentBodySchema,
  challengeMethodsQuery,
  challengeMethodsSchema,
  contactlessPaymentSchema,
  contactlessPaymentsSchema,
  createContactlessPaymentBodySchema,
  paymentMethodSetupSchema,
  preparePaymentMethodBodySchema,
  registerTerminalBodySchema,
  terminalConnectionTokenSchema,
  terminalSchema,
  terminalsSchema,
} from '@chairside/core';
import { type Route, route } from './route.ts';

/**
 * Every operation over HTTP. The router, the 405s and the OpenAPI document are built from this
 * table. A new operation of the core is one more row.
 */
export const routes: readonly Route[] = [
  // Contactless payments
  route({
    operation: 'createContactlessPayment',
    summary: 'Opens a card payment for an appointment',
    description:
      "Opens a payment session at the business's processor account. The default `amount` is the appointment's remaining balance. The `clientSecret` goes to the processor's SDK, which collects the card. The session lasts 15 minutes. The same key returns the same payment.",
    tag: 'Contactless payments',
    method: 'POST',
    path: '/appointments/{appointmentId}/contactlessPayments',
    idempotencyKey: 'required',
    body: { schema: createContactlessPaymentBodySchema, required: false },
    success: {
      status: 201,
      schema: contactlessPaymentSchema,
      location: '/contactlessPayments/{id}',
    },
    problems: [
      'badRequest',
      'forbidden',
      'notFound',
      'conflict',
      'appointmentAlreadyPaid',
      'unprocessableEntity',
      'paymentProviderNotSetup',
    ],
  }),
  route({
    operation: 'listContactlessPayments',
    summary: 'Lists the card payments of an appointment, in-flight ones included',
    description: 'Returns the newest 1,000 payments of the appointment in any state, oldest first.',
    tag: 'Contactless payments',
    method: 'GET',
    path: '/appointments/{appointmentId}/contactlessPayments',
    success: { status: 200, schema: contactlessPaymentsSchema },
    problems: ['forbidden', 'notFound'],
  }),
  route({
    operation: 'getContactlessPayment',
    summary: 'Reads a card payment',
    description: 'Returns the stored payment, without a call to the processor.',
    tag: 'Contactless payments',
    method: 'GET',
    path: '/contactlessPayments/{contactlessPaymentId}',
    success: { status: 200, schema: contactlessPaymentSchema },
    problems: ['forbidden', 'notFound'],
  }),
  route({
    operation: 'captureContactlessPayment',
    summary: 'Captures a card payment that the processor has authorized',
    description:
      'Send it when the SDK has processed the card, with the reference that the SDK returned. An appointment is never charged twice: a capture beyond the remaining balance is a conflict. Capturing a captured payment again returns the payment.',
    tag: 'Contactless payments',
    method: 'POST',
    path: '/contactlessPayments/{contactlessPaymentId}/captured',
    idempotencyKey: 'required',
    body: { schema: captureContactlessPaymentBodySchema, required: true },
    success: { status: 200, schema: contactlessPaymentSchema },
    problems: [
      'badRequest',
      'forbidden',
      'notFound',
      'conflict',
      'contactlessPaymentCanceled',
      'contactlessPaymentDeclined',
      'unprocessableEntity',
      'paymentProviderNotSetup',
    ],
  }),

  // Terminals
  route({
    operation: 'registerTerminal',
    summary: "Registers the barber's device as a terminal",
    description:
      'A device can be registered by one barber at a time. A device that cannot take contactless payments is rejected, with every reason in `attributes.reasons`.',
    tag: 'Terminals',
    method: 'POST',
    path: '/terminals',
    body: { schema: registerTerminalBodySchema, required: true },
    success: { status: 201, schema: terminalSchema, location: '/terminals/{id}' },
    problems: [
      'badRequest',
      'forbidden',
      'contactlessPaymentEntitlementMissing',
      'conflict',
      'unprocessableEntity',
      'contactlessPaymentDeviceUnsupported',
    ],
  }),
  route({
    operation: 'listTerminals',
    summary: "Lists the barber's terminals",
    description: 'Returns the newest 1,000 terminals of the authenticated barber, oldest first.',
    tag: 'Terminals',
    method: 'GET',
    path: '/terminals',
    success: { status: 200, schema: terminalsSchema },
    problems: ['forbidden'],
  }),
  route({
    operation: 'getTerminal',
    summary: "Reads one of the barber's terminals",
    description: 'Returns a terminal of the authenticated barber.',
    tag: 'Terminals',
    method: 'GET',
    path: '/terminals/{terminalId}',
    success: { status: 200, schema: terminalSchema },
    problems: ['forbidden', 'notFound'],
  }),
  route({
    operation: 'deleteTerminal',
    summary: "Unregisters one of the barber's terminals",
    description: 'Any barber can register the device again afterwards.',
    tag: 'Terminals',
    method: 'DELETE',
    path: '/terminals/{terminalId}',
    success: { status: 204 },
    problems: ['forbidden', 'notFound'],
  }),
  route({
    operation: 'createTerminalConnectionToken',
    summary: 'Issues a short-lived token with which a terminal opens a session',
    description:
      'The processor makes a new token for each call, and the service does not store it. The request has no body.',
    tag: 'Terminals',
    method: 'POST',
    path: '/terminals/{terminalId}/connectionTokens',
    success: { status: 201, schema: terminalConnectionTokenSchema },
    problems: [
      'badRequest',
      'forbidden',
      'contactlessPaymentEntitlementMissing',
      'notFound',
      'unprocessableEntity',
      'paymentProviderNotSetup',
    ],
  }),

  // Payment methods of customers
  route({
    operation: 'preparePaymentMethod',
    summary: 'Prepares a session in which a customer gives a payment method',
    description:
      "The session is completed with the processor's SDK, so that card data never reaches the service. The `paymentMethodSetupId` is then supplied to appointment creation. The session lasts an hour. With `savePaymentMethod`, only reusable methods are accepted.",
    tag: 'Payment methods',
    method: 'POST',
    path: '/me/paymentMethods/prepared',
    idempotencyKey: 'optional',
    body: { schema: preparePaymentMethodBodySchema, required: true },
    success: { status: 200, schema: paymentMethodSetupSchema },
    problems: ['badRequest', 'forbidden', 'notFound', 'conflict', 'unprocessableEntity'],
  }),

  // Business, barber and authentication
  route({
    operation: 'removeFinancialAccount',
    summary: 'Unlinks a bank account from a business',
    description:
      'A business can remove only its own accounts. The default payout account cannot be removed until another account is the default.',
    tag: 'Businesses',
    method: 'DELETE',
    path: '/businesses/{id}/financialAccounts/{accountId}',
    pathId: 'businessId',
    success: { status: 204 },
    problems: ['forbidden', 'notFound', 'conflict'],
  }),
  route({
    operation: 'deleteBarberSchedule',
    summary: "Deletes a barber's named weekly schedule",
    description: 'Only the barber who owns the schedule, or a system administrator, may delete it.',
    tag: 'Barbers',
    method: 'DELETE',
    path: '/barbers/{id}/schedules/{scheduleId}',
    pathId: 'barberId',
    success: { status: 204 },
    problems: ['forbidden', 'notFound', 'conflict'],
  }),
  route({
    operation: 'listChallengeMethods',
    summary: 'Lists the ways to send a one-time passcode to a user',
    description:
      'Give exactly one of the two query parameters. The response does not reveal whether an account exists.',
    tag: 'Authentication',
    method: 'GET',
    path: '/auth/challengeMethods',
    query: challengeMethodsQuery,
    success: { status: 200, schema: challengeMethodsSchema },
    problems: ['badRequest'],
  }),
  route({
    operation: 'getPayoutPreferences',
    summary: "Reads a business's payout schedule",
    description:
      'A business can read only its own preferences. Payouts due on a weekend or a holiday are made on the next business day.',
    tag: 'Businesses',
    method: 'GET',
    path: '/businesses/{id}/preferences/payouts',
    pathId: 'businessId',
    success: { status: 200, schema: businessPayoutPreferencesSchema },
    problems: ['forbidden', 'notFound'],
  }),
];
