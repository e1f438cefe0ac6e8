import { err, ok, Result } from '@chairside/core';
import { isLiveKey, type StripeOptions } from '@chairside/stripe';

/** The configuration of Stripe, from the environment. */
export interface StripeConfig {
  readonly secretKey: string;
  readonly allowLiveKey: boolean;
  /** The account that receives the payments of the demo's shops. */
  readonly account: string;
  readonly terminalLocation: string | undefined;
  /** Without it, every event is rejected. */
  readonly webhookSecret: string | undefined;
  /** Another address than Stripe's. */
  readonly api: StripeOptions['api'];
}

/** `undefined` without a key. Each error is a line for a person, without a secret. */
export function readStripeConfig(
  given: (name: string) => string | undefined,
): Result<StripeConfig | undefined, string[]> {
  const secretKey = given('STRIPE_SECRET_KEY');
  if (secretKey === undefined) return ok(undefined);
  const allowLiveKey = given('STRIPE_ALLOW_LIVE') === 'yes';
  return Result.combineWithAllErrors([
    readKey(secretKey, allowLiveKey),
    readAccount(given('STRIPE_ACCOUNT')),
    readApi(given('STRIPE_API_BASE')),
    readLocation(given('STRIPE_LOCATION')),
    readWebhookSecret(given('STRIPE_WEBHOOK_SECRET')),
  ]).map(([, account, api, terminalLocation, webhookSecret]) => ({
    secretKey,
    allowLiveKey,
    account,
    terminalLocation,
    webhookSecret,
    api,
  }));
}

function readKey(secretKey: string, allowLiveKey: boolean): Result<void, string> {
  if (!/^[rs]k_(?:test|live)_\w+$/.test(secretKey)) {
    return err('STRIPE_SECRET_KEY must be a secret or a restricted key: sk_test_… or rk_test_…');
  }
  return isLiveKey(secretKey) && !allowLiveKey
    ? err(
        'STRIPE_SECRET_KEY is a live key, which moves real money; if you mean it, set STRIPE_ALLOW_LIVE=yes as well.',
      )
    : ok();
}

function readLocation(location: string | undefined): Result<string | undefined, string> {
  return location === undefined || /^tml_\w+$/.test(location)
    ? ok(location)
    : err('STRIPE_LOCATION must name a location of the account: tml_…');
}

function readWebhookSecret(secret: string | undefined): Result<string | undefined, string> {
  return secret === undefined || /^whsec_[\w+/=-]{16,255}$/.test(secret)
    ? ok(secret)
    : err('STRIPE_WEBHOOK_SECRET must be the secret of a webhook endpoint: whsec_…');
}

function readAccount(account: string | undefined): Result<string, string> {
  return account !== undefined && /^acct_\w+$/.test(account)
    ? ok(account)
    : err('STRIPE_ACCOUNT must name the account that takes the payments: acct_…');
}

function readApi(base: string | undefined): Result<StripeOptions['api'], string> {
  if (base === undefined) return ok(undefined);
  const url = URL.canParse(base) ? new URL(base) : undefined;
  const protocol = (['http', 'https'] as const).find((name) => url?.protocol === `${name}:`);
  if (url === undefined || protocol === undefined || `${url.origin}/` !== url.href) {
    return err('STRIPE_API_BASE must be an http or https URL without a path.');
  }
  const port = Number(url.port || (protocol === 'https' ? 443 : 80));
  return ok({ host: url.hostname, port, protocol });
}
