import { hourMs, minuteMs, okAsync } from '@chairside/core';
import { expect, it } from 'vitest';
import { payment, problem } from '../src/answer.ts';
import { cancel } from '../src/elsewhere.ts';
import {
  capture,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  ledgerEntry,
  ledgerOf,
  stored,
  takenMinor,
  until,
} from '../src/shop.ts';
import { type AnyWorld, describeEverywhere, describeWithEveryProcessor } from '../src/world.ts';

describeWithEveryProcessor('cancelContactlessPayment', (makeWorld) => {
  it('cancels an open payment, and an authorized one', async () => {
    const world = await makeWorld();
    const open = await givenPayment(world);
    const { payment: authorized, reference } = await givenPresented(world);
    for (const { id, appointment } of [open, authorized]) {
      expect((await cancel(world, id))._unsafeUnwrap().state).toBe('canceled');
      expect((await cancel(world, id))._unsafeUnwrap().state).toBe('canceled');
      expect(await ledgerOf(world, appointment.id)).toMatchObject({ openPayments: 0 });
    }
    expect((await ledgerEntry(world, reference))?.status).toBe('canceled');
    problem(await capture(world, authorized.id, reference), 'contactlessPaymentCanceled');
  });

  it('permits the appointment’s barber, its business and administrators (D58)', async () => {
    const world = await makeWorld();
    const { chairside } = world;
    const { id } = await givenPayment(world);
    const as = (caller: Parameters<typeof chairside.cancelContactlessPayment>[0]) =>
      chairside.cancelContactlessPayment(caller, { contactlessPaymentId: id });
    expect((await as({ subject: 'x', businessIds: ['other'] }))._unsafeUnwrapErr().type).toBe(
      'forbidden',
    );
    expect((await as(undefined))._unsafeUnwrapErr().type).toBe('unauthorized');
    expect((await cancel(world, 'cpm_none'))._unsafeUnwrapErr().type).toBe('notFound');
    expect((await as({ subject: 'x', businessIds: ['shop'] })).isOk()).toBe(true);
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

  it('rejects a captured payment', async () => {
    const world = await makeWorld();
    const { payment: captured } = await givenCaptured(world);
    expect((await cancel(world, captured.id))._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'captured' },
    });
  });

  it('reports canceled only after the processor confirms it (D17)', async () => {
    const world = await makeWorld();
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

  it('reads the processor after a lost reply', async () => {
    const world = await makeWorld();
    const { payment: opened } = await givenPresented(world);
    world.processor.failNext('cancelPayment', 'lostReply');
    expect((await cancel(world, opened.id))._unsafeUnwrap().state).toBe('canceled');
  });

  it('waits for a capture that may have been sent', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'slow');
    const capturing = capture(world, opened.id, reference);
    await until(() => world.processor.count('capturePayment').made === 1);
    expect((await cancel(world, opened.id))._unsafeUnwrapErr().type).toBe('conflict');
    world.processor.release();
    payment(await capturing, 200);
  });

  it('waits for a cancelation that another call carries out', async () => {
    const world = await makeWorld();
    const opened = await givenPayment(world);
    world.processor.failNext('cancelPayment', 'slow');
    const first = cancel(world, opened.id);
    await until(() => world.processor.count('cancelPayment').made === 1);
    expect((await cancel(world, opened.id))._unsafeUnwrapErr().type).toBe('conflict');
    world.processor.release();
    expect((await first)._unsafeUnwrap().state).toBe('canceled');
  });

  it('corrects itself if the processor had captured the payment', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    await captureBehindOurBack(world, opened.id, reference);
    expect((await cancel(world, opened.id))._unsafeUnwrapErr().type).toBe('conflict');
    expect((await stored(world, opened.id)).state).toBe('captured');
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ capturedMinor: 4500n });
  });
});

