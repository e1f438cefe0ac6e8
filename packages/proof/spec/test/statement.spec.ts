import {
  type Business,
  type Chairside,
  createChairside,
  errAsync,
  hourMs,
  type InputOf,
  minuteMs,
  okAsync,
  ResultAsync,
  type StatementView,
  secondMs,
} from '@chairside/core';
import type { Change, Payout, Refund, SettlementEntry, Store } from '@chairside/core/ports';
import { aPayment } from '@chairside/testkit';
import { expect } from 'vitest';
import { charge, givenBooking } from '../src/charges.ts';
import { dayAt, dayMs, pass, refund, statement, statementOf, timeZone } from '../src/day.ts';
import {
  ada,
  captureInput,
  deliverMessages,
  givenOrphan,
  host,
  withProcessor,
} from '../src/elsewhere.ts';
import { share } from '../src/shares.ts';
import {
  capture,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPresented,
  present,
  stored,
  takenMinor,
} from '../src/shop.ts';
import { giveBack, givenTender } from '../src/tenders.ts';
import { delivered, takingsByBarber } from '../src/told.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const reasons = ({ differences }: StatementView) => differences.map(({ reason }) => reason);

/** Moves the clock to this long before the shop's next midnight. */
function beforeMidnight({ clock }: Pick<World, 'clock'>, ms: number): void {
  const today = dayAt(clock.now());
  while (dayAt(clock.now()) === today) clock.advance(hourMs);
  const hour = new Date(clock.now());
  hour.setUTCMinutes(0, 0, 0);
  clock.advance(hour.getTime() - clock.now() - ms);
}

/** The shop's first payout, whose money is in the account again. */
async function givenBack(world: World, state: 'failed' | 'reversed'): Promise<string> {
  await pass(world, 4 * dayMs);
  const [payout] = world.processor.balance('acct_shop').payouts;
  const reference = payout?.reference ?? '';
  world.processor.failPayout('acct_shop', reference, state)._unsafeUnwrap();
  await pass(world, 6 * hourMs);
  return reference;
}

