import {
  type Chairside,
  errAsync,
  hourMs,
  minuteMs,
  type StatementView,
  secondMs,
} from '@chairside/core';
import { expect, it } from 'vitest';
import { charge, givenBooking } from '../src/charges.ts';
import { dayAt, dayMs, pass, refund, statement, timeZone } from '../src/day.ts';
import { ada, captureInput, host, withProcessor } from '../src/elsewhere.ts';
import { fresh, givenAppointment, givenCaptured, givenPresented, stored } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** Days that a statement has to get right, one rule each. The store's promises have a contract of their own. */
describeEverywhere('the statement of a day', (makeWorld, { store, transport }) => {
  const once = it.skipIf(store !== 'map' || transport !== 'in process');
  /** The end of the week in which the clocks go back, at noon. */
  const clocksGoBack = Date.UTC(2027, 9, 31, 10);

  async function get(
    { chairside }: { readonly chairside: Chairside },
    input: { readonly day: string; readonly timeZone: string; readonly movedFrom?: string },
    businessId = 'shop',
  ): Promise<StatementView> {
    return (await chairside.getStatement(host, { businessId, ...input }))._unsafeUnwrap();
  }

  /** A payment that the processor captured and that has no record here. */
  async function givenOrphan({ processor, clock }: World) {
    const handle = {
      account: 'acct_shop',
      paymentId: fresh('cpm_lost'),
      installation: 'chairside',
      begunAt: clock.now(),
    };
    const asked = { ...handle, amountMinor: 4500n, currency: 'eur' };
    const opened = await processor.openPayment({ ...asked, idempotencyKey: fresh('lost') });
    const { reference = '', clientSecret } = opened._unsafeUnwrap();
    processor.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap();
    const key = { reference, idempotencyKey: fresh('lost') };
    (await processor.capturePayment({ ...asked, ...key }))._unsafeUnwrap();
    return { id: handle.paymentId, reference };
  }

  it('names an orphan in each shop of the account, until one adopts it (D50)', async () => {
    const world = await makeWorld();
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

  it('shows each shop of one account its own part of a payout (D50)', async () => {
    const world = await makeWorld();
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

  it('shows deposits and fees for missed visits as parts of what was captured (D49)', async () => {
    const world = await makeWorld();
    const booked = await givenBooking(world, { noShowFeeMinor: 1500n, isMissed: true });
    const { appointmentId, method } = booked;
    const taken = await charge(world, appointmentId, method, { purpose: 'deposit' });
    expect(taken.status).toBe(201);
    const fee = { purpose: 'noShow', amount: '15.00' } as const;
    expect((await charge(world, appointmentId, method, fee)).status).toBe(201);
    await givenCaptured(world);
    const day = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    const found = await statement(world, day);
    const parts = { captured: '80.00', deposits: '20.00', noShowFees: '15.00' };
    expect(found).toMatchObject({ state: 'closed', shop: [parts], barbers: [parts] });
    const purposes = found.lines.map(({ purpose = 'visit' }) => purpose).sort();
    expect(purposes).toEqual(['deposit', 'noShow', 'visit']);
  });

  once('has 25 hours where the clocks go back, and 23 where they go forward', async () => {
    const world = await makeWorld();
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

  once('has each payment once while the shop moves to another zone', async () => {
    const world = await makeWorld();
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
    }
  });

  once('has no day that ends before it begins', async () => {
    const { chairside } = await makeWorld();
    const moved = { timeZone: 'Pacific/Kiritimati', movedFrom: 'Etc/GMT+12' };
    const input = { businessId: 'shop', day: '2026-11-24', ...moved };
    const refused = (await chairside.getStatement(host, input))._unsafeUnwrapErr();
    expect(refused).toMatchObject({ type: 'badRequest', attributes: { pointer: '/movedFrom' } });
  });

  it('closes a day although the shop has changed its account since', async () => {
    const world = await makeWorld();
    await givenCaptured(world);
    const day = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    const processorAccount = { id: 'acct_new', currency: 'eur' };
    const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount };
    expect((await world.chairside.records.putBusiness(shop)).isOk()).toBe(true);
    expect(await statement(world, day)).toMatchObject({ state: 'closed', differences: [] });
  });

  once('names an orphan of the account that the shop had on the day', async () => {
    const world = await makeWorld();
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

  it('is open until the lists of all accounts of the day were read', async () => {
    const world = await makeWorld();
    const { settlements } = world.processor;
    const chairside = withProcessor(world, {
      settlements: {
        ...settlements,
        listEntries: (request) =>
          request.ledger === 'acct_shop'
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

  once('names the barber of an entry whose payment we have on another day', async () => {
    const world = await makeWorld();
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
    await givenCaptured(world);
    const [day, next] = [0, dayMs].map((ms) => dayAt(world.clock.now() + ms));
    await pass({ clock: world.clock, chairside: later }, 3 * dayMs);
    const difference = { reason: 'otherDay' };
    expect(await statement(world, day ?? '')).toMatchObject({
      state: 'closed',
      differences: [{ ...difference, ours: '45.00', theirs: '0.00' }],
    });
    const barber = { barberId: 'ada', barber: 'Ada Marlow' };
    const named = {
      state: 'closed',
      barbers: [{ ...barber, payments: 0, captured: '0.00', settled: '44.07' }],
    };
    expect(await statement(world, next ?? '')).toMatchObject({
      ...named,
      differences: [{ ...difference, ours: '0.00', theirs: '45.00' }],
      lines: [{ ...barber, difference: 'otherDay' }],
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

  it('stays open without the entries of the processor, while a capture of it is unknown (D50)', async () => {
    const world = await makeWorld();
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

  once('keeps the sums of two currencies apart, as the account changes its own', async () => {
    const world = await makeWorld();
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

  once('compares the fee of a payment, and takes that of a refund as it is (D46)', async () => {
    const world = await makeWorld();
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
    });
  });

  once('shows a balance below zero, whose payout waits for the next payments', async () => {
    const world = await makeWorld();
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

  once('names the barber of a refund whose message came a day late', async () => {
    const world = await makeWorld();
    const { payment, reference } = await givenCaptured(world);
    await pass(world, dayMs - 2 * hourMs);
    world.clock.advance(minuteMs);
    expect(world.processor.refund(reference, 1000n).isOk()).toBe(true);
    const day = dayAt(world.clock.now());
    await pass(world, 2 * dayMs);
    const found = await statement(world, day);
    expect(found).toMatchObject({
      state: 'closed',
      barbers: [{ barberId: 'ada', barber: 'Ada Marlow', refunded: '10.00' }],
      lines: [{ kind: 'refund', contactlessPaymentId: payment.id }],
    });
  });

  once(
    'shows a dispute and its end on their days, although we heard of them together',
    async () => {
      const world = await makeWorld();
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

  once('counts a dispute as arrived without its end, which a later payout pays', async () => {
    const world = await makeWorld();
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

  once('of a shop without an account is empty, and open', async () => {
    const world = await makeWorld();
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

  once('is for the business and administrators alone', async () => {
    const { chairside } = await makeWorld();
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
    expect(await types(barber)).toEqual(['forbidden', 'forbidden']);
  });
});
