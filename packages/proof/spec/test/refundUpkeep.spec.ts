import {
  type Chairside,
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  okAsync,
  ResultAsync,
  secondMs,
} from '@chairside/core';
import type {
  ChangeKind,
  CommitError,
  Processor,
  ProcessorDispute,
  ProcessorRefund,
  ProcessorRefunds,
  RawEvent,
  Refund,
  Store,
} from '@chairside/core/ports';
import { expect } from 'vitest';
import { dayMs, pass } from '../src/day.ts';
import {
  captureElsewhere,
  deliverMessages,
  host,
  interrupted,
  withProcessor,
} from '../src/elsewhere.ts';
import { type Part, share } from '../src/shares.ts';
import { fresh, givenAppointment, givenCaptured, givenPresented, until } from '../src/shop.ts';
import { delivered } from '../src/told.ts';
import { describeEverywhere, type World } from '../src/world.ts';

function refund(
  { chairside }: Pick<World, 'chairside'>,
  contactlessPaymentId: string,
  body: { readonly amount?: string } = {},
) {
  const input = { contactlessPaymentId, idempotencyKey: fresh('refund'), body };
  return chairside.refundPayment(host, input);
}

/** The only refund of this payment. */
async function theRefund({ store }: World, paymentId: string): Promise<Refund> {
  const [found] = (await store.refunds.listByPayment(paymentId, 2))._unsafeUnwrap();
  if (found === undefined) throw new Error('The payment has no refund.');
  return found;
}

/** The processor no longer knows the account. */
const accountGone: Partial<ProcessorRefunds> = { list: () => errAsync({ kind: 'notSetUp' }) };

