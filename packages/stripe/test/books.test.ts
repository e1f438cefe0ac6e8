import { hourMs, minuteMs } from '@chairside/core';
import type { ListRequest } from '@chairside/core/ports';
import type { StripeOptions } from '@chairside/stripe';
import type { StripeCardName, StripeFault } from '@chairside/stripe-stand-in';
import { describe, expect, it } from 'vitest';
import {
  authorize,
  givenAuthorized,
  problem,
  rejected,
  setUp,
  spanOf,
  unknown,
  value,
} from './stand-in.ts';

const visa = {
  maskedPersonalAccountNumber: '*4242',
  network: 'network_a',
  fundingType: 'credit',
  expirationMonth: '12',
  expirationYear: '2034',
};

/** Stripe's test mode has no wallets. */
const withWallets = { secretKey: ['sk', 'live', 'chairside'].join('_'), allowLiveKey: true };

describe('cards', () => {
  const cards: readonly [StripeCardName, object][] = [
    ['visa_credit', visa],
    [
      'mastercard_debit',
      {
        ...visa,
        maskedPersonalAccountNumber: '*4444',
        network: 'network_b',
        fundingType: 'debit',
      },
    ],
    ['amex_credit', { ...visa, maskedPersonalAccountNumber: '*0005', network: 'network_c' }],
    [
      'discover_prepaid',
      {
        ...visa,
        maskedPersonalAccountNumber: '*1117',
        network: 'network_d',
        fundingType: 'prepaid',
      },
    ],
    [
      'unionpay',
      { ...visa, maskedPersonalAccountNumber: '*0005', network: 'other', fundingType: 'other' },
    ],
    ['apple_pay', { ...visa, tokenizationMethod: 'wallet_method_a' }],
    ['google_pay', { ...visa, tokenizationMethod: 'wallet_method_b' }],
    ['samsung_pay', { ...visa, tokenizationMethod: 'wallet_method_c' }],
  ];

  it.each(cards)('%s', async (name, card) => {
    const { set, payment } = await givenAuthorized(name, withWallets);
    expect(value(await set.stripe.readPayment(payment))?.card).toStrictEqual(card);
  });

  it('are named by the host’s tables (D9)', async () => {
    const tables = {
      networks: { unionpay: 'network_d' },
      funding: { unknown: 'credit' },
      wallets: { watch_pay: 'wallet_method_d' },
    } as const;
    const set = setUp({ tables });
    const unionpay = await authorize(set, 'unionpay');
    expect(value(await set.stripe.readPayment(unionpay))?.card).toMatchObject({
      network: 'network_d',
      fundingType: 'credit',
    });
    const other = setUp({ ...withWallets, tables });
    const watch = await authorize(other, 'apple_pay');
    other.standIn.failNext('retrievePaymentIntent', (body) =>
      // A future wallet.
      JSON.parse(JSON.stringify(body).replace('apple_pay', 'watch_pay')),
    );
    expect(value(await other.stripe.readPayment(watch))?.card).toMatchObject({
      network: 'other',
      tokenizationMethod: 'wallet_method_d',
    });
  });

  it.each([
    { last4: null },
    { exp_month: 13 },
    { exp_year: 26 },
    { brand: '__proto__', funding: 'constructor', wallet: { type: 'toString' } },
  ])('with odd values (%o) are tolerated', async (odd) => {
    const { set, payment } = await givenAuthorized();
    const spoil: StripeFault = (body) => {
      const receipt = { authorization_code: '123456' };
      const hold = { capture_before: 2000, receipt };
      const card_present = { last4: '4242', exp_month: 12, exp_year: 2034, ...hold, ...odd };
      const payment_method_details = { type: 'card_present', card_present };
      const charge = { id: 'ch_1', created: 1, status: 'succeeded', payment_method_details };
      return { ...body, latest_charge: charge };
    };
    set.standIn.failNext('retrievePaymentIntent', spoil, 2);
    const seen = value(await set.stripe.readPayment(payment));
    // What the card does not show costs neither the deadline of its hold nor the receipt.
    expect(seen).toMatchObject({ status: 'authorized', captureBefore: 2_000_000 });
    expect(value(await set.stripe.readReceipt(payment))).toEqual({ authorizationCode: '123456' });
    if (odd.brand === undefined) expect(seen?.card).toBeUndefined();
    else expect(seen?.card).toStrictEqual({ ...visa, network: 'other', fundingType: 'other' });
  });
});

