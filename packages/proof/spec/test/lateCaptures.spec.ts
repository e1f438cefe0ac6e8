import { hourMs, minuteMs, type ProcessorPayment } from '@chairside/core';
import { expect, it } from 'vitest';
import { payment, problem, reason } from '../src/answer.ts';
import {
  ada,
  cancel,
  captureInput,
  deliverMessages,
  readingAs,
  withProcessor,
} from '../src/elsewhere.ts';
import {
  capture,
  givenAppointment,
  givenPresented,
  ledgerOf,
  stored,
  takenMinor,
} from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** A payment whose capture the processor has accepted and not ended. */
async function givenInFlight(world: World) {
  const appointmentId = await givenAppointment(world);
  const { payment: opened, reference } = await givenPresented(world, { appointmentId });
  world.processor.slowCaptures(true);
  const ask = (key = 'first') => capture(world, opened.id, reference, { key });
  const end = (state: 'captured' | 'failed') => {
    world.processor.endCapture(reference, state)._unsafeUnwrap();
  };
  const unknown = problem(await ask(), 'serviceUnavailable');
  expect(unknown.recovery?.outcome).toBe('unknown');
  return { appointmentId, opened, reference, ask, end };
}

async function reconcileLater(world: World, ms = hourMs): Promise<void> {
  world.clock.advance(ms);
  (await world.chairside.reconcile())._unsafeUnwrap();
}

const stateOf = async (world: World, id: string) => (await stored(world, id)).state;