describeEverywhere("the day's statement", ({ it, makeWorld }) => {
  it('shows each barber, the fees and the payout, and agrees with the processor (D50)', async (world) => {
    await givenCaptured(world);
    const bens = await givenAppointment(world, { barber: 'ben', amountDue: '20.00' });
    const { payment } = await givenCaptured(world, { appointmentId: bens, as: 'ben' });
    await refund(world, payment.id, '5.00');
    const day = dayAt(world.clock.now());
    const early = await statement(world, day);
    expect(early).toMatchObject({ state: 'open', shop: [{ captured: '65.00' }] });
    expect(new Set(reasons(early))).toEqual(new Set(['notListedYet']));
    for (const name of ['waitsFor', 'tenders', 'shares']) {
      expect(early).not.toHaveProperty(name);
    }

    await pass(world, 2 * dayMs);
    const closed = await statement(world, day);
    expect(closed).toMatchObject({ state: 'closed', differences: [], payouts: [] });
    const sums = { currency: 'eur', disputed: '0.00', applicationFees: '0.00', arrived: '0.00' };
    expect(closed.shop).toEqual([
      {
        ...sums,
        payments: 2,
        captured: '65.00',
        refunded: '5.00',
        // 45.00: 0.675 + 0.25; 20.00: 0.30 + 0.25.
        processorFees: '1.48',
        settled: '58.52',
      },
    ]);
    expect(closed.barbers).toMatchObject([
      { barberId: 'ada', barber: 'Ada Marlow', captured: '45.00', settled: '44.07' },
      { barberId: 'ben', captured: '20.00', refunded: '5.00', settled: '14.45' },
    ]);
    expect(closed.lines).toHaveLength(3);

    await pass(world, 4 * dayMs);
    const paid = await statement(world, day);
    expect(paid).toMatchObject({ state: 'closed', shop: [{ arrived: '58.52' }] });
    const whole = { currency: 'eur', amount: '58.52', ofThisDay: '58.52' };
    const [payout] = world.processor.balance('acct_shop').payouts;
    expect(paid.payouts).toStrictEqual([
      { id: payout?.reference, state: 'paid', ...whole, arrivesAt: expect.any(String) },
    ]);
    const { arrived: _arrived, ...figures } = paid.shop[0] ?? {};
    expect(closed.shop).toMatchObject([figures]);
  });

  it('leaves a closed day as it was, and puts later refunds and disputes on their own days (D50)', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    const first = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    const before = await statement(world, first);
    world.processor.slowRefunds(true);
    await refund(world, payment.id, '10.00');
    const dispute = world.processor.dispute(reference, 500n)._unsafeUnwrap();
    await deliverMessages(world);
    const second = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    const [refundId = ''] = world.processor.entries()[0]?.refunds.map(({ id }) => id) ?? [];
    world.processor.endRefund(reference, refundId, 'failed')._unsafeUnwrap();
    world.processor.closeDispute(reference, dispute.subject ?? '', 'won')._unsafeUnwrap();
    await deliverMessages(world);
    const third = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);

    const { payouts: _none, ...figures } = before;
    const after = await statement(world, first);
    expect({ ...after, shop: [] }).toMatchObject({ ...figures, ...later, shop: [] });
    expect(await statement(world, second)).toMatchObject({
      state: 'closed',
      shop: [{ payments: 0, refunded: '10.00', disputed: '5.00', settled: '-30.00' }],
      barbers: [{ barberId: 'ada', barber: 'Ada Marlow' }],
    });
    expect(await statement(world, third)).toMatchObject({
      state: 'closed',
      shop: [{ refunded: '-10.00', disputed: '-5.00', settled: '15.00' }],
    });
  });
  /** These may change: how far the list was read, and the payouts of the lines. */
  const later = {
    readUntil: expect.any(String),
    lines: expect.any(Array),
    barbers: expect.any(Array),
  };

  it('leaves a closed day as it was, although a clock is three days behind (D50, D202)', async () => {
    const world = await makeWorld({ shares: true });
    const { clock, send } = world;
    const { payment: captured } = await givenCaptured(world);
    const visit = await givenAppointment(world);
    const [cash, mistake] = [
      await givenTender(world, visit, '5.00'),
      await givenTender(world, visit, '6.00'),
    ];
    const day = dayAt(clock.now());
    await pass(world, 3 * dayMs);
    const closed = await statement(world, day);
    expect(closed.state).toBe('closed');

    clock.advance(-72 * hourMs);
    await givenTender(world, visit, '20.00');
    await giveBack(world, cash.id);
    await send('voidTender', 'ada', { id: mistake.id });
    expect(
      (
        await share(world, captured.id, [
          [visit, '4.00'],
          [captured.appointment.id, '41.00'],
        ])
      ).status,
    ).toBe(201);
    clock.advance(72 * hourMs);

    expect(await statement(world, day)).toEqual(closed);
    const open = await statement(world, dayAt(clock.now() - hourMs));
    expect(open.state).toBe('open');
    expect(open.tenders?.map(({ act, amount }) => `${act} ${amount}`).toSorted()).toEqual([
      'record 20.00',
      'return -5.00',
      'void -6.00',
    ]);
    expect(open.shares?.map(({ amount }) => amount)).toEqual(['-4.00', '4.00']);
  });

  it('is open for an hour after its end at an account whose lists nobody reads', async () => {
    // The host keeps its businesses, and no card was presented there.
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        businesses: {
          get: (id) =>
            real.businesses.get(id).map((found) => {
              const processorAccount = { id: 'acct_unread', currency: 'eur' };
              return found && { ...found, processorAccount };
            }),
        },
      }),
    });
    const visit = await givenAppointment(world);
    beforeMidnight(world, secondMs);
    const day = dayAt(world.clock.now());
    await givenTender(world, visit, '20.00');
    world.clock.advance(minuteMs);
    expect((await statement(world, day)).state).toBe('open');
    world.clock.advance(hourMs);
    expect(await statement(world, day)).toMatchObject({
      state: 'closed',
      shop: [{ tendered: '20.00' }],
    });
  });

  it('shows of refunds and disputes only what the processor has booked', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    const first = dayAt(world.clock.now());
    world.processor.slowRefunds(true, false);
    await refund(world, payment.id, '10.00');
    await refund(world, payment.id, '5.00');
    world.processor.slowRefunds(false);
    const { subject = '' } = world.processor.inquire(reference, 500n)._unsafeUnwrap();
    await deliverMessages(world);
    await pass(world, 2 * dayMs);
    expect(await statement(world, first)).toMatchObject({
      state: 'closed',
      differences: [],
      shop: [{ refunded: '0.00', disputed: '0.00' }],
    });
    const second = dayAt(world.clock.now());
    const [canceled, booked] = world.processor.entries()[0]?.refunds ?? [];
    world.processor.endRefund(reference, canceled?.id ?? '', 'canceled')._unsafeUnwrap();
    world.processor.endRefund(reference, booked?.id ?? '', 'succeeded')._unsafeUnwrap();
    world.processor.closeDispute(reference, subject, 'won')._unsafeUnwrap();
    await deliverMessages(world);
    await pass(world, 2 * dayMs);
    const closed = { state: 'closed', differences: [] };
    expect(await statement(world, first)).toMatchObject({
      ...closed,
      shop: [{ refunded: '0.00' }],
    });
    expect(await statement(world, second)).toMatchObject({
      ...closed,
      shop: [{ refunded: '5.00', disputed: '0.00' }],
    });
  });

  it('has the failure of a refund whose message was lost', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    await refund(world, payment.id, '10.00');
    await deliverMessages(world);
    await pass(world, 2 * dayMs);
    const [made] = world.processor.entries()[0]?.refunds ?? [];
    world.processor.endRefund(reference, made?.id ?? '', 'failed')._unsafeUnwrap();
    world.processor.takeEvents()._unsafeUnwrap();
    const day = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    const listed = await world.chairside.listRefunds(host, { contactlessPaymentId: payment.id });
    expect(listed._unsafeUnwrap()).toMatchObject({
      items: [{ state: 'failed' }],
      refundable: '45.00',
    });
    expect(await statement(world, day)).toMatchObject({
      state: 'closed',
      differences: [],
      shop: [{ refunded: '-10.00' }],
    });
  });

  it('has each time that a dispute took its amount and gave it back', async (world) => {
    const { reference } = await givenCaptured(world);
    const first = dayAt(world.clock.now());
    const { subject = '' } = world.processor.dispute(reference, 500n)._unsafeUnwrap();
    world.processor.closeDispute(reference, subject, 'won')._unsafeUnwrap();
    await pass(world, 2 * dayMs);
    const second = dayAt(world.clock.now());
    // None of these messages arrives: the entries show what happened.
    world.processor.reopenDispute(reference, subject)._unsafeUnwrap();
    world.processor.withholdDispute(reference, subject)._unsafeUnwrap();
    world.processor.closeDispute(reference, subject, 'lost')._unsafeUnwrap();
    await pass(world, 2 * dayMs);
    const closed = { state: 'closed', differences: [] };
    expect(await statement(world, first)).toMatchObject({
      ...closed,
      shop: [{ disputed: '0.00' }],
    });
    expect(await statement(world, second)).toMatchObject({
      ...closed,
      shop: [{ disputed: '5.00' }],
    });
    const lost = await world.chairside.listDisputes({ state: 'lost' });
    expect(lost._unsafeUnwrap()).toMatchObject([{ withheld: '5.00' }]);
  });

  it.for(['failed', 'reversed'] as const)(
    'has not arrived once its payout is %s, however late',
    async (state, world) => {
      await givenCaptured(world);
      const day = dayAt(world.clock.now());
      await pass(world, 40 * dayMs);
      expect(await statement(world, day)).toMatchObject({ shop: [{ arrived: '44.07' }] });
      const [payout] = world.processor.balance('acct_shop').payouts;
      world.processor.failPayout('acct_shop', payout?.reference ?? '', state)._unsafeUnwrap();
      await pass(world, 6 * hourMs);
      expect(await statement(world, day)).toMatchObject({
        shop: [{ arrived: '0.00' }],
        payouts: [{ state }],
        differences: [{ reason: 'payoutFailed' }],
      });
      await pass(world, 3 * dayMs);
      expect(await statement(world, day)).toMatchObject({ shop: [{ arrived: '44.07' }] });
    },
  );

  it('counts a payment at midnight on one day (D50)', async (world) => {
    beforeMidnight(world, secondMs);
    const last = dayAt(world.clock.now());
    await givenCaptured(world);
    world.clock.advance(secondMs - 1);
    await givenCaptured(world);
    expect(await statement(world, last)).not.toHaveProperty('waitsFor');
    world.clock.advance(1);
    expect(await statement(world, last)).toHaveProperty('waitsFor');
    const next = dayAt(world.clock.now());
    const { payment } = await givenCaptured(world);
    await givenTender(world, await givenAppointment(world), '20.00');
    expect(next > last).toBe(true);
    await pass(world, 3 * dayMs);
    const input = { businessId: 'shop', day: last, lastDay: next, timeZone };
    const both = await statementOf(world.chairside, input);
    expect(both.tenders).toMatchObject([{ day: next, at: payment.createdAt }]);
    expect(await statement(world, last)).toMatchObject({
      state: 'closed',
      shop: [{ payments: 2 }],
    });
    expect(await statement(world, next)).toMatchObject({
      state: 'closed',
      shop: [{ payments: 1 }],
    });
  });

  it('names what the processor has and we do not, and the other way round (D50)', async (world) => {
    const { payment } = await givenCaptured(world);
    const given: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      world.clock.advance(secondMs);
      given.push((await givenCaptured(world)).payment.id);
    }
    const [raised, charged, late] = given;
    const day = dayAt(world.clock.now());
    const { settlements } = world.processor;
    const altered = withProcessor(world, {
      settlements: {
        ...settlements,
        listEntries: (request) =>
          settlements.listEntries(request).map(({ items, ...page }) => ({
            ...page,
            items: items.flatMap((item) => {
              if (item.paymentId === payment.id) return [];
              const other = { ...item, applicationFeeMinor: 1n };
              if (item.paymentId === charged) return [other];
              if (item.paymentId === late) return [{ ...other, openedAt: item.openedAt + dayMs }];
              const orphan = {
                ...item,
                paymentId: 'gone',
                reference: 'ftx_gone',
                subject: 'gone',
              };
              return [{ ...item, amountMinor: item.amountMinor + 1n }, orphan];
            }),
          })),
      },
    });
    await pass({ clock: world.clock, chairside: altered }, 2 * dayMs);
    const found = await statement({ chairside: altered }, day);
    expect(found.state).toBe('differs');
    const [{ createdAt: since = '' } = {}] = [payment];
    expect(found.differences).toMatchObject([
      { reason: 'missingAtProcessor', ours: '45.00', theirs: '0.00', since },
      { reason: 'otherAmount', ours: '45.00', theirs: '45.01', contactlessPaymentId: raised },
      { reason: 'missingHere', ours: '0.00', theirs: '45.00', contactlessPaymentId: 'gone' },
      { reason: 'otherFee', ours: '0.00', theirs: '0.01', contactlessPaymentId: charged },
      // Its amount is on the next day, as its fee is.
      { reason: 'otherFee', ours: '45.00', theirs: '0.00', contactlessPaymentId: late },
    ]);
    const differing = found.lines.filter(({ difference }) => difference !== undefined);
    expect(differing).toHaveLength(5);
  });

  it('shows our books alone where the processor lists no entries (D50)', async (world) => {
    await givenCaptured(world);
    const day = dayAt(world.clock.now());
    const without = withProcessor(world, { settlements: undefined });
    world.clock.advance(2 * dayMs);
    expect((await statement({ chairside: without }, day)).state).toBe('open');
    await pass({ clock: world.clock, chairside: without }, dayMs);
    const found = await statement({ chairside: without }, day);
    expect(found).toMatchObject({
      state: 'closed',
      differences: [],
      shop: [{ captured: '45.00' }],
    });
    expect(found.readUntil).toBeUndefined();
  });

  it('names a payout that failed, until another one pays it again (D50)', async (world) => {
    await givenCaptured(world);
    const day = dayAt(world.clock.now());
    await pass(world, 4 * dayMs);
    const [payout] = world.processor.balance('acct_shop').payouts;
    const paid = await statement(world, day);
    expect(paid.payouts).toMatchObject([{ id: payout?.reference, state: 'paid' }]);
    world.processor.failPayout('acct_shop', payout?.reference ?? '')._unsafeUnwrap();
    await pass(world, 6 * hourMs);
    const failed = await statement(world, day);
    expect(failed).toMatchObject({ state: 'closed', shop: [{ arrived: '0.00' }] });
    expect(failed.differences).toMatchObject([
      { reason: 'payoutFailed', ours: '44.07', theirs: '0.00' },
    ]);
    expect(failed.lines).toMatchObject([{ payout: payout?.reference }]);
    expect(failed.lines[0]).not.toHaveProperty('payoutArrivesAt');
    await pass(world, 3 * dayMs);
    const again = await statement(world, day);
    const { arrivesAt: payoutArrivesAt } = again.payouts[0] ?? {};
    expect(again.lines).toMatchObject([{ payout: payout?.reference, payoutArrivesAt }]);
    expect(again.payouts).toMatchObject([{ state: 'paid', amount: '44.07' }]);
    expect(again.payouts[0]?.id).not.toBe(payout?.reference);
    expect(again).toMatchObject({ differences: [], shop: [{ arrived: '44.07' }] });
    const week = { from: '2026-11-02T00:00:00.000Z', until: '2026-11-20T00:00:00.000Z' };
    const listed = await world.chairside.listPayouts(host, { businessId: 'shop', ...week });
    const none = { refunded: '0.00', disputed: '0.00', applicationFees: '0.00' };
    const about = { ...none, currency: 'eur', amount: '44.07', isItemized: true };
    const times = { createdAt: expect.any(String), arrivesAt: expect.any(String) };
    expect(listed._unsafeUnwrap()).toStrictEqual([
      {
        ...about,
        ...times,
        id: payout?.reference,
        state: 'failed',
        failure: 'account_closed',
        captured: '45.00',
        processorFees: '0.93',
        ours: '44.07',
        others: '0.00',
        otherEntries: [],
        paidAgainBy: again.payouts[0]?.id,
      },
      {
        ...about,
        ...times,
        id: again.payouts[0]?.id,
        state: 'paid',
        captured: '0.00',
        processorFees: '0.00',
        ours: '0.00',
        others: '44.07',
        otherEntries: [expect.objectContaining({ amount: '44.07' })],
      },
    ]);
  });

  it('asks a person once about a payout that failed, and shows what is known of it (D43)', async (world) => {
    const { chairside } = world;
    await givenCaptured(world);
    const processorReference = await givenBack(world, 'failed');
    const open = async () => (await chairside.listReviews())._unsafeUnwrap();
    const [review, ...others] = await open();
    expect(others).toEqual([]);
    expect(review).toEqual({
      id: expect.any(String),
      reason: 'payoutFailed',
      account: 'acct_shop',
      processorReference,
      payout: { amount: '44.07', currency: 'eur', state: 'failed', failure: 'account_closed' },
      openedAt: expect.any(String),
    });
    const reviewId = review?.id ?? '';
    const told = (await delivered(world)).filter(({ subject }) => subject === reviewId);
    expect(told).toMatchObject([
      { type: 'review.opened', data: { reason: 'payoutFailed', processorReference } },
    ]);
    const resolved = await chairside.resolveReview({ reviewId, note: 'New bank account.' });
    expect(resolved._unsafeUnwrap()).toMatchObject({ payout: { amount: '44.07' } });
    // It is listed again until another payout has paid its entries.
    await pass(world, 4 * dayMs);
    expect(await open()).toEqual([]);
    const [ended] = (await chairside.listReviews({ state: 'resolved' }))._unsafeUnwrap();
    expect(ended?.note).toBe('New bank account.');
  });

  it('asks nobody any more once another payout pays again what failed (D43)', async (world) => {
    const { chairside } = world;
    await givenCaptured(world);
    const processorReference = await givenBack(world, 'failed');
    expect((await chairside.listReviews())._unsafeUnwrap()).toMatchObject([{ processorReference }]);
    await pass(world, 4 * dayMs);
    expect((await chairside.listReviews())._unsafeUnwrap()).toEqual([]);
    expect((await chairside.listReviews({ state: 'resolved' }))._unsafeUnwrap()).toMatchObject([
      { reason: 'payoutFailed', processorReference, note: 'It was settled later.' },
    ]);
  });

  it('asks nobody about a failure that it sees after another payout has paid again (D43)', async (world) => {
    await givenCaptured(world);
    await pass(world, 4 * dayMs);
    const [payout] = world.processor.balance('acct_shop').payouts;
    world.processor.failPayout('acct_shop', payout?.reference ?? '')._unsafeUnwrap();
    world.clock.advance(5 * dayMs);
    await pass(world, dayMs);
    for (const state of ['open', 'resolved'] as const) {
      expect((await world.chairside.listReviews({ state }))._unsafeUnwrap()).toEqual([]);
    }
  });

  it('asks nobody about a payout that somebody took back from the bank (D43)', async (world) => {
    await givenCaptured(world);
    const id = await givenBack(world, 'reversed');
    const week = { from: '2026-11-02T00:00:00.000Z', until: '2026-11-20T00:00:00.000Z' };
    const listed = await world.chairside.listPayouts(host, { businessId: 'shop', ...week });
    expect(listed._unsafeUnwrap()).toMatchObject([{ id, state: 'reversed' }]);
    expect((await world.chairside.listReviews())._unsafeUnwrap()).toEqual([]);
  });

  it('shows tips and refunded tips to the barber who earned them (D50)', async () => {
    const world = await makeWorld({ tips: {} });
    const appointment = await givenAppointment(world, { amountDue: '20.00' });
    const body = { tip: '5.00' };
    const asked = { id: appointment, key: fresh('create'), body };
    const opened = JSON.parse((await world.send('createContactlessPayment', 'ada', asked)).text);
    await capture(world, opened.id, await present(world, opened));
    await refund(world, opened.id, '22.00');
    const found = await statement(world, dayAt(world.clock.now()));
    const tips = { tips: '5.00', refundedTips: '2.00' };
    expect(found).toMatchObject({
      shop: [{ captured: '25.00', refunded: '22.00', ...tips }],
      barbers: [{ barberId: 'ada', ...tips }],
    });
    expect(found.lines.map(({ tip }) => tip).sort()).toEqual(['-2.00', '5.00']);
  });

  it('is what a reader of the events alone adds up for each barber, tips too (D48)', async () => {
    const world = await makeWorld({ tips: {} });
    const pay = async (as: 'ada' | 'ben', id: string, body: object) => {
      const asked = { id, key: fresh('create'), body };
      const opened = JSON.parse((await world.send('createContactlessPayment', as, asked)).text);
      return { ...opened, reference: await present(world, opened) };
    };
    const shared = await givenAppointment(world, { amountDue: '45.00' });
    const first = await pay('ada', shared, { amount: '25.00', tip: '5.00' });
    // The appointment changes hands before the capture: the tip stays with the barber who opened.
    await givenAppointment(world, { id: shared, barber: 'ben', amountDue: '45.00' });
    await capture(world, first.id, first.reference, { as: 'ben' });
    const second = await pay('ben', shared, { tip: '2.50' });
    await capture(world, second.id, second.reference, { as: 'ben' });
    await givenCaptured(world);
    await refund(world, first.id, '23.00');
    const part = { amount: '4.00', tip: '1.50' };
    const asked = { id: second.id, key: fresh('refund'), body: part };
    expect((await world.send('refundPayment', 'owner', asked)).status).toBe(201);

    const told = takingsByBarber(await delivered(world));
    const found = await statement(world, dayAt(world.clock.now()));
    const shown = found.barbers.map(({ barberId, captured, refunded, tips, refundedTips }) => [
      barberId,
      { captured, tips, refunded, refundedTips },
    ]);
    expect([...told].sort()).toEqual(shown.sort());
    expect(Object.fromEntries(told)).toEqual({
      ada: { captured: '70.00', tips: '5.00', refunded: '23.00', refundedTips: '3.00' },
      ben: { captured: '27.50', tips: '2.50', refunded: '4.00', refundedTips: '1.50' },
    });
    expect(await takenMinor(world)).toBe(9750n);
    const ledger = await world.chairside.getAppointmentLedger(host, { appointmentId: shared });
    expect(ledger._unsafeUnwrap()).toMatchObject({ captured: '45.00', tip: '7.50' });
  });

  it('says so if a day has too many payments for one statement', async () => {
    let taken = 20_001;
    const { chairside } = await makeWorld({
      store: (real) => ({
        ...real,
        payments: {
          ...real.payments,
          listCaptured: (_business, _span, limit) =>
            okAsync(Array.from({ length: Math.min(taken, limit) }, () => many)),
        },
      }),
    });
    const many = aPayment();
    const input = { businessId: 'shop', day: '2026-11-24', timeZone };
    const refused = (await chairside.getStatement(host, input))._unsafeUnwrapErr();
    expect(refused.type).toBe('unprocessableEntity');
    taken = 20_000;
    expect((await chairside.getStatement(host, input)).isOk()).toBe(true);
  });

  it('lists no payouts of an invalid span', async ({ chairside }) => {
    const input = { businessId: 'shop', from: 'today', until: '2026-11-24T00:00:00.000Z' };
    expect((await chairside.listPayouts(host, input))._unsafeUnwrapErr().type).toBe('badRequest');
  });

  it('looks up no more of payments whose records and entries agree', async (world) => {
    await givenCaptured(world);
    const day = dayAt(world.clock.now());
    const { store, processor, clock } = world;
    const no = () => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
    const without = {
      ...store,
      payments: { ...store.payments, get: no },
      payouts: { ...store.payouts, get: no },
      movements: { ...store.movements, listByPayment: no },
    };
    const listing = createChairside({ store: without, processor, clock });
    const silent = { ...processor, settlements: undefined };
    const unlisted = createChairside({ store: without, processor: silent, clock });
    for (const ms of [0, 2 * dayMs]) {
      await pass(world, ms);
      for (const chairside of [listing, unlisted]) {
        expect(await statement({ chairside }, day)).toMatchObject({
          shop: [{ captured: '45.00' }],
        });
      }
    }
  });

  it.for(['list', 'listByPayment'] as const)(
    'leaves no rejection behind if a store rejects, which would end the process (D68): %s',
    async (name) => {
      const rejected = () =>
        ResultAsync.fromSafePromise<never>(Promise.reject(new Error('secret')));
      const world = await makeWorld({
        store: (real) => ({
          ...real,
          movements: { ...real.movements, [name]: rejected },
          // The payment then differs, and is looked up.
          settlements: { ...real.settlements, list: () => okAsync([]) },
        }),
      });
      await givenCaptured(world);
      const day = dayAt(world.clock.now());
      await pass(world, 2 * dayMs);
      const input = { businessId: 'shop', day, timeZone };
      const refused = await world.chairside.getStatement(host, input);
      expect(refused._unsafeUnwrapErr().type).toBe('internalError');
    },
  );

  it('rejects an invalid day', async ({ chairside }) => {
    for (const over of [{ day: '2026-02-30' }, { timeZone: 'Mars/Olympus' }, { movedFrom: '' }]) {
      const input = { businessId: 'shop', day: '2026-11-24', timeZone, ...over };
      expect((await chairside.getStatement(host, input))._unsafeUnwrapErr().type).toBe(
        'badRequest',
      );
    }
  });
});

