import { errAsync, hourMs, minuteMs, okAsync, type Payment, type Store } from '@chairside/core';
import { expect, it } from 'vitest';
import { problem, reason } from '../src/answer.ts';
import { charge, givenBooking } from '../src/charges.ts';
import {
  ada,
  cancel,
  captureInput,
  host,
  readingAs,
  withLedger,
  withProcessor,
} from '../src/elsewhere.ts';
import {
  capture,
  fresh,
  givenPayment,
  givenPresented,
  ledgerOf,
  stored,
  takenMinor,
  until,
} from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const unanswered = { kind: 'unavailable', outcome: 'unknown', answered: false } as const;

/** A card presented just before the session's end, and an expiry that could not read the ledger. */
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

describeEverywhere('canceling a payment whose expiry was interrupted', (makeWorld) => {
  it('cancels it, although the expiry would have kept it', async () => {
    const world = await makeWorld();
    const { opened, reference } = await givenInterruptedExpiry(world, 1);
    expect((await cancel(world, opened.id))._unsafeUnwrap().state).toBe('canceled');
    problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
    expect(await takenMinor(world)).toBe(0n);
  });

  it('lets reconcile cancel it if that is interrupted too', async () => {
    const world = await makeWorld();
    const { opened } = await givenInterruptedExpiry(world, 2);
    expect((await cancel(world, opened.id))._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    world.clock.advance(minuteMs);
    expect((await world.chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
    expect((await stored(world, opened.id)).state).toBe('canceled');
  });
});

describeEverywhere('a cancelation that is repeated', (makeWorld) => {
  it('keeps its first cause, and has a fence above every version before', async () => {
    const world = await makeWorld();
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

  it('still tells why the bank refused a charge', async () => {
    const world = await makeWorld();
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

describeEverywhere('canceling while the shared clock cannot be read', (makeWorld) => {
  it('sends no request, and says "unknown"', async () => {
    let isDown = true;
    const unclocked = (real: Store): Store => ({
      ...real,
      now: () =>
        isDown ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' }) : okAsync(0),
    });
    const world = await makeWorld({ store: unclocked });
    const { payment: opened } = await givenPresented(world);
    const untimed = withLedger(world, ({ at: _at, ...seen }) => seen);
    const failed = (await cancel({ chairside: untimed }, opened.id))._unsafeUnwrapErr();
    expect(failed).toMatchObject({ type: 'serviceUnavailable', recovery: { outcome: 'unknown' } });
    expect(world.processor.count('cancelPayment').made).toBe(0);
    isDown = false;
    world.clock.advance(minuteMs);
    expect((await cancel({ chairside: untimed }, opened.id))._unsafeUnwrap().state).toBe(
      'canceled',
    );
  });
});

describeEverywhere('canceling while the store fails', (makeWorld) => {
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
    expect(world.processor.ledgerEntry(reference)?.status).toBe('canceled');

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

describeEverywhere('a capture that the processor never carries out (D17)', (makeWorld) => {
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

  it('is not canceled while its holder lives, whose calls may take longer than ours', async () => {
    const world = await makeWorld();
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

  it('stays reserved if the processor does not show it after a possible capture', async () => {
    const world = await makeWorld();
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

  it('continues after all if another card was presented at the last moment', async () => {
    const world = await makeWorld();
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
    // The ledger showed that card as declined, until another was presented.
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

  it('can be canceled by the host, which frees the reserved amount', async () => {
    const world = await makeWorld();
    const { opened, reference } = await givenUnfinishedCapture(world);
    expect((await cancel(world, opened.id))._unsafeUnwrap().state).toBe('canceled');
    expect(world.processor.ledgerEntry(reference)?.status).toBe('canceled');
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({
      openPayments: 0,
      reservedMinor: 0n,
    });
    problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
  });

  it('stays reserved until the processor confirms that', async () => {
    const world = await makeWorld();
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

  it('is canceled after the authorization’s time if the processor shows it failed', async () => {
    const world = await makeWorld();
    const { opened } = await givenUnfinishedCapture(world);
    const { processor, clock } = world;
    const isCanceled = () => processor.count('cancelPayment').made > 0;
    const elsewhere = withLedger(world, (seen) =>
      isCanceled() ? seen : { ...seen, status: 'failed' },
    );
    const { expiresAt } = await stored(world, opened.id);
    clock.advance(expiresAt - clock.now() - 1);
    (await elsewhere.reconcile())._unsafeUnwrap();
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ reservedMinor: 4500n });
    clock.advance(hourMs);
    (await elsewhere.reconcile())._unsafeUnwrap();
    expect((await stored(world, opened.id)).state).toBe('canceled');
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ reservedMinor: 0n });
  });
});
