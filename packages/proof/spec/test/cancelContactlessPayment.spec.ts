import { type EpochMs, errAsync, hourMs, minuteMs, okAsync } from '@chairside/core';
import type { Payment, PaymentHandle, Store } from '@chairside/core/ports';
import { createManualClock } from '@chairside/testkit';
import { expect } from 'vitest';
import { payment, problem, reason } from '../src/answer.ts';
import { charge, givenBooking } from '../src/charges.ts';
import {
  ada,
  cancel,
  captureElsewhere,
  captureInput,
  host,
  readingAs,
  withBooks,
  withProcessor,
} from '../src/elsewhere.ts';
import {
  bookEntry,
  capture,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  ledgerOf,
  stored,
  takenMinor,
  until,
} from '../src/shop.ts';
import {
  type AnyWorld,
  describeEverywhere,
  describeWithEveryProcessor,
  type World,
} from '../src/world.ts';

describeWithEveryProcessor('cancelContactlessPayment', ({ it, makeWorld }) => {
  it('cancels an open payment, and an authorized one', async (world) => {
    const open = await givenPayment(world);
    const { payment: authorized, reference } = await givenPresented(world);
    for (const { id, appointment } of [open, authorized]) {
      expect((await cancel(world, id))._unsafeUnwrap().state).toBe('canceled');
      expect((await cancel(world, id))._unsafeUnwrap().state).toBe('canceled');
      expect(await ledgerOf(world, appointment.id)).toMatchObject({ openPayments: 0 });
    }
    expect((await bookEntry(world, reference))?.status).toBe('canceled');
    problem(await capture(world, authorized.id, reference), 'contactlessPaymentCanceled');
  });

  it('rejects others although the host has deleted the appointment', async () => {
    let isDeleted = false;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        appointments: {
          ...real.appointments,
          get: (id) => (isDeleted ? okAsync(undefined) : real.appointments.get(id)),
        },
      }),
    });
    const { id } = await givenPayment(world);
    isDeleted = true;
    for (const caller of [{ businessIds: ['other'] }, { barberId: 'ben' }]) {
      const auth = { subject: 'x', ...caller };
      const refused = await world.chairside.cancelContactlessPayment(auth, {
        contactlessPaymentId: id,
      });
      expect(refused._unsafeUnwrapErr().type).toBe('forbidden');
    }
  });

  it('rejects a captured payment', async (world) => {
    const { payment: captured } = await givenCaptured(world);
    expect((await cancel(world, captured.id))._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'captured' },
    });
  });

  it('reports canceled only after the processor confirms it (D17)', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    for (const fault of ['timeoutBeforeApplying', 'failure', 'rejected'] as const) {
      world.processor.failNext('cancelPayment', fault);
      expect((await cancel(world, opened.id))._unsafeUnwrapErr().type).toBe('serviceUnavailable');
      expect((await stored(world, opened.id)).state).not.toBe('canceled');
    }
    world.processor.failNext('readPayment', 'refused');
    expect((await cancel(world, opened.id))._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    // The intent stays: it excludes the capture, which finishes it.
    problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
    expect(await takenMinor(world)).toBe(0n);
  });

  it('reads the processor after a lost reply', async (world) => {
    const { payment: opened } = await givenPresented(world);
    world.processor.failNext('cancelPayment', 'lostReply');
    expect((await cancel(world, opened.id))._unsafeUnwrap().state).toBe('canceled');
  });

  it('waits for a capture that may have been sent', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'slow');
    const capturing = capture(world, opened.id, reference);
    await until(() => world.processor.count('capturePayment').made === 1);
    expect((await cancel(world, opened.id))._unsafeUnwrapErr().type).toBe('conflict');
    world.processor.release();
    payment(await capturing, 200);
  });

  it('waits for a cancelation that another call carries out', async (world) => {
    const opened = await givenPayment(world);
    world.processor.failNext('cancelPayment', 'slow');
    const first = cancel(world, opened.id);
    await until(() => world.processor.count('cancelPayment').made === 1);
    expect((await cancel(world, opened.id))._unsafeUnwrapErr().type).toBe('conflict');
    world.processor.release();
    expect((await first)._unsafeUnwrap().state).toBe('canceled');
  });

  it('corrects itself if the processor had captured the payment', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    await captureElsewhere(world, opened.id, reference);
    expect((await cancel(world, opened.id))._unsafeUnwrapErr().type).toBe('conflict');
    expect((await stored(world, opened.id)).state).toBe('captured');
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ capturedMinor: 4500n });
  });
});

