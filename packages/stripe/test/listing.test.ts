import { hourMs, minuteMs, secondMs } from '@chairside/core';
import type { ListedPage, ListRequest } from '@chairside/core/ports';
import type { StripeFault } from '@chairside/stripe-stand-in';
import { describe, expect, it } from 'vitest';
import {
  marksOf,
  problem,
  rejected,
  type SetUp,
  setUp,
  setUpOverHttp,
  spanOf,
  value,
} from './stand-in.ts';

const span = (set: SetUp, more: Partial<ListRequest> = {}) =>
  spanOf(set, { openedFrom: set.handle.begunAt, ...more });

/** Opens payments of ours in the second of the clock. */
async function open({ stripe, charge, clock }: SetUp, ...ids: readonly string[]): Promise<void> {
  for (const paymentId of ids) {
    const own = { paymentId, idempotencyKey: `open_${paymentId}`, begunAt: clock.now() };
    value(await stripe.openPayment({ ...charge, ...own }));
  }
}

/** The payments of each page, up to the last one. */
async function pagesOf(set: SetUp, asked: ListRequest): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const at = cursor === undefined ? asked : { ...asked, cursor };
    const page: ListedPage<{ readonly paymentId: string }> = value(
      await set.stripe.listPayments(at),
    );
    pages.push(page.items.map(({ paymentId }) => paymentId));
    cursor = page.cursor;
  } while (cursor !== undefined && pages.length < 100);
  return pages;
}

const lists = ({ standIn }: SetUp, route: string) =>
  standIn.requests.filter((request) => request.route === route);

