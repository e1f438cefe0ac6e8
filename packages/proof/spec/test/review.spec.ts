import {
  type Chairside,
  type CloudEvent,
  createChairside,
  errAsync,
  hourMs,
  type InputOf,
  moneyEntriesOf,
  moneyEntryOf,
  okAsync,
  ResultAsync,
} from '@chairside/core';
import {
  type Commit,
  isCounted,
  type ProcessorError,
  type ProcessorPayment,
  type ProcessorRefund,
  type Store,
} from '@chairside/core/ports';
import { expect } from 'vitest';
import { payment, problem } from '../src/answer.ts';
import { charge, chargeBody, givenBooking } from '../src/charges.ts';
import { dayAt, dayMs, pass, statement } from '../src/day.ts';
import {
  ada,
  cancel,
  captureInput,
  deliverMessages,
  givenOrphan,
  host,
  interrupted,
  readingAs,
  withBooks,
  withProcessor,
} from '../src/elsewhere.ts';
import { share } from '../src/shares.ts';
import {
  bookEntry,
  capture,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPresented,
  ledgerOf,
  reconciled,
  stored,
  until,
} from '../src/shop.ts';
import { delivered } from '../src/told.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const keyRetentionMs = 72 * hourMs;

async function reported({ chairside }: World): Promise<readonly string[]> {
  return (await chairside.reconcile())._unsafeUnwrap().needReview;
}

const takenAnyway = (seen: ProcessorPayment): ProcessorPayment => ({
  ...seen,
  status: 'captured',
  capturedMinor: 4500n,
});

function listingAs({ processor }: World, status: ProcessorPayment['status']) {
  const listPayments: typeof processor.listPayments = (request) =>
    processor
      .listPayments(request)
      .map((page) => ({ ...page, items: page.items.map((item) => ({ ...item, status })) }));
  return { listPayments };
}

type Presented = Awaited<ReturnType<typeof givenPresented>>;

function isCapture({ changes }: Commit): boolean {
  return changes.some(
    (change) => change.kind === 'updatePayment' && change.payment.state === 'captured',
  );
}

