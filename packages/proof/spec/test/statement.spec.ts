import { hourMs, okAsync, ResultAsync, type StatementView, secondMs } from '@chairside/core';
import { aPayment } from '@chairside/testkit';
import { expect, it } from 'vitest';
import { dayAt, dayMs, pass, refund, statement, timeZone } from '../src/day.ts';
import { deliverMessages, host, withProcessor } from '../src/elsewhere.ts';
import {
  capture,
  fresh,
  givenAppointment,
  givenCaptured,
  present,
  takenMinor,
} from '../src/shop.ts';
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

describeEverywhere("the day's statement", (makeWorld) => {
  it('shows each barber, the fees and the payout, and agrees with the processor (D50)', async () => {
    const world = await makeWorld();
    await givenCaptured(world);
    const bens = await givenAppointment(world, { barber: 'ben', amountDue: '20.00' });
    const { payment } = await givenCaptured(world, { appointmentId: bens, as: 'ben' });
    await refund(world, payment.id, '5.00');
    const day = dayAt(world.clock.now());
    const early = await statement(world, day);
    expect(early).toMatchObject({ state: 'open', shop: [{ captured: '65.00' }] });
    expect(new Set(reasons(early))).toEqual(new Set(['notListedYet']));

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
    expect(paid.payouts).toMatchObject([{ state: 'paid', ofThisDay: '58.52' }]);
    const { arrived: _arrived, ...figures } = paid.shop[0] ?? {};
    expect(closed.shop).toMatchObject([figures]);
  });

  it('leaves a closed day as it was, and puts later refunds and disputes on their own days (D50)', async () => {
    const world = await makeWorld();
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

  it('shows of refunds and disputes only what the processor has booked', async () => {
    const world = await makeWorld();
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

  it('has the failure of a refund whose message was lost', async () => {
    const world = await makeWorld();
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

  it('has each time that a dispute took its amount and gave it back', async () => {
    const world = await makeWorld();
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

  it.each(['failed', 'reversed'] as const)(
    'has not arrived once its payout is %s, however late',
    async (state) => {
      const world = await makeWorld();
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

  it('counts a payment at midnight on one day (D50)', async () => {
    const world = await makeWorld();
    beforeMidnight(world, secondMs);
    const last = dayAt(world.clock.now());
    await givenCaptured(world);
    world.clock.advance(secondMs - 1);
    await givenCaptured(world);
    world.clock.advance(1);
    const next = dayAt(world.clock.now());
    await givenCaptured(world);
    expect(next > last).toBe(true);
    await pass(world, 3 * dayMs);
    expect(await statement(world, last)).toMatchObject({
      state: 'closed',
      shop: [{ payments: 2 }],
    });
    expect(await statement(world, next)).toMatchObject({
      state: 'closed',
      shop: [{ payments: 1 }],
    });
  });

  it('names what the processor has and we do not, and the other way round (D50)', async () => {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    world.clock.advance(secondMs);
    await givenCaptured(world);
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
      { reason: 'otherAmount', ours: '45.00', theirs: '45.01' },
      { reason: 'missingHere', ours: '0.00', theirs: '45.00', contactlessPaymentId: 'gone' },
    ]);
    const differing = found.lines.filter(({ difference }) => difference !== undefined);
    expect(differing).toHaveLength(3);
  });

  it('shows our books alone where the processor lists no entries (D50)', async () => {
    const world = await makeWorld();
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

  it('names a payout that failed, until another one pays it again (D50)', async () => {
    const world = await makeWorld();
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
    await pass(world, 3 * dayMs);
    const again = await statement(world, day);
    expect(again.payouts).toMatchObject([{ state: 'paid', amount: '44.07' }]);
    expect(again.payouts[0]?.id).not.toBe(payout?.reference);
    expect(again).toMatchObject({ differences: [], shop: [{ arrived: '44.07' }] });
    const week = { from: '2026-11-02T00:00:00.000Z', until: '2026-11-20T00:00:00.000Z' };
    const listed = await world.chairside.listPayouts(host, { businessId: 'shop', ...week });
    expect(listed._unsafeUnwrap()).toMatchObject([
      { state: 'failed', ours: '44.07', others: '0.00', failure: 'account_closed' },
      { state: 'paid', ours: '0.00', others: '44.07' },
    ]);
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

  it('lists no payouts of an invalid span', async () => {
    const { chairside } = await makeWorld();
    const input = { businessId: 'shop', from: 'today', until: '2026-11-24T00:00:00.000Z' };
    expect((await chairside.listPayouts(host, input))._unsafeUnwrapErr().type).toBe('badRequest');
  });

  it.each(['list', 'listByPayment'] as const)(
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

  it('rejects an invalid day', async () => {
    const { chairside } = await makeWorld();
    for (const over of [{ day: '2026-02-30' }, { timeZone: 'Mars/Olympus' }, { movedFrom: '' }]) {
      const input = { businessId: 'shop', day: '2026-11-24', timeZone, ...over };
      expect((await chairside.getStatement(host, input))._unsafeUnwrapErr().type).toBe(
        'badRequest',
      );
    }
  });
});
