import { hourMs } from '@chairside/core';
import { expect, it } from 'vitest';
import { authorize, problem, type SetUp, setUp, value } from './stand-in.ts';

async function captured(set: SetUp) {
  const payment = await authorize(set);
  value(await set.stripe.capturePayment(payment));
  return { ...set.handle, reference: payment.reference };
}

const request = {
  refundId: 'rfd_1',
  amountMinor: 1000n,
  currency: 'usd',
  returnsFee: false,
  reversesTransfer: true,
  idempotencyKey: 'refund_1',
};

const sent = ({ standIn }: SetUp) =>
  standIn.requests.filter(({ route }) => route === 'createRefund').map(({ params }) => params);

it('reverses the transfer of a destination charge, where the business wants that', async () => {
  for (const reversesTransfer of [true, false]) {
    const set = setUp({ charges: 'destination' });
    const payment = await captured(set);
    value(await set.stripe.refunds.refund({ ...payment, ...request, reversesTransfer }));
    const [params] = sent(set);
    expect(params?.['reverse_transfer']).toBe(reversesTransfer ? 'true' : undefined);
    expect(params?.['refund_application_fee']).toBeUndefined();
  }
});

it('sends no reversal for a direct charge, which has no transfer', async () => {
  const set = setUp();
  value(await set.stripe.refunds.refund({ ...(await captured(set)), ...request }));
  expect(sent(set)).toEqual([
    {
      payment_intent: expect.any(String),
      amount: '1000',
      metadata: {
        chairside_payment: 'cpm_1',
        chairside_installation: 'shop',
        chairside_account: set.account.id,
        chairside_refund: 'rfd_1',
      },
    },
  ]);
});

it('refuses an Interac payment, whose card must be present', async () => {
  const set = setUp();
  const payment = await captured(set);
  set.standIn.failNext('retrievePaymentIntent', (intent) => ({
    ...intent,
    latest_charge: {
      ...Object(intent['latest_charge']),
      payment_method_details: { type: 'interac_present', interac_present: {} },
    },
  }));
  const refused = await set.stripe.refunds.refund({ ...payment, ...request });
  expect(problem(refused)).toEqual({ kind: 'rejected', reason: 'cardMustBePresent' });
  expect(sent(set)).toEqual([]);
});

it('sends no refund after the machine has slept for a day, because its key may be forgotten', async () => {
  const set = setUp();
  const payment = await captured(set);
  set.standIn.failNext('retrievePaymentIntent', (intent) => {
    set.clock.advance(25 * hourMs);
    return intent;
  });
  const late = await set.stripe.refunds.refund({ ...payment, ...request });
  expect(problem(late)).toEqual({ kind: 'unavailable', outcome: 'notApplied', answered: false });
  expect(sent(set)).toEqual([]);
});

it('believes no refund of another intent or state', async () => {
  const unknown = { kind: 'unavailable', outcome: 'unknown', answered: false };
  for (const change of [{ payment_intent: 'pi_other' }, { status: 'odd' }, { metadata: {} }]) {
    const set = setUp();
    const payment = await captured(set);
    set.standIn.failNext('createRefund', (refund) => ({ ...refund, ...change }));
    const answer = await set.stripe.refunds.refund({ ...payment, ...request });
    expect(problem(answer)).toEqual(unknown);
  }
});

it('takes a mark of another installation for a refund made elsewhere', async () => {
  const set = setUp();
  const payment = await captured(set);
  value(await set.stripe.refunds.refund({ ...payment, ...request }));
  set.standIn.failNext('listRefunds', (list) => ({
    ...list,
    data: [
      {
        id: 're_1',
        object: 'refund',
        amount: 1000,
        currency: 'usd',
        status: 'succeeded',
        metadata: { chairside_refund: 'rfd_1', chairside_installation: 'other' },
        payment_intent: payment.reference,
      },
    ],
  }));
  const [listed] = value(await set.stripe.refunds.list(payment));
  expect(listed).not.toHaveProperty('refundId');
});