describeEverywhere('the upkeep of refunds', ({ it }) => {
  it('looks ever more rarely at one that stays pending', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.slowRefunds(true);
    expect((await refund(world, payment.id)).isOk()).toBe(true);
    const waits: number[] = [];
    for (let looks = 0; looks < 6; looks += 1) {
      const { nextCheckAt = 0 } = await theRefund(world, payment.id);
      waits.push(nextCheckAt - world.clock.now());
      world.clock.advance(nextCheckAt - world.clock.now());
      expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
    }
    expect(waits).toEqual([hourMs, ...[5, 10, 20, 40, 80].map((seconds) => seconds * secondMs)]);
  });

  it('tries one of unknown outcome again after 5 seconds, and then ever more rarely', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutBeforeApplying', 4);
    expect((await refund(world, payment.id)).isErr()).toBe(true);
    for (const [made, seconds] of [5, 10, 20].entries()) {
      world.clock.advance(seconds * secondMs - 1);
      expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
      expect(world.processor.count('refund').made).toBe(made + 1);
      world.clock.advance(1);
      expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 1 });
      expect(world.processor.count('refund').made).toBe(made + 2);
    }
  });

  it('opens a review of unknown outcome after exactly 72 hours', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'landsLater');
    const input = { contactlessPaymentId: payment.id, idempotencyKey: 'k', body: {} };
    const send = async () => (await world.chairside.refundPayment(host, input)).isOk();
    expect(await send()).toBe(false);
    world.clock.advance(72 * hourMs - 1);
    expect(await send()).toBe(false);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
    world.clock.advance(1);
    expect(await send()).toBe(false);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toMatchObject([
      { reason: 'refundUnsettled', openedAt: new Date(world.clock.now()).toISOString() },
    ]);
  });

  it('opens a review if the processor of now does not know the account', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'landsLater');
    expect((await refund(world, payment.id)).isErr()).toBe(true);
    const without = withProcessor(world, nodeWith(world, accountGone));
    for (let looks = 0; looks < 5; looks += 1) {
      world.clock.advance(24 * hourMs);
      expect((await without.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 1 });
    }
    expect((await theRefund(world, payment.id)).state).toBe('pending');
    const reviews = (await world.chairside.listReviews())._unsafeUnwrap();
    expect(reviews).toMatchObject([{ reason: 'refundUnsettled' }]);
  });

  it('resolves the review of a settled one, and of no other one of the payment', async (world) => {
    const { payment } = await givenCaptured(world);
    for (const [fault, amount] of [
      ['timeoutBeforeApplying', '10.00'],
      ['landsLater', '20.00'],
    ] as const) {
      world.processor.failNext('refund', fault);
      expect((await refund(world, payment.id, { amount })).isErr()).toBe(true);
    }
    const without = withProcessor(world, nodeWith(world, accountGone));
    for (let looks = 0; looks < 5; looks += 1) {
      world.clock.advance(24 * hourMs);
      (await without.reconcile())._unsafeUnwrap();
    }
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toHaveLength(2);
    world.processor.landAbandoned();
    for (let looks = 0; looks < 5; looks += 1) {
      world.clock.advance(24 * hourMs);
      (await world.chairside.reconcile())._unsafeUnwrap();
    }
    const refunds = (await world.store.refunds.listByPayment(payment.id, 3))._unsafeUnwrap();
    const states = refunds.map(({ amountMinor, state }) => [amountMinor, state]);
    expect(states).toEqual(
      expect.arrayContaining([
        [1000n, 'pending'],
        [2000n, 'succeeded'],
      ]),
    );
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toHaveLength(1);
  });

  it('asks for something else once the processor shows that it has accepted one', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'landsLater');
    world.processor.slowRefunds(true);
    expect((await refund(world, payment.id)).isErr()).toBe(true);
    const without = withProcessor(world, nodeWith(world, accountGone));
    for (let looks = 0; looks < 5; looks += 1) {
      world.clock.advance(24 * hourMs);
      (await without.reconcile())._unsafeUnwrap();
    }
    world.processor.landAbandoned();
    world.clock.advance(24 * hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect(await theRefund(world, payment.id)).toMatchObject({
      state: 'pending',
      reference: expect.any(String),
    });
    const reviews = async (state: 'open' | 'resolved') =>
      (await world.chairside.listReviews({ state }))._unsafeUnwrap();
    expect(await reviews('open')).toEqual([]);
    expect(await reviews('resolved')).toMatchObject([
      { reason: 'refundUnsettled', note: 'The processor has accepted it.' },
    ]);
    world.clock.advance(24 * hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect(await reviews('open')).toMatchObject([{ reason: 'refundWaits' }]);
  });

  it('says why one is pending, as long as it is', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    world.processor.slowRefunds(true, false);
    const made = (await refund(world, payment.id))._unsafeUnwrap();
    const shown = async () =>
      (
        await world.chairside.getRefund(host, {
          contactlessPaymentId: payment.id,
          refundId: made.id,
        })
      )._unsafeUnwrap();
    expect(made).not.toHaveProperty('pendingReason');
    expect(await shown()).toMatchObject({ pendingReason: 'insufficient_funds' });
    const [{ id = '' } = {}] = world.processor.entries()[0]?.refunds ?? [];
    world.processor.endRefund(reference, id, 'succeeded')._unsafeUnwrap();
    await deliverMessages(world);
    expect(await shown()).not.toHaveProperty('pendingReason');
  });

  it('resolves the review of one that was pending for days, once it succeeds', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    world.processor.slowRefunds(true);
    expect((await refund(world, payment.id)).isOk()).toBe(true);
    for (let looks = 0; looks < 5; looks += 1) {
      world.clock.advance(24 * hourMs);
      (await world.chairside.reconcile())._unsafeUnwrap();
    }
    const reviews = (await world.chairside.listReviews())._unsafeUnwrap();
    expect(reviews).toMatchObject([{ reason: 'refundWaits' }]);
    const pendingReason = 'charge_pending';
    const node = withProcessor(
      world,
      listing(world, (listed) => listed.map((one) => ({ ...one, pendingReason }))),
    );
    world.clock.advance(24 * hourMs);
    (await node.reconcile())._unsafeUnwrap();
    expect(await theRefund(world, payment.id)).toMatchObject({ pendingReason, checks: 0 });
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual(reviews);
    const [{ id = '' } = {}] = world.processor.entries()[0]?.refunds ?? [];
    expect(world.processor.endRefund(reference, id, 'succeeded').isOk()).toBe(true);
    world.clock.advance(24 * hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await theRefund(world, payment.id)).state).toBe('succeeded');
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
    const resolved = (await world.chairside.listReviews({ state: 'resolved' }))._unsafeUnwrap();
    expect(resolved).toMatchObject([{ note: 'It was settled later.' }]);
  });

  it('keeps its keys for 72 hours after its end, although it is due earlier', async (world) => {
    const { payment } = await givenCaptured(world);
    const input = { contactlessPaymentId: payment.id, idempotencyKey: 'k', body: {} };
    expect((await world.chairside.refundPayment(host, input)).isOk()).toBe(true);
    const { version, ...made } = await theRefund(world, payment.id);
    const due = { ...made, version: version + 1, nextCheckAt: world.clock.now() };
    const written = await world.store.commit({
      id: fresh('commit'),
      at: world.clock.now(),
      changes: [{ kind: 'updateRefund', refund: due, expectedVersion: version }],
    });
    expect(written.isOk()).toBe(true);
    world.clock.advance(minuteMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await world.store.keys.get(host.subject, 'k'))._unsafeUnwrap()).toBeDefined();
    const { nextCheckAt } = await theRefund(world, payment.id);
    expect(nextCheckAt).toBe(made.updatedAt + 72 * hourMs);
    world.clock.advance(73 * hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await world.store.keys.get(host.subject, 'k'))._unsafeUnwrap()).toBeUndefined();
  });
});

