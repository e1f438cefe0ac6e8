import { type AuthContext, minuteMs, type Store } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import { type Answer, payment, problem, refund, setup } from '../src/answer.ts';
import { people } from '../src/people.ts';
import {
  capture,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
} from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const unknown = { outcome: 'unknown', retry: 'doNotRetry' };
const notApplied = { outcome: 'notApplied', retry: 'doNotRetry' };
const unknownLater = { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' };

/** An authenticator whose result a spec can change. */
function changeable() {
  const changed = new Map<string, AuthContext>();
  const everyone: Readonly<Record<string, AuthContext>> = people;
  const authenticate = (person: string) => changed.get(person) ?? everyone[person];
  return { authenticate, change: (person: string, to: AuthContext) => changed.set(person, to) };
}

describeEverywhere('a key of an applied request (D22)', (makeWorld) => {
  /** Each keyed operation: done once, with a way to repeat it. */
  const operations = {
    createContactlessPayment: async (world: World) => {
      const id = await givenAppointment(world);
      const key = fresh('key');
      const send = (as: 'ada' | 'badToken' | 'nobody') =>
        world.send('createContactlessPayment', as, { id, key });
      payment(await send('ada'), 201);
      return { person: 'ada', again: send } as const;
    },
    captureContactlessPayment: async (world: World) => {
      const { payment: opened, reference } = await givenPresented(world);
      const key = fresh('key');
      const body = { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } };
      const send = (as: 'ada' | 'badToken' | 'nobody') =>
        world.send('captureContactlessPayment', as, { id: opened.id, key, body });
      payment(await send('ada'), 200);
      return { person: 'ada', again: send } as const;
    },
    refundPayment: async (world: World) => {
      const { payment: captured } = await givenCaptured(world);
      const key = fresh('key');
      const send = (as: 'owner' | 'badToken' | 'nobody') =>
        world.send('refundPayment', as, { id: captured.id, key });
      refund(await send('owner'), 201);
      return { person: 'owner', again: send } as const;
    },
    preparePaymentMethod: async (world: World) => {
      const key = fresh('key');
      const send = (as: 'customer' | 'badToken' | 'nobody') =>
        world.send('preparePaymentMethod', as, { key, body: { savePaymentMethod: true } });
      setup(await send('customer'));
      return { person: 'customer', again: send } as const;
    },
  };

  const names = [
    'createContactlessPayment',
    'captureContactlessPayment',
    'refundPayment',
    'preparePaymentMethod',
  ] as const;
  describe.each(names)('%s', (name) => {
    async function givenDone(world: World) {
      const { person, again } = await operations[name](world);
      const send = again as (as: string) => Promise<Answer>; // cast: each operation has its own people
      return { person, send };
    }

    it('is "unknown" to a caller who has lost the role', async () => {
      const { authenticate, change } = changeable();
      const world = await makeWorld({ authenticate });
      const { person, send } = await givenDone(world);
      change(person, { subject: people[person].subject });
      expect(problem(await send(person), 'forbidden').recovery).toEqual(unknown);
    });

    it('is "unknown" to a token that is no longer valid, and to a missing one', async () => {
      const world = await makeWorld();
      const { send } = await givenDone(world);
      expect(problem(await send('badToken'), 'unauthorized').recovery).toEqual({
        outcome: 'unknown',
        retry: 'retrySameRequest',
        sessionAction: 'refresh',
      });
      expect(problem(await send('nobody'), 'unauthorized').recovery).toMatchObject({
        outcome: 'unknown',
        sessionAction: 'signIn',
      });
    });

    it('is "unknown" to a caller above the quota, without a read of the database', async () => {
      let lookUps = 0;
      const store = (real: Store): Store => ({
        ...real,
        keys: {
          get(subject, key) {
            lookUps += 1;
            return real.keys.get(subject, key);
          },
        },
      });
      const rateLimits = { writes: { limit: 3, windowMs: minuteMs } };
      const world = await makeWorld({ rateLimits, store });
      const { person, send } = await givenDone(world);
      let answer = await send(person);
      while (answer.status !== 429) answer = await send(person);
      lookUps = 0;
      const { recovery } = problem(await send(person), 'tooManyRequests');
      expect(recovery).toMatchObject({ ...unknownLater, rateLimit: { limit: 3, remaining: 0 } });
      expect(lookUps).toBe(0);
    });
  });

  it('is "unknown" to a malformed request, and to one for an unknown record', async () => {
    const world = await makeWorld();
    const id = await givenAppointment(world);
    const key = fresh('key');
    payment(await create(world, id, { key }), 201);
    const malformed = { id, key, body: { amount: 45 } };
    const refused = await world.send('createContactlessPayment', 'ada', malformed);
    expect(problem(refused, 'badRequest').recovery).toEqual(unknown);
    expect(problem(await create(world, 'nothing', { key }), 'notFound').recovery).toEqual(unknown);
    const foreign = await givenAppointment(world, { barber: 'ben' });
    expect(problem(await create(world, foreign, { key }), 'forbidden').recovery).toEqual(unknown);
  });

  it('says "not applied" for another request with this key, which the comparison proves', async () => {
    const world = await makeWorld();
    const id = await givenAppointment(world);
    const key = fresh('key');
    payment(await create(world, id, { key }), 201);
    const other = problem(await create(world, id, { key, amount: '1.00' }), 'unprocessableEntity');
    expect(other.recovery).toEqual(notApplied);
  });

  it('says "not applied" without a key, or with a new one', async () => {
    const { authenticate, change } = changeable();
    const world = await makeWorld({ authenticate });
    const opened = await givenPayment(world);
    const read = await world.send('getContactlessPayment', 'badToken', { id: opened.id });
    expect(problem(read, 'unauthorized').recovery?.outcome).toBe('notApplied');
    change('ada', { subject: 'user-ada' });
    const id = await givenAppointment(world);
    expect(problem(await create(world, id), 'forbidden').recovery).toEqual(notApplied);
  });
});

