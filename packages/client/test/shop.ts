import {
  type AuthContext,
  type ChairsideOptions,
  createChairside,
  type Result,
} from '@chairside/core';
import { createFakeProcessor, type FakeProcessorOptions } from '@chairside/fake-processor';
import { chairsideHandler } from '@chairside/h3';
import { createManualClock, createMapStore } from '@chairside/testkit';
import type { Fetch, Result as OwnResult } from '../src/index.ts';

export const problemBase = 'https://shop.example/api';
export const baseUrl = 'http://shop.test';

const entitlements = ['contactlessPayments'] as const;

/** The callers; the token is the name. */
const people: Readonly<Record<string, AuthContext>> = {
  ada: { subject: 'user-ada', barberId: 'ada', entitlements },
  ben: { subject: 'user-ben', barberId: 'ben', entitlements },
  kim: { subject: 'user-kim', customerId: 'kim' },
  owner: { subject: 'user-owner', businessIds: ['shop'] },
};

export interface ShopOptions {
  readonly rateLimits?: ChairsideOptions['rateLimits'];
  readonly processor?: Omit<FakeProcessorOptions, 'clock'>;
  readonly tips?: ChairsideOptions['tips'];
  readonly shares?: boolean;
}

/** The service in this process: a real chairside behind its real HTTP handler, without a socket. */
export async function openShop({
  rateLimits = 'off',
  processor: options,
  tips,
  shares = false,
}: ShopOptions = {}) {
  const clock = createManualClock();
  const store = createMapStore();
  const processor = createFakeProcessor({ ...options, clock });
  const chairside = createChairside({ store, processor, clock, rateLimits, tips, shares });
  const { records } = chairside;
  const processorAccount = { id: 'acct_shop', currency: 'eur', terminalLocation: 'loc_shop' };
  need(await records.putBusiness({ id: 'shop', name: 'Marlow & Sons', processorAccount }));
  need(await records.putBarber({ id: 'ada', businessId: 'shop' }));
  need(await records.putBarber({ id: 'ben', businessId: 'shop' }));
  const banned = new Set<string>();
  const app = chairsideHandler(chairside, {
    authenticate: (token) => (banned.has(token) ? undefined : people[token]),
    problemBase,
    refunds: true,
    shares,
  });
  const fetch: Fetch = async (url, { method, headers, body, signal }) =>
    app.fetch(new Request(url, { method, headers, body: body ?? null, signal }));

  async function putAppointment(
    id: string,
    amountDue = '45.00',
    barber = 'ada',
    businessId = 'shop',
  ) {
    need(
      await records.putAppointment({
        id,
        businessId,
        amountDueMinor: BigInt(amountDue.replace('.', '')),
        occursOn: '2026-11-02T10:00:00.000Z',
        timeZone: 'Europe/Berlin',
        barber: { id: barber, givenName: 'Ada', surname: 'Marlow', spokenLanguages: ['de', 'en'] },
        location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
      }),
    );
    return id;
  }

  /** The tokens in `banned` are rejected. */
  return { chairside, processor, clock, store, fetch, putAppointment, banned };
}

/** The same with a visit of 45.00. */
export async function openVisit(options?: ShopOptions) {
  const shop = await openShop(options);
  return { shop, appointmentId: await shop.putAppointment('a-1') };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

export function need<T>(result: Result<T, unknown> | OwnResult<T, unknown>): T {
  if (result.isErr()) throw new Error(JSON.stringify(result.error));
  return result.value;
}

export function errorOf<E>(result: OwnResult<unknown, E>): E {
  if (result.isOk()) throw new Error('the call succeeded');
  return result.error;
}
