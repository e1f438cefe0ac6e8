import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { errAsync, hourMs } from '@chairside/core';
import type { Change } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import { dayAt, dayMs, pass, statement } from '../src/day.ts';
import { host } from '../src/elsewhere.ts';
import { fresh } from '../src/shop.ts';
import {
  account,
  givenAuthorized,
  givenCaptured,
  openShop,
  type Shop,
} from './ours/stripe-shop.ts';

async function refundsOf({ chairside }: Shop, contactlessPaymentId: string) {
  const listed = await chairside.listRefunds(host, { contactlessPaymentId });
  return listed._unsafeUnwrap();
}

function refund({ chairside }: Shop, contactlessPaymentId: string, amount: string) {
  const input = { contactlessPaymentId, idempotencyKey: fresh('refund'), body: { amount } };
  return chairside.refundPayment(host, input);
}

async function sweptBefore({ store }: Shop): Promise<number> {
  const [swept] = (await store.sweeps.listStale(Number.MAX_SAFE_INTEGER, 1))._unsafeUnwrap();
  return swept?.sweptBefore ?? 0;
}

async function reconcile({ chairside }: Shop) {
  return (await chairside.reconcile())._unsafeUnwrap();
}

async function deliver({ stripe, chairside }: Shop) {
  for (const event of (await stripe.takeEvents())._unsafeUnwrap()) {
    (await chairside.receiveProcessorEvent(event))._unsafeUnwrap();
  }
}

/** A payment of a create that died before it recorded what it opened, captured elsewhere. */
async function givenOrphan({ stripe, clock }: Shop) {
  const handle = {
    account: account.id,
    paymentId: fresh('cpm_lost'),
    installation: 'chairside',
    begunAt: clock.now(),
  };
  const money = { amountMinor: 4500n, currency: 'eur' };
  const asked = { ...handle, ...money, idempotencyKey: fresh('lost') };
  const { clientSecret } = (await stripe.openPayment(asked))._unsafeUnwrap();
  const presented = (await stripe.presentCard(clientSecret, 'visa_credit'))._unsafeUnwrap();
  const { id: reference } = presented.externalPaymentReference;
  const captured = await stripe.capturePayment({
    ...asked,
    reference,
    idempotencyKey: fresh('lost'),
  });
  expect(captured.isOk()).toBe(true);
  return reference;
}

