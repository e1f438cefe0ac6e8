import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StripeFaultKind } from '@chairside/stripe-stand-in';
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { toFailure } from '../src/failure.ts';
import {
  answered,
  authorize,
  givenAuthorized,
  givenCaptured,
  notApplied,
  problem,
  rejected,
  setUp,
  setUpOverHttp,
  unknown,
  value,
} from './stand-in.ts';

const keyRejected = { ...notApplied, why: 'keyRejected' } as const;

/** Each fault, the port's error, and whether the intent was created anyway. */
const faults: readonly [StripeFaultKind, object, boolean][] = [
  ['resetBeforeApplying', unknown, false],
  ['resetAfterApplying', unknown, true],
  ['timeoutBeforeApplying', unknown, false],
  ['timeoutAfterApplying', unknown, true],
  ['rateLimited', { kind: 'rateLimited' }, false],
  ['failure', answered, false],
  ['failureUntold', unknown, false],
  ['failureAfterApplying', answered, true],
  ['overloaded', unknown, false],
  ['keyInUse', unknown, false],
  ['noAccess', { kind: 'notSetUp' }, false],
  ['notCapable', { kind: 'notSetUp' }, false],
  ['forbidden', keyRejected, false],
  ['malformedBody', unknown, true],
  ['bareBody', unknown, true],
  ['proxyFailure', unknown, false],
];

describe('a fault of a request', () => {
  it.each([...faults, ['refused', notApplied, false] as const])(
    'in process: %s',
    async (fault, expected, isApplied) => {
      const { stripe, standIn, charge } = setUp();
      standIn.failNext('createPaymentIntent', fault);
      expect(problem(await stripe.openPayment(charge))).toEqual(expected);
      expect(standIn.intents()).toHaveLength(isApplied ? 1 : 0);
    },
  );

  const overHttp = [
    ...faults,
    ['oversizedBody', unknown, true],
    ['redirect', unknown, true],
  ] as const;

  it.each(overHttp)('over HTTP: %s', async (fault, expected, isApplied) => {
    // Enough time for any reply, and little for one that never comes.
    const deadlineMs = fault.startsWith('timeout') ? 250 : 10_000;
    const { stripe, standIn, charge } = await setUpOverHttp({ deadlineMs });
    standIn.failNext('createPaymentIntent', fault);
    expect(problem(await stripe.openPayment(charge))).toEqual(expected);
    expect(standIn.intents()).toHaveLength(isApplied ? 1 : 0);
    expect(standIn.requests).toHaveLength(1);
  });

  it('is proven not applied if the server does not listen', async () => {
    const { stripe, charge, server } = await setUpOverHttp();
    await server.close();
    expect(problem(await stripe.openPayment(charge))).toEqual(notApplied);
  });

  it('is proven not applied if the name is unknown', async () => {
    const api = { host: 'stripe.invalid', port: 1, protocol: 'http' } as const;
    const { stripe, charge } = await setUpOverHttp({ api });
    expect(problem(await stripe.openPayment(charge))).toEqual(notApplied);
  });

  it('by Stripe is replayed for its key, and no other', async () => {
    const { stripe, standIn, charge } = setUp();
    standIn.failNext('createPaymentIntent', 'failure');
    expect(problem(await stripe.openPayment(charge))).toEqual(answered);
    expect(problem(await stripe.openPayment(charge))).toEqual(answered);
    expect(standIn.intents()).toHaveLength(0);
    value(await stripe.openPayment({ ...charge, idempotencyKey: 'open_2' }));
    expect(standIn.intents()).toHaveLength(1);
  });

  it.each(['failure', 'failureUntold'] as const)(
    'by Stripe is answered at the latest when it is replayed: %s',
    async (fault) => {
      const { stripe, standIn, charge } = setUp();
      standIn.failNext('createPaymentIntent', fault);
      expect(problem(await stripe.openPayment(charge))).toMatchObject({ outcome: 'unknown' });
      expect(problem(await stripe.openPayment(charge))).toEqual(answered);
    },
  );

  it('of the account is repeated for its key after the account was mended, and for no other', async () => {
    const set = setUp();
    const { stripe, standIn } = set;
    const payment = await authorize(set);
    standIn.failNext('capturePaymentIntent', 'notCapable');
    const capture = (idempotencyKey: string) =>
      stripe.capturePayment({ ...payment, idempotencyKey });
    expect(problem(await capture('capture_1'))).toEqual({ kind: 'notSetUp' });
    expect(problem(await capture('capture_1'))).toEqual({ kind: 'notSetUp', repeated: true });
    expect(value(await capture('capture_2'))).toMatchObject({ status: 'captured' });
  });

  it('leaves no part of the intent or its secret in the error', async () => {
    const { set, payment } = await givenCaptured();
    const again = await set.stripe.capturePayment({ ...payment, idempotencyKey: 'capture_2' });
    const error = problem(again);
    expect(error).toEqual(rejected('unexpectedState'));
    expect(JSON.stringify(error)).not.toContain(payment.clientSecret);
  });
});