/** A business that changes its account keeps the statements of the earlier one. */
describeEverywhere('the accounts of a statement', ({ it, once, makeWorld }) => {
  const old = { id: 'acct_shop', currency: 'eur', terminalLocation: 'tml_shop' };

  async function put({ chairside }: Pick<World, 'chairside'>, over: Partial<Business>) {
    const shop = { id: 'shop', name: 'Marlow & Sons', ...over };
    expect((await chairside.records.putBusiness(shop)).isOk()).toBe(true);
  }
  const changeAccount = (world: Pick<World, 'chairside'>, id: string) =>
    put(world, { processorAccount: { ...old, id } });

  const span = { from: '2026-11-02T00:00:00.000Z', until: '2027-11-20T00:00:00.000Z' };
  const payouts = async ({ chairside }: Pick<World, 'chairside'>) =>
    (await chairside.listPayouts(host, { businessId: 'shop', ...span }))._unsafeUnwrap();

  /** The accounts in `failing` cannot be read. */
  function withoutAccess(world: World, failing: readonly string[]) {
    const { settlements } = world.processor;
    return withProcessor(world, {
      settlements: {
        ...settlements,
        listEntries: (request) =>
          failing.includes(request.books)
            ? errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false })
            : settlements.listEntries(request),
      },
    });
  }

  it("lists an earlier account's payouts, and those of the present one (D50)", async (world) => {
    await givenCaptured(world);
    await pass(world, dayMs);
    await changeAccount(world, 'acct_new');
    await givenCaptured(world);
    await pass(world, 6 * dayMs);
    const listed = await payouts(world);
    expect(listed.map(({ ours, others }) => [ours, others])).toEqual([
      ['44.07', '0.00'],
      ['44.07', '0.00'],
    ]);
    const arrivals = listed.map(({ arrivesAt }) => arrivesAt);
    expect(arrivals).toEqual(arrivals.toSorted());
    const asked = { businessId: 'shop', ...span, limit: 1 };
    const first = (await world.chairside.listPayouts(host, asked))._unsafeUnwrap();
    expect(first).toEqual(listed.slice(0, 1));
    const business = (await world.store.businesses.get('shop'))._unsafeUnwrap();
    expect(business?.earlierAccounts).toEqual([{ id: 'acct_shop' }]);
  });

  it('shows an unknown entry at an account where no payment of ours is known (D50)', async (world) => {
    await changeAccount(world, 'acct_new');
    const { id } = await givenOrphan(world);
    const day = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    expect(await statement(world, day)).toMatchObject({
      state: 'differs',
      differences: [{ reason: 'missingHere', contactlessPaymentId: id, theirs: '45.00' }],
    });
  });

  it('is open while an earlier account cannot be read, until a person retires it', async (world) => {
    await givenCaptured(world);
    const first = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    await changeAccount(world, 'acct_new');
    const chairside = withoutAccess(world, ['acct_shop']);
    const there = { clock: world.clock, chairside };
    const day = dayAt(world.clock.now());
    await givenCaptured({ ...world, chairside });
    await pass(there, 3 * dayMs);
    const open = await statement(there, day);
    expect(open).toMatchObject({ state: 'open', waitsFor: [{ account: 'acct_shop' }] });
    expect(open.waitsFor).toHaveLength(1);
    expect(open.waitsFor?.[0]?.readUntil).toBe(open.readUntil);
    // The day before the change was read in time.
    expect((await statement(there, first)).state).toBe('closed');

    const retired = { id: 'acct_shop', retiredAt: open.from };
    await put(there, { processorAccount: { ...old, id: 'acct_new' }, earlierAccounts: [retired] });
    await changeAccount(there, 'acct_new');
    const closed = await statement(there, day);
    expect(closed).toMatchObject({ state: 'closed', differences: [] });
    expect(closed).not.toHaveProperty('waitsFor');
    const business = (await world.store.businesses.get('shop'))._unsafeUnwrap();
    expect(business?.earlierAccounts).toEqual([retired]);
  });

  once(
    'waits for an earlier account for 180 days, and for the present one always',
    async (world) => {
      await changeAccount(world, 'acct_new');
      const chairside = withoutAccess(world, ['acct_shop']);
      const there = { clock: world.clock, chairside };
      const stateOn = async (day: string): Promise<StatementView['state']> =>
        (await statement(there, day)).state;
      const day = dayAt(world.clock.now());
      await pass(there, 2 * dayMs);
      expect(await stateOn(day)).toBe('open');
      world.clock.advance(180 * dayMs);
      await pass(there, dayMs);
      expect(await stateOn(day)).toBe('closed');
      const failing = { clock: world.clock, chairside: withoutAccess(world, ['acct_new']) };
      world.clock.advance(200 * dayMs);
      await pass(failing, dayMs);
      const late = dayAt(world.clock.now() - 3 * dayMs);
      expect((await statement(failing, late)).waitsFor).toMatchObject([{ account: 'acct_new' }]);
    },
  );

  it("stays closed when the host's businesses change to an account that cannot be read (D50)", async () => {
    let accounts: Pick<Business, 'processorAccount' | 'earlierAccounts'> = {};
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        businesses: {
          get: (id) => real.businesses.get(id).map((found) => found && { ...found, ...accounts }),
        },
      }),
    });
    await givenCaptured(world);
    const day = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    accounts = { processorAccount: { ...old, id: 'acct_new' }, earlierAccounts: [old] };
    const there = { ...world, chairside: withoutAccess(world, ['acct_new']) };
    await givenCaptured(there);
    const next = dayAt(world.clock.now());
    for (const ms of [0, 2 * dayMs]) {
      await pass(there, ms);
      expect((await statement(there, day)).state).toBe('closed');
    }
    const waitsFor = [{ account: 'acct_new' }];
    expect(await statement(there, next)).toMatchObject({ state: 'open', waitsFor });
  });

  it("waits for a payment's account that the host's businesses have forgotten (D50)", async () => {
    const moved = { ...old, id: 'acct_new' };
    let isMoved = false;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        businesses: {
          get: (id) =>
            real.businesses
              .get(id)
              .map((found) => found && { ...found, processorAccount: isMoved ? moved : old }),
        },
      }),
    });
    const { payment, reference } = await givenPresented(world);
    const day = dayAt(world.clock.now());
    const lost = errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false } as const);
    const { capturePayment, readPayment, settlements } = world.processor;
    let isSent = false;
    const dying = withProcessor(world, {
      readPayment: (asked, claimed) => (isSent ? lost : readPayment(asked, claimed)),
      capturePayment: (request) => {
        isSent = true;
        return capturePayment(request).andThen(() => lost);
      },
    });
    expect(
      (await dying.captureContactlessPayment(ada, captureInput(payment.id, reference))).isErr(),
    ).toBe(true);
    isMoved = true;
    const out = withProcessor(world, {
      readPayment: (asked, claimed) =>
        asked.account === old.id ? lost : readPayment(asked, claimed),
      settlements: {
        ...settlements,
        listEntries: (request) =>
          request.books === old.id ? lost : settlements.listEntries(request),
      },
    });
    await givenCaptured({ ...world, chairside: out });
    await pass({ clock: world.clock, chairside: out }, 2 * dayMs);
    const found = await statement({ chairside: out }, day);
    expect(found).toMatchObject({ state: 'open', waitsFor: [{ account: old.id }] });
    const unlisted = withoutAccess(world, [old.id]);
    await pass({ clock: world.clock, chairside: unlisted }, dayMs);
    expect(await statement({ chairside: unlisted }, day)).toMatchObject({
      state: 'open',
      shop: [{ captured: '90.00' }],
      waitsFor: [{ account: old.id }],
    });
    await pass(world, dayMs);
    const shop = [{ captured: '90.00', payments: 2 }];
    expect(await statement(world, day)).toMatchObject({ state: 'closed', shop });
  });

  it('remembers each account once, and the present one never as an earlier one', async (world) => {
    for (const id of ['acct_b', 'acct_b', 'acct_shop', 'acct_c']) await changeAccount(world, id);
    await put(world, {});
    const business = (await world.store.businesses.get('shop'))._unsafeUnwrap();
    const ids = business?.earlierAccounts?.map(({ id }) => id);
    expect(ids?.toSorted()).toEqual(['acct_b', 'acct_c', 'acct_shop']);
    expect(business?.processorAccount).toBeUndefined();
  });
});

