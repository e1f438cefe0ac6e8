import { type Clock, createChairside, errAsync, hourMs, minuteMs, okAsync } from '@chairside/core';
import type { OpenPaymentRequest, Processor, Store } from '@chairside/core/ports';
import { expect, vi } from 'vitest';
import { setup } from '../src/answer.ts';
import { ada, captureInput, host, openElsewhere, readingAs } from '../src/elsewhere.ts';
import { people } from '../src/people.ts';
import {
  bookEntry,
  capture,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  stored,
  takenMinor,
} from '../src/shop.ts';
import { delivered } from '../src/told.ts';
import {
  type AnyWorld,
  describeEverywhere,
  describeWithEveryProcessor,
  type World,
} from '../src/world.ts';

const aheadMs = 49 * hourMs;

/** Another node of the same shop, whose clock is ahead by two days and an hour. */
function nodeAhead({ store, processor, clock }: AnyWorld) {
  const ahead: Clock = { now: () => clock.now() + aheadMs };
  const { now: _now, ...rest } = store;
  // The only other clock is the processor's.
  return createChairside({ store: rest, processor, clock: ahead, rateLimits: 'off' });
}

describeWithEveryProcessor('a node whose clock is 49 hours ahead', ({ it }) => {
  it('releases no authorization in its upkeep (D42)', async (world) => {
    const { payment, reference } = await givenPresented(world);
    const node = nodeAhead(world);
    expect((await node.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
    expect((await stored(world, payment.id))?.state).toBe('authorized');
    expect((await bookEntry(world, reference))?.status).toBe('authorized');
    expect((await capture(world, payment.id, reference)).status).toBe(200);
  });

  it('releases no authorization in a capture', async (world) => {
    const { payment, reference } = await givenPresented(world);
    const input = captureInput(payment.id, reference);
    const captured = await nodeAhead(world).captureContactlessPayment(ada, input);
    expect(captured._unsafeUnwrap().state).toBe('captured');
  });

  it('ends no payment-method setup that was just begun', async (world) => {
    const body = { savePaymentMethod: true };
    const begun = setup(await world.send('preparePaymentMethod', 'customer', { body }));
    expect((await nodeAhead(world).reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
    expect((await world.processor.completeSetup(begun.clientSecret, 'visa_credit')).isOk()).toBe(
      true,
    );
    const read = await world.chairside.readPaymentMethodSetup(people.customer, begun);
    expect(read._unsafeUnwrap().status).toBe('completed');
  });

  // The clock of the node that opens it decides what our record calls its deadline.
  it.for([0, -hourMs])(
    'cancels no payment just opened by a clock that is off by %i ms',
    async (offMs, world) => {
      const appointmentId = await givenAppointment(world);
      const { store, processor, clock } = world;
      const off: Clock = { now: () => clock.now() + offMs };
      const opener = createChairside({ store, processor, clock: off, rateLimits: 'off' });
      const input = { appointmentId, idempotencyKey: fresh('key') };
      const payment = (await opener.createContactlessPayment(ada, input))._unsafeUnwrap();
      expect((await nodeAhead(world).reconcile()).isOk()).toBe(true);
      expect((await stored(world, payment.id))?.state).toBe('created');
      // It is checked again at its deadline.
      world.clock.advance(16 * minuteMs);
      expect((await world.chairside.reconcile()).isOk()).toBe(true);
      expect((await stored(world, payment.id))?.state).toBe('canceled');
    },
  );
});

describeEverywhere('the only node, whose clock is 49 hours ahead', ({ it }) => {
  it('finishes a capture that was interrupted, while its authorization lasts', async (world) => {
    const { payment, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    expect((await capture(world, payment.id, reference)).status).toBe(503);
    world.clock.advance(minuteMs);
    expect((await nodeAhead(world).reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
    expect((await stored(world, payment.id)).state).toBe('captured');
    expect(await takenMinor(world)).toBe(4500n);
  });
});

describeEverywhere('a node whose clock is ahead of the database server', ({ it }) => {
  it('deletes no key (D42)', async (world) => {
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    const { payment } = await givenCaptured(world, { appointmentId, key });
    const { store, processor, clock } = world;
    const node = createChairside({
      store: { ...store, now: () => okAsync(clock.now()) },
      processor,
      clock: { now: () => clock.now() + 100 * hourMs },
      rateLimits: 'off',
    });
    expect((await node.reconcile())._unsafeUnwrap()).toMatchObject({ looked: 0 });
    const again = await create(world, appointmentId, { key });
    expect(again).toMatchObject({ status: 201, replayed: true });
    expect(JSON.parse(again.text).id).toBe(payment.id);
  });

  // Once for the difference of the clocks, and again only if the exact time may count.
  it.for([
    { age: 'a fresh authorization', ageMs: 0, asked: 1 },
    { age: 'one near its end', ageMs: 47 * hourMs, asked: 3 },
  ])('captures $age at a processor that states no time', async ({ ageMs, asked }, world) => {
    const { payment, reference } = await givenPresented(world);
    const { store, processor, clock } = world;
    clock.advance(ageMs);
    const now = vi.fn<NonNullable<Store['now']>>(() => okAsync(clock.now()));
    const node = createChairside({
      store: { ...store, now },
      processor: { ...processor, readPayment: readingAs(world, ({ at: _at, ...seen }) => seen) },
      clock: { now: () => clock.now() + aheadMs },
      rateLimits: 'off',
    });
    const input = captureInput(payment.id, reference);
    if (asked > 1) {
      const lost = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;
      now.mockReturnValueOnce(okAsync(clock.now())).mockReturnValueOnce(errAsync(lost));
      const refused = await node.captureContactlessPayment(ada, input);
      expect(refused._unsafeUnwrapErr().status).toBe(503);
    }
    const captured = await node.captureContactlessPayment(ada, input);
    expect(captured._unsafeUnwrap().state).toBe('captured');
    expect(now).toHaveBeenCalledTimes(asked);
  });

  it('skips its upkeep while the server does not return the time', async (world) => {
    const payment = await givenPayment(world);
    world.clock.advance(hourMs);
    const { store, processor, clock } = world;
    const lost = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;
    const silent = { ...store, now: () => errAsync(lost) };
    const node = createChairside({ store: silent, processor, clock, rateLimits: 'off' });
    expect((await node.reconcile())._unsafeUnwrapErr().type).toMatch(/serviceUnavailable$/);
    expect((await stored(world, payment.id))?.state).toBe('created');
  });

  it('sweeps every span of the account', async (world) => {
    await givenCaptured(world);
    expect((await nodeAhead(world).reconcile()).isOk()).toBe(true);
    const [swept] = (
      await world.store.sweeps.listStale(Number.MAX_SAFE_INTEGER, 9)
    )._unsafeUnwrap();
    expect(swept?.sweptBefore).toBeLessThanOrEqual(world.clock.now());
  });

  it('cancels no orphan whose record may still be written', async (world) => {
    await givenCaptured(world);
    const { reference } = await openElsewhere(world);
    expect((await nodeAhead(world).reconcile())._unsafeUnwrap().orphansCanceled).toBe(0);
    expect(world.processor.bookEntry(reference)?.status).toBe('created');
    world.clock.advance(2 * hourMs);
    expect((await world.chairside.reconcile())._unsafeUnwrap().orphansCanceled).toBe(1);
  });
});

describeEverywhere('a create on a node whose clock is 49 hours ahead, which dies', ({ it }) => {
  it('opens one payment at the processor, however late it is sent again (D42)', async (world) => {
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    const { processor, clock } = world;
    const node = nodeAhead({ ...world, processor: unheard(processor) });
    const input = { appointmentId, idempotencyKey: key, body: {} };
    const unknown = await node.createContactlessPayment(ada, input);
    expect(unknown._unsafeUnwrapErr().status).toBe(503);
    // The processor has forgotten its key by then.
    clock.advance(41 * hourMs);
    expect((await create(world, appointmentId, { key })).status).toBe(201);
    expect(await countOpened(world)).toBe(1);
  });

  it('is not opened again by upkeep 49 hours later, when it looks new', async (world) => {
    const appointmentId = await givenAppointment(world);
    const { processor, clock } = world;
    const node = nodeAhead({ ...world, processor: unheard(processor) });
    const input = { appointmentId, idempotencyKey: fresh('key'), body: {} };
    expect((await node.createContactlessPayment(ada, input)).isErr()).toBe(true);
    clock.advance(49 * hourMs + 2 * minuteMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect(await countOpened(world)).toBe(1);
  });

  it('is canceled if it is opened after another node has closed it (D51)', async (world) => {
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    const { processor, clock } = world;
    const late: OpenPaymentRequest[] = [];
    const lost = errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false } as const);
    const openPayment = (request: OpenPaymentRequest) => {
      late.push(request);
      return lost;
    };
    const node = nodeAhead({ ...world, processor: { ...unheard(processor), openPayment } });
    const input = { appointmentId, idempotencyKey: key, body: {} };
    expect((await node.createContactlessPayment(ada, input)).isErr()).toBe(true);
    clock.advance(minuteMs);
    expect((await create(world, appointmentId, { key })).status).toBe(409);
    for (const request of late) (await processor.openPayment(request))._unsafeUnwrap();
    clock.advance(2 * hourMs);
    expect((await world.chairside.reconcile())._unsafeUnwrap().orphansCanceled).toBe(1);
  });
});

/** The processor as a node sees it that gets no reply. */
function unheard<P extends Processor>(processor: P): P {
  const lost = errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false } as const);
  return {
    ...processor,
    openPayment: (request: OpenPaymentRequest) =>
      processor.openPayment(request).andThen(() => lost),
    readPayment: () => lost,
  };
}

/** How many payments the processor shows. */
async function countOpened({ processor, clock }: AnyWorld): Promise<number> {
  const listed = await processor.listPayments({
    books: 'acct_shop',
    installation: 'chairside',
    openedFrom: 0,
    openedBefore: clock.now() + 1,
    limit: 9,
  });
  return listed._unsafeUnwrap().items.length;
}

describeEverywhere('a capture on a node whose clock is 49 hours behind', ({ it }) => {
  it('keeps its keys for 72 hours by the clock of the processor (D55)', async (world) => {
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    const { payment, reference } = await givenPresented(world, { appointmentId, key });
    const { store, processor, clock } = world;
    const behind: Clock = { now: () => clock.now() - aheadMs };
    const node = createChairside({ store, processor, clock: behind, rateLimits: 'off' });
    const captured = await node.captureContactlessPayment(ada, captureInput(payment.id, reference));
    expect(captured.isOk()).toBe(true);
    clock.advance(71 * hourMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    const again = await create(world, appointmentId, { key });
    expect(again).toMatchObject({ status: 201, replayed: true });
    clock.advance(2 * hourMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect((await create(world, appointmentId, { key })).status).toBe(409);
  });
});

/** Another node of the shop, whose clock is off by so much. */
function nodeOff({ store, processor, clock }: World, offMs: number) {
  return createChairside({
    store: { ...store, now: () => okAsync(clock.now()) },
    processor,
    clock: { now: () => clock.now() + offMs },
    rateLimits: 'off',
  });
}

describeEverywhere('a refund on a node', ({ it }) => {
  const offsets = [-hourMs, hourMs];

  /** A node whose clock differs from the database server's by so much. */
  it.for(offsets)('is made, although its clock is off by %i ms', async (offMs, world) => {
    const { payment } = await givenCaptured(world);
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key') };
    const made = await nodeOff(world, offMs).refundPayment(host, input);
    expect(made._unsafeUnwrap()).toMatchObject({ state: 'succeeded' });
  });

  it.for(offsets)(
    'is not sent after two deadlines, if its clock is off by %i ms',
    async (offMs, world) => {
      const { payment } = await givenCaptured(world);
      const { refunds, deadlineMs } = world.processor;
      const list: typeof refunds.list = (handle) => {
        world.clock.advance(2 * deadlineMs + 1);
        return refunds.list(handle);
      };
      const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key') };
      const processor = { ...world.processor, refunds: { ...refunds, list } };
      const refused = await nodeOff({ ...world, processor }, offMs).refundPayment(host, input);
      expect(refused._unsafeUnwrapErr()).toMatchObject({
        type: 'serviceUnavailable',
        recovery: { outcome: 'notApplied' },
      });
      expect(world.processor.entries().flatMap((entry) => entry.refunds ?? [])).toEqual([]);
    },
  );
});

describeEverywhere('the events of a node whose clock is 80 hours off', ({ it }) => {
  const offsets = [-80 * hourMs, 80 * hourMs];

  /** The other node, beside a database server that has the time. */
  async function typesTold({ events }: ReturnType<typeof createChairside>, refuses = false) {
    const told: string[] = [];
    const report = await events.deliver(async ({ type }) => {
      if (refuses) throw new Error('the host is busy');
      told.push(type);
    });
    expect(report.isOk()).toBe(true);
    return told;
  }

  it.for(offsets)('reach another node at once (%i ms, D200)', async (offMs, world) => {
    const appointmentId = await givenAppointment(world);
    const node = nodeOff(world, offMs);
    const input = { appointmentId, idempotencyKey: fresh('key') };
    const payment = (await node.createContactlessPayment(ada, input))._unsafeUnwrap();
    const cancel = { contactlessPaymentId: payment.id };
    (await node.cancelContactlessPayment(host, cancel))._unsafeUnwrap();
    expect(await typesTold(world.chairside)).toEqual([
      'contactlessPayment.created',
      'contactlessPayment.canceled',
    ]);
  });

  it.for(offsets)(
    'are tried again after a second, if it refused them (%i ms)',
    async (offMs, world) => {
      await givenPayment(world);
      await typesTold(nodeOff(world, offMs), true);
      expect(await typesTold(world.chairside)).toEqual([]);
      world.clock.advance(2000);
      expect(await typesTold(world.chairside)).toEqual(['contactlessPayment.created']);
    },
  );

  it.for([-31 * 24 * hourMs, 10 * minuteMs])(
    'are not dropped nor held back if the clock of the only node was off by %i ms (D55)',
    async (offMs, world) => {
      const { store, processor, clock } = world;
      const { now: _now, ...embedded } = store;
      const off: Clock = { now: () => clock.now() + offMs };
      const only = createChairside({ store: embedded, processor, clock: off, rateLimits: 'off' });
      const appointmentId = await givenAppointment(world);
      const input = { appointmentId, idempotencyKey: fresh('key') };
      (await only.createContactlessPayment(ada, input))._unsafeUnwrap();
      // Its clock was corrected.
      expect((await world.chairside.reconcile()).isOk()).toBe(true);
      expect(await typesTold(world.chairside)).toEqual(['contactlessPayment.created']);
    },
  );

  it('are tried again by the only node, once its clock was corrected', async (world) => {
    const first = await givenPayment(world);
    const { store, processor, clock } = world;
    const { now: _now, ...embedded } = store;
    const ahead: Clock = { now: () => clock.now() + 80 * hourMs };
    const only = createChairside({ store: embedded, processor, clock: ahead, rateLimits: 'off' });
    await typesTold(only, true);
    // This one waits rightly.
    await givenPayment(world);
    const refuse = () => Promise.reject(new Error('the host is busy'));
    const tried = await world.chairside.events.deliver(refuse, { limit: 1 });
    expect(tried.isOk()).toBe(true);
    const told = await delivered(world);
    expect(told.map(({ subject }) => subject)).toEqual([first.id]);
  });
});

describeEverywhere('the only node, whose clock was 80 hours ahead and is corrected', ({ it }) => {
  function nodeBefore({ store, processor, clock }: World) {
    const { now: _now, ...embedded } = store;
    const ahead: Clock = { now: () => clock.now() + 80 * hourMs };
    return createChairside({ store: embedded, processor, clock: ahead, rateLimits: 'off' });
  }

  it('finishes a capture (D200)', async (world) => {
    const { payment, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    const input = captureInput(payment.id, reference);
    expect((await nodeBefore(world).captureContactlessPayment(ada, input)).isErr()).toBe(true);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await stored(world, payment.id)).state).toBe('captured');
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('finishes a refund', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key') };
    expect((await nodeBefore(world).refundPayment(host, input)).isErr()).toBe(true);
    (await world.chairside.reconcile())._unsafeUnwrap();
    const [refund] = (await world.store.refunds.listByPayment(payment.id, 9))._unsafeUnwrap();
    expect(refund?.state).toBe('succeeded');
  });

  it('keeps the keys of a payment for 72 hours at least, and not for ever', async (world) => {
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    const node = nodeBefore(world);
    const opened = { appointmentId, idempotencyKey: key };
    const payment = (await node.createContactlessPayment(ada, opened))._unsafeUnwrap();
    (
      await node.cancelContactlessPayment(host, { contactlessPaymentId: payment.id })
    )._unsafeUnwrap();
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await world.chairside.reconcile())._unsafeUnwrap().looked).toBe(0);
    expect(await create(world, appointmentId, { key })).toMatchObject({ replayed: true });
    world.clock.advance(153 * hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect(await create(world, appointmentId, { key })).not.toMatchObject({ replayed: true });
  });

  it('keeps the keys of a setup', async (world) => {
    const key = fresh('key');
    const input = { body: { savePaymentMethod: true }, idempotencyKey: key };
    const node = nodeBefore(world);
    const begun = (await node.preparePaymentMethod(people.customer, input))._unsafeUnwrap();
    expect((await world.processor.completeSetup(begun.clientSecret, 'visa_credit')).isOk()).toBe(
      true,
    );
    world.clock.advance(61 * minuteMs);
    expect((await node.reconcile())._unsafeUnwrap()).toMatchObject({ looked: 1, unsettled: 0 });
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await world.chairside.reconcile())._unsafeUnwrap().looked).toBe(0);
    const again = await world.chairside.preparePaymentMethod(people.customer, input);
    const { paymentMethodSetupId } = begun;
    expect(again._unsafeUnwrap()).toMatchObject({ paymentMethodSetupId });
  });
});

describeEverywhere('the work of a node whose clock is 49 hours off, which dies', ({ it }) => {
  // Nearer than what counts as due because only a wrong clock writes it.
  const offsets = [-49 * hourMs, 49 * hourMs];

  /** The other node, beside a database server that has the time. */
  it.for(offsets)(
    'is finished by another node within a minute (%i ms, D200)',
    async (offMs, world) => {
      const { payment, reference } = await givenPresented(world);
      const node = nodeOff({ ...world, processor: deaf(world.processor) }, offMs);
      const lost = await node.captureContactlessPayment(ada, captureInput(payment.id, reference));
      expect(lost._unsafeUnwrapErr().status).toBe(503);
      world.clock.advance(minuteMs);
      expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
      expect((await stored(world, payment.id)).state).toBe('captured');
    },
  );

  it.for(offsets)('has the times of the database server (%i ms)', async (offMs, world) => {
    const appointmentId = await givenAppointment(world);
    const input = { appointmentId, idempotencyKey: fresh('key') };
    const made = await nodeOff(world, offMs).createContactlessPayment(ada, input);
    const now = world.clock.now();
    expect(await stored(world, made._unsafeUnwrap().id)).toMatchObject({
      createdAt: now,
      expiresAt: now + 15 * minuteMs,
      nextCheckAt: now + 15 * minuteMs,
    });
  });

  it('does not begin while the database server does not tell the time', async (world) => {
    const appointmentId = await givenAppointment(world);
    const lost = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;
    const { store, processor, clock } = world;
    const silent = { ...store, now: () => errAsync(lost) };
    const node = createChairside({ store: silent, processor, clock, rateLimits: 'off' });
    const input = { appointmentId, idempotencyKey: fresh('key') };
    const refused = (await node.createContactlessPayment(ada, input))._unsafeUnwrapErr();
    expect(refused).toMatchObject({ status: 503, recovery: { outcome: 'notApplied' } });
  });
});

/** The processor as a node sees it whose captures get no reply, and are not carried out. */
function deaf<P extends Processor>(processor: P): P {
  const lost = errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false } as const);
  return { ...processor, capturePayment: () => lost };
}