describe('a rejection', () => {
  it.each([
    [400, 'rate_limit', { kind: 'rateLimited' }],
    [400, 'transfers_not_allowed', { kind: 'notSetUp' }],
    // A dependency of Stripe failed, and nothing shows that Stripe keeps that reply for the key.
    [424, 'processing_error', unknown],
    [424, undefined, unknown],
    [402, 'card_declined', rejected('card_declined')],
    [403, undefined, keyRejected],
    [403, 'a_code_of_tomorrow', keyRejected],
    [403, 'account_invalid', { kind: 'notSetUp' }],
    // Stripe applies it once somebody has approved it.
    [400, 'approval_required', unknown],
    [403, 'approval_required', unknown],
    [400, 'action_blocked', rejected('action_blocked')],
  ])('with status %i and code %s', (statusCode, code, expected) => {
    const type = 'invalid_request_error';
    const coded = code === undefined ? {} : { code };
    const requestId = 'req_1';
    const thrown = Stripe.errors.generateV1Error({
      type,
      statusCode,
      requestId,
      message: '',
      ...coded,
    });
    expect(toFailure(thrown, true).error).toEqual(expected);
  });

  it.each([
    [500, {}, unknown],
    [500, { 'stripe-should-retry': 'true' }, unknown],
    [500, { 'stripe-should-retry': 'false' }, answered],
    [500, { 'idempotent-replayed': 'true' }, answered],
    [424, { 'idempotent-replayed': 'true' }, answered],
    // Not from the execution of the request: it may ask for less load.
    [503, { 'stripe-should-retry': 'false' }, unknown],
    [503, { 'idempotent-replayed': 'true' }, answered],
  ])('of Stripe with status %i and headers %j', (statusCode, headers, expected) => {
    const raw = {
      type: 'api_error',
      statusCode,
      headers,
      requestId: 'req_1',
      message: '',
    } as const;
    const thrown = Stripe.errors.generateV1Error(raw);
    expect(toFailure(thrown, true).error).toEqual(expected);
    expect(toFailure(thrown, false).error).toEqual(unknown);
  });

  it.each([
    [504, '{"error":"upstream timed out"}'],
    [504, '{"error":{"message":"upstream timed out"}}'],
    [400, '{"error":{"message":"the upstream closed the connection"}}'],
  ])(
    'of a proxy proves no outcome, because the request may still arrive: %i %s',
    async (status, body) => {
      const proxy = createServer((_, response) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      // cast: a server that listens on a port has an address of this kind
      const { port } = proxy.address() as AddressInfo;
      const api = { host: '127.0.0.1', port, protocol: 'http' } as const;
      const { stripe, charge } = await setUpOverHttp({ api });
      expect(problem(await stripe.openPayment(charge))).toEqual(unknown);
      proxy.close();
    },
  );
});

describe('an account', () => {
  it.each([403, 404] as const)('with the response %i is not set up', async (unknownAccount) => {
    const { stripe, standIn, account, charge } = setUp({}, { unknownAccount });
    standIn.changeAccount(account.id, { revoked: true });
    expect(problem(await stripe.openPayment(charge))).toEqual({ kind: 'notSetUp' });
    expect(problem(await stripe.readPayment(charge))).toEqual({ kind: 'notSetUp' });
  });

  it.each([
    ['direct', { cardPayments: 'inactive' }],
    ['direct', { chargesEnabled: false }],
    ['destination', { cardPayments: 'pending' }],
    ['destination', { transfers: 'inactive' }],
  ] as const)('with %s charges and %o is not set up', async (charges, change) => {
    const { stripe, standIn, account, charge } = setUp({ charges });
    standIn.changeAccount(account.id, change);
    expect(problem(await stripe.openPayment(charge))).toEqual({ kind: 'notSetUp' });
  });

  it('is read after a rejection with an undocumented code', async () => {
    const { stripe, standIn, account, charge } = setUp();
    standIn.changeAccount(account.id, { cardPayments: 'inactive' });
    const undocumented = { type: 'invalid_request_error', code: 'charge_not_enabled', message: '' };
    standIn.failNext('createPaymentIntent', () => ({ error: undocumented }));
    expect(problem(await stripe.openPayment(charge))).toEqual({ kind: 'notSetUp' });
  });

  it('that can take payments is not blamed for a rejection without a reason', async () => {
    const { stripe, standIn, account, charge } = setUp();
    standIn.changeAccount(account.id, { cardPayments: 'inactive' });
    standIn.failNext('retrieveAccount', (body) => ({
      ...body,
      capabilities: { card_payments: 'active' },
    }));
    const refused = rejected('payment_intent_invalid_parameter');
    expect(problem(await stripe.openPayment(charge))).toEqual(refused);
    // The same if it cannot be read.
    standIn.failNext('retrieveAccount', 'rateLimited');
    expect(problem(await stripe.openPayment(charge))).toEqual(refused);
  });

  it('with another currency is not set up: Stripe silently omits cards', async () => {
    const { stripe, standIn, charge } = setUp();
    const abroad = await stripe.openPayment({ ...charge, currency: 'eur' });
    expect(problem(abroad)).toEqual({ kind: 'notSetUp' });
    expect(standIn.intents().map(({ status }) => status)).toEqual(['canceled']);
  });

  it('whose intents accept no card is not set up', async () => {
    const { stripe, standIn, charge } = setUp();
    const takesNone = (body: object) => ({ ...body, payment_method_types: [] });
    standIn.failNext('createPaymentIntent', takesNone);
    expect(problem(await stripe.openPayment(charge))).toEqual({ kind: 'notSetUp' });
    expect(standIn.intents().map(({ status }) => status)).toEqual(['canceled']);
    // If it cannot be canceled, it may exist.
    standIn.failNext('createPaymentIntent', takesNone);
    standIn.failNext('cancelPaymentIntent', 'rateLimited');
    const another = { ...charge, idempotencyKey: 'open_2' };
    expect(problem(await stripe.openPayment(another))).toEqual(unknown);
  });

  it('is not read after a rejection with its own reason', async () => {
    const { stripe, standIn, charge } = setUp();
    const small = { ...charge, amountMinor: 1n };
    expect(problem(await stripe.openPayment(small))).toEqual(rejected('amountTooSmall'));
    expect(standIn.requests.map(({ route }) => route)).toEqual(['createPaymentIntent']);
  });

  it.each(['', 'acct_', 'acct 1', 'acct_1\r\nx: y', 'other'])(
    'with the id %j never gets into a header',
    async (account) => {
      const { stripe, standIn, charge } = setUp();
      const request = { ...charge, account };
      expect(problem(await stripe.openPayment(request))).toEqual({ kind: 'notSetUp' });
      expect(problem(await stripe.createConnectionToken(request))).toEqual({ kind: 'notSetUp' });
      expect(standIn.requests).toEqual([]);
    },
  );
});

describe('the key of the platform', () => {
  it('that Stripe rejects needs the operator: the call was not applied', async () => {
    const secretKey = ['sk', 'test', 'another'].join('_');
    const { standIn, charge, clock } = setUp();
    const other = setUp({ secretKey, httpClient: standIn.httpClient, clock });
    expect(problem(await other.stripe.openPayment(charge))).toEqual(keyRejected);
  });
});

describe('a reply', () => {
  const lies: readonly [string, object][] = [
    ['amount', { amount: 1 }],
    ['amount that is no number', { amount: '4537' }],
    ['amount that no number can hold', { amount: 1e21 }],
    ['amount of nothing', { amount: 0, amount_capturable: 0 }],
    ['currency', { currency: 'eur' }],
    ['mode', { livemode: true }],
    ['state', { status: 'requires_magic' }],
    ['account', { metadata: { chairside_account: 'acct_other' } }],
    ['payment', { metadata: {} }],
    ['destination', { transfer_data: { destination: 'acct_other' } }],
    ['kind of thing', { object: 'charge' }],
    ['id', { id: '../refunds' }],
    ['form of its currency', { currency: 'EURO' }],
    ['sum that can be captured', { amount_capturable: 99999 }],
  ];

  it.each([...lies, ['secret', { client_secret: null }] as const])(
    'with another %s is implausible',
    async (_, lie) => {
      const set = setUp();
      const { stripe, standIn, charge } = set;
      standIn.failNext('createPaymentIntent', (body) => ({ ...body, ...lie }));
      expect(problem(await stripe.openPayment(charge))).toEqual(unknown);
      // Without the fault, the same key returns the created intent.
      const opened = value(await stripe.openPayment(charge));
      expect(standIn.intents().map(({ id }) => id)).toEqual([opened.reference]);
    },
  );

  it.each(lies.filter(([what]) => what !== 'amount' && what !== 'currency'))(
    'to a read, with another %s, is implausible',
    async (_, lie) => {
      const { set, payment } = await givenAuthorized();
      set.standIn.failNext('retrievePaymentIntent', (body) => ({ ...body, ...lie }));
      expect(problem(await set.stripe.readPayment(payment))).toEqual(unknown);
    },
  );

  it('to a read, about another intent of the payment, is implausible', async () => {
    const { set, payment } = await givenAuthorized();
    set.standIn.failNext('retrievePaymentIntent', (body) => ({ ...body, id: 'pi_other' }));
    expect(problem(await set.stripe.readPayment(payment))).toEqual(unknown);
  });

  it('that denies one of our intents is implausible', async () => {
    const { stripe, handle } = setUp();
    const request = { ...handle, reference: 'pi_forgotten' };
    const denied = { ...unknown, why: 'denied' };
    expect(problem(await stripe.readPayment(request))).toEqual(denied);
    expect(problem(await stripe.refunds.list(request))).toEqual(denied);
    const cancel = { ...request, idempotencyKey: 'cancel_1' };
    expect(problem(await stripe.cancelPayment(cancel))).not.toHaveProperty('reference');
  });

  it('with an endless list is implausible', async () => {
    const { stripe, standIn, handle } = setUp();
    const endless = () => ({ object: 'list', data: [], has_more: true });
    standIn.failNext('listPaymentIntents', endless);
    expect(problem(await stripe.readPayment(handle))).toEqual(unknown);
  });

  it('with the same page again is implausible', async () => {
    const { stripe, standIn, charge, handle } = setUp();
    value(await stripe.openPayment({ ...charge, paymentId: 'cpm_2' }));
    let first: unknown;
    const same = (page: Readonly<Record<string, unknown>>) => {
      first ??= page['data'];
      return { ...page, data: first, has_more: true };
    };
    standIn.failNext('listPaymentIntents', same, 2);
    expect(problem(await stripe.readPayment(handle))).toEqual(unknown);
    expect(standIn.requests.filter(({ route }) => route === 'listPaymentIntents')).toHaveLength(2);
  });

  it('with an empty connection token is implausible', async () => {
    const { stripe, standIn, account } = setUp();
    standIn.failNext('createConnectionToken', () => ({ object: 'terminal.connection_token' }));
    const token = await stripe.createConnectionToken({ account: account.id });
    expect(problem(token)).toEqual(unknown);
  });
});

/** The meaning of Stripe's codes, by docs.stripe.com/error-codes and apart from the adapter's list. */
const documentedCodes: readonly [code: string, expected: object][] = [
  ['account_invalid', { kind: 'notSetUp' }],
  ['capability_not_active', { kind: 'notSetUp' }],
  ['payment_method_unactivated', { kind: 'notSetUp' }],
  ['platform_account_required', keyRejected],
  ['testmode_charges_only', { kind: 'notSetUp' }],
  ['transfers_not_allowed', { kind: 'notSetUp' }],
  ['amount_too_large', rejected('amountTooLarge')],
  ['amount_too_small', rejected('amountTooSmall')],
  ['charge_expired_for_capture', rejected('unexpectedState')],
  ['payment_intent_unexpected_state', rejected('unexpectedState')],
  ['setup_intent_unexpected_state', rejected('unexpectedState')],
  ['country_unsupported', rejected('country_unsupported')],
];

it.each(documentedCodes)('a rejection with the code %s', async (code, expected) => {
  const { stripe, standIn, charge } = setUp();
  const error = { type: 'invalid_request_error', code, message: '' };
  standIn.failNext('createPaymentIntent', () => ({ error }));
  expect(problem(await stripe.openPayment(charge))).toEqual(expected);
});