/** Payouts and entries as upkeep records them, in orders that the fake processor does not draw. */
describeEverywhere('the payouts of a statement', ({ it, once, makeWorld }) => {
  /** A day with one payment, its entries and these payouts. */
  async function givenPaid(
    entries: readonly Partial<SettlementEntry>[],
    payouts: readonly Partial<Payout>[],
  ) {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    const at = world.clock.now();
    await record(world, [
      ...entries.map((over, index) => ({
        kind: 'putSettlement' as const,
        settlement: {
          id: `acct_shop/txn_${index}`,
          account: 'acct_shop',
          businessId: 'shop',
          paymentId: payment.id,
          kind: 'dispute' as const,
          subject: 'dp_1',
          currency: 'eur',
          amountMinor: 0n,
          processorFeeMinor: 0n,
          applicationFeeMinor: 0n,
          at,
          ...over,
        },
      })),
      ...payouts.map((over) => ({ kind: 'putPayout' as const, payout: aPayout(at, over) })),
    ]);
    return { world, day: dayAt(at), at, payment };
  }

  function aPayout(at: number, over: Partial<Payout>): Payout {
    return {
      id: `acct_shop/${over.reference}`,
      account: 'acct_shop',
      reference: 'po_1',
      currency: 'eur',
      amountMinor: 0n,
      state: 'paid',
      createdAt: at,
      arrivesAt: at + dayMs,
      isItemized: true,
      isRead: true,
      oursMinor: 0n,
      othersMinor: 0n,
      others: [],
      ...over,
    };
  }

  async function record({ store, clock }: World, changes: readonly Change[]) {
    const commit = { id: fresh('cmt'), at: clock.now(), changes };
    expect((await store.commit(commit)).isOk()).toBe(true);
  }

  it('are shown once each, although one of them also pays a failed one again', async () => {
    const { world, day } = await givenPaid(
      [
        { amountMinor: -500n, payoutId: 'acct_shop/po_1' },
        { amountMinor: 300n, payoutId: 'acct_shop/po_2' },
        // The payout that pays it again was not listed yet, and that of the last one was not either.
        { amountMinor: 50n, payoutId: 'acct_shop/po_3', subject: 'dp_2' },
        { amountMinor: 60n, payoutId: 'acct_shop/po_5', subject: 'dp_3' },
      ],
      [
        { reference: 'po_1', state: 'failed', replacedBy: 'acct_shop/po_2' },
        { reference: 'po_2' },
        { reference: 'po_3', state: 'failed', replacedBy: 'acct_shop/po_4' },
      ],
    );
    await pass(world, dayMs);
    const { payouts, shop, lines } = await statement(world, day);
    expect(payouts).toMatchObject([
      { id: 'po_2', ofThisDay: '-2.00', paysAgain: ['po_1'] },
      { id: 'po_3', ofThisDay: '0.50' },
    ]);
    expect(shop).toMatchObject([{ arrived: '-2.00' }]);
    const disputes = lines.filter(({ processorReference }) => processorReference === 'dp_1');
    // Each stands in the payout that it is an entry of, although another one pays it in the end.
    expect(disputes.map(({ payout, settled }) => [payout, settled])).toEqual([
      ['po_1', '-5.00'],
      ['po_2', '3.00'],
    ]);
    expect(new Set(disputes.map(({ payoutArrivesAt }) => payoutArrivesAt)).size).toBe(1);
  });

  it('have the line of each entry, where a dispute is withheld and won on one day (D50)', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    const day = dayAt(world.clock.now());
    const { subject = '' } = world.processor.dispute(reference, 4500n)._unsafeUnwrap();
    world.clock.advance(hourMs);
    world.processor.closeDispute(reference, subject, 'won')._unsafeUnwrap();
    await deliverMessages(world);
    await pass(world, 6 * dayMs);
    const { lines, state, shop, differences } = await statement(world, day);
    expect({ state, differences, shop }).toMatchObject({
      state: 'closed',
      differences: [],
      shop: [{ disputed: '0.00', captured: '45.00' }],
    });
    const about = { kind: 'dispute', contactlessPaymentId: payment.id, barberId: 'ada' };
    const disputes = lines.filter(({ kind }) => kind === 'dispute');
    expect(disputes).toMatchObject([
      { ...about, amount: '-45.00', settled: '-60.00' },
      { ...about, amount: '45.00', settled: '45.00' },
    ]);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(3);
    const week = { from: '2026-11-02T00:00:00.000Z', until: '2026-11-20T00:00:00.000Z' };
    const listed = await world.chairside.listPayouts(host, { businessId: 'shop', ...week });
    for (const { id, ours } of listed._unsafeUnwrap()) {
      const settled = lines
        .filter(({ payout }) => payout === id)
        .map((line) => minor(line.settled));
      expect(settled.reduce((sum, one) => sum + one, 0)).toBe(minor(ours));
    }
  });

  once('are in order of arrival, and each entry has the line of its own payout', async () => {
    const lines = ['po_9', 'po_2', 'po_1', 'po_5'].map((reference, index) => ({
      amountMinor: BigInt(100 * (index + 1)),
      payoutId: `acct_shop/${reference}`,
      ...(reference === 'po_2' && { subject: 'dp_2' }),
    }));
    const at = Date.UTC(2026, 10, 4);
    const { world, day, payment } = await givenPaid(lines, [
      { reference: 'po_1', arrivesAt: at + dayMs },
      { reference: 'po_9', arrivesAt: at },
      { reference: 'po_5', arrivesAt: at },
      { reference: 'po_2', arrivesAt: at - dayMs },
    ]);
    const found = await statement(world, day);
    expect(found.payouts.map(({ id }) => id)).toEqual(['po_2', 'po_5', 'po_9', 'po_1']);
    const about = { kind: 'dispute', contactlessPaymentId: payment.id, barber: 'Ada Marlow' };
    const disputes = found.lines.filter(({ kind }) => kind === 'dispute');
    const shown = disputes.map(({ payout, settled, processorReference, payoutArrivesAt }) => [
      payout,
      settled,
      processorReference,
      payoutArrivesAt,
    ]);
    expect(shown).toEqual([
      ['po_9', '1.00', 'dp_1', iso(at)],
      ['po_2', '2.00', 'dp_2', iso(at - dayMs)],
      ['po_1', '3.00', 'dp_1', iso(at + dayMs)],
      ['po_5', '4.00', 'dp_1', iso(at)],
    ]);
    for (const dispute of disputes) expect(dispute).toMatchObject(about);
  });

  once('are followed over ten failures', async () => {
    const chain = Array.from({ length: 12 }, (_, index) => ({
      reference: `po_${index}`,
      state: 'failed' as const,
      replacedBy: `acct_shop/po_${index + 1}`,
      amountMinor: 4500n,
      oursMinor: 4500n,
    }));
    const { world, day } = await givenPaid([{ payoutId: 'acct_shop/po_0' }], chain);
    const { payouts, differences } = await statement(world, day);
    expect(payouts).toMatchObject([{ id: 'po_10' }]);
    expect(differences).toContainEqual({
      reason: 'payoutFailed',
      since: expect.any(String),
      currency: 'eur',
      ours: '45.00',
      theirs: '0.00',
      processorReference: 'po_10',
    });
  });
});

