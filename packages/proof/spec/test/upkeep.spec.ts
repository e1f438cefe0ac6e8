import { type Change, type CloudEvent, hourMs } from '@chairside/core';
import { expect, it } from 'vitest';
import { givenPayment, stored } from '../src/shop.ts';
import { describeEverywhere } from '../src/world.ts';

describeEverywhere('upkeep', (makeWorld, { store, transport }) => {
  // Combines two use cases, which have specs over every store.
  const once = it.skipIf(store !== 'map' || transport !== 'in process');

  once('goes on until nothing is due, and sums up its rounds', async () => {
    const world = await makeWorld();
    const { chairside, clock } = world;
    const payments = await Promise.all(Array.from({ length: 101 }, () => givenPayment(world)));
    clock.advance(hourMs);
    const events: CloudEvent[] = [];
    const report = await chairside.upkeep({ deliver: async (event) => void events.push(event) });
    expect(report._unsafeUnwrap()).toMatchObject({ looked: 101, unsettled: 0, more: false });
    expect(report._unsafeUnwrap().rounds).toBeGreaterThan(1);
    for (const { id } of payments) expect((await stored(world, id)).state).toBe('canceled');

    // The first round delivers the earlier events; the next call delivers the later ones.
    const next = await chairside.upkeep({ deliver: async (event) => void events.push(event) });
    expect(next._unsafeUnwrap().failed).toBe(0);
    const canceled = events.filter(({ type }) => type === 'contactlessPayment.canceled');
    expect(canceled).toHaveLength(101);
  });

  once(
    'keeps the ids of commits for an hour, and messages and events for longer (D22)',
    async () => {
      const forgetting: Change[] = [];
      const { chairside, clock } = await makeWorld({
        store: (real) => ({
          ...real,
          commit(commit) {
            forgetting.push(...commit.changes.filter(({ kind }) => kind === 'forget'));
            return real.commit(commit);
          },
        }),
      });
      expect((await chairside.reconcile()).isOk()).toBe(true);
      const now = clock.now();
      expect(forgetting).toEqual([
        {
          kind: 'forget',
          now,
          commitsBefore: now - hourMs,
          processorEventsBefore: now - 7 * 24 * hourMs,
          eventsBefore: now - 30 * 24 * hourMs,
          limit: 10_000,
        },
      ]);
    },
  );

  once('begins no round after its time', async () => {
    const world = await makeWorld();
    const { chairside, clock } = world;
    for (let i = 0; i < 101; i += 1) await givenPayment(world);
    clock.advance(hourMs);
    const report = (await chairside.upkeep({ forMs: 0 }))._unsafeUnwrap();
    expect(report).toMatchObject({ rounds: 1, looked: 100, more: true, delivered: 0 });
    expect((await chairside.upkeep())._unsafeUnwrap()).toMatchObject({ looked: 1, more: false });
  });
});
