import type { Clock } from '@chairside/core';
import type Stripe from 'stripe';
import type { StandInAccount } from './account.ts';
import type { BalanceEntry, Move, StandInPayout } from './balance.ts';
import type { Charge } from './charge.ts';
import type { StandInEvent } from './event.ts';
import { publish } from './exchange.ts';
import type { Intent } from './intent.ts';
import type { Method } from './method.ts';
import type { Setup } from './setup.ts';

/** Behaviour that Stripe does not document, or that depends on the merchant. */
export interface StandInSwitches {
  /** The delay of the search index; `noSearch` for merchants in India. */
  readonly searchLagSeconds: number | 'noSearch';
  /** The status for an account that does not exist or that the platform has lost. */
  readonly unknownAccount: 403 | 404;
  /** The status for a connection token with an unknown location. */
  readonly unknownLocation: 400 | 404;
  /** Where a refund's part of the platform's fee comes back: in its own entry, or in another one. */
  readonly returnedFees: 'apart' | 'within';
  /** How many balance transactions a dispute shows. The SDK says two at most; a case may be lost again. */
  readonly disputeBookings: 'all' | 'firstTwo';
  /**
   * Of every three charges one is whole, one does not show the last digits of its card, and one shows
   * no member that may be missing.
   */
  readonly sparseCards: boolean;
}

export const defaultSwitches: StandInSwitches = {
  searchLagSeconds: 60,
  unknownAccount: 403,
  unknownLocation: 400,
  returnedFees: 'apart',
  disputeBookings: 'all',
  sparseCards: false,
};

/** A location of terminals. Stripe keeps a deleted one and marks it. */
export interface StandInLocation {
  readonly id: string;
  readonly country: string;
  readonly deleted: boolean;
  readonly displayName?: string;
}

/** The state that all accounts share. */
export interface Platform {
  readonly switches: StandInSwitches;
  readonly accounts: Map<string, StandInAccount>;
  readonly events: StandInEvent[];
  readonly livemode: boolean;
  /** In seconds, as Stripe counts. */
  now(): number;
  nextId(prefix: string): string;
  /** The books of an account, or of the platform itself. */
  of(account: string | undefined): Books;
  /** Names the request that causes the following events, until the next call; `null` for none. */
  blame(request: Stripe.Event['request']): void;
}

const emptyBooks = () => ({
  intents: new Map<string, Intent>(),
  charges: new Map<string, Charge>(),
  refunds: new Map<string, Stripe.Refund>(),
  disputes: new Map<string, Stripe.Dispute>(),
  setups: new Map<string, Setup>(),
  methods: new Map<string, Method>(),
  customers: new Map<string, Stripe.Customer>(),
  /** The ids of customers that were deleted. */
  deletedCustomers: new Set<string>(),
  locations: new Map<string, StandInLocation>(),
  readers: new Map<string, Stripe.Terminal.Reader>(),
  entries: new Map<string, BalanceEntry>(),
  payouts: new Map<string, StandInPayout>(),
  webhookEndpoints: new Map<string, Stripe.WebhookEndpoint>(),
  moves: new Map<string, Move>(),
});

/** All objects of one account, or of the platform. */
export interface Books extends Platform, Readonly<ReturnType<typeof emptyBooks>> {
  readonly account: string | undefined;
  /** The object that changed the balance. */
  sourceOf(id: string): Stripe.BalanceTransactionSource | undefined;
  /** Adds an event of this account. */
  tell(
    type: StandInEvent['type'],
    object: StandInEvent['data']['object'],
    before?: Readonly<Record<string, unknown>>,
  ): void;
}

export const apiVersion = '2026-10-28.endive' satisfies Stripe.LatestApiVersion;

export function createPlatform(
  clock: Clock,
  livemode: boolean,
  switches: StandInSwitches,
): Platform {
  const byAccount = new Map<string | undefined, Books>();
  let ids = 0;
  let request: Stripe.Event['request'] = null;

  const platform: Platform = {
    switches,
    accounts: new Map(),
    events: [],
    livemode,
    now: () => Math.floor(clock.now() / 1000),
    nextId(prefix) {
      ids += 1;
      return `${prefix}_${ids.toString().padStart(8, '0')}`;
    },
    of(account) {
      const books = byAccount.get(account) ?? open(account);
      byAccount.set(account, books);
      return books;
    },
    blame(by) {
      request = by;
    },
  };

  function open(account: string | undefined): Books {
    const books: Books = {
      ...platform,
      account,
      ...emptyBooks(),
      sourceOf(id) {
        const { charges, refunds, disputes, moves, payouts } = books;
        const found = charges.get(id) ?? refunds.get(id) ?? disputes.get(id) ?? moves.get(id);
        return found ?? payouts.get(id)?.payout;
      },
      tell(type, object, previous_attributes) {
        const event: StandInEvent = {
          id: platform.nextId('evt'),
          object: 'event',
          type,
          ...(account !== undefined && { account }),
          api_version: apiVersion,
          created: platform.now(),
          livemode,
          pending_webhooks: 1,
          request,
          data: { object, ...(previous_attributes !== undefined && { previous_attributes }) },
        };
        platform.events.push(event);
        publish({ kind: 'event', event });
      },
    };
    return books;
  }

  return platform;
}
