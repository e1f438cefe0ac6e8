import { errAsync, hourMs, minuteMs, type Store } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import { connectionToken, payment, problem, terminal } from '../src/answer.ts';
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
  register,
  stored,
  takenMinor,
  until,
} from '../src/shop.ts';
import { describeEverywhere } from '../src/world.ts';

const unknown = { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' };

describeEverywhere('known faults of other systems', (makeWorld) => {
  it('a new key on each capture retry captures once (medusa #16292)', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'timeoutAfterApplying');
    world.processor.failNext('readPayment', 'refused', 0);
    for (const _retry of [1, 2, 3]) {
      payment(await capture(world, opened.id, reference, { key: fresh('retry') }), 200);
    }
    expect(world.processor.count('capturePayment').applied).toBe(1);
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('several payments of one appointment, both captured, charge it once (woocommerce-payments #6203, stripe-terminal-android #747)', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    const one = await givenPresented(world, { appointmentId });
    const two = await givenPresented(world, { appointmentId });
    const answers = await Promise.all(
      [one, two].map((each) => capture(world, each.payment.id, each.reference)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await world.chairside.settled();
    expect(await takenMinor(world)).toBe(4500n);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ capturedMinor: 4500n });
  });

  it('a retry of a paid payment is not reported as a decline (stripe-terminal-android #470)', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    const key = fresh('key');
    world.processor.failNext('capturePayment', 'timeoutAfterApplying');
    const first = await capture(world, opened.id, reference, { key });
    if (first.status !== 200) {
      expect(problem(first, 'serviceUnavailable').recovery).toEqual(unknown);
    }
    expect(payment(await capture(world, opened.id, reference, { key }), 200).state).toBe(
      'captured',
    );
  });

  it('webhook and client settle a payment together, once (medusa #13301, pinelab-vendure-plugins #620)', async () => {
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

  it('a decline is followed by success seconds later, under the same key', async () => {
    const world = await makeWorld();
    const opened = await givenPayment(world);
    const key = fresh('key');
    const reference = await present(world, opened, 'declined');
    const declined = await capture(world, opened.id, reference, { key });
    problem(declined, 'contactlessPaymentDeclined');
    world.clock.advance(4000);
    expect(await present(world, opened, 'visa_credit')).toBe(reference);
    expect(payment(await capture(world, opened.id, reference, { key }), 200).state).toBe(
      'captured',
    );
  });

  it('connection tokens are never cached: each is new (stripe-terminal-react-native #776, stripe-terminal-ios #231)', async () => {
    const world = await makeWorld();
    const { id } = terminal(await register(world), 201);
    const ask = async () =>
      connectionToken(await world.send('createTerminalConnectionToken', 'ada', { id }));
    const secrets = [await ask(), await ask()].map(({ clientSecret }) => clientSecret);
    expect(new Set(secrets).size).toBe(2);
    expect(world.processor.count('createConnectionToken').made).toBe(2);
    expect(JSON.stringify(world.observations)).not.toContain(secrets[0]);
  });

  it('an unsupported device gets every reason (stripe-terminal-ios #336)', async () => {
    const world = await makeWorld();
    const refused = problem(
      await register(world, { osVersion: '15.0', deviceModel: 'iPhone9,1' }),
      'contactlessPaymentDeviceUnsupported',
    );
    const reasons = refused.attributes?.['reasons'];
    expect(reasons).toHaveLength(2);
    expect(reasons).toContainEqual(expect.objectContaining({ minimum: '16.7', actual: '15.0' }));
  });

  it('a terminal flow runs without hardware, from registration to receipt (stripe-mock #534)', async () => {
    const world = await makeWorld();
    const { id } = terminal(await register(world), 201);
    connectionToken(await world.send('createTerminalConnectionToken', 'ada', { id }));
    const { payment: opened, reference } = await givenPresented(world, { card: 'apple_pay' });
    const captured = payment(await capture(world, opened.id, reference), 200);
    expect(captured.card?.tokenizationMethod).toBe('wallet_method_a');
  });
});

describeEverywhere('faults that the simulation found', (makeWorld) => {
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