describe('the pages of the books', () => {
  it('have each payment once, also where some share a second', async () => {
    const set = setUp();
    await open(set, 'a', 'b', 'c');
    set.clock.advance(secondMs);
    await open(set, 'd');
    set.clock.advance(hourMs);
    await open(set, 'e', 'f', 'g');
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const limit of [1, 2, 3, 7, 100]) {
      const pages = await pagesOf(set, span(set, { limit }));
      expect(pages.flat()).toEqual(all);
      expect(pages).toHaveLength(Math.ceil(all.length / limit));
      expect(Math.max(...pages.map(({ length }) => length))).toBe(Math.min(limit, all.length));
    }
  });

  it('name the visits that payments were opened for, and the purpose of a charge', async () => {
    const set = setUp();
    const visit = { appointmentId: 'haircut', businessId: 'shop', barberId: 'ada' };
    const deposit = { ...visit, purpose: 'deposit' } as const;
    const child = (nth: number) => ({
      appointmentId: `child ${nth}`,
      barberId: 'ben',
      amount: '20.00',
    });
    const group = { ...visit, alsoPays: Array.from({ length: 19 }, (_, nth) => child(nth)) };
    for (const [paymentId, given] of Object.entries({ visit, deposit, group, none: undefined })) {
      const own = { paymentId, idempotencyKey: paymentId, begunAt: set.clock.now() };
      const opened = { ...set.charge, ...own, ...(given !== undefined && { visit: given }) };
      value(await set.stripe.openPayment(opened));
    }
    const { items } = value(await set.stripe.listPayments(span(set)));
    const found = Object.fromEntries(items.map((item) => [item.paymentId, item.visit]));
    expect(found).toEqual({ visit, deposit, group, none: undefined });
  });

  it('are read from the cursor on, and no further than to a full page', async () => {
    const set = setUp();
    await open(set, 'a', 'b');
    const second = set.clock.now() / secondMs;
    set.clock.advance(1000 * hourMs);
    await open(set, 'c');
    for (const [cursor, items] of [
      [`${second}:60:`, ['a']],
      [`${second + 1000 * 3600}:60:`, ['c']],
    ] as const) {
      const sent = set.standIn.requests.length;
      const page = value(await set.stripe.listPayments(span(set, { limit: 1, cursor })));
      expect(page.items.map(({ paymentId }) => paymentId)).toEqual(items);
      const [first, ...more] = set.standIn.requests.slice(sent);
      const gte = Number(cursor.split(':')[0]);
      expect(first?.params['created']).toEqual({ gte: `${gte}`, lt: `${gte + 60}` });
      // After the last payment, longer and longer slices of an hour.
      expect(more.length).toBe(items[0] === 'a' ? 0 : 5);
    }
  });

  it.each([
    ['the first page of a slice', 1, []],
    ['a slice of two pages', 2, ['cpm_1']],
    ['a slice that was too long', 3, []],
  ])('end where the time ends after %s, and go on from there', async (_, count, found) => {
    const set = setUp();
    await open(set, 'cpm_1');
    const intents = count === 3 ? 350 : 150;
    set.standIn.addForeign(set.account.id, { intents });
    set.clock.advance(2 * hourMs);
    set.standIn.failNext('listPaymentIntents', (page) => page, count);
    set.standIn.failNext('listPaymentIntents', 'timeoutBeforeApplying', count === 1 ? 6 : 3);
    const page = value(await set.stripe.listPayments(span(set)));
    expect(page.items.map(({ paymentId }) => paymentId)).toEqual(found);
    const { cursor = '' } = page;
    const rest = await pagesOf(set, span(set, { cursor }));
    expect([...found, ...rest.flat()]).toEqual(['cpm_1']);
  });

  it('end in the middle of a second where the time ends, and neither lose nor repeat a payment', async () => {
    const set = setUp();
    const second = set.clock.now() / secondMs;
    await open(set, 'a', 'b');
    set.clock.advance(minuteMs);
    await open(set, 'c');
    set.clock.advance(2 * hourMs);
    set.standIn.addForeign(set.account.id, { intents: 350 });
    const [a] = set.standIn.intents();
    const listed = async (cursor: string, requests: number) => {
      set.standIn.failNext('listPaymentIntents', (page) => page, requests);
      set.standIn.failNext('listPaymentIntents', 'timeoutBeforeApplying', 3);
      const page = value(await set.stripe.listPayments(span(set, { cursor })));
      const rest = await pagesOf(set, span(set, { cursor: page.cursor ?? '' }));
      return [page.items.map(({ paymentId }) => paymentId), rest.flat()];
    };
    // A slice that was too long, after the first payment of a second.
    expect(await listed(`${second}:${(4 * hourMs) / secondMs}:${a?.id}`, 3)).toEqual([
      [],
      ['b', 'c'],
    ]);
    // A slice that ends with the second of the next payment.
    expect(await listed(`${second}:60:`, 1)).toEqual([['a', 'b'], ['c']]);
  });

  it('go through a second with more objects than a call can read', async () => {
    const set = setUp();
    await open(set, 'before');
    set.clock.advance(minuteMs);
    const from = set.clock.now();
    await open(set, 'a', 'b', 'c');
    set.standIn.addForeign(set.account.id, { intents: 320 });
    await open(set, 'd', 'e', 'f');
    set.clock.advance(secondMs);
    await open(set, 'after');
    for (const limit of [50, 500]) {
      const pages = await pagesOf(set, span(set, { limit }));
      expect(pages.flat().toSorted()).toEqual(['a', 'after', 'b', 'before', 'c', 'd', 'e', 'f']);
      const sizes = lists(set, 'listPaymentIntents').map(({ params }) => params['limit']);
      expect(new Set(sizes)).toEqual(new Set(['100', '50']));
    }
    // The time that is asked for begins and ends with that second.
    const second = { openedFrom: from, openedBefore: from + secondMs };
    const pages = await pagesOf(set, span(set, { ...second, limit: 200 }));
    expect(pages).toEqual([['f', 'e', 'd'], [], [], ['c', 'b', 'a']]);
  });

  it.each([
    ['10', 100_000],
    ['1', 10_000],
  ])('have %s objects where a page of more is too long for a reply (D51)', async (least, bytes) => {
    const set = await setUpOverHttp({ maxReplyBytes: bytes });
    await open(set, 'a');
    set.standIn.addForeign(set.account.id, { intents: 100 });
    set.clock.advance(2 * hourMs);
    await open(set, 'b');
    expect((await pagesOf(set, span(set))).flat()).toEqual(['a', 'b']);
    const sizes = lists(set, 'listPaymentIntents').map(({ params }) => Number(params['limit']));
    expect(Math.min(...sizes)).toBe(Number(least));
  });

  it('have fewer objects where Stripe takes too long for a page (D51)', async () => {
    const set = await setUpOverHttp({ deadlineMs: 1000 });
    await open(set, 'a');
    set.standIn.failNext('listPaymentIntents', 'timeoutBeforeApplying');
    expect(await pagesOf(set, span(set))).toEqual([['a']]);
    const sizes = lists(set, 'listPaymentIntents').map(({ params }) => params['limit']);
    expect(sizes.slice(0, 2)).toEqual(['100', '10']);
  });

  it('show Stripe’s time, which a payment that was read shows too', async () => {
    const set = setUp();
    await open(set, 'cpm_1');
    const openedAt = set.clock.now();
    set.clock.advance(10 * minuteMs);
    const at = set.clock.now();
    const page = value(await set.stripe.listPayments(span(set)));
    expect(page).toMatchObject({ at, items: [{ openedAt, at }] });
    // Its charge, which shows the card, comes with the page.
    const [asked] = lists(set, 'listPaymentIntents');
    expect(asked?.params['expand']).toEqual({ 0: 'data.latest_charge.balance_transaction' });
    expect(value(await set.stripe.readPayment(set.handle))).toMatchObject({ openedAt, at });
  });

  it.each(['', 'x', 'x1:1:', '1:1', ':1:', '1::', '1:1234567890:', `1:1:${'x'.repeat(256)}`])(
    'cannot begin at %j',
    async (cursor) => {
      const listed = await setUp().stripe.listPayments(span(setUp(), { cursor }));
      expect(problem(listed)).toEqual(rejected('invalidCursor'));
    },
  );
});

