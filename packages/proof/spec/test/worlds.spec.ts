import {
  type Chairside,
  type ChairsideOptions,
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  type Problem,
} from '@chairside/core';
import type { Processor, ProcessorWorld } from '@chairside/core/ports';
import { createMapStore } from '@chairside/testkit';
import { expect, it } from 'vitest';
import { ada, deliverMessages } from '../src/elsewhere.ts';
import { fresh, givenAppointment, givenCaptured, givenPresented, stored } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** Another process on the same database. */
function another({ store, processor, clock }: World, over: Partial<ChairsideOptions>): Chairside {
  return createChairside({ store, processor, clock, rateLimits: 'off', ...over });
}

function inMode({ processor }: World, world: Partial<ProcessorWorld>): Partial<ChairsideOptions> {
  return { processor: { ...processor, world: { processor: 'fake', mode: 'test', ...world } } };
}

const otherWorld: Partial<Problem> = {
  type: 'serviceUnavailable',
  attributes: { reason: 'otherWorld' },
  recovery: { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' },
};

const statusOf = ({ processor }: World, reference: string) =>
  processor.ledgerEntry(reference)?.status;

/** Upkeep of two hours, every quarter of an hour. */
async function upkeepFor({ clock }: World, chairside: Chairside) {
  const needReview: string[] = [];
  for (let round = 0; round < 8; round += 1) {
    clock.advance(15 * minuteMs);
    needReview.push(...(await chairside.reconcile())._unsafeUnwrap().needReview);
  }
  return needReview;
}

describeEverywhere('a database of another world', (makeWorld) => {
  it('is refused before anything is written: test payments pay for no real visit (D210)', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    await givenCaptured(world, { appointmentId });
    for (const over of [
      inMode(world, { mode: 'live' }),
      inMode(world, { processor: 'another' }),
      { installation: 'staging' },
    ]) {
      const live = another(world, over);
      const asked = { appointmentId, idempotencyKey: fresh('create') };
      const created = await live.createContactlessPayment(ada, asked);
      expect(created._unsafeUnwrapErr()).toMatchObject(otherWorld);
      const put = await live.records.putBarber({ id: 'eve', businessId: 'shop' });
      expect(put._unsafeUnwrapErr()).toMatchObject(otherWorld);
      expect((await live.upkeep())._unsafeUnwrapErr()).toMatchObject(otherWorld);
    }
    expect((await world.store.barbers.get('eve'))._unsafeUnwrap()).toBeUndefined();
  });

  it('is the same world for a processor that does not know its account', async () => {
    const world = await makeWorld();
    const known = another(world, inMode(world, { account: 'acct_platform' }));
    expect((await known.reconcile()).isOk()).toBe(true);
  });

  it('is another account of the platform, once a process has told it', async () => {
    const world = await makeWorld();
    const store = createMapStore();
    const of = (account: string) => another({ ...world, store }, inMode(world, { account }));
    expect((await of('acct_1').reconcile()).isOk()).toBe(true);
    expect((await of('acct_2').reconcile())._unsafeUnwrapErr()).toMatchObject(otherWorld);
    expect((await another({ ...world, store }, {}).reconcile()).isOk()).toBe(true);
  });

  it('is not taken for this one while it cannot be read', async () => {
    const world = await makeWorld();
    const down = () => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
    let isDown = true;
    const get = (name: string) => (isDown ? down() : world.store.facts.get(name));
    const node = another({ ...world, store: { ...world.store, facts: { get } } }, {});
    expect((await node.reconcile())._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    isDown = false;
    expect((await node.reconcile()).isOk()).toBe(true);
  });
});

describeEverywhere('a copy of a database', (makeWorld) => {
  /** A copy from before a payment, whose processor has the payment. */
  async function givenCopy() {
    const original = await makeWorld();
    const copied = await makeWorld({ restoredFrom: original });
    // Its sweeps begin with a payment of its own.
    const copy = another(copied, {});
    const own = { appointmentId: await givenAppointment(copied), idempotencyKey: fresh('create') };
    expect((await copy.createContactlessPayment(ada, own)).isOk()).toBe(true);
    const { payment, reference } = await givenPresented(original);
    return { original, copied, copy, payment, reference };
  }

  it('leaves held cards that only the original knows to a person (D210)', async () => {
    const { original, copied, copy, payment, reference } = await givenCopy();
    expect(await upkeepFor(copied, copy)).toContain(reference);
    expect(statusOf(original, reference)).toBe('authorized');
    const review = (await copy.listReviews())
      ._unsafeUnwrap()
      .find(({ contactlessPaymentId }) => contactlessPaymentId === payment.id);
    expect(review).toMatchObject({ reason: 'orphanAuthorized', processorReference: reference });
    const reviewId = review?.id ?? '';
    const by = 'Mia';
    const said = { reviewId, note: 'The database was lost.', by } as const;
    const took = await copy.resolveReview({ ...said, outcome: 'tookPlace' });
    expect(took._unsafeUnwrapErr().attributes).toMatchObject({ reason: 'notOpen' });
    expect(statusOf(original, reference)).toBe('authorized');
    copied.processor.failNext('cancelPayment', 'timeoutBeforeApplying');
    const unheard = await copy.resolveReview({ ...said, outcome: 'didNotTakePlace' });
    expect(unheard._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    const resolved = await copy.resolveReview({ ...said, outcome: 'didNotTakePlace' });
    expect(resolved._unsafeUnwrap()).toMatchObject({ outcome: 'didNotTakePlace', by });
    expect(statusOf(original, reference)).toBe('canceled');
  });

  it('is made one of its own by a verb, and then touches nothing of its original (D210)', async () => {
    const world = await makeWorld();
    const { payment } = await givenPresented(world);
    await deliverMessages(world);
    const before = await stored(world, payment.id);
    expect(before.state).toBe('authorized');
    const same = await world.chairside.relabel();
    expect(same._unsafeUnwrapErr().attributes).toMatchObject({ reason: 'sameWorld' });
    // The copy has the key of the original, but another installation.
    const copy = another(world, { installation: 'staging' });
    expect((await copy.reconcile())._unsafeUnwrapErr()).toMatchObject(otherWorld);
    world.clock.advance(1);
    expect((await copy.relabel()).isOk()).toBe(true);
    const asked: string[] = [];
    const processor: Processor = {
      ...world.processor,
      readPayment(payment, claimed) {
        asked.push(payment.paymentId);
        return world.processor.readPayment(payment, claimed);
      },
      cancelPayment(request) {
        asked.push(request.paymentId);
        return world.processor.cancelPayment(request);
      },
    };
    const staging = another(world, { installation: 'staging', processor });
    world.clock.advance(47 * hourMs);
    expect(await upkeepFor(world, staging)).toEqual([]);
    expect(asked).toEqual([]);
    const after = await stored(world, payment.id);
    expect(after.state).toBe('authorized');
    expect(after.nextCheckAt).toBeUndefined();
    // What it begins itself is looked after.
    const own = { appointmentId: await visitOf(staging), idempotencyKey: fresh('create') };
    const opened = (await staging.createContactlessPayment(ada, own))._unsafeUnwrap();
    await upkeepFor(world, staging);
    expect(await stored(world, opened.id)).toMatchObject({ state: 'canceled' });
    expect(new Set(asked)).toEqual(new Set([opened.id]));
  });
});

async function visitOf(chairside: Chairside): Promise<string> {
  return givenAppointment({ chairside });
}
