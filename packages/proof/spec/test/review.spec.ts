import {
  type Chairside,
  type Commit,
  errAsync,
  hourMs,
  type ProcessorPayment,
  ResultAsync,
} from '@chairside/core';
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