describeEverywhere('a payment that needs a review', ({ it, makeWorld }) => {
  it('is reported by the next reconcile, and its keys are kept', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    expect((await cancel(world, opened.id)).isOk()).toBe(true);
    await deliverMessages(world, withBooks(world, takenAnyway));
    expect(await stored(world, opened.id)).toMatchObject({
      state: 'captured',
      review: 'canceledHereCapturedThere',
    });
    expect(await reported(world)).toEqual([opened.id]);
    expect(await reported(world)).toEqual([]);

    const key = fresh('key');
    payment(await capture(world, opened.id, reference, { key }), 200);
    world.clock.advance(keyRetentionMs - 1);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await world.store.keys.get('user-ada', key))._unsafeUnwrap()).toBeDefined();
    world.clock.advance(1);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await world.store.keys.get('user-ada', key))._unsafeUnwrap()).toBeUndefined();
  });

  it('is reported at once, although its payment is requested again meanwhile', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    expect((await cancel(world, opened.id)).isOk()).toBe(true);
    await deliverMessages(world, withBooks(world, takenAnyway));
    payment(await capture(world, opened.id, reference), 200);
    expect(await reported(world)).toEqual([opened.id]);
  });

  it.for([
    ['more than is due', '45.00', { review: 'capturedBeyondDue' }],
    ['no more than is due', '25.00', {}],
  ])('has %s captured by another system after our capture', async ([_, amount, marked], world) => {
    const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
    const ours = await givenPresented(world, { appointmentId, amount: '20.00' });
    const theirs = await givenPresented(world, { appointmentId, amount });
    payment(await capture(world, ours.payment.id, ours.reference), 200);
    const capturedMinor = BigInt(amount.replace('.', ''));
    const taken = withBooks(world, (seen) =>
      seen.reference === theirs.reference ? { ...seen, status: 'captured', capturedMinor } : seen,
    );
    await deliverMessages(world, taken);
    const { state, review } = await stored(world, theirs.payment.id);
    expect({ state, ...(review && { review }) }).toEqual({ state: 'captured', ...marked });
    expect(await reported(world)).toEqual('review' in marked ? [theirs.payment.id] : []);
  });

  it('was captured by another system while ours was captured', async () => {
    let meanwhile: (() => Promise<unknown>) | undefined;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        ledgers: {
          ...real.ledgers,
          get: (appointmentId) => real.ledgers.get(appointmentId).andThrough(() => strike()),
        },
      }),
    });
    // Once, after the first read of the ledger.
    function strike() {
      const act = meanwhile;
      meanwhile = undefined;
      return ResultAsync.fromSafePromise(Promise.resolve(act?.()));
    }
    for (const isCanceling of [false, true]) {
      const appointmentId = await givenAppointment(world, { amountDue: '50.00' });
      const ours = await givenPresented(world, { appointmentId, amount: '30.00' });
      const theirs = await givenPresented(world, { appointmentId, amount: '30.00' });
      const taken = withBooks(world, (seen) =>
        seen.reference === theirs.reference
          ? { ...seen, status: 'captured', capturedMinor: 3000n }
          : seen,
      );
      meanwhile = () => capture(world, ours.payment.id, ours.reference);
      if (isCanceling) {
        const canceled = await cancel({ chairside: taken }, theirs.payment.id);
        expect(canceled._unsafeUnwrapErr()).toMatchObject({ attributes: { reason: 'captured' } });
      }
      await deliverMessages(world, taken);
      expect((await stored(world, ours.payment.id)).state).toBe('captured');
      expect(await stored(world, theirs.payment.id)).toMatchObject({
        state: 'captured',
        review: 'capturedBeyondDue',
      });
      expect(await ledgerOf(world, appointmentId)).toMatchObject({ capturedMinor: 6000n });
    }
  });

  it.for([
    ['a message', async (taken: Chairside, world: World) => deliverMessages(world, taken)],
    [
      'a capture',
      async (taken: Chairside, _: World, { payment: { id }, reference }: Presented) => {
        const input = captureInput(id, reference);
        (await taken.captureContactlessPayment(ada, input))._unsafeUnwrap();
      },
    ],
  ])('is found captured by %s while the host lowers the amount due', async ([_, find]) => {
    let lower: (() => Promise<unknown>) | undefined;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        commit: (asked) => {
          const act = isCapture(asked) ? lower : undefined;
          if (act !== undefined) lower = undefined;
          return ResultAsync.fromSafePromise(Promise.resolve(act?.())).andThen(() =>
            real.commit(asked),
          );
        },
      }),
    });
    const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
    const presented = await givenPresented(world, { appointmentId });
    let told: unknown;
    lower = async () => {
      const appointment = (await world.store.appointments.get(appointmentId))._unsafeUnwrap();
      if (appointment === undefined) throw new Error('The appointment exists.');
      const put = await world.chairside.records.putAppointment({
        ...appointment,
        amountDueMinor: 2000n,
      });
      told = put._unsafeUnwrap();
    };
    await find(withBooks(world, takenAnyway), world, presented);
    expect(told).toMatchObject({ captured: '0.00', reserved: '0.00' });
    expect(await stored(world, presented.payment.id)).toMatchObject({
      state: 'captured',
      review: 'capturedBeyondDue',
    });
    expect(await reported(world)).toEqual([presented.payment.id]);
    const reviews = (await world.chairside.listReviews())._unsafeUnwrap();
    expect(reviews.map(({ reason }) => reason)).toEqual(['capturedBeyondDue']);
  });

  it('shortens no key’s retention', async (world) => {
    const { payment: opened, reference } = await givenCaptured(world);
    world.clock.advance(71 * hourMs);
    const key = fresh('key');
    payment(await capture(world, opened.id, reference, { key }), 200);
    world.clock.advance(2 * hourMs);
    await deliverMessages(
      world,
      withBooks(world, (seen) => ({ ...seen, status: 'canceled' })),
    );
    expect(await reported(world)).toEqual([opened.id]);
    expect((await world.store.keys.get('user-ada', key))._unsafeUnwrap()).toBeDefined();
  });

  it.for([
    ['canceled', 'a message'],
    ['authorized', 'a message'],
    ['failed', 'a message'],
    ['failed', "the processor's list"],
  ] as const)(
    'includes payments captured here and %s at the processor, found by %s',
    async ([status, by], world) => {
      const { payment: opened } = await givenCaptured(world);
      const { processor, clock } = world;
      const readPayment = readingAs(world, (seen) => ({ ...seen, status }));
      const lost = withProcessor(world, { readPayment, ...listingAs(world, status) });
      if (by === 'a message') await deliverMessages(world, lost);
      else {
        clock.advance(2 * hourMs);
        // A page that is older than the capture is no news.
        const late = withProcessor(world, listingAs(world, status));
        expect((await late.reconcile())._unsafeUnwrap().needReview).toEqual([]);
        expect(await stored(world, opened.id)).not.toHaveProperty('review');
        await givenCaptured(world);
        clock.advance(2 * hourMs);
        expect((await lost.reconcile()).isOk()).toBe(true);
      }
      expect(processor.count('cancelPayment').made).toBe(0);
      const [review] = (await world.chairside.listReviews())._unsafeUnwrap();
      expect(review).toMatchObject({ reason: 'capturedHereCanceledThere' });
      const id = review?.contactlessPaymentId ?? '';
      expect((await stored(world, id)).state).toBe('captured');
      expect(await reported(world)).toEqual([id]);
    },
  );

  it('is reported even if the rest of the run fails, which the observer sees', async () => {
    let isFailing = '';
    const unavailable = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        commit: (commit) =>
          commit.changes.some(({ kind }) => kind === isFailing)
            ? errAsync(unavailable)
            : real.commit(commit),
        setups: {
          ...real.setups,
          listDue: (now, limit) =>
            isFailing === 'setups' ? errAsync(unavailable) : real.setups.listDue(now, limit),
        },
        sweeps: {
          ...real.sweeps,
          listStale: (sweptBefore, limit) =>
            isFailing === 'sweeps'
              ? errAsync(unavailable)
              : real.sweeps.listStale(sweptBefore, limit),
        },
      }),
    });
    const { chairside, observations } = world;
    for (const [part, told] of [
      ['forget', ['reconcile']],
      ['sweeps', ['sweep']],
    ] as const) {
      const { payment: opened } = await givenCaptured(world);
      await deliverMessages(
        world,
        withBooks(world, (seen) => ({ ...seen, status: 'canceled' })),
      );
      const from = observations.length;
      isFailing = part;
      expect(await reported(world)).toEqual([opened.id]);
      const failures = observations.slice(from).filter(({ kind }) => kind === 'failure');
      expect(failures).toMatchObject(told.map((name) => ({ name, outcome: unavailable.kind })));
      isFailing = '';
    }

    // An error before the first write ends the run, and leaves all work to the next one.
    const { payment: opened } = await givenCaptured(world);
    await deliverMessages(
      world,
      withBooks(world, (seen) => ({ ...seen, status: 'canceled' })),
    );
    isFailing = 'setups';
    expect((await chairside.reconcile())._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    isFailing = '';
    expect(await reported(world)).toEqual([opened.id]);
  });

  it('loses the reason "unsettled" once it is settled', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'slow');
    const capturing = capture(world, opened.id, reference);
    await until(() => world.processor.count('capturePayment').made === 1);
    world.processor.disableAccount('acct_shop');
    world.processor.release();
    await capturing;
    for (let hours = 0; hours < 80; hours += 1) {
      world.clock.advance(hourMs);
      (await world.chairside.reconcile())._unsafeUnwrap();
    }
    expect((await stored(world, opened.id)).review).toBe('unsettled');
    // To be unsettled is no failure of the run.
    const failed = world.observations.filter(
      (seen) => seen.kind === 'failure' && seen.name === 'reconcile',
    );
    expect(failed).toEqual([]);
    world.processor.enableAccount('acct_shop');
    world.clock.advance(2 * hourMs);
    expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
    expect(await stored(world, opened.id)).toMatchObject({ state: 'canceled' });
    expect(await stored(world, opened.id)).not.toHaveProperty('review');
    world.clock.advance(keyRetentionMs);
    expect(await reported(world)).toEqual([]);
  });

  it('loses the reason "unsettled" after a successful check', async (world) => {
    const { payment: opened } = await givenPresented(world);
    const { clock } = world;
    const captureBefore = clock.now() + 7 * 24 * hourMs;
    let isDown = false;
    const read = readingAs(world, (seen) => ({ ...seen, status: 'authorized', captureBefore }));
    const elsewhere = withProcessor(world, {
      readPayment: (payment, claimed) =>
        isDown
          ? errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false })
          : read(payment, claimed),
    });
    const reports = async () => (await elsewhere.reconcile())._unsafeUnwrap().needReview;
    await deliverMessages(world, elsewhere);
    clock.advance(73 * hourMs);
    isDown = true;
    expect(await reports()).toEqual([opened.id]);
    isDown = false;
    clock.advance(hourMs);
    expect(await reports()).toEqual([]);
    expect(await stored(world, opened.id)).not.toHaveProperty('review');
  });

  it('gets no certain outcome for a key whose capture was applied after all', async () => {
    let isUnreadable = false;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        payments: {
          ...real.payments,
          get: (id) =>
            isUnreadable
              ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
              : real.payments.get(id),
        },
      }),
    });
    const { payment: opened, reference } = await givenCaptured(world);
    const key = fresh('key');
    payment(await capture(world, opened.id, reference, { key }), 200);
    isUnreadable = true;
    const refused = problem(
      await capture(world, opened.id, reference, { key }),
      'serviceUnavailable',
    );
    expect(refused.recovery?.outcome).toBe('unknown');
  });

  it('is not reported as canceled under the old key', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const elsewhere = withBooks(world, (seen) => ({ ...seen, status: 'canceled' }));
    const input = captureInput(opened.id, reference);
    const refused = await elsewhere.captureContactlessPayment(ada, input);
    expect(refused._unsafeUnwrapErr().type).toBe('contactlessPaymentCanceled');
    const key = input.idempotencyKey;
    problem(await capture(world, opened.id, reference, { key }), 'contactlessPaymentCanceled');

    await deliverMessages(world, withBooks(world, takenAnyway));
    expect(payment(await capture(world, opened.id, reference, { key }), 200).state).toBe(
      'captured',
    );
  });
});

