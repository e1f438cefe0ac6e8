import { hourMs } from '@chairside/core';
import { insufficientBalance } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import {
  answered,
  authorize,
  givenAuthorized,
  givenCaptured,
  marksOf,
  problem,
  replying,
  type SetUp,
  setUp,
  unknown,
  value,
} from './stand-in.ts';

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
    const { set, payment } = await givenCaptured({ charges: 'destination' });
    value(await set.stripe.refunds.refund({ ...payment, ...request, reversesTransfer }));
    const [params] = sent(set);
    expect(params?.['reverse_transfer']).toBe(reversesTransfer ? 'true' : undefined);
    expect(params?.['refund_application_fee']).toBeUndefined();
  }
});

it('shows that the transfer was reversed, also once the refund has failed', async () => {
  const { set, payment } = await givenCaptured({ charges: 'destination' });
  const shown = async () =>
    value(await set.stripe.refunds.list(payment)).map((one) => [one.state, one.isTransferReversed]);
  const made = value(await set.stripe.refunds.refund({ ...payment, ...request }));
  expect(made).toMatchObject({ state: 'succeeded', isTransferReversed: true });
  set.standIn.endRefund(made.reference, 'failed');
  expect(await shown()).toEqual([['failed', true]]);
  const more = { refundId: 'rfd_2', idempotencyKey: 'refund_2', reversesTransfer: false };
  value(await set.stripe.refunds.refund({ ...payment, ...request, ...more, amountMinor: 4537n }));
  expect(await shown()).toEqual([
    ['succeeded', undefined],
    ['failed', true],
  ]);
});

it('is refused by Stripe if it would reverse more than is left of the transfer', async () => {
  const { set, payment } = await givenCaptured({ charges: 'destination' });
  const refund = (n: number, amountMinor: bigint) => {
    const ids = { refundId: `rfd_${n}`, idempotencyKey: `refund_${n}` };
    return set.stripe.refunds.refund({ ...payment, ...request, ...ids, amountMinor });
  };
  const fail = async (n: number, amountMinor: bigint) =>
    set.standIn.endRefund(value(await refund(n, amountMinor)).reference, 'failed');
  await fail(1, 1000n);
  expect(problem(await refund(2, 4537n))).toEqual({ kind: 'rejected', reason: 'refused' });
  await fail(3, 3537n);
  expect(problem(await refund(4, 1n))).toEqual({ kind: 'rejected', reason: 'refused' });
});

it.each([
  ['missing', undefined, undefined],
  ['null', null, undefined],
  ['odd', 7, undefined],
  ['an id', 'trr_1', true],
  ['whole', { id: 'trr_1', object: 'transfer_reversal', amount: 1000 }, true],
])('reads a reversal that is %s', async (_, transfer_reversal, expected) => {
  const { set, payment } = await givenCaptured({ charges: 'destination' });
  show(set, [aRefund('re_1', payment.reference, { transfer_reversal })]);
  const [listed] = value(await set.stripe.refunds.list(payment));
  expect(listed?.isTransferReversed).toBe(expected);
});

it('returns no fee of a destination charge whose transfer stays, which Stripe refuses', async () => {
  const set = setUp({ charges: 'destination' });
  const charge = { ...set.charge, applicationFeeMinor: 100n };
  const { clientSecret } = value(await set.stripe.openPayment(charge));
  const payment = { ...charge, reference: set.standIn.present(clientSecret, 'visa_credit') };
  value(await set.stripe.capturePayment({ ...payment, idempotencyKey: 'capture_1' }));
  for (const reversesTransfer of [false, true]) {
    const ids = { refundId: `rfd_${reversesTransfer}`, idempotencyKey: `key_${reversesTransfer}` };
    const asked = { ...payment, ...request, ...ids, returnsFee: true, reversesTransfer };
    value(await set.stripe.refunds.refund(asked));
  }
  const [alone, both] = sent(set);
  expect(alone).not.toHaveProperty('refund_application_fee');
  expect(both).toMatchObject({ refund_application_fee: 'true', reverse_transfer: 'true' });
});

