import { type ChangeKind, createChairside, ResultAsync, type Store } from '@chairside/core';
import { expect, it } from 'vitest';
import { host } from '../src/elsewhere.ts';
import { fresh, givenCaptured } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** A store that does something else just before the first commit with such a change. */
function interrupted(store: Store, kind: ChangeKind, act: () => Promise<unknown>): Store {
  let isDone = false;
  return {
    ...store,
    commit(commit) {
      if (isDone || !commit.changes.some((change) => change.kind === kind)) {
        return store.commit(commit);
      }
      isDone = true;
      return ResultAsync.fromSafePromise(act()).andThen(() => store.commit(commit));
    },
  };
}

describeEverywhere('a refund whose payment changes just before its end is written', (makeWorld) => {
  /** Refunds 10.00. Another call refunds 5.00 before the commit with this change. */
  async function refundBesideAnother(world: World, kind: ChangeKind) {
    const { payment } = await givenCaptured(world);
    const { processor, clock, chairside } = world;
    const refund = (amount: string) => ({
      contactlessPaymentId: payment.id,
      idempotencyKey: fresh('key'),
      body: { amount },
    });
    const store = interrupted(world.store, kind, async () => {
      (await chairside.refundPayment(host, refund('5.00')))._unsafeUnwrap();
    });
    const node = createChairside({ store, processor, clock, rateLimits: 'off' });
    const result = await node.refundPayment(host, refund('10.00'));
    const stored = (await world.store.refunds.listByPayment(payment.id, 9))._unsafeUnwrap();
    return { result, amounts: new Set(stored.map(({ amountMinor }) => amountMinor)) };
  }

  it('is recorded', async () => {
    const { result, amounts } = await refundBesideAnother(await makeWorld(), 'updateRefund');
    expect(result._unsafeUnwrap()).toMatchObject({ amount: '10.00', state: 'succeeded' });
    expect(amounts).toEqual(new Set([1000n, 500n]));
  });

  it('is withdrawn with its key, if the processor rejects it', async () => {
    const world = await makeWorld();
    world.processor.failNext('refund', 'rejected');
    const { result, amounts } = await refundBesideAnother(world, 'deleteRefund');
    expect(result._unsafeUnwrapErr()).toMatchObject({
      type: 'unprocessableEntity',
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
    expect(amounts).toEqual(new Set([500n]));
  });
});
