import { minuteMs, okAsync, ResultAsync, type Store, type Work } from '@chairside/core';
import { expect, it } from 'vitest';
import { payment, problem } from '../src/answer.ts';
import { charge, givenBooking } from '../src/charges.ts';
import {
  capture,
  create,
  fresh,
  givenAppointment,
  givenPayment,
  givenPresented,
  stored,
} from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

describeEverywhere('the other payments of an appointment that is paid', (makeWorld) => {
  /** Pays all that is due. */
  async function pay(world: World, appointmentId: string): Promise<void> {
    const { payment: opened, reference } = await givenPresented(world, { appointmentId });
    payment(await capture(world, opened.id, reference), 200);
    await world.chairside.settled();
  }

  /** Another call writes the payment. */
  async function write({ store, clock }: World, id: string, work?: Work): Promise<void> {
    const { version, ...payment } = await stored({ store }, id);
    const nextCheckAt = work?.leaseUntil ?? clock.now();
    const written = { ...payment, version: version + 1, nextCheckAt, ...(work && { work }) };
    const change = { kind: 'updatePayment', payment: written, expectedVersion: version } as const;
    const commit = { id: fresh('cmt'), at: clock.now(), changes: [change] };
    (await store.commit(commit))._unsafeUnwrap();
  }

  it('are canceled, except one that was never opened', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    world.processor.failNext('openPayment', 'timeoutBeforeApplying');
    problem(await create(world, appointmentId, { key: 'unopened' }), 'serviceUnavailable');
    const open = await givenPayment(world, { appointmentId });
    await pay(world, appointmentId);
    expect(await stored(world, open.id)).toMatchObject({ state: 'canceled' });
    const all = await world.store.payments.listByAppointment(appointmentId, 9);
    const works = all._unsafeUnwrap().map(({ work }) => work?.kind);
    expect(works.toSorted()).toEqual(['open', undefined, undefined]);
    expect(world.processor.count('cancelPayment').made).toBe(1);
  });

  it('are canceled although another call holds one of them', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    const held = await givenPayment(world, { appointmentId });
    const open = await givenPayment(world, { appointmentId });
    const leaseUntil = world.clock.now() + minuteMs;
    await write(world, held.id, { kind: 'cancel', fence: 9, attempt: 1, leaseUntil });
    await pay(world, appointmentId);
    expect(await stored(world, held.id)).toMatchObject({ state: 'created' });
    expect(await stored(world, open.id)).toMatchObject({ state: 'canceled' });
  });

  it('are canceled although another call writes one of them meanwhile', async () => {
    let meanwhile = async () => {};
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        payments: {
          ...real.payments,
          listByAppointment: (id, limit) =>
            real.payments
              .listByAppointment(id, limit)
              .andThen((listed) => ResultAsync.fromSafePromise(meanwhile()).map(() => listed)),
        },
      }),
    });
    const appointmentId = await givenAppointment(world);
    const written = await givenPayment(world, { appointmentId });
    const open = await givenPayment(world, { appointmentId });
    meanwhile = () => write(world, written.id);
    await pay(world, appointmentId);
    expect(await stored(world, written.id)).toMatchObject({ state: 'canceled' });
    expect(await stored(world, open.id)).toMatchObject({ state: 'canceled' });
  });

  it('are left to upkeep after the first that cannot be canceled', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    for (let made = 0; made < 2; made += 1) await givenPayment(world, { appointmentId });
    world.processor.failNext('cancelPayment', 'timeoutBeforeApplying', 2);
    await pay(world, appointmentId);
    expect(world.processor.count('cancelPayment').made).toBe(1);
  });

  it.each([
    ['authorizeMethod', 'created', 'open'],
    ['capturePayment', 'authorized', 'capture'],
  ] as const)(
    'are kept if they are fees for a missed visit (D49): %s',
    async (call, state, kind) => {
      const world = await makeWorld();
      const terms = { noShowFeeMinor: 1500n, isMissed: true };
      const { appointmentId, method } = await givenBooking(world, terms);
      world.processor.failNext(call, 'timeoutBeforeApplying');
      const asked = { purpose: 'noShow', amount: '15.00', key: 'fee' } as const;
      problem(await charge(world, appointmentId, method, asked), 'serviceUnavailable');
      const open = await givenPayment(world, { appointmentId });
      await pay(world, appointmentId);
      expect(await stored(world, open.id)).toMatchObject({ state: 'canceled' });
      const all = await world.store.payments.listByAppointment(appointmentId, 9);
      const fee = all._unsafeUnwrap().find((one) => one.charge !== undefined);
      expect(fee).toMatchObject({ state, work: { kind } });
      expect(fee?.timeline.at(-1)).toMatchObject({ what: `${kind} unknown` });
    },
  );

  it('are kept without a failure if the appointment is gone', async () => {
    let isGone = false;
    const forgetting = (real: Store): Store => ({
      ...real,
      appointments: {
        ...real.appointments,
        get: (id) => (isGone ? okAsync(undefined) : real.appointments.get(id)),
      },
    });
    const world = await makeWorld({
      store: forgetting,
      processor: {
        faults({ name }) {
          isGone ||= name === 'capturePayment';
          return undefined;
        },
      },
    });
    const appointmentId = await givenAppointment(world);
    const open = await givenPayment(world, { appointmentId });
    await pay(world, appointmentId);
    expect(await stored(world, open.id)).toMatchObject({ state: 'created' });
    expect(world.observations.filter(({ kind }) => kind === 'failure')).toEqual([]);
  });
});
