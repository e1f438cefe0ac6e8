import { randomUUID } from 'node:crypto';
import { err, errAsync, ok, type ResultAsync, safeTry } from '@chairside/core';
import { type ConnectionTokenRequest, hasTwoDecimals } from '@chairside/core/ports';
import { type Call, isAccountId } from './connection.ts';
import { type Failure, isKeyRejected, isMissing, notSetUp, unknown } from './failure.ts';
import { type Account, accountShape, believe, locationShape, tokenShape } from './shapes.ts';
import { lookUp, terminalCurrencies } from './tables.ts';

/** A reason why an account cannot take cards in person. */
export type AccountObstacle =
  /** Stripe rejects the platform's key, or the key may not read accounts. Nothing else was checked. */
  | { readonly kind: 'keyRejected' }
  /** The platform's key has no access to it, or the account does not exist. */
  | { readonly kind: 'noAccess' }
  /** Stripe has disabled payments for it; `why` is Stripe's reason. */
  | { readonly kind: 'chargesDisabled'; readonly why?: string }
  /** The capability `card_payments`, which terminals need, is not active. */
  | { readonly kind: 'cardPaymentsInactive' }
  /** The capability `transfers`, which destination charges need, is not active. */
  | { readonly kind: 'transfersInactive' }
  /** The given currency does not have two decimals (D18). */
  | { readonly kind: 'currencyUnsupported' }
  /** Terminals accept only the currency of the account's country. */
  | { readonly kind: 'currencyNotLocal'; readonly local: string }
  /** The business has no location, and the terminal SDK needs one to connect (D40). */
  | { readonly kind: 'locationMissing' }
  /** The account has no such terminal location. */
  | { readonly kind: 'locationUnknown' }
  /** The location was deleted; Stripe still returns it. */
  | { readonly kind: 'locationDeleted' }
  /** Terminals work only if account and location are in the same country. */
  | { readonly kind: 'locationAbroad'; readonly location: string; readonly account: string };

/** What hinders no payment, and needs a person all the same: Stripe pays nothing out of the account. */
export interface AccountWarning {
  readonly kind: 'payoutsDisabled';
  /** Stripe's reason. */
  readonly why?: string;
}

export interface AccountCheck {
  readonly canTakeCardPayments: boolean;
  readonly obstacles: readonly AccountObstacle[];
  readonly warnings: readonly AccountWarning[];
  /** ISO 3166, if Stripe states it. */
  readonly country?: string;
  /** The account's default currency at Stripe. */
  readonly defaultCurrency?: string;
  /**
   * The reach of a connection token for this account. `platform`: with destination charges, a token
   * belongs to the platform and reaches the payments and readers of all its businesses (D40).
   */
  readonly tokenReach: 'account' | 'platform';
}

/** The fields of a business's account; see `ProcessorAccount` of the core. */
export interface AccountToCheck {
  readonly id: string;
  /** ISO 4217, lower case. Default: the account's own. */
  readonly currency?: string | undefined;
  readonly terminalLocation?: string | undefined;
}

/** Checks at Stripe whether an account can take card-present payments. Read-only. */
export function checkAccount(
  call: Call,
  { id, currency, terminalLocation }: AccountToCheck,
): ResultAsync<AccountCheck, Failure> {
  const tokenReach = call.charges === 'direct' ? ('account' as const) : ('platform' as const);
  return safeTry<AccountCheck, Failure>(async function* () {
    const account = yield* readAccount(call, id);
    const location = yield* readLocation(call, id, terminalLocation);
    const { country, default_currency: defaultCurrency } = account ?? {};
    const meant = currency ?? defaultCurrency;
    const obstacles: AccountObstacle[] = [];
    if (meant !== undefined && !hasTwoDecimals(meant)) {
      obstacles.push({ kind: 'currencyUnsupported' });
    }
    if (account === undefined) obstacles.push({ kind: 'noAccess' });
    else {
      obstacles.push(...barriersOf(call, account));
      const local = lookUp(terminalCurrencies, country ?? '') ?? defaultCurrency;
      if (local !== undefined && meant !== undefined && meant !== local) {
        obstacles.push({ kind: 'currencyNotLocal', local });
      }
      if (location.kind !== 'found') obstacles.push(location);
      else if (country && location.country && location.country !== country) {
        obstacles.push({ kind: 'locationAbroad', location: location.country, account: country });
      }
    }
    return ok({
      canTakeCardPayments: obstacles.length === 0,
      obstacles,
      warnings: warningsOf(account),
      ...(country && { country }),
      ...(defaultCurrency && { defaultCurrency }),
      tokenReach,
    });
  }).orElse((failure) =>
    isKeyRejected(failure)
      ? ok<AccountCheck, Failure>({
          canTakeCardPayments: false,
          obstacles: [{ kind: 'keyRejected' }],
          warnings: [],
          tokenReach,
        })
      : err(failure),
  );
}

