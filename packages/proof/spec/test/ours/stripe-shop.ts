import { type Chairside, createChairside, type Observation } from '@chairside/core';
import type { Processor, Store } from '@chairside/core/ports';
import { createManualClock, createMapStore, type ManualClock } from '@chairside/testkit';
import { expect } from 'vitest';
import { ada, captureInput } from '../../src/elsewhere.ts';
import { fresh, givenAppointment } from '../../src/shop.ts';
import {
  createSimulatedStripe,
  type SimulatedStripe,
  type SimulatedStripeOptions,
} from './simulated-stripe.ts';

export const account = { id: 'acct_shop', currency: 'eur' };

export interface Shop {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly stripe: SimulatedStripe;
  readonly chairside: Chairside;
  readonly observations: readonly Observation[];
}

/** A shop at Stripe's stand-in, with a store in memory. */
export async function openShop(
  over: (stripe: Processor) => Partial<Processor> = () => ({}),
  options: Pick<SimulatedStripeOptions, 'charges' | 'disputeBookings'> = {},
): Promise<Shop> {
  const clock = createManualClock();
  const store = createMapStore();
  const stripe = createSimulatedStripe(clock, [account], { foreign: false, ...options });
  const observations: Observation[] = [];
  const chairside = createChairside({
    store,
    clock,
    processor: { ...stripe, ...over(stripe) },
    rateLimits: 'off',
    observe: (seen) => observations.push(seen),
  });
  const { records } = chairside;
  const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount: account };
  expect((await records.putBusiness(shop)).isOk()).toBe(true);
  expect((await records.putBarber({ id: 'ada', businessId: 'shop' })).isOk()).toBe(true);
  return { clock, store, stripe, chairside, observations };
}

/** A payment of 45.00 whose card was presented. */
export async function givenAuthorized({ chairside, stripe }: Shop) {
  const appointmentId = await givenAppointment({ chairside });
  const asked = { appointmentId, idempotencyKey: fresh('create') };
  const { id, clientSecret } = (
    await chairside.createContactlessPayment(ada, asked)
  )._unsafeUnwrap();
  const presented = (await stripe.presentCard(clientSecret, 'visa_credit'))._unsafeUnwrap();
  return { id, reference: presented.externalPaymentReference.id, appointmentId };
}

/** Takes 45.00. Its messages are lost, as all others that a test does not send. */
export async function givenCaptured(shop: Shop) {
  const opened = await givenAuthorized(shop);
  const captured = await shop.chairside.captureContactlessPayment(
    ada,
    captureInput(opened.id, opened.reference),
  );
  expect(captured.isOk()).toBe(true);
  return opened;
}
