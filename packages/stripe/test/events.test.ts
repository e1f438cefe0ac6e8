import { minuteMs } from '@chairside/core';
import { createStripeProcessor, stripeEventTypes } from '@chairside/stripe';
import { signPayload } from '@chairside/stripe-stand-in';
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import {
  givenAuthorized,
  givenCaptured,
  marksOf,
  notApplied,
  problem,
  rejected,
  type SetUp,
  secretKey,
  setUp,
  tell,
  value,
  webhookSecret,
} from './stand-in.ts';

const ours = { paymentId: 'cpm_1', installation: 'shop', account: 'acct_x00000001' };

/** The meaning of every message that Stripe has sent so far. */
async function meanings({ stripe, standIn, clock }: SetUp) {
  const parsed = [];
  for (const event of standIn.events) {
    const { id: _id, ...meaning } = value(
      await stripe.parseEvent(standIn.signed(event), clock.now()),
    );
    parsed.push([event.type, meaning]);
  }
  return parsed;
}

describe('messages', () => {
  it.each(['direct', 'destination'] as const)('of a payment with %s charges', async (charges) => {
    const given = await givenCaptured({ charges });
    const { set } = given;
    const { reference } = given.payment;
    set.standIn.refund(reference, 1000);
    set.standIn.refund(reference, 500);
    set.standIn.dispute(reference, 4537);
    const payment = { kind: 'payment', ...ours };
    const subject = expect.any(String);
    const re = expect.stringMatching(/^re_/);
    const at = expect.any(Number);
    const reason = 'fraudulent';
    const opened = { state: 'open', reason, currency: 'usd', at, openedAt: at, respondBy: at };
    const dispute = { ...opened, isRefundable: false, bookings: [] };
    const bookings = [{ amountMinor: -4537n, at }];
    const withdrawn = { ...dispute, bookings, bookedIn: 'usd' };
    expect(await meanings(set)).toEqual([
      ['payment_intent.created', payment],
      ['payment_intent.amount_capturable_updated', payment],
      ['payment_intent.succeeded', payment],
      ['charge.refunded', { kind: 'refund', subject, reference, amountMinor: 1000n, ...ours }],
      ['refund.created', { kind: 'refund', subject: re, reference, amountMinor: 1000n, ...ours }],
      ['charge.refunded', { kind: 'refund', subject, reference, amountMinor: 500n, ...ours }],
      ['refund.created', { kind: 'refund', subject: re, reference, amountMinor: 500n, ...ours }],
      [
        'charge.dispute.created',
        { kind: 'dispute', subject, reference, amountMinor: 4537n, dispute, ...ours },
      ],
      [
        'charge.dispute.funds_withdrawn',
        { kind: 'dispute', subject, reference, amountMinor: 4537n, dispute: withdrawn, ...ours },
      ],
    ]);
  });

  it('tell how a refund and a dispute end', async () => {
    const { set, payment } = await givenCaptured();
    const { reference } = payment;
    set.standIn.refund(reference, 1000);
    set.standIn.dispute(reference, 500);
    const subjects = set.standIn.events.map(({ data }) => data.object.id);
    const find = (prefix: string) => subjects.find((id) => id.startsWith(prefix)) ?? '';
    set.standIn.endRefund(find('re_'), 'failed');
    set.standIn.moveDispute(find('dp_'), 'lost');
    const refund = { kind: 'refund', subject: find('re_'), reference, amountMinor: 1000n };
    expect((await meanings(set)).slice(-3)).toMatchObject([
      ['refund.updated', refund],
      ['refund.failed', refund],
      ['charge.dispute.closed', { kind: 'dispute', dispute: { state: 'lost' } }],
    ]);
    const [listed] = value(await set.stripe.refunds.list({ ...set.handle, reference }));
    expect(listed).toMatchObject({ state: 'failed', failure: 'expired_or_canceled_card' });
  });

  it('about a released authorization are not refunds', async () => {
    const { set, payment } = await givenAuthorized();
    value(await set.stripe.cancelPayment({ ...payment, idempotencyKey: 'cancel_1' }));
    expect((await meanings(set)).slice(-2)).toEqual([
      ['payment_intent.canceled', { kind: 'payment', ...ours }],
      ['charge.refunded', { kind: 'ignored' }],
    ]);
  });

  it('about a capture below the authorization are not refunds either', async () => {
    const { set, payment } = await givenCaptured();
    const { reference } = payment;
    set.standIn.refund(reference, 537);
    const event = set.standIn.events.findLast(({ type }) => type === 'charge.refunded');
    if (event === undefined) throw new Error('no charge was refunded');
    const previous_attributes = { amount_captured: 0, amount_refunded: 0, captured: false };
    const raw = set.standIn.signed({ ...event, data: { ...event.data, previous_attributes } });
    expect(value(await set.stripe.parseEvent(raw, set.clock.now())).kind).toBe('ignored');
  });

  it('may have a signature of the SDK', async () => {
    const { stripe, standIn, charge, clock } = setUp();
    value(await stripe.openPayment(charge));
    const payload = JSON.stringify(standIn.events[0]);
    const timestamp = Math.floor(clock.now() / 1000);
    const header = await Stripe.webhooks.generateTestHeaderStringAsync({
      payload,
      secret: webhookSecret,
      timestamp,
    });
    const raw = { payload, headers: { 'stripe-signature': header } };
    expect(value(await stripe.parseEvent(raw, clock.now())).kind).toBe('payment');
    expect(signPayload(payload, webhookSecret, clock.now())).toEqual(raw);
  });

  it('are accepted for five minutes by the given clock, and no longer', async () => {
    const set = setUp();
    value(await set.stripe.openPayment(set.charge));
    const raw = signPayload(JSON.stringify(set.standIn.events[0]), webhookSecret, 1_000_000);
    const at = (ms: number) => set.stripe.parseEvent(raw, 1_000_000 + ms);
    expect(value(await at(5 * minuteMs)).kind).toBe('payment');
    expect(problem(await at(5 * minuteMs + 1000))).toEqual(rejected('invalidSignature'));
    expect(value(await at(-5 * minuteMs)).kind).toBe('payment');
    expect(problem(await at(-5 * minuteMs - 1))).toEqual(rejected('invalidSignature'));
  });

  it('are judged by the time at any place of their signature', async () => {
    const set = setUp();
    value(await set.stripe.openPayment(set.charge));
    const { payload, headers } = signPayload(
      JSON.stringify(set.standIn.events[0]),
      webhookSecret,
      1_000_000,
    );
    const [time, signature] = headers['stripe-signature']?.split(',') ?? [];
    expect(time).toBe('t=1000');
    const parse = (header: string, now: number) =>
      set.stripe.parseEvent({ payload, headers: { 'stripe-signature': header } }, now);
    const swapped = `${signature},${time}`;
    expect(value(await parse(swapped, 1_000_000)).kind).toBe('payment');
    // The SDK also reads a time in another form than Stripe's.
    for (const [header, now] of [
      [swapped, 600_000],
      [`t=+1000,${signature}`, 1_000_000],
    ] as const) {
      expect(problem(await parse(header, now))).toEqual(rejected('invalidSignature'));
    }
  });

  it('are accepted under both secrets during a replacement', async () => {
    const secrets = [['whsec', 'new', '0123456789abcdef'].join('_'), webhookSecret];
    const set = setUp({ webhookSecrets: secrets });
    value(await set.stripe.openPayment(set.charge));
    const payload = JSON.stringify(set.standIn.events[0]);
    for (const secret of secrets) {
      const raw = signPayload(payload, secret, set.clock.now());
      expect(value(await set.stripe.parseEvent(raw, set.clock.now())).kind).toBe('payment');
    }
  });

  it('are all rejected without a secret', async () => {
    const { standIn, clock, charge, stripe } = setUp();
    value(await stripe.openPayment(charge));
    const deaf = value(createStripeProcessor({ secretKey, clock }));
    const [event] = standIn.events.map((e) => standIn.signed(e));
    if (event === undefined) throw new Error('no event');
    expect(problem(await deaf.parseEvent(event, clock.now()))).toEqual(
      rejected('invalidSignature'),
    );
  });

  it.each([
    'null',
    '[]',
    '{',
    '{"object":"event"}',
    JSON.stringify({ id: 'evt_1', object: 'event', livemode: false, type: 'x', data: {} }).slice(2),
  ])('that are malformed (%s) are rejected, signed or not', async (payload) => {
    expect(problem(await tell(setUp(), payload))).toEqual(rejected(expect.any(String)));
  });

  it('without the object (thin events) are rejected for that reason', async () => {
    const set = setUp();
    const thin = {
      id: 'evt_1',
      object: 'v2.core.event',
      type: 'v1.payment_intent.succeeded',
      created: '2026-11-22T10:00:00.000Z',
      livemode: false,
      related_object: { id: 'pi_1', type: 'payment_intent', url: '/v1/payment_intents/pi_1' },
    };
    expect(problem(await tell(set, thin))).toEqual(rejected('thinEvent'));
    const now = set.clock.now();
    const forged = signPayload(JSON.stringify(thin), 'whsec_another_0123456789', now);
    expect(problem(await set.stripe.parseEvent(forged, now))).toEqual(rejected('invalidSignature'));
  });

  it.each([
    ['2026-10-28.endive', 'payment'],
    // A later release of the same major version only adds to it.
    ['2026-12-17.endive', 'payment'],
    ['2025-03-31.basil', 'unsupportedApiVersion'],
    ['2020-08-27', 'unsupportedApiVersion'],
    [null, 'unsupportedApiVersion'],
  ])('of API version %s: %s', async (api_version, outcome) => {
    const set = setUp();
    value(await set.stripe.openPayment(set.charge));
    const parsed = await tell(set, { ...set.standIn.events[0], api_version });
    expect(
      parsed.match(
        ({ kind }) => kind,
        (error) => error,
      ),
    ).toEqual(outcome === 'payment' ? outcome : rejected(outcome));
  });

  const about = (change: object, object: object = {}) => ({
    id: 'evt_1',
    object: 'event',
    api_version: '2026-10-28.endive',
    livemode: false,
    type: 'payment_intent.succeeded',
    data: { object: { metadata: {}, ...object } },
    ...change,
  });
  const marks = (account: string) => ({ metadata: marksOf(account) });

  const ofOurs = (type: string, object: object, previous_attributes?: object) => ({
    ...about({ type, account: 'acct_1' }),
    data: { object: { ...marks('acct_1'), ...object }, previous_attributes },
  });
  const named = { payment_intent: 'pi_1' };
  const aCharge = { amount_refunded: 500, captured: true };
  const money = { amount: 500, currency: 'usd' };
  const aRefund = { id: 're_1', object: 'refund', status: 'pending', ...money };
  const aDispute = { id: 'dp_1', status: 'needs_response', ...money };

  it.each([
    ['of another mode', about({ livemode: true, account: 'acct_1' }, marks('acct_1'))],
    ['about nothing of ours', about({ account: 'acct_1' })],
    ['of another account', about({ account: 'acct_2' }, marks('acct_1'))],
    ['of no account', about({}, marks('acct_1'))],
    ...(['payment', 'installation', 'account'] as const).map((name): [string, object] => {
      const { metadata } = marks('acct_1');
      const account = name === 'account' ? {} : { account: 'acct_1' };
      const without = { ...metadata, [`chairside_${name}`]: undefined };
      return [`without a mark of the ${name}`, about(account, { metadata: without })];
    }),
    ['of a kind that is not looked at', about({ type: 'customer.created' })],
    [
      'of a dispute about something else',
      about(
        { type: 'charge.dispute.created' },
        { id: 'dp_1', amount: 1, currency: 'usd', status: 'lost', payment_intent: null },
      ),
    ],
    ['of the platform, where accounts are charged', about({}, { payment_intent: 'pi_1' })],
    ['about no payment', about({ account: 'acct_1' }, { payment_intent: '' })],
    ['of a dispute that names no payment', ofOurs('charge.dispute.created', aDispute)],
    ['of a refund that names no payment', ofOurs('refund.created', aRefund)],
    ['of a refund of nothing', ofOurs('refund.created', { ...aRefund, ...named, amount: 0 })],
    [
      'of a charge that was refunded before',
      ofOurs('charge.refunded', { ...aCharge, ...named }, { amount_refunded: 500 }),
    ],
    [
      'of a refunded charge that names no payment',
      ofOurs('charge.refunded', aCharge, { amount_refunded: 0 }),
    ],
  ])('%s are acknowledged and ignored, without a request', async (_, event) => {
    const set = setUp();
    expect(value(await tell(set, event))).toEqual({ id: 'evt_1', kind: 'ignored' });
    expect(set.standIn.requests).toEqual([]);
  });

  it('of an organization’s destination are ignored, and say so', async () => {
    const set = setUp();
    const event = about({ context: 'acct_1' }, marks('acct_1'));
    expect(value(await tell(set, event))).toEqual({
      id: 'evt_1',
      kind: 'ignored',
      why: 'organizationEvent',
    });
    expect(set.standIn.requests).toEqual([]);
  });

  it.each([
    ['charge.refunded', { amount_refunded: '500' }],
    ['refund.updated', { amount: 500 }],
    ['charge.dispute.closed', { status: 7 }],
  ])('about a payment of ours that cannot be read are malformed: %s', async (type, object) => {
    const parsed = await tell(setUp(), ofOurs(type, object));
    expect(problem(parsed)).toEqual(rejected('malformedEvent'));
  });

  it('about what carries our marks need no request', async () => {
    const set = setUp();
    const { standIn, clock } = set;
    const { payment_intent: reference } = named;
    const at = clock.now() - minuteMs;
    const told = [
      // The message about a first refund may lack the members before it.
      ofOurs('charge.refunded', { ...aCharge, ...named }),
      ofOurs('refund.created', { ...aRefund, ...named }),
      { ...ofOurs('charge.dispute.created', { ...aDispute, ...named }), created: at / 1000 },
      ofOurs('charge.dispute.created', { ...aDispute, ...named }),
    ];
    const parsed = [];
    for (const event of told) parsed.push(value(await tell(set, event)));
    const payment = { id: 'evt_1', paymentId: 'cpm_1', installation: 'shop', account: 'acct_1' };
    const refund = { ...payment, kind: 'refund', reference, amountMinor: 500n };
    const bookings = [{ amountMinor: -500n }];
    const dispute = { state: 'open', currency: 'usd', bookings };
    const disputed = { ...payment, kind: 'dispute', subject: 'dp_1', reference, amountMinor: 500n };
    expect(parsed).toEqual([
      { ...refund, subject: 'evt_1' },
      { ...refund, subject: 're_1' },
      { ...disputed, dispute: { ...dispute, at } },
      { ...disputed, dispute: { ...dispute, at: clock.now() } },
    ]);
    expect(standIn.requests).toEqual([]);
  });

  it.each(['direct', 'destination'] as const)(
    'tell that a bank reports a payment as fraud, unless nothing can be done (%s charges)',
    async (charges) => {
      const { set, payment } = await givenCaptured({ charges });
      const { reference } = payment;
      set.standIn.warnOfFraud(reference);
      const about = { ...ours, account: set.account.id };
      expect((await meanings(set)).at(-1)).toEqual([
        'radar.early_fraud_warning.created',
        { kind: 'fraudWarning', reference, ...about },
      ]);
      set.standIn.refund(reference, 4537);
      set.standIn.warnOfFraud(reference);
      expect((await meanings(set)).at(-1)?.[1]).toEqual({ kind: 'ignored' });
    },
  );

  it('about a report of fraud need no member but the payment', async () => {
    const { set, payment } = await givenCaptured();
    set.standIn.warnOfFraud(payment.reference);
    const told = set.standIn.events.at(-1);
    if (told === undefined) throw new Error('no message');
    const parse = async (object: object) =>
      value(await tell(set, { ...told, data: { object } })).kind;
    expect(await parse({ payment_intent: payment.reference })).toBe('fraudWarning');
    expect(await parse({ payment_intent: payment.reference, actionable: 'odd' })).toBe(
      'fraudWarning',
    );
    expect(await parse({ charge: 'ch_1' })).toBe('ignored');
  });

  it('about a dispute wait until the payment can be read', async () => {
    const { set, payment } = await givenCaptured();
    const { reference } = payment;
    const { stripe, standIn, clock } = set;
    standIn.dispute(reference, 4537);
    const event = standIn.events.find(({ type }) => type === 'charge.dispute.created');
    if (event === undefined) throw new Error('no event');
    standIn.failNext('retrievePaymentIntent', 'failure');
    const raw = standIn.signed(event);
    expect(problem(await stripe.parseEvent(raw, clock.now()))).toEqual(notApplied);
    standIn.changeAccount(set.account.id, { revoked: true });
    expect(problem(await stripe.parseEvent(raw, clock.now()))).toEqual(notApplied);
    standIn.changeAccount(set.account.id, { revoked: false });
    expect(value(await stripe.parseEvent(raw, clock.now())).kind).toBe('dispute');
  });

  it('are listed for the setup of an endpoint', () => {
    for (const type of ['charge.refunded', 'refund.failed', 'charge.dispute.closed'] as const) {
      expect(stripeEventTypes).toContain(type);
    }
    expect(new Set(stripeEventTypes).size).toBe(stripeEventTypes.length);
  });
});