describeEverywhere('the key of a refund', ({ it }) => {
  /** A refund under the key `k` that the processor accepted in this state, and how to repeat it. */
  async function givenRefund(world: World, isSlow: boolean) {
    const { payment, reference } = await givenCaptured(world);
    world.processor.slowRefunds(isSlow);
    const input = {
      contactlessPaymentId: payment.id,
      idempotencyKey: 'k',
      body: { amount: '1.00' },
    };
    const ask = async () => (await world.chairside.refundPayment(host, input))._unsafeUnwrap();
    const first = await ask();
    const [{ id = '' } = {}] = world.processor.entries()[0]?.refunds ?? [];
    const end = async (state: 'succeeded' | 'failed') => {
      expect(world.processor.endRefund(reference, id, state).isOk()).toBe(true);
      await deliverMessages(world);
      expect((await theRefund(world, payment.id)).state).toBe(state);
    };
    return { first, ask, end };
  }

  async function later(world: World, ms: number): Promise<void> {
    world.clock.advance(ms);
    (await world.chairside.reconcile())._unsafeUnwrap();
  }

  const isKept = async ({ store }: World) =>
    (await store.keys.get(host.subject, 'k'))._unsafeUnwrap() !== undefined;
  const countMade = ({ processor }: World) => processor.entries()[0]?.refunds?.length;

  it.for(['succeeded', 'failed'] as const)(
    'is kept for 72 hours after a refund that pended for 100 hours has %s',
    async (state, world) => {
      const { first, ask, end } = await givenRefund(world, true);
      await later(world, 100 * hourMs);
      await end(state);
      await later(world, 72 * hourMs - 1);
      expect(await ask()).toEqual(first);
      expect(countMade(world)).toBe(1);
      await later(world, 1);
      expect(await isKept(world)).toBe(false);
    },
  );

  it('is kept for 72 hours after a refund failed that had succeeded', async (world) => {
    const { first, ask, end } = await givenRefund(world, false);
    await later(world, 50 * hourMs);
    await end('failed');
    await later(world, 72 * hourMs - 1);
    expect(await ask()).toEqual(first);
    expect(countMade(world)).toBe(1);
    await later(world, 1);
    expect(await isKept(world)).toBe(false);
  });
});

