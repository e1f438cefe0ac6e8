import { errAsync, hourMs, minuteMs, type Store } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import { payment, problem } from '../src/answer.ts';
import { deliverMessages } from '../src/elsewhere.ts';
import {
  capture,
  create,
  fresh,
  givenAppointment,
  givenPayment,
  givenPresented,
  ledgerOf,
  present,
  stored,
  until,
} from '../src/shop.ts';
import { describeEverywhere } from '../src/world.ts';

const unknown = { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' };

describeEverywhere('faults that were found once', (makeWorld) => {
  it('a message and the client settle a payment together, once', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    const [captured] = await Promise.all([
      capture(world, opened.id, reference),
      deliverMessages(world),
    ]);
    payment(captured, 200);
    await deliverMessages(world);
    const told: string[] = [];
    await world.chairside.events
      .deliver(async ({ type, subject }) => {
        if (subject === opened.id) told.push(type);
      })
      .match(
        () => undefined,
        () => expect.unreachable(),
      );
    expect(told).toEqual(
      ['created', 'authorized', 'captured'].map((state) => `contactlessPayment.${state}`),
    );
    const { appointment } = await stored(world, opened.id);
    expect(await ledgerOf(world, appointment.id)).toMatchObject({
      capturedMinor: 4500n,
      reservedMinor: 0n,
    });
  });

  it('an unfinished capture is never "unknown, do not retry"', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    const key = fresh('key');
    world.processor.failNext('capturePayment', 'notSetUp');
    const refused = problem(
      await capture(world, opened.id, reference, { key }),
      'paymentProviderNotSetup',
    );
    expect(refused.recovery).toEqual(unknown);
    payment(await capture(world, opened.id, reference, { key }), 200);
  });

  describe('a 503 does not say "not applied" of an applied request:', () => {
    it('a payment that was opened, or captured', async () => {
      let failing = 0;
      const world = await makeWorld({ store: (real) => failingReads(real, () => failing-- > 0) });
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      const opened = payment(await create(world, appointmentId, { key }), 201);
      failing = 1;
      const again = problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
      expect(again.recovery).toEqual(unknown);
      const reference = await present(world, opened);
      const captureKey = fresh('key');
      payment(await capture(world, opened.id, reference, { key: captureKey }), 200);
      failing = 1;
      const twice = await capture(world, opened.id, reference, { key: captureKey });
      expect(problem(twice, 'serviceUnavailable').recovery).toEqual(unknown);
    });
  });

  it('a create whose key cannot be read is tried again, though its appointment has moved', async () => {
    let failing = 0;
    const world = await makeWorld({ store: (real) => failingKeys(real, () => failing-- > 0) });
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    const opened = payment(await create(world, appointmentId, { key }), 201);
    await givenAppointment(world, { id: appointmentId, barber: 'ben' });
    failing = 1;
    const unread = problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
    expect(unread.recovery).toEqual(unknown);
    expect(payment(await create(world, appointmentId, { key }), 201).id).toBe(opened.id);
  });

  it('a card presented at the last moment is kept, by any observer', async () => {
    const world = await makeWorld();
    const opened = await givenPayment(world);
    world.clock.advance(16 * minuteMs);
    const reference = await present(world, opened);
    // While `reconcile` checks, a message of the processor arrives first.
    world.processor.failNext('readPayment', 'slowReply');
    const reconciled = world.chairside.reconcile();
    await until(() => world.processor.count('readPayment').made === 1);
    await deliverMessages(world);
    world.processor.release();
    expect((await reconciled).isOk()).toBe(true);
    world.clock.advance(hourMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect((await stored(world, opened.id)).state).toBe('authorized');
    payment(await capture(world, opened.id, reference), 200);
  });
});

/** Reads of payments fail while the switch is on. */
function failingReads(real: Store, isFailing: () => boolean): Store {
  return {
    ...real,
    payments: {
      ...real.payments,
      get: (id) =>
        isFailing()
          ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
          : real.payments.get(id),
    },
  };
}

/** Reads of keys fail as long as they are to. */
function failingKeys(real: Store, isFailing: () => boolean): Store {
  return {
    ...real,
    keys: {
      get: (subject, key) =>
        isFailing()
          ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
          : real.keys.get(subject, key),
    },
  };
}
