import { errAsync, hourMs } from '@chairside/core';
import { expect, it } from 'vitest';
import { payment, problem } from '../src/answer.ts';
import { capture, givenPresented } from '../src/shop.ts';
import { describeEverywhere } from '../src/world.ts';

describeEverywhere('a capture that is repeated under another key after 71 hours', (makeWorld) => {
  it('has the same answer for 72 hours, and then the secret and the key are gone (D55)', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    const first = await capture(world, opened.id, reference, { key: 'first' });
    world.clock.advance(71 * hourMs);
    const repeated = await capture(world, opened.id, reference, { key: 'second' });
    expect(repeated.text).toBe(first.text);
    for (const hours of [2, 69]) {
      world.clock.advance(hours * hourMs);
      (await world.chairside.reconcile())._unsafeUnwrap();
      const again = await capture(world, opened.id, reference, { key: 'second' });
      expect(again.text).toBe(repeated.text);
    }
    world.clock.advance(3 * hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    const { clientSecret } = payment(
      await capture(world, opened.id, reference, { key: 'second' }),
      200,
    );
    expect(clientSecret).toBe('');
  });

  it('is not answered before its key is stored', async () => {
    let isFull = false;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        commit: (commit) =>
          isFull
            ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
            : real.commit(commit),
      }),
    });
    const { payment: opened, reference } = await givenPresented(world);
    await capture(world, opened.id, reference, { key: 'first' });
    isFull = true;
    const repeated = await capture(world, opened.id, reference, { key: 'second' });
    problem(repeated, 'serviceUnavailable');
  });

  it('has the same answer for any number of keys at once', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    const first = await capture(world, opened.id, reference);
    world.clock.advance(71 * hourMs);
    const asked = Array.from({ length: 30 }, (_, index) => `key-${index}`);
    for (const hours of [0, 2, 69]) {
      world.clock.advance(hours * hourMs);
      (await world.chairside.reconcile())._unsafeUnwrap();
      const repeated = await Promise.all(
        asked.map((key) => capture(world, opened.id, reference, { key })),
      );
      expect(new Set(repeated.map(({ text }) => text))).toEqual(new Set([first.text]));
    }
  });
});
