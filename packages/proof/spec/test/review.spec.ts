import { type Chairside, errAsync, hourMs, okAsync, ResultAsync } from '@chairside/core';
import {
  type Commit,
  isCounted,
  type ProcessorError,
  type ProcessorPayment,
} from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { payment, problem } from '../src/answer.ts';
import {
  ada,
  cancel,
  captureInput,
  deliverMessages,
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
  until,
} from '../src/shop.ts';
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

type Presented = Awaited<ReturnType<typeof givenPresented>>;

function isCapture({ changes }: Commit): boolean {
  return changes.some(
    (change) => change.kind === 'updatePayment' && change.payment.state === 'captured',
  );
}

describeEverywhere('a payment that needs a review', (makeWorld) => {
  it('is reported by the next reconcile, and its keys are kept', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    expect((await cancel(world, opened.id)).isOk()).toBe(true);
    await deliverMessages(world, withLedger(world, takenAnyway));
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

  it('is reported at once, although its payment is requested again meanwhile', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    expect((await cancel(world, opened.id)).isOk()).toBe(true);
    await deliverMessages(world, withLedger(world, takenAnyway));
    payment(await capture(world, opened.id, reference), 200);
    expect(await reported(world)).toEqual([opened.id]);
  });

  it.each([
    ['more than is due', '45.00', { review: 'capturedBeyondDue' }],
    ['no more than is due', '25.00', {}],
  ])('has %s captured by another system after our capture', async (_, amount, marked) => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
    const ours = await givenPresented(world, { appointmentId, amount: '20.00' });
    const theirs = await givenPresented(world, { appointmentId, amount });
    payment(await capture(world, ours.payment.id, ours.reference), 200);
    const capturedMinor = BigInt(amount.replace('.', ''));
    const taken = withLedger(world, (seen) =>
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
      const taken = withLedger(world, (seen) =>
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

  it.each([
    ['a message', async (taken: Chairside, world: World) => deliverMessages(world, taken)],
    [
      'a capture',
      async (taken: Chairside, _: World, { payment: { id }, reference }: Presented) => {
        const input = captureInput(id, reference);
        (await taken.captureContactlessPayment(ada, input))._unsafeUnwrap();
      },
    ],
  ])('is found captured by %s while the host lowers the amount due', async (_, find) => {
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
    await find(withLedger(world, takenAnyway), world, presented);
    expect(told).toMatchObject({ captured: '0.00', reserved: '0.00' });
    expect(await stored(world, presented.payment.id)).toMatchObject({
      state: 'captured',
      review: 'capturedBeyondDue',
    });
    expect(await reported(world)).toEqual([presented.payment.id]);
    const reviews = (await world.chairside.listReviews())._unsafeUnwrap();
    expect(reviews.map(({ reason }) => reason)).toEqual(['capturedBeyondDue']);
  });

  it('shortens no key’s retention', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenCaptured(world);
    world.clock.advance(71 * hourMs);
    const key = fresh('key');
    payment(await capture(world, opened.id, reference, { key }), 200);
    world.clock.advance(2 * hourMs);
    await deliverMessages(
      world,
      withLedger(world, (seen) => ({ ...seen, status: 'canceled' })),
    );
    expect(await reported(world)).toEqual([opened.id]);
    expect((await world.store.keys.get('user-ada', key))._unsafeUnwrap()).toBeDefined();
  });

  it('includes payments captured here and canceled at the processor', async () => {
    const world = await makeWorld();
    const { payment: opened } = await givenCaptured(world);
    const lost = withLedger(world, (seen) => ({ ...seen, status: 'canceled' }));
    await deliverMessages(world, lost);
    expect(await stored(world, opened.id)).toMatchObject({
      state: 'captured',
      review: 'capturedHereCanceledThere',
    });
    expect(await reported(world)).toEqual([opened.id]);
  });

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
        withLedger(world, (seen) => ({ ...seen, status: 'canceled' })),
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
      withLedger(world, (seen) => ({ ...seen, status: 'canceled' })),
    );
    isFailing = 'setups';
    expect((await chairside.reconcile())._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    isFailing = '';
    expect(await reported(world)).toEqual([opened.id]);
  });

  it('loses the reason "unsettled" once it is settled', async () => {
    const world = await makeWorld();
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
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect(await stored(world, opened.id)).toMatchObject({ state: 'canceled' });
    expect(await stored(world, opened.id)).not.toHaveProperty('review');
    world.clock.advance(keyRetentionMs);
    expect(await reported(world)).toEqual([]);
  });

  it('loses the reason "unsettled" after a successful check', async () => {
    const world = await makeWorld();
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

  it('is not reported as canceled under the old key', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    const elsewhere = withLedger(world, (seen) => ({ ...seen, status: 'canceled' }));
    const input = captureInput(opened.id, reference);
    const refused = await elsewhere.captureContactlessPayment(ada, input);
    expect(refused._unsafeUnwrapErr().type).toBe('contactlessPaymentCanceled');
    const key = input.idempotencyKey;
    problem(await capture(world, opened.id, reference, { key }), 'contactlessPaymentCanceled');

    await deliverMessages(world, withLedger(world, takenAnyway));
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

describeEverywhere("a person's word (D201)", (makeWorld) => {
  it('that no capture took place ends the payment and its reservation', async () => {
    const world = await makeWorld();
    const { reviewId, payment: opened, appointmentId } = await givenUnsettled(world);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ reservedMinor: 4500n });
    const said = { reviewId, outcome: 'didNotTakePlace', ...word } as const;
    const resolved = (await world.chairside.resolveReview(said))._unsafeUnwrap();
    expect(resolved).toMatchObject({ outcome: 'didNotTakePlace', by: 'marlow', note: word.note });
    expect(await stored(world, opened.id)).toMatchObject({ state: 'canceled', reserved: false });
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
    // The processor later shows the opposite: its ledger wins, and a new review says so.
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

  it('that a capture took place makes the visit paid', async () => {
    const world = await makeWorld();
    const { reviewId, payment: opened, appointmentId } = await givenUnsettled(world);
    const said = { reviewId, outcome: 'tookPlace', ...word } as const;
    (await world.chairside.resolveReview(said))._unsafeUnwrap();
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

  it('may follow a review that was only noted, and needs the name of a person', async () => {
    const world = await makeWorld();
    const { reviewId, payment: opened } = await givenUnsettled(world);
    (await world.chairside.resolveReview({ reviewId, note: 'Asked the bank.' }))._unsafeUnwrap();
    expect(await stored(world, opened.id)).toMatchObject({ reserved: true });
    const said = { reviewId, outcome: 'didNotTakePlace', note: word.note } as const;
    expect((await world.chairside.resolveReview(said))._unsafeUnwrapErr().type).toBe('badRequest');
    (await world.chairside.resolveReview({ ...said, by: 'marlow' }))._unsafeUnwrap();
    expect(await stored(world, opened.id)).toMatchObject({ state: 'canceled', reserved: false });
  });

  it('does not count while the processor shows the payment', async () => {
    const world = await makeWorld();
    const { reviewId, payment: opened } = await givenUnsettled(world);
    world.processor.enableAccount('acct_shop');
    const said = { reviewId, outcome: 'didNotTakePlace', ...word } as const;
    expect(reasonOf(await world.chairside.resolveReview(said))).toBe('processorKnows');
    await passHours(world, 2);
    expect(await stored(world, opened.id)).toMatchObject({ state: 'captured' });
  });

  it('counts beside a denial only while another payment of the account is shown', async () => {
    const world = await makeWorld();
    const { reviewId, payment: opened } = await givenUnsettled(world);
    world.processor.enableAccount('acct_shop');
    const denied = (id: string) =>
      withProcessor(world, {
        readPayment: (handle, claimed) =>
          handle.paymentId === id || id === 'all'
            ? okAsync(undefined)
            : world.processor.readPayment(handle, claimed),
      });
    const said = { reviewId, outcome: 'didNotTakePlace', ...word } as const;
    const asked = (id: string) => denied(id).resolveReview(said);
    expect(reasonOf(await asked(opened.id))).toBe('processorDeniesAll');
    await givenCaptured(world);
    expect(reasonOf(await asked('all'))).toBe('processorDeniesAll');
    expect(await stored(world, opened.id)).toMatchObject({ reserved: true });
    expect((await asked(opened.id)).isOk()).toBe(true);
    expect(await stored(world, opened.id)).toMatchObject({ state: 'canceled', reserved: false });
  });

  it.each([
    ['tookPlace', 'succeeded', 4500n],
    ['didNotTakePlace', 'failed', 0n],
  ] as const)('that a refund %s makes it %s', async (outcome, state, refundedAmount) => {
    const world = await makeWorld();
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
    const said = { reviewId: review?.id ?? '', outcome, ...word } as const;
    (await world.chairside.resolveReview(said))._unsafeUnwrap();
    const refunds = (await world.store.refunds.listByPayment(id, 10))._unsafeUnwrap();
    expect(refunds).toMatchObject([{ state }]);
    expect(refunds[0]).not.toHaveProperty('work');
    const { timeline } = await stored(world, id);
    expect(timeline).toContainEqual(
      expect.objectContaining({ what: outcome, actor: expect.any(Number) }),
    );
    const counted = refunds.filter(isCounted).map(({ amountMinor }) => amountMinor);
    expect(counted.reduce((sum, one) => sum + one, 0n)).toBe(refundedAmount);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
  });

  it('is refused for what has another reason, or was never sent', async () => {
    const world = await makeWorld();
    const { payment: opened } = await givenPresented(world);
    expect((await cancel(world, opened.id)).isOk()).toBe(true);
    await deliverMessages(world, withLedger(world, takenAnyway));
    const [review] = (await world.chairside.listReviews())._unsafeUnwrap();
    const said = { reviewId: review?.id ?? '', outcome: 'tookPlace', ...word } as const;
    expect(reasonOf(await world.chairside.resolveReview(said))).toBe('notOpen');
  });
});

function reasonOf(result: { readonly isErr: () => boolean }): unknown {
  if (!('error' in result)) return undefined;
  const { error } = result;
  return typeof error === 'object' && error !== null && 'attributes' in error
    ? Reflect.get(Object(error.attributes), 'reason')
    : undefined;
}