describeEverywhere('cancelContactlessPayment and its processor keys', ({ it, makeWorld }) => {
  it('takes a new processor key only once a read has proved the old one dead (D20)', async () => {
    const keys: string[] = [];
    let readsToPass = Number.POSITIVE_INFINITY;
    const world = await makeWorld({
      processor: {
        faults({ name, idempotencyKey = '' }) {
          // Its failure is stored under the first key.
          if (name === 'cancelPayment')
            return keys.push(idempotencyKey) === 1 ? 'failure' : undefined;
          if (name !== 'readPayment') return undefined;
          readsToPass -= 1;
          return readsToPass < 0 ? 'refused' : undefined;
        },
      },
    });
    const { id } = await givenPayment(world);
    const failing = async (reads: number) => {
      readsToPass = reads;
      expect((await cancel(world, id))._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    };
    // The read that would prove the outcome fails too.
    await failing(1);
    await failing(2);
    readsToPass = 2;
    expect((await cancel(world, id))._unsafeUnwrap().state).toBe('canceled');
    expect(keys).toEqual([`${id}:cancel:1`, `${id}:cancel:1`, `${id}:cancel:2`]);
  });
});

describeWithEveryProcessor('reconcile', ({ it }) => {
  const run = async ({ chairside }: AnyWorld, limit?: number) =>
    (await chairside.reconcile(limit === undefined ? {} : { limit }))._unsafeUnwrap();

  /** Runs it whenever it is due, and expects these waits. */
  async function expectWaits(world: AnyWorld, id: string, waitsMs: readonly number[]) {
    for (const waitMs of waitsMs) {
      const { nextCheckAt = 0 } = await stored(world, id);
      world.clock.advance(nextCheckAt - world.clock.now());
      expect(await run(world)).toMatchObject({ looked: 1, unsettled: 1 });
      expect((await stored(world, id)).nextCheckAt).toBe(nextCheckAt + waitMs);
      expect(await run(world)).toMatchObject({ looked: 0 });
    }
  }

  it('has no work when no payment is open', async (world) => {
    expect(await run(world)).toEqual({
      looked: 0,
      unsettled: 0,
      needReview: [],
      orphansCanceled: 0,
      more: false,
    });
  });

  it('expires payments without a card (D17)', async (world) => {
    const { id } = await givenPayment(world);
    world.clock.advance(15 * minuteMs - 1);
    await run(world);
    expect((await stored(world, id)).state).toBe('created');
    world.clock.advance(1);
    await run(world);
    expect((await stored(world, id)).state).toBe('canceled');
  });

  it('keeps a payment with a late card until its own deadline (D17)', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    world.clock.advance(15 * minuteMs);
    await run(world);
    expect(await stored(world, opened.id)).toMatchObject({
      state: 'authorized',
      expiresAt: Date.parse('2026-11-02T09:00:00.000Z') + world.processor.longestHoldMs,
    });
    world.clock.advance(world.processor.longestHoldMs + hourMs);
    await run(world);
    expect((await stored(world, opened.id)).state).toBe('canceled');
    expect((await bookEntry(world, reference))?.status).toBe('canceled');
  });

  it('finishes a capture whose process died (D27)', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const key = fresh('key');
    world.processor.failNext('capturePayment', 'slow');
    const dead = capture(world, opened.id, reference, { key });
    await until(() => world.processor.count('capturePayment').made === 1);
    world.clock.advance(minuteMs);
    const finished = run(world);
    await until(() => world.processor.count('capturePayment').made === 2);
    world.processor.release();
    await finished;
    await dead;
    world.clock.advance(hourMs);
    await run(world);
    expect((await stored(world, opened.id)).state).toBe('captured');
    const answer = await capture(world, opened.id, reference, { key });
    payment(answer, 200);
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('finds captures made at the processor directly', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    await captureElsewhere(world, opened.id, reference);
    world.clock.advance(15 * minuteMs);
    await run(world);
    expect((await stored(world, opened.id)).state).toBe('captured');
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ capturedMinor: 4500n });
  });

  it('cancels open payments of a paid appointment', async (world) => {
    const appointmentId = await givenAppointment(world);
    const { payment: left } = await givenPresented(world, { appointmentId });
    world.clock.advance(15 * minuteMs);
    await run(world);
    await givenAppointment(world, { id: appointmentId, amountDue: '0.00' });
    world.clock.advance(hourMs);
    await run(world);
    expect((await stored(world, left.id)).state).toBe('canceled');
  });

  it('deletes keys after three days, and never before (D21)', async (world) => {
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    const { payment: opened, reference } = await givenPresented(world, { appointmentId, key });
    payment(await capture(world, opened.id, reference), 200);
    const zero = fresh('zero');
    problem(
      await create(world, appointmentId, { key: zero, amount: '0.00' }),
      'unprocessableEntity',
    );
    const held = async (key: string) =>
      (await world.store.keys.get('user-ada', key))._unsafeUnwrap() !== undefined;
    world.clock.advance(72 * hourMs - 1);
    await run(world);
    expect([await held(key), await held(zero)]).toEqual([true, true]);
    world.clock.advance(1);
    await run(world);
    expect([await held(key), await held(zero)]).toEqual([false, false]);
    expect((await stored(world, opened.id)).nextCheckAt).toBeUndefined();
    world.clock.advance(hourMs);
    expect(await run(world)).toMatchObject({ looked: 0 });
  });

  it('deletes a payment that was never opened together with its key', async (world) => {
    const appointmentId = await givenAppointment(world);
    world.processor.failNext('openPayment', 'timeoutBeforeApplying');
    problem(await create(world, appointmentId), 'serviceUnavailable');
    world.clock.advance(20 * minuteMs);
    await run(world);
    const held = async () =>
      (await world.store.payments.listByAppointment(appointmentId, 10))._unsafeUnwrap().length;
    expect(await held()).toBe(1);
    world.clock.advance(73 * hourMs);
    await run(world);
    expect(await held()).toBe(0);
  });

  it('waits longer after each unknown outcome, and never turns "unknown" into "failed" (D27)', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    await world.processor.disableAccount('acct_shop');
    let looked = 0;
    let needReview: readonly string[] = [];
    const hoursOfHold = Math.ceil(world.processor.longestHoldMs / hourMs);
    for (let hours = 0; hours < hoursOfHold + 32; hours += 1) {
      world.clock.advance(hourMs);
      const report = await run(world);
      looked += report.looked;
      needReview = report.needReview.length > 0 ? report.needReview : needReview;
    }
    expect(looked).toBeLessThan(hoursOfHold + 33);
    expect(needReview).toEqual([opened.id]);
    expect(await stored(world, opened.id)).toMatchObject({ reserved: true, state: 'authorized' });
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ reservedMinor: 4500n });
    await world.processor.enableAccount('acct_shop');
    world.clock.advance(2 * hourMs);
    await run(world);
    expect((await stored(world, opened.id)).state).toBe('canceled');
  });

  it('retries a failed read after five seconds, then after twice as long each time', async (world) => {
    const { payment: opened } = await givenPresented(world);
    world.clock.advance(15 * minuteMs);
    await run(world);
    expect((await stored(world, opened.id)).state).toBe('authorized');
    await world.processor.disableAccount('acct_shop');
    await expectWaits(world, opened.id, [5000, 10_000, 20_000, 40_000]);
  });

  it('waits as long for an unfinished capture, and counts each check once', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    await world.processor.disableAccount('acct_shop');
    await expectWaits(world, opened.id, [10_000, 20_000, 40_000]);
  });

  it('processes at most its limit, and says that more is due', async (world) => {
    for (let i = 0; i < 5; i += 1) await givenPayment(world);
    world.clock.advance(hourMs);
    expect(await run(world, 3)).toMatchObject({ looked: 3, more: true });
    expect(await run(world, 3)).toMatchObject({ looked: 2, more: false });
    expect(await run(world, 3)).toMatchObject({ looked: 0 });
  });

  it('may run twice at once: each payment ends once (D27)', async (world) => {
    for (let i = 0; i < 5; i += 1) await givenPayment(world);
    world.clock.advance(hourMs);
    await Promise.all([run(world), run(world), run(world)]);
    world.clock.advance(hourMs);
    await run(world);
    for (const entry of await world.processor.entries()) expect(entry.status).toBe('canceled');
    expect(await run(world)).toMatchObject({ looked: 0 });
  });
});

