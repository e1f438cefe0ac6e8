import {
  type CloudEvent,
  errAsync,
  hourMs,
  type InputOf,
  moneyEntryOf,
  okAsync,
} from '@chairside/core';
import type { ProcessorError, Store } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { problem } from '../src/answer.ts';
import { charge, chargeBody, givenBooking } from '../src/charges.ts';
import { dayAt, dayMs, pass, statement } from '../src/day.ts';
import {
  ada,
  cancel,
  captureInput,
  deliverMessages,
  host,
  readingAs,
  withLedger,
  withProcessor,
} from '../src/elsewhere.ts';
import {
  capture,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPresented,
  ledgerOf,
  stored,
} from '../src/shop.ts';
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

const lost: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: false };
const word = { note: 'The bank shows it.', by: 'marlow' } as const;

/** The account is gone before a capture arrives, and a person says that it took place. */
async function givenSaid(world: World, outcome: NonNullable<InputOf<'resolveReview'>['outcome']>) {
  const given = await givenPresented(world);
  const losing = withProcessor(world, {
    capturePayment: () => {
      world.processor.disableAccount('acct_shop');
      return errAsync(lost);
    },
  });
  const asked = await losing.captureContactlessPayment(
    ada,
    captureInput(given.payment.id, given.reference),
  );
  expect(asked._unsafeUnwrapErr().status).toBe(503);
  await say(world, outcome);
  return { ...given, appointmentId: given.payment.appointment.id };
}

async function say(world: World, outcome: NonNullable<InputOf<'resolveReview'>['outcome']>) {
  await pass(world, 80 * hourMs);
  const [review] = (await world.chairside.listReviews())._unsafeUnwrap();
  const said = { reviewId: review?.id ?? '', outcome, ...word };
  (await world.chairside.resolveReview(said))._unsafeUnwrap();
  expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
}

/** The account is back, and the processor cancels the payment. */
async function cancelThere(world: World, { id, reference }: { id: string; reference: string }) {
  world.processor.enableAccount('acct_shop');
  const handle = { account: 'acct_shop', paymentId: id, installation: 'chairside', reference };
  const asked = { ...handle, begunAt: world.clock.now(), idempotencyKey: fresh('there') };
  (await world.processor.cancelPayment(asked))._unsafeUnwrap();
}

async function told(world: World): Promise<readonly CloudEvent[]> {
  const events: CloudEvent[] = [];
  for (let round = 0; round < 9; round += 1) {
    (
      await world.chairside.events.deliver(async (event) => {
        events.push(event);
      })
    )._unsafeUnwrap();
  }
  return events;
}

const reasons = async ({ chairside }: World) =>
  (await chairside.listReviews())._unsafeUnwrap().map(({ reason }) => reason);

/** The processor captured, its reply was lost, and the account is gone. */
async function givenCapturedUnheard(world: World) {
  const { payment, reference } = await givenPresented(world);
  const losing = withProcessor(world, {
    capturePayment: (request) =>
      world.processor.capturePayment(request).andThen(() => {
        world.processor.disableAccount('acct_shop');
        return errAsync(lost);
      }),
  });
  const input = captureInput(payment.id, reference);
  expect((await losing.captureContactlessPayment(ada, input)).isErr()).toBe(true);
  return payment;
}

