import { expect, it } from 'vitest';
import { type Attempt, createClient, type Fetch } from '../src/index.ts';
import { refundOperations } from '../src/refunds.ts';
import { baseUrl, errorOf, need, openShop, type Shop } from './shop.ts';
import { createVirtualTime } from './virtual-time.ts';

const clientOf = (fetch: Fetch, token = 'owner') =>
  createClient(
    { baseUrl, fetch, accessToken: () => token, time: createVirtualTime() },
    refundOperations,
  );

/** A captured payment of 45.00. Returns its id. */
async function givenCaptured(shop: Shop): Promise<string> {
  const client = createClient({ baseUrl, fetch: shop.fetch, accessToken: () => 'ada' });
  const appointmentId = await shop.putAppointment('a');
  const created = need(
    await client.createContactlessPayment({ appointmentId, idempotencyKey: 'create' }),
  );
  const tapped = need(shop.processor.presentCard(created.clientSecret, 'visa_credit'));
  const { externalPaymentReference } = tapped;
  const body = { externalPaymentReference };
  const captured = need(
    await client.captureContactlessPayment({
      contactlessPaymentId: created.id,
      idempotencyKey: 'capture',
      body,
    }),
  );
  return captured.id;
}

it('refunds, lists and reads', async () => {
  const shop = await openShop();
  const contactlessPaymentId = await givenCaptured(shop);
  const client = clientOf(shop.fetch);
  const body = { amount: '10.00', reason: 'too short' };
  const asked = { contactlessPaymentId, idempotencyKey: 'k', body };
  const refund = need(await client.refundPayment(asked));
  expect(refund).toMatchObject({ amount: '10.00', state: 'succeeded', reason: 'too short' });
  expect(need(await client.refundPayment(asked))).toEqual(refund);
  const read = { contactlessPaymentId, refundId: refund.id };
  expect(need(await client.getRefund(read))).toEqual(refund);
  expect(need(await client.listRefunds({ contactlessPaymentId }))).toEqual({
    items: [refund],
    count: 1,
    captured: '45.00',
    refundable: '35.00',
  });
});

it('sends a refund whose response was lost again, under the same key, and refunds once', async () => {
  const shop = await openShop();
  const contactlessPaymentId = await givenCaptured(shop);
  let losses = 2;
  const losing: Fetch = async (url, init) => {
    const response = await shop.fetch(url, init);
    losses -= 1;
    if (losses >= 0) throw new Error('the connection is gone');
    return response;
  };
  const attempts: Attempt[] = [];
  const made = await clientOf(losing).refundPayment(
    { contactlessPaymentId, idempotencyKey: 'k' },
    { onAttempt: (attempt) => attempts.push(attempt) },
  );
  expect(need(made)).toMatchObject({ amount: '45.00', state: 'succeeded' });
  expect(attempts).toMatchObject([
    { operation: 'refundPayment', attempt: 1, problem: { type: 'unanswered' } },
    { operation: 'refundPayment', attempt: 2, problem: { type: 'unanswered' } },
  ]);
  expect(shop.processor.entries()[0]?.refunds).toMatchObject([{ amount: '45.00' }]);
});

it('returns the problems of a refund as they are', async () => {
  const shop = await openShop();
  const contactlessPaymentId = await givenCaptured(shop);
  const asked = { contactlessPaymentId, idempotencyKey: 'k', body: { amount: '45.01' } };
  const tooMuch = errorOf(await clientOf(shop.fetch).refundPayment(asked));
  expect(tooMuch).toMatchObject({
    type: 'conflict',
    attributes: { reason: 'exceedsRefundable', refundable: '45.00' },
  });
  const asAda = errorOf(await clientOf(shop.fetch, 'ada').refundPayment(asked));
  expect(asAda.type).toBe('forbidden');
});