describe('the books', () => {
  it.each([
    ['visa_credit', 4 * 24 + 18],
    ['mastercard_debit', 48],
    ['amex_credit', 48],
    ['discover_prepaid', 48],
  ] as const)(
    'tells when a %s was approved, and that it is held for %i hours',
    async (card, hours) => {
      const set = setUp();
      const approvedAt = Math.floor(set.clock.now() / 1000) * 1000;
      const payment = await authorize(set, card);
      const seen = value(await set.stripe.readPayment(payment));
      expect(seen?.authorizedAt).toBe(approvedAt);
      expect(seen?.captureBefore).toBe(approvedAt + hours * hourMs);
    },
  );

  it('shows the tip that a payment was opened with, in a read and in a list (D48)', async () => {
    const set = setUp();
    const charge = { ...set.charge, tipMinor: 500n };
    const payment = await authorize({ ...set, charge });
    const [intent] = set.standIn.intents();
    expect(intent).toMatchObject({ amount: 4537, metadata: { chairside_tip: '500' } });
    const shown = { amountMinor: 4537n, tipMinor: 500n };
    expect(value(await set.stripe.readPayment(payment))).toMatchObject(shown);
    const page = await set.stripe.listPayments(spanOf(set));
    expect(value(page).items).toMatchObject([shown]);
    expect(value(await set.stripe.capturePayment(payment))).toMatchObject({
      capturedMinor: 4537n,
      tipMinor: 500n,
    });
  });

  it.each([
    ['that a reader added', { amount: 5037, amount_details: { tip: { amount: 500 } } }, 500n],
    [
      'ours where the customer chose no tip on a reader',
      { amount_details: { tip: { amount: 0 } } },
      300n,
    ],
    ['ours where the reader has none', { amount_details: { tip: {} } }, 300n],
    ['ours where the details have another form', { amount_details: { tip: 'x' } }, 300n],
    ['none where our mark is no number', { metadata: 'x' }, 0n],
    ['none where our mark ends as a number', { metadata: 'x12' }, 0n],
    ['none where our mark begins as a number', { metadata: '12x' }, 0n],
    ['none where our mark is too long', { metadata: '1234567890123456' }, 0n],
  ] as const)('shows the tip %s', async (_whose, over, tipMinor) => {
    const set = setUp();
    const charge = { ...set.charge, tipMinor: 300n };
    const payment = await authorize({ ...set, charge });
    set.standIn.failNext('retrievePaymentIntent', (body) => {
      const chairside_tip = 'metadata' in over ? over.metadata : '300';
      return { ...body, ...over, metadata: { ...Object(body['metadata']), chairside_tip } };
    });
    expect(value(await set.stripe.readPayment(payment))?.tipMinor).toBe(tipMinor);
  });

  it('has no mark of a tip without one', async () => {
    const set = setUp();
    await authorize(set);
    const [intent] = set.standIn.intents();
    expect(Object.keys(intent?.metadata ?? {}).toSorted()).toEqual([
      'chairside_account',
      'chairside_installation',
      'chairside_payment',
    ]);
  });

  it('does not cancel a processing payment', async () => {
    const { set, payment } = await givenAuthorized('slow_to_approve');
    const canceled = await set.stripe.cancelPayment({ ...payment, idempotencyKey: 'cancel_1' });
    expect(problem(canceled)).toEqual(rejected('unexpectedState'));
    expect(set.standIn.intents()[0]?.status).toBe('processing');
  });

  it('shows a decline although an update of the intent cleared its error', async () => {
    const { set, payment } = await givenAuthorized('declined');
    set.standIn.touch(payment.reference);
    expect(value(await set.stripe.readPayment(payment))?.status).toBe('failed');
  });

  it('shows a processing payment, and its outcome', async () => {
    const { set, payment } = await givenAuthorized('slow_to_approve');
    expect(value(await set.stripe.readPayment(payment))).toMatchObject({ status: 'processing' });
    set.standIn.settle(payment.clientSecret);
    expect(value(await set.stripe.readPayment(payment))).toMatchObject({ status: 'authorized' });
  });

  it.each(['requires_confirmation', 'requires_action'])('treats %s as processing', async (name) => {
    const { set, payment } = await givenAuthorized();
    set.standIn.failNext('retrievePaymentIntent', (body) => ({ ...body, status: name }));
    expect(value(await set.stripe.readPayment(payment))?.status).toBe('processing');
  });

  it('shows no card for a decline', async () => {
    const { set, payment } = await givenAuthorized('declined');
    const seen = value(await set.stripe.readPayment(payment));
    expect(seen).toMatchObject({ status: 'failed' });
    expect(seen).not.toHaveProperty('card');
    expect(seen).not.toHaveProperty('authorizedAt');
  });

  it('shows what is held or captured, also after an earlier decline', async () => {
    const { set, payment } = await givenAuthorized();
    const read = async () => {
      const last_payment_error = { code: 'authentication_required' };
      set.standIn.failNext('retrievePaymentIntent', (body) => ({ ...body, last_payment_error }));
      return value(await set.stripe.readPayment(payment));
    };
    const held = await read();
    expect(held).toMatchObject({ status: 'authorized', authorizedMinor: 4537n });
    value(await set.stripe.capturePayment(payment));
    const taken = await read();
    expect(taken).toMatchObject({ status: 'captured', capturedMinor: 4537n });
    expect(held).not.toHaveProperty('capturedMinor');
    expect(taken).not.toHaveProperty('authorizedMinor');
    for (const seen of [held, taken]) expect(seen).not.toHaveProperty('refusal');
  });

  it('shows an authorization that was not captured in time as canceled', async () => {
    const { set, payment } = await givenAuthorized('mastercard_debit');
    set.clock.advance(48 * hourMs);
    expect(value(await set.stripe.readPayment(payment))).toMatchObject({ status: 'canceled' });
  });

  it('is searched by our marks; the entry with the most progress comes first', async () => {
    const { stripe, standIn, charge, handle } = setUp();
    const [first, second] = [
      value(await stripe.openPayment(charge)),
      value(await stripe.openPayment({ ...charge, idempotencyKey: 'open_2' })),
    ];
    expect(value(await stripe.readPayment(handle))?.reference).toBe(second.reference);
    standIn.present(first.clientSecret, 'visa_credit');
    expect(value(await stripe.readPayment(handle))?.reference).toBe(first.reference);
    standIn.present(second.clientSecret, 'canceled');
    expect(value(await stripe.readPayment(handle))?.reference).toBe(first.reference);
  });

  it('is searched over all pages, back to the longest error of a clock', async () => {
    const { stripe, standIn, account, charge, handle, clock } = setUp();
    const { reference } = value(await stripe.openPayment(charge));
    standIn.addForeign(account.id, { intents: 230 });
    value(await stripe.openPayment({ ...charge, paymentId: 'cpm_2', idempotencyKey: 'open_2' }));
    expect(value(await stripe.readPayment(handle))?.reference).toBe(reference);
    const lists = standIn.requests.filter(({ route }) => route === 'listPaymentIntents');
    expect(lists).toHaveLength(3);
    const begun = (hours: number) => ({ ...handle, begunAt: clock.now() + hours * hourMs });
    expect(value(await stripe.readPayment(begun(72)))?.reference).toBe(reference);
    expect(value(await stripe.readPayment(begun(73)))).toBeUndefined();
  });

  it('is found in one page, however much other systems have created since', async () => {
    const { stripe, standIn, account, charge, handle, clock } = setUp();
    const { reference } = value(await stripe.openPayment(charge));
    clock.advance(hourMs);
    standIn.addForeign(account.id, { intents: 450 });
    expect(value(await stripe.readPayment(handle))?.reference).toBe(reference);
    const lists = standIn.requests.filter(({ route }) => route === 'listPaymentIntents');
    expect(lists).toHaveLength(1);
    expect(value(await stripe.readPayment({ ...handle, paymentId: 'cpm_2' }))).toBeUndefined();
  });

  it('is found although the clock of its node was slow', async () => {
    const { stripe, standIn, account, charge, handle, clock } = setUp();
    const begunAt = clock.now() - 20 * hourMs + minuteMs;
    const { reference } = value(await stripe.openPayment({ ...charge, begunAt }));
    standIn.addForeign(account.id, { intents: 101 });
    expect(value(await stripe.readPayment({ ...handle, begunAt }))?.reference).toBe(reference);
  });

  it('is not reported as empty after an incomplete search', async () => {
    const { stripe, standIn, account, handle } = setUp();
    standIn.addForeign(account.id, { intents: 101 });
    standIn.failNext('listPaymentIntents', (page) => page);
    standIn.failNext('listPaymentIntents', 'timeoutBeforeApplying', 3);
    expect(problem(await stripe.readPayment(handle))).toEqual(unknown);
  });
});