describe('in the books', () => {
  it.each([
    ['without metadata', null],
    ['of another installation', { ...marksOf('acct_x00000001'), chairside_installation: 'other' }],
    ['of another account', marksOf('acct_2')],
    ['with a mark that is no text', { ...marksOf('acct_x00000001'), chairside_installation: 7 }],
  ])('a payment %s is foreign', async (_, metadata) => {
    const set = setUp();
    await open(set, 'cpm_1');
    spoil(set, 'listPaymentIntents', { metadata });
    const { items, unreadable, skipped } = value(await set.stripe.listPayments(span(set)));
    expect({ items, unreadable, skipped }).toEqual({ items: [] });
  });

  it('a payment without a name of ours is listed as unreadable', async () => {
    const set = setUp();
    await open(set, 'cpm_1');
    const { chairside_payment: _, ...metadata } = marksOf(set.account.id);
    spoil(set, 'listPaymentIntents', { metadata });
    const { items, unreadable } = value(await set.stripe.listPayments(span(set)));
    expect(items).toEqual([]);
    expect(unreadable).toMatchObject([{ account: set.account.id }]);
  });

  it.each(['x', ['x'], 7])('a payment with the metadata %j is skipped', async (metadata) => {
    const set = setUp();
    await open(set, 'cpm_1');
    spoil(set, 'listPaymentIntents', { metadata });
    const { items, skipped } = value(await set.stripe.listPayments(span(set)));
    expect(items).toEqual([]);
    expect(skipped).toEqual([{ reference: expect.any(String), openedAt: set.clock.now() }]);
  });

  it.each([
    ['an id', { id: null }, { reference: '', openedAt: expect.any(Number) }],
    ['a time', { created: null }, { reference: expect.stringMatching(/^pi_/) }],
  ])('an object without %s is skipped, and hides no other', async (_, spoiled, skipped) => {
    const set = setUp();
    await open(set, 'cpm_1');
    const [first] = set.standIn.intents();
    await open(set, 'cpm_2');
    const change: StripeFault = (body) => ({
      ...body,
      data: [body['data']]
        .flat()
        .map(Object)
        .map((one) => (one.id === first?.id ? { ...one, ...spoiled } : one)),
    });
    set.standIn.failNext('listPaymentIntents', change, 20);
    const page = value(await set.stripe.listPayments(span(set)));
    expect(page.items.map(({ paymentId }) => paymentId)).toEqual(['cpm_2']);
    expect(page.skipped).toStrictEqual([skipped]);
  });

  it.each([
    ['foreign', null],
    ['skipped', undefined],
    ['foreign', { metadata: {} }],
    ['foreign', { metadata: null }],
    ['foreign', { metadata: marksOf('acct_2') }],
    ['foreign', { metadata: { ...marksOf('acct_x00000001'), chairside_payment: undefined } }],
    ['skipped', 'pi_1'],
    ['skipped', { metadata: 7 }],
    ['skipped', { metadata: ['x'] }],
    ['ours', { metadata: marksOf('acct_x00000001') }],
  ] as const)('a refund or a dispute is %s if it shows the payment %j', async (whose, shown) => {
    const set = setUp();
    set.standIn.addForeign(set.account.id, { refunds: 1, disputes: 1 });
    const openedAt = set.clock.now();
    const expected = {
      foreign: { items: [] },
      skipped: { items: [], skipped: [{ reference: expect.any(String), openedAt }] },
      ours: { items: [{ paymentId: 'cpm_1', openedAt }] },
    }[whose];
    const { refunds, disputes } = set.stripe;
    for (const [route, list] of [
      ['listRefunds', refunds.listRecent],
      ['listDisputes', disputes.listRecent],
    ] as const) {
      spoil(set, route, { payment_intent: shown });
      const { items, skipped } = value(await list(span(set)));
      expect({ items, skipped }).toEqual(expected);
      // The payment comes with the page.
      expect(lists(set, route)[0]?.params['expand']).toEqual({ 0: 'data.payment_intent' });
    }
  });

  /** Changes these members of all objects in the pages that follow. */
  function spoil({ standIn }: SetUp, route: Parameters<typeof standIn.failNext>[0], over: object) {
    const change = (body: Readonly<Record<string, unknown>>) => ({
      ...body,
      data: [body['data']].flat().map((item) => ({ ...Object(item), ...over })),
    });
    standIn.failNext(route, change, 20);
  }
});