describeEverywhere('a key whose claim is unfinished (D22)', (makeWorld) => {
  it('says "not applied" only for another request', async () => {
    const { authenticate, change } = changeable();
    const world = await makeWorld({ authenticate });
    const id = await givenAppointment(world);
    const key = fresh('key');
    world.processor.failNext('openPayment', 'timeoutAfterApplying');
    world.processor.failNext('readPayment', 'refused');
    problem(await create(world, id, { key }), 'serviceUnavailable');
    const other = problem(await create(world, id, { key, amount: '1.00' }), 'unprocessableEntity');
    expect(other.recovery).toEqual(notApplied);
    change('ada', { subject: 'user-ada' });
    expect(problem(await create(world, id, { key }), 'forbidden').recovery).toEqual(unknown);
  });
});

describeEverywhere('a create whose response was lost (D11)', (makeWorld) => {
  const movedTo = [
    ['another barber', { barber: 'ben' }],
    ['another barber and business', { barber: 'cleo', business: 'newShop' }],
  ] as const;

  it.each(movedTo)('is returned again after the appointment moved to %s', async (_, to) => {
    const world = await makeWorld();
    const id = await givenAppointment(world);
    const key = fresh('key');
    const first = await create(world, id, { key });
    await givenAppointment(world, { id, ...to });
    const again = await create(world, id, { key });
    expect(payment(again, 201).id).toBe(payment(first, 201).id);
    expect(again).toMatchObject({ text: first.text, replayed: true });
  });

  it.each(movedTo)('is finished after the appointment moved to %s', async (_, to) => {
    const world = await makeWorld();
    const id = await givenAppointment(world);
    const key = fresh('key');
    world.processor.failNext('openPayment', 'timeoutAfterApplying');
    world.processor.failNext('readPayment', 'refused');
    problem(await create(world, id, { key }), 'serviceUnavailable');
    await givenAppointment(world, { id, ...to });
    world.clock.advance(minuteMs);
    expect(payment(await create(world, id, { key }), 201).appointment.barber.id).toBe('ada');
    expect(world.processor.entries()).toHaveLength(1);
  });

  it('rejects a caller who is now another barber, even the appointment’s present one', async () => {
    const { authenticate, change } = changeable();
    const world = await makeWorld({ authenticate });
    const id = await givenAppointment(world);
    const key = fresh('key');
    payment(await create(world, id, { key }), 201);
    await givenAppointment(world, { id, barber: 'cleo', business: 'newShop' });
    change('ada', { ...people.ada, barberId: 'cleo' });
    expect(problem(await create(world, id, { key }), 'forbidden').recovery).toEqual(unknown);
  });

  it('cannot open a new payment for a caller who has lost the appointment', async () => {
    const world = await makeWorld();
    const id = await givenAppointment(world);
    payment(await create(world, id), 201);
    await givenAppointment(world, { id, barber: 'ben' });
    expect(problem(await create(world, id), 'forbidden').recovery).toEqual(notApplied);
    expect(world.processor.entries()).toHaveLength(1);
  });

  it('is rejected before a stored problem is shown', async () => {
    const world = await makeWorld();
    const id = await givenAppointment(world);
    const key = fresh('key');
    problem(await create(world, id, { key, amount: '0.00' }), 'unprocessableEntity');
    await givenAppointment(world, { id, barber: 'ben' });
    const refused = await create(world, id, { key, amount: '0.00' });
    expect(problem(refused, 'forbidden').recovery).toEqual(notApplied);
  });
});

describeEverywhere('an applied capture (D38)', (makeWorld) => {
  it('is returned again to the barber who opened it, for any present barber', async () => {
    const world = await makeWorld();
    const id = await givenAppointment(world);
    const { payment: opened, reference } = await givenPresented(world, { appointmentId: id });
    const key = fresh('key');
    const first = await capture(world, opened.id, reference, { key });
    await givenAppointment(world, { id, barber: 'cleo', business: 'newShop' });
    const again = await capture(world, opened.id, reference, { key });
    expect(again).toEqual({ ...first, replayed: true });
  });
});

describeEverywhere('a key in quotes (D19)', (makeWorld) => {
  it('is the key between them', async () => {
    const world = await makeWorld();
    const id = await givenAppointment(world);
    const key = fresh('key');
    const first = await create(world, id, { key });
    const again = await create(world, id, { key: `"${key}"` });
    expect(again).toEqual({ ...first, replayed: true });
    problem(await create(world, id, { key: '""' }), 'badRequest');
    const quoted = await create(world, id, { key: `a\\b"${key}` });
    const escaped = await create(world, id, { key: `"a\\\\b\\"${key}"` });
    expect(escaped).toEqual({ ...quoted, replayed: true });
  });
});
