import { shownAccount } from '../account.ts';
import type { Endpoints } from '../endpoint.ts';
import { found, noAccess } from '../reply.ts';
import { balanceEndpoints } from './balance.ts';
import { customerEndpoints, methodEndpoints } from './customers.ts';
import { intentEndpoints } from './intents.ts';
import { page, pageParams } from './page.ts';
import { refundEndpoints } from './refunds.ts';
import { setupEndpoints } from './setups.ts';
import { terminalEndpoints } from './terminal.ts';

/** Every call of the stand-in. */
export const endpoints: Endpoints = {
  ...intentEndpoints,
  ...refundEndpoints,
  ...balanceEndpoints,
  ...terminalEndpoints,
  ...setupEndpoints,
  ...methodEndpoints,
  ...customerEndpoints,

  listWebhookEndpoints: {
    at: 'GET /v1/webhook_endpoints',
    params: pageParams,
    run: ({ webhookEndpoints }, { params }) =>
      page('/v1/webhook_endpoints', params, webhookEndpoints, (endpoint) => endpoint),
  },

  retrieveAccount: {
    at: 'GET /v1/accounts/{id}',
    params: {},
    run({ accounts, switches }, { id }) {
      const account = accounts.get(id);
      if (account === undefined || account.revoked) return noAccess(switches.unknownAccount, id);
      return found(shownAccount(account));
    },
  },
};