describe('a search by our marks', () => {
  it('needs one list if the clock is right, and two if it is ahead', async () => {
    for (const [aheadMs, count] of [
      [0, 1],
      [5 * minuteMs, 1],
      [5 * minuteMs + secondMs, 2],
    ] as const) {
      const set = setUp();
      const handle = { ...set.handle, begunAt: set.clock.now() + aheadMs };
      expect(value(await set.stripe.readPayment(handle))).toBeUndefined();
      expect(lists(set, 'listPaymentIntents')).toHaveLength(count);
    }
  });

  it('needs no second list if the first one finds the payment', async () => {
    const set = setUp();
    const handle = { ...set.handle, begunAt: set.clock.now() + hourMs };
    set.clock.advance(hourMs);
    await open(set, 'cpm_1');
    set.clock.advance(-hourMs);
    expect(value(await set.stripe.readPayment(handle))?.status).toBe('created');
    expect(lists(set, 'listPaymentIntents')).toHaveLength(1);
  });

  it('ends where no request of ours can have opened the payment', async () => {
    const set = setUp();
    await open(set, 'cpm_1');
    const begun = (hours: number) => ({
      ...set.handle,
      begunAt: set.handle.begunAt - hours * hourMs,
    });
    // A key is sent for 20 hours, and a clock may be wrong by 72.
    expect(value(await set.stripe.readPayment(begun(92)))?.status).toBe('created');
    expect(value(await set.stripe.readPayment(begun(93)))).toBeUndefined();
  });
});
