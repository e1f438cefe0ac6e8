import { err, errAsync, hasTwoDecimals, ok, type ResultAsync, safeTry } from '@chairside/core';
import { type Call, scopeOf } from './connection.ts';
import { type Failure, isMissing, notSetUp } from './failure.ts';
import { type Account, accountShape, believe, locationShape } from './shapes.ts';
import { lookUp, terminalCurrencies } from './tables.ts';

/** What stands in the way of taking cards in person. */
export type AccountObstacle =
  /** The platform's key has no access to it, or there is no such account. */
  | { readonly kind: 'noAccess' }
  /** Stripe lets it take no payments; `why` is Stripe's own word for it. */
  | { readonly kind: 'chargesDisabled'; readonly why?: string }
  /** The capability `card_payments`, which terminals need, is not active. */
  | { readonly kind: 'cardPaymentsInactive' }
  /** The capability `transfers`, which destination charges need, is not active. */
  | { readonly kind: 'transfersInactive' }
  /** The currency given does not have two decimals (D18). */
  | { readonly kind: 'currencyUnsupported' }
  /** Terminals take only the currency of the account's country. */
  | { readonly kind: 'currencyNotLocal'; readonly local: string }
  /** The business has no location, and the terminal SDK needs one to connect (D40). */
  | { readonly kind: 'locationMissing' }
  /** The account has no such terminal location. */
  | { readonly kind: 'locationUnknown' }
  /** The location was deleted; Stripe still returns it. */
  | { readonly kind: 'locationDeleted' }
  /** Terminals work only where account and location are in one country. */
  | { readonly kind: 'locationAbroad'; readonly location: string; readonly account: string };

export interface AccountCheck {
  readonly canTakeCardPayments: boolean;
  readonly obstacles: readonly AccountObstacle[];
  /** ISO 3166, where Stripe says it. */
  readonly country?: string;
  /** The currency that Stripe takes for the account's own. */
  readonly defaultCurrency?: string;
  /**
   * What a connection token of this account can reach. `platform`: with destination charges a token
   * is the platform's own, and serves the payments and readers of every business on it (D40).
   */
  readonly tokenReach: 'account' | 'platform';
}

/** What a business keeps of its account; see `ProcessorAccount` of the core. */
export interface AccountToCheck {
  readonly id: string;
  /** ISO 4217, in lower case; the account's own by default. */
  readonly currency?: string | undefined;
  readonly terminalLocation?: string | undefined;
}

/** Asks Stripe whether an account can take card-present payments. Changes nothing. */
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
 * Explains a refusal whose code says nothing definite. Stripe does not document how it refuses an
 * account that cannot take card payments, so the account itself is read.
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