/** The obstacles to any card payment of an account. */
function barriersOf({ charges }: Call, account: Account): readonly AccountObstacle[] {
  const { charges_enabled, capabilities } = account;
  const barriers: AccountObstacle[] = [];
  if (charges_enabled === false) barriers.push({ kind: 'chargesDisabled', ...whyOf(account) });
  if (capabilities?.card_payments !== 'active') barriers.push({ kind: 'cardPaymentsInactive' });
  if (charges === 'destination' && capabilities?.transfers !== 'active') {
    barriers.push({ kind: 'transfersInactive' });
  }
  return barriers;
}

function warningsOf(account: Account | undefined): readonly AccountWarning[] {
  if (account?.payouts_enabled !== false) return [];
  return [{ kind: 'payoutsDisabled', ...whyOf(account) }];
}

/** Why Stripe has disabled payments or payouts. */
function whyOf({ requirements }: Account): { readonly why?: string } {
  const why = requirements?.disabled_reason;
  return why === undefined ? {} : { why };
}

/**
 * Explains a rejection with an ambiguous code. Stripe does not document how it rejects an account
 * that cannot take card payments, so this reads the account.
 */
export function orNotSetUp(call: Call, id: string, failure: Failure): ResultAsync<never, Failure> {
  if (failure.isUnexplained !== true) return errAsync(failure);
  return readAccount(call, id)
    .mapErr(() => failure)
    .andThen((account) =>
      err(account && barriersOf(call, account).length === 0 ? failure : notSetUp),
    );
}

function readAccount(call: Call, id: string): ResultAsync<Account | undefined, Failure> {
  return safeTry(async function* () {
    if (!isAccountId(id)) return ok(undefined);
    const reply = await call.send((stripe, options) => stripe.accounts.retrieve(id, {}, options));
    if (reply.isOk()) return believe(accountShape, reply.value);
    const isDenied = isMissing(reply.error) || reply.error.error.kind === 'notSetUp';
    return isDenied ? ok(undefined) : err(reply.error);
  });
}

type LocationSeen =
  | { readonly kind: 'found'; readonly country: string | undefined }
  | { readonly kind: 'locationMissing' | 'locationUnknown' | 'locationDeleted' };

function readLocation(
  call: Call,
  account: string,
  id: string | undefined,
): ResultAsync<LocationSeen, Failure> {
  return safeTry(async function* () {
    if (id === undefined) return ok<LocationSeen>({ kind: 'locationMissing' });
    if (!/^tml_\w{1,200}$/.test(id)) return ok<LocationSeen>({ kind: 'locationUnknown' });
    const reply = await call.send(
      (stripe, options) => stripe.terminal.locations.retrieve(id, {}, options),
      { account },
    );
    if (reply.isErr()) {
      // Stripe publishes no status for an unknown location: 404 with a code, or 400.
      const { kind } = reply.error.error;
      const isRefused = kind === 'rejected' || kind === 'notSetUp';
      return isRefused ? ok<LocationSeen>({ kind: 'locationUnknown' }) : err(reply.error);
    }
    const seen = yield* believe(locationShape, reply.value);
    return ok<LocationSeen>(
      seen.deleted === true
        ? { kind: 'locationDeleted' }
        : { kind: 'found', country: seen.address?.country },
    );
  });
}

/** Creates a connection token, for the readers of one location if the business names one. */
export function createConnectionToken(
  call: Call,
  { account, terminalLocation: location }: ConnectionTokenRequest,
): ResultAsync<{ readonly clientSecret: string }, Failure> {
  const params = location === undefined ? {} : { location };
  return (
    call
      .send((stripe, options) => stripe.terminal.connectionTokens.create(params, options), {
        account,
        // Each call makes a new token (D24), so it needs a new key.
        idempotencyKey: `token:${randomUUID()}`,
      })
      .orElse((failure) => orNotSetUp(call, account, failure))
      .andThen((reply) => believe(tokenShape, reply))
      // A token shows its mode only by its prefix.
      .andThen(({ secret }) =>
        secret.startsWith('pst_test') && call.livemode
          ? err(unknown)
          : ok({ clientSecret: secret }),
      )
  );
}
