import { err, ok, type ProcessorAccount, type ResultAsync, safeTry } from '@chairside/core';
import {
  type AccountObstacle,
  createStripeProcessor,
  type StripeOptionsError,
  type StripeProcessor,
} from '@chairside/stripe';
import type { StripeConfig } from './stripe-config.ts';

/** Stripe, and the account that the demo's shops are paid to. */
export interface StripeInUse {
  readonly processor: StripeProcessor;
  readonly account: ProcessorAccount;
}

/** Opens Stripe, and asks it whether the account can take cards. An error is for a person. */
export function openStripe(config: StripeConfig): ResultAsync<StripeInUse, string> {
  const { account: id, terminalLocation, webhookSecret, api, ...keys } = config;
  const where = terminalLocation === undefined ? {} : { terminalLocation };
  return safeTry(async function* () {
    const processor = yield* createStripeProcessor({
      ...keys,
      ...(webhookSecret !== undefined && { webhookSecrets: [webhookSecret] }),
      ...(api !== undefined && { api }),
    }).mapErr(({ kind }) => optionFaults[kind]);
    const { obstacles, defaultCurrency: currency = 'eur' } = yield* processor
      .checkAccount({ id, ...where })
      .mapErr(
        () =>
          `Stripe cannot be asked about ${id}: it gave no answer, refused the key, or the key may not read accounts.`,
      );
    const [first, ...others] = obstacles.map(sayObstacle);
    if (first !== undefined) {
      return err(`${id} cannot take card payments: ${[first, ...others].join('; ')}.`);
    }
    return ok({ processor, account: { id, currency, ...where } });
  });
}

const optionFaults: Readonly<Record<StripeOptionsError['kind'], string>> = {
  invalidKey: 'STRIPE_SECRET_KEY must be a secret or a restricted key: sk_test_… or rk_test_…',
  liveKeyNotAllowed: 'STRIPE_SECRET_KEY is a live key, and was not allowed.',
  liveKeyElsewhere: 'STRIPE_API_BASE is for test keys: a live key goes to Stripe alone.',
  invalidWebhookSecret: 'STRIPE_WEBHOOK_SECRET must be the secret of a webhook endpoint: whsec_…',
  invalidDeadline: 'Stripe was given an impossible deadline.',
};

function sayObstacle(obstacle: AccountObstacle): string {
  switch (obstacle.kind) {
    case 'noAccess':
      return 'the key has no access to it, or there is no such account';
    case 'chargesDisabled':
      return `Stripe lets it take no payments (${obstacle.why ?? 'no reason given'})`;
    case 'cardPaymentsInactive':
      return 'its capability card_payments is not active';
    case 'transfersInactive':
      return 'its capability transfers is not active';
    case 'currencyUnsupported':
      return 'its currency has not two decimals';
    case 'currencyNotLocal':
      return `terminals there take ${obstacle.local} alone`;
    case 'locationMissing':
      return 'STRIPE_LOCATION does not name one of its locations (tml_…), which the terminal SDK needs';
    case 'locationUnknown':
      return 'it has no location STRIPE_LOCATION';
    case 'locationDeleted':
      return 'the location STRIPE_LOCATION was deleted';
    case 'locationAbroad':
      return `the location STRIPE_LOCATION is in ${obstacle.location}, and the account in ${obstacle.account}`;
  }
}
