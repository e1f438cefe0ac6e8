import { createChairside, errAsync, hourMs, minuteMs, type Store } from '@chairside/core';
import { expect, it } from 'vitest';
import { problem, reason } from '../src/answer.ts';
import { charge, chargeBody, givenBooking, givenMethod } from '../src/charges.ts';
import { host } from '../src/elsewhere.ts';
import { fresh, givenAppointment, ledgerOf, takenMinor, until } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** A store whose process dies: after so many commits it writes no more. */
function dyingAfter(store: Store, commits: number): Store {
  let left = commits;
  return {
    ...store,
    commit(commit) {
      if (left === 0) return errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' });
      left -= 1;
      return store.commit(commit);
    },
  };
}

async function healed(world: World): Promise<void> {
  for (let times = 1; times <= 8; times += 1) {
    world.clock.advance(times * minuteMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
  }
}

const stillHeld = ({ processor }: World) =>
  processor.entries().filter(({ status }) => status !== 'captured' && status !== 'canceled');

describeEverywhere('charges at the same time', (makeWorld) => {
  it.each([true, false])('of two desks with one method are one, saved: %s', async (save) => {
    const world = await makeWorld();
    const method = await givenMethod(world, { save });
    const terms = {
      customerId: 'customer',
      noShowFeeMinor: 1500n,
      isMissed: true,
      ...(!save && { paymentMethodSetupId: method }),
    };
    const appointmentId = await givenAppointment(world, { terms });
    const asked = { purpose: 'noShow', amount: '15.00' } as const;
    const answers = await Promise.all(
      [1, 2, 3].map(() => charge(world, appointmentId, method, asked)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await takenMinor(world)).toBe(1500n);
    await healed(world);
    expect(await takenMinor(world)).toBe(1500n);
    expect(stillHeld(world)).toEqual([]);
  });

  it('of two desks with two methods take one fee', async () => {
    const world = await makeWorld();
    const methods = [await givenMethod(world), await givenMethod(world)];
    const terms = { customerId: 'customer', noShowFeeMinor: 1500n, isMissed: true };
    const appointmentId = await givenAppointment(world, { terms });
    const asked = { purpose: 'noShow', amount: '7.00' } as const;
    await Promise.all(methods.map((method) => charge(world, appointmentId, method, asked)));
    await healed(world);
    expect(await takenMinor(world)).toBe(700n);
  });

  it('of one key are one', async () => {
    const world = await makeWorld();
    const { appointmentId, method } = await givenBooking(world);
    const taps = [1, 2, 3].map(() => charge(world, appointmentId, method, { key: 'k' }));
    await Promise.all(taps);
    const last = await charge(world, appointmentId, method, { key: 'k' });
    expect(last.status).toBe(201);
    expect(await takenMinor(world)).toBe(2000n);
  });
});

describeEverywhere('a charge under way', (makeWorld) => {
  /** Begins a charge, and holds its authorization at the processor. */
  async function held(world: World) {
    const { appointmentId, method } = await givenBooking(world);
    world.processor.failNext('authorizeMethod', 'slow');
    const charging = charge(world, appointmentId, method, { key: 'k' });
    await until(() => world.processor.count('authorizeMethod').made === 1);
    const end = () => {
      world.processor.release();
      return charging;
    };
    return { appointmentId, method, end };
  }

  it('takes no more than is due by then', async () => {
    const world = await makeWorld();
    const { appointmentId, end } = await held(world);
    await givenAppointment(world, {
      id: appointmentId,
      amountDue: '19.99',
      terms: { customerId: 'customer' },
    });
    const refused = problem(await end(), 'conflict');
    expect(reason(refused)).toBe('exceedsRemainingBalance');
    expect(await takenMinor(world)).toBe(0n);
    expect(stillHeld(world)).toEqual([]);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ reservedMinor: 0n });
    const again = problem(
      await charge(world, appointmentId, 'pms', { key: 'k2' }),
      'unprocessableEntity',
    );
    expect(again.status).toBe(422);
  });

  it('ends before the method is withdrawn, and no other begins', async () => {
    const world = await makeWorld();
    const { appointmentId, method, end } = await held(world);
    const release = () =>
      world.chairside.releasePaymentMethod(host, { paymentMethodSetupId: method });
    const early = await release();
    expect(early._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'running' },
    });
    const other = await givenAppointment(world, { terms: { customerId: 'customer' } });
    const refused = problem(await charge(world, other, method), 'conflict');
    expect(reason(refused)).toBe('methodReleased');
    expect((await end()).status).toBe(201);
    expect((await release()).isOk()).toBe(true);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ capturedMinor: 2000n });
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('excludes another charge of its method', async () => {
    const world = await makeWorld();
    const { method, end } = await held(world);
    const other = await givenAppointment(world, { terms: { customerId: 'customer' } });
    const key = fresh('key');
    const refused = problem(await charge(world, other, method, { key }), 'conflict');
    expect(reason(refused)).toBe('chargeUnderWay');
    await end();
    expect((await charge(world, other, method, { key })).status).toBe(201);
  });

  it('keeps the method from an erasure', async () => {
    const world = await makeWorld();
    const { method, end } = await held(world);
    (
      await world.chairside.readPaymentMethodSetup(host, { paymentMethodSetupId: method })
    )._unsafeUnwrap();
    const erase = () => world.chairside.eraseCustomer({ customerId: 'customer' });
    expect((await erase())._unsafeUnwrap()).toMatchObject({ setups: 0, pending: [method] });
    await end();
    expect((await erase())._unsafeUnwrap()).toMatchObject({ setups: 1, pending: [] });
  });

  it('is canceled by the host before it takes money', async () => {
    const world = await makeWorld();
    const { appointmentId, method } = await givenBooking(world);
    world.processor.failNext('capturePayment', 'refused');
    const first = await charge(world, appointmentId, method, { key: 'k' });
    expect(first.status).toBe(503);
    const { items } = JSON.parse(
      (await world.send('listCharges', 'owner', { id: appointmentId })).text,
    );
    const canceled = await world.chairside.cancelCharge(host, { chargeId: items[0].id });
    expect(canceled._unsafeUnwrap().state).toBe('canceled');
    const again = problem(await charge(world, appointmentId, method, { key: 'k' }), 'conflict');
    expect(reason(again)).toBe('chargeCanceled');
    await healed(world);
    expect(await takenMinor(world)).toBe(0n);
  });
});

