import {
  createChairside,
  errAsync,
  hourMs,
  okAsync,
  ResultAsync,
  receiptToText,
  tendersToCsv,
} from '@chairside/core';
import type { ChangeKind, Store } from '@chairside/core/ports';
import { expect } from 'vitest';
import { type Answer, payment, problem } from '../src/answer.ts';
import { givenOtherShop } from '../src/business.ts';
import { dayAt, dayMs, pass, statement } from '../src/day.ts';
import { ada, captureInput, deliverMessages, host } from '../src/elsewhere.ts';
import {
  capture,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  ledgerOf,
  present,
  stored,
  takenMinor,
  until,
} from '../src/shop.ts';
import { giveBack, givenTender, pay } from '../src/tenders.ts';
import { delivered } from '../src/told.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const body = ({ text }: Answer) => JSON.parse(text);
const conflictOf = (answer: Answer) => problem(answer, 'conflict').attributes;

async function listed({ send }: World, id: string) {
  return body(await send('listTenders', 'ada', { id }));
}

/** The most that may be paid for a visit, by all means together (D202). */
async function paidMinor(world: World, appointmentId: string): Promise<bigint> {
  const { tenderedMinor = 0n } = await ledgerOf(world, appointmentId);
  return tenderedMinor + (await takenMinor(world));
}

/** A captured payment, of which a refund of 10.00 failed at the processor. */
async function givenFailedRefund(world: World) {
  const { payment: captured, reference } = await givenCaptured(world);
  const { id } = captured;
  await world.send('refundPayment', 'owner', { id, key: 'first', body: { amount: '10.00' } });
  const [{ id: there = '' } = {}] = world.processor.entries()[0]?.refunds ?? [];
  world.processor.endRefund(reference, there, 'failed')._unsafeUnwrap();
  await deliverMessages(world);
  return { id, reference };
}

