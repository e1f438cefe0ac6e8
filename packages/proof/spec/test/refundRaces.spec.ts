import {
  type ChangeKind,
  type CommitError,
  createChairside,
  errAsync,
  hourMs,
  ResultAsync,
  type Store,
} from '@chairside/core';
import { expect, it } from 'vitest';
import { host, interrupted } from '../src/elsewhere.ts';
import { fresh, givenCaptured, until } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

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

describeEverywhere('the end of a refund that cannot be written', (makeWorld) => {
  const conflict = (change: ChangeKind): CommitError => ({ kind: 'storeConflict', change });
  const lost: CommitError = { kind: 'storeUnavailable', outcome: 'unknown' };

  it.each<[string, CommitError, number]>([
    ['its payment changes each time', conflict('updatePayment'), 8],
    ['its review is resolved each time', conflict('resolveReview'), 8],
    ['another call has ended it', conflict('updateRefund'), 1],
    ['the reply of the store is lost', lost, 1],
  ])('is tried a bounded number of times: %s', async (_, error, times) => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    let tried = 0;
    const store: Store = {
      ...world.store,
      wasCommitted: () => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' }),
      commit(commit) {
        const kinds = commit.changes.map(({ kind }) => kind);
        if (!kinds.includes('updateRefund') || !kinds.includes('updatePayment')) {
          return world.store.commit(commit);
        }
        tried += 1;
        return errAsync(error);
      },
    };
    const { processor, clock } = world;
    const node = createChairside({ store, processor, clock, rateLimits: 'off' });
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key'), body: {} };
    const failed = (await node.refundPayment(host, input))._unsafeUnwrapErr();
    expect(failed.recovery).toMatchObject({ outcome: 'unknown' });
    expect(tried).toBe(times);
    clock.advance(hourMs);
    expect((await world.chairside.refundPayment(host, input)).isOk()).toBe(true);
    expect(processor.count('refund').applied).toBe(1);
  });

  it('is written beside a person who resolves its review, and keeps the note', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    const { processor, clock, chairside } = world;
    processor.failNext('refund', 'landsLater');
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key'), body: {} };
    expect((await chairside.refundPayment(host, input)).isErr()).toBe(true);
    clock.advance(73 * hourMs);
    (await chairside.reconcile())._unsafeUnwrap();
    const [review] = (await chairside.listReviews())._unsafeUnwrap();
    processor.landAbandoned();
    clock.advance(2 * hourMs);
    const store = interrupted(world.store, 'resolveReview', async () => {
      const closing = { reviewId: review?.id ?? '', note: 'The bank was asked.' };
      (await chairside.resolveReview(closing))._unsafeUnwrap();
    });
    const node = createChairside({ store, processor, clock, rateLimits: 'off' });
    expect((await node.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
    const [ended] = (await world.store.refunds.listByPayment(payment.id, 9))._unsafeUnwrap();
    expect(ended).toMatchObject({ state: 'succeeded' });
    const kept = (await world.store.reviews.get(review?.id ?? ''))._unsafeUnwrap();
    expect(kept).toMatchObject({ note: 'The bank was asked.' });
  });
});

describeEverywhere('upkeep that lists a refund', (makeWorld) => {
  /** A refund that is due; `act` happens between the list and the work on it. */
  async function reconcileAfter(act: (world: World, retry: () => Promise<unknown>) => unknown) {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key'), body: {} };
    const retry = async () => world.chairside.refundPayment(host, input);
    expect((await retry()).isErr()).toBe(true);
    world.clock.advance(hourMs);
    const { refunds } = world.store;
    const listDue: typeof refunds.listDue = (...asked) =>
      refunds
        .listDue(...asked)
        .andThen((due) =>
          ResultAsync.fromSafePromise(Promise.resolve(act(world, retry)).then(() => due)),
        );
    const store = { ...world.store, refunds: { ...refunds, listDue } };
    const { processor, clock } = world;
    const node = createChairside({ store, processor, clock, rateLimits: 'off' });
    const report = (await node.reconcile())._unsafeUnwrap();
    const stored = (await refunds.listByPayment(payment.id, 9))._unsafeUnwrap();
    return { world, report, stored };
  }

  it('leaves it to a call that has taken it over since', async () => {
    let retried: Promise<unknown> | undefined;
    const { world, report, stored } = await reconcileAfter(async ({ processor }, retry) => {
      processor.failNext('refund', 'slowReply');
      retried ??= retry();
      await until(() => processor.count('refund').made === 2);
    });
    expect(report.unsettled).toBe(1);
    expect(stored[0]?.nextCheckAt).toBe(stored[0]?.work?.leaseUntil);
    world.processor.release();
    await retried;
    expect(world.processor.count('refund').applied).toBe(1);
  });

  it('does nothing for one that was withdrawn since', async () => {
    let isDone = false;
    const { report, stored } = await reconcileAfter(async ({ store, clock }) => {
      if (isDone) return;
      isDone = true;
      const [due] = (await store.refunds.listDue(clock.now(), 1))._unsafeUnwrap();
      if (due === undefined) throw new Error('No refund is due.');
      const { id, version: expectedVersion } = due;
      const changes = [{ kind: 'deleteRefund', id, expectedVersion } as const];
      const at = clock.now();
      (await store.commit({ id: fresh('commit'), at, changes }))._unsafeUnwrap();
    });
    expect(report.unsettled).toBe(1);
    expect(stored).toEqual([]);
  });
});