/** A capture whose end the processor never told, because the account is gone since then. */
async function givenUnsettled(world: World) {
  const given = await givenPresented(world);
  const losing = withProcessor(world, {
    capturePayment: (request) => gone(world, world.processor.capturePayment(request)),
  });
  const input = captureInput(given.payment.id, given.reference);
  const lost = await losing.captureContactlessPayment(ada, input);
  expect(lost._unsafeUnwrapErr()).toMatchObject({ status: 503, recovery: { outcome: 'unknown' } });
  await passHours(world, 80);
  const [review] = (await world.chairside.listReviews())._unsafeUnwrap();
  expect(review).toMatchObject({ reason: 'unsettled', contactlessPaymentId: given.payment.id });
  const appointmentId = given.payment.appointment.id;
  return { ...given, appointmentId, reviewId: review?.id ?? '' };
}

/** The call is applied, its reply is lost, and the account is gone from then on. */
function gone<T>({ processor }: World, applied: ResultAsync<T, ProcessorError>) {
  const lost = { kind: 'unavailable', outcome: 'unknown', answered: false } as const;
  const ended = applied.andThen(() => {
    processor.disableAccount('acct_shop');
    return errAsync<T, ProcessorError>(lost);
  });
  return ended;
}

async function passHours({ clock, chairside }: World, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    clock.advance(hourMs);
    (await chairside.reconcile())._unsafeUnwrap();
  }
}

const owner = { subject: 'user-marlow', businessIds: ['shop'] };
const word = { note: 'The bank shows it.', by: 'marlow' } as const;

