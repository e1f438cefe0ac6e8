import { type Route, route } from './route.ts';

/**
 * Every operation over HTTP. A row adds method, path, status and headers to the core's record. The router,
 * the 405s and the OpenAPI document are built from this table.
 */
export const routes: readonly Route[] = [
  // Contactless payments
  route('createContactlessPayment', 'POST /appointments/{appointmentId}/contactlessPayments', {
    status: 201,
    location: '/contactlessPayments/{id}',
  }),
  route('listContactlessPayments', 'GET /appointments/{appointmentId}/contactlessPayments'),
  route('getContactlessPayment', 'GET /contactlessPayments/{contactlessPaymentId}'),
  route('captureContactlessPayment', 'POST /contactlessPayments/{contactlessPaymentId}/captured'),

  // Terminals
  route('registerTerminal', 'POST /terminals', { status: 201, location: '/terminals/{id}' }),
  route('listTerminals', 'GET /terminals'),
  route('getTerminal', 'GET /terminals/{terminalId}'),
  route('deleteTerminal', 'DELETE /terminals/{terminalId}'),
  route('createTerminalConnectionToken', 'POST /terminals/{terminalId}/connectionTokens', {
    status: 201,
  }),

  // Payment methods of customers
  route('preparePaymentMethod', 'POST /me/paymentMethods/prepared'),

  // Business, barber and authentication
  route('removeFinancialAccount', 'DELETE /businesses/{id}/financialAccounts/{accountId}', {
    pathId: 'businessId',
  }),
  route('deleteBarberSchedule', 'DELETE /barbers/{id}/schedules/{scheduleId}', {
    pathId: 'barberId',
  }),
  route('listChallengeMethods', 'GET /auth/challengeMethods'),
  route('getPayoutPreferences', 'GET /businesses/{id}/preferences/payouts', {
    pathId: 'businessId',
  }),
];
