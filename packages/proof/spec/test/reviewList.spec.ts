import { type CloudEvent, errAsync, hourMs, okAsync, type Store } from '@chairside/core';
import { expect, it } from 'vitest';
import { cancel, deliverMessages, withLedger, withProcessor } from '../src/elsewhere.ts';
import { create, givenAppointment, givenCaptured, givenPresented } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

async function reviews(
  { chairside }: Pick<World, 'chairside'>,
  state: 'open' | 'resolved' = 'open',
) {
  return (await chairside.listReviews({ state }))._unsafeUnwrap();
}

async function reconciled({ chairside }: Pick<World, 'chairside'>) {
  return (await chairside.reconcile())._unsafeUnwrap();
}

async function delivered({ chairside }: Pick<World, 'chairside'>): Promise<readonly string[]> {
  const told: string[] = [];
  for (let rounds = 0; rounds < 10; rounds += 1) {
    const handed = await chairside.events.deliver(async (event) => {
      const about = event.type === 'review.opened' ? event.data.reviewId : stateOrAmount(event);
      told.push(`${event.type} ${about}`);
    });
    expect(handed.isOk()).toBe(true);
  }
  return told;
}

function stateOrAmount({ data }: CloudEvent): string | undefined {
  if ('state' in data) return data.state;
  return 'amount' in data ? data.amount : undefined;
}

/** A payment with our mark that is captured at the processor and not stored here. */
async function capturedOrphan({ processor, clock }: World): Promise<string> {
  const handle = {
    account: 'acct_shop',
    paymentId: 'cpm_orphan',
    installation: 'chairside',
    begunAt: clock.now(),
  };
  const money = { amountMinor: 100n, currency: 'eur' };
  const opened = await processor.openPayment({ ...handle, ...money, idempotencyKey: 'o' });
  const { clientSecret, reference = '' } = opened._unsafeUnwrap();
  expect(processor.presentCard(clientSecret, 'visa_credit').isOk()).toBe(true);
  const capture = { ...handle, ...money, reference, idempotencyKey: 'c' };
  expect((await processor.capturePayment(capture)).isOk()).toBe(true);
  return reference;
}

/** A payment that was canceled here and captured at the processor. */
async function givenTakenAnyway(world: World): Promise<string> {
  const { payment } = await givenPresented(world);
  expect((await cancel(world, payment.id)).isOk()).toBe(true);
  const taken = withLedger(world, (seen) => ({
    ...seen,
    status: 'captured',
    capturedMinor: 4500n,
  }));
  await deliverMessages(world, taken);
  return payment.id;
}