describeEverywhere('a charge whose process dies', (makeWorld, { store: name, transport }) => {
  const faults = [
    [undefined, 'slow'],
    ['authorizeMethod', 'timeoutBeforeApplying'],
    ['authorizeMethod', 'timeoutAfterApplying'],
    ['authorizeMethod', 'failure'],
    ['authorizeMethod', 'failureAfterApplying'],
    ['authorizeMethod', 'landsLater'],
    ['authorizeMethod', 'notSetUp'],
    ['capturePayment', 'timeoutBeforeApplying'],
    ['capturePayment', 'timeoutAfterApplying'],
    ['capturePayment', 'failureAfterApplying'],
    ['capturePayment', 'landsLater'],
  ] as const;

  // The store in memory is the fastest, and tries all of them.
  const isFull = name === 'map' && transport === 'in process';
  const deaths = isFull ? [0, 1, 2, 3, 4, 5, 6] : [3];
  it.each(isFull ? faults : faults.slice(2, 3))(
    'is taken once, or not at all: %s %s',
    async (call, fault) => {
      for (const retries of [true, false]) {
        for (const commits of deaths) {
          const world = await makeWorld();
          const { processor, clock } = world;
          const { appointmentId, method } = await givenBooking(world);
          const store = dyingAfter(world.store, commits);
          const node = createChairside({ store, processor, clock, rateLimits: 'off' });
          if (call !== undefined) processor.failNext(call, fault);
          const input = { appointmentId, idempotencyKey: 'k', body: chargeBody(method) };
          const first = await node.chargePaymentMethod(host, input);
          clock.advance(minuteMs);
          if (retries) {
            const again = await world.chairside.chargePaymentMethod(host, input);
            expect(again.isOk() || again.error.type !== 'internalError').toBe(true);
          }
          processor.landAbandoned();
          await healed(world);
          clock.advance(3 * hourMs);
          for (let times = 1; times <= 3; times += 1) {
            (await world.chairside.reconcile())._unsafeUnwrap();
            clock.advance(hourMs);
          }
          const ledger = await ledgerOf(world, appointmentId);
          const about = `${commits} commits, retries: ${retries}`;
          expect(ledger, about).toMatchObject({ reservedMinor: 0n, openPayments: 0 });
          expect(await takenMinor(world), about).toBe(ledger.capturedMinor);
          expect([0n, 2000n], about).toContain(ledger.capturedMinor);
          expect(stillHeld(world), about).toEqual([]);
          if (first.isOk()) expect(ledger.capturedMinor).toBe(2000n);
          else if (first.error.recovery.outcome === 'notApplied' && !retries) {
            expect(ledger.capturedMinor, about).toBe(0n);
          }
        }
      }
    },
  );
});