it('sends no reversal for a direct charge, which has no transfer', async () => {
  const { set, payment } = await givenCaptured();
  value(await set.stripe.refunds.refund({ ...payment, ...request }));
  expect(sent(set)).toEqual([
    {
      payment_intent: expect.any(String),
      amount: '1000',
      metadata: { ...marksOf(set.account.id), chairside_refund: 'rfd_1' },
    },
  ]);
});

it('refuses an Interac payment, whose card must be present', async () => {
  const { set, payment } = await givenCaptured();
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
  const { set, payment } = await givenCaptured();
  set.standIn.failNext('retrievePaymentIntent', (intent) => {
    set.clock.advance(25 * hourMs);
    return intent;
  });
  const late = await set.stripe.refunds.refund({ ...payment, ...request });
  expect(problem(late)).toEqual({ kind: 'unavailable', outcome: 'notApplied', answered: false });
  expect(sent(set)).toEqual([]);
});

it('does not take a failed read as proof that an earlier refund has ended', async () => {
  const { set, payment } = await givenCaptured();
  const isFinal = (reply: { getHeaders(): object }) => {
    const headers = { ...reply.getHeaders(), 'stripe-should-retry': 'false' };
    return { getHeaders: () => headers };
  };
  const stripe = set.another({ httpClient: replying(set, isFinal) });
  const refund = async () => problem(await stripe.refunds.refund({ ...payment, ...request }));
  set.standIn.failNext('retrievePaymentIntent', 'failure');
  expect(await refund()).toEqual(unknown);
  set.standIn.failNext('createRefund', 'failure');
  expect(await refund()).toEqual(answered);
});

it.each([
  { code: 'balance_insufficient' },
  // As it was seen: without a code.
  { message_code: 'insufficient_balance_for_refund' },
])('says that the balance does not cover it: %j', async (member) => {
  const { set, payment } = await givenCaptured();
  const error = { type: 'invalid_request_error', message: 'Insufficient funds.', ...member };
  const refusal = { getStatusCode: () => 400, toJSON: async () => ({ error }) };
  const httpClient = replying(set, (_, method) => (method === 'GET' ? {} : refusal));
  const stripe = set.another({ httpClient });
  const refused = problem(await stripe.refunds.refund({ ...payment, ...request }));
  expect(refused).toEqual({ kind: 'rejected', reason: insufficientBalance });
});

it.each([
  ['missing', undefined, undefined],
  ['null', null, undefined],
  ['odd', 7, undefined],
  ['too long', 'x'.repeat(200), undefined],
  ['given', 'insufficient_funds', 'insufficient_funds'],
])('says why a refund is pending, if the reason is %s', async (_, pending_reason, expected) => {
  const { set, payment } = await givenCaptured();
  show(set, [aRefund('re_1', payment.reference, { status: 'pending', pending_reason })]);
  const [listed] = value(await set.stripe.refunds.list(payment));
  expect(listed?.pendingReason).toBe(expected);
});

it('believes no refund of another intent or state', async () => {
  for (const change of [{ payment_intent: 'pi_other' }, { status: 'odd' }, { metadata: {} }]) {
    const { set, payment } = await givenCaptured();
    set.standIn.failNext('createRefund', (refund) => ({ ...refund, ...change }));
    const answer = await set.stripe.refunds.refund({ ...payment, ...request });
    expect(problem(answer)).toEqual(unknown);
  }
});

const givenNone = async () => {
  const set = setUp();
  return { set, payment: set.handle };
};

it.each([
  ['unexpectedState', () => givenAuthorized(), {}],
  ['currencyMismatch', () => givenCaptured(), { currency: 'eur' }],
  ['unknownPayment', givenNone, {}],
] as const)('refuses with %s before it sends a refund', async (reason, given, more) => {
  const { set, payment } = await given();
  const refused = await set.stripe.refunds.refund({ ...payment, ...request, ...more });
  expect(problem(refused)).toEqual({ kind: 'rejected', reason });
  expect(sent(set)).toEqual([]);
});

