import { shownAccount } from '../account.ts';
import { shownEntry } from '../booking.ts';
import type { Books } from '../books.ts';
import type { Endpoints } from '../endpoint.ts';
import { shownPayout } from '../payout.ts';
import { found, invalid, missing, noAccess, refuse } from '../reply.ts';
import { customerEndpoints, methodEndpoints } from './customers.ts';
import { intentEndpoints } from './intents.ts';
import { page, pageParams } from './page.ts';
import { refundEndpoints } from './refunds.ts';
import { setupEndpoints } from './setups.ts';
import { terminalEndpoints } from './terminal.ts';

const balanceEndpoints: Pick<Endpoints, 'listBalanceTransactions' | 'listPayouts'> = {
  listBalanceTransactions: {
    at: 'GET /v1/balance_transactions',
    params: { ...pageParams, expand: 'strings', payout: 'string' },
    run(own, { params }) {
      const { expand = [], payout } = params;
      const unknown = expand.find((one) => !expandable.has(one));
      if (unknown !== undefined) return invalid(`This property cannot be expanded (${unknown}).`);
      const of = payout === undefined ? undefined : entriesOf(own, payout);
      return page('/v1/balance_transactions', params, own.entries, (entry) =>
        of === undefined || of.has(entry.id) ? shownEntry(own, entry, expand) : undefined,
      );
    },
  },

  listPayouts: {
    at: 'GET /v1/payouts',
    params: pageParams,
    run: (own, { params }) =>
      page('/v1/payouts', params, own.payouts, (payout) => shownPayout(own, payout)),
  },
};

const expandable: ReadonlySet<string> = new Set(['data.source', 'data.source.payment_intent']);

/** Stripe names the entries of a scheduled payout alone, and not at once. */
function entriesOf(own: Books, id: string): ReadonlySet<string> {
  const found = own.payouts.get(id) ?? refuse(missing('payout', id, 'payout', 400));
  if (!found.payout.automatic) {
    const message =
      'Balance transaction history can only be filtered on automatic transfers, not manual.';
    return refuse(invalid(message, { param: 'payout' }));
  }
  const { reconciliation_status: status } = shownPayout(own, found);
  return status === 'completed' ? found.entries : new Set();
}

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
