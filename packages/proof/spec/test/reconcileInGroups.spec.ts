import { hourMs, minuteMs } from '@chairside/core';
import { expect, it } from 'vitest';
import { givenPayment, givenPresented, stored, until } from '../src/shop.ts';
import { describeEverywhere } from '../src/world.ts';

const groupSize = 16;

describeEverywhere('reconcile', (makeWorld) => {
  it('settles a bounded number of payments at once, and the others after them', async () => {
    const world = await makeWorld();
    const { processor, chairside, clock } = world;
    const payments = await Promise.all(
      Array.from({ length: groupSize + 4 }, () => givenPayment(world)),
    );
    clock.advance(hourMs);
    processor.failNext('readPayment', 'slow', payments.length);
    const made = () => processor.count('readPayment').made;
    const reconciled = chairside.reconcile();
    await until(() => made() === groupSize);
    // All of them wait for the processor, and no other call reaches it meanwhile.
    expect(processor.release()).toBe(groupSize);
    await until(() => made() === payments.length);
    expect(processor.release()).toBe(payments.length - groupSize);
    expect((await reconciled)._unsafeUnwrap()).toMatchObject({ looked: 20, unsettled: 0 });
    for (const { id } of payments) expect((await stored(world, id)).state).toBe('canceled');
  });

  it('settles the others if a record of the host throws for one', async () => {
    let bad: string | undefined;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        appointments: {
          get: (id) => {
            if (id === bad) throw new RangeError('secret');
            return real.appointments.get(id);
          },
        },
      }),
    });
    const { chairside, clock, observations } = world;
    const { payment: odd } = await givenPresented(world);
    const { payment: other } = await givenPresented(world);
    clock.advance(15 * minuteMs);
    expect((await chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
    bad = odd.appointment.id;
    clock.advance(hourMs);
    const report = (await chairside.reconcile())._unsafeUnwrap();
    expect(report).toMatchObject({ looked: 2, unsettled: 1, more: false });
    const failures = observations.filter(({ kind }) => kind === 'failure');
    expect(failures).toMatchObject([{ name: 'reconcile', outcome: 'RangeError' }]);
    // The failed one is checked again soon, the other one at its time.
    expect((await stored(world, odd.id)).nextCheckAt).toBe(clock.now() + 5000);
    expect((await stored(world, other.id)).nextCheckAt).toBe(clock.now() + hourMs);
    bad = undefined;
    clock.advance(5000);
    expect((await chairside.reconcile())._unsafeUnwrap()).toMatchObject({
      looked: 1,
      unsettled: 0,
    });
  });

  it.each([
    [1, 1],
    [1.9, 1],
    [0, 1],
    [-1, 1],
    [Number.NEGATIVE_INFINITY, 1],
    [Number.POSITIVE_INFINITY, 3],
    [Number.NaN, 3],
    [undefined, 3],
  ])('with a limit of %d checks %i of three', async (limit, looked) => {
    const world = await makeWorld();
    for (let i = 0; i < 3; i += 1) await givenPayment(world);
    world.clock.advance(hourMs);
    const input = limit === undefined ? {} : { limit };
    expect((await world.chairside.reconcile(input))._unsafeUnwrap()).toMatchObject({ looked });
  });
});