describeEverywhere('a word that the processor contradicts (D201)', (makeWorld) => {
  it.each([
    ['a message', deliverMessages],
    ['upkeep', (world: World) => pass(world, 2 * dayMs)],
  ] as const)('takes a capture back that was none, by %s', async (_by, learn) => {
    const world = await makeWorld();
    const { payment, reference, appointmentId } = await givenSaid(world, 'tookPlace');
    const { id } = payment;
    const saidOn = dayAt(world.clock.now());
    await pass(world, 4 * dayMs);
    const before = await statement(world, saidOn);
    expect(before.shop).toMatchObject([{ payments: 1, captured: '45.00' }]);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ capturedMinor: 4500n });

    await cancelThere(world, { id, reference });
    await learn(world);
    expect(await stored(world, id)).toMatchObject({
      state: 'canceled',
      review: 'capturedHereCanceledThere',
    });
    expect(await reasons(world)).toEqual(['capturedHereCanceledThere']);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({
      capturedMinor: 0n,
      reservedMinor: 0n,
      openPayments: 0,
    });
    const events = (await told(world)).filter(({ subject }) => subject === id);
    expect(events.map(({ type }) => type.replace('contactlessPayment.', '')).slice(-2)).toEqual([
      'captured',
      'canceled',
    ]);
    const entries = events.map((event) => moneyEntryOf(event)._unsafeUnwrap()).filter(Boolean);
    expect(entries.map((entry) => entry?.paidMinor)).toEqual([4500n, 0n]);
    const { timeline } = await stored(world, id);
    expect(timeline.map(({ what }) => what)).toContain('tookPlace');
    expect(timeline.at(-1)).toMatchObject({ what: 'canceled' });

    // The day of the word keeps its figures, and the day of the processor's time takes the amount back.
    const correctedOn = dayAt(world.clock.now() - (_by === 'upkeep' ? dayMs : 0));
    await pass(world, 3 * dayMs);
    const after = await statement(world, saidOn);
    expect([after.shop, after.state]).toEqual([before.shop, 'closed']);
    const days = await Promise.all(
      [correctedOn, dayAt(Date.parse(`${correctedOn}T12:00:00Z`) + dayMs)].map((day) =>
        statement(world, day),
      ),
    );
    const sums = days.flatMap(({ shop }) => shop);
    expect(sums).toMatchObject([{ payments: 0, captured: '-45.00', settled: '0.00' }]);
    expect(days.map(({ state }) => state)).not.toContain('differs');
    // The visit is owed again, and the payment cannot be refunded.
    expect((await create(world, appointmentId)).status).toBe(201);
    const refunded = { contactlessPaymentId: id, idempotencyKey: 'r', body: {} };
    const refused = await world.chairside.refundPayment(host, refunded);
    expect(refused._unsafeUnwrapErr().attributes).toMatchObject({ reason: 'notCaptured' });
    const key = fresh('key');
    problem(await capture(world, id, reference, { key }), 'contactlessPaymentCanceled');
  });

  it('frees the slot of a charge, and its part of the deposits', async () => {
    const world = await makeWorld();
    const { appointmentId, method } = await givenBooking(world);
    const losing = withProcessor(world, {
      capturePayment: () => {
        world.processor.disableAccount('acct_shop');
        return errAsync(lost);
      },
    });
    const input = { appointmentId, idempotencyKey: fresh('key'), body: chargeBody(method) };
    expect((await losing.chargePaymentMethod(host, input))._unsafeUnwrapErr().status).toBe(503);
    await say(world, 'tookPlace');
    const saidOn = dayAt(world.clock.now());
    const [charged] = (
      await world.store.payments.listByAppointment(appointmentId, 1)
    )._unsafeUnwrap();
    const { id = '', reference = '' } = charged ?? {};
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ chargeId: id });
    expect((await statement(world, saidOn)).shop).toMatchObject([{ deposits: '20.00' }]);
    await cancelThere(world, { id, reference });
    await deliverMessages(world);
    const sums = await statement(world, saidOn);
    // On one day, the word and its correction cancel out.
    expect(sums.shop).toMatchObject([{ captured: '0.00', payments: 0 }]);
    expect(sums.shop[0]).not.toHaveProperty('deposits');
    expect((await charge(world, appointmentId, method)).status).toBe(201);
  });

  it('records a capture that a person denied, once upkeep can read it', async () => {
    const world = await makeWorld();
    const opened = await givenCapturedUnheard(world);
    await say(world, 'didNotTakePlace');
    world.processor.enableAccount('acct_shop');
    await pass(world, 2 * dayMs);
    expect(await stored(world, opened.id)).toMatchObject({
      state: 'captured',
      review: 'canceledHereCapturedThere',
    });
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ capturedMinor: 4500n });
    expect(await reasons(world)).toEqual(['canceledHereCapturedThere']);
  });

  it('asks no more once the processor has shown the same', async () => {
    const world = await makeWorld();
    const opened = await givenCapturedUnheard(world);
    await say(world, 'tookPlace');
    world.processor.enableAccount('acct_shop');
    await pass(world, 2 * dayMs);
    expect((await stored(world, opened.id)).timeline.at(-1)).toMatchObject({ what: 'confirmed' });
    await pass(world, 5 * dayMs);
    expect(await stored(world, opened.id)).toMatchObject({ state: 'captured', clientSecret: '' });
    expect(await stored(world, opened.id)).not.toHaveProperty('nextCheckAt');
    expect(await reasons(world)).toEqual([]);
  });

  it('releases a hold that lies there still, after a word that nothing was taken', async () => {
    const world = await makeWorld();
    const { payment: opened } = await givenSaid(world, 'didNotTakePlace');
    world.processor.enableAccount('acct_shop');
    const canceled: string[] = [];
    const isHeld = () => canceled.length === 0;
    const later = withProcessor(world, {
      readPayment: readingAs(world, (seen) =>
        isHeld() ? { ...seen, status: 'authorized' } : seen,
      ),
      cancelPayment: (request) => {
        canceled.push(request.paymentId);
        return world.processor.cancelPayment(request);
      },
    });
    await pass({ clock: world.clock, chairside: later }, 3 * dayMs);
    expect(canceled).toEqual([opened.id]);
    expect((await stored(world, opened.id)).timeline.at(-1)).toMatchObject({ what: 'confirmed' });
    expect(await reasons(world)).toEqual([]);
  });

  it('asks for thirty days at most, and forgets the keys in time', async () => {
    const world = await makeWorld();
    const { payment } = await givenSaid(world, 'tookPlace');
    await pass(world, 4 * dayMs);
    expect(await stored(world, payment.id)).toMatchObject({ clientSecret: '' });
    expect(await stored(world, payment.id)).toHaveProperty('nextCheckAt');
    await pass(world, 30 * dayMs);
    expect(await stored(world, payment.id)).not.toHaveProperty('nextCheckAt');
  });

  it.each([
    ['tookPlace', false, 'failed', ['refundedHereFailedThere']],
    ['tookPlace', true, 'succeeded', []],
    ['didNotTakePlace', true, 'succeeded', ['refundedAfterFailure']],
    ['didNotTakePlace', false, 'failed', []],
  ] as const)(
    'of a refund: %s, and the processor says %s',
    async (outcome, isMade, state, found) => {
      const world = await makeWorld();
      const { payment: captured } = await givenCaptured(world);
      const { id } = captured;
      const { refunds: real } = world.processor;
      const losing = withProcessor(world, {
        refunds: {
          ...real,
          refund: (request) => {
            const made = isMade ? real.refund(request) : errAsync(lost);
            const gone = () => {
              world.processor.disableAccount('acct_shop');
              return errAsync(lost);
            };
            return made.andThen(gone).orElse(gone);
          },
        },
      });
      const input = { contactlessPaymentId: id, idempotencyKey: 'r', body: { amount: '20.00' } };
      expect((await losing.refundPayment(host, input)).isErr()).toBe(true);
      await say(world, outcome);
      const saidOn = dayAt(world.clock.now());
      await pass(world, 2 * dayMs);
      const before = await statement(world, saidOn);
      world.processor.enableAccount('acct_shop');
      await pass(world, 4 * dayMs);
      const refunds = (await world.store.refunds.listByPayment(id, 10))._unsafeUnwrap();
      expect(refunds).toMatchObject([{ state, amountMinor: 2000n }]);
      expect(await reasons(world)).toEqual(found);
      expect((await statement(world, saidOn)).shop).toEqual(before.shop);
      const moved = (await world.store.movements.listByPayment(id, 10))._unsafeUnwrap();
      const netMinor = moved.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
      expect(netMinor).toBe(isMade ? -2000n : 0n);
      // Whatever was said, the shop can give back exactly what the processor still has.
      const rest = { ...input, idempotencyKey: 'rest', body: {} };
      const given = (await world.chairside.refundPayment(host, rest))._unsafeUnwrap();
      expect(given.amount).toBe(isMade ? '25.00' : '45.00');
      await pass(world, 6 * dayMs);
      for (let back = 5; back <= 17; back += 1) {
        const day = await statement(world, dayAt(world.clock.now() - back * dayMs));
        expect([day.day, day.state]).toEqual([day.day, 'closed']);
      }
    },
  );
});
