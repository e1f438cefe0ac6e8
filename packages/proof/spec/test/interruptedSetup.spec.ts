import { errAsync, hourMs, minuteMs, type Store, secondMs } from '@chairside/core';
import { expect, it } from 'vitest';
import { type Answer, problem, setup } from '../src/answer.ts';
import { fresh, until } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

// Reduced findings of the simulation.

const body = { savePaymentMethod: true };
const prepare = ({ send }: World, key?: string): Promise<Answer> =>
  send('preparePaymentMethod', 'customer', { body, ...(key !== undefined && { key }) });

/** Fails the first `times` writes of setups. */
function refusingChanges(times: number): (real: Store) => Store {
  let left = times;
  return (real) => ({
    ...real,
    commit(commit) {
      const isChange = commit.changes.some(({ kind }) => kind === 'updateSetup');
      if (!isChange || left === 0) return real.commit(commit);
      left -= 1;
      return errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' });
    },
  });
}

/** All setups, because each is due at some time. */
async function allStored({ store }: World) {
  return (await store.setups.listDue(Number.MAX_SAFE_INTEGER, 100)).unwrapOr([]);
}

describeEverywhere('preparePaymentMethod without a key', (makeWorld) => {
  it('is unknown, not "not applied", if the opened session cannot be written', async () => {
    const world = await makeWorld({ store: refusingChanges(1) });
    const answer = problem(await prepare(world), 'serviceUnavailable');
    expect(world.processor.setups()).toHaveLength(1);
    expect(answer.recovery).toEqual({
      outcome: 'unknown',
      retry: 'retrySameRequestAfterDelay',
    });
  });

  it('is unknown if it could not be opened, and reconcile will open it', async () => {
    const world = await makeWorld({ store: refusingChanges(1) });
    world.processor.failNext('openSetup', 'timeoutBeforeApplying');
    const answer = problem(await prepare(world), 'serviceUnavailable');
    expect(answer.recovery?.outcome).toBe('unknown');
    world.clock.advance(minuteMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect(world.processor.setups()).toHaveLength(1);
  });

  it('opens one session, even if reconcile takes over from a paused call', async () => {
    const world = await makeWorld();
    world.processor.failNext('openSetup', 'slowReply');
    const answer = prepare(world);
    await until(() => world.processor.setups().length === 1);
    world.clock.advance(minuteMs);
    expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ looked: 1 });
    world.processor.release();
    expect((await answer).replayed).toBe(false);
    const { clientSecret } = setup(await answer);
    expect(world.processor.setups().map((entry) => entry.clientSecret)).toEqual([clientSecret]);
    expect(await allStored(world)).toHaveLength(1);
  });

  it('begins again if its unfinished setup was withdrawn meanwhile', async () => {
    const world = await makeWorld();
    world.processor.failNext('openSetup', 'slow');
    const answer = prepare(world);
    await until(() => world.processor.count('openSetup').made === 1);
    // Longer than the lease, and within the time of the request (D77, D146).
    world.clock.advance(16 * secondMs);
    world.processor.failNext('openSetup', 'notSetUp');
    expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 1 });
    expect(await allStored(world)).toEqual([]);
    world.processor.release();
    const { paymentMethodSetupId } = setup(await answer);
    expect((await allStored(world)).map(({ id }) => id)).toEqual([paymentMethodSetupId]);
  });
});

describeEverywhere('a setup that was never settled', (makeWorld) => {
  it('is deleted 72 hours after its end, even if it was rarely checked', async () => {
    const world = await makeWorld();
    world.processor.failNext('openSetup', 'timeoutBeforeApplying');
    problem(await prepare(world, fresh('key')), 'serviceUnavailable');
    // For two days reconcile does not run; then the processor is silent as well.
    world.clock.advance(48 * hourMs);
    world.processor.failNext('readSetup', 'refused');
    expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 1 });
    world.clock.advance(25 * hourMs);
    expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ looked: 1 });
    expect(await allStored(world)).toEqual([]);
  });
});

describeEverywhere('a setup with a late response', (makeWorld) => {
  it('keeps its key for 72 hours after it (D21)', async () => {
    const world = await makeWorld();
    const key = fresh('key');
    world.processor.failNext('openSetup', 'timeoutAfterApplying');
    world.processor.failNext('readSetup', 'refused');
    problem(await prepare(world, key), 'serviceUnavailable');
    world.clock.advance(71 * hourMs);
    const opened = setup(await prepare(world, key));
    world.clock.advance(71 * hourMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect(setup(await prepare(world, key))).toEqual(opened);
    world.clock.advance(72 * hourMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect(await allStored(world)).toEqual([]);
  });
});
