import { hourMs, minuteMs } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import { payment, payments, problem, reason } from '../src/answer.ts';
import { capture, create, fresh, givenAppointment, ledgerOf, present, until } from '../src/shop.ts';
import { delivered } from '../src/told.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const unknown = { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' };

/** Ends the processor's lease, so that its holder counts as dead. */
const pastAnyLeaseMs = minuteMs;

describeEverywhere('an interrupted create', (makeWorld) => {
  for (const lost of ['timeoutAfterApplying', 'lostReply', 'failureAfterApplying'] as const) {
    it(`returns the processor’s entry: ${lost}`, async () => {
      const world = await makeWorld();
      const appointmentId = await givenAppointment(world);
      world.processor.failNext('openPayment', lost);
      payment(await create(world, appointmentId), 201);
      expect(world.processor.entries()).toHaveLength(1);
    });
  }

  for (const lost of ['timeoutBeforeApplying', 'landsLater', 'failure'] as const) {
    it(`is unknown if the processor shows no entry, and the retry opens it once: ${lost}`, async () => {
      const world = await makeWorld();
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      world.processor.failNext('openPayment', lost);
      const first = await create(world, appointmentId, { key });
      expect(problem(first, 'serviceUnavailable').recovery).toEqual(unknown);
      world.processor.landAbandoned();
      const opened = payment(await create(world, appointmentId, { key }), 201);
      expect(world.processor.entries()).toHaveLength(1);
      const reference = await present(world, opened);
      payment(await capture(world, opened.id, reference), 200);
    });
  }

  it('names the reason if the processor rejects it', async () => {
    const world = await makeWorld();
    world.processor.failNext('openPayment', 'rejected');
    const refused = await create(world, await givenAppointment(world));
    const { attributes } = problem(refused, 'unprocessableEntity');
    expect(attributes).toEqual({ reason: expect.any(String) });
  });

  it('says "not applied" if it is proven, and then keeps no record (D20)', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    for (const fault of ['refused', 'rateLimited'] as const) {
      world.processor.failNext('openPayment', fault);
      const refused = await create(world, appointmentId, { key });
      expect(problem(refused, 'serviceUnavailable').recovery).toEqual({
        outcome: 'notApplied',
        retry: 'retrySameRequestAfterDelay',
      });
    }
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ openPayments: 0 });
    payment(await create(world, appointmentId, { key, amount: '5.00' }), 201);
  });

  it('never says it of a later attempt, because an earlier one may have been applied', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    world.processor.failNext('openPayment', 'lostReply');
    world.processor.failNext('readPayment', 'refused', 2);
    problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
    for (const fault of ['refused', 'rateLimited', 'notSetUp'] as const) {
      world.processor.failNext('openPayment', fault);
      if (fault === 'notSetUp') world.processor.failNext('readPayment', 'refused');
      const again = await create(world, appointmentId, { key });
      if (again.status === 503) {
        expect(problem(again, 'serviceUnavailable').recovery).toEqual(unknown);
      } else payment(again, 201);
    }
    payment(await create(world, appointmentId, { key }), 201);
    expect(world.processor.entries()).toHaveLength(1);
  });

  it('that the processor rejects on the retry is adopted if it had been opened', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    world.processor.failNext('openPayment', 'lostReply');
    world.processor.failNext('readPayment', 'refused');
    problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
    world.processor.failNext('openPayment', 'notSetUp');
    payment(await create(world, appointmentId, { key }), 201);
  });

  it('that the processor rejects on the retry is withdrawn if it had not (D20)', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    world.processor.failNext('openPayment', 'timeoutBeforeApplying');
    problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
    world.processor.failNext('openPayment', 'rejected');
    problem(await create(world, appointmentId, { key }), 'unprocessableEntity');
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ openPayments: 0 });
  });

  it('of a dead process is finished by a retry, but not before the lease is over (D20)', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    const dead = await diesWhileOpening(world, appointmentId, key, 'slowReply');
    expect(reason(problem(await create(world, appointmentId, { key }), 'conflict'))).toBe(
      'running',
    );
    world.clock.advance(pastAnyLeaseMs);
    const retried = await create(world, appointmentId, { key });
    payment(retried, 201);
    world.processor.release();
    // The first one continues, finds itself fenced out, and returns the same response.
    expect((await dead.answer).text).toBe(retried.text);
    expect(world.processor.entries()).toHaveLength(1);
  });

  it('of a dead process is finished by reconcile', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    const dead = await diesWhileOpening(world, appointmentId, key, 'slowReply');
    world.clock.advance(pastAnyLeaseMs);
    const report = await world.chairside.reconcile();
    expect(report._unsafeUnwrap()).toMatchObject({ looked: 1, unsettled: 0 });
    world.processor.release();
    const listed = await world.send('listContactlessPayments', 'ada', { id: appointmentId });
    const [shown] = payments(listed).items;
    const answer = await create(world, appointmentId, { key });
    expect(payment(answer, 201)).toEqual(shown);
    expect((await dead.answer).text).toBe(answer.text);
  });

  describe('resumed after its fifteen minutes', () => {
    it('returns the first response if it was opened', async () => {
      const world = await makeWorld();
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      world.processor.failNext('openPayment', 'lostReply');
      world.processor.failNext('readPayment', 'refused');
      problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
      world.clock.advance(20 * minuteMs);
      const opened = payment(await create(world, appointmentId, { key }), 201);
      expect(opened.expiresAt).toBe('2026-11-02T09:15:00.000Z');
    });

    it('is never newly opened (D20)', async () => {
      const world = await makeWorld();
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      world.processor.failNext('openPayment', 'timeoutBeforeApplying');
      problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
      world.clock.advance(15 * minuteMs);
      for (const _attempt of [1, 2]) {
        const closed = problem(await create(world, appointmentId, { key }), 'conflict');
        expect(closed).toMatchObject({
          attributes: { reason: 'expired' },
          recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
        });
      }
      expect(world.processor.entries()).toEqual([]);
      expect(await ledgerOf(world, appointmentId)).toMatchObject({ openPayments: 0 });
      const [closed] = (
        await world.store.payments.listByAppointment(appointmentId, 9)
      )._unsafeUnwrap();
      expect(closed?.timeline.at(-1)).toMatchObject({ what: 'closed', cause: 'expired' });
      expect(await delivered(world)).toEqual([]);
      payment(await create(world, appointmentId), 201);
      // Its key stays closed as long as any key.
      world.clock.advance(72 * hourMs - 1);
      (await world.chairside.reconcile())._unsafeUnwrap();
      problem(await create(world, appointmentId, { key }), 'conflict');
      world.clock.advance(1);
      (await world.chairside.reconcile())._unsafeUnwrap();
      payment(await create(world, appointmentId, { key }), 201);
    });

    it('stays unknown while the processor cannot be read', async () => {
      const world = await makeWorld();
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      world.processor.failNext('openPayment', 'timeoutBeforeApplying');
      problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
      world.clock.advance(15 * minuteMs);
      world.processor.failNext('readPayment', 'refused');
      const again = problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
      expect(again.recovery).toEqual(unknown);
    });
  });
});

/** Begins a create whose call to the processor hangs, as if its process had died. */
async function diesWhileOpening(
  world: World,
  appointmentId: string,
  key: string,
  how: 'slow' | 'slowReply',
) {
  world.processor.failNext('openPayment', how);
  const dead = create(world, appointmentId, { key });
  await until(() => world.processor.count('openPayment').made === 1);
  return { answer: dead };
}