describe('listing', () => {
  it('reads a long quiet time in few requests, and each payment once', async () => {
    const set = setUp();
    const { stripe, standIn, charge, clock } = set;
    const from = clock.now();
    const opened: string[] = [];
    for (const hours of [1, 30, 500, 0, 2000]) {
      clock.advance(hours * hourMs);
      const paymentId = `cpm_${opened.length}`;
      const payment = { ...charge, paymentId, idempotencyKey: paymentId, begunAt: clock.now() };
      value(await stripe.openPayment(payment));
      opened.push(paymentId);
    }
    clock.advance(hourMs);
    const sent = standIn.requests.length;
    const page = value(
      await stripe.listPayments(spanOf(set, { openedFrom: from, openedBefore: clock.now() })),
    );
    expect(page.items.map(({ paymentId }) => paymentId)).toEqual(opened);
    expect(page.cursor).toBeUndefined();
    expect(standIn.requests.length - sent).toBeLessThan(15);
  });

  it('ends with its findings when time is up, and with an error without any', async () => {
    const set = setUp();
    const { stripe, standIn, charge, clock } = set;
    const openedFrom = clock.now();
    const span = spanOf(set, { openedFrom, openedBefore: openedFrom + 10 * hourMs });
    value(await stripe.openPayment(charge));
    standIn.failNext('listPaymentIntents', (page) => page);
    standIn.failNext('listPaymentIntents', 'timeoutBeforeApplying', 3);
    const page = value(await stripe.listPayments(span));
    expect(page.items).toHaveLength(1);
    const { cursor = '' } = page;
    expect(value(await stripe.listPayments({ ...span, cursor }))).toMatchObject({ items: [] });
    standIn.failNext('listPaymentIntents', 'timeoutBeforeApplying', 3);
    expect(problem(await stripe.listPayments(span))).toEqual(unknown);
  });

  it('lists a payment of an unknown status apart from the others', async () => {
    const set = setUp();
    const { stripe, standIn, charge, account, clock } = set;
    value(await stripe.openPayment(charge));
    const other = { ...charge, paymentId: 'cpm_2', idempotencyKey: 'open_2' };
    const { reference } = value(await stripe.openPayment(other));
    standIn.failNext('listPaymentIntents', (page) => ({
      ...page,
      data: [page['data']]
        .flat()
        .map((intent) =>
          Reflect.get(Object(intent), 'id') === reference
            ? { ...Object(intent), status: 'held' }
            : intent,
        ),
    }));
    const page = value(await stripe.listPayments(spanOf(set, { openedFrom: clock.now() })));
    expect(page.items.map(({ paymentId }) => paymentId)).toEqual([charge.paymentId]);
    expect(page.unreadable).toEqual([{ account: account.id, reference, openedAt: clock.now() }]);
  });

  /** A platform with payments of another system too. */
  function busyPlatform(options: Partial<StripeOptions> = {}) {
    const set = setUp({ charges: 'destination', ...options });
    const { stripe, standIn, charge, clock } = set;
    const from = clock.now();
    const others = (count: number) => standIn.addForeign(undefined, { intents: count });
    const list = (more: Partial<ListRequest> = {}) =>
      stripe.listPayments({
        ...spanOf(set, { openedFrom: from, openedBefore: clock.now() }),
        books: stripe.booksOf?.(charge.account) ?? '',
        ...more,
      });
    return { ...set, from, others, list, lists: () => standIn.requests.length };
  }

  it('lists all accounts of the platform with destination charges', async () => {
    const { stripe, standIn, charge, clock, list } = busyPlatform();
    const second = standIn.addAccount().id;
    for (const account of [charge.account, second]) {
      const named = { account, paymentId: `cpm_${account}`, idempotencyKey: account };
      value(await stripe.openPayment({ ...charge, ...named }));
    }
    clock.advance(hourMs);
    const { items } = value(await list());
    expect(items.map(({ account }) => account).sort()).toEqual([charge.account, second].sort());
    expect(problem(await list({ books: charge.account }))).toEqual(rejected('unknownBooks'));
  });

  it('finds one payment among 1,000 of another system in few requests', async () => {
    const { stripe, charge, clock, others, list, lists } = busyPlatform();
    for (let minute = 0; minute < 10; minute += 1) {
      others(100);
      if (minute === 7) value(await stripe.openPayment({ ...charge, begunAt: clock.now() }));
      clock.advance(minuteMs);
    }
    const before = lists();
    const page = value(await list());
    expect(page.items.map(({ paymentId }) => paymentId)).toEqual([charge.paymentId]);
    expect(page.cursor).toBeUndefined();
    // Eleven pages are full. The others were of slices that were too long, or the last page of one.
    expect(lists() - before).toBeLessThan(30);
  });

  it('returns how far it read when time is up, even without payments of ours', async () => {
    const { standIn, clock, others, list } = busyPlatform();
    for (let minute = 0; minute < 20; minute += 1) {
      others(20);
      clock.advance(minuteMs);
    }
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      // Time for six pages in a call: three of a slice that is too long, then those of shorter
      // ones.
      standIn.failNext('listPaymentIntents', (page) => page, 6);
      standIn.failNext('listPaymentIntents', 'timeoutBeforeApplying', 3);
      const page = value(await list({ ...(cursor !== undefined && { cursor }) }));
      expect(page.items).toEqual([]);
      if (page.cursor !== undefined) seen.push(Number(page.cursor.split(':')[0]));
      cursor = page.cursor;
    } while (cursor !== undefined && seen.length < 50);
    expect(cursor).toBeUndefined();
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  });

  it('rejects a foreign cursor', async () => {
    const { stripe, account } = setUp();
    const request = { installation: 'shop', openedFrom: 0, openedBefore: 1, limit: 1 };
    const listed = await stripe.listPayments({ ...request, books: account.id, cursor: 'x' });
    expect(problem(listed)).toEqual(rejected('invalidCursor'));
  });
});

