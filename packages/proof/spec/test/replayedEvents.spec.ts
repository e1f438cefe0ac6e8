import { type CloudEvent, hourMs, minuteMs, moneyEntryOf } from '@chairside/core';
import { expect, it } from 'vitest';
import { problem, refund, terminal } from '../src/answer.ts';
import { host } from '../src/elsewhere.ts';
import {
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  register,
} from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const dayMs = 24 * hourMs;

/** Delivers all that is due, and returns it. */
async function deliverAll({ chairside }: World): Promise<CloudEvent[]> {
  const taken: CloudEvent[] = [];
  const delivered = await chairside.events.deliver(async (event) => {
    taken.push(event);
  });
  expect(delivered._unsafeUnwrap()).toMatchObject({ delivered: taken.length, failed: 0 });
  return taken;
}

/** Replays in pages of one record, and checks that each page begins where the last one ended. */
async function replayAll({ chairside }: World, sinceMs: number, limit = 1): Promise<CloudEvent[]> {
  const since = new Date(sinceMs).toISOString();
  const events: CloudEvent[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < 100; pages += 1) {
    const page = (await chairside.events.replay({ since, after, limit }))._unsafeUnwrap();
    events.push(...page.events);
    if (page.next === undefined) return events;
    after = page.next;
  }
  throw new Error('The replay does not end.');
}

const typesOf = (events: readonly CloudEvent[]) =>
  events.map(({ type }) => type.replace('contactlessPayment.', ''));

async function giveBack(world: World, id: string, amount: string): Promise<void> {
  const asked = { id, key: fresh('refund'), body: { amount } };
  refund(await world.send('refundPayment', 'owner', asked), 201);
}