describeEverywhere("a person's word (D201)", ({ it }) => {
  it('that no capture took place ends the payment and its reservation', async (world) => {
    const { reviewId, payment: opened, appointmentId } = await givenUnsettled(world);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ reservedMinor: 4500n });
    const said = { reviewId, outcome: 'didNotTakePlace', ...word } as const;
    const resolved = (await world.chairside.resolveReview(said))._unsafeUnwrap();
    expect(resolved).toMatchObject({ outcome: 'didNotTakePlace', by: 'marlow', note: word.note });
    const nextCheckAt = world.clock.now() + dayMs;
    const ended = { state: 'canceled', reserved: false, nextCheckAt };
    expect(await stored(world, opened.id)).toMatchObject(ended);
    expect(await stored(world, opened.id)).not.toHaveProperty('review');
    const { timeline } = await stored(world, opened.id);
    expect(timeline.at(-1)).toMatchObject({ what: 'didNotTakePlace', actor: expect.any(Number) });
    expect(await ledgerOf(world, appointmentId)).toMatchObject({
      reservedMinor: 0n,
      capturedMinor: 0n,
      openPayments: 0,
    });
    // The same word again is the same answer; another one is refused.
    expect((await world.chairside.resolveReview(said))._unsafeUnwrap()).toEqual(resolved);
    const other = { ...said, outcome: 'tookPlace' } as const;
    expect(reasonOf(await world.chairside.resolveReview(other))).toBe('alreadyResolved');
    // The processor later shows the opposite: its books win, and a new review says so.
    world.processor.enableAccount('acct_shop');
    await deliverMessages(world);
    await passHours(world, 2);
    expect(await stored(world, opened.id)).toMatchObject({
      state: 'captured',
      review: 'canceledHereCapturedThere',
    });
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toMatchObject([
      { reason: 'canceledHereCapturedThere' },
    ]);
    // The name is gone with the person, and the act stays (D211).
    const person = { customerId: 'nobody', subject: 'marlow' };
    expect((await world.chairside.eraseCustomer(person)).isOk()).toBe(true);
    const [shown] = (await world.chairside.listReviews({ state: 'resolved' }))._unsafeUnwrap();
    expect(shown?.by).toMatch(/^erased /);
  });

  it('that a capture took place makes the visit paid', async (world) => {
    const { reviewId, payment: opened, appointmentId } = await givenUnsettled(world);
    const said = { reviewId, outcome: 'tookPlace', ...word } as const;
    const silent = withProcessor(world, { readPayment: () => errAsync(lost) });
    (await silent.resolveReview(said))._unsafeUnwrap();
    expect(await stored(world, opened.id)).toMatchObject({
      state: 'captured',
      capturedMinor: 4500n,
      reserved: false,
    });
    expect(await ledgerOf(world, appointmentId)).toMatchObject({
      reservedMinor: 0n,
      capturedMinor: 4500n,
    });
    world.processor.enableAccount('acct_shop');
    problem(await create(world, appointmentId), 'appointmentAlreadyPaid');
    const told: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const report = await world.chairside.events.deliver(async ({ type }) => {
        told.push(type);
      });
      expect(report.isOk()).toBe(true);
    }
    expect(told.filter((type) => type === 'contactlessPayment.captured')).toHaveLength(1);
    await passHours(world, 80);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
  });

  it('may follow a review that was only noted, and needs the name of a person', async (world) => {
    const { reviewId, payment: opened } = await givenUnsettled(world);
    (await world.chairside.resolveReview({ reviewId, note: 'Asked the bank.' }))._unsafeUnwrap();
    expect(await stored(world, opened.id)).toMatchObject({ reserved: true });
    // It was opened again since.
    const noted = (await world.store.reviews.get(reviewId))._unsafeUnwrap();
    if (noted === undefined) throw new Error('There is no review');
    expect(noted).not.toHaveProperty('resolvedBy');
    const { note: _note, resolvedAt: at = 0, ...again } = { ...noted, id: 'rev_again', version: 1 };
    const changes = [{ kind: 'insertReview', review: again }] as const;
    expect((await world.store.commit({ id: 'again', at, changes })).isOk()).toBe(true);
    const said = { reviewId, outcome: 'didNotTakePlace', note: word.note } as const;
    const nameless = (await world.chairside.resolveReview(said))._unsafeUnwrapErr();
    expect(nameless.problems).toMatchObject([{ attributes: { pointer: '/by' } }]);
    const resolved = await world.chairside.resolveReview({ ...said, by: 'marlow' });
    expect(resolved._unsafeUnwrap().note).toBe('Asked the bank.');
    expect(await stored(world, opened.id)).toMatchObject({ state: 'canceled', reserved: false });
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
  });

  it('is kept as a note beside upkeep that settles the payment in the same moment', async (world) => {
    const { reviewId, payment: opened } = await givenUnsettled(world);
    world.processor.enableAccount('acct_shop');
    const store = interrupted(world.store, 'updateReview', async () =>
      world.chairside.resolveReview({ reviewId, note: 'Asked the bank.' }),
    );
    await passHours({ ...world, chairside: withProcessor({ ...world, store }, {}) }, 1);
    expect(await stored(world, opened.id)).toMatchObject({ state: 'captured', reserved: false });
    expect(await stored(world, opened.id)).not.toHaveProperty('review');
    const [review] = (await world.chairside.listReviews({ state: 'resolved' }))._unsafeUnwrap();
    expect(review).toMatchObject({ id: reviewId, note: 'Asked the bank.' });
  });

  it('does not count while the processor shows the payment', async (world) => {
    const { reviewId, payment: opened } = await givenUnsettled(world);
    world.processor.enableAccount('acct_shop');
    const said = { reviewId, outcome: 'didNotTakePlace', ...word } as const;
    expect(reasonOf(await world.chairside.resolveReview(said))).toBe('processorKnows');
    await passHours(world, 2);
    expect(await stored(world, opened.id)).toMatchObject({ state: 'captured' });
    expect(reasonOf(await world.chairside.resolveReview(said))).toBe('notOpen');
  });

  it('counts beside a denial only while another payment of the account is shown', async (world) => {
    const { reviewId, payment: opened } = await givenUnsettled(world);
    world.processor.enableAccount('acct_shop');
    const showing = (isShown: (id: string) => boolean) =>
      withProcessor(world, {
        readPayment: (handle, claimed) =>
          isShown(handle.paymentId)
            ? world.processor.readPayment(handle, claimed)
            : okAsync(undefined),
      });
    const said = { reviewId, outcome: 'didNotTakePlace', ...word } as const;
    const asked = (isShown: (id: string) => boolean) => showing(isShown).resolveReview(said);
    // Stripe's word for a payment that it gave us.
    const denied = {
      kind: 'unavailable',
      outcome: 'unknown',
      answered: false,
      why: 'denied',
    } as const;
    const denies = withProcessor(world, { readPayment: () => errAsync(denied) });
    expect(reasonOf(await denies.resolveReview(said))).toBe('processorDeniesAll');
    // A payment of the account that the shop has now says nothing about the one before.
    for (const id of ['acct_new', 'acct_shop']) {
      expect(reasonOf(await asked((id) => id !== opened.id))).toBe('processorDeniesAll');
      const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount: { id, currency: 'eur' } };
      (await world.chairside.records.putBusiness(shop))._unsafeUnwrap();
      await givenCaptured(world);
    }
    expect(reasonOf(await denies.resolveReview(said))).toBe('processorDeniesAll');
    const failing = (error: ProcessorError) =>
      withProcessor(world, {
        readPayment: (handle, claimed) =>
          handle.paymentId === opened.id
            ? errAsync(error)
            : world.processor.readPayment(handle, claimed),
      }).resolveReview(said);
    expect((await failing({ kind: 'rateLimited' }))._unsafeUnwrapErr().status).toBe(503);
    const keyed = { kind: 'unavailable', outcome: 'unknown', answered: true } as const;
    const refused = await failing({ ...keyed, why: 'keyRejected' });
    expect(reasonOf(refused)).toBe('processorDeniesAll');
    const rejected = withProcessor(world, {
      readPayment: () => errAsync({ kind: 'rejected', reason: 'noSuchPayment' }),
    });
    expect(reasonOf(await rejected.resolveReview(said))).toBe('processorDeniesAll');
    // Three others are asked for, the latest ones.
    const captured: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      world.clock.advance(1000);
      captured.push((await givenCaptured(world)).payment.id);
    }
    const [oldest, second] = captured;
    expect(reasonOf(await asked((id) => id === oldest))).toBe('processorDeniesAll');
    expect(await stored(world, opened.id)).toMatchObject({ reserved: true });
    expect((await asked((id) => id === second)).isOk()).toBe(true);
    expect(await stored(world, opened.id)).toMatchObject({ state: 'canceled', reserved: false });
  });

  it.for([
    ['tookPlace', 'succeeded', 4500n],
    ['didNotTakePlace', 'failed', 0n],
  ] as const)('that a refund %s makes it %s', async ([outcome, state, refundedAmount], world) => {
    const { payment: captured } = await givenCaptured(world);
    const { id } = captured;
    const { refunds: real } = world.processor;
    const losing = withProcessor(world, {
      refunds: { ...real, refund: (request) => gone(world, real.refund(request)) },
    });
    const input = { contactlessPaymentId: id, idempotencyKey: 'r', body: {} };
    expect((await losing.refundPayment(owner, input)).isErr()).toBe(true);
    await passHours(world, 80);
    const [review] = (await world.chairside.listReviews())._unsafeUnwrap();
    expect(review).toMatchObject({ reason: 'refundUnsettled' });
    const reviewId = review?.id ?? '';
    (await world.chairside.resolveReview({ reviewId, note: 'Asked the bank.' }))._unsafeUnwrap();
    const said = { reviewId, outcome, ...word } as const;
    (await world.chairside.resolveReview(said))._unsafeUnwrap();
    expect(reasonOf(await world.chairside.resolveReview(said))).toBe('notOpen');
    const refunds = (await world.store.refunds.listByPayment(id, 10))._unsafeUnwrap();
    expect(refunds).toMatchObject([{ state, nextCheckAt: world.clock.now() + dayMs }]);
    expect(refunds[0]).not.toHaveProperty('work');
    const { timeline } = await stored(world, id);
    expect(timeline).toContainEqual(
      expect.objectContaining({ what: outcome, actor: expect.any(Number) }),
    );
    const counted = refunds.filter(isCounted).map(({ amountMinor }) => amountMinor);
    expect(counted.reduce((sum, one) => sum + one, 0n)).toBe(refundedAmount);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
    // The processor is asked for thirty days, although its keys are forgotten earlier.
    for (const [days, isAsked] of [
      [29, true],
      [1, false],
    ] as const) {
      await pass(world, days * dayMs);
      const [one] = (await world.store.refunds.listByPayment(id, 10))._unsafeUnwrap();
      expect(one?.nextCheckAt !== undefined).toBe(isAsked);
    }
  });

  it('does not count while the processor lists the refund, by our id or its own', async (world) => {
    const { payment: captured } = await givenCaptured(world);
    world.processor.slowRefunds(true);
    const input = { contactlessPaymentId: captured.id, idempotencyKey: 'r', body: {} };
    (await world.chairside.refundPayment(owner, input))._unsafeUnwrap();
    await passHours(world, 80);
    const [review] = (await world.chairside.listReviews())._unsafeUnwrap();
    expect(review).toMatchObject({ reason: 'refundWaits' });
    const said = { reviewId: review?.id ?? '', outcome: 'didNotTakePlace', ...word } as const;
    const { refunds: real } = world.processor;
    const told = (list: typeof real.list) =>
      withProcessor(world, { refunds: { ...real, list } }).resolveReview(said);
    const listedAs = (over: Partial<ProcessorRefund>) =>
      told((handle) => real.list(handle).map((all) => all.map((one) => ({ ...one, ...over }))));
    expect(reasonOf(await listedAs({ reference: 're_other' }))).toBe('processorKnows');
    expect(reasonOf(await listedAs({ refundId: 'rfd_other' }))).toBe('processorKnows');
    // Its own payment is no other one of the account.
    const denied = await told(() => errAsync({ kind: 'rejected', reason: 'noSuchPayment' }));
    expect(reasonOf(denied)).toBe('processorDeniesAll');
    const other = await listedAs({ refundId: 'rfd_other', reference: 're_other' });
    expect(other._unsafeUnwrap()).toMatchObject({ outcome: 'didNotTakePlace' });
  });

  it('that a refund did not take place gives way to the processor, under its key too', async (world) => {
    const { payment: captured } = await givenCaptured(world);
    const { refunds: real } = world.processor;
    const losing = withProcessor(world, {
      refunds: { ...real, refund: (request) => gone(world, real.refund(request)) },
    });
    const input = { contactlessPaymentId: captured.id, idempotencyKey: 'r', body: {} };
    expect((await losing.refundPayment(owner, input)).isErr()).toBe(true);
    await passHours(world, 80);
    const [review] = (await world.chairside.listReviews())._unsafeUnwrap();
    const said = { reviewId: review?.id ?? '', outcome: 'didNotTakePlace', ...word } as const;
    (await world.chairside.resolveReview(said))._unsafeUnwrap();
    expect((await world.chairside.refundPayment(owner, input)).isErr()).toBe(true);
    world.processor.enableAccount('acct_shop');
    await passHours(world, 30);
    expect((await world.chairside.refundPayment(owner, input))._unsafeUnwrap()).toMatchObject({
      state: 'succeeded',
      amount: '45.00',
    });
  });

  it.for(['payment', 'charge'] as const)(
    'that a %s took place is refused where no capture was sent',
    async (what, world) => {
      const { id } = (await givenPresented(world)).payment;
      if (what === 'charge') {
        expect((await cancel(world, id)).isOk()).toBe(true);
        const { appointmentId, method } = await givenBooking(world);
        const losing = withProcessor(world, { charges: { authorize: () => errAsync(lost) } });
        const input = { appointmentId, idempotencyKey: fresh('key'), body: chargeBody(method) };
        expect((await losing.chargePaymentMethod(host, input)).isErr()).toBe(true);
      }
      world.processor.disableAccount('acct_shop');
      await passHours(world, 80);
      const [review, ...others] = (await world.chairside.listReviews())._unsafeUnwrap();
      expect([review?.reason, others.length]).toEqual(['unsettled', 0]);
      const said = { reviewId: review?.id ?? '', outcome: 'tookPlace', ...word } as const;
      expect(reasonOf(await world.chairside.resolveReview(said))).toBe('notOpen');
    },
  );

  it('is refused for what has another reason, or was never sent', async (world) => {
    const { payment: opened } = await givenPresented(world);
    expect((await cancel(world, opened.id)).isOk()).toBe(true);
    await deliverMessages(world, withBooks(world, takenAnyway));
    const [review] = (await world.chairside.listReviews())._unsafeUnwrap();
    const said = { reviewId: review?.id ?? '', outcome: 'tookPlace', ...word } as const;
    expect(reasonOf(await world.chairside.resolveReview(said))).toBe('notOpen');
  });

  it.for(['orphanAuthorized', 'payoutFailed'] as const)(
    'is refused for an entry that names no payment: %s',
    async (reason, { store, clock, chairside }) => {
      const at = clock.now();
      const about = { account: 'acct_shop', reference: 'gone' };
      const review = { id: 'rev_1', version: 1, reason, ...about, openedAt: at };
      const sums = { amountMinor: 100n, oursMinor: 0n, othersMinor: 0n, others: [] };
      const times = { createdAt: at, arrivesAt: at, isItemized: false, isRead: true };
      const shown = { currency: 'eur', state: 'failed' } as const;
      const payout = { id: 'acct_shop/gone', ...about, ...sums, ...times, ...shown };
      const changes = [
        { kind: 'insertReview', review },
        { kind: 'putPayout', payout },
      ] as const;
      (await store.commit({ id: 'cmt_1', at, changes }))._unsafeUnwrap();
      const said = { reviewId: 'rev_1', outcome: 'didNotTakePlace', ...word } as const;
      expect(reasonOf(await chairside.resolveReview(said))).toBe('notOpen');
      const [open] = (await chairside.listReviews())._unsafeUnwrap();
      expect(open?.id).toBe('rev_1');
      expect(open?.payout).toStrictEqual(
        reason === 'payoutFailed' ? { amount: '1.00', ...shown } : undefined,
      );
    },
  );
});

