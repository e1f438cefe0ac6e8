import {
  type Call,
  type CloudEvent,
  createChairside,
  errAsync,
  type TimelineLine,
} from '@chairside/core';
import { describe, expect } from 'vitest';
import { payment, problem } from '../src/answer.ts';
import { charge, givenBooking, givenMethod } from '../src/charges.ts';
import { captureInput } from '../src/elsewhere.ts';
import { type Person, people } from '../src/people.ts';
import {
  capture,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  register,
  stored,
} from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

// Who moved or freed money, in the timeline of the payment and in the event (D211).

const call = (person: Person): Call => ({
  auth: people[person],
  requestId: 'request-7',
  facts: {},
});

async function lines({ chairside }: World, id: string): Promise<readonly TimelineLine[]> {
  const told = await chairside.getPaymentTimeline(people.administrator, {
    contactlessPaymentId: id,
  });
  return told._unsafeUnwrap().items;
}

/** What somebody did, and who. */
async function actsOf(world: World, id: string): Promise<readonly string[]> {
  const all = await lines(world, id);
  return all.flatMap(({ what, by }) => (by === undefined ? [] : [`${what}: ${by}`]));
}

async function eventsOf({ chairside }: World): Promise<readonly CloudEvent[]> {
  const events: CloudEvent[] = [];
  const report = await chairside.events.deliver(async (event) => void events.push(event), {
    limit: 1000,
  });
  report._unsafeUnwrap();
  return events;
}

/** The types of the events, and who did it. */
async function actorsOf(world: World): Promise<readonly string[]> {
  const told: string[] = [];
  for (let round = 0; round < 6; round += 1) {
    for (const { type, data } of await eventsOf(world)) {
      const name = 'by' in data ? data.by?.subject : undefined;
      told.push(`${type.replace('contactlessPayment.', '')}: ${name ?? 'nobody'}`);
    }
  }
  return told;
}