describeEverywhere('a refund whose payment changes just before it ends', ({ it, makeWorld }) => {
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

  it('is withdrawn with its key, if the processor rejects it', async (world) => {
    world.processor.failNext('refund', 'rejected');
    const { result, amounts } = await refundBesideAnother(world, 'deleteRefund');
    expect(result._unsafeUnwrapErr()).toMatchObject({
      type: 'unprocessableEntity',
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
    expect(amounts).toEqual(new Set([500n]));
  });
});

describeEverywhere('the end of a refund that cannot be written', ({ it }) => {
  const conflict = (change: ChangeKind): CommitError => ({ kind: 'storeConflict', change });
  const lost: CommitError = { kind: 'storeUnavailable', outcome: 'unknown' };

  it.for<[string, CommitError, number]>([
    ['its payment changes each time', conflict('updatePayment'), 8],
    ['its review is resolved each time', conflict('updateReview'), 8],
    ['another call has ended it', conflict('updateRefund'), 1],
    ['the reply of the store is lost', lost, 1],
  ])('is tried a bounded number of times: %s', async ([_, error, times], world) => {
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

  it('is written beside a person who resolves its review, and keeps the note', async (world) => {
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
    const store = interrupted(world.store, 'updateReview', async () => {
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

describeEverywhere('upkeep that lists a refund', ({ it, makeWorld }) => {
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

type SendRefund = ProcessorRefunds['refund'];

/** The same shop on a node that does more after some of its refund calls. */
function nodeWith({ processor }: World, over: Partial<ProcessorRefunds>) {
  return { refunds: { ...processor.refunds, ...over } };
}

/** The call, with `after` between its end and its reply. */
function delayed(call: SendRefund, after: () => Promise<unknown>): SendRefund {
  return (request) =>
    new ResultAsync(
      Promise.resolve(call(request)).then(async (reply) => {
        await after();
        return reply;
      }),
    );
}

/** The number of refunds at the processor. */
function countMade({ processor }: World): number {
  return processor.entries().flatMap(({ refunds = [] }) => refunds).length;
}

describeEverywhere('a refund whose key is forgotten before its reply arrives', ({ it }) => {
  /** Other nodes record the refund, and 72 hours later delete its key. */
  async function forgetKeys(world: World): Promise<void> {
    await deliverMessages(world);
    world.clock.advance(73 * hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
  }

  const isRetried = [false, true];

  async function refundOn(world: World, isRetry: boolean, after: () => Promise<unknown>) {
    const { payment } = await givenCaptured(world);
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key') };
    const body = { amount: '10.00' };
    if (isRetry) {
      world.processor.failNext('refund', 'timeoutBeforeApplying');
      expect((await world.chairside.refundPayment(host, { ...input, body })).isErr()).toBe(true);
    }
    let calls = 0;
    const node = withProcessor(
      world,
      nodeWith(world, {
        refund: delayed(world.processor.refunds.refund, async () => {
          calls += 1;
          if (calls === 1) await after();
        }),
      }),
    );
    return node.refundPayment(host, { ...input, body });
  }

  it.for(isRetried)(
    'is made once, if the clock is set back; as a retry: %s',
    async (isRetry, world) => {
      const refund = await refundOn(world, isRetry, async () => {
        await forgetKeys(world);
        world.clock.advance(-73 * hourMs);
      });
      expect(countMade(world)).toBe(1);
      expect(refund._unsafeUnwrap()).toMatchObject({ amount: '10.00', state: 'succeeded' });
    },
  );

  it.for(isRetried)(
    'is the response of a node that was stopped; as a retry: %s',
    async (isRetry, world) => {
      const refund = await refundOn(world, isRetry, () => forgetKeys(world));
      expect(countMade(world)).toBe(1);
      expect(refund._unsafeUnwrap()).toMatchObject({ amount: '10.00', state: 'succeeded' });
    },
  );
});

describeEverywhere('a node that is stopped for a day before it sends a refund', ({ it }) => {
  it('only looks it up, because the processor may have forgotten the key', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key') };
    const body = { amount: '10.00' };
    const first = await world.chairside.refundPayment(host, { ...input, body });
    expect(first._unsafeUnwrapErr().recovery.outcome).toBe('unknown');

    let lists = 0;
    const { list } = world.processor.refunds;
    const node = withProcessor(
      world,
      nodeWith(world, {
        list: (handle) =>
          new ResultAsync(
            Promise.resolve(list(handle)).then(async (listed) => {
              lists += 1;
              if (lists > 1) return listed;
              // Another node takes the refund over, and makes it.
              world.clock.advance(hourMs);
              (await world.chairside.reconcile())._unsafeUnwrap();
              world.clock.advance(25 * hourMs);
              return listed;
            }),
          ),
      }),
    );
    world.clock.advance(hourMs);
    expect((await node.reconcile()).isOk()).toBe(true);
    expect(countMade(world)).toBe(1);
    const refunds = (await world.store.refunds.listByPayment(payment.id, 9))._unsafeUnwrap();
    expect(refunds).toMatchObject([{ state: 'succeeded', amountMinor: 1000n }]);
  });
});

describeEverywhere('a node whose clock is 80 hours behind the database server', ({ it }) => {
  it('does not shorten the time for which the key of a refund is kept (D44)', async (world) => {
    const { store, processor, clock } = world;
    const { payment, reference } = await givenCaptured(world);
    const nodeAt = (offMs: number) =>
      createChairside({
        store: { ...store, now: () => okAsync(clock.now()) },
        // A processor that does not mind a message from the future.
        processor: {
          ...processor,
          parseEvent: (event) => processor.parseEvent(event, clock.now()),
        },
        clock: { now: () => clock.now() + offMs },
        rateLimits: 'off',
      });
    const node = nodeAt(0);
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key') };
    const refund = () => node.refundPayment(host, { ...input, body: { amount: '10.00' } });
    processor.slowRefunds(true);
    expect((await refund())._unsafeUnwrap().state).toBe('pending');
    const [made = { id: '' }] = processor.bookEntry(reference)?.refunds ?? [];
    expect(processor.endRefund(reference, made.id, 'succeeded').isOk()).toBe(true);
    await deliverMessages(world, nodeAt(-80 * hourMs));
    clock.advance(minuteMs);
    (await node.reconcile())._unsafeUnwrap();
    expect((await refund())._unsafeUnwrap()).toMatchObject({ amount: '10.00', state: 'pending' });
    expect(countMade(world)).toBe(1);
  });
});

function refundDirectly(chairside: Chairside, contactlessPaymentId: string, amount?: string) {
  const body = amount === undefined ? {} : { amount };
  return chairside.refundPayment(host, {
    contactlessPaymentId,
    idempotencyKey: fresh('refund'),
    body,
  });
}

async function refundsOf({ chairside }: World, contactlessPaymentId: string) {
  return (await chairside.listRefunds(host, { contactlessPaymentId }))._unsafeUnwrap();
}

/** The only message that waits. */
function takeMessage({ processor }: World): RawEvent {
  const [message] = processor.takeEvents()._unsafeUnwrap();
  if (message === undefined) throw new Error('The processor sent no message.');
  return message;
}

/** The events about refunds and disputes that the host receives. */
async function told(world: World) {
  const events = await delivered(world);
  return events.filter(({ type }) => /refund|dispute/.test(type));
}

/** The same processor, whose list of refunds differs. */
function listing(
  { processor: { refunds } }: World,
  change: (listed: readonly ProcessorRefund[]) => readonly ProcessorRefund[],
): Partial<Processor> {
  return { refunds: { ...refunds, list: (payment) => refunds.list(payment).map(change) } };
}

describeEverywhere('the refunds that a processor lists', ({ it }) => {
  it('are ours by their mark, although their reply is not here yet', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    (await refundDirectly(world.chairside, payment.id, '5.00'))._unsafeUnwrap();
    await deliverMessages(world);
    world.processor.failNext('refund', 'landsLater');
    expect((await refundDirectly(world.chairside, payment.id, '10.00')).isErr()).toBe(true);
    world.processor.landAbandoned();
    await deliverMessages(world);
    expect(world.processor.refund(reference, 100n).isOk()).toBe(true);
    await deliverMessages(world);
    const { items, refundable } = await refundsOf(world, payment.id);
    expect(refundable).toBe('29.00');
    expect(items.map(({ amount, origin }) => `${amount} ${origin}`).toSorted()).toEqual([
      ...['1.00 elsewhere', '10.00 here', '5.00 here'],
    ]);
    const events = await told(world);
    const [there] = world.processor.entries();
    expect(events.map(({ data }) => data)).toMatchObject(
      ['5.00', '10.00', '1.00'].map((amount, index) => ({
        amount,
        processorReference: there?.refunds?.[index]?.id,
      })),
    );
  });

  it.for([
    [false, 'last'],
    [false, 'first'],
    [true, 'last'],
    [true, 'first'],
  ] as const)(
    'count twice and need a person, if two have one mark; with the reply: %s, the copy comes %s',
    async ([isReplied, place], world) => {
      const { payment } = await givenCaptured(world);
      if (!isReplied) world.processor.failNext('refund', 'landsLater');
      expect((await refundDirectly(world.chairside, payment.id, '10.00')).isOk()).toBe(isReplied);
      world.processor.landAbandoned();
      const node = withProcessor(
        world,
        listing(world, (listed) =>
          listed.flatMap((one) => {
            const copy = { ...one, reference: `${one.reference}_again` };
            return place === 'last' ? [one, copy] : [copy, one];
          }),
        ),
      );
      await deliverMessages(world, node);
      await deliverMessages(world, node);
      expect(await refundsOf(world, payment.id)).toMatchObject({ count: 2, refundable: '25.00' });
      expect((await world.chairside.listReviews())._unsafeUnwrap()).toMatchObject([
        { reason: 'refundedTwice', contactlessPaymentId: payment.id },
      ]);
    },
  );

  it('count once although the processor lists each of them twice, as disputes do', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    const { disputes } = world.processor;
    const twice = <T>(items: readonly T[]) => [...items, ...items];
    const node = withProcessor(world, {
      ...listing(world, twice),
      disputes: { ...disputes, list: (of) => disputes.list(of).map(twice) },
    });
    world.processor.slowRefunds(true);
    (await refundDirectly(node, payment.id, '10.00'))._unsafeUnwrap();
    world.processor.slowRefunds(false);
    const [own = { id: '' }] = world.processor.entries()[0]?.refunds ?? [];
    expect(world.processor.endRefund(reference, own.id, 'succeeded').isOk()).toBe(true);
    expect(world.processor.refund(reference, 100n).isOk()).toBe(true);
    expect(world.processor.dispute(reference, 500n).isOk()).toBe(true);
    await deliverMessages(world, node);
    const { items, refundable } = await refundsOf(world, payment.id);
    expect(refundable).toBe('29.00');
    expect(items.map(({ amount, state }) => `${amount} ${state}`).toSorted()).toEqual([
      ...['1.00 succeeded', '10.00 succeeded'],
    ]);
    expect((await told(world)).map(({ data }) => data)).toMatchObject(
      ['10.00', '10.00', '1.00', '5.00'].map((amount) => ({ amount })),
    );
  });

  it('are not reported again if only their amount differs, which needs a person', async (world) => {
    const { payment } = await givenCaptured(world);
    expect((await refundDirectly(world.chairside, payment.id, '10.00')).isOk()).toBe(true);
    const node = withProcessor(
      world,
      listing(world, (listed) => listed.map((one) => ({ ...one, amountMinor: 900n }))),
    );
    await deliverMessages(world, node);
    expect((await refundsOf(world, payment.id)).refundable).toBe('36.00');
    expect(await told(world)).toMatchObject([{ data: { amount: '10.00' } }]);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toMatchObject([
      { reason: 'refundedAnotherAmount' },
    ]);
  });

  it('need nobody if the processor does not show the capture yet', async (world) => {
    const { payment, reference } = await givenPresented(world);
    await captureElsewhere(world, payment.id, reference);
    world.processor.takeEvents()._unsafeUnwrap();
    expect(world.processor.refund(reference, 100n).isOk()).toBe(true);
    const node = withProcessor(world, { readPayment: () => okAsync(undefined) });
    await deliverMessages(world, node);
    expect(await theRefund(world, payment.id)).toMatchObject({ state: 'succeeded' });
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
  });

  it('need a person if they failed elsewhere after the transfer was reversed', async (world) => {
    const { reference } = await givenCaptured(world);
    expect(world.processor.refund(reference, 1000n).isOk()).toBe(true);
    const failed = { state: 'failed', isTransferReversed: true } as const;
    const list = listing(world, (listed) => listed.map((one) => ({ ...one, ...failed })));
    await deliverMessages(world, withProcessor(world, list));
    const reviews = (await world.chairside.listReviews())._unsafeUnwrap();
    expect(reviews).toMatchObject([{ reason: 'refundFailedAfterReversal' }]);
  });

  it('leave room for a refund as they are now, beside a dispute', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    world.processor.slowRefunds(true);
    for (const amount of ['10.00', '10.00']) {
      (await refundDirectly(world.chairside, payment.id, amount))._unsafeUnwrap();
    }
    expect(world.processor.dispute(reference, 1000n).isOk()).toBe(true);
    await deliverMessages(world);
    for (const { id } of world.processor.entries()[0]?.refunds ?? []) {
      expect(world.processor.endRefund(reference, id, 'failed').isOk()).toBe(true);
    }
    const tooMuch = (await refundDirectly(world.chairside, payment.id, '35.01'))._unsafeUnwrapErr();
    expect(tooMuch.attributes).toMatchObject({ refundable: '35.00' });
    expect((await refundDirectly(world.chairside, payment.id, '35.00')).isOk()).toBe(true);
  });
});

describeEverywhere('a message about a refund that is recorded', ({ it }) => {
  it('is remembered, and changes no record', async (world) => {
    const { payment } = await givenCaptured(world);
    await deliverMessages(world);
    expect((await refundDirectly(world.chairside, payment.id)).isOk()).toBe(true);
    const before = (await world.store.payments.get(payment.id))._unsafeUnwrap();
    await deliverMessages(world);
    const commits = world.observations.filter(({ kind }) => kind === 'commit');
    expect(commits.at(-1)).toMatchObject({ changes: ['insertProcessorEvent'] });
    // A refund that finds all recorded writes its claim, and no commit before.
    expect((await refundDirectly(world.chairside, payment.id)).isErr()).toBe(true);
    expect(world.observations.filter(({ kind }) => kind === 'commit')).toEqual(commits);
    expect((await world.store.payments.get(payment.id))._unsafeUnwrap()).toEqual(before);
  });
});

describeEverywhere('a dispute', ({ it, makeWorld }) => {
  const listed = async ({ chairside }: World) => {
    const disputes = ['open', 'won', 'lost'] as const;
    const found = await Promise.all(disputes.map((state) => chairside.listDisputes({ state })));
    return found.flatMap((one) => one._unsafeUnwrap());
  };
  const dueAt = (at: number) => new Date(at).toISOString();

  it('that is an inquiry withholds nothing, and the payment can be refunded', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    world.processor.inquire(reference, 4500n)._unsafeUnwrap();
    await deliverMessages(world);
    const respondBy = dueAt(world.clock.now() + 7 * 24 * hourMs);
    expect(await listed(world)).toMatchObject([
      { state: 'open', amount: '45.00', withheld: '0.00', respondBy },
    ]);
    expect((await refundsOf(world, payment.id)).refundable).toBe('45.00');
    expect((await refundDirectly(world.chairside, payment.id, '45.00')).isOk()).toBe(true);
    expect(await told(world)).toMatchObject([
      { type: 'contactlessPayment.disputed', data: { withheld: '0.00', respondBy } },
      { type: 'contactlessPayment.refunded' },
    ]);
  });

  it('that was an inquiry withholds its amount once that is taken', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    const { subject = '' } = world.processor.inquire(reference, 4000n)._unsafeUnwrap();
    await deliverMessages(world);
    world.processor.withholdDispute(reference, subject)._unsafeUnwrap();
    await deliverMessages(world);
    const [dispute] = await listed(world);
    expect(dispute).toMatchObject({ state: 'open', withheld: '40.00' });
    expect(dispute).not.toHaveProperty('withheldIn');
    expect((await told(world)).at(-1)?.data).not.toHaveProperty('withheldIn');
    expect((await refundsOf(world, payment.id)).refundable).toBe('5.00');
    expect((await refundDirectly(world.chairside, payment.id, '5.01')).isErr()).toBe(true);
  });

  it.for(['won', 'lost'] as const)(
    'that was %s may go on, with a new deadline',
    async (end, world) => {
      const { payment, reference } = await givenCaptured(world);
      const { subject = '' } = world.processor.dispute(reference, 4500n)._unsafeUnwrap();
      await deliverMessages(world);
      world.processor.closeDispute(reference, subject, end)._unsafeUnwrap();
      await deliverMessages(world);
      expect((await refundsOf(world, payment.id)).refundable).toBe(
        end === 'won' ? '45.00' : '0.00',
      );
      world.clock.advance(24 * hourMs);
      world.processor.reopenDispute(reference, subject)._unsafeUnwrap();
      await deliverMessages(world);
      const respondBy = dueAt(world.clock.now() + 7 * 24 * hourMs);
      const withheld = end === 'won' ? '0.00' : '45.00';
      const open = { state: 'open', withheld, respondBy };
      expect(await listed(world)).toMatchObject([open]);
      expect((await refundsOf(world, payment.id)).refundable).toBe('0.00');
      expect((await refundDirectly(world.chairside, payment.id, '1.00')).isErr()).toBe(true);
      expect((await told(world)).at(-1)).toMatchObject({
        type: 'contactlessPayment.disputeChanged',
        data: open,
      });
      world.processor.closeDispute(reference, subject, 'won')._unsafeUnwrap();
      await deliverMessages(world);
      expect((await refundsOf(world, payment.id)).refundable).toBe('45.00');
    },
  );

  it('of what went back already is for a person, once', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    expect((await refundDirectly(world.chairside, payment.id, '15.00')).isOk()).toBe(true);
    const { subject = '' } = world.processor.dispute(reference, 3000n)._unsafeUnwrap();
    await deliverMessages(world);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
    world.processor.refund(reference, 1n)._unsafeUnwrap();
    await deliverMessages(world);
    world.processor.closeDispute(reference, subject, 'lost')._unsafeUnwrap();
    await deliverMessages(world);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toMatchObject([
      { reason: 'givenBackTwice', contactlessPaymentId: payment.id, processorReference: reference },
    ]);
    const [, { id = '' } = {}] = world.processor.entries()[0]?.refunds ?? [];
    world.processor.endRefund(reference, id, 'failed')._unsafeUnwrap();
    await deliverMessages(world);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
  });

  it.for([
    [1000n, 2],
    [1001n, 1],
  ] as const)(
    'of %s holds a refund back whose request was lost, if it leaves too little, until it is won',
    async ([disputed, made], world) => {
      const { payment, reference } = await givenCaptured(world);
      expect((await refundDirectly(world.chairside, payment.id, '20.00')).isOk()).toBe(true);
      world.processor.failNext('refund', 'timeoutBeforeApplying');
      const body = { amount: '15.00' };
      const input = { contactlessPaymentId: payment.id, idempotencyKey: 'k', body };
      const ask = () => world.chairside.refundPayment(host, input);
      expect((await ask()).isErr()).toBe(true);
      const { subject = '' } = world.processor.dispute(reference, disputed)._unsafeUnwrap();
      await deliverMessages(world);
      world.clock.advance(hourMs);
      (await world.chairside.reconcile())._unsafeUnwrap();
      expect((await ask()).isOk()).toBe(made === 2);
      expect(world.processor.entries()[0]?.refunds).toHaveLength(made);
      world.processor.closeDispute(reference, subject, 'won')._unsafeUnwrap();
      await deliverMessages(world);
      expect((await ask())._unsafeUnwrap()).toMatchObject({ amount: '15.00', state: 'succeeded' });
    },
  );

  it('of a refund that was never accepted, or did not take place, is for nobody', async (world) => {
    const { chairside, processor } = world;
    const { payment, reference } = await givenCaptured(world);
    const open = async () =>
      (await chairside.listReviews())._unsafeUnwrap().map(({ reason }) => reason);
    processor.failNext('refund', 'timeoutBeforeApplying');
    expect((await refundDirectly(chairside, payment.id, '45.00')).isErr()).toBe(true);
    processor.dispute(reference, 4500n)._unsafeUnwrap();
    await deliverMessages(world);
    expect(await open()).toEqual([]);
    const other = await givenCaptured(world);
    processor.slowRefunds(true);
    expect((await refundDirectly(chairside, other.payment.id, '45.00')).isOk()).toBe(true);
    processor.dispute(other.reference, 4500n)._unsafeUnwrap();
    await deliverMessages(world);
    expect(await open()).toEqual(['givenBackTwice']);
    for (let day = 0; day < 4; day += 1) {
      world.clock.advance(24 * hourMs);
      (await chairside.reconcile())._unsafeUnwrap();
    }
    processor.disableAccount('acct_shop');
    const reviews = (await chairside.listReviews())._unsafeUnwrap();
    const reviewId = reviews.find(({ reason }) => reason === 'refundWaits')?.id ?? '';
    const said = { reviewId, note: 'The bank says so.', by: 'marlow' };
    (await chairside.resolveReview({ ...said, outcome: 'didNotTakePlace' }))._unsafeUnwrap();
    expect(await open()).not.toContain('givenBackTwice');
  });

  it('and a refund made elsewhere move when the processor says, and come back so (D50)', async (world) => {
    const { processor, clock } = world;
    const { payment, reference } = await givenCaptured(world);
    clock.advance(hourMs);
    const goneAt = clock.now();
    const { subject = '' } = processor.dispute(reference, 2000n)._unsafeUnwrap();
    expect(processor.refund(reference, 1000n).isOk()).toBe(true);
    clock.advance(hourMs);
    // Its books have been read since, and lack both so far.
    const { listEntries } = processor.settlements;
    const none: typeof listEntries = (asked) =>
      listEntries(asked).map((page) => ({ ...page, items: [] }));
    const late = withProcessor(world, {
      settlements: { ...processor.settlements, listEntries: none },
    });
    (await late.reconcile())._unsafeUnwrap();
    await deliverMessages(world, late);
    const backAt = clock.now();
    const [{ id = '' } = {}] = processor.entries()[0]?.refunds ?? [];
    expect(processor.closeDispute(reference, subject, 'won').isOk()).toBe(true);
    expect(processor.endRefund(reference, id, 'failed').isOk()).toBe(true);
    clock.advance(hourMs);
    await deliverMessages(world);
    const moved = (await world.store.movements.listByPayment(payment.id, 9))._unsafeUnwrap();
    const at = (kind: string) => moved.filter((one) => one.kind === kind).map((one) => one.at);
    expect(at('refund').toSorted()).toEqual([goneAt, backAt]);
    expect(at('dispute').toSorted()).toEqual([goneAt, backAt]);
  });

  it('that goes on is found by upkeep, although its message was lost', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    const { subject = '' } = world.processor.dispute(reference, 4500n)._unsafeUnwrap();
    world.processor.closeDispute(reference, subject, 'won')._unsafeUnwrap();
    await pass(world, dayMs);
    world.processor.reopenDispute(reference, subject)._unsafeUnwrap();
    world.processor.takeEvents()._unsafeUnwrap();
    await pass(world, dayMs);
    expect(await listed(world)).toMatchObject([{ state: 'open' }]);
    expect((await refundsOf(world, payment.id)).refundable).toBe('0.00');
  });

  it('in yen is shown in whole yen, and keeps the whole payment', async () => {
    const world = await makeWorld({ shares: true });
    const { payment, reference } = await givenCaptured(world);
    const other = await givenAppointment(world, { amountDue: '30.00' });
    const parts: Part[] = [
      [payment.appointment.id, '15.00'],
      [other, '30.00'],
    ];
    expect((await share(world, payment.id, parts)).status).toBe(201);
    const body = { appointmentId: other, amount: '9.00' };
    const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('refund'), body };
    expect((await world.chairside.refundPayment(host, input)).isOk()).toBe(true);
    const { disputes } = world.processor;
    const bookings = [{ amountMinor: -4300n }];
    const inYen = { amountMinor: 7000n, currency: 'jpy', bookings, bookedIn: 'eur' };
    const node = withProcessor(world, {
      disputes: {
        ...disputes,
        list: (of) => disputes.list(of).map((all) => all.map((one) => ({ ...one, ...inYen }))),
      },
    });
    world.processor.dispute(reference, 4500n)._unsafeUnwrap();
    await deliverMessages(world, node);
    const shown = { amount: '7000', currency: 'jpy', withheld: '43.00', withheldIn: 'eur' };
    expect(await listed(world)).toMatchObject([shown]);
    // No two currencies can be compared, so that it contests what is left.
    const shares = [{ amount: '2917' }, { amount: '4083' }];
    expect((await told(world)).at(-1)?.data).toMatchObject({ ...shown, shares });
    const entries = (await world.store.shares.listByPayment(payment.id, 9))._unsafeUnwrap();
    const lost = entries.filter(({ kind }) => kind === 'dispute');
    expect(lost.map(({ amountMinor }) => amountMinor).toSorted()).toEqual([-2508n, 2508n]);
    expect((await refundsOf(world, payment.id)).refundable).toBe('0.00');
  });
});

describeEverywhere('a dispute at a processor without lists', ({ it }) => {
  it('follows its messages by the times that they carry', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    await deliverMessages(world);
    expect(world.processor.dispute(reference, 1500n).isOk()).toBe(true);
    const respondBy = world.clock.now() + 240 * hourMs;
    const at = world.clock.now() - 60 * secondMs;
    const seen: {
      amountMinor: bigint;
      dispute: Omit<ProcessorDispute, 'reference' | 'amountMinor'> & { at: number };
    } = {
      amountMinor: 1500n,
      dispute: { state: 'open', bookings: [{ amountMinor: -1500n }], at, respondBy },
    };
    const message = takeMessage(world);
    let count = 0;
    const node = withProcessor(world, {
      disputes: { ...world.processor.disputes, list: () => okAsync([]) },
      parseEvent: (event, now) =>
        world.processor.parseEvent(event, now).map((parsed) => {
          count += 1;
          return parsed.kind === 'dispute' ? { ...parsed, ...seen, id: `evt_${count}` } : parsed;
        }),
    });
    const receive = async () => (await node.receiveProcessorEvent(message))._unsafeUnwrap().outcome;
    expect(await receive()).toBe('applied');
    seen.amountMinor = 2000n;
    const taken = { amountMinor: -2000n };
    seen.dispute = { state: 'open', bookings: [taken], at: at + 10 * secondMs, respondBy };
    expect(await receive()).toBe('applied');
    expect((await refundsOf(world, payment.id)).refundable).toBe('25.00');
    const bookings = [taken, { amountMinor: 2000n }];
    seen.dispute = { state: 'won', bookings, at: at + 20 * secondMs };
    expect(await receive()).toBe('applied');
    expect((await refundsOf(world, payment.id)).refundable).toBe('45.00');
    const type = (name: string) => `contactlessPayment.${name}`;
    const due = new Date(respondBy).toISOString();
    expect(await told(world)).toMatchObject([
      { type: type('disputed'), data: { amount: '15.00', state: 'open', respondBy: due } },
      { type: type('disputeChanged'), data: { amount: '20.00', state: 'open', respondBy: due } },
      { type: type('disputeWon'), data: { amount: '20.00', state: 'won', respondBy: due } },
    ]);
  });

  it('says no deadline in its event, if the processor states none', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    const { disputes } = world.processor;
    const node = withProcessor(world, {
      disputes: {
        ...disputes,
        list: (payment) =>
          disputes.list(payment).map((listed) =>
            listed.map(({ respondBy: _none, reason: _noReason, ...one }) => ({
              ...one,
              bookings: one.bookings.map(({ amountMinor }) => ({ amountMinor })),
            })),
          ),
      },
      settlements: undefined,
    });
    const openedAt = world.clock.now();
    expect(world.processor.dispute(reference, 1500n).isOk()).toBe(true);
    world.clock.advance(secondMs);
    await deliverMessages(world, node);
    const [event] = await told(world);
    for (const member of ['respondBy', 'shares']) expect(event?.data).not.toHaveProperty(member);
    const moved = (await world.store.movements.listByPayment(payment.id, 9))._unsafeUnwrap();
    expect(moved).toMatchObject([{ kind: 'dispute', at: openedAt }]);
    const [open] = (await world.chairside.listDisputes({ state: 'open' }))._unsafeUnwrap();
    expect(open).not.toHaveProperty('respondBy');
    expect(open).not.toHaveProperty('reason');
  });
});
