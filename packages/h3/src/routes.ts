import { type Route, route } from './route.ts';

/**
 * Every operation over HTTP: its row adds method, path, status and headers to the core's record. The router, the 405s and
 * the OpenAPI document are built from this table. A new operation of the core is one more row.
 */
export const routes: readonly Route[] = [
  // Contactless payments
  route({
    operation: 'createContactlessPayment',
    method: 'POST',
    path: '/appointments/{appointmentId}/contactlessPayments',
    status: 201,
    location: '/contactlessPayments/{id}',
  }),
  route({
    operation: 'listContactlessPayments',
    method: 'GET',
    path: '/appointments/{appointmentId}/contactlessPayments',
    status: 200,
  }),
  route({
    operation: 'getContactlessPayment',
    method: 'GET',
    path: '/contactlessPayments/{contactlessPaymentId}',
    status: 200,
  }),
  route({
    operation: 'captureContactlessPayment',
    method: 'POST',
    path: '/contactlessPayments/{contactlessPaymentId}/captured',
    status: 200,
  }),

  // Terminals
  route({
    operation: 'registerTerminal',
    method: 'POST',
    path: '/terminals',
    status: 201,
    location: '/terminals/{id}',
  }),
  route({ operation: 'listTerminals', method: 'GET', path: '/terminals', status: 200 }),
  route({ operation: 'getTerminal', method: 'GET', path: '/terminals/{terminalId}', status: 200 }),
  route({
    operation: 'deleteTerminal',
    method: 'DELETE',
    path: '/terminals/{terminalId}',
    status: 204,
  }),
  route({
    operation: 'createTerminalConnectionToken',
    method: 'POST',
    path: '/terminals/{terminalId}/connectionTokens',
    status: 201,
  }),

  // Payment methods of customers
  route({
    operation: 'preparePaymentMethod',
    method: 'POST',
    path: '/me/paymentMethods/prepared',
    status: 200,
  }),

  // Business, barber and authentication
  route({
    operation: 'removeFinancialAccount',
    method: 'DELETE',
    path: '/businesses/{id}/financialAccounts/{accountId}',
    pathId: 'businessId',
    status: 204,
  }),
  route({
    operation: 'deleteBarberSchedule',
    method: 'DELETE',
    path: '/barbers/{id}/schedules/{scheduleId}',
    pathId: 'barberId',
    status: 204,
  }),
  route({
    operation: 'listChallengeMethods',
    method: 'GET',
    path: '/auth/challengeMethods',
    status: 200,
  }),
  route({
    operation: 'getPayoutPreferences',
    method: 'GET',
    path: '/businesses/{id}/preferences/payouts',
    pathId: 'businessId',
    status: 200,
  }),
];