describe('objects of other systems in the account (D51)', () => {
  it('do not hide a refund of the dashboard, whose message was lost', async () => {
    const shop = await openShop();
    const { id, reference } = await givenCaptured(shop);
    shop.stripe.standIn.addForeign(account.id, { refunds: 1 });
    expect((await shop.stripe.refund(reference, 1000n)).isOk()).toBe(true);
    shop.clock.advance(2 * hourMs);
    await reconcile(shop);
    expect((await refundsOf(shop, id)).items).toMatchObject([{ amount: '10.00' }]);
    expect(await sweptBefore(shop)).toBe(shop.clock.now() - hourMs);
  });

  it('do not hide a captured orphan behind 2,005 payments', async () => {
    const shop = await openShop();
    await givenCaptured(shop);
    shop.stripe.standIn.addForeign(account.id, { refunds: 1 });
    for (let made = 0; made < 2005; made += 5) {
      shop.stripe.standIn.addForeign(account.id, { intents: 5 });
      shop.clock.advance(1000);
    }
    const orphan = await givenOrphan(shop);
    shop.clock.advance(2 * hourMs);
    const found: string[] = [];
    for (let runs = 0; runs < 5; runs += 1) found.push(...(await reconcile(shop)).needReview);
    expect(found).toEqual([orphan]);
  });

  it('cost no read each, however many refunds there are', async () => {
    const shop = await openShop();
    const { id, reference } = await givenCaptured(shop);
    const { standIn } = shop.stripe;
    standIn.addForeign(account.id, { intents: 1 });
    const other = standIn.intents().at(-1)?.id ?? '';
    standIn.addForeign(account.id, { refunds: 500, refund: { payment_intent: other } });
    expect((await shop.stripe.refund(reference, 1000n)).isOk()).toBe(true);
    shop.clock.advance(2 * hourMs);
    const before = standIn.requests.length;
    const begun = await sweptBefore(shop);
    await reconcile(shop);
    // So many take more than one run: the second one goes on where the first one ended.
    expect(await sweptBefore(shop)).toBe(begun);
    await reconcile(shop);
    expect((await refundsOf(shop, id)).items).toHaveLength(1);
    const reads = standIn.requests.slice(before).filter(({ route }) => /^retrieve/.test(route));
    expect(reads.length).toBeLessThan(5);
    expect(await sweptBefore(shop)).toBe(shop.clock.now() - hourMs);
  });

  it('are reported to the observer once, if their owner cannot be read', async () => {
    const shop = await openShop();
    await givenCaptured(shop);
    const refund = { payment_intent: 'pi_unseen' };
    shop.stripe.standIn.addForeign(account.id, { refunds: 2, refund });
    shop.clock.advance(2 * hourMs);
    await reconcile(shop);
    shop.clock.advance(2 * hourMs);
    await reconcile(shop);
    const told = shop.observations.filter(({ kind }) => kind === 'failure');
    expect(told).toMatchObject([
      {
        name: 'listRecentRefunds',
        outcome: 'unreadable',
        reference: expect.stringMatching(/^pyr_/),
      },
      {
        name: 'listRecentRefunds',
        outcome: 'unreadable',
        reference: expect.stringMatching(/^pyr_/),
      },
    ]);
  });

  it('are ignored in messages, in any shape', async () => {
    const shop = await openShop();
    const { standIn } = shop.stripe;
    standIn.addForeign(account.id, { intents: 1, refunds: 1, disputes: 1 });
    const intent = standIn.intents().at(-1)?.id ?? '';
    standIn.addForeign(account.id, { refunds: 1, refund: { payment_intent: intent, amount: -1 } });
    const events = (await shop.stripe.takeEvents())._unsafeUnwrap();
    expect(events).toHaveLength(4);
    for (const event of events) {
      const received = await shop.chairside.receiveProcessorEvent(event);
      expect(received._unsafeUnwrap()).toEqual({ outcome: 'ignored' });
    }
  });
});

describe('a payment whose refunds cannot be read', () => {
  it('stops no other one, and gets a review in the end (D51)', async () => {
    const broken = new Set<string>();
    const shop = await openShop(({ refunds }) => ({
      refunds: refunds && {
        ...refunds,
        list: (payment) =>
          broken.has(payment.paymentId)
            ? errAsync({ kind: 'unavailable', outcome: 'unknown', answered: true })
            : refunds.list(payment),
      },
    }));
    const [first, second] = [await givenCaptured(shop), await givenCaptured(shop)];
    broken.add(first.id);
    for (const { reference } of [first, second]) {
      expect((await shop.stripe.refund(reference, 1000n)).isOk()).toBe(true);
      shop.clock.advance(1000);
    }
    shop.clock.advance(2 * hourMs);
    await reconcile(shop);
    broken.delete(first.id);
    expect((await refundsOf(shop, second.id)).items).toHaveLength(1);
    expect((await refundsOf(shop, first.id)).items).toHaveLength(0);
    broken.add(first.id);
    // Each pass begins with the payment, and meets what is behind it again.
    const behind = { payment_intent: 'pi_unseen' };
    shop.stripe.standIn.addForeign(account.id, { refunds: 1, refund: behind });
    for (let passes = 0; passes < 3; passes += 1) {
      shop.clock.advance(2 * hourMs);
      await reconcile(shop);
    }
    const skipped = shop.observations.filter(
      (seen) => 'reference' in seen && seen.kind === 'failure',
    );
    expect(skipped).toMatchObject([{ name: 'listRecentRefunds', outcome: 'unreadable' }]);
    shop.clock.advance(72 * hourMs);
    expect((await reconcile(shop)).needReview).toEqual([first.reference]);
    const reviews = (await shop.chairside.listReviews())._unsafeUnwrap();
    expect(reviews).toMatchObject([
      { reason: 'unreadableAtProcessor', contactlessPaymentId: first.id },
    ]);
    expect(await sweptBefore(shop)).toBe(shop.clock.now() - hourMs);
  });
});

