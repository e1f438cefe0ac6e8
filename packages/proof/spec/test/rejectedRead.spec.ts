import { createChairside, errAsync, foreignReference, okAsync, type Store } from '@chairside/core';
import { expect, it } from 'vitest';
import { payment, problem } from '../src/answer.ts';
import { ada, captureInput, deliverMessages, withProcessor } from '../src/elsewhere.ts';
import { capture, givenPayment, givenPresented, present, stored } from '../src/shop.ts';
import { describeEverywhere } from '../src/world.ts';

describeEverywhere(
  'a read that the processor rejects, not because of the reference',
  (makeWorld) => {
    it('is repeated with the same request, before a capture was sent and after', async () => {
      const world = await makeWorld();
      const { payment: opened, reference } = await givenPresented(world);
      const retryLater = { retry: 'retrySameRequestAfterDelay' };
      const key = 'capture';
      world.processor.failNext('readPayment', 'rejected');
      const before = await capture(world, opened.id, reference, { key });
      expect(problem(before, 'serviceUnavailable').recovery).toMatchObject(retryLater);

      world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
      problem(await capture(world, opened.id, reference, { key }), 'serviceUnavailable');
      world.processor.failNext('readPayment', 'rejected');
      const after = await capture(world, opened.id, reference, { key });
      expect(problem(after, 'serviceUnavailable').recovery).toMatchObject({
        outcome: 'unknown',
        ...retryLater,
      });
      expect(payment(await capture(world, opened.id, reference, { key }), 200)).toMatchObject({
        state: 'captured',
      });
    });
  },
);

describeEverywhere('a payment that the processor has lost', (makeWorld) => {
  it('may have been captured, if its own reference is sent again', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    const node = withProcessor(world, {
      readPayment: () => errAsync({ kind: 'rejected', reason: foreignReference }),
    });
    const send = async (id: string) => {
      const sent = await node.captureContactlessPayment(ada, captureInput(opened.id, id));
      return sent._unsafeUnwrapErr();
    };
    const foreign = {
      type: 'unprocessableEntity',
      detail: expect.stringContaining('does not belong'),
      recovery: { retry: 'doNotRetry' },
    };
    expect(await send(reference)).toMatchObject(foreign);
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    expect(await send('another')).toMatchObject(foreign);
    expect(await send(reference)).toMatchObject({
      type: 'unprocessableEntity',
      recovery: { outcome: 'unknown', retry: 'doNotRetry' },
      attributes: { pointer: '/externalPaymentReference/id' },
    });
  });
});

describeEverywhere('a capture', (makeWorld) => {
  it('names the reference that the card was presented under', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    const references: (string | undefined)[] = [];
    const node = withProcessor(world, {
      capturePayment(request) {
        references.push(request.reference);
        return world.processor.capturePayment(request);
      },
    });
    const input = captureInput(opened.id, reference);
    expect((await node.captureContactlessPayment(ada, input)).isOk()).toBe(true);
    expect(references).toEqual([reference]);
  });

  it('without a card changes no record', async () => {
    const world = await makeWorld();
    const opened = await givenPayment(world);
    const { reference = '' } = await stored(world, opened.id);
    const before = await stored(world, opened.id);
    problem(await capture(world, opened.id, reference), 'conflict');
    expect(await stored(world, opened.id)).toEqual(before);
  });

  it('succeeds if another card was approved just before the first was recorded as declined', async () => {
    let again: (() => Promise<void>) | undefined;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        commit(commit) {
          const act = again;
          if (act === undefined) return real.commit(commit);
          again = undefined;
          return okAsync(undefined)
            .map(() => act())
            .andThen(() => real.commit(commit));
        },
      }),
    });
    const { payment: opened, reference } = await givenPresented(world, { card: 'declined' });
    again = async () => {
      await present(world, opened);
      await deliverMessages(world);
    };
    payment(await capture(world, opened.id, reference), 200);
  });

  it('says that the appointment cannot be read, and keeps the reservation', async () => {
    let isReserved = false;
    const forgetting = (real: Store): Store => ({
      ...real,
      appointments: {
        ...real.appointments,
        get: (id) =>
          isReserved
            ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
            : real.appointments.get(id),
      },
      commit(commit) {
        isReserved ||= commit.changes.some(
          (change) => change.kind === 'moveLedger' && change.reservedMinor > 0n,
        );
        return real.commit(commit);
      },
    });
    const world = await makeWorld({ store: forgetting });
    const { payment: opened, reference } = await givenPresented(world);
    const unread = problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    expect(unread).toMatchObject({
      detail: 'The appointment cannot be read.',
      recovery: { outcome: 'unknown' },
    });
    const { reserved, timeline } = await stored(world, opened.id);
    expect(reserved).toBe(true);
    expect(timeline.at(-1)).toMatchObject({ what: 'capture unread' });
  });

  it('is released if the appointment is gone since it could not be reserved', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    let isGone = false;
    const { store: real, processor, clock } = world;
    const store: Store = {
      ...real,
      appointments: {
        ...real.appointments,
        get: (id) => (isGone ? okAsync(undefined) : real.appointments.get(id)),
      },
      commit(commit) {
        const reserves = commit.changes.some(
          (change) => change.kind === 'moveLedger' && change.reservedMinor > 0n,
        );
        if (!reserves) return real.commit(commit);
        isGone = true;
        return errAsync({ kind: 'storeConflict', change: 'moveLedger' });
      },
    };
    const node = createChairside({ store, processor, clock, rateLimits: 'off' });
    const input = captureInput(opened.id, reference);
    const refused = (await node.captureContactlessPayment(ada, input))._unsafeUnwrapErr();
    expect(refused.attributes).toMatchObject({ reason: 'appointmentGone', isReleased: true });
    // A cause that later responses of the canceled payment name.
    const { timeline } = await stored(world, opened.id);
    expect(timeline.at(-1)).toMatchObject({ cause: 'exceedsRemainingBalance' });
  });
});
