import { err, errAsync, hasTwoDecimals, ok, type ResultAsync, safeTry } from '@chairside/core';
import { type Call, scopeOf } from './connection.ts';
import { type Failure, isMissing, notSetUp } from './failure.ts';
import { type Account, accountShape, believe, locationShape } from './shapes.ts';
import { lookUp, terminalCurrencies } from './tables.ts';

/** A reason why an account cannot take cards in person. */
export type AccountObstacle =
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

export interface AccountCheck {
  readonly canTakeCardPayments: boolean;
  readonly obstacles: readonly AccountObstacle[];
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
  return safeTry(async function* () {
    const account = yield* readAccount(call, id);
    const location = yield* readLocation(call, id, terminalLocation);
    const obstacles = obstaclesOf({ call, account, currency, location });
    return ok({
      canTakeCardPayments: obstacles.length === 0,
      obstacles,
      ...(account?.country && { country: account.country }),
      ...(account?.default_currency && { defaultCurrency: account.default_currency }),
      tokenReach: call.charges === 'direct' ? ('account' as const) : ('platform' as const),
    });
  });
}

interface Seen {
  readonly call: Call;
  readonly account: Account | undefined;
  readonly currency: string | undefined;
  readonly location: LocationSeen;
}

function obstaclesOf({ call, account, currency, location }: Seen): readonly AccountObstacle[] {
  const meant = currency ?? account?.default_currency ?? undefined;
  const unsupported: readonly AccountObstacle[] =
    meant === undefined || hasTwoDecimals(meant) ? [] : [{ kind: 'currencyUnsupported' }];
  if (account === undefined) return [...unsupported, { kind: 'noAccess' }];
  const { charges_enabled, capabilities, country } = account;
  const obstacles: AccountObstacle[] = [...unsupported];
  if (!charges_enabled) {
    const why = account.requirements?.disabled_reason ?? undefined;
    obstacles.push({ kind: 'chargesDisabled', ...(why !== undefined && { why }) });
  }
  if (capabilities?.card_payments !== 'active') obstacles.push({ kind: 'cardPaymentsInactive' });
  if (call.charges === 'destination' && capabilities?.transfers !== 'active') {
    obstacles.push({ kind: 'transfersInactive' });
  }
  const local = lookUp(terminalCurrencies, country ?? '') ?? account.default_currency ?? undefined;
  if (local !== undefined && meant !== undefined && meant !== local) {
    obstacles.push({ kind: 'currencyNotLocal', local });
  }
  if (location.kind !== 'found') obstacles.push(location);
  else if (country && location.country && location.country !== country) {
    obstacles.push({ kind: 'locationAbroad', location: location.country, account: country });
  }
  return obstacles;
}

/**
 * Explains a rejection with an ambiguous code. Stripe does not document how it rejects an account
 * that cannot take card payments, so this reads the account.
 */
export function orNotSetUp(call: Call, id: string, failure: Failure): ResultAsync<never, Failure> {
  if (failure.isUnexplained !== true) return errAsync(failure);
  return readAccount(call, id)
    .mapErr(() => failure)
    .andThen((account) => {
      const { card_payments, transfers } = account?.capabilities ?? {};
      const needsTransfers = call.charges === 'destination';
      const isSetUp =
        account?.charges_enabled &&
        card_payments === 'active' &&
        (transfers === 'active' || !needsTransfers);
      return err(isSetUp ? failure : notSetUp);
    });
}

function readAccount(call: Call, id: string) {
  return safeTry(async function* () {
    if (scopeOf(call, id).isErr()) return ok(undefined);
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
    if (id === undefined) return ok({ kind: 'locationMissing' } as const);
    const scope = scopeOf(call, account);
    if (scope.isErr() || !/^tml_\w{1,200}$/.test(id))
      return ok({ kind: 'locationUnknown' } as const);
    const reply = await call.send(
      (stripe, options) => stripe.terminal.locations.retrieve(id, {}, options),
      scope.value,
    );
    if (reply.isErr()) {
      return isRefused(reply.error) ? ok({ kind: 'locationUnknown' } as const) : err(reply.error);
    }
    return believe(locationShape, reply.value).map(
      (seen): LocationSeen =>
        seen.deleted === true
          ? { kind: 'locationDeleted' }
          : { kind: 'found', country: seen.address?.country ?? undefined },
    );
  });
}

/** Stripe publishes no status for an unknown location: 404 with a code, or 400. */
function isRefused({ error }: Failure): boolean {
  return error.kind === 'rejected' || error.kind === 'notSetUp';
}