const unanswered = { kind: 'unavailable', outcome: 'unknown', answered: false } as const;

/** A card presented just before the session's end, and an expiry that could not read the books. */
async function givenInterruptedExpiry(world: World, unreadable: number) {
  const opened = await givenPayment(world);
  world.clock.advance(15 * minuteMs - 1000);
  const presented = world.processor.presentCard(opened.clientSecret, 'visa_credit');
  const { id: reference } = presented._unsafeUnwrap().externalPaymentReference;
  world.clock.advance(2000);
  world.processor.failNext('readPayment', 'timeoutBeforeApplying', unreadable);
  expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 1 });
  return { opened, reference };
}

describeEverywhere('canceling a payment whose expiry was interrupted', ({ it }) => {
  it('cancels it, although the expiry would have kept it', async (world) => {
    const { opened, reference } = await givenInterruptedExpiry(world, 1);
    expect((await cancel(world, opened.id))._unsafeUnwrap().state).toBe('canceled');
    problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
    expect(await takenMinor(world)).toBe(0n);
  });

  it('lets reconcile cancel it if that is interrupted too', async (world) => {
    const { opened } = await givenInterruptedExpiry(world, 2);
    expect((await cancel(world, opened.id))._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    world.clock.advance(minuteMs);
    expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
    expect((await stored(world, opened.id)).state).toBe('canceled');
  });
});

describeEverywhere('a cancelation that is repeated', ({ it }) => {
  it('keeps its first cause, and has a fence above every version before', async (world) => {
    const { payment: opened, reference } = await givenPresented(world, {
      card: 'partially_authorized',
    });
    world.processor.failNext('cancelPayment', 'timeoutBeforeApplying');
    problem(await capture(world, opened.id, reference), 'contactlessPaymentDeclined');
    const begun = await stored(world, opened.id);
    expect(begun.work).toMatchObject({ kind: 'cancel', cause: 'partiallyAuthorized' });
    // Each version is used once, so a fence of this version was given to no other holder.
    const intent = begun.timeline.findIndex(({ what }) => what === 'canceling');
    expect(begun.work?.fence).toBe(begun.version - (begun.timeline.length - 1 - intent));
    expect((await cancel(world, opened.id))._unsafeUnwrap().state).toBe('canceled');
    const { timeline } = await stored(world, opened.id);
    expect(timeline.at(-1)).toMatchObject({ what: 'canceled', cause: 'partiallyAuthorized' });
    const again = problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
    expect(reason(again)).toBe('partiallyAuthorized');
  });

  it('still tells why the bank refused a charge', async (world) => {
    const { appointmentId, method } = await givenBooking(world, { card: 'needs_customer' });
    world.processor.failNext('cancelPayment', 'timeoutBeforeApplying');
    const key = fresh('charge');
    expect((await charge(world, appointmentId, method, { key })).status).toBe(503);
    const [{ id: chargeId } = { id: '' }] = (
      await world.store.payments.listByAppointment(appointmentId, 1)
    )._unsafeUnwrap();
    expect((await world.chairside.cancelCharge(host, { chargeId })).isOk()).toBe(true);
    const again = problem(await charge(world, appointmentId, method, { key }), 'conflict');
    expect(reason(again)).toBe('customerMustAct');
  });
});

describeEverywhere('canceling while the shared clock cannot be read', ({ it, makeWorld }) => {
  it('sends no request, and says "unknown"', async () => {
    let isDown = false;
    let now: EpochMs = createManualClock().now();
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        now: () =>
          isDown ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' }) : okAsync(now),
      }),
    });
    const { payment: opened } = await givenPresented(world);
    now = world.clock.now();
    const untimed = withBooks(world, ({ at: _at, ...seen }) => seen);
    // The node has measured the store's clock before.
    expect((await untimed.listReviews()).isOk()).toBe(true);
    isDown = true;
    const failed = (await cancel({ chairside: untimed }, opened.id))._unsafeUnwrapErr();
    expect(failed).toMatchObject({ type: 'serviceUnavailable', recovery: { outcome: 'unknown' } });
    expect(world.processor.count('cancelPayment').made).toBe(0);
    isDown = false;
    world.clock.advance(minuteMs);
    now = world.clock.now();
    expect((await cancel({ chairside: untimed }, opened.id))._unsafeUnwrap().state).toBe(
      'canceled',
    );
  });
});