function reasonOf(result: { readonly isErr: () => boolean }): unknown {
  if (!('error' in result)) return undefined;
  const { error } = result;
  return typeof error === 'object' && error !== null && 'attributes' in error
    ? Reflect.get(Object(error.attributes), 'reason')
    : undefined;
}

async function reviews(
  { chairside }: Pick<World, 'chairside'>,
  state: 'open' | 'resolved' = 'open',
) {
  return (await chairside.listReviews({ state }))._unsafeUnwrap();
}

/** The types of events that the host receives, with what they are about. */
async function told(world: World): Promise<readonly string[]> {
  return (await delivered(world)).map((event) => {
    const about = event.type === 'review.opened' ? event.data.reviewId : stateOrAmount(event);
    return `${event.type} ${about}`;
  });
}

function stateOrAmount({ data }: CloudEvent): string | undefined {
  if ('state' in data) return data.state;
  return 'amount' in data ? data.amount : undefined;
}

/** A payment that was canceled here and captured at the processor. */
async function givenTakenAnyway(world: World): Promise<string> {
  const { payment } = await givenPresented(world);
  expect((await cancel(world, payment.id)).isOk()).toBe(true);
  const taken = withBooks(world, (seen) => ({
    ...seen,
    status: 'captured',
    capturedMinor: 4500n,
  }));
  await deliverMessages(world, taken);
  return payment.id;
}