describeEverywhere('tenders', ({ it, makeWorld }) => {
  it('are a part of what is due, and a card collects the rest (D202)', async (world) => {
    const id = await givenAppointment(world);
    const tender = await givenTender(world, id, '20.00', { note: 'At the desk' });
    expect(tender).toEqual({
      id: expect.stringMatching(/^tnd_/),
      appointmentId: id,
      kind: 'cash',
      amount: '20.00',
      currency: 'eur',
      returned: '0.00',
      note: 'At the desk',
      createdAt: expect.any(String),
    });
    const { payment: captured } = await givenCaptured(world, { appointmentId: id });
    expect(captured.amount).toBe('25.00');
    expect(await listed(world, id)).toMatchObject({
      items: [tender],
      count: 1,
      returns: [],
      tendered: '20.00',
      reserved: '0.00',
      remaining: '0.00',
    });
    const ledger = await world.chairside.getAppointmentLedger(host, { appointmentId: id });
    expect(ledger._unsafeUnwrap()).toMatchObject({ captured: '25.00', tendered: '20.00' });
    problem(await create(world, id), 'appointmentAlreadyPaid');
    problem(await pay(world, id, '0.01'), 'appointmentAlreadyPaid');
  });

  it('say what remains, also of a business that the host has removed', async (world) => {
    const id = await givenAppointment(world);
    await givenTender(world, id, '20.00');
    const businesses = { ...world.store.businesses, get: () => okAsync(undefined) };
    const node = nodeOver(world, { ...world.store, businesses });
    const read = (await node.listTenders(host, { appointmentId: id }))._unsafeUnwrap();
    expect(read).toMatchObject({ tendered: '20.00', remaining: '25.00' });
  });

  it('are what a card has left, and the caller learns how much that is', async (world) => {
    const id = await givenAppointment(world);
    await givenCaptured(world, { appointmentId: id, amount: '30.00' });
    expect(conflictOf(await pay(world, id, '15.01'))).toEqual({
      reason: 'exceedsRemaining',
      remaining: '15.00',
    });
    await givenTender(world, id, '15.00', { kind: 'voucher' });
    expect(await paidMinor(world, id)).toBe(4500n);
  });

  it('release a card payment that was opened before, once nothing remains', async (world) => {
    const id = await givenAppointment(world);
    const { payment: opened, reference } = await givenPresented(world, { appointmentId: id });
    await givenTender(world, id, '45.00');
    await world.chairside.settled();
    expect((await stored(world, opened.id)).state).toBe('canceled');
    problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
    expect(await paidMinor(world, id)).toBe(4500n);
  });

  it('release no card payment while the store cannot say what remains', async (world) => {
    const id = await givenAppointment(world);
    const opened = await givenPayment(world, { appointmentId: id, amount: '25.00' });
    const { businesses } = world.store;
    let reads = 0;
    const get: typeof businesses.get = (shop) => {
      reads += 1;
      const lost = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;
      return reads === 1 ? businesses.get(shop) : errAsync(lost);
    };
    const node = nodeOver(world, { ...world.store, businesses: { ...businesses, get } });
    const cash = { kind: 'cash', amount: '20.00' } as const;
    const asked = { appointmentId: id, idempotencyKey: 'k', body: cash };
    (await node.recordTender(host, asked))._unsafeUnwrap();
    await node.settled();
    expect(reads).toBe(2);
    expect((await stored(world, opened.id)).state).toBe('created');
  });

  it('keep the name of a barber whose preferred name is no text in the table of the host', async (world) => {
    const id = await givenAppointment(world);
    const { appointments } = world.store;
    const preferredName = JSON.parse('5');
    const get: typeof appointments.get = (asked) =>
      appointments
        .get(asked)
        .map((found) => found && { ...found, barber: { ...found.barber, preferredName } });
    const node = nodeOver(world, { ...world.store, appointments: { ...appointments, get } });
    const cash = { kind: 'cash', amount: '20.00' } as const;
    const asked = { appointmentId: id, idempotencyKey: 'k', body: cash };
    const made = (await node.recordTender(host, asked))._unsafeUnwrap();
    const kept = (await world.store.tenders.get(made.id))._unsafeUnwrap();
    expect(kept?.barberName).toBe('Ada Marlow');
  });

  it('make a card payment that no longer fits end, and the card is not charged', async (world) => {
    const id = await givenAppointment(world);
    const { payment: opened, reference } = await givenPresented(world, { appointmentId: id });
    await givenTender(world, id, '5.00');
    await world.chairside.settled();
    expect(conflictOf(await capture(world, opened.id, reference))).toMatchObject({
      reason: 'exceedsRemainingBalance',
    });
    expect(await paidMinor(world, id)).toBe(500n);
  });

  it('wait for a card payment that is being captured, whatever its outcome is', async () => {
    for (const [fault, outcome] of [
      ['slow', 4500n],
      ['timeoutAfterApplying', 4500n],
      ['timeoutBeforeApplying', 2000n],
    ] as const) {
      const world = await makeWorld();
      const id = await givenAppointment(world);
      const { payment: opened, reference } = await givenPresented(world, {
        appointmentId: id,
        amount: '25.00',
      });
      world.processor.failNext('capturePayment', fault);
      const capturing = capture(world, opened.id, reference);
      await until(() => world.processor.count('capturePayment').made === 1);
      // What became of it stays unknown.
      world.processor.failNext('readPayment', 'timeoutBeforeApplying');
      if (fault !== 'slow') await capturing;
      const isReserved = (await ledgerOf(world, id)).reservedMinor > 0n;
      if (fault === 'slow') expect(isReserved).toBe(true);
      if (isReserved) {
        const refused = await pay(world, id, '20.01');
        expect(problem(refused, 'conflict').recovery).toMatchObject({
          outcome: 'notApplied',
          retry: 'retrySameRequestAfterDelay',
        });
        expect(conflictOf(refused)).toEqual({ reason: 'reservedElsewhere', remaining: '20.00' });
      }
      await givenTender(world, id, '20.00');
      if (fault === 'slow') world.processor.release();
      await capturing;
      await world.chairside.settled();
      expect([outcome, 4500n], fault).toContain(await paidMinor(world, id));
    }
  });

  it('and cards from many phones at once are never more than due', async () => {
    for (let round = 0; round < 5; round += 1) {
      const world = await makeWorld();
      const id = await givenAppointment(world);
      const cards = [];
      for (const amount of ['45.00', '25.00', '20.00'] as const) {
        cards.push(await givenPresented(world, { appointmentId: id, amount }));
      }
      await Promise.all([
        ...cards.map((one) => capture(world, one.payment.id, one.reference)),
        ...['45.00', '20.00', '20.00'].map((amount) => pay(world, id, amount)),
        pay(world, id, '25.00', { as: 'owner' }),
      ]);
      await world.chairside.settled();
      expect((await ledgerOf(world, id)).reservedMinor).toBe(0n);
      const paid = await paidMinor(world, id);
      expect(paid > 0n && paid <= 4500n, `${paid}`).toBe(true);
    }
  });

  it('of the same key are the same tender, and another request is refused (D19)', async (world) => {
    const id = await givenAppointment(world);
    const answers = await Promise.all([1, 2, 3].map(() => pay(world, id, '20.00', { key: 'k' })));
    const first = answers.find(({ status }) => status === 201);
    const later = await pay(world, id, '20.00', { key: 'k' });
    expect(later).toMatchObject({ text: first?.text, replayed: true });
    expect((await listed(world, id)).count).toBe(1);
    problem(await pay(world, id, '21.00', { key: 'k' }), 'unprocessableEntity');
    for (const refuse of [
      () => pay(world, id, '0.00', { key: 'zero' }),
      () => giveBack(world, body(later).id, '0.00', { key: 'zero back' }),
    ]) {
      const refused = await refuse();
      problem(refused, 'unprocessableEntity');
      expect((await refuse()).text).toBe(refused.text);
    }
    // Its return and its void change the tender, and not the answer to its key.
    await giveBack(world, body(later).id, '5.00');
    expect((await pay(world, id, '20.00', { key: 'k' })).text).toBe(later.text);
    // The key is forgotten in time.
    world.clock.advance(73 * hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect(body(await pay(world, id, '20.00', { key: 'k' })).id).not.toBe(body(later).id);
  });

  it('are recorded once, if the reply of the database is lost (D22)', async (world) => {
    const id = await givenAppointment(world);
    const node = nodeOver(world, losingReply(world.store, 'insertTender'));
    const input = {
      appointmentId: id,
      idempotencyKey: 'k',
      body: { kind: 'cash', amount: '20.00' },
    } as const;
    const lost = await node.recordTender(host, input);
    if (lost.isErr()) expect(lost.error.recovery?.outcome).toBe('unknown');
    const again = (await node.recordTender(host, input))._unsafeUnwrap();
    expect((await listed(world, id)).items).toMatchObject([{ id: again.id }]);
  });

  it('and a capture are never more than due, at whichever moment of it they come', async () => {
    for (const amount of ['45.00', '25.00', '20.00'] as const) {
      for (let moment = 1, isPast = false; !isPast; moment += 1) {
        const world = await makeWorld();
        const id = await givenAppointment(world);
        const { payment: opened, reference } = await givenPresented(world, {
          appointmentId: id,
          amount: '25.00',
        });
        const between = atMoment(world.store, moment, () => pay(world, id, amount));
        const node = nodeOver(world, between.store);
        const input = captureInput(opened.id, reference);
        const ended = await node.captureContactlessPayment(ada, input);
        if (ended.isErr()) expect(ended.error.status).toBe(409);
        await node.settled();
        isPast = !between.hasCome();
        await world.chairside.settled();
        (await world.chairside.reconcile())._unsafeUnwrap();
        const paid = await paidMinor(world, id);
        expect(paid > 0n && paid <= 4500n, `${amount} at ${moment}: ${paid}`).toBe(true);
        expect((await ledgerOf(world, id)).reservedMinor).toBe(0n);
      }
    }
  });

  it('are once, if their process dies at any moment, and their sender asks again', async () => {
    for (let commits = 0; commits < 3; commits += 1) {
      const world = await makeWorld();
      const id = await givenAppointment(world);
      const body = { kind: 'cash', amount: '20.00' } as const;
      const node = () => nodeOver(world, dyingAfter(world.store, commits));
      const asked = { appointmentId: id, idempotencyKey: 'k', body };
      (await node().recordTender(ada, asked)).unwrapOr(undefined);
      const tender = (await world.chairside.recordTender(ada, asked))._unsafeUnwrap();
      const back = { tenderId: tender.id, idempotencyKey: 'b', body: { amount: '5.00' } };
      (await node().returnTender(ada, back)).unwrapOr(undefined);
      const returned = (await world.chairside.returnTender(ada, back))._unsafeUnwrap();
      expect(returned).not.toHaveProperty('contactlessPaymentId');
      const mistake = await givenTender(world, id, '10.00');
      (await node().voidTender(ada, { tenderId: mistake.id })).unwrapOr(undefined);
      (await world.chairside.voidTender(ada, { tenderId: mistake.id }))._unsafeUnwrap();
      const { items, returns, tendered, remaining } = await listed(world, id);
      expect([items.length, returns.length, tendered, remaining]).toEqual([2, 1, '20.00', '25.00']);
    }
  });

  it('go back once, by two desks, and never more than was taken', async (world) => {
    const id = await givenAppointment(world);
    const tender = await givenTender(world, id, '20.00');
    const asked = { key: 'k', note: 'Too short' };
    const returned = await giveBack(world, tender.id, '5.00', asked);
    const first = { tenderId: tender.id, kind: 'cash', amount: '5.00', note: asked.note };
    expect(body(returned)).toMatchObject(first);
    const again = await giveBack(world, tender.id, '5.00', asked);
    expect(again).toMatchObject({ text: returned.text, replayed: true });
    expect(conflictOf(await giveBack(world, tender.id, '15.01'))).toEqual({
      reason: 'exceedsReturnable',
      returnable: '15.00',
    });
    const desks = await Promise.all(
      (['ada', 'owner', 'administrator'] as const).map((as) =>
        giveBack(world, tender.id, undefined, { as }),
      ),
    );
    expect(desks.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(conflictOf(await giveBack(world, tender.id))).toMatchObject({ returnable: '0.00' });
    const { items, returns, remaining } = await listed(world, id);
    expect(items).toMatchObject([{ returned: '20.00' }]);
    const back = returns.map(({ amount }: { amount: string }) => amount);
    expect(back.sort()).toEqual(['15.00', '5.00']);
    // Goodwill is not collected again.
    expect(remaining).toBe('25.00');
    expect(conflictOf(await world.send('voidTender', 'ada', { id: tender.id }))).toEqual({
      reason: 'tenderReturned',
    });
  });

  it('that were a mistake are voided, and the amount is due again', async (world) => {
    const id = await givenAppointment(world);
    const tender = await givenTender(world, id, '45.00');
    const voids = await Promise.all(
      [1, 2].map(() => world.send('voidTender', 'ada', { id: tender.id })),
    );
    expect(voids.map(({ status }) => status)).toEqual([200, 200]);
    const [voidedAt, again] = voids.map((answer) => body(answer).voidedAt);
    expect([typeof voidedAt, again]).toEqual(['string', voidedAt]);
    expect(conflictOf(await giveBack(world, tender.id))).toEqual({ reason: 'tenderVoided' });
    expect(await listed(world, id)).toMatchObject({ tendered: '0.00', remaining: '45.00' });
    expect((await givenCaptured(world, { appointmentId: id })).payment.amount).toBe('45.00');
    expect(await paidMinor(world, id)).toBe(4500n);
    // Nothing is left of a voided tender.
    expect(await ledgerOf(world, id)).not.toHaveProperty('tenderedMinor');
  });

  it('are returned or voided, and not both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const world = await makeWorld();
      const id = await givenAppointment(world);
      const tender = await givenTender(world, id, '20.00');
      const acts = [giveBack(world, tender.id), world.send('voidTender', 'ada', { id: tender.id })];
      const answers = await Promise.all(round % 2 === 0 ? acts : acts.reverse());
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    }
  });

  it('give no cash for a payment that has taken nothing', async (world) => {
    const { id } = await givenPayment(world);
    expect(conflictOf(await giveBack(world, id))).toEqual({ reason: 'notCaptured' });
  });

  it('give no cash for a card payment, unless its refund has failed (D202)', async (world) => {
    const { payment: captured, reference } = await givenCaptured(world);
    const { id } = captured;
    expect(conflictOf(await giveBack(world, id, '10.00'))).toEqual({ reason: 'paidByCard' });
    const refund = { id, key: fresh('refund'), body: { amount: '10.00' } };
    // It may be asked again, so this is no refusal.
    world.processor.failNext('refund', 'rateLimited');
    expect((await world.send('refundPayment', 'owner', refund)).status).toBe(503);
    expect(conflictOf(await giveBack(world, id, '10.00'))).toEqual({ reason: 'paidByCard' });
    await world.send('refundPayment', 'owner', refund);
    expect(conflictOf(await giveBack(world, id, '10.00'))).toEqual({ reason: 'paidByCard' });
    await deliverMessages(world);
    const [{ id: there = '' } = {}] = world.processor.entries()[0]?.refunds ?? [];
    world.processor.endRefund(reference, there, 'failed')._unsafeUnwrap();
    await deliverMessages(world);
    const desks = await Promise.all([1, 2].map(() => giveBack(world, id, '10.00')));
    expect(desks.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(conflictOf(await giveBack(world, id))).toMatchObject({ returnable: '0.00' });
    // The cash is gone: the card gets the rest.
    const rest = await world.send('refundPayment', 'owner', { id, key: fresh('refund') });
    expect(body(rest).amount).toBe('35.00');
  });

  it('give no cash for what went back without us meanwhile, or by a repeated refund (D202)', async (world) => {
    const { id, reference } = await givenFailedRefund(world);
    world.clock.advance(1000);
    // In the processor's dashboard, and its message has not come yet.
    world.processor.refund(reference, 4000n)._unsafeUnwrap();
    for (const fault of ['rateLimited', 'refused', 'rejected'] as const) {
      world.processor.failNext('listRefunds', fault);
      problem(await giveBack(world, id, '10.00'), 'serviceUnavailable');
    }
    expect(conflictOf(await giveBack(world, id, '10.00'))).toMatchObject({ returnable: '5.00' });
    world.clock.advance(1000);
    await world.send('refundPayment', 'owner', { id, key: 'again', body: { amount: '5.00' } });
    expect(conflictOf(await giveBack(world, id))).toEqual({ reason: 'paidByCard' });
  });

  it('stand in for a failed refund whose account cannot be read any more', async (world) => {
    const { id } = await givenFailedRefund(world);
    world.processor.disableAccount('acct_shop');
    const back = await giveBack(world, id);
    expect(back.status).toBe(201);
    expect(body(back)).toMatchObject({ contactlessPaymentId: id });
    expect(body(back)).not.toHaveProperty('shares');
    const told = (await delivered(world)).find(({ type }) => type === 'tender.returned');
    expect(told?.data).toMatchObject({ contactlessPaymentId: id, returnId: body(back).id });
    expect(told?.data).not.toHaveProperty('tenderId');
    const kept = (await world.store.tenders.get(body(back).id))._unsafeUnwrap();
    for (const name of ['tipMinor', 'parts']) expect(kept).not.toHaveProperty(name);
  });

  it('stand in for no card once a visit has as many as a list shows', async (world) => {
    const { id } = await givenFailedRefund(world);
    // A refund in the moment of the failure does not hide it.
    await world.send('refundPayment', 'owner', { id, key: 'second', body: { amount: '5.00' } });
    const given = body(await giveBack(world, id, '0.01'));
    const tender = (await world.store.tenders.get(given.id))._unsafeUnwrap();
    if (tender === undefined) throw new Error('there is no tender');
    const changes = Array.from({ length: 999 }, (_, n) => {
      const other = { ...tender, id: `tnd_${n}`, amountMinor: 0n };
      return { kind: 'insertTender', tender: other } as const;
    });
    (await world.store.commit({ id: fresh('commit'), at: 0, changes }))._unsafeUnwrap();
    expect(conflictOf(await giveBack(world, id))).toMatchObject({ returnable: '0.00' });
  });

  it('stand in for the card if its account is gone, so that no refund can be tried', async (world) => {
    const { payment: captured } = await givenCaptured(world);
    const { id } = captured;
    await world.send('refundPayment', 'owner', { id, key: 'first', body: { amount: '10.00' } });
    world.processor.disableAccount('acct_shop');
    const refused = await world.send('refundPayment', 'owner', { id, key: fresh('refund') });
    expect(problem(refused, 'paymentProviderNotSetup').detail).toContain('in cash');
    const back = (amount?: string) => giveBack(world, id, amount, { as: 'owner' });
    // A barber may not start a refund either.
    expect(conflictOf(await giveBack(world, id))).toEqual({ reason: 'paidByCard' });
    expect(conflictOf(await back('40.00'))).toMatchObject({ returnable: '35.00' });
    expect((await back()).status).toBe(201);
    expect(conflictOf(await back())).toMatchObject({ returnable: '0.00' });
    const receipt = body(await world.send('getReceipt', 'owner', { id }));
    expect(receipt.returns).toMatchObject([{ amount: '35.00', contactlessPaymentId: id }]);
  });

  it('stand in for a refund that the processor rejects, and not for one before the last', async (world) => {
    const { payment: captured } = await givenCaptured(world);
    const { id } = captured;
    const refund = (amount: string) =>
      world.send('refundPayment', 'owner', { id, key: fresh('refund'), body: { amount } });
    world.processor.failNext('refund', 'rejected');
    await refund('45.00');
    world.clock.advance(1000);
    expect((await refund('5.00')).status).toBe(201);
    expect(conflictOf(await giveBack(world, id))).toEqual({ reason: 'paidByCard' });
    world.processor.failNext('refund', 'rejected');
    await refund('40.00');
    expect((await giveBack(world, id)).status).toBe(201);
    expect(conflictOf(await world.send('refundPayment', 'owner', { id, key: fresh('r') }))).toEqual(
      {
        reason: 'exceedsRefundable',
        refundable: '0.00',
      },
    );
  });

  it('count in the excess, which goes back once (D49)', async (world) => {
    const id = await givenAppointment(world);
    const tender = await givenTender(world, id, '20.00');
    const mistake = await givenTender(world, id, '5.00');
    await world.send('voidTender', 'ada', { id: mistake.id });
    await givenCaptured(world, { appointmentId: id });
    await givenAppointment(world, { id, amountDue: '30.00' });
    const excess = async () => body(await world.send('listCharges', 'owner', { id })).excess;
    expect(await excess()).toBe('15.00');
    const refund = () =>
      world.chairside.refundExcess(host, { appointmentId: id, idempotencyKey: fresh('excess') });
    const [cash, card] = await Promise.all([giveBack(world, tender.id, '15.00'), refund()]);
    expect(cash.status).toBe(201);
    // A return leaves no excess. A refund that came first does not hinder it.
    expect(await excess()).toBe('0.00');
    if (card.isErr()) expect(card.error.attributes).toEqual({ reason: 'noExcess' });
    await givenAppointment(world, { id, amountDue: '0.00' });
    const left = card.isOk() ? '10.00' : '25.00';
    const version = async () => (await world.store.tenders.get(tender.id))._unsafeUnwrap()?.version;
    const before = (await version()) ?? 0;
    expect((await refund())._unsafeUnwrap().amount).toBe(left);
    expect(await version()).toBe(before + 1);
    expect(await excess()).toBe('5.00');
    expect((await refund())._unsafeUnwrapErr()).toMatchObject({
      attributes: { reason: 'noExcess' },
      detail: expect.stringContaining('return the tender'),
    });
  });

  it('keep the currency that they were paid in (D39)', async (world) => {
    const id = await givenAppointment(world);
    const tender = await givenTender(world, id, '20.00');
    const processorAccount = { id: 'acct_shop', currency: 'usd', terminalLocation: 'tml_shop' };
    const shop = { id: 'shop', name: 'Shop', processorAccount };
    expect((await world.chairside.records.putBusiness(shop)).isOk()).toBe(true);
    expect(conflictOf(await pay(world, id, '1.00'))).toEqual({ reason: 'currencyChanged' });
    expect(conflictOf(await create(world, id))).toMatchObject({ reason: 'currencyChanged' });
    expect(await listed(world, id)).not.toHaveProperty('remaining');
    // Once the mistake is undone, the visit is paid in the new currency.
    expect((await world.send('voidTender', 'ada', { id: tender.id })).status).toBe(200);
    expect((await givenTender(world, id, '20.00')).currency).toBe('usd');
  });

  it('stay with the business and the barber who took them (D38)', async (world) => {
    const id = await givenAppointment(world);
    const tender = await givenTender(world, id, '20.00', { key: 'k' });
    const business = await givenOtherShop(world);
    await givenAppointment(world, { id, barber: 'ben', business });
    problem(await pay(world, id, '20.00'), 'forbidden');
    expect((await pay(world, id, '20.00', { key: 'k' })).status).toBe(201);
    const moved = body(await world.send('listTenders', 'ben', { id }));
    expect(moved).toMatchObject({ items: [], tendered: '20.00', remaining: '25.00' });
    problem(await giveBack(world, tender.id, '1.00', { as: 'ben' }), 'forbidden');
    await givenAppointment(world, { id, barber: 'ben' });
    expect((await giveBack(world, tender.id, '1.00', { as: 'ben' })).status).toBe(201);
    expect((await giveBack(world, tender.id, '1.00')).status).toBe(201);
  });

  it('pay a visit, so that no fee for missing it is due', async (world) => {
    const terms = { customerId: 'customer', noShowFeeMinor: 2000n, isMissed: true };
    const id = await givenAppointment(world, { terms });
    await givenTender(world, id, '45.00');
    const { givenMethod, charge } = await import('../src/charges.ts');
    const method = await givenMethod(world);
    const asked = { purpose: 'noShow', amount: '20.00' } as const;
    expect(conflictOf(await charge(world, id, method, asked))).toMatchObject({
      reason: 'visitPaid',
    });
  });

  it('are events without free text, in order for each tender', async (world) => {
    const id = await givenAppointment(world);
    const tender = await givenTender(world, id, '20.00', { note: 'secret words' });
    const back = await giveBack(world, tender.id, '5.00');
    const mistake = await givenTender(world, id, '10.00');
    await world.send('voidTender', 'ada', { id: mistake.id });
    const events = (await delivered(world)).filter(({ type }) => type.startsWith('tender.'));
    expect(JSON.stringify(events)).not.toContain('secret');
    const about = (subject: string) => events.filter((event) => event.subject === subject);
    const data = {
      tenderId: tender.id,
      appointmentId: id,
      businessId: 'shop',
      barberId: 'ada',
      kind: 'cash',
      currency: 'eur',
      by: expect.objectContaining({ subject: 'user-ada' }),
    };
    expect(about(tender.id).map((event) => [event.type, event.data])).toStrictEqual([
      ['tender.recorded', { ...data, amount: '20.00' }],
      ['tender.returned', { ...data, amount: '5.00', returnId: body(back).id }],
    ]);
    expect(about(mistake.id).map(({ type }) => type)).toEqual(['tender.recorded', 'tender.voided']);
  });

  it('lose their notes when the customer is erased, after their keys (D47)', async (world) => {
    const id = await givenAppointment(world);
    const tender = await givenTender(world, id, '20.00', { note: 'Mrs Smith' });
    world.clock.advance(1);
    const other = await givenTender(world, id, '5.00');
    const input = { customerId: 'customer', appointmentIds: [id] };
    const erase = async () => (await world.chairside.eraseCustomer(input))._unsafeUnwrap();
    expect((await erase()).pending).toEqual([tender.id]);
    world.clock.advance(73 * hourMs);
    expect((await erase()).pending).toEqual([]);
    const { note: _note, ...rest } = tender;
    expect((await listed(world, id)).items).toEqual([rest, other]);
    const version = async (one: string) =>
      (await world.store.tenders.get(one))._unsafeUnwrap()?.version;
    expect([await version(tender.id), await version(other.id)]).toEqual([2, 1]);
  });

  it('stand in the statement of their day, apart from cards (D50, D202)', async (world) => {
    const id = await givenAppointment(world);
    const day = dayAt(world.clock.now());
    const cash = await givenTender(world, id, '20.00');
    const { payment: captured, reference } = await givenCaptured(world, { appointmentId: id });
    const bens = await givenAppointment(world, { barber: 'ben' });
    await givenTender(world, bens, '30.00', { kind: 'voucher', as: 'ben' });
    world.clock.advance(1);
    const mistake = await givenTender(world, bens, '10.00', { as: 'ben' });
    await world.send('voidTender', 'ben', { id: mistake.id });
    await pass(world, 2 * dayMs);
    const next = dayAt(world.clock.now());
    await giveBack(world, cash.id, '5.00');
    await world.send('refundPayment', 'owner', {
      id: captured.id,
      key: 'r',
      body: { amount: '4.00' },
    });
    world.processor.dispute(reference, 300n)._unsafeUnwrap();
    await deliverMessages(world);
    const closed = await statement(world, day);
    expect(closed).toMatchObject({
      state: 'closed',
      differences: [],
      shop: [
        {
          payments: 1,
          captured: '25.00',
          settled: '24.37',
          tenders: [
            { kind: 'cash', taken: '20.00', returned: '0.00' },
            { kind: 'voucher', taken: '30.00', returned: '0.00' },
          ],
          tendered: '50.00',
          takings: '75.00',
        },
      ],
      barbers: [
        { barberId: 'ada', captured: '25.00', tendered: '20.00', takings: '45.00' },
        { barberId: 'ben', captured: '0.00', tendered: '30.00', takings: '30.00' },
      ],
    });
    expect(closed.lines.map(({ contactlessPaymentId }) => contactlessPaymentId)).toEqual([
      captured.id,
    ]);
    for (const line of closed.tenders ?? []) {
      if (line.act !== 'record') continue;
      expect(line).not.toHaveProperty('tenderId');
      expect(line).not.toHaveProperty('contactlessPaymentId');
    }
    // Stores have any order among equal times.
    const { store, processor, clock } = world;
    const list: typeof store.tenders.list = (...of) =>
      store.tenders.list(...of).map((all) => all.toReversed());
    const tenders = { ...store.tenders, list };
    const node = createChairside({ store: { ...store, tenders }, processor, clock });
    expect((await statement({ chairside: node }, day)).tenders).toEqual(closed.tenders);
    // All at one time, by this clock.
    const acts = closed.tenders?.map(({ act, kind, amount }) => `${act} ${kind} ${amount}`);
    expect(acts?.toSorted()).toEqual([
      'record cash 10.00',
      'record cash 20.00',
      'record voucher 30.00',
      'void cash -10.00',
    ]);
    const later = await statement(world, next);
    expect(later.shop).toMatchObject([
      { refunded: '4.00', disputed: '3.00', tendered: '-5.00', takings: '-12.00' },
    ]);
    expect(later.tenders).toMatchObject([{ act: 'return', tenderId: cash.id, amount: '-5.00' }]);
    const [header = '', line = ''] = tendersToCsv(later).split('\r\n');
    expect(header).toMatch(/^day,localTime,act,kind,/);
    expect(line).toMatch(/^2026-11-04,[^,]+,return,cash,/);
    expect(line).toContain(',-5.00,');
  });

  it('are on the receipt of their visit, voided ones left out (D203)', async (world) => {
    const id = await givenAppointment(world);
    const cash = await givenTender(world, id, '20.00', { note: 'Paid at the front desk' });
    const mistake = await givenTender(world, id, '5.00', { kind: 'voucher' });
    await world.send('voidTender', 'ada', { id: mistake.id });
    const { payment: captured } = await givenCaptured(world, { appointmentId: id });
    const back = body(await giveBack(world, cash.id, '3.00'));
    // The id was another shop's before.
    const taken = (await world.store.tenders.get(cash.id))._unsafeUnwrap();
    if (taken === undefined) throw new Error('there is no tender');
    const other = { ...taken, id: fresh('tender'), businessId: 'other' };
    const changes = [{ kind: 'insertTender', tender: other }] as const;
    expect((await world.store.commit({ id: other.id, at: 0, changes })).isOk()).toBe(true);
    const about = { contactlessPaymentId: captured.id };
    const receipt = (await world.chairside.getReceipt(host, about))._unsafeUnwrap();
    const shown = { kind: 'cash', currency: 'eur' };
    expect(receipt).toMatchObject({ amount: '25.00' });
    expect(receipt.tenders).toStrictEqual([
      { ...shown, amount: '20.00', createdAt: cash.createdAt },
    ]);
    expect(receipt.returns).toStrictEqual([
      { ...shown, amount: '3.00', createdAt: back.createdAt },
    ]);
    const printed = receiptToText(receipt);
    expect(printed).toContain('20.00 EUR');
    expect(printed).toContain('-3.00 EUR');
    expect(printed).not.toContain('Voucher');
  });

  it('leave no trace where there are none', async (world) => {
    const id = await givenAppointment(world);
    const { payment: captured } = await givenCaptured(world, { appointmentId: id });
    const ledger = await world.chairside.getAppointmentLedger(host, { appointmentId: id });
    const read = payment(
      await world.send('getContactlessPayment', 'ada', { id: captured.id }),
      200,
    );
    const told = await world.chairside.getStatement(host, {
      businessId: 'shop',
      day: '2026-11-02',
      timeZone: 'Europe/Berlin',
    });
    const shown = JSON.stringify([ledger._unsafeUnwrap(), read, told._unsafeUnwrap()]);
    expect(shown).not.toMatch(/tender/i);
  });

  it('do not hinder a payment that was opened while a part is paid in cash', async (world) => {
    const id = await givenAppointment(world);
    const opened = await givenPayment(world, { appointmentId: id, amount: '25.00' });
    await givenTender(world, id, '20.00');
    await world.chairside.settled();
    const reference = await present(world, opened);
    expect((await capture(world, opened.id, reference)).status).toBe(200);
    expect(await paidMinor(world, id)).toBe(4500n);
  });
});

function nodeOver({ processor, clock }: World, store: Store) {
  return createChairside({ store, processor, clock, rateLimits: 'off' });
}

/** The first commit with a change of this kind is written, and its reply is lost. */
function losingReply(real: Store, kind: ChangeKind): Store {
  let isLost = false;
  return {
    ...real,
    commit: (commit) => {
      const written = real.commit(commit);
      if (isLost || !commit.changes.some((change) => change.kind === kind)) return written;
      isLost = true;
      return written.andThen(() =>
        real.payments.get('none').andThen(() => {
          throw new Error('the reply is lost');
        }),
      );
    },
  };
}

/** Does something else just before the call of the store with this number. */
function atMoment(real: Store, moment: number, act: () => Promise<unknown>) {
  let calls = 0;
  let hasCome = false;
  const within =
    (call: (...given: readonly unknown[]) => unknown) =>
    (...given: readonly unknown[]) => {
      calls += 1;
      if (calls !== moment) return Reflect.apply(call, undefined, given);
      hasCome = true;
      // cast: every call of a store returns a ResultAsync
      const later = () => Reflect.apply(call, undefined, given) as ResultAsync<unknown, never>;
      return ResultAsync.fromSafePromise(act()).andThen(later);
    };
  const wrap = <T extends object>(group: T): T =>
    new Proxy(group, {
      get: (_, name) => {
        const member: unknown = Reflect.get(group, name);
        if (typeof member === 'function')
          return within((...given) => Reflect.apply(member, group, given));
        return typeof member === 'object' && member !== null ? wrap(member) : member;
      },
    });
  return { store: wrap(real), hasCome: () => hasCome };
}

/** The process dies after so many commits: the next one is not written, and nothing later. */
function dyingAfter(real: Store, commits: number): Store {
  let left = commits;
  return {
    ...real,
    commit: (commit) => {
      if (left === 0) return errAsync({ kind: 'storeUnavailable', outcome: 'unknown' });
      left -= 1;
      return real.commit(commit);
    },
    wasCommitted: () => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' }),
  };
}