describeEverywhere('a replay of events', (makeWorld) => {
  it('tells again, as they were delivered, those that were kept', async () => {
    const world = await makeWorld({ keepDeliveredDays: 30 });
    await givenCaptured(world);
    await deliverAll(world);
    world.clock.advance(hourMs);
    const restoredTo = world.clock.now();
    world.clock.advance(minuteMs);
    const { payment } = await givenCaptured(world);
    await giveBack(world, payment.id, '5.00');
    const delivered = await deliverAll(world);
    expect(delivered).toHaveLength(4);
    // One at a time, of each subject in order.
    expect(await replayAll(world, restoredTo)).toEqual(delivered);
    expect(await replayAll(world, restoredTo, 1000)).toEqual(delivered);
    // Nothing was taken from what is delivered later.
    expect(await deliverAll(world)).toEqual([]);
    // Each event of the payment is one of its own, whatever a replay of the present state would say.
    expect(delivered.every(({ retold }) => retold === undefined)).toBe(true);
  });

  it('tells the present state of what was not kept, under ids of its own', async () => {
    const world = await makeWorld();
    await givenCaptured(world);
    await deliverAll(world);
    world.clock.advance(hourMs);
    const restoredTo = world.clock.now();
    world.clock.advance(minuteMs);
    const { payment, reference } = await givenCaptured(world);
    await giveBack(world, payment.id, '5.00');
    expect(world.processor.dispute(reference, 1500n).isOk()).toBe(true);
    for (const message of world.processor.takeEvents()._unsafeUnwrap()) {
      expect((await world.chairside.receiveProcessorEvent(message)).isOk()).toBe(true);
    }
    const delivered = await deliverAll(world);
    const told = await replayAll(world, restoredTo);
    expect(typesOf(told)).toEqual(['captured', 'refunded', 'disputed']);
    const last = delivered.filter(({ type }) => told.some((one) => one.type === type));
    for (const [index, event] of told.entries()) {
      expect(event).toEqual({
        ...last[index],
        id: expect.stringMatching(/^retold\//),
        sequence: delivered.at(-1)?.sequence,
        retold: true,
      });
    }
    const ids = delivered.map(({ id }) => id);
    expect(told.filter(({ id }) => ids.includes(id))).toEqual([]);
    // The host's own deduplication works when it replays twice.
    expect(await replayAll(world, restoredTo, 1000)).toEqual(told);
    const entries = told.map((event) => moneyEntryOf(event)._unsafeUnwrap()?.paidMinor);
    expect(entries).toEqual([4500n, -500n, undefined]);
  });

  it('tells an old payment again that was refunded since', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    world.clock.advance(dayMs);
    const restoredTo = world.clock.now();
    world.clock.advance(minuteMs);
    expect(await replayAll(world, restoredTo)).toEqual([]);
    await giveBack(world, payment.id, '5.00');
    expect(typesOf(await replayAll(world, restoredTo))).toEqual(['captured', 'refunded']);
  });

  it('tells cash, phones, and open payments, but no payment that the processor has not opened', async () => {
    const world = await makeWorld();
    const restoredTo = world.clock.now();
    const { id: phoneId } = terminal(await register(world), 201);
    const visit = await givenAppointment(world);
    const cash = { appointmentId: visit, idempotencyKey: 'cash' };
    const body = { kind: 'cash', amount: '20.00' } as const;
    const tender = (await world.chairside.recordTender(host, { ...cash, body }))._unsafeUnwrap();
    world.clock.advance(minuteMs);
    const back = { tenderId: tender.id, idempotencyKey: 'b', body: { amount: '5.00' } };
    expect((await world.chairside.returnTender(host, back)).isOk()).toBe(true);
    const open = await givenPayment(world);
    world.processor.failNext('openPayment', 'timeoutBeforeApplying');
    problem(await create(world, await givenAppointment(world)), 'serviceUnavailable');
    const told = await replayAll(world, restoredTo);
    expect(told.map(({ type, subject, data }) => [type, subject, 'amount' in data])).toEqual([
      ['contactlessPayment.created', open.id, true],
      ['tender.recorded', tender.id, true],
      ['tender.returned', tender.id, true],
      ['terminal.registered', phoneId, false],
    ]);
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
  });

  it('falls back on the present state before the first event that is kept', async () => {
    const world = await makeWorld({ keepDeliveredDays: 2 });
    const early = world.clock.now();
    await givenCaptured(world);
    world.clock.advance(minuteMs);
    await deliverAll(world);
    expect(typesOf(await replayAll(world, early))).toEqual(['captured']);
    const kept = world.clock.now();
    await givenCaptured(world);
    await deliverAll(world);
    expect(await replayAll(world, kept)).toHaveLength(6);
    const since = new Date(kept).toISOString();
    const page = await world.chairside.events.replay({ since, limit: 1 });
    const { next: after } = page._unsafeUnwrap();
    // Upkeep removes the rest before the next page is read.
    world.clock.advance(2 * dayMs + minuteMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect((await world.store.events.listKept(9))._unsafeUnwrap()).toEqual([]);
    const rest = (await world.chairside.events.replay({ since, after }))._unsafeUnwrap();
    expect(rest.events).toMatchObject([{ type: 'contactlessPayment.captured', retold: true }]);
  });

  it('keeps what was delivered for the days that the host chose, and nothing that was skipped', async () => {
    const world = await makeWorld({ keepDeliveredDays: 2 });
    const kept = async () => (await world.store.events.listKept(9))._unsafeUnwrap().length;
    await givenPayment(world);
    await deliverAll(world);
    const stuck = await givenPayment(world);
    for (let i = 0; i < 10; i += 1) {
      const report = await world.chairside.events.deliver(() =>
        Promise.reject(new Error('not now')),
      );
      expect(report.isOk()).toBe(true);
      world.clock.advance(hourMs);
    }
    const [dead] = (await world.chairside.events.listDeadLetters())._unsafeUnwrap();
    expect(dead?.subject).toBe(stuck.id);
    if (dead !== undefined) expect((await world.chairside.events.skip(dead)).isOk()).toBe(true);
    expect(await kept()).toBe(1);
    world.clock.advance(dayMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect(await kept()).toBe(1);
    world.clock.advance(dayMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect(await kept()).toBe(0);
  });

  it('refuses a time or a place that is none', async () => {
    const { chairside } = await makeWorld();
    const since = '2026-11-02T09:00:00.000Z';
    const wrong = [
      { since: 'yesterday' },
      ...[
        '',
        'kept/1',
        'kept/x/1/cpm_1',
        'refunds/1',
        'payments',
        `payments/${'x'.repeat(256)}`,
      ].map((after) => ({ since, after })),
      { since, after: 'payments/\u0000' },
    ];
    for (const input of wrong) {
      const refused = await chairside.events.replay(input);
      expect(refused._unsafeUnwrapErr().type, JSON.stringify(input)).toBe('badRequest');
    }
  });
});