describe('our marks, copied to another account', () => {
  it('do not hold its lists back while our own payment cannot be read', async () => {
    const shop = await openShop(({ disputes }) => ({
      disputes: disputes && {
        list: () => errAsync({ kind: 'unavailable', outcome: 'unknown', answered: true }),
        listRecent: (request) =>
          disputes.listRecent(request).map((page) => ({
            ...page,
            items: request.books === account.id ? [] : [{ paymentId: copied, openedAt }],
          })),
      },
    }));
    const { id: copied } = await givenCaptured(shop);
    const openedAt = shop.clock.now();
    const change: Change = {
      kind: 'putSweep',
      swept: { books: 'acct_other', sweptBefore: openedAt - hourMs, triedAt: openedAt - hourMs },
    };
    shop.stripe.standIn.addAccount({ id: 'acct_other', currency: 'eur' });
    const seeded = await shop.store.commit({ id: 'other', at: openedAt, changes: [change] });
    expect(seeded.isOk()).toBe(true);
    shop.clock.advance(2 * hourMs);
    expect((await reconcile(shop)).needReview).toEqual([]);
    const swept = (await shop.store.sweeps.listStale(shop.clock.now(), 9))._unsafeUnwrap();
    const other = swept.find(({ books }) => books === 'acct_other');
    expect(other?.sweptBefore).toBe(shop.clock.now() - hourMs);
  });
});

describe('a dispute whose message was lost', () => {
  it('is found by upkeep (D51)', async () => {
    const shop = await openShop();
    const { reference } = await givenCaptured(shop);
    shop.stripe.standIn.addForeign(account.id, { disputes: 3 });
    expect((await shop.stripe.dispute(reference, 4500n)).isOk()).toBe(true);
    shop.clock.advance(2 * hourMs);
    await reconcile(shop);
    expect((await shop.chairside.listDisputes())._unsafeUnwrap()).toMatchObject([
      { amount: '45.00', state: 'open' },
    ]);
  });

  it('is closed by upkeep, if it was open here', async () => {
    const shop = await openShop();
    const { reference } = await givenCaptured(shop);
    expect((await shop.stripe.dispute(reference, 4500n)).isOk()).toBe(true);
    shop.clock.advance(2 * hourMs);
    await reconcile(shop);
    const [open] = (await shop.chairside.listDisputes({ state: 'open' }))._unsafeUnwrap();
    shop.clock.advance(30 * 24 * hourMs);
    await reconcile(shop);
    const there = (await shop.stripe.entries()).flatMap(({ disputes = [] }) =>
      disputes.map(({ id }) => id),
    );
    expect((await shop.stripe.closeDispute?.(reference, there[0] ?? '', 'won'))?.isOk()).toBe(true);
    shop.clock.advance(2 * hourMs);
    await reconcile(shop);
    expect((await shop.chairside.listDisputes({ state: 'open' }))._unsafeUnwrap()).toEqual([]);
    const won = await shop.chairside.listDisputes({ state: 'won' });
    expect(won._unsafeUnwrap()).toMatchObject([{ id: open?.id, amount: '45.00' }]);
  });

  it('is found before a refund, which cannot exceed the rest', async () => {
    const shop = await openShop();
    const { id, reference } = await givenCaptured(shop);
    expect((await shop.stripe.dispute(reference, 4000n)).isOk()).toBe(true);
    expect((await refund(shop, id, '45.00'))._unsafeUnwrapErr()).toMatchObject({
      attributes: { reason: 'exceedsRefundable', refundable: '5.00' },
    });
    expect((await refund(shop, id, '5.00')).isOk()).toBe(true);
  });

  it('is read in its present state, in any order of its messages', async () => {
    const shop = await openShop();
    const { id, reference } = await givenCaptured(shop);
    expect((await shop.stripe.dispute(reference, 1000n)).isOk()).toBe(true);
    const opened = shop.stripe.standIn.events.at(-1)?.data.object;
    if (opened?.object !== 'dispute') throw new Error('There is no dispute.');
    expect((await shop.stripe.closeDispute?.(reference, opened.id, 'won'))?.isOk()).toBe(true);
    const events = (await shop.stripe.takeEvents())._unsafeUnwrap();
    for (const event of events.toReversed()) {
      expect((await shop.chairside.receiveProcessorEvent(event)).isOk()).toBe(true);
    }
    expect((await refund(shop, id, '45.00')).isOk()).toBe(true);
  });
});