describe('a receipt', () => {
  it('shows the fields that the schemes require', async () => {
    const { set, payment } = await givenAuthorized();
    expect(value(await set.stripe.readReceipt(payment))).toEqual({
      applicationIdentifier: 'A0000000031010',
      applicationPreferredName: 'VISA CREDIT',
      accountType: 'credit',
      authorizationCode: '123456',
      authorizationResponseCode: '3030',
      applicationCryptogram: 'C3B2A1F0E9D8C7B6',
      terminalVerificationResults: '0000000000',
      transactionStatusInformation: '0000',
      cardholderVerification: 'other',
    });
  });

  it('shows those of a debit card of Interac', async () => {
    const { set, payment } = await givenAuthorized();
    set.standIn.failNext('retrievePaymentIntent', (body) =>
      JSON.parse(JSON.stringify(body).replace('"card_present":{', '"interac_present":{')),
    );
    expect(value(await set.stripe.readReceipt(payment))?.authorizationCode).toBe('123456');
  });

  // The names that the SDK documents for this field.
  it.each([
    ['approval', 'other'],
    ['failure', 'other'],
    ['none', 'none'],
    ['offline_pin', 'pin'],
    ['offline_pin_and_signature', 'pin'],
    ['online_pin', 'pin'],
    ['signature', 'signature'],
  ])('shows the verification %s as %s', async (method, shown) => {
    const { set, payment } = await givenAuthorized();
    set.standIn.failNext('retrievePaymentIntent', (body) =>
      JSON.parse(JSON.stringify(body).replaceAll('"approval"', JSON.stringify(method))),
    );
    expect(value(await set.stripe.readReceipt(payment))?.cardholderVerification).toBe(shown);
  });

  it('names the verification by the host’s table', async () => {
    const { set, payment } = await givenAuthorized('apple_pay', {
      ...withWallets,
      tables: { verification: { approval: 'device' } },
    });
    expect(value(await set.stripe.readReceipt(payment))?.cardholderVerification).toBe('device');
  });

  it('leaves out what the card did not say, or said in another form', async () => {
    const { set, payment } = await givenAuthorized();
    const read = async (receipt: object | null) => {
      set.standIn.failNext('retrievePaymentIntent', (body) => {
        const charge = Object(body['latest_charge']);
        const { card_present } = Object(charge.payment_method_details);
        const payment_method_details = { card_present: { ...card_present, receipt } };
        return { ...body, latest_charge: { ...charge, payment_method_details } };
      });
      return value(await set.stripe.readReceipt(payment));
    };
    expect(await read(null)).toEqual({});
    const [shortest, longest] = ['A0', 'a0'.repeat(32)];
    for (const dedicated_file_name of [shortest, longest]) {
      const { applicationIdentifier } = (await read({ dedicated_file_name })) ?? {};
      expect(applicationIdentifier).toBe(dedicated_file_name);
    }
    for (const dedicated_file_name of ['', 'A', 'A0G', 'GA0', `${longest}0`]) {
      expect(await read({ dedicated_file_name })).toEqual({});
    }
  });

  it('is undefined for a payment that was never opened', async () => {
    const { stripe, handle } = setUp();
    expect(value(await stripe.readReceipt(handle))).toBeUndefined();
  });

  it('is undefined for a declined card', async () => {
    const { set, payment } = await givenAuthorized('declined');
    expect(value(await set.stripe.readReceipt(payment))).toBeUndefined();
  });
});