describeEverywhere('canceling while the store fails', ({ it, makeWorld }) => {
  it('never says "not applied" once the intent is durable', async () => {
    let isDown = false;
    const refusing = (real: Store): Store => ({
      ...real,
      commit: (commit) =>
        isDown
          ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
          : real.commit(commit),
    });
    const world = await makeWorld({
      store: refusing,
      processor: {
        faults({ name }) {
          if (name === 'cancelPayment') isDown = true;
          return undefined;
        },
      },
    });
    const { payment: opened, reference } = await givenPresented(world);
    const refused = (await cancel(world, opened.id))._unsafeUnwrapErr();
    expect(refused).toMatchObject({ type: 'serviceUnavailable', recovery: { outcome: 'unknown' } });
    expect(world.processor.bookEntry(reference)?.status).toBe('canceled');

    isDown = false;
    world.clock.advance(minuteMs);
    expect((await cancel(world, opened.id))._unsafeUnwrap().state).toBe('canceled');
  });

  it('nor after a first run that may have written it', async () => {
    let reads = 0;
    let isIntentWritten = false;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        payments: {
          ...real.payments,
          get(id) {
            if (!isIntentWritten) return real.payments.get(id);
            reads += 1;
            return errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' });
          },
        },
        commit: (commit) =>
          isIntentWritten
            ? errAsync({ kind: 'storeConflict', change: 'updatePayment' })
            : real.commit(commit),
      }),
      processor: {
        faults({ name }) {
          if (name === 'cancelPayment') isIntentWritten = true;
          return undefined;
        },
      },
    });
    const { payment: opened } = await givenPresented(world);
    const refused = (await cancel(world, opened.id))._unsafeUnwrapErr();
    expect(refused.recovery.outcome).toBe('unknown');
    expect(reads).toBeGreaterThan(0);
  });
});