describeEverywhere('the list of reviews', ({ it, makeWorld }) => {
  it('has a payment as soon as it needs a person, with an event for the host', async (world) => {
    const contactlessPaymentId = await givenTakenAnyway(world);
    const [review, ...others] = await reviews(world);
    expect(others).toEqual([]);
    expect(review).toMatchObject({
      id: expect.stringMatching(/^rev_/),
      reason: 'canceledHereCapturedThere',
      contactlessPaymentId,
      openedAt: expect.any(String),
    });
    expect(await told(world)).toContain(`review.opened ${review?.id}`);
    await reconciled(world);
    expect(await reviews(world)).toEqual([review]);
  });

  it('keeps an entry until a person resolves it with a note (D43)', async (world) => {
    await givenTakenAnyway(world);
    const [open] = await reviews(world);
    const { id: reviewId = '' } = open ?? {};
    for (const member of ['payout', 'resolvedAt', 'note', 'outcome', 'by'])
      expect(open).not.toHaveProperty(member);
    const resolve = (note: string, id = reviewId) =>
      world.chairside.resolveReview({ reviewId: id, note });
    const resolved = (await resolve('Paid back by hand.'))._unsafeUnwrap();
    const resolvedAt = '2026-11-02T09:00:00.000Z';
    expect(resolved).toStrictEqual({ ...open, resolvedAt, note: 'Paid back by hand.' });
    expect(await reviews(world)).toEqual([]);
    expect(await reviews(world, 'resolved')).toEqual([resolved]);
    const page = await world.chairside.listReviews({ state: 'resolved', after: '\u0000' });
    expect(page._unsafeUnwrap()).toEqual([]);
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
    const { reference: processorReference } = await givenOrphan(world);
    world.clock.advance(2 * hourMs);
    await reconciled(world);
    expect(await reviews(world)).toEqual([]);
    for (let runs = 0; runs < 3; runs += 1) {
      world.clock.advance(hourMs);
      await reconciled(world);
    }
    const about = { reason: 'orphanCaptured', processorReference };
    expect(await reviews(world)).toMatchObject([about]);
    expect((await told(world)).filter((event) => event.startsWith('review'))).toHaveLength(1);
  });

  it('has a payment that the adapter cannot read in the processor’s list (D51)', async (world) => {
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

  it('has a disputed payment whose refunds cannot be read for 72 hours, until they can (D51)', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    world.processor.dispute(reference, 4500n)._unsafeUnwrap();
    await deliverMessages(world);
    let fails = false;
    const elsewhere = withProcessor(world, {
      refunds: {
        ...world.processor.refunds,
        list: (asked) =>
          fails ? errAsync({ kind: 'rateLimited' }) : world.processor.refunds.list(asked),
      },
    });
    const found = async (hours: number) => {
      for (let hour = 0; hour < hours; hour += 6) {
        world.clock.advance(6 * hourMs);
        (await elsewhere.reconcile())._unsafeUnwrap();
      }
      return await reviews(world);
    };
    for (let times = 0; times < 2; times += 1) {
      expect(await found(96)).toEqual([]);
      fails = true;
      expect(await found(72)).toEqual([]);
      const about = { reason: 'unreadableAtProcessor', contactlessPaymentId: payment.id };
      expect(await found(96)).toMatchObject([about]);
      fails = false;
      expect(await found(6)).toEqual([]);
    }
  });

  it('has 20 entries of an account and reason, and counts further payments in one more (D43)', async (world) => {
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
    expect((await told(world)).filter((event) => event.startsWith('review'))).toHaveLength(24);

    const resolved = await world.chairside.resolveReview({ reviewId: id, note: 'Of another app.' });
    expect(resolved._unsafeUnwrap()).toMatchObject({ count: 280, note: 'Of another app.' });
  });

  it('resolves an unsettled create once it is closed', async (world) => {
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

  it.for(['reconcile', 'message'] as const)(
    'resolves an unsettled payment once it is settled: by %s',
    async (by) => {
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
      const [message] = world.processor.takeEvents()._unsafeUnwrap();
      if (message === undefined) throw new Error('no message');
      const ended =
        by === 'reconcile' ? readable.reconcile() : readable.receiveProcessorEvent(message);
      expect((await ended).isOk()).toBe(true);
      expect(await reviews(world)).toEqual([]);
      expect(await reviews(world, 'resolved')).toMatchObject([about]);
    },
  );
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

describeEverywhere('a refund or dispute', ({ it, makeWorld }) => {
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
      const returned = (await told(world)).filter((one) => /refunded|disputed/.test(one));
      expect(returned).toHaveLength(1);
    },
  );
});

const lost: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: false };

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

describeEverywhere('a word that the processor contradicts (D201)', ({ it, makeWorld }) => {
  it.for([
    ['a message', deliverMessages],
    ['upkeep', (world: World) => pass(world, 2 * dayMs)],
  ] as const)('takes a capture back that was none, by %s', async ([_by, learn], world) => {
    const { payment, reference, appointmentId } = await givenSaid(world, 'tookPlace');
    const { id } = payment;
    const saidOn = dayAt(world.clock.now());
    await pass(world, 4 * dayMs);
    const before = await statement(world, saidOn);
    expect(before.shop).toMatchObject([{ payments: 1, captured: '45.00' }]);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ capturedMinor: 4500n });

    // Under a key without a record of its own, because the secret is erased.
    const repeat = { key: fresh('key') };
    expect((await capture(world, id, reference, repeat)).status).toBe(200);

    await cancelThere(world, { id, reference });
    await learn(world);
    const told = [await capture(world, id, reference, repeat)];
    told.push(await capture(world, id, reference, repeat));
    expect(new Set(told.map(({ text }) => text)).size).toBe(1);
    for (const one of told) problem(one, 'contactlessPaymentCanceled');
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
    const events = (await delivered(world)).filter(({ subject }) => subject === id);
    expect(events.map(({ type }) => type.replace('contactlessPayment.', '')).slice(-2)).toEqual([
      'captured',
      'canceled',
    ]);
    const entries = events.map((event) => moneyEntryOf(event)._unsafeUnwrap()).filter(Boolean);
    expect(entries.map((entry) => entry?.paidMinor)).toEqual([4500n, 0n]);
    const since = '2026-11-01T00:00:00.000Z';
    const retold = (await world.chairside.events.replay({ since }))._unsafeUnwrap().events;
    const now = retold.filter(({ subject }) => subject === id);
    expect(now.map((event) => moneyEntryOf(event)._unsafeUnwrap()?.paidMinor)).toEqual([0n]);
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
    const refused = [
      await world.chairside.refundPayment(host, refunded),
      await world.chairside.getReceipt(host, { contactlessPaymentId: id }),
    ];
    for (const one of refused)
      expect(one._unsafeUnwrapErr().attributes).toMatchObject({ reason: 'notCaptured' });
    const key = fresh('key');
    problem(await capture(world, id, reference, { key }), 'contactlessPaymentCanceled');
  });

  it('takes a shown capture back only once a person says so, and the visit is owed again', async (world) => {
    const { payment: opened, reference } = await givenCaptured(world);
    const { id, appointment } = opened;
    const capturedOn = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    const { shop } = await statement(world, capturedOn);
    const lost = withBooks(world, (seen) => ({ ...seen, status: 'canceled' }));
    await deliverMessages(world, lost);
    const [review] = (await world.chairside.listReviews())._unsafeUnwrap();
    expect(review).toMatchObject({ reason: 'capturedHereCanceledThere' });
    const said = { reviewId: review?.id ?? '', outcome: 'didNotTakePlace', ...word } as const;
    // It shows the capture again.
    expect(reasonOf(await world.chairside.resolveReview(said))).toBe('processorKnows');
    expect(reasonOf(await lost.resolveReview({ ...said, outcome: 'tookPlace' }))).toBe('notOpen');
    // A capture in flight is shown as authorized.
    const inFlight = withBooks(world, (seen) => ({ ...seen, status: 'authorized' }));
    expect(reasonOf(await inFlight.resolveReview(said))).toBe('processorKnows');
    world.processor.failNext('readPayment', 'timeoutBeforeApplying');
    const unread = await world.chairside.resolveReview(said);
    expect(unread._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    problem(await create(world, appointment.id), 'appointmentAlreadyPaid');

    (await lost.resolveReview(said))._unsafeUnwrap();
    expect((await stored(world, id)).state).toBe('canceled');
    expect(await reasons(world)).toEqual([]);
    expect(await ledgerOf(world, appointment.id)).toMatchObject({ capturedMinor: 0n });
    const events = (await delivered(world)).filter(({ subject }) => subject === id);
    const entries = events.map((event) => moneyEntryOf(event)._unsafeUnwrap()).filter(Boolean);
    expect(entries.map((entry) => entry?.paidMinor)).toEqual([4500n, 0n]);
    expect((await statement(world, capturedOn)).shop).toEqual(shop);
    const today = await statement(world, dayAt(world.clock.now()));
    expect(today.shop).toMatchObject([{ payments: 0, captured: '-45.00' }]);
    expect((await create(world, appointment.id)).status).toBe(201);
    problem(await capture(world, id, reference), 'contactlessPaymentCanceled');
    expect(reasonOf(await lost.resolveReview({ ...said, note: 'Again.' }))).toBe('alreadyResolved');
  });

  it('takes it from each visit that had a share of it, in a replay too', async () => {
    const world = await makeWorld({ shares: true });
    const { payment, reference } = await givenSaid(world, 'tookPlace');
    const { id, appointment } = payment;
    const between = await givenAppointment(world);
    const last = await givenAppointment(world);
    for (const visit of [between, last])
      expect((await share(world, id, [[visit, '45.00']])).status).toBe(201);
    await cancelThere(world, { id, reference });
    await deliverMessages(world);
    const since = '2026-11-01T00:00:00.000Z';
    const { events } = (await world.chairside.events.replay({ since }))._unsafeUnwrap();
    const rows = events.flatMap((event) => moneyEntriesOf(event)._unsafeUnwrap());
    expect(new Set(rows.map(({ appointmentId }) => appointmentId))).toEqual(
      new Set([appointment.id, between, last]),
    );
    expect(rows.filter(({ paidMinor }) => paidMinor !== 0n)).toEqual([]);
  });

  it('frees the slot of a charge, and its part of the deposits', async (world) => {
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

  it('tells no end of a charge whose beginning was never told', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const losing = withProcessor(world, {
      charges: {
        authorize: () => {
          world.processor.disableAccount('acct_shop');
          return errAsync(lost);
        },
      },
    });
    const input = { appointmentId, idempotencyKey: fresh('key'), body: chargeBody(method) };
    expect((await losing.chargePaymentMethod(host, input)).isErr()).toBe(true);
    await say(world, 'didNotTakePlace');
    const told = (await delivered(world)).map(({ type }) => type);
    expect(told.filter((type) => type.includes('ontactlessPayment'))).toEqual([]);
    expect(await ledgerOf(world, appointmentId)).not.toHaveProperty('chargeId');
    const { made } = world.processor.count('readPayment');
    await pass(world, 2 * dayMs);
    expect(world.processor.count('readPayment').made).toBe(made);
  });

  it.for([
    ['payment', 'no entries'],
    ['refund', 'no entries'],
    ['refund', 'the entry of the payment alone'],
  ] as const)(
    'joins no day that closed without a denied %s, at a processor that lists %s',
    async ([what, listed], world) => {
      const { payment: shown } = await givenCaptured(world);
      const given = what === 'payment' ? await givenPresented(world) : { payment: shown };
      const { id } = given.payment;
      const { processor } = world;
      let isDenied = false;
      const lose = () => {
        isDenied = true;
        return errAsync(lost);
      };
      const { settlements } = processor;
      const ofPayment: typeof settlements.listEntries = (asked) =>
        settlements.listEntries(asked).map((page) => ({
          ...page,
          items: page.items.filter(({ kind }) => kind === 'payment'),
        }));
      const entries = {
        settlements:
          listed === 'no entries' ? undefined : { ...settlements, listEntries: ofPayment },
      };
      const hidden = withProcessor(world, {
        ...entries,
        // It did it, and denies it from then on.
        capturePayment: (request) => processor.capturePayment(request).andThen(lose),
        ...(what === 'payment' && {
          readPayment: (handle) =>
            isDenied && handle.paymentId === id
              ? okAsync(undefined)
              : processor.readPayment(handle),
          listPayments: (asked) =>
            processor.listPayments(asked).map((page) => ({
              ...page,
              items: page.items.filter(({ paymentId }) => paymentId !== id),
            })),
        }),
        refunds: {
          ...processor.refunds,
          refund: (request) => processor.refunds.refund(request).andThen(lose),
          list: (handle) => (isDenied ? okAsync([]) : processor.refunds.list(handle)),
        },
      });
      const madeOn = dayAt(world.clock.now());
      const asked = { contactlessPaymentId: id, idempotencyKey: 'r', body: { amount: '20.00' } };
      const done =
        'reference' in given
          ? await hidden.captureContactlessPayment(ada, captureInput(id, given.reference))
          : await hidden.refundPayment(host, asked);
      expect(done.isErr()).toBe(true);
      await say({ ...world, chairside: hidden }, 'didNotTakePlace');
      const before = await statement({ chairside: hidden }, madeOn);
      expect(before.state).toBe('closed');
      const back = withProcessor(world, entries);
      await pass({ clock: world.clock, chairside: back }, 2 * dayMs);
      expect(await reasons(world)).toEqual([
        what === 'payment' ? 'canceledHereCapturedThere' : 'refundedAfterFailure',
      ]);
      const [{ arrived: _arrived, ...figures } = {}] = before.shop;
      expect((await statement({ chairside: back }, madeOn)).shop).toMatchObject([figures]);
    },
  );

  it('records a capture that a person denied, once upkeep can read it', async (world) => {
    const capturedAt = world.clock.now();
    const opened = await givenCapturedUnheard(world);
    await say(world, 'didNotTakePlace');
    world.processor.enableAccount('acct_shop');
    await pass(world, 2 * dayMs);
    expect(await stored(world, opened.id)).toMatchObject({
      state: 'captured',
      // The processor's entry has kept the day from closing.
      capturedAt,
      review: 'canceledHereCapturedThere',
    });
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ capturedMinor: 4500n });
    expect(await reasons(world)).toEqual(['canceledHereCapturedThere']);
  });

  it('is asked for again later, where the visit cannot be read', async (world) => {
    const opened = await givenCapturedUnheard(world);
    await say(world, 'didNotTakePlace');
    world.processor.enableAccount('acct_shop');
    world.clock.advance(2 * dayMs);
    const { store, processor, clock } = world;
    const get = () => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
    const blind = { ...store, appointments: { ...store.appointments, get } };
    const node = createChairside({ store: blind, processor, clock, rateLimits: 'off' });
    expect((await node.reconcile()).isOk()).toBe(true);
    const { state, nextCheckAt = 0 } = await stored(world, opened.id);
    // Else it came first in each run, and enough of them would stop the upkeep of all others.
    expect([state, nextCheckAt > clock.now()]).toEqual(['canceled', true]);
    await pass(world, hourMs);
    expect((await stored(world, opened.id)).state).toBe('captured');
  });

  it('asks no more once the processor has shown the same', async (world) => {
    const opened = await givenCapturedUnheard(world);
    await say(world, 'tookPlace');
    world.processor.enableAccount('acct_shop');
    await pass(world, 2 * dayMs);
    expect((await stored(world, opened.id)).timeline.at(-1)).toMatchObject({ what: 'confirmed' });
    expect((await delivered(world)).at(-1)?.type).toBe('contactlessPayment.captured');
    await pass(world, 5 * dayMs);
    expect(await stored(world, opened.id)).toMatchObject({ state: 'captured', clientSecret: '' });
    expect(await stored(world, opened.id)).not.toHaveProperty('nextCheckAt');
    expect(await reasons(world)).toEqual([]);
  });

  it.for([{ capturedMinor: 4000n }, { currency: 'usd' }])(
    'is told to a person if the processor shows another amount or currency: %o',
    async (other, world) => {
      const opened = await givenCapturedUnheard(world);
      await say(world, 'tookPlace');
      world.processor.enableAccount('acct_shop');
      const elsewhere = withBooks(world, (seen) => ({ ...seen, ...other }));
      await pass({ clock: world.clock, chairside: elsewhere }, 2 * dayMs);
      expect((await stored(world, opened.id)).review).toBe('capturedAnotherAmount');
      expect(await reasons(world)).toEqual(['capturedAnotherAmount']);
      expect((await delivered(world)).at(-1)?.type).toBe('contactlessPayment.captured');
    },
  );

  it('releases a hold that lies there still, after a word that nothing was taken', async (world) => {
    const { payment: opened } = await givenSaid(world, 'didNotTakePlace');
    const { made } = world.processor.count('cancelPayment');
    await pass(world, dayMs);
    // Nothing is sent while the processor shows nothing.
    expect(world.processor.count('cancelPayment').made).toBe(made);
    const day = Math.floor(world.clock.now() / dayMs);
    world.processor.enableAccount('acct_shop');
    world.processor.failNext('cancelPayment', 'failure');
    const canceled: string[] = [];
    const isHeld = () => canceled.length < 2;
    const later = withProcessor(world, {
      readPayment: readingAs(world, (seen) =>
        isHeld() ? { ...seen, status: 'authorized' } : seen,
      ),
      cancelPayment: (request) => {
        canceled.push(request.idempotencyKey);
        return world.processor.cancelPayment(request);
      },
    });
    await pass({ clock: world.clock, chairside: later }, 3 * dayMs);
    // Asked once a day, under a key of the day.
    expect(canceled).toEqual([1, 2].map((days) => `${opened.id}:word:${day + days}`));
    expect((await stored(world, opened.id)).timeline.at(-1)).toMatchObject({ what: 'confirmed' });
    expect(await reasons(world)).toEqual([]);
  });

  it('leaves a hold after a word that it was captured', async (world) => {
    const { payment: opened } = await givenSaid(world, 'tookPlace');
    world.processor.enableAccount('acct_shop');
    const { made } = world.processor.count('cancelPayment');
    const held = withBooks(world, (seen) => ({ ...seen, status: 'authorized' }));
    await pass({ clock: world.clock, chairside: held }, 2 * dayMs);
    expect(world.processor.count('cancelPayment').made).toBe(made);
    expect((await stored(world, opened.id)).state).toBe('captured');
  });

  it('asks for thirty days at most, and forgets the keys in time', async (world) => {
    const { payment } = await givenSaid(world, 'tookPlace');
    for (const [days, clientSecret] of [
      [1, expect.any(String)],
      [3, ''],
    ] as const) {
      await pass(world, days * dayMs);
      const nextCheckAt = world.clock.now() + dayMs;
      expect(await stored(world, payment.id)).toMatchObject({ clientSecret, nextCheckAt });
    }
    await pass(world, 26 * dayMs);
    expect(await stored(world, payment.id)).not.toHaveProperty('nextCheckAt');
  });

  it.for([
    ['tookPlace', false, 'failed', ['refundedHereFailedThere']],
    ['tookPlace', true, 'succeeded', []],
    ['tookPlace', 'in vain', 'failed', ['refundedHereFailedThere']],
    ['didNotTakePlace', true, 'succeeded', ['refundedAfterFailure']],
    ['didNotTakePlace', false, 'failed', []],
    ['didNotTakePlace', 'in vain', 'failed', []],
  ] as const)(
    'of a refund: %s, and the processor says %s',
    async ([outcome, isMade, state, found], world) => {
      const { payment: captured, reference } = await givenCaptured(world);
      const { id } = captured;
      const first = { contactlessPaymentId: id, idempotencyKey: 'first', body: { amount: '5.00' } };
      (await world.chairside.refundPayment(host, first))._unsafeUnwrap();
      world.clock.advance(1000);
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
      await pass(world, dayMs);
      // With a wrong key, every list is empty.
      const list = () => okAsync([]);
      const strange = withProcessor(world, {
        readPayment: () => okAsync(undefined),
        refunds: { ...real, list },
        disputes: { ...world.processor.disputes, list },
      });
      const unread = withProcessor(world, { refunds: { ...real, list: () => errAsync(lost) } });
      for (const chairside of [strange, unread]) {
        await pass({ clock: world.clock, chairside }, dayMs);
        const [, said] = (await world.store.refunds.listByPayment(id, 10))._unsafeUnwrap();
        expect(said?.state).toBe(outcome === 'tookPlace' ? 'succeeded' : 'failed');
        expect(said?.nextCheckAt).toBeGreaterThan(world.clock.now());
        world.processor.enableAccount('acct_shop');
      }
      const before = await statement(world, saidOn);
      if (isMade === 'in vain') {
        const { id: there = '' } = (await bookEntry(world, reference))?.refunds?.at(-1) ?? {};
        world.processor.endRefund(reference, there, 'failed')._unsafeUnwrap();
      }
      await pass(world, 4 * dayMs);
      const refunds = (await world.store.refunds.listByPayment(id, 10))._unsafeUnwrap();
      expect(refunds).toMatchObject([{ state: 'succeeded' }, { state, amountMinor: 2000n }]);
      // Its end is told, so that nobody is asked any more.
      expect(refunds[1]).not.toHaveProperty('nextCheckAt');
      expect(await reasons(world)).toEqual(found);
      expect((await statement(world, saidOn)).shop).toEqual(before.shop);
      const moved = (await world.store.movements.listByPayment(id, 10))._unsafeUnwrap();
      const netMinor = moved.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
      expect(netMinor).toBe(state === 'succeeded' ? -2500n : -500n);
      const told = (await delivered(world)).filter(({ subject }) => subject === id);
      const type = state === 'succeeded' ? 'refunded' : 'refundFailed';
      expect(told.at(-1)?.type).toBe(`contactlessPayment.${type}`);
      // Whatever was said, the shop can give back exactly what the processor still has.
      const rest = { ...input, idempotencyKey: 'rest', body: {} };
      const given = (await world.chairside.refundPayment(host, rest))._unsafeUnwrap();
      expect(given.amount).toBe(state === 'succeeded' ? '20.00' : '40.00');
      await pass(world, 6 * dayMs);
      for (let back = 5; back <= 17; back += 1) {
        const day = await statement(world, dayAt(world.clock.now() - back * dayMs));
        expect([day.day, day.state]).toEqual([day.day, 'closed']);
      }
    },
  );
});
