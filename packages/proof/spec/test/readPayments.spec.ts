import { hourMs } from '@chairside/core';
import { expect, it } from 'vitest';
import { payment, payments, problem } from '../src/answer.ts';
import {
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
} from '../src/shop.ts';
import { describeWithEveryProcessor } from '../src/world.ts';

describeWithEveryProcessor('listContactlessPayments and getContactlessPayment', (makeWorld) => {
  it('show an appointment’s payments, oldest first, in-flight ones included', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    const list = async () =>
      payments(await world.send('listContactlessPayments', 'ada', { id: appointmentId }));
    expect(await list()).toEqual({ items: [], count: 0 });
    const one = await givenPayment(world, { appointmentId, amount: '10.00' });
    world.clock.advance(5);
    const { payment: two } = await givenCaptured(world, { appointmentId, amount: '20.00' });
    await givenPayment(world);
    expect(await list()).toEqual({ items: [one, two], count: 2 });
    for (const shown of [one, two]) {
      const read = await world.send('getContactlessPayment', 'ada', { id: shown.id });
      expect(payment(read, 200)).toEqual(shown);
    }
  });

  it('never call the processor (D17)', async () => {
    const world = await makeWorld();
    const { payment: presented } = await givenPresented(world);
    world.clock.advance(hourMs);
    const before = world.processor.count('readPayment').made;
    const read = await world.send('getContactlessPayment', 'ada', { id: presented.id });
    expect(payment(read, 200).state).toBe('created');
    await world.send('listContactlessPayments', 'ada', { id: presented.appointment.id });
    expect(world.processor.count('readPayment').made).toBe(before);
  });

  it('hide a payment that is not opened yet', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    world.processor.failNext('openPayment', 'timeoutBeforeApplying');
    problem(await create(world, appointmentId), 'serviceUnavailable');
    const listed = await world.send('listContactlessPayments', 'ada', { id: appointmentId });
    expect(payments(listed).count).toBe(0);
    const held = await world.store.payments.listByAppointment(appointmentId, 10);
    const [{ id = '' } = {}] = held.unwrapOr([]);
    problem(await world.send('getContactlessPayment', 'ada', { id }), 'notFound');
  });

  it('permit only the appointment’s barber', async () => {
    const world = await makeWorld();
    const { id, appointment } = await givenPayment(world);
    const reads = [
      ['listContactlessPayments', appointment.id],
      ['getContactlessPayment', id],
    ] as const;
    for (const [operation, of] of reads) {
      for (const as of ['ben', 'customer', 'owner', 'administrator'] as const) {
        problem(await world.send(operation, as, { id: of }), 'forbidden');
      }
      problem(await world.send(operation, 'nobody', { id: of }), 'unauthorized');
      problem(await world.send(operation, 'ada', { id: fresh('none') }), 'notFound');
    }
  });

  it('are limited, and state the time of the retry', async () => {
    const minute = { windowMs: 60_000 };
    const world = await makeWorld({
      rateLimits: {
        reads: { ...minute, limit: 1 },
        writes: { ...minute, limit: 60 },
        connectionTokens: { ...minute, limit: 1 },
        challengeMethods: { ...minute, limit: 1 },
        challengeTargets: { ...minute, limit: 1 },
        failedAuthentications: { ...minute, limit: 1 },
      },
    });
    const { id } = await givenPayment(world);
    payment(await world.send('getContactlessPayment', 'ada', { id }), 200);
    const refused = await world.send('getContactlessPayment', 'ada', { id });
    expect(problem(refused, 'tooManyRequests').recovery?.rateLimit).toEqual({
      limit: 1,
      remaining: 0,
      resetsAt: '2026-11-02T09:01:00.000Z',
    });
    problem(await world.send('getContactlessPayment', 'ben', { id }), 'forbidden');
  });
});
