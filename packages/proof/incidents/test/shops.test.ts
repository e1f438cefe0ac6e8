import type { RawEvent } from '@chairside/core';
import { expect, it } from 'vitest';
import { host, need, openShop, plainApp, presented, type Shop } from './shop.ts';

/**
 * Calls the webhook with each message. No call goes on until all have read the processor. Then every call
 * goes on, and so does a capture that waits for its reply.
 */
async function deliverAtOnce({ processor, deliver }: Shop, messages: readonly RawEvent[]) {
  const before = processor.count('readPayment').made;
  processor.failNext('readPayment', 'slowReply', messages.length);
  const statuses = Promise.all(messages.map(deliver));
  while (processor.count('readPayment').made < before + messages.length) {
    await new Promise(setImmediate);
  }
  processor.release();
  return { statuses };
}

it('medusa #16292: a capture is tried again after the provider failed', async () => {
  const shop = await openShop();
  const appointmentId = await shop.putAppointment();
  const app = plainApp(shop);
  const first = await presented(shop, appointmentId, '1');
  // The provider processes the request, and the response does not arrive.
  shop.processor.failNext('capturePayment', 'landsLater');
  expect((await app.captureContactlessPayment(first)).isErr()).toBe(true);
  // The caller tries again with a key of its own.
  need(await app.captureContactlessPayment({ ...first, idempotencyKey: 'retry' }));
  shop.processor.landAbandoned();
  const [one, two, ...more] = shop.captureKeys;
  expect(one).toBeDefined();
  expect(two).toBe(one);
  expect(more).toEqual([]);
  expect(shop.processor.count('capturePayment')).toEqual({ made: 2, applied: 1 });
  expect(shop.charged()).toEqual(['45.00']);
});

it('medusa #13301: the client and the webhook settle one payment at once', async () => {
  const shop = await openShop();
  const appointmentId = await shop.putAppointment();
  const app = plainApp(shop);
  const payment = await presented(shop, appointmentId, '1');
  // The payment is captured, and its message arrives before the client's own reply.
  shop.processor.failNext('capturePayment', 'slowReply');
  const capturing = app.captureContactlessPayment(payment);
  while (shop.charged().length === 0) await new Promise(setImmediate);
  const messages = need(shop.processor.takeEvents());
  const webhook = await deliverAtOnce(shop, messages);
  expect(need(await capturing).state).toBe('captured');
  expect(await webhook.statuses).toEqual(messages.map(() => 200));
  expect(shop.captureKeys).toHaveLength(1);
  // The payment is listed, and the host receives each event once.
  const listed = need(await app.listContactlessPayments({ appointmentId }));
  expect(listed.items.map(({ state }) => state)).toEqual(['captured']);
  expect(await shop.told()).toEqual(['created', 'authorized', 'captured']);
  const ledger = need(await shop.chairside.getAppointmentLedger(host, { appointmentId }));
  expect(ledger).toMatchObject({ captured: '45.00', reserved: '0.00' });
});

it('pinelab-vendure-plugins #620: the webhook is called three times at once', async () => {
  const shop = await openShop();
  const appointmentId = await shop.putAppointment();
  const payment = await presented(shop, appointmentId, '1');
  // The payment succeeds at the processor, and the webhook is the first to say so.
  shop.processor.failNext('capturePayment', 'landsLater');
  const capturing = await plainApp(shop).captureContactlessPayment(payment);
  expect(capturing).toMatchObject({ error: { recovery: { outcome: 'unknown' } } });
  expect(shop.processor.landAbandoned()).toBe(1);
  const settled = need(shop.processor.takeEvents()).slice(-1);
  const calls = settled.flatMap((message) => [message, message, message]);
  expect(await (await deliverAtOnce(shop, calls)).statuses).toEqual([200, 200, 200]);
  expect(await shop.told()).toEqual(['created', 'authorized', 'captured']);
  const ledger = need(await shop.chairside.getAppointmentLedger(host, { appointmentId }));
  expect(ledger).toMatchObject({ captured: '45.00', reserved: '0.00' });
});

it('stripe/sync-engine #268: two events of one second, of which the second is the newer state', async () => {
  const shop = await openShop();
  const appointmentId = await shop.putAppointment();
  const payment = await presented(shop, appointmentId, '1');
  need(await plainApp(shop).captureContactlessPayment(payment));
  const { processor } = shop;
  const { id: reference } = payment.body.externalPaymentReference;
  need(processor.takeEvents());
  const states = async () => {
    const listed = await Promise.all(
      (['open', 'won', 'lost'] as const).map((state) => shop.chairside.listDisputes({ state })),
    );
    return listed.flatMap((disputes) => need(disputes).map(({ state }) => state));
  };
  // The clock stands still, so both events bear one time.
  const { subject = '' } = need(processor.dispute(reference, 4500n));
  const [opened] = need(processor.takeEvents());
  if (opened === undefined) throw new Error('no event');
  expect(await shop.deliver(opened)).toBe(200);
  expect(await states()).toEqual(['open']);
  need(processor.closeDispute(reference, subject, 'won'));
  const [closed] = need(processor.takeEvents());
  if (closed === undefined) throw new Error('no event');
  expect(await shop.deliver(closed)).toBe(200);
  expect(await states()).toEqual(['won']);
  // The older event comes once more, with an id that was not seen.
  const repeated = processor.signEvent(opened.payload.replace(/"id":"([^"]+)"/, '"id":"$1x"'));
  expect(await shop.deliver(repeated)).toBe(200);
  expect(await states()).toEqual(['won']);
});
