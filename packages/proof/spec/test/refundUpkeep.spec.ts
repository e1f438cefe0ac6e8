import { hourMs, minuteMs, type Refund, secondMs } from '@chairside/core';
import { expect, it } from 'vitest';
import { deliverMessages, host, withProcessor } from '../src/elsewhere.ts';
import { fresh, givenCaptured } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

function refund(
  { chairside }: Pick<World, 'chairside'>,
  contactlessPaymentId: string,
  body: { readonly amount?: string } = {},
) {
  const input = { contactlessPaymentId, idempotencyKey: fresh('refund'), body };
  return chairside.refundPayment(host, input);
}

/** The only refund of this payment. */
async function theRefund({ store }: World, paymentId: string): Promise<Refund> {
  const [found] = (await store.refunds.listByPayment(paymentId, 2))._unsafeUnwrap();
  if (found === undefined) throw new Error('The payment has no refund.');
  return found;
}

/** How many events tell of a refund. */
async function countTold({ chairside }: World): Promise<number> {
  let told = 0;
  const delivered = await chairside.events.deliver(async ({ type }) => {
    told += Number(type === 'contactlessPayment.refunded');
  });
  return delivered.isOk() ? told : Number.NaN;
}

describeEverywhere('the upkeep of refunds', (makeWorld) => {
  it('looks ever more rarely at one that stays pending', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    world.processor.slowRefunds(true);
    expect((await refund(world, payment.id)).isOk()).toBe(true);
    const waits: number[] = [];
    for (let looks = 0; looks < 6; looks += 1) {
      const { nextCheckAt = 0 } = await theRefund(world, payment.id);
      waits.push(nextCheckAt - world.clock.now());
      world.clock.advance(nextCheckAt - world.clock.now());
      expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
    }
    expect(waits).toEqual([hourMs, ...[5, 10, 20, 40, 80].map((seconds) => seconds * secondMs)]);
  });

  it('tries one of unknown outcome again after 5 seconds, and then ever more rarely', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutBeforeApplying', 4);
    expect((await refund(world, payment.id)).isErr()).toBe(true);
    for (const [made, seconds] of [5, 10, 20].entries()) {
      world.clock.advance(seconds * secondMs - 1);
      expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
      expect(world.processor.count('refund').made).toBe(made + 1);
      world.clock.advance(1);
      expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 1 });
      expect(world.processor.count('refund').made).toBe(made + 2);
    }
  });

  it('opens a review of unknown outcome after exactly 72 hours', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'landsLater');
    const input = { contactlessPaymentId: payment.id, idempotencyKey: 'k', body: {} };
    const send = async () => (await world.chairside.refundPayment(host, input)).isOk();
    expect(await send()).toBe(false);
    world.clock.advance(72 * hourMs - 1);
    expect(await send()).toBe(false);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
    world.clock.advance(1);
    expect(await send()).toBe(false);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toMatchObject([
      { reason: 'refundUnsettled', openedAt: new Date(world.clock.now()).toISOString() },
    ]);
  });

  it('opens a review if the processor of now cannot refund', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'landsLater');
    expect((await refund(world, payment.id)).isErr()).toBe(true);
    const without = withProcessor(world, { refunds: undefined });
    for (let looks = 0; looks < 5; looks += 1) {
      world.clock.advance(24 * hourMs);
      expect((await without.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
    }
    expect((await theRefund(world, payment.id)).state).toBe('pending');
    const reviews = (await world.chairside.listReviews())._unsafeUnwrap();
    expect(reviews).toMatchObject([{ reason: 'refundUnsettled' }]);
  });

  it('resolves the review of a settled one, and of no other one of the payment', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    for (const [fault, amount] of [
      ['timeoutBeforeApplying', '10.00'],
      ['landsLater', '20.00'],
    ] as const) {
      world.processor.failNext('refund', fault);
      expect((await refund(world, payment.id, { amount })).isErr()).toBe(true);
    }
    const without = withProcessor(world, { refunds: undefined });
    for (let looks = 0; looks < 5; looks += 1) {
      world.clock.advance(24 * hourMs);
      (await without.reconcile())._unsafeUnwrap();
    }
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toHaveLength(2);
    world.processor.landAbandoned();
    for (let looks = 0; looks < 5; looks += 1) {
      world.clock.advance(24 * hourMs);
      (await world.chairside.reconcile())._unsafeUnwrap();
    }
    const refunds = (await world.store.refunds.listByPayment(payment.id, 3))._unsafeUnwrap();
    const states = refunds.map(({ amountMinor, state }) => [amountMinor, state]);
    expect(states).toEqual(
      expect.arrayContaining([
        [1000n, 'pending'],
        [2000n, 'succeeded'],
      ]),
    );
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toHaveLength(1);
  });

  it('resolves the review of one that was pending for days, once it succeeds', async () => {
    const world = await makeWorld();
    const { payment, reference } = await givenCaptured(world);
    world.processor.slowRefunds(true);
    expect((await refund(world, payment.id)).isOk()).toBe(true);
    for (let looks = 0; looks < 5; looks += 1) {
      world.clock.advance(24 * hourMs);
      (await world.chairside.reconcile())._unsafeUnwrap();
    }
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toHaveLength(1);
    const [{ id = '' } = {}] = world.processor.entries()[0]?.refunds ?? [];
    expect(world.processor.endRefund(reference, id, 'succeeded').isOk()).toBe(true);
    world.clock.advance(24 * hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await theRefund(world, payment.id)).state).toBe('succeeded');
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
  });

  it('keeps its keys for 72 hours after its end, although it is due earlier', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    const input = { contactlessPaymentId: payment.id, idempotencyKey: 'k', body: {} };
    expect((await world.chairside.refundPayment(host, input)).isOk()).toBe(true);
    const { version, ...made } = await theRefund(world, payment.id);
    const due = { ...made, version: version + 1, nextCheckAt: world.clock.now() };
    const written = await world.store.commit({
      id: fresh('commit'),
      at: world.clock.now(),
      changes: [{ kind: 'updateRefund', refund: due, expectedVersion: version }],
    });
    expect(written.isOk()).toBe(true);
    world.clock.advance(minuteMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await world.store.keys.get(host.subject, 'k'))._unsafeUnwrap()).toBeDefined();
    const { nextCheckAt } = await theRefund(world, payment.id);
    expect(nextCheckAt).toBe(made.updatedAt + 72 * hourMs);
    world.clock.advance(73 * hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await world.store.keys.get(host.subject, 'k'))._unsafeUnwrap()).toBeUndefined();
  });
});