/** `45.00` is 4500. */
function minor(amount = '0.00'): number {
  return Math.round(Number(amount) * 100);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** Several days of a statement, late shifts, and what a line names. */
describeEverywhere('the days of a statement', ({ it, once }) => {
  type Asked = Omit<InputOf<'getStatement'>, 'businessId' | 'timeZone'>;
  const shop = { businessId: 'shop', timeZone };
  const ask = ({ chairside }: World, input: Asked) =>
    chairside.getStatement(host, { ...shop, ...input });
  const get = ({ chairside }: World, input: Asked) => statementOf(chairside, { ...shop, ...input });

  it('add up to one statement, with the day of each line (D50)', async (world) => {
    const days: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { payment } = await givenCaptured(world);
      days.push(dayAt(world.clock.now()));
      world.clock.advance(dayMs);
      await refund(world, payment.id, '5.00');
    }
    await pass(world, 6 * dayMs);
    const [day = '', , lastDay = ''] = days;
    const whole = await get(world, { day, lastDay });
    expect(whole).toMatchObject({
      day,
      lastDay,
      state: 'closed',
      differences: [],
      shop: [{ payments: 3, captured: '135.00', refunded: '10.00' }],
      barbers: [{ barberId: 'ada', captured: '135.00' }],
    });
    const parts = await Promise.all(days.map((one) => get(world, { day: one })));
    expect(parts.flatMap(({ lines }) => lines)).toEqual(whole.lines);
    expect(parts.map(({ from }) => from)).toContain(whole.from);
    expect(parts.at(-1)?.until).toBe(whole.until);
    const settled = parts.flatMap(({ shop }) => shop.map((sums) => Number(sums.settled)));
    expect(Number(whole.shop[0]?.settled)).toBeCloseTo(settled.reduce((sum, one) => sum + one, 0));
    // The figure of each payout is of all days.
    const paid = new Map<string, number>();
    for (const { id, ofThisDay } of parts.flatMap(({ payouts }) => payouts)) {
      paid.set(id, (paid.get(id) ?? 0) + Number(ofThisDay));
    }
    for (const { id, ofThisDay } of whole.payouts) {
      expect(Number(ofThisDay)).toBeCloseTo(paid.get(id) ?? 0);
    }
    const open = await get(world, { day, lastDay: dayAt(world.clock.now()) });
    expect(open.state).toBe('open');
  });

  it('begin at four for a late shift: 01:30 is of the evening before (D50)', async (world) => {
    const { clock } = world;
    // 01:30 at the shop.
    clock.advance(Date.UTC(2026, 10, 7, 0, 30) - clock.now());
    const { payment } = await givenCaptured(world);
    await pass(world, 3 * dayMs);
    const late = { day: '2026-11-06', dayStartsAt: '04:00' };
    const friday = await get(world, late);
    expect(friday).toMatchObject({
      state: 'closed',
      from: '2026-11-06T03:00:00.000Z',
      until: '2026-11-07T03:00:00.000Z',
      lines: [{ day: '2026-11-06', contactlessPaymentId: payment.id }],
    });
    expect((await get(world, { ...late, day: '2026-11-07' })).lines).toEqual([]);
    expect((await get(world, { day: '2026-11-06' })).lines).toEqual([]);
    // On the day of the change, the day begins where the day before ended.
    const changed = { day: '2026-11-07', dayStartsAt: '04:00', dayStartedAt: '00:00' };
    const first = await get(world, changed);
    expect(first.lines).toHaveLength(1);
    expect(Date.parse(first.until) - Date.parse(first.from)).toBe(28 * hourMs);
    // The entries were read to half past midnight, an hour ago.
    const read = await get(world, { day: '2026-11-09', dayStartsAt: '00:30' });
    expect(read).toMatchObject({ state: 'closed', until: read.readUntil });
    expect(read).not.toHaveProperty('waitsFor');
    const unread = await get(world, { day: '2026-11-09', dayStartsAt: '00:31' });
    expect(unread).toMatchObject({ state: 'open', waitsFor: [{ account: 'acct_shop' }] });
  });

  it('name the appointment, the place and the card of each line', async (world) => {
    const appointmentId = await givenAppointment(world);
    const { payment, reference } = await givenCaptured(world, { appointmentId });
    world.clock.advance(2 * dayMs);
    const married = await givenAppointment(world, { surname: 'Byron' });
    await givenCaptured(world, { appointmentId: married });
    world.clock.advance(secondMs);
    await refund(world, payment.id, '5.00');
    const lastDay = dayAt(world.clock.now());
    const named = {
      appointmentId,
      barberId: 'ada',
      locationId: 'old-town',
      location: 'Old Town',
      cardLastFour: payment.card?.maskedPersonalAccountNumber.slice(1),
    };
    // A barber has the name that the latest payment shows.
    const barber = 'Ada Byron';
    expect((await get(world, { day: lastDay })).lines).toMatchObject([
      { kind: 'payment', appointmentId: married, barber },
      { kind: 'refund', ...named, barber },
    ]);
    const day = dayAt(world.clock.now() - 2 * dayMs);
    const [line] = (await get(world, { day })).lines;
    expect(line).toStrictEqual({
      ...named,
      id: payment.id,
      day,
      at: payment.createdAt,
      kind: 'payment',
      contactlessPaymentId: payment.id,
      barber: 'Ada Marlow',
      processorReference: reference,
      currency: 'eur',
      amount: '45.00',
      applicationFee: '0.00',
      difference: 'notListedYet',
    });
  });

  it('are searched for a card and an amount in one call', async (world) => {
    const { payment } = await givenCaptured(world);
    const small = await givenAppointment(world, { amountDue: '20.00' });
    await givenCaptured(world, { appointmentId: small });
    world.clock.advance(20 * dayMs);
    const lastDay = dayAt(world.clock.now());
    const day = dayAt(world.clock.now() - 30 * dayMs);
    const cardLastFour = payment.card?.maskedPersonalAccountNumber.slice(1) ?? '';
    const find = async (over: object) =>
      (
        await world.chairside.findStatementLines(host, {
          ...{ businessId: 'shop', day, lastDay, timeZone, cardLastFour },
          ...over,
        })
      ).match(
        (lines) => lines.map(({ contactlessPaymentId }) => contactlessPaymentId),
        ({ type }) => type,
      );
    expect(await find({ amount: '45.00' })).toEqual([payment.id]);
    expect(await find({})).toHaveLength(2);
    expect(await find({ amount: '45' })).toEqual([]);
    expect(await find({ cardLastFour: '0001' })).toEqual([]);
    for (const over of [{ cardLastFour: '242' }, { amount: '4.5e1' }, { amount: '=1' }]) {
      expect(await find(over)).toBe('badRequest');
    }
    // 32 days: the look-up reads no more than a statement does.
    expect(await find({ day: dayAt(world.clock.now() - 31 * dayMs) })).toBe('badRequest');
  });

  once('are at most 31, and an unknown option is told', async (world) => {
    const refused = async (input: Asked & { readonly startsAt?: string }) =>
      (await ask(world, input))._unsafeUnwrapErr();
    const attributes = (pointer: string) => ({ type: 'badRequest', attributes: { pointer } });
    const nested = (pointer: string) => ({ problems: [attributes(pointer)] });
    expect((await ask(world, { day: '2026-11-01', lastDay: '2026-12-01' })).isOk()).toBe(true);
    expect(await refused({ day: '2026-11-01', lastDay: '2026-12-02' })).toMatchObject({
      ...attributes('/lastDay'),
      detail: 'It must be the first day or one of the 30 after it.',
    });
    expect(await refused({ day: '2026-11-02', lastDay: '2026-11-01' })).toMatchObject(
      attributes('/lastDay'),
    );
    expect(await refused({ day: '2026-11-02', startsAt: '04:00' })).toMatchObject(
      nested('/startsAt'),
    );
    expect(await refused({ day: '2026-11-02', dayStartsAt: '4:00' })).toMatchObject(
      nested('/dayStartsAt'),
    );
  });

  once('of one zone and start have each payment once', async (world) => {
    const begun = world.clock.now();
    for (let count = 0; count < 60; count += 1) {
      await givenCaptured(world);
      world.clock.advance(70 * minuteMs);
    }
    const [day, lastDay] = [dayAt(begun - dayMs), dayAt(begun + 5 * dayMs)];
    for (const dayStartsAt of ['00:00', '04:00', '12:00']) {
      const { lines } = await get(world, { day, lastDay, dayStartsAt });
      expect(new Set(lines.map(({ id }) => id)).size).toBe(60);
      expect(lines).toHaveLength(60);
    }
  });
});