describeEverywhere('a capture that the processor ends later', (makeWorld) => {
  it('is unknown and stays reserved until its end, under every key', async () => {
    const world = await makeWorld();
    const { appointmentId, ask, end } = await givenInFlight(world);
    for (const key of ['first', 'second', 'first']) {
      const { recovery } = problem(await ask(key), 'serviceUnavailable');
      expect(recovery?.outcome).toBe('unknown');
      expect((await ledgerOf(world, appointmentId)).reservedMinor).toBe(4500n);
    }
    expect(world.processor.count('capturePayment').applied).toBe(1);
    end('captured');
    for (const key of ['first', 'second'])
      expect(payment(await ask(key), 200).state).toBe('captured');
    expect(await takenMinor(world)).toBe(4500n);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({
      capturedMinor: 4500n,
      reservedMinor: 0n,
    });
  });

  it('lets no other payment of the appointment be captured meanwhile', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    const given = { appointmentId };
    const [first, second] = [
      await givenPresented(world, given),
      await givenPresented(world, given),
    ];
    world.processor.slowCaptures(true);
    problem(await capture(world, first.payment.id, first.reference), 'serviceUnavailable');
    const refused = problem(await capture(world, second.payment.id, second.reference), 'conflict');
    expect(reason(refused)).toBe('reservedElsewhere');
    world.processor.endCapture(first.reference, 'captured')._unsafeUnwrap();
    // The first run records the capture, and the second one releases the rest.
    for (let runs = 1; runs <= 2; runs += 1) await reconcileLater(world);
    expect(await takenMinor(world)).toBe(4500n);
    expect(await stateOf(world, second.payment.id)).toBe('canceled');
  });

  it('is recorded by reconcile, or by the message of its end', async () => {
    for (const learn of ['reconcile', 'message'] as const) {
      const world = await makeWorld();
      const { opened, end } = await givenInFlight(world);
      await deliverMessages(world);
      expect(await stateOf(world, opened.id)).toBe('authorized');
      end('captured');
      if (learn === 'reconcile') await reconcileLater(world);
      else await deliverMessages(world);
      expect(await stored(world, opened.id)).toMatchObject({
        state: 'captured',
        reserved: false,
        capturedMinor: 4500n,
      });
    }
  });

  it('is made again under another key of ours once it has failed', async () => {
    const world = await makeWorld();
    const { ask, end, opened } = await givenInFlight(world);
    end('failed');
    // This attempt learns that the key only repeats a failure.
    expect(problem(await ask(), 'serviceUnavailable').recovery?.outcome).toBe('unknown');
    expect((await stored(world, opened.id)).reserved).toBe(true);
    problem(await ask(), 'serviceUnavailable');
    expect(world.processor.count('capturePayment').applied).toBe(2);
    end('captured');
    expect(payment(await ask(), 200).state).toBe('captured');
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('is not canceled meanwhile, and the host hears that the outcome is unknown', async () => {
    for (const state of ['captured', 'failed'] as const) {
      const world = await makeWorld();
      const { opened, end } = await givenInFlight(world);
      const canceled = (await cancel(world, opened.id))._unsafeUnwrapErr();
      expect(canceled).toMatchObject({
        type: 'serviceUnavailable',
        recovery: { outcome: 'unknown' },
      });
      await reconcileLater(world, minuteMs);
      expect(await stored(world, opened.id)).toMatchObject({ state: 'authorized', reserved: true });
      end(state);
      await reconcileLater(world);
      const isCaptured = state === 'captured';
      expect(await stateOf(world, opened.id)).toBe(isCaptured ? 'captured' : 'canceled');
      expect(await takenMinor(world)).toBe(isCaptured ? 4500n : 0n);
    }
  });

  it('may exceed an amount that was lowered meanwhile, and is then reviewed', async () => {
    const world = await makeWorld();
    const { appointmentId, opened, end } = await givenInFlight(world);
    const found = (await world.store.appointments.get(appointmentId))._unsafeUnwrap();
    if (found === undefined) throw new Error('the appointment is gone');
    const lowered = { ...found, amountDueMinor: 2000n };
    const put = (await world.chairside.records.putAppointment(lowered))._unsafeUnwrap();
    // The host learns the amount that may still be captured (D13).
    expect(put).toMatchObject({ reserved: '45.00' });
    await reconcileLater(world);
    expect(await stored(world, opened.id)).toMatchObject({ state: 'authorized', reserved: true });
    end('captured');
    await reconcileLater(world);
    expect(await stored(world, opened.id)).toMatchObject({
      state: 'captured',
      review: 'capturedBeyondDue',
    });
  });

  it('holds its reservation beyond the deadline of the authorization', async () => {
    const world = await makeWorld();
    const { appointmentId, opened, end } = await givenInFlight(world);
    await reconcileLater(world, 49 * hourMs);
    await reconcileLater(world);
    expect(await stateOf(world, opened.id)).toBe('authorized');
    expect((await ledgerOf(world, appointmentId)).reservedMinor).toBe(4500n);
    expect(world.processor.count('capturePayment').applied).toBe(1);
    end('captured');
    await reconcileLater(world, 24 * hourMs);
    expect(await stateOf(world, opened.id)).toBe('captured');
    expect(await takenMinor(world)).toBe(4500n);
  });
});

describeEverywhere('an adapter that shows a capture in flight in another way', (makeWorld) => {
  it('returns the authorized entry from the capture: the outcome is unknown', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    const { processor } = world;
    const accepting = withProcessor(world, {
      capturePayment: (request) => processor.readPayment(request).map((seen) => shown(seen)),
    });
    const input = captureInput(opened.id, reference);
    for (let times = 1; times <= 2; times += 1) {
      const error = (await accepting.captureContactlessPayment(ada, input))._unsafeUnwrapErr();
      expect(error).toMatchObject({ type: 'serviceUnavailable', recovery: { outcome: 'unknown' } });
    }
  });

  it('reads it as processing: the outcome is unknown', async () => {
    const world = await makeWorld();
    const { opened, reference } = await givenInFlight(world);
    const processing = withProcessor(world, {
      readPayment: readingAs(world, (seen) => ({ ...seen, status: 'processing' })),
    });
    const input = captureInput(opened.id, reference);
    const error = (await processing.captureContactlessPayment(ada, input))._unsafeUnwrapErr();
    expect(error).toMatchObject({ type: 'serviceUnavailable', recovery: { outcome: 'unknown' } });
  });
});

function shown(seen: ProcessorPayment | undefined): ProcessorPayment {
  if (seen === undefined) throw new Error('the processor has no such entry');
  return seen;
}