describeEverywhere('the key of a refund', (makeWorld) => {
  /** A refund under the key `k` that the processor accepted in this state, and how to repeat it. */
  async function givenRefund(world: World, isSlow: boolean) {
    const { payment, reference } = await givenCaptured(world);
    world.processor.slowRefunds(isSlow);
    const input = {
      contactlessPaymentId: payment.id,
      idempotencyKey: 'k',
      body: { amount: '1.00' },
    };
    const ask = async () => (await world.chairside.refundPayment(host, input))._unsafeUnwrap();
    const first = await ask();
    const [{ id = '' } = {}] = world.processor.entries()[0]?.refunds ?? [];
    const end = async (state: 'succeeded' | 'failed') => {
      expect(world.processor.endRefund(reference, id, state).isOk()).toBe(true);
      await deliverMessages(world);
      expect((await theRefund(world, payment.id)).state).toBe(state);
    };
    return { first, ask, end };
  }

  async function later(world: World, ms: number): Promise<void> {
    world.clock.advance(ms);
    (await world.chairside.reconcile())._unsafeUnwrap();
  }

  const isKept = async ({ store }: World) =>
    (await store.keys.get(host.subject, 'k'))._unsafeUnwrap() !== undefined;
  const countMade = ({ processor }: World) => processor.entries()[0]?.refunds?.length;

  it.each(['succeeded', 'failed'] as const)(
    'is kept for 72 hours after a refund that pended for 100 hours has %s',
    async (state) => {
      const world = await makeWorld();
      const { first, ask, end } = await givenRefund(world, true);
      await later(world, 100 * hourMs);
      await end(state);
      await later(world, 72 * hourMs - 1);
      expect(await ask()).toEqual(first);
      expect(countMade(world)).toBe(1);
      await later(world, 1);
      expect(await isKept(world)).toBe(false);
    },
  );

  it('is kept for 72 hours after a refund failed that had succeeded', async () => {
    const world = await makeWorld();
    const { first, ask, end } = await givenRefund(world, false);
    await later(world, 50 * hourMs);
    await end('failed');
    await later(world, 72 * hourMs - 1);
    expect(await ask()).toEqual(first);
    expect(countMade(world)).toBe(1);
    await later(world, 1);
    expect(await isKept(world)).toBe(false);
  });
});

describeEverywhere('a message of a refund from a processor that lists none', (makeWorld) => {
  it('is reported to the host once, even if it comes again after a week', async () => {
    const world = await makeWorld();
    const { payment, reference } = await givenCaptured(world);
    await deliverMessages(world);
    const without = withProcessor(world, { refunds: undefined });
    expect(world.processor.refund(reference, 1000n).isOk()).toBe(true);
    const [message] = world.processor.takeEvents()._unsafeUnwrap();
    if (message === undefined) throw new Error('The processor sent no message.');
    const { payload } = message;
    const first = await without.receiveProcessorEvent(message);
    expect(first._unsafeUnwrap().outcome).toBe('applied');
    expect(await countTold(world)).toBe(1);
    world.clock.advance(8 * 24 * hourMs);
    (await without.reconcile())._unsafeUnwrap();
    const again = await without.receiveProcessorEvent(world.processor.signEvent(payload));
    expect(again._unsafeUnwrap().outcome).toBe('duplicate');
    expect(await countTold(world)).toBe(0);
    expect(payment.amount).toBe('45.00');
  });
});
