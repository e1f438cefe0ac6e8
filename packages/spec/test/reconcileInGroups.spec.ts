import { hourMs } from '@chairside/core';
import { expect, it } from 'vitest';
import { givenPayment, stored, until } from '../src/shop.ts';
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
    // All of them wait for the processor, and nobody else asks it meanwhile.
    expect(processor.release()).toBe(groupSize);
    await until(() => made() === payments.length);
    expect(processor.release()).toBe(payments.length - groupSize);
    expect((await reconciled)._unsafeUnwrap()).toMatchObject({ looked: 20, unsettled: 0 });
    for (const { id } of payments) expect((await stored(world, id)).state).toBe('canceled');
  });
});