describeEverywhere('the list of reviews', (makeWorld) => {
  it('has a payment as soon as it needs a person, with an event for the host', async () => {
    const world = await makeWorld();
    const contactlessPaymentId = await givenTakenAnyway(world);
    const [review, ...others] = await reviews(world);
    expect(others).toEqual([]);
    expect(review).toMatchObject({
      id: expect.stringMatching(/^rev_/),
      reason: 'canceledHereCapturedThere',
      contactlessPaymentId,
      openedAt: expect.any(String),
    });
    expect(await delivered(world)).toContain(`review.opened ${review?.id}`);
    await reconciled(world);
    expect(await reviews(world)).toEqual([review]);
  });

  it('keeps an entry until a person resolves it with a note (D43)', async () => {
    const world = await makeWorld();
    await givenTakenAnyway(world);
    const [open] = await reviews(world);
    const { id: reviewId = '' } = open ?? {};
    for (const member of ['resolvedAt', 'note']) expect(open).not.toHaveProperty(member);
    const resolve = (note: string, id = reviewId) =>
      world.chairside.resolveReview({ reviewId: id, note });
    const resolved = (await resolve('Paid back by hand.'))._unsafeUnwrap();
    const resolvedAt = '2026-11-02T09:00:00.000Z';
    expect(resolved).toEqual({ ...open, resolvedAt, note: 'Paid back by hand.' });
    expect(await reviews(world)).toEqual([]);
    expect(await reviews(world, 'resolved')).toEqual([resolved]);
    expect((await resolve('Paid back by hand.'))._unsafeUnwrap()).toEqual(resolved);
    expect((await resolve('Another note.'))._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'alreadyResolved' },
    });
    expect((await resolve('x', 'rev_none'))._unsafeUnwrapErr().status).toBe(404);
    expect((await resolve('x', '\u0000'))._unsafeUnwrapErr().status).toBe(404);
    expect((await resolve(''))._unsafeUnwrapErr().status).toBe(400);
    expect((await resolve('x'.repeat(2001)))._unsafeUnwrapErr().status).toBe(400);
    expect((await resolve('x'.repeat(2000)))._unsafeUnwrapErr().status).toBe(409);
    await deliverMessages(world);
    await reconciled(world);
    expect(await reviews(world)).toEqual([]);
  });

  it('has a captured orphan once, even if the process died after finding it (D43)', async () => {
    const world = await makeWorld({ store: failingSweeps });
    await givenCaptured(world);
    const processorReference = await capturedOrphan(world);
    world.clock.advance(2 * hourMs);
    await reconciled(world);
    expect(await reviews(world)).toEqual([]);
    for (let runs = 0; runs < 3; runs += 1) {
      world.clock.advance(hourMs);
      await reconciled(world);
    }
    const about = { reason: 'orphanCaptured', processorReference };
    expect(await reviews(world)).toMatchObject([about]);
    expect((await delivered(world)).filter((told) => told.startsWith('review'))).toHaveLength(1);
  });

  it('has a payment that the adapter cannot read in the processor’s list (D51)', async () => {
    const world = await makeWorld();
    const { reference } = await givenCaptured(world);
    const openedAt = world.clock.now();
    world.clock.advance(2 * hourMs);
    const elsewhere = withProcessor(world, {
      listPayments: (request) =>
        world.processor.listPayments(request).map((page) => ({
          ...page,
          items: [],
          unreadable: [{ account: 'acct_shop', reference, openedAt }],
        })),
    });
    for (let runs = 0; runs < 2; runs += 1) {
      expect((await elsewhere.reconcile()).isOk()).toBe(true);
      world.clock.advance(hourMs);
    }
    const about = { reason: 'unreadableAtProcessor', processorReference: reference };
    expect(await reviews(world)).toMatchObject([about]);
  });

  it('has 20 entries of an account and reason, and counts further payments in one more (D43)', async () => {
    const world = await makeWorld();
    await givenCaptured(world);
    const from = world.clock.now();
    const sweepOf = async (count: number, account = 'acct_shop') => {
      const unreadable = Array.from({ length: count }, (_, index) => ({
        account,
        reference: `pi_${account}_${index}`,
        openedAt: from + Math.floor(index / 7) * 1000, // a processor's times are whole seconds
      }));
      const forged = withProcessor(world, {
        listPayments: (request) =>
          world.processor.listPayments(request).map((page) => ({ ...page, items: [], unreadable })),
      });
      world.clock.advance(2 * hourMs);
      expect((await forged.reconcile()).isOk()).toBe(true);
      const listed = await reviews(world);
      return {
        single: listed.filter((review) => review.account === account && !('count' in review)),
        folded: listed.filter((review) => review.account === account && 'count' in review),
      };
    };
    const first = await sweepOf(63);
    expect(first.single).toHaveLength(20);
    expect(first.folded).toMatchObject([{ reason: 'unreadableAtProcessor', count: 43 }]);
    for (const member of ['processorReference', 'contactlessPaymentId']) {
      expect(first.folded[0]).not.toHaveProperty(member);
    }
    // The same payments, found by a later pass, are not counted again.
    expect(await sweepOf(63)).toEqual(first);
    const [{ id = '' } = {}] = first.folded;
    expect(await sweepOf(300)).toMatchObject({
      single: first.single,
      folded: [{ id, count: 280 }],
    });
    expect((await sweepOf(3, 'acct_other')).single).toHaveLength(3);
    expect((await delivered(world)).filter((told) => told.startsWith('review'))).toHaveLength(24);

    const resolved = await world.chairside.resolveReview({ reviewId: id, note: 'Of another app.' });
    expect(resolved._unsafeUnwrap()).toMatchObject({ count: 280, note: 'Of another app.' });
  });

  it('resolves an unsettled create once it is closed', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    world.processor.failNext('openPayment', 'timeoutBeforeApplying');
    world.processor.failNext('readPayment', 'timeoutBeforeApplying', 1000);
    expect((await create(world, appointmentId)).status).toBe(503);
    for (let hours = 0; hours < 40; hours += 1) {
      world.clock.advance(2 * hourMs);
      await reconciled(world);
    }
    expect(await reviews(world)).toMatchObject([{ reason: 'unsettled' }]);
    const readable = withProcessor(world, { readPayment: () => okAsync(undefined) });
    world.clock.advance(2 * hourMs);
    await reconciled({ chairside: readable });
    expect(await reviews(world)).toEqual([]);
    expect(await reviews(world, 'resolved')).toMatchObject([{ reason: 'unsettled' }]);
  });

  it('resolves an unsettled payment once it is settled', async () => {
    const world = await makeWorld();
    const { payment } = await givenPresented(world);
    world.processor.failNext('readPayment', 'timeoutBeforeApplying', 1000);
    for (let hours = 0; hours < 40; hours += 1) {
      world.clock.advance(2 * hourMs);
      await reconciled(world);
    }
    const about = { reason: 'unsettled', contactlessPaymentId: payment.id };
    expect(await reviews(world)).toMatchObject([about]);
    const readable = withProcessor(world, {
      readPayment: (handle) => world.processor.cancelPayment({ ...handle, idempotencyKey: 'x' }),
    });
    world.clock.advance(2 * hourMs);
    expect((await readable.reconcile()).isOk()).toBe(true);
    expect(await reviews(world)).toEqual([]);
    expect(await reviews(world, 'resolved')).toMatchObject([about]);
  });
});

/** Loses the first commit that stores the progress of a sweep. */
function failingSweeps(real: Store): Store {
  let isLost = false;
  return {
    ...real,
    commit(commit) {
      if (isLost || !commit.changes.some(({ kind }) => kind === 'putSweep')) {
        return real.commit(commit);
      }
      isLost = true;
      return errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' });
    },
  };
}

describeEverywhere('a refund or dispute', (makeWorld) => {
  it.for(['refund', 'dispute'] as const)(
    'is reported once, even if its message is repeated after eight days: %s (D55)',
    async (kind) => {
      const world = await makeWorld();
      const { reference } = await givenCaptured(world);
      await deliverMessages(world);
      expect(world.processor[kind](reference, 1000n).isOk()).toBe(true);
      const [message] = world.processor.takeEvents()._unsafeUnwrap();
      if (message === undefined) throw new Error('no message');
      const receive = async () => {
        const event = world.processor.signEvent(message.payload);
        return (await world.chairside.receiveProcessorEvent(event))._unsafeUnwrap().outcome;
      };
      expect(await receive()).toBe('applied');
      world.clock.advance(8 * 24 * hourMs);
      await reconciled(world);
      await reconciled(world);
      expect(await receive()).toBe('duplicate');
      const told = (await delivered(world)).filter((one) => /refunded|disputed/.test(one));
      expect(told).toHaveLength(1);
    },
  );
});
