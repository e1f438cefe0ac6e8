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

/** `undefined` without a key. An error is a line for a person, without a secret. */
export function readStripeConfig(
  given: (name: string) => string | undefined,
): Result<StripeConfig | undefined, string> {
  const secretKey = given('STRIPE_SECRET_KEY');
  if (secretKey === undefined) return ok(undefined);
  const allowLiveKey = given('STRIPE_ALLOW_LIVE') === 'yes';
  if (isLiveKey(secretKey) && !allowLiveKey) {
    return err(
      'STRIPE_SECRET_KEY is a live key, which moves real money; if you mean it, set STRIPE_ALLOW_LIVE=yes as well.',
    );
  }
  return Result.combine([
    readAccount(given('STRIPE_ACCOUNT')),
    readApi(given('STRIPE_API_BASE')),
  ]).map(([account, api]) => ({
    secretKey,
    allowLiveKey,
    account,
    terminalLocation: given('STRIPE_LOCATION'),
    webhookSecret: given('STRIPE_WEBHOOK_SECRET'),
    api,
  }));
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