/** Days that a statement has to get right, one rule each. The store's promises have a contract of their own. */
describeEverywhere('the statement of a day', ({ it, once }) => {
  /** The end of the week in which the clocks go back, at noon. */
  const clocksGoBack = Date.UTC(2027, 9, 31, 10);

  async function get(
    { chairside }: { readonly chairside: Chairside },
    input: Omit<InputOf<'getStatement'>, 'businessId'>,
    businessId = 'shop',
  ): Promise<StatementView> {
    return statementOf(chairside, { businessId, ...input });
  }

  it('names an orphan in each shop of the account, until one adopts it (D50)', async (world) => {
    const { chairside, clock } = world;
    const account = { id: 'acct_shop', currency: 'eur' };
    const other = { id: 'other', name: 'Beside it', processorAccount: account };
    expect((await chairside.records.putBusiness(other)).isOk()).toBe(true);
    const { payment } = await givenCaptured(world);
    const orphan = await givenOrphan(world);
    const day = dayAt(clock.now());
    await pass(world, 2 * dayMs);
    for (const businessId of ['shop', 'other']) {
      expect(await get(world, { day, timeZone }, businessId)).toMatchObject({
        state: 'differs',
        differences: [{ reason: 'missingHere', contactlessPaymentId: orphan.id, theirs: '45.00' }],
      });
    }
    const [unnamed] = (await get(world, { day, timeZone }, 'other')).barbers;
    expect(unnamed).toHaveProperty('settled');
    for (const name of ['barberId', 'barber']) expect(unnamed).not.toHaveProperty(name);
    const adopted = { ...(await stored(world, payment.id)), ...orphan, version: 1 };
    const at = clock.now();
    const changes = [{ kind: 'insertPayment', payment: adopted }] as const;
    expect((await world.store.commit({ id: fresh('cmt'), at, changes })).isOk()).toBe(true);
    expect(await get(world, { day, timeZone })).toMatchObject({
      state: 'closed',
      differences: [],
      shop: [{ payments: 2, captured: '90.00', settled: '88.14' }],
      barbers: [{ barberId: 'ada', payments: 2 }],
    });
    expect(await get(world, { day, timeZone }, 'other')).toMatchObject({
      state: 'closed',
      shop: [],
      lines: [],
    });
  });

  it('shows each shop of one account its own part of a payout (D50)', async (world) => {
    const { chairside } = world;
    const account = { id: 'acct_shop', currency: 'eur', terminalLocation: 'tml_shop' };
    const other = { id: 'newShop', name: 'Beside it', processorAccount: account };
    expect((await chairside.records.putBusiness(other)).isOk()).toBe(true);
    await givenCaptured(world);
    const there = await givenAppointment(world, {
      business: 'newShop',
      barber: 'cleo',
      amountDue: '20.00',
    });
    await givenCaptured(world, { appointmentId: there, as: 'cleo' });
    await pass(world, 6 * dayMs);
    const span = { from: '2026-11-02T00:00:00.000Z', until: '2026-11-20T00:00:00.000Z' };
    const listOf = async (businessId: string) =>
      (await chairside.listPayouts(host, { businessId, ...span }))._unsafeUnwrap();
    const parts = { refunded: '0.00', disputed: '0.00', applicationFees: '0.00', amount: '63.52' };
    const [mine, ...none] = await listOf('shop');
    expect(none).toEqual([]);
    expect(mine).toMatchObject({
      ...parts,
      captured: '45.00',
      processorFees: '0.93',
      ours: '44.07',
    });
    expect(mine?.otherEntries).toEqual([{ kind: 'otherBusinesses', amount: '19.45' }]);
    const [theirs] = await listOf('newShop');
    expect(theirs).toMatchObject({ ...parts, captured: '20.00', ours: '19.45', others: '44.07' });
  });

  it('shows deposits and fees for missed visits as parts of what was captured (D49)', async (world) => {
    const booked = await givenBooking(world, { noShowFeeMinor: 1500n, isMissed: true });
    const { appointmentId, method } = booked;
    const taken = await charge(world, appointmentId, method, { purpose: 'deposit' });
    expect(taken.status).toBe(201);
    const fee = { purpose: 'noShow', amount: '15.00' } as const;
    const missed = await charge(world, appointmentId, method, fee);
    expect(missed.status).toBe(201);
    await refund(world, JSON.parse(missed.text).id, '1.00');
    await givenCaptured(world);
    const day = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    const found = await statement(world, day);
    const parts = { captured: '80.00', deposits: '20.00', noShowFees: '15.00' };
    expect(found).toMatchObject({ state: 'closed', shop: [parts], barbers: [parts] });
    const purposes = found.lines.map(({ purpose = 'visit' }) => purpose).sort();
    expect(purposes).toEqual(['deposit', 'noShow', 'noShow', 'visit']);
  });

  once('has 25 hours where the clocks go back, and 23 where they go forward', async (world) => {
    world.clock.advance(clocksGoBack - 11 * hourMs - world.clock.now());
    const long = dayAt(world.clock.now());
    for (let hour = 0; hour < 26; hour += 1) {
      await givenCaptured(world);
      world.clock.advance(hourMs);
    }
    await pass(world, 2 * dayMs);
    // 23:00 UTC of the day before is an hour into the long day; the last two are of the next one.
    expect(await statement(world, long)).toMatchObject({
      state: 'closed',
      shop: [{ payments: 24 }],
    });
    const { from, until } = await statement(world, long);
    expect(Date.parse(until) - Date.parse(from)).toBe(25 * hourMs);
    const short = await statement(world, '2028-03-26');
    expect(Date.parse(short.until) - Date.parse(short.from)).toBe(23 * hourMs);
    expect(short.state).toBe('open');
  });

  once('has each payment once while the shop moves to another zone', async (world) => {
    const start = world.clock.now();
    const made = 72;
    for (let hour = 0; hour < made; hour += 1) {
      await givenCaptured(world);
      world.clock.advance(hourMs);
    }
    const dayOf = (days: number) => dayAt(start + days * dayMs);
    for (const movedTo of ['America/New_York', 'Pacific/Auckland']) {
      const days = [-1, 0, 1, 2, 3, 4].map((days) => ({
        day: dayOf(days),
        timeZone: days < 1 ? timeZone : movedTo,
        ...(days === 1 && { movedFrom: timeZone }),
      }));
      const found = await Promise.all(days.map((day) => get(world, day)));
      const ids = found.flatMap(({ lines }) => lines.map((line) => line.contactlessPaymentId));
      expect(ids).toHaveLength(made);
      expect(new Set(ids).size).toBe(made);
      const whole = { day: dayOf(1), lastDay: dayOf(4), timeZone: movedTo, movedFrom: timeZone };
      expect((await get(world, whole)).lines).toEqual(found.slice(2).flatMap(({ lines }) => lines));
    }
  });

  once('has no day that ends before it begins', async ({ chairside }) => {
    const moved = { timeZone: 'Pacific/Kiritimati', movedFrom: 'Etc/GMT+12' };
    const input = { businessId: 'shop', day: '2026-11-24', ...moved };
    const refused = (await chairside.getStatement(host, input))._unsafeUnwrapErr();
    expect(refused).toMatchObject({ type: 'badRequest', attributes: { pointer: '/movedFrom' } });
  });

  it('closes a day although the shop has changed its account since', async (world) => {
    await givenCaptured(world);
    const day = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    const processorAccount = { id: 'acct_new', currency: 'eur' };
    const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount };
    expect((await world.chairside.records.putBusiness(shop)).isOk()).toBe(true);
    expect(await statement(world, day)).toMatchObject({ state: 'closed', differences: [] });
  });

  once('names an orphan of the account that the shop had on the day', async (world) => {
    await givenCaptured(world);
    const orphan = await givenOrphan(world);
    const day = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    const before = await statement(world, day);
    expect(before).toMatchObject({
      state: 'differs',
      differences: [{ reason: 'missingHere', contactlessPaymentId: orphan.id }],
    });
    const processorAccount = { id: 'acct_new', currency: 'eur' };
    const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount };
    expect((await world.chairside.records.putBusiness(shop)).isOk()).toBe(true);
    expect(await statement(world, day)).toEqual(before);
  });

  it('is not closed by entries that are read after its figures (D50)', async (world) => {
    await givenCaptured(world);
    const day = dayAt(world.clock.now());
    world.clock.advance(2 * dayMs);
    const { store, processor, clock } = world;
    let isRead = false;
    const settlements: typeof store.settlements = {
      ...store.settlements,
      list: (...of) =>
        store.settlements.list(...of).andThen((listed) => {
          if (isRead) return okAsync(listed);
          isRead = true;
          // Another node's upkeep.
          return ResultAsync.fromSafePromise(pass(world, hourMs)).map(() => listed);
        }),
    };
    const chairside = createChairside({ store: { ...store, settlements }, processor, clock });
    expect(await statement({ chairside }, day)).toMatchObject({ state: 'open' });
    expect(await statement(world, day)).toMatchObject({
      state: 'closed',
      shop: [{ settled: '44.07' }],
    });
  });

  it('is open until the lists of all accounts of the day were read', async (world) => {
    const { settlements } = world.processor;
    const chairside = withProcessor(world, {
      settlements: {
        ...settlements,
        listEntries: (request) =>
          request.books === 'acct_shop'
            ? errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false })
            : settlements.listEntries(request),
      },
    });
    const one = { clock: world.clock, chairside };
    await givenCaptured(world);
    const day = dayAt(world.clock.now());
    const shop = { id: 'shop', name: 'Marlow & Sons' };
    const moved = { ...shop, processorAccount: { id: 'acct_new', currency: 'eur' } };
    expect((await chairside.records.putBusiness(moved)).isOk()).toBe(true);
    await pass(one, 2 * dayMs);
    expect((await statement(one, day)).state).toBe('open');
    // An account of before may have entries on a day without records.
    const empty = dayAt(world.clock.now() - dayMs);
    const waitsFor = [{ account: 'acct_shop' }];
    expect(await statement(one, empty)).toMatchObject({ state: 'open', lines: [], waitsFor });
  });

  once('names the barber of an entry whose payment we have on another day', async (world) => {
    const { settlements } = world.processor;
    const later = withProcessor(world, {
      settlements: {
        ...settlements,
        listEntries: (request) =>
          settlements.listEntries(request).map(({ items, ...page }) => ({
            ...page,
            items: items.map((item) => ({ ...item, openedAt: item.openedAt + dayMs })),
          })),
      },
    });
    const charged = (await world.store.businesses.get('shop'))._unsafeUnwrap();
    const fee = { id: 'shop', name: 'Marlow & Sons', applicationFee: { basisPoints: 200 } };
    expect((await world.chairside.records.putBusiness({ ...charged, ...fee })).isOk()).toBe(true);
    await givenCaptured(world);
    const [day, next] = [0, dayMs].map((ms) => dayAt(world.clock.now() + ms));
    await pass({ clock: world.clock, chairside: later }, 3 * dayMs);
    const difference = { reason: 'otherDay' };
    expect(await statement(world, day ?? '')).toMatchObject({
      state: 'closed',
      lines: [{ applicationFee: '0.90' }],
      differences: [{ ...difference, ours: '45.00', theirs: '0.00' }],
    });
    const barber = { barberId: 'ada', barber: 'Ada Marlow' };
    const named = {
      state: 'closed',
      barbers: [
        { ...barber, payments: 0, captured: '0.00', applicationFees: '0.00', settled: '43.17' },
      ],
    };
    expect(await statement(world, next ?? '')).toMatchObject({
      ...named,
      differences: [{ ...difference, ours: '0.00', theirs: '45.00' }],
      lines: [{ ...barber, difference: 'otherDay', applicationFee: '0.00' }],
    });
    const without = withProcessor(world, { settlements: undefined });
    expect(await statement({ chairside: without }, next ?? '')).toMatchObject({
      ...named,
      differences: [],
      lines: [barber],
    });
    const before = await statement(world, next ?? '');
    const processorAccount = { id: 'acct_new', currency: 'eur' };
    const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount };
    expect((await world.chairside.records.putBusiness(shop)).isOk()).toBe(true);
    expect(await statement(world, next ?? '')).toEqual(before);
  });

  it('stays open without the entries of the processor, while a capture of it is unknown (D50)', async (world) => {
    await givenCaptured(world);
    const { payment, reference } = await givenPresented(world);
    const day = dayAt(world.clock.now());
    const lost = errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false } as const);
    const out = withProcessor(world, {
      settlements: undefined,
      readPayment: () => lost,
    });
    const { readPayment, capturePayment } = world.processor;
    let reads = 0;
    const dying = withProcessor(world, {
      // The read before the capture is the last that the processor answers.
      readPayment: (asked, claimed) => {
        reads += 1;
        return reads === 1 ? readPayment(asked, claimed) : lost;
      },
      capturePayment: (request) => capturePayment(request).andThen(() => lost),
    });
    const input = captureInput(payment.id, reference);
    expect((await dying.captureContactlessPayment(ada, input)).isErr()).toBe(true);
    await pass({ clock: world.clock, chairside: out }, dayMs);
    expect(await statement({ chairside: out }, day)).toMatchObject({ state: 'open' });
    const without = withProcessor(world, { settlements: undefined });
    await pass({ clock: world.clock, chairside: without }, dayMs);
    const shop = [{ captured: '90.00', payments: 2 }];
    expect(await statement({ chairside: without }, day)).toMatchObject({ state: 'closed', shop });
  });

  it('stays open without the entries of the processor, while a refund of it is unknown (D50)', async (world) => {
    const { payment } = await givenCaptured(world);
    const day = dayAt(world.clock.now());
    const lost = () =>
      errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false } as const);
    const { refunds: real } = world.processor;
    let isMade = false;
    const refunds: typeof real = {
      ...real,
      refund(request) {
        isMade = true;
        return real.refund(request).andThen(lost);
      },
      list: (handle) => (isMade ? lost() : real.list(handle)),
      // It lists late what it did.
      listRecent: () => okAsync({ items: [] }),
    };
    const out = withProcessor(world, { settlements: undefined, refunds });
    const asked = { contactlessPaymentId: payment.id, idempotencyKey: 'r', body: {} };
    expect((await out.refundPayment(host, asked)).isErr()).toBe(true);
    await pass({ clock: world.clock, chairside: out }, 2 * dayMs);
    const { store, clock, processor } = world;
    const always = Number.MAX_SAFE_INTEGER;
    const [one] = (await store.refunds.listDue(always, 1))._unsafeUnwrap();
    if (one === undefined) throw new Error('the refund is not due');
    const stateOf = async (chairside: Chairside) => (await statement({ chairside }, day)).state;
    const stateWith = (over: Partial<Store>) =>
      stateOf(
        createChairside({
          store: { ...store, ...over },
          processor: { ...processor, settlements: undefined },
          clock,
        }),
      );
    const soon = clock.now() + 65 * minuteMs;
    const ended = { ...one, state: 'succeeded' } as const;
    const full = Array.from({ length: 1000 }, () => ended);
    for (const [state, due] of [
      ['open', () => [one]],
      // A wrong clock has postponed its check.
      ['open', (until) => (until === always ? [one] : [])],
      // So many others are kept that only those are read that are due soon.
      ['open', (until) => (until === always ? full : until < soon ? [] : [one])],
      ['closed', (until) => (until === always ? full : [])],
      ['open', () => full],
      ['closed', () => [ended]],
      ['closed', () => [{ ...one, acceptedAt: one.createdAt }]],
      ['closed', () => [{ ...one, account: 'acct_other' }]],
    ] satisfies readonly [string, (until: number) => readonly Refund[]][]) {
      const listDue = (until: number) => okAsync(due(until));
      expect(await stateWith({ refunds: { ...store.refunds, listDue } }), `${due}`).toBe(state);
    }
    const back = withProcessor(world, { settlements: undefined });
    await pass({ clock, chairside: back }, dayMs);
    expect(await stateOf(back)).toBe('closed');
    for (const [state, length] of [
      ['closed', 999],
      ['open', 1000],
    ] as const) {
      const open = aPayment({ account: 'acct_shop', createdAt: clock.now() });
      const listOpen = () => okAsync(Array.from({ length }, () => open));
      expect(await stateWith({ payments: { ...store.payments, listOpen } })).toBe(state);
    }
  });

  it('stays closed without the entries of the processor, if the failure of a refund is heard of later (D50)', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    const { id } = await refund(world, payment.id, '10.00');
    const chairside = withProcessor(world, { settlements: undefined });
    const there = world.processor.entries()[0]?.refunds.at(-1)?.id ?? '';
    await pass({ clock: world.clock, chairside }, 2 * dayMs);
    const day = dayAt(world.clock.now());
    world.processor.endRefund(reference, there, 'failed')._unsafeUnwrap();
    // The message is lost.
    world.processor.takeEvents()._unsafeUnwrap();
    await pass({ clock: world.clock, chairside }, 2 * dayMs);
    expect(await statement({ chairside }, day)).toMatchObject({ state: 'closed', shop: [] });
    const madeAt = iso(world.clock.now());
    expect(world.processor.refund(reference, 100n).isOk()).toBe(true);
    world.clock.advance(secondMs);
    await refund({ chairside }, payment.id, '5.00');
    expect((await world.store.refunds.get(id))._unsafeUnwrap()?.state).toBe('failed');
    expect(await statement({ chairside }, day)).toMatchObject({ state: 'closed', shop: [] });
    expect(await statement({ chairside }, dayAt(world.clock.now()))).toMatchObject({
      shop: [{ refunded: '-4.00' }],
      lines: [{ at: madeAt, amount: '-1.00' }, { amount: '10.00' }, { amount: '-5.00' }],
    });
    // A day is not closed before its refunds can be read.
    await pass({ clock: world.clock, chairside }, dayMs);
    const made = dayAt(world.clock.now());
    expect(world.processor.refund(reference, 200n).isOk()).toBe(true);
    const lost = errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false } as const);
    const refunds = { ...world.processor.refunds, list: () => lost };
    const unread = withProcessor(world, { settlements: undefined, refunds });
    await pass({ clock: world.clock, chairside: unread }, 2 * dayMs);
    await pass({ clock: world.clock, chairside }, dayMs);
    expect(await statement({ chairside }, made)).toMatchObject({ shop: [{ refunded: '2.00' }] });
  });

  once('keeps the sums of two currencies apart, as the account changes its own', async (world) => {
    for (const [currency, amount] of [
      ['usd', '10.00'],
      ['eur', '45.00'],
    ] as const) {
      const processorAccount = { id: 'acct_shop', currency };
      const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount };
      expect((await world.chairside.records.putBusiness(shop)).isOk()).toBe(true);
      await givenCaptured(world, { amount });
      // Payments of one moment have no order.
      world.clock.advance(secondMs);
    }
    const day = dayAt(world.clock.now());
    await pass(world, 5 * dayMs);
    expect(await statement(world, day)).toMatchObject({
      state: 'closed',
      shop: [
        { currency: 'eur', captured: '45.00', settled: '44.07', arrived: '44.07' },
        { currency: 'usd', captured: '10.00', settled: '9.60', arrived: '9.60' },
      ],
      payouts: [{ currency: 'eur' }, { currency: 'usd' }],
    });
  });

  once(
    'compares the fee of a payment, and takes that of a refund as it is (D46)',
    async (world) => {
      const processorAccount = { id: 'acct_shop', currency: 'eur' };
      const shop = {
        id: 'shop',
        name: 'Marlow & Sons',
        processorAccount,
        applicationFee: { basisPoints: 290 },
        refundPolicy: { returnsFee: true, reversesTransfer: true },
      };
      expect((await world.chairside.records.putBusiness(shop)).isOk()).toBe(true);
      const { payment } = await givenCaptured(world);
      const first = dayAt(world.clock.now());
      expect(await statement(world, first)).toMatchObject({
        state: 'open',
        shop: [{ applicationFees: '1.31', settled: '0.00' }],
      });
      await pass(world, dayMs);
      await refund(world, payment.id, '15.00');
      const second = dayAt(world.clock.now());
      await pass(world, 2 * dayMs);
      expect(await statement(world, first)).toMatchObject({
        state: 'closed',
        shop: [{ applicationFees: '1.31', processorFees: '0.93', settled: '42.76' }],
      });
      expect(await statement(world, second)).toMatchObject({
        state: 'closed',
        shop: [{ applicationFees: '-0.43', refunded: '15.00', settled: '-14.57' }],
        lines: [{ kind: 'refund', applicationFee: '-0.43' }],
      });
    },
  );

  once('shows a balance below zero, whose payout waits for the next payments', async (world) => {
    const { payment } = await givenCaptured(world);
    await pass(world, 4 * dayMs);
    await refund(world, payment.id, '45.00');
    const day = dayAt(world.clock.now());
    await pass(world, 4 * dayMs);
    const before = await statement(world, day);
    expect(before).toMatchObject({
      state: 'closed',
      shop: [{ captured: '0.00', refunded: '45.00', settled: '-45.00', arrived: '0.00' }],
      payouts: [],
    });
    await givenCaptured(world, {
      appointmentId: await givenAppointment(world, { amountDue: '90.00' }),
    });
    await pass(world, 5 * dayMs);
    const after = await statement(world, day);
    expect(after).toMatchObject({
      shop: [{ settled: '-45.00', arrived: '-45.00' }],
      // 90.00 less 1.60 of fees, and less the refund of the other day.
      payouts: [{ state: 'paid', amount: '43.40', ofThisDay: '-45.00' }],
    });
  });

  once('names the barber of a refund whose message came a day late', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    await pass(world, dayMs - 2 * hourMs);
    // The entries of another account are read further than those of the refund's.
    const processorAccount = { id: 'acct_new', currency: 'eur', terminalLocation: 'tml_shop' };
    const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount };
    expect((await world.chairside.records.putBusiness(shop)).isOk()).toBe(true);
    await givenCaptured(world);
    world.clock.advance(minuteMs);
    expect(world.processor.refund(reference, 1000n).isOk()).toBe(true);
    const day = dayAt(world.clock.now());
    const { refunds } = world.processor;
    const lost = errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false } as const);
    const out = withProcessor(world, { refunds: { ...refunds, list: () => lost } });
    await pass({ clock: world.clock, chairside: out }, 2 * dayMs);
    expect(reasons(await statement(world, day))).toEqual(['missingHere']);
    await pass(world, dayMs);
    const found = await statement(world, day);
    expect(found).toMatchObject({
      state: 'closed',
      differences: [],
      barbers: [{ barberId: 'ada', barber: 'Ada Marlow', refunded: '10.00' }],
      lines: [{ kind: 'payment' }, { kind: 'refund', contactlessPaymentId: payment.id }],
    });
  });

  once(
    'shows a dispute and its end on their days, although we heard of them together',
    async (world) => {
      const { reference } = await givenCaptured(world);
      await pass(world, 2 * dayMs);
      const dispute = world.processor.dispute(reference, 500n)._unsafeUnwrap();
      const disputed = dayAt(world.clock.now());
      world.clock.advance(dayMs);
      world.processor.closeDispute(reference, dispute.subject ?? '', 'won')._unsafeUnwrap();
      const won = dayAt(world.clock.now());
      await pass(world, 2 * dayMs);
      const closed = { state: 'closed', differences: [] };
      expect(await statement(world, disputed)).toMatchObject({
        ...closed,
        shop: [{ disputed: '5.00' }],
      });
      expect(await statement(world, won)).toMatchObject({
        ...closed,
        shop: [{ disputed: '-5.00' }],
      });
    },
  );

  once('counts a dispute as arrived without its end, which a later payout pays', async (world) => {
    const { reference } = await givenCaptured(world);
    await pass(world, dayMs);
    const dispute = world.processor.dispute(reference, 500n)._unsafeUnwrap();
    world.processor.closeDispute(reference, dispute.subject ?? '', 'won')._unsafeUnwrap();
    const day = dayAt(world.clock.now());
    await pass(world, 3 * dayMs);
    expect(await statement(world, day)).toMatchObject({
      shop: [{ disputed: '0.00', settled: '-15.00', arrived: '-20.00' }],
      payouts: [
        { state: 'paid', ofThisDay: '-20.00' },
        { state: 'pending', ofThisDay: '5.00' },
      ],
    });
    await pass(world, dayMs);
    expect(await statement(world, day)).toMatchObject({ shop: [{ arrived: '-15.00' }] });
  });

  once('of a shop without an account is empty, and open', async (world) => {
    const day = dayAt(world.clock.now());
    expect(await get(world, { day, timeZone }, 'newShop')).toMatchObject({
      state: 'open',
      shop: [],
      lines: [],
    });
    const span = { from: '2026-11-01T00:00:00.000Z', until: '2026-12-01T00:00:00.000Z' };
    const listed = await world.chairside.listPayouts(host, { businessId: 'newShop', ...span });
    expect(listed._unsafeUnwrap()).toEqual([]);
  });

  once('is for the business and administrators alone', async ({ chairside }) => {
    const asked = { businessId: 'shop', day: '2026-11-24', timeZone };
    const from = '2026-11-01T00:00:00.000Z';
    const span = { businessId: 'shop', from, until: from };
    const types = async (auth: Parameters<Chairside['getStatement']>[0], businessId = 'shop') => {
      const day = await chairside.getStatement(auth, { ...asked, businessId });
      const payouts = await chairside.listPayouts(auth, { ...span, businessId });
      return [day, payouts].map((given) => (given.isOk() ? 'ok' : given.error.type));
    };
    const owner = { subject: 'user-owner', businessIds: ['shop'] };
    expect(await types(owner)).toEqual(['ok', 'ok']);
    expect(await types(owner, 'newShop')).toEqual(['forbidden', 'forbidden']);
    expect(await types(host, 'gone')).toEqual(['notFound', 'notFound']);
    const barber = { subject: 'user-ada', barberId: 'ada' };
    for (const businessId of ['shop', 'gone']) {
      expect(await types(barber, businessId)).toEqual(['forbidden', 'forbidden']);
    }
  });
});
