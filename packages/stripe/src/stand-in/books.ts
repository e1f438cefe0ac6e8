import type { Clock } from '@chairside/core';
import type Stripe from 'stripe';
import type { Charge, Intent } from './intent.ts';

/** The members of a SetupIntent that the stand-in shows. */
export type Setup = Pick<
  Stripe.SetupIntent,
  | 'id'
  | 'object'
  | 'allowed_payment_method_types'
  | 'client_secret'
  | 'created'
  | 'livemode'
  | 'metadata'
  | 'status'
  | 'usage'
> & {
  readonly customer: string | null;
  readonly payment_method: string | null;
  /** Shown where it is asked for; its id otherwise. */
  readonly latest_attempt: SetupAttempt | null;
};

/** The members of a SetupAttempt that the stand-in shows. */
export type SetupAttempt = Pick<Stripe.SetupAttempt, 'id' | 'object' | 'created' | 'status'>;

export type Customer = Pick<Stripe.Customer, 'id' | 'object' | 'created' | 'livemode' | 'metadata'>;

/** An account as a test sets it up. */
export interface StandInAccount {
  readonly id: string;
  readonly chargesEnabled: boolean;
  readonly cardPayments: Stripe.Account.Capabilities.CardPayments;
  readonly transfers: Stripe.Account.Capabilities.Transfers;
  /** The platform was cut off from it: every call is answered with 403. */
  readonly revoked: boolean;
  readonly currency: string;
  readonly country: string;
}

/** A place where terminals stand. Stripe keeps one that was deleted, and says so. */
export interface StandInLocation {
  readonly id: string;
  readonly country: string;
  readonly deleted: boolean;
}

/** Everything that lives in one account. */
export interface AccountBooks {
  readonly intents: Map<string, Intent>;
  readonly charges: Map<string, Charge>;
  readonly setups: Map<string, Setup>;
  readonly customers: Map<string, Customer>;
  readonly locations: Map<string, StandInLocation>;
}

/** An event as Stripe sends it. */
export interface StandInEvent {
  readonly id: string;
  readonly object: 'event';
  readonly type: Stripe.Event.Type | (string & {});
  /** The connected account it happened in; absent for the platform's own. */
  readonly account?: string;
  readonly api_version: string;
  readonly created: number;
  readonly livemode: boolean;
  readonly data: { readonly object: unknown; readonly previous_attributes?: unknown };
}

/** What Stripe publishes neither way, or what depends on the merchant. */
export interface StandInSwitches {
  /** How far the search index is behind; `noSearch` for merchants in India. */
  readonly searchLagSeconds: number | 'noSearch';
}

export const defaultSwitches: StandInSwitches = { searchLagSeconds: 60 };

/** What the stand-in remembers. */
export interface Books {
  readonly switches: StandInSwitches;
  readonly accounts: Map<string, StandInAccount>;
  readonly events: StandInEvent[];
  readonly livemode: boolean;
  /** Seconds, as Stripe counts them. */
  now(): number;
  nextId(prefix: string): string;
  of(account: string | undefined): AccountBooks;
  tell(
    account: string | undefined,
    type: StandInEvent['type'],
    object: unknown,
    before?: unknown,
  ): void;
}

export const apiVersion = '2026-10-28.endive' satisfies Stripe.LatestApiVersion;

export function createBooks(clock: Clock, livemode: boolean, switches: StandInSwitches): Books {
  const byAccount = new Map<string, AccountBooks>();
  const events: StandInEvent[] = [];
  let ids = 0;
  const now = () => Math.floor(clock.now() / 1000);
  const nextId = (prefix: string) => {
    ids += 1;
    return `${prefix}_${ids.toString().padStart(8, '0')}`;
  };

  return {
    switches,
    accounts: new Map(),
    events,
    livemode,
    now,
    nextId,
    of(account = 'platform') {
      const books = byAccount.get(account) ?? {
        intents: new Map(),
        charges: new Map(),
        setups: new Map(),
        customers: new Map(),
        locations: new Map(),
      };
      byAccount.set(account, books);
      return books;
    },
    tell(account, type, object, previous_attributes) {
      events.push({
        id: nextId('evt'),
        object: 'event',
        type,
        ...(account !== undefined && { account }),
        api_version: apiVersion,
        created: now(),
        livemode,
        data: { object, ...(previous_attributes !== undefined && { previous_attributes }) },
      });
    },
  };
}
