import {
  createChairside,
  hourMs,
  minuteMs,
  okAsync,
  type ProcessorRefunds,
  ResultAsync,
} from '@chairside/core';
import { expect, it } from 'vitest';
import { deliverMessages, host, withProcessor } from '../src/elsewhere.ts';
import { fresh, givenCaptured } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

type Refund = ProcessorRefunds['refund'];

/** The same shop on a node that does more after some of its refund calls. */
function nodeWith({ processor }: World, over: Partial<ProcessorRefunds>) {
  return { refunds: { ...processor.refunds, ...over } };
}

/** The call, with `after` between its end and its reply. */
function delayed(call: Refund, after: () => Promise<unknown>): Refund {
  return (request) =>
    new ResultAsync(
      Promise.resolve(call(request)).then(async (reply) => {
        await after();
        return reply;
      }),
    );
}

/** The number of refunds at the processor. */
function countMade({ processor }: World): number {
  return processor.entries().flatMap(({ refunds = [] }) => refunds).length;
}

describeEverywhere('a refund whose key is forgotten before its reply arrives', (makeWorld) => {
  /** Other nodes record the refund, and 72 hours later delete its key. */
  async function forgetKeys(world: World): Promise<void> {
    await deliverMessages(world);
    world.clock.advance(73 * hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
  }

  const isRetried = [false, true];

  async function refundOn(world: World, isRetry: boolean, after: () => Promise<unknown>) {
    const { payment } = await givenCaptured(world);
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key') };
    const body = { amount: '10.00' };
    if (isRetry) {
      world.processor.failNext('refund', 'timeoutBeforeApplying');
      expect((await world.chairside.refundPayment(host, { ...input, body })).isErr()).toBe(true);
    }
    let calls = 0;
    const node = withProcessor(
      world,
      nodeWith(world, {
        refund: delayed(world.processor.refunds.refund, async () => {
          calls += 1;
          if (calls === 1) await after();
        }),
      }),
    );
    return node.refundPayment(host, { ...input, body });
  }

  it.each(isRetried)('is made once, if the clock is set back; as a retry: %s', async (isRetry) => {
    const world = await makeWorld();
    const refund = await refundOn(world, isRetry, async () => {
      await forgetKeys(world);
      world.clock.advance(-73 * hourMs);
    });
    expect(countMade(world)).toBe(1);
    expect(refund._unsafeUnwrap()).toMatchObject({ amount: '10.00', state: 'succeeded' });
  });

  it.each(isRetried)(
    'is the response of a node that was stopped; as a retry: %s',
    async (isRetry) => {
      const world = await makeWorld();
      const refund = await refundOn(world, isRetry, () => forgetKeys(world));
      expect(countMade(world)).toBe(1);
      expect(refund._unsafeUnwrap()).toMatchObject({ amount: '10.00', state: 'succeeded' });
    },
  );
});

describeEverywhere('a node that is stopped for a day before it sends a refund', (makeWorld) => {
  it('only looks it up, because the processor may have forgotten the key', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key') };
    const body = { amount: '10.00' };
    const first = await world.chairside.refundPayment(host, { ...input, body });
    expect(first._unsafeUnwrapErr().recovery.outcome).toBe('unknown');

    let lists = 0;
    const { list } = world.processor.refunds;
    const node = withProcessor(
      world,
      nodeWith(world, {
        list: (handle) =>
          new ResultAsync(
            Promise.resolve(list(handle)).then(async (listed) => {
              lists += 1;
              if (lists > 1) return listed;
              // Another node takes the refund over, and makes it.
              world.clock.advance(hourMs);
              (await world.chairside.reconcile())._unsafeUnwrap();
              world.clock.advance(25 * hourMs);
              return listed;
            }),
          ),
      }),
    );
    world.clock.advance(hourMs);
    expect((await node.reconcile()).isOk()).toBe(true);
    expect(countMade(world)).toBe(1);
    const refunds = (await world.store.refunds.listByPayment(payment.id, 9))._unsafeUnwrap();
    expect(refunds).toMatchObject([{ state: 'succeeded', amountMinor: 1000n }]);
  });
});

describeEverywhere('a node whose clock is 80 hours behind the database server', (makeWorld) => {
  it('does not shorten the time for which the key of a refund is kept (D44)', async () => {
    const world = await makeWorld();
    const { store, processor, clock } = world;
    const { payment, reference } = await givenCaptured(world);
    const nodeAt = (offMs: number) =>
      createChairside({
        store: { ...store, now: () => okAsync(clock.now()) },
        // A processor that does not mind a message from the future.
        processor: {
          ...processor,
          parseEvent: (event) => processor.parseEvent(event, clock.now()),
        },
        clock: { now: () => clock.now() + offMs },
        rateLimits: 'off',
      });
    const node = nodeAt(0);
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key') };
    const refund = () => node.refundPayment(host, { ...input, body: { amount: '10.00' } });
    processor.slowRefunds(true);
    expect((await refund())._unsafeUnwrap().state).toBe('pending');
    const [made = { id: '' }] = processor.ledgerEntry(reference)?.refunds ?? [];
    expect(processor.endRefund(reference, made.id, 'succeeded').isOk()).toBe(true);
    await deliverMessages(world, nodeAt(-80 * hourMs));
    clock.advance(minuteMs);
    (await node.reconcile())._unsafeUnwrap();
    expect((await refund())._unsafeUnwrap()).toMatchObject({ amount: '10.00', state: 'pending' });
    expect(countMade(world)).toBe(1);
  });
});