it('refunds an intent whose charge Stripe does not show', async () => {
  const { set, payment } = await givenCaptured();
  set.standIn.failNext('retrievePaymentIntent', (intent) => ({ ...intent, latest_charge: null }));
  value(await set.stripe.refunds.refund({ ...payment, ...request }));
  expect(sent(set)).toHaveLength(1);
});

const aRefund = (id: string, payment_intent: string, more: object = {}) => ({
  id,
  object: 'refund',
  amount: 1000,
  currency: 'usd',
  status: 'succeeded',
  payment_intent,
  ...more,
});

/** The next reply of Stripe to a list of refunds. */
function show(set: SetUp, data: readonly object[], has_more = false): void {
  set.standIn.failNext('listRefunds', (list) => ({ ...list, data, has_more }));
}

it('takes a mark of another installation or payment for a refund made elsewhere', async () => {
  const { set, payment } = await givenCaptured();
  const { reference } = payment;
  const marks = (chairside_payment: string, chairside_installation: string) => ({
    metadata: { chairside_refund: 'rfd_1', chairside_payment, chairside_installation },
  });
  show(set, [
    aRefund('re_1', reference, marks('cpm_1', 'other')),
    aRefund('re_2', reference, marks('cpm_2', 'shop')),
    aRefund('re_3', reference, {
      metadata: { ...marks('cpm_1', 'shop').metadata, chairside_refund: 7 },
    }),
    aRefund('re_4', reference, marks('cpm_1', 'shop')),
  ]);
  const listed = value(await set.stripe.refunds.list({ ...payment, reference }));
  expect(listed.map(({ reference, refundId }) => [reference, refundId])).toEqual([
    ['re_1', undefined],
    ['re_2', undefined],
    ['re_3', undefined],
    ['re_4', 'rfd_1'],
  ]);
  for (const one of listed.slice(0, 3)) expect(one).not.toHaveProperty('refundId');
});

it('lists the refunds of an intent over all pages', async () => {
  const { set, payment } = await givenCaptured();
  const { reference } = payment;
  for (const amount of [100, 200, 300, 400]) set.standIn.refund(reference, amount);
  set.standIn.failNext('listRefunds', (list) => ({
    ...list,
    data: [list['data']].flat().slice(0, 3),
    has_more: true,
  }));
  const listed = value(await set.stripe.refunds.list(payment));
  expect(listed.map(({ amountMinor }) => amountMinor)).toEqual([400n, 300n, 200n, 100n]);
  const asked = set.standIn.requests.filter(({ route }) => route === 'listRefunds');
  const expand = { 0: 'data.balance_transaction', 1: 'data.failure_balance_transaction' };
  const first = { payment_intent: reference, limit: '100', expand };
  const starting_after = listed[2]?.reference;
  expect(asked.map(({ params }) => params)).toEqual([first, { ...first, starting_after }]);
});

it('believes no list that does not end, or that has a refund of another intent', async () => {
  const { set, payment } = await givenCaptured();
  set.standIn.refund(payment.reference, 1000);
  const [mine] = value(await set.stripe.refunds.list(payment));
  const one = aRefund(mine?.reference ?? '', payment.reference);
  for (const pages of [[[]], [[one], [one]], [[one, aRefund('re_2', 'pi_other')]]]) {
    for (const page of pages) show(set, page, true);
    expect(problem(await set.stripe.refunds.list(payment))).toEqual(unknown);
  }
});

it('lists no refunds of a payment that was not captured, or not opened', async () => {
  const set = setUp();
  expect(value(await set.stripe.refunds.list(set.handle))).toEqual([]);
  expect(value(await set.stripe.refunds.list(await authorize(set)))).toEqual([]);
  expect(set.standIn.requests.map(({ route }) => route)).not.toContain('listRefunds');
});
