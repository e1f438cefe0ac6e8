import { err, ok, type ProcessorAccount, type ResultAsync, safeTry } from '@chairside/core';
import {
  type AccountObstacle,
  createStripeProcessor,
  type StripeOptionsError,
  type StripeProcessor,
} from '@chairside/stripe';
import type { StripeConfig } from './stripe-config.ts';

/** Stripe, with the account that receives the payments of the demo's shops. */
export interface StripeInUse {
  readonly processor: StripeProcessor;
  readonly account: ProcessorAccount;
}

/** Opens Stripe, and checks whether the account can take cards. An error is for a person. */
export function openStripe(config: StripeConfig): ResultAsync<StripeInUse, string> {
  const { account: id, terminalLocation, webhookSecret, api, ...keys } = config;
  const where = terminalLocation === undefined ? {} : { terminalLocation };
  return safeTry(async function* () {
    const processor = yield* createStripeProcessor({
      ...keys,
      ...(webhookSecret !== undefined && { webhookSecrets: [webhookSecret] }),
      ...(api !== undefined && { api }),
    }).mapErr((fault) =>
      fault.kind === 'unknownOption' ? fault.message : optionFaults[fault.kind],
    );
    const { obstacles, defaultCurrency: currency = 'eur' } = yield* processor
      .checkAccount({ id, ...where })
      .mapErr(() => `Stripe cannot be asked about ${id}: it did not respond.`);
    const [first, ...others] = obstacles.map(sayObstacle);
    if (first !== undefined) {
      return err(`${id} cannot take card payments: ${[first, ...others].join('; ')}.`);
    }
    return ok({ processor, account: { id, currency, ...where } });
  });
}

const optionFaults: Readonly<Record<Exclude<StripeOptionsError['kind'], 'unknownOption'>, string>> =
  {
    invalidKey: 'STRIPE_SECRET_KEY must be a secret or a restricted key: sk_test_… or rk_test_…',
    liveKeyNotAllowed: 'STRIPE_SECRET_KEY is a live key, which is not allowed.',
    liveKeyElsewhere: 'STRIPE_API_BASE is for test keys: a live key may only go to Stripe.',
    invalidWebhookSecret: 'STRIPE_WEBHOOK_SECRET must be the secret of a webhook endpoint: whsec_…',
    invalidDeadline: 'The deadline for Stripe is invalid.',
  };

function sayObstacle(obstacle: AccountObstacle): string {
  switch (obstacle.kind) {
    case 'keyRejected':
      return 'Stripe rejects STRIPE_SECRET_KEY, or the key may not read accounts';
    case 'noAccess':
      return 'the key has no access to it, or the account does not exist';
    case 'chargesDisabled':
      return `Stripe has disabled its payments (${obstacle.why ?? 'no reason given'})`;
    case 'cardPaymentsInactive':
      return 'its capability card_payments is not active';
    case 'transfersInactive':
      return 'its capability transfers is not active';
    case 'currencyUnsupported':
      return 'its currency does not have two decimals';
    case 'currencyNotLocal':
      return `terminals there accept only ${obstacle.local}`;
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
