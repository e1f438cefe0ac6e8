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
 * Every operation over HTTP: the router, the 405s and the OpenAPI document are made from this
 * table. A new operation of the core is one more row.
 */
export const routes: readonly Route[] = [
  // Contactless payments
  route({
    operation: 'createContactlessPayment',
    summary: 'Opens a card payment for an appointment',
    description:
      "Opens a payment session at the business's processor account. Without an `amount` it collects what the appointment still owes. The `clientSecret` goes to the processor's SDK, which collects the card. The session lasts 15 minutes; the same key answers the same payment.",
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
    description:
      'Answers the newest 1,000 payments of the appointment, whatever their state, oldest first.',
    tag: 'Contactless payments',
    method: 'GET',
    path: '/appointments/{appointmentId}/contactlessPayments',
    success: { status: 200, schema: contactlessPaymentsSchema },
    problems: ['forbidden', 'notFound'],
  }),
  route({
    operation: 'getContactlessPayment',
    summary: 'Reads a card payment',
    description: 'Answers the payment as it was last seen; the processor is not asked.',
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
      'Send it when the SDK has processed the card, with the reference that the SDK answered. An appointment is never charged twice: a capture that would be too much is a conflict. Capturing a captured payment again answers the payment.',
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
      'A device is registered at most once at a time, whoever registered it. A device that cannot take contactless payments is refused, with every reason in `attributes.reasons`.',
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
    description:
      'Answers the newest 1,000 terminals that are registered to the authenticated barber, oldest first.',
    tag: 'Terminals',
    method: 'GET',
    path: '/terminals',
    success: { status: 200, schema: terminalsSchema },
    problems: ['forbidden'],
  }),
  route({
    operation: 'getTerminal',
    summary: "Reads one of the barber's terminals",
    description: 'Answers a terminal that is registered to the authenticated barber.',
    tag: 'Terminals',
    method: 'GET',
    path: '/terminals/{terminalId}',
    success: { status: 200, schema: terminalSchema },
    problems: ['forbidden', 'notFound'],
  }),
  route({
    operation: 'deleteTerminal',
    summary: "Unregisters one of the barber's terminals",
    description: 'The device can be registered again afterwards, by anyone.',
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
      'The token is made by the processor for each call, and kept nowhere. The request has no body.',
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
      "The session is completed with the processor's SDK, so that card data never comes here; `paymentMethodSetupId` is then given to the creation of an appointment. The session lasts an hour. With `savePaymentMethod` only methods are taken that can be used again.",
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
      'A business removes only its own accounts. The account that payouts go to by default cannot be removed before another one is the default.',
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
    description: 'Only the barber whose schedule it is may do it, or a system administrator.',
    tag: 'Barbers',
    method: 'DELETE',
    path: '/barbers/{id}/schedules/{scheduleId}',
    pathId: 'barberId',
    success: { status: 204 },
    problems: ['forbidden', 'notFound', 'conflict'],
  }),
  route({
    operation: 'listChallengeMethods',
    summary: 'Lists how a one-time passcode can be sent to a user',
    description:
      'Give exactly one of the two query parameters. The answer is the same whether or not anybody has an account with it.',
    tag: 'Authentication',
    method: 'GET',
    path: '/auth/challengeMethods',
    query: challengeMethodsQuery,
    success: { status: 200, schema: challengeMethodsSchema },
    problems: ['badRequest'],
  }),
  route({
    operation: 'getPayoutPreferences',
    summary: 'Reads when a business is paid out',
    description:
      'A business reads only its own preferences. Payouts that fall on a weekend or a holiday are made on the next business day.',
    tag: 'Businesses',
    method: 'GET',
    path: '/businesses/{id}/preferences/payouts',
    pathId: 'businessId',
    success: { status: 200, schema: businessPayoutPreferencesSchema },
    problems: ['forbidden', 'notFound'],
  }),
];