describeEverywhere('a capture that the processor never carries out (D17)', ({ it, makeWorld }) => {
  /**
   * The account loses its access between the two calls of a capture, so that its request is
   * rejected.
   */
  async function givenUnfinishedCapture(world: World) {
    const { payment: opened, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'rejected');
    problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    expect(await stored(world, opened.id)).toMatchObject({ reserved: true });
    return { opened, reference };
  }

  it('is not canceled while its holder lives, whose calls may take longer than ours', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const { processor } = world;
    const patient = withProcessor(world, { deadlineMs: 60_000 });
    processor.failNext('capturePayment', 'slow');
    const capturing = patient.captureContactlessPayment(ada, captureInput(opened.id, reference));
    await until(() => processor.count('capturePayment').made === 1);
    expect((await cancel(world, opened.id))._unsafeUnwrapErr()).toMatchObject({
      attributes: { reason: 'running' },
    });
    processor.release();
    expect((await capturing)._unsafeUnwrap().state).toBe('captured');
  });

  it('stays reserved if the processor does not show it after a possible capture', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const { processor } = world;
    let isLost = false;
    const forgetful = withProcessor(world, {
      capturePayment(request) {
        isLost = true;
        return processor.capturePayment(request).andThen(() => errAsync(unanswered));
      },
      readPayment: (payment, claimed) =>
        isLost ? okAsync(undefined) : processor.readPayment(payment, claimed),
      cancelPayment: () => okAsync(undefined),
    });
    const input = captureInput(opened.id, reference);
    const captured = await forgetful.captureContactlessPayment(ada, input);
    expect(captured._unsafeUnwrapErr().recovery.outcome).toBe('unknown');
    const ended = await cancel({ chairside: forgetful }, opened.id);
    expect(ended._unsafeUnwrapErr().recovery.outcome).toBe('unknown');
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ reservedMinor: 4500n });

    expect((await cancel(world, opened.id))._unsafeUnwrapErr()).toMatchObject({
      attributes: { reason: 'captured' },
    });
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('continues after all if another card was presented at the last moment', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const { processor, store, clock } = world;
    processor.failNext('capturePayment', 'failure'); // stored under the first key
    problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    const { expiresAt } = await stored(world, opened.id);
    clock.advance(expiresAt - clock.now());
    const captureBefore = clock.now() + 48 * hourMs;
    const keys: string[] = [];
    const later = withProcessor(world, {
      readPayment: readingAs(world, (seen) => ({ ...seen, status: 'authorized', captureBefore })),
      capturePayment(request) {
        keys.push(request.idempotencyKey);
        return errAsync(unanswered);
      },
    });
    // The books showed that card as declined, until another was presented.
    const before = await stored(world, opened.id);
    const failed: Payment = { ...before, state: 'failed', version: before.version + 1 };
    const written = await store.commit({
      id: fresh('commit'),
      at: clock.now(),
      changes: [{ kind: 'updatePayment', payment: failed, expectedVersion: before.version }],
    });
    expect(written.isOk()).toBe(true);
    (await later.reconcile())._unsafeUnwrap();
    expect(await stored(world, opened.id)).toMatchObject({
      state: 'authorized',
      reserved: true,
      work: { kind: 'capture', attempt: 2 },
    });
    expect(keys).toEqual([`${opened.id}:capture:2`]);
  });

  it('can be canceled by the host, which frees the reserved amount', async (world) => {
    const { opened, reference } = await givenUnfinishedCapture(world);
    expect((await cancel(world, opened.id))._unsafeUnwrap().state).toBe('canceled');
    expect(world.processor.bookEntry(reference)?.status).toBe('canceled');
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({
      openPayments: 0,
      reservedMinor: 0n,
    });
    problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
  });

  it('is for a person if the processor accepts cancelations and ends none', async (world) => {
    const { opened } = await givenUnfinishedCapture(world);
    const { clock } = world;
    const readPayment = readingAs(world, (seen) => ({ ...seen, status: 'authorized' }));
    const cancelPayment = (handle: PaymentHandle) => readPayment(handle);
    const elsewhere = withProcessor(world, { readPayment, cancelPayment });
    const accepted = await cancel({ chairside: elsewhere }, opened.id);
    expect(accepted._unsafeUnwrapErr().recovery.outcome).toBe('unknown');
    for (let hours = 0; hours < 40; hours += 1) {
      clock.advance(2 * hourMs);
      (await elsewhere.reconcile())._unsafeUnwrap();
    }
    expect((await stored(world, opened.id)).review).toBe('unsettled');
  });

  it('stays reserved until the processor confirms that', async (world) => {
    const { opened } = await givenUnfinishedCapture(world);
    world.processor.failNext('cancelPayment', 'timeoutBeforeApplying');
    expect((await cancel(world, opened.id))._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ reservedMinor: 4500n });
    expect((await cancel(world, opened.id))._unsafeUnwrap().state).toBe('canceled');
  });

  it('is reported as captured if the processor captured it first', async () => {
    let isBlind = false;
    const world = await makeWorld({
      processor: {
        faults({ name }) {
          if (name === 'capturePayment') {
            isBlind = true;
            return 'timeoutAfterApplying';
          }
          return isBlind && name === 'readPayment' ? 'refused' : undefined;
        },
      },
    });
    const { payment: opened, reference } = await givenPresented(world);
    problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    isBlind = false;
    expect((await cancel(world, opened.id))._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'captured' },
    });
    expect(await takenMinor(world)).toBe(4500n);
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({
      capturedMinor: 4500n,
      reservedMinor: 0n,
    });
  });

  it.for(['upkeep', 'the same request'])(
    'is canceled by %s if the processor shows it failed',
    async (by, world) => {
      const { opened, reference } = await givenUnfinishedCapture(world);
      const { processor, clock } = world;
      const isCanceled = () => processor.count('cancelPayment').made > 0;
      const elsewhere = withBooks(world, (seen) =>
        isCanceled() ? seen : { ...seen, status: 'failed' },
      );
      expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ reservedMinor: 4500n });
      clock.advance(minuteMs);
      if (by === 'upkeep') (await elsewhere.reconcile())._unsafeUnwrap();
      else {
        const asked = captureInput(opened.id, reference);
        const refused = (await elsewhere.captureContactlessPayment(ada, asked))._unsafeUnwrapErr();
        expect(refused.type).toBe('contactlessPaymentCanceled');
      }
      expect((await stored(world, opened.id)).state).toBe('canceled');
      const appointmentId = opened.appointment.id;
      expect(await ledgerOf(world, appointmentId)).toMatchObject({ reservedMinor: 0n });
      const other = await givenPresented(world, { appointmentId });
      payment(await capture(world, other.payment.id, other.reference), 200);
    },
  );
});
