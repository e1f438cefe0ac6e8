import { errAsync, hourMs, minuteMs } from '@chairside/core';
import { expect, it } from 'vitest';
import { problem } from '../src/answer.ts';
import {
  ada,
  captureInput,
  deliverMessages,
  readingAs,
  withLedger,
  withProcessor,
} from '../src/elsewhere.ts';
import { capture, givenPresented, ledgerOf, stored } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const given = (world: World) => givenPresented(world, { card: 'partially_authorized' });

async function toldTypes({ chairside }: World): Promise<readonly string[]> {
  const told: string[] = [];
  const delivered = await chairside.events.deliver(async ({ type }) => {
    told.push(type);
  });
  expect(delivered.isOk()).toBe(true);
  return told.map((type) => type.replace('contactlessPayment.', ''));
}

describeEverywhere('a partial authorization', (makeWorld) => {
  it('counts as failed after a message, and the next reconcile releases it', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await given(world);
    await deliverMessages(world);
    expect((await stored(world, opened.id)).state).toBe('failed');
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await stored(world, opened.id)).state).toBe('canceled');
    expect(world.processor.ledgerEntry(reference)?.status).toBe('canceled');
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ openPayments: 0 });
    expect(await toldTypes(world)).toEqual(['created', 'failed', 'canceled']);
  });

  it('is released by reconcile without a message', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await given(world);
    world.clock.advance(16 * minuteMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await stored(world, opened.id)).state).toBe('canceled');
    expect(world.processor.ledgerEntry(reference)?.status).toBe('canceled');
    expect(await toldTypes(world)).not.toContain('authorized');
  });

  it('of another amount altogether is a conflict, and stays unchanged', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenPresented(world);
    const elsewhere = withLedger(world, (seen) => ({
      ...seen,
      amountMinor: 3000n,
      authorizedMinor: 3000n,
    }));
    const refused = await elsewhere.captureContactlessPayment(
      ada,
      captureInput(opened.id, reference),
    );
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'differsAtProcessor' },
    });
    expect(world.processor.ledgerEntry(reference)?.status).toBe('authorized');
  });

  it('that was captured anyway is not reported as released', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await given(world);
    let isTaken = false;
    const elsewhere = withProcessor(world, {
      readPayment: readingAs(world, (seen) => (isTaken ? { ...seen, status: 'captured' } : seen)),
      cancelPayment() {
        isTaken = true;
        return errAsync({ kind: 'rejected', reason: 'captured' });
      },
    });
    const refused = await elsewhere.captureContactlessPayment(
      ada,
      captureInput(opened.id, reference),
    );
    expect(refused._unsafeUnwrapErr()).toMatchObject({ attributes: { reason: 'running' } });
    expect((await stored(world, opened.id)).state).toBe('captured');
  });

  it('is declined, and released later if it cannot be now', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await given(world);
    world.processor.failNext('cancelPayment', 'timeoutBeforeApplying');
    const refused = await capture(world, opened.id, reference);
    // Another system may capture it before its release.
    expect(problem(refused, 'contactlessPaymentDeclined')).toMatchObject({
      attributes: { reason: 'partiallyAuthorized', isReleased: false },
      recovery: { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' },
    });
    expect(world.processor.ledgerEntry(reference)?.status).toBe('authorized');
    world.clock.advance(hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect(world.processor.ledgerEntry(reference)?.status).toBe('canceled');
    const again = problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
    expect(again).toMatchObject({
      attributes: { reason: 'partiallyAuthorized' },
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
  });
});
