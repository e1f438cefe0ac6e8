import {
  createChairside,
  hourMs,
  minuteMs,
  type PaymentMethodSetup,
  type Processor,
  secondMs,
} from '@chairside/core';
import type { DrivenProcessor } from '@chairside/testkit';
import { expect, it } from 'vitest';
import { setup } from '../src/answer.ts';
import { people } from '../src/people.ts';
import { describeEverywhere, describeWithEveryProcessor, type World } from '../src/world.ts';

type SetUp = Pick<World, 'chairside'>;

async function prepare({ send }: Pick<World, 'send'>): Promise<PaymentMethodSetup> {
  return setup(
    await send('preparePaymentMethod', 'customer', { body: { savePaymentMethod: true } }),
  );
}

async function read({ chairside }: SetUp, { paymentMethodSetupId }: PaymentMethodSetup) {
  const found = await chairside.readPaymentMethodSetup(people.customer, { paymentMethodSetupId });
  return found._unsafeUnwrap();
}

async function reconciled({ chairside }: SetUp) {
  return (await chairside.reconcile())._unsafeUnwrap();
}

async function complete(
  world: World<DrivenProcessor>,
  { clientSecret }: PaymentMethodSetup,
): Promise<boolean> {
  return (await world.processor.completeSetup(clientSecret, 'visa_credit')).isOk();
}

/** A setup that ended a minute ago. */
async function expired(world: Pick<World, 'send' | 'clock'>): Promise<PaymentMethodSetup> {
  const prepared = await prepare(world);
  world.clock.advance(hourMs + minuteMs);
  return prepared;
}

describeWithEveryProcessor('a setup whose time is over', (makeWorld) => {
  it('is accepted if it was completed in time, at any later read', async () => {
    const world = await makeWorld();
    const prepared = await prepare(world);
    world.clock.advance(hourMs - minuteMs);
    expect(await complete(world, prepared)).toBe(true);
    world.clock.advance(50 * hourMs);
    expect((await read(world, prepared)).status).toBe('completed');
    await reconciled(world);
    expect((await read(world, prepared)).status).toBe('completed');
  });

  it('is not accepted if it was completed 50 hours after it began (D41)', async () => {
    const world = await makeWorld();
    const prepared = await prepare(world);
    world.clock.advance(50 * hourMs);
    expect(await complete(world, prepared)).toBe(true);
    const status = await read(world, prepared);
    expect(status.status).toBe('expired');
    expect(status).not.toHaveProperty('paymentMethodReference');
  });

  it('is canceled at the processor by reconcile, so that it cannot be completed', async () => {
    const world = await makeWorld();
    const prepared = await prepare(world);
    expect((await read(world, prepared)).status).toBe('open');
    world.clock.advance(hourMs + minuteMs);
    expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0 });
    expect(await world.processor.setups()).toMatchObject([{ status: 'canceled' }]);
    expect(await complete(world, prepared)).toBe(false);
    expect((await read(world, prepared)).status).toBe('expired');
    // It was decided once, so it has no more work until its keys are deleted.
    world.clock.advance(24 * hourMs);
    expect(await reconciled(world)).toMatchObject({ looked: 0 });
    world.clock.advance(72 * hourMs);
    expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0 });
  });

  it.for(['timeoutBeforeApplying', 'timeoutAfterApplying', 'failure'] as const)(
    'is canceled in a later run if the first cancelation met %s',
    async (fault) => {
      const world = await makeWorld();
      const prepared = await expired(world);
      world.processor.failNext('cancelSetup', fault);
      expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 1 });
      world.clock.advance(5 * minuteMs);
      expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0 });
      expect(await world.processor.setups()).toMatchObject([{ status: 'canceled' }]);
      expect((await read(world, prepared)).status).not.toBe('completed');
    },
  );
});

describeEverywhere('a setup at a processor without times', (makeWorld) => {
  /** The same world with a processor that states no time. */
  function untimed(world: World): SetUp {
    const processor: Processor = {
      ...world.processor,
      readSetup: (handle) =>
        world.processor.readSetup(handle).map((seen) => {
          if (seen === undefined) return undefined;
          const { completedAt: _completedAt, at: _at, ...rest } = seen;
          return rest;
        }),
    };
    const { store, clock } = world;
    return { chairside: createChairside({ store, processor, clock, rateLimits: 'off' }) };
  }

  it('is accepted for ever once it was seen completed in time', async () => {
    const world = await makeWorld();
    const node = untimed(world);
    const prepared = await prepare(world);
    await complete(world, prepared);
    expect((await read(node, prepared)).status).toBe('completed');
    world.clock.advance(2 * hourMs);
    expect((await read(node, prepared)).status).toBe('completed');
    expect(await reconciled(node)).toMatchObject({ unsettled: 0 });
    expect((await read(node, prepared)).status).toBe('completed');
  });

  it('is never accepted if it was first seen completed too late', async () => {
    const world = await makeWorld();
    const node = untimed(world);
    const prepared = await expired(world);
    await complete(world, prepared);
    expect((await read(node, prepared)).status).toBe('expired');
    world.clock.advance(-hourMs);
    expect((await read(node, prepared)).status).toBe('expired');
  });

  it('is kept no longer because it is read often', async () => {
    const world = await makeWorld();
    const node = untimed(world);
    const prepared = await expired(world);
    complete(world, prepared);
    for (let hours = 0; hours < 72; hours += 24) {
      expect((await read(node, prepared)).status).toBe('expired');
      world.clock.advance(24 * hourMs);
    }
    expect(await reconciled(node)).toMatchObject({ looked: 1, unsettled: 0 });
    const { paymentMethodSetupId } = prepared;
    const found = await world.store.setups.get(paymentMethodSetupId);
    expect(found._unsafeUnwrap()).toBeUndefined();
  });

  it('is decided if it was completed right before its cancelation', async () => {
    const world = await makeWorld();
    const prepared = await prepare(world);
    world.clock.advance(hourMs - secondMs);
    const processor: Processor = {
      ...world.processor,
      cancelSetup(request) {
        world.clock.advance(-minuteMs);
        world.processor.completeSetup(prepared.clientSecret)._unsafeUnwrap();
        world.clock.advance(minuteMs);
        return world.processor.cancelSetup(request);
      },
    };
    const { store, clock } = world;
    const node = { chairside: createChairside({ store, processor, clock, rateLimits: 'off' }) };
    clock.advance(minuteMs);
    expect(await reconciled(node)).toMatchObject({ looked: 1, unsettled: 1 });
    clock.advance(5 * minuteMs);
    expect(await reconciled(node)).toMatchObject({ looked: 1, unsettled: 0 });
    expect((await read(node, prepared)).status).toBe('completed');
  });
});
