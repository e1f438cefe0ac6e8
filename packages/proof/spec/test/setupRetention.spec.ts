import { hourMs, minuteMs, type PaymentMethodSetup, type SetupHandle } from '@chairside/core';
import { expect, it } from 'vitest';
import { setup } from '../src/answer.ts';
import { host, withProcessor } from '../src/elsewhere.ts';
import { fresh, givenPayment } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** When a setup is checked, and for how long it is kept. */
describeEverywhere('a setup in upkeep', (makeWorld, { store, transport }) => {
  const once = it.skipIf(store !== 'map' || transport !== 'in process');
  const keyRetentionMs = 72 * hourMs;

  async function prepare({ send }: World, key = fresh('key'), savePaymentMethod = true) {
    const body = { savePaymentMethod };
    return setup(await send('preparePaymentMethod', 'customer', { body, key }));
  }

  async function storedSetup({ store }: World, { paymentMethodSetupId }: PaymentMethodSetup) {
    return (await store.setups.get(paymentMethodSetupId))._unsafeUnwrap();
  }

  async function reconciled({ chairside }: Pick<World, 'chairside'>) {
    return (await chairside.reconcile())._unsafeUnwrap();
  }

  once('is kept with its key for 72 hours after a late outcome (D21)', async () => {
    const world = await makeWorld();
    const key = fresh('key');
    const prepared = await prepare(world, key);
    world.processor.completeSetup(prepared.clientSecret, 'visa_credit')._unsafeUnwrap();
    const chairside = withProcessor(world, { charges: undefined });
    world.clock.advance(60 * hourMs);
    expect(await reconciled({ chairside })).toMatchObject({ looked: 1, unsettled: 0 });
    world.clock.advance(keyRetentionMs - minuteMs);
    expect(await reconciled({ chairside })).toMatchObject({ looked: 0 });
    expect(await prepare(world, key)).toEqual(prepared);
    // A processor that charges no saved methods has no use for it.
    world.clock.advance(minuteMs);
    await reconciled({ chairside });
    expect(await storedSetup(world, prepared)).toBeUndefined();
  });

  once('is deleted after its retention although its session can never be read', async () => {
    const world = await makeWorld();
    const prepared = await prepare(world);
    world.clock.advance(hourMs + keyRetentionMs);
    world.processor.failNext('readSetup', 'refused');
    expect(await reconciled(world)).toMatchObject({ looked: 1, unsettled: 0 });
    expect(await storedSetup(world, prepared)).toBeUndefined();
  });

  once('is kept without its secret while a charge of its method is under way (D49)', async () => {
    const world = await makeWorld();
    const prepared = await prepare(world, fresh('key'), false);
    world.processor.completeSetup(prepared.clientSecret, 'visa_credit')._unsafeUnwrap();
    world.clock.advance(hourMs);
    await reconciled(world);
    world.clock.advance(keyRetentionMs);
    const { id: chargeId } = await givenPayment(world);
    const before = await storedSetup(world, prepared);
    if (before === undefined) throw new Error('the setup is not stored');
    const used = { ...before, chargeId, version: before.version + 1 };
    const change = { kind: 'updateSetup', setup: used, expectedVersion: before.version } as const;
    const commit = { id: fresh('cmt'), at: world.clock.now(), changes: [change] };
    expect((await world.store.commit(commit)).isOk()).toBe(true);
    await reconciled(world);
    expect(await storedSetup(world, prepared)).toMatchObject({
      clientSecret: '',
      version: used.version + 1,
      nextCheckAt: world.clock.now() + keyRetentionMs,
    });
    const canceled = await world.chairside.cancelContactlessPayment(host, {
      contactlessPaymentId: chargeId,
    });
    expect(canceled.isOk()).toBe(true);
    world.clock.advance(keyRetentionMs);
    await reconciled(world);
    // The charge took no money, so the method may be charged again, and there is no further check.
    const kept = await storedSetup(world, prepared);
    expect(kept).toMatchObject({ version: used.version + 2 });
    expect(kept).not.toHaveProperty('nextCheckAt');
  });

  once(
    'is canceled when its time is over at the processor, not at a node ahead of it',
    async () => {
      const world = await makeWorld();
      const aheadMs = 30 * minuteMs;
      const chairside = withProcessor(world, {
        readSetup: (handle) =>
          world.processor
            .readSetup(handle)
            .map((seen) => seen && { ...seen, at: world.clock.now() - aheadMs }),
      });
      await prepare(world);
      world.clock.advance(hourMs);
      expect(await reconciled({ chairside })).toMatchObject({ looked: 1, unsettled: 0 });
      world.clock.advance(aheadMs - minuteMs);
      expect(await reconciled({ chairside })).toMatchObject({ looked: 0 });
      expect(world.processor.setups()).toMatchObject([{ status: 'open' }]);
      world.clock.advance(minuteMs);
      expect(await reconciled({ chairside })).toMatchObject({ looked: 1, unsettled: 0 });
      expect(world.processor.setups()).toMatchObject([{ status: 'canceled' }]);
    },
  );

  once(
    'is not canceled if the customer has completed it, or the processor has lost it',
    async () => {
      const world = await makeWorld();
      const late = await prepare(world);
      world.clock.advance(hourMs + minuteMs);
      world.processor.completeSetup(late.clientSecret, 'visa_credit')._unsafeUnwrap();
      const lost = await prepare(world);
      world.clock.advance(hourMs);
      const chairside = withProcessor(world, {
        readSetup: (handle) =>
          world.processor
            .readSetup(handle)
            .map((seen) => (handle.setupId === lost.paymentMethodSetupId ? undefined : seen)),
      });
      expect(await reconciled({ chairside })).toMatchObject({ looked: 2, unsettled: 0 });
      expect(world.processor.count('cancelSetup').made).toBe(0);
      expect(await storedSetup(world, late)).toMatchObject({ outcome: 'expired' });
      expect(await storedSetup(world, lost)).toMatchObject({ outcome: 'canceled' });
    },
  );

  once('is read by its reference once the processor has stated one', async () => {
    const world = await makeWorld();
    const handles: SetupHandle[] = [];
    const chairside = withProcessor(world, {
      readSetup(handle) {
        handles.push(handle);
        return world.processor.readSetup(handle);
      },
    });
    const key = fresh('key');
    const input = { body: { savePaymentMethod: true }, idempotencyKey: key };
    const customer = { subject: 'user-customer', customerId: 'customer' };
    world.processor.failNext('openSetup', 'timeoutBeforeApplying');
    expect((await chairside.preparePaymentMethod(customer, input)).isErr()).toBe(true);
    expect((await chairside.preparePaymentMethod(customer, input)).isOk()).toBe(true);
    world.clock.advance(hourMs);
    await reconciled({ chairside });
    const [unopened] = handles;
    expect(unopened).not.toHaveProperty('reference');
    const stored = (await world.store.setups.get(unopened?.setupId ?? ''))._unsafeUnwrap();
    expect(handles.at(-1)).toStrictEqual({ ...unopened, reference: stored?.reference });
  });
});
