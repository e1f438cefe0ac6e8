import { err, errAsync, hasTwoDecimals, ok, type ResultAsync, safeTry } from '@chairside/core';
import { type Call, scopeOf } from './connection.ts';
import { type Failure, isMissing, notSetUp } from './failure.ts';
import { accountShape, believe } from './shapes.ts';

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
  /** The currency given is not one with two decimals (D18). */
  | { readonly kind: 'currencyUnsupported' }
  /** The account has no such terminal location. */
  | { readonly kind: 'locationUnknown' };

export interface AccountCheck {
  readonly canTakeCardPayments: boolean;
  readonly obstacles: readonly AccountObstacle[];
  /** ISO 3166, where Stripe says it. */
  readonly country?: string;
  /** The currency that Stripe takes for the account's own. */
  readonly defaultCurrency?: string;
}

/** What a business keeps of its account; see `ProcessorAccount` of the core. */
export interface AccountToCheck {
  readonly id: string;
  readonly currency: string;
  readonly terminalLocation?: string;
}

/** Asks Stripe whether an account can take card-present payments. Changes nothing. */
export function checkAccount(
  call: Call,
  { id, currency, terminalLocation }: AccountToCheck,
): ResultAsync<AccountCheck, Failure> {
  return safeTry(async function* () {
    const obstacles: AccountObstacle[] = [];
    if (!hasTwoDecimals(currency)) obstacles.push({ kind: 'currencyUnsupported' });
    const account = yield* readAccount(call, id);
    if (account === undefined) obstacles.push({ kind: 'noAccess' });
    else {
      const why = account.requirements?.disabled_reason ?? undefined;
      if (!account.charges_enabled) {
        obstacles.push({ kind: 'chargesDisabled', ...(why !== undefined && { why }) });
      }
      if (account.capabilities?.card_payments !== 'active') {
        obstacles.push({ kind: 'cardPaymentsInactive' });
      }
      if (call.charges === 'destination' && account.capabilities?.transfers !== 'active') {
        obstacles.push({ kind: 'transfersInactive' });
      }
      if (terminalLocation !== undefined && !(yield* hasLocation(call, id, terminalLocation))) {
        obstacles.push({ kind: 'locationUnknown' });
      }
    }
    return ok({
      canTakeCardPayments: obstacles.length === 0,
      obstacles,
      ...(account?.country && { country: account.country }),
      ...(account?.default_currency && { defaultCurrency: account.default_currency }),
    });
  });
}

/**
 * What a refusal means that has no reason, or only that a parameter does not suit. What Stripe calls
 * an account that cannot take card payments is not documented, so the account itself is asked.
 */
export function orNotSetUp(call: Call, id: string, failure: Failure): ResultAsync<never, Failure> {
  const isUnclear = failure.isUnexplained || failure.code === 'payment_intent_invalid_parameter';
  if (!isUnclear) return errAsync(failure);
  return readAccount(call, id)
    .mapErr(() => failure)
    .andThen((account) => {
      const isSetUp = account?.charges_enabled && account.capabilities?.card_payments === 'active';
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

function hasLocation(call: Call, account: string, id: string): ResultAsync<boolean, Failure> {
  return safeTry(async function* () {
    if (!/^tml_\w{1,200}$/.test(id)) return ok(false);
    const scope = yield* scopeOf(call, account);
    const reply = await call.send(
      (stripe, options) => stripe.terminal.locations.retrieve(id, {}, options),
      scope,
    );
    if (reply.isOk()) return ok(true);
    return isMissing(reply.error) ? ok(false) : err(reply.error);
  });
}