describeEverywhere('who did it (D211)', ({ it, transport }) => {
  it('names who opened and captured a payment', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    payment(await capture(world, opened.id, reference), 200);
    expect(await actsOf(world, opened.id)).toEqual(['opening: user-ada', 'capturing: user-ada']);
    expect(await actorsOf(world)).toEqual([
      'created: user-ada',
      'authorized: nobody',
      'captured: user-ada',
    ]);
  });

  it('names who took a capture over whose reply was lost', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    await givenAppointment(world, { id: opened.appointment.id, barber: 'ben' });
    payment(await capture(world, opened.id, reference, { as: 'ben' }), 200);
    expect((await actorsOf(world)).at(-1)).toBe('captured: user-ben');
  });

  it('names who gave money back, each of several', async (world) => {
    const { payment: captured } = await givenCaptured(world);
    for (const as of ['owner', 'administrator'] as const) {
      const body = { amount: '1.00' };
      const asked = { id: captured.id, key: fresh('key'), body };
      expect((await world.send('refundPayment', as, asked)).status).toBe(201);
      world.clock.advance(1000);
    }
    const acts = await actsOf(world, captured.id);
    expect(acts.slice(2)).toEqual(['refunding: user-owner', 'refunding: user-admin']);
    const told = (await actorsOf(world)).filter((line) => line.startsWith('refunded'));
    expect(told).toEqual(['refunded: user-owner', 'refunded: user-admin']);
  });

  it('names nobody for a refund that was made elsewhere', async (world) => {
    const { payment: captured } = await givenCaptured(world);
    const reference = world.processor.entries()[0]?.id ?? '';
    world.processor.refund(reference, 100n)._unsafeUnwrap();
    const asked = { id: captured.id, key: fresh('key'), body: { amount: '1.00' } };
    expect((await world.send('refundPayment', 'owner', asked)).status).toBe(201);
    const told = (await actorsOf(world)).filter((line) => line.startsWith('refunded'));
    expect(told.toSorted()).toEqual(['refunded: nobody', 'refunded: user-owner']);
  });

  it('names who charged a saved method', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const charged = JSON.parse((await charge(world, appointmentId, method)).text);
    expect(await actsOf(world, charged.id)).toEqual(['charging: user-owner']);
  });

  it('names nobody for what upkeep does', async (world) => {
    const { id } = await givenPayment(world);
    world.clock.advance(16 * 60_000);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect(await actsOf(world, id)).toEqual(['opening: user-ada']);
    expect(await actorsOf(world)).toEqual(['created: user-ada', 'canceled: nobody']);
  });

  it('does nothing while the person cannot be looked up', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const { store, processor, clock } = world;
    const lost = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;
    const actors = { ...store.actors, getBySubject: () => errAsync(lost) };
    const node = createChairside({ store: { ...store, actors }, processor, clock });
    const created = { appointmentId: opened.appointment.id, idempotencyKey: fresh('key') };
    const captured = captureInput(opened.id, reference);
    const refused = [
      await node.createContactlessPayment(people.ada, created),
      await node.captureContactlessPayment(people.ada, captured),
      await node.cancelContactlessPayment(people.ada, { contactlessPaymentId: opened.id }),
    ];
    expect((await stored(world, opened.id)).state).toBe('created');
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    refused.push(await node.captureContactlessPayment(people.ada, captured));
    const types = refused.map((answer) => answer._unsafeUnwrapErr().type);
    expect(new Set(types)).toEqual(new Set(['serviceUnavailable']));
  });

  it.for(['upkeep', "the barber's capture"])(
    'names who canceled it, where %s finishes that',
    async (finishedBy, world) => {
      const { payment: opened, reference } = await givenPresented(world);
      world.processor.failNext('cancelPayment', 'timeoutBeforeApplying');
      const input = { contactlessPaymentId: opened.id };
      const lost = await world.chairside.cancelContactlessPayment(call('owner'), input);
      expect(lost._unsafeUnwrapErr().type).toBe('serviceUnavailable');
      if (finishedBy === 'upkeep') {
        world.clock.advance(60_000);
        (await world.chairside.reconcile())._unsafeUnwrap();
      } else {
        problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
      }
      expect((await actorsOf(world)).at(-1)).toBe('canceled: user-owner');
    },
  );

  it('names who canceled it, where upkeep had begun to release it', async (world) => {
    const { id } = await givenPayment(world);
    world.clock.advance(16 * 60_000);
    world.processor.failNext('cancelPayment', 'timeoutBeforeApplying');
    (await world.chairside.reconcile())._unsafeUnwrap();
    const input = { contactlessPaymentId: id };
    (await world.chairside.cancelContactlessPayment(call('owner'), input))._unsafeUnwrap();
    expect((await actorsOf(world)).at(-1)).toBe('canceled: user-owner');
  });

  it('names who gave an excess back of two payments, while the clock runs', async (world) => {
    const appointmentId = await givenAppointment(world, { amountDue: '40.00' });
    await givenCaptured(world, { appointmentId, amount: '20.00' });
    await givenCaptured(world, { appointmentId });
    await givenAppointment(world, { id: appointmentId, amountDue: '10.00' });
    const { store, processor, clock } = world;
    const now = () => {
      clock.advance(1);
      return clock.now();
    };
    const running = createChairside({ store, processor, clock: { now } });
    const input = { appointmentId, idempotencyKey: fresh('key') };
    (await running.refundExcess(call('owner'), input))._unsafeUnwrap();
    const told = (await actorsOf(world)).filter((line) => line.startsWith('refunded'));
    expect(told).toEqual(['refunded: user-owner', 'refunded: user-owner']);
  });

  it('shows it in no response to a client', async (world) => {
    const { payment: captured } = await givenCaptured(world);
    const read = await world.send('getContactlessPayment', 'ada', { id: captured.id });
    expect(read.text).not.toContain('user-ada');
    expect(read.text).not.toContain('actor');
  });

  describe.runIf(transport === 'in process')('in process', () => {
    it('names who canceled it, with the request', async (world) => {
      const { id } = await givenPayment(world);
      (
        await world.chairside.cancelContactlessPayment(call('owner'), { contactlessPaymentId: id })
      )._unsafeUnwrap();
      const line = (await lines(world, id)).find(({ what }) => what === 'canceling');
      expect(line).toMatchObject({ by: 'user-owner', requestId: 'request-7' });
      const canceled = (await eventsOf(world)).concat(await eventsOf(world)).at(-1);
      expect(canceled?.data).toMatchObject({
        by: { subject: 'user-owner', requestId: 'request-7' },
      });
    });

    it('names who gave an excess back, and who allowed another charge', async (world) => {
      const appointmentId = await givenAppointment(world);
      const { payment: captured } = await givenCaptured(world, { appointmentId });
      await givenAppointment(world, { id: appointmentId, amountDue: '40.00' });
      const input = { appointmentId, idempotencyKey: fresh('key') };
      (await world.chairside.refundExcess(call('owner'), input))._unsafeUnwrap();
      expect((await actsOf(world, captured.id)).at(-1)).toBe('refunding: user-owner');

      const booked = await givenBooking(world);
      const charged = JSON.parse((await charge(world, booked.appointmentId, booked.method)).text);
      const whole = { id: charged.id, key: fresh('key') };
      expect((await world.send('refundPayment', 'owner', whole)).status).toBe(201);
      const allowed = { chargeId: charged.id };
      (await world.chairside.allowAnotherCharge(call('administrator'), allowed))._unsafeUnwrap();
      expect((await actsOf(world, charged.id)).at(-1)).toBe('slotFreed: user-admin');
    });

    it('names who registered and who released a terminal', async (world) => {
      const deviceIdentifier = fresh('phone');
      await register(world, { deviceIdentifier });
      const { releaseTerminal } = world.chairside;
      (await releaseTerminal(call('owner'), { deviceIdentifier }))._unsafeUnwrap();
      expect(await actorsOf(world)).toEqual([
        'terminal.registered: user-ada',
        'terminal.released: user-owner',
      ]);
    });

    it('names who withdrew a saved method, until the person is erased', async (world) => {
      const paymentMethodSetupId = await givenMethod(world);
      const { chairside, store } = world;
      const released = await chairside.releasePaymentMethod(call('administrator'), {
        paymentMethodSetupId,
      });
      expect(released.isOk()).toBe(true);
      const setup = (await store.setups.get(paymentMethodSetupId))._unsafeUnwrap();
      expect(setup).toMatchObject({ releasedRequestId: 'request-7' });
      // The file for the customer names no employee.
      const kept = await chairside.exportCustomer({ customerId: 'customer' });
      expect(JSON.stringify(kept)).not.toContain('user-admin');
      const nameOf = async () =>
        (await store.actors.get(setup?.releasedBy ?? 0))._unsafeUnwrap()?.subject;
      expect(await nameOf()).toBe('user-admin');
      const person = { customerId: 'nobody', subject: 'user-admin' };
      expect((await chairside.eraseCustomer(person)).isOk()).toBe(true);
      expect(await nameOf()).toMatch(/^erased /);
    });

    it('keeps every act in a long history', async (world) => {
      const { payment: captured } = await givenCaptured(world);
      for (let n = 0; n < 40; n += 1) {
        const asked = { id: captured.id, key: fresh('key'), body: { amount: '0.10' } };
        expect((await world.send('refundPayment', 'owner', asked)).status).toBe(201);
      }
      const acts = await actsOf(world, captured.id);
      expect(acts.filter((act) => act === 'refunding: user-owner')).toHaveLength(40);
      expect(acts).toContain('capturing: user-ada');
    });

    it('keeps the acts of an erased person together, under a name that names nobody', async (world) => {
      const appointmentId = await givenAppointment(world);
      const { payment: captured } = await givenCaptured(world, { appointmentId });
      world.clock.advance(80 * 3_600_000);
      (await world.chairside.reconcile())._unsafeUnwrap();
      const erased = await world.chairside.eraseCustomer({
        customerId: 'customer',
        appointmentIds: [appointmentId],
        subject: 'user-ada',
        by: 'office',
      });
      expect(erased._unsafeUnwrap().payments).toBe(1);
      const [opening = '', capturing = '', last = ''] = await actsOf(world, captured.id);
      expect(opening).toMatch(/^opening: erased /);
      expect(capturing.slice('capturing'.length)).toBe(opening.slice('opening'.length));
      expect(last).toBe('erased: office');
      // What the person does later is another person's.
      const { id } = await givenPayment(world);
      expect(await actsOf(world, id)).toEqual(['opening: user-ada']);
    });

    it('tells the observer who was refused', async (world) => {
      const { payment: captured } = await givenCaptured(world);
      const input = { contactlessPaymentId: captured.id, idempotencyKey: fresh('key') };
      const refused = await world.chairside.refundPayment(people.ada, input);
      expect(refused.isErr()).toBe(true);
      const operation = world.observations.findLast(({ kind }) => kind === 'operation');
      expect(operation).toMatchObject({
        name: 'refundPayment',
        outcome: 'forbidden',
        subject: 'user-ada',
      });
      const done = world.observations.filter((seen) => seen.kind === 'operation');
      expect(done.filter(({ outcome }) => outcome === 'ok').some((seen) => 'subject' in seen)).toBe(
        false,
      );
    });
  });
});