describe('a dispute at Stripe (D45)', () => {
  /** Stripe's statuses, as the declarations of its SDK list them. */
  function declaredStatuses(): readonly string[] {
    const adapter = new URL('../../../stripe/src/index.ts', import.meta.url);
    const folder = dirname(createRequire(adapter).resolve('stripe'));
    const text = readFileSync(`${folder}/../esm/resources/Disputes.d.ts`, 'utf8');
    const [, declared = ''] = /^ {4}type Status = (.*);$/m.exec(text) ?? [];
    return [...declared.matchAll(/'(\w+)'/g)].flatMap(([, status]) => status ?? []);
  }

  const ends: Readonly<Record<string, string>> = {
    lost: 'lost',
    won: 'won',
    prevented: 'won',
    warning_closed: 'won',
  };

  it('follows every declared status from every other one', async () => {
    const statuses = declaredStatuses();
    expect(statuses.length).toBeGreaterThanOrEqual(10);
    for (const from of statuses) {
      const shop = await openShop();
      const { stripe, clock } = shop;
      for (const to of statuses) {
        const { id, reference } = await givenCaptured(shop);
        stripe.standIn.dispute(reference, 4500, from.startsWith('warning_'));
        const opened = stripe.standIn.events.findLast(
          ({ type }) => type === 'charge.dispute.created',
        );
        const dispute = opened?.data.object.id ?? '';
        stripe.standIn.moveDispute(dispute, from);
        await deliver(shop);
        clock.advance(24 * hourMs);
        stripe.standIn.moveDispute(dispute, to);
        await deliver(shop);
        const handle = { account: account.id, paymentId: id, installation: 'chairside' };
        const asked = { ...handle, begunAt: clock.now(), reference };
        const [there] = (await stripe.disputes?.list(asked))?._unsafeUnwrap() ?? [];
        const taken = there?.bookings.filter(({ amountMinor }) => amountMinor < 0n) ?? [];
        const rest = there?.bookings.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
        const state = ends[to] ?? 'open';
        const here = (await shop.store.disputes.listByPayment(id, 9))._unsafeUnwrap();
        const about = `${from}, then ${to}`;
        expect(here, about).toMatchObject([
          {
            state,
            ...(to.endsWith('needs_response') && { respondBy: clock.now() + 5 * 24 * hourMs }),
          },
        ]);
        const isHeld =
          rest !== 0n || (state === 'open' && (!to.startsWith('warning_') || taken.length > 0));
        const { refundable } = await refundsOf(shop, id);
        expect(refundable, about).toBe(isHeld ? '0.00' : '45.00');
      }
    }
  });

  it('that is an inquiry can be refunded, although its message was lost', async () => {
    const shop = await openShop();
    const { id, reference } = await givenCaptured(shop);
    shop.stripe.standIn.dispute(reference, 4500, true);
    shop.clock.advance(2 * hourMs);
    await reconcile(shop);
    const [inquiry] = (await shop.chairside.listDisputes())._unsafeUnwrap();
    expect(inquiry).toMatchObject({
      state: 'open',
      withheld: '0.00',
      respondBy: expect.any(String),
    });
    expect((await refund(shop, id, '45.00')).isOk()).toBe(true);
    shop.clock.advance(2 * hourMs);
    await reconcile(shop);
    expect((await shop.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
  });

  it('that is lost after it was won holds its amount, although two bookings are shown', async () => {
    const shop = await openShop(undefined, { disputeBookings: 'firstTwo' });
    const { standIn } = shop.stripe;
    const { id, reference } = await givenCaptured(shop);
    standIn.dispute(reference, 4500);
    const opened = standIn.events.findLast(({ type }) => type === 'charge.dispute.created');
    const refundable = async (status: 'won' | 'lost') => {
      standIn.moveDispute(opened?.data.object.id ?? '', status);
      await deliver(shop);
      return (await refundsOf(shop, id)).refundable;
    };
    expect(await refundable('won')).toBe('45.00');
    expect(await refundable('lost')).toBe('0.00');
    expect(await refundable('won')).toBe('45.00');
  });

  it('has all of its bookings on their days, although two are shown (D50)', async () => {
    const shop = await openShop(undefined, { disputeBookings: 'firstTwo' });
    const { standIn } = shop.stripe;
    const { reference } = await givenCaptured(shop);
    await pass(shop, 2 * dayMs);
    standIn.dispute(reference, 4500);
    const opened = standIn.events.findLast(({ type }) => type === 'charge.dispute.created');
    const days: string[] = [];
    const move = async (status?: 'won' | 'lost') => {
      if (status !== undefined) standIn.moveDispute(opened?.data.object.id ?? '', status);
      days.push(dayAt(shop.clock.now()));
      await pass(shop, 2 * dayMs);
    };
    await move();
    await move('won');
    await move('lost');
    const booked = () => Promise.all(days.map((day) => statement(shop, day)));
    const closed = (disputed: string) => ({ state: 'closed', shop: [{ disputed }] });
    expect(await booked()).toMatchObject(['45.00', '-45.00', '45.00'].map(closed));
    const [lost] = (await shop.chairside.listDisputes({ state: 'lost' }))._unsafeUnwrap();
    expect(lost).toMatchObject({ withheld: '45.00' });
    await move('won');
    await pass(shop, 4 * dayMs);
    expect(await booked()).toMatchObject(['45.00', '-45.00', '45.00', '-45.00'].map(closed));
  });
});

describe('what Stripe leaves in its lists', () => {
  /** Captures 30.00 of 45.00 in the dashboard. */
  async function givenSmallerCapture(shop: Shop) {
    const { stripe, clock } = shop;
    const { id, reference } = await givenAuthorized(shop);
    const handle = { account: account.id, paymentId: id, installation: 'chairside' };
    const money = { amountMinor: 3000n, currency: 'eur', begunAt: clock.now() };
    const request = { ...handle, ...money, reference, idempotencyKey: fresh('dashboard') };
    // The adapter believes no reply of another amount, but Stripe has captured it.
    expect((await stripe.capturePayment(request)).isErr()).toBe(true);
    return { id, reference };
  }

  it('is no refund where less was captured: it moved nothing', async () => {
    const shop = await openShop();
    const { id } = await givenSmallerCapture(shop);
    await deliver(shop);
    const day = dayAt(shop.clock.now());
    await pass(shop, 2 * dayMs);
    expect(await refundsOf(shop, id)).toMatchObject({
      count: 0,
      captured: '30.00',
      refundable: '30.00',
    });
    expect(await statement(shop, day)).toMatchObject({
      differences: [],
      shop: [{ captured: '30.00', refunded: '0.00' }],
    });
    expect((await refund(shop, id, '30.00')).isOk()).toBe(true);
    expect(await refundsOf(shop, id)).toMatchObject({ count: 1, refundable: '0.00' });
  });

  it('is no movement where a refund waits unbooked and is canceled', async () => {
    const shop = await openShop();
    const { id, reference } = await givenCaptured(shop);
    shop.stripe.standIn.refund(reference, 1000, false);
    const day = dayAt(shop.clock.now());
    await pass(shop, 2 * dayMs);
    expect(await refundsOf(shop, id)).toMatchObject({ refundable: '35.00' });
    const made = shop.stripe.standIn.events.findLast(({ type }) => type === 'refund.created');
    shop.stripe.standIn.endRefund(made?.data.object.id ?? '', 'canceled');
    const later = dayAt(shop.clock.now());
    await pass(shop, 2 * dayMs);
    expect(await refundsOf(shop, id)).toMatchObject({ refundable: '45.00' });
    for (const one of [day, later]) {
      expect(await statement(shop, one)).toMatchObject({ state: 'closed', differences: [] });
    }
  });

  it.each(['failed', 'reversed'] as const)(
    'shows that a payout is %s long after it arrived',
    async (state) => {
      const shop = await openShop();
      await givenCaptured(shop);
      const day = dayAt(shop.clock.now());
      await pass(shop, 3 * dayMs);
      const [payout = ''] = shop.stripe.standIn.payOut(account.id);
      await pass(shop, 40 * dayMs);
      const arrived = async () => (await statement(shop, day)).shop.map((sums) => sums.arrived);
      expect(await arrived()).not.toEqual(['0.00']);
      if (state === 'failed') shop.stripe.standIn.failPayout(payout);
      else shop.stripe.standIn.reversePayout(payout);
      await pass(shop, 6 * hourMs);
      expect(await arrived()).toEqual(['0.00']);
      shop.stripe.standIn.payOut(account.id);
      await pass(shop, 4 * dayMs);
      expect(await arrived()).not.toEqual(['0.00']);
    },
  );
});
