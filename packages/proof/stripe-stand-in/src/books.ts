import type { Clock } from '@chairside/core';
import type Stripe from 'stripe';
import type { StandInAccount, StandInLocation } from './account.ts';
import type { Charge } from './charge.ts';
import type { Customer } from './customer.ts';
import type { EventObject, StandInEvent } from './event.ts';
import { publishEvent } from './exchange.ts';
import type { Intent } from './intent.ts';
import type { Reader } from './reader.ts';
import type { Setup } from './setup.ts';

/** All objects of one account. */
export interface AccountBooks {
  readonly intents: Map<string, Intent>;
  readonly charges: Map<string, Charge>;
  readonly refunds: Map<string, Stripe.Refund>;
  readonly disputes: Map<string, Stripe.Dispute>;
  readonly setups: Map<string, Setup>;
  readonly customers: Map<string, Customer>;
  readonly locations: Map<string, StandInLocation>;
  readonly readers: Map<string, Reader>;
}

/** Behaviour that Stripe does not document, or that depends on the merchant. */
export interface StandInSwitches {
  /** The delay of the search index; `noSearch` for merchants in India. */
  readonly searchLagSeconds: number | 'noSearch';
  /** The status for an account that does not exist or that the platform has lost. */
  readonly unknownAccount: 403 | 404;
  /** The status for a connection token with an unknown location. */
  readonly unknownLocation: 400 | 404;
}

export const defaultSwitches: StandInSwitches = {
  searchLagSeconds: 60,
  unknownAccount: 403,
  unknownLocation: 400,
};

/** The stand-in's state. */
export interface Books {
  readonly switches: StandInSwitches;
  readonly accounts: Map<string, StandInAccount>;
  readonly events: StandInEvent[];
  readonly livemode: boolean;
  /** In seconds, as Stripe counts. */
  now(): number;
  nextId(prefix: string): string;
  of(account: string | undefined): AccountBooks;
  /** Names the request that causes the following events, until the next call; `null` for none. */
  blame(request: Stripe.Event['request']): void;
  tell(
    account: string | undefined,
    type: StandInEvent['type'],
    object: EventObject,
    before?: Readonly<Record<string, unknown>>,
  ): void;
}

export const apiVersion = '2026-10-28.endive' satisfies Stripe.LatestApiVersion;

export function createBooks(clock: Clock, livemode: boolean, switches: StandInSwitches): Books {
  const byAccount = new Map<string, AccountBooks>();
  const events: StandInEvent[] = [];
  let ids = 0;
  let request: Stripe.Event['request'] = null;
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
        refunds: new Map(),
        disputes: new Map(),
        setups: new Map(),
        customers: new Map(),
        locations: new Map(),
        readers: new Map(),
      };
      byAccount.set(account, books);
      return books;
    },
    blame(by) {
      request = by;
    },
    tell(account, type, object, previous_attributes) {
      const event: StandInEvent = {
        id: nextId('evt'),
        object: 'event',
        type,
        ...(account !== undefined && { account }),
        api_version: apiVersion,
        created: now(),
        livemode,
        pending_webhooks: 1,
        request,
        data: { object, ...(previous_attributes !== undefined && { previous_attributes }) },
      };
      events.push(event);
      publishEvent(event);
    },
  };
}