describeEverywhere('cancelContactlessPayment and its processor keys', (makeWorld) => {
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

describeWithEveryProcessor('reconcile', (makeWorld) => {
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

  it('has no work when no payment is open', async () => {
    const world = await makeWorld();
    expect(await run(world)).toEqual({
      looked: 0,
      unsettled: 0,
      needReview: [],
      orphansCanceled: 0,
      more: false,
    });
  });

  it('expires payments without a card (D17)', async () => {
    const world = await makeWorld();
    const { id } = await givenPayment(world);
    world.clock.advance(15 * minuteMs - 1);
    await run(world);
    expect((await stored(world, id)).state).toBe('created');
    world.clock.advance(1);
    await run(world);
    expect((await stored(world, id)).state).toBe('canceled');
  });

  it('keeps a payment with a late card until its own deadline (D17)', async () => {
    const world = await makeWorld();
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
    expect((await ledgerEntry(world, reference))?.status).toBe('canceled');
  });

  it('finishes a capture whose process died (D27)', async () => {
    const world = await makeWorld();
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

  it('finds captures made at the processor directly', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    await captureBehindOurBack(world, opened.id, reference);
    world.clock.advance(15 * minuteMs);
    await run(world);
    expect((await stored(world, opened.id)).state).toBe('captured');
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ capturedMinor: 4500n });
  });

  it('cancels open payments of a paid appointment', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    const { payment: left } = await givenPresented(world, { appointmentId });
    world.clock.advance(15 * minuteMs);
    await run(world);
    await givenAppointment(world, { id: appointmentId, amountDue: '0.00' });
    world.clock.advance(hourMs);
    await run(world);
    expect((await stored(world, left.id)).state).toBe('canceled');
  });

  it('deletes keys after three days, and never before (D21)', async () => {
    const world = await makeWorld();
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

  it('deletes a payment that was never opened together with its key', async () => {
    const world = await makeWorld();
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

  it('waits longer after each unknown outcome, and never turns "unknown" into "failed" (D27)', async () => {
    const world = await makeWorld();
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

  it('retries a failed read after five seconds, then after twice as long each time', async () => {
    const world = await makeWorld();
    const { payment: opened } = await givenPresented(world);
    world.clock.advance(15 * minuteMs);
    await run(world);
    expect((await stored(world, opened.id)).state).toBe('authorized');
    await world.processor.disableAccount('acct_shop');
    await expectWaits(world, opened.id, [5000, 10_000, 20_000, 40_000]);
  });

  it('waits as long for an unfinished capture, and counts each check once', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    await world.processor.disableAccount('acct_shop');
    await expectWaits(world, opened.id, [10_000, 20_000, 40_000]);
  });

  it('processes at most its limit, and says that more is due', async () => {
    const world = await makeWorld();
    for (let i = 0; i < 5; i += 1) await givenPayment(world);
    world.clock.advance(hourMs);
    expect(await run(world, 3)).toMatchObject({ looked: 3, more: true });
    expect(await run(world, 3)).toMatchObject({ looked: 2, more: false });
    expect(await run(world, 3)).toMatchObject({ looked: 0 });
  });

  it('may run twice at once: each payment ends once (D27)', async () => {
    const world = await makeWorld();
    for (let i = 0; i < 5; i += 1) await givenPayment(world);
    world.clock.advance(hourMs);
    await Promise.all([run(world), run(world), run(world)]);
    world.clock.advance(hourMs);
    await run(world);
    for (const entry of await world.processor.entries()) expect(entry.status).toBe('canceled');
    expect(await run(world)).toMatchObject({ looked: 0 });
  });
});

/** A person captures in the processor's own dashboard. */
async function captureBehindOurBack(world: AnyWorld, paymentId: string, reference: string) {
  const captured = await world.processor.capturePayment({
    account: 'acct_shop',
    paymentId,
    installation: 'chairside',
    begunAt: world.clock.now(),
    reference,
    amountMinor: 4500n,
    currency: 'eur',
    idempotencyKey: fresh('elsewhere'),
  });
  if (captured.isErr()) throw new Error(captured.error.kind);
}
