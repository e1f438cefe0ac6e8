import {
  createChairside,
  hourMs,
  type MoneyEntry,
  minuteMs,
  moneyEntryOf,
  okAsync,
} from '@chairside/core';
import { keyRetentionMs } from '@chairside/core/ports';
import { expect } from 'vitest';
import { payment, payments, problem, reason, setup } from '../src/answer.ts';
import { charge, chargeBody, givenBooking, givenMethod } from '../src/charges.ts';
import { deliverMessages, dyingAfter, host } from '../src/elsewhere.ts';
import {
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPresented,
  ledgerOf,
  stored,
  takenMinor,
  until,
} from '../src/shop.ts';
import { giveBack } from '../src/tenders.ts';
import { delivered } from '../src/told.ts';
import { account, describeEverywhere, type World } from '../src/world.ts';

const dayMs = 24 * hourMs;

/** The charges of an appointment, as the owner sees them. */
async function chargesOf({ send }: World, appointmentId: string) {
  const listed = await send('listCharges', 'owner', { id: appointmentId });
  expect(listed.status).toBe(200);
  return JSON.parse(listed.text);
}

async function passDays(world: World, days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    world.clock.advance(dayMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
  }
}

describeEverywhere('chargePaymentMethod', ({ it, makeWorld }) => {
  it('takes a deposit, which counts as paid (D49, D160)', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const charged = await charge(world, appointmentId, method);
    expect(charged.status).toBe(201);
    expect(JSON.parse(charged.text)).toMatchObject({
      id: expect.stringMatching(/^chg_/),
      appointmentId,
      purpose: 'deposit',
      amount: '20.00',
      state: 'captured',
      paymentMethodSetupId: method,
      agreedAt: '2026-10-01T09:00:00.000Z',
      agreementRef: 'terms-7',
      card: { maskedPersonalAccountNumber: '*4242' },
      capturedAt: expect.any(String),
    });
    const { timeline } = await stored(world, JSON.parse(charged.text).id);
    expect(timeline[0]).toMatchObject({ what: 'charging', cause: 'charge' });
    expect(await takenMinor(world)).toBe(2000n);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({
      capturedMinor: 2000n,
      reservedMinor: 0n,
      openPayments: 0,
    });
    expect(payment(await create(world, appointmentId), 201).amount).toBe('25.00');
  });

  it('is no contactless payment', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { id } = JSON.parse((await charge(world, appointmentId, method)).text);
    const listed = payments(
      await world.send('listContactlessPayments', 'ada', { id: appointmentId }),
    );
    expect(listed).toEqual({ items: [], count: 0 });
    problem(await world.send('getContactlessPayment', 'ada', { id }), 'notFound');
    const canceled = await world.chairside.cancelContactlessPayment(host, {
      contactlessPaymentId: id,
    });
    expect(canceled._unsafeUnwrapErr().type).toBe('notFound');
    const read = await world.send('getCharge', 'owner', { id });
    expect(read.text).toBe(JSON.stringify((await chargesOf(world, appointmentId)).items[0]));
    const { payment: other } = await givenCaptured(world);
    problem(await world.send('getCharge', 'owner', { id: other.id }), 'notFound');
  });

  it('returns the same charge under its key, and refuses another request', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const first = await charge(world, appointmentId, method, { key: 'k' });
    const again = await charge(world, appointmentId, method, { key: 'k' });
    expect(again).toMatchObject({ status: 201, text: first.text, replayed: true });
    problem(
      await charge(world, appointmentId, method, { key: 'k', amount: '21.00' }),
      'unprocessableEntity',
    );
    expect(world.processor.count('authorizeMethod').made).toBe(1);
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('takes one deposit of an appointment', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    await charge(world, appointmentId, method);
    const second = problem(await charge(world, appointmentId, method), 'conflict');
    expect(reason(second)).toBe('alreadyCharged');
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('takes one deposit, after however many payments', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    expect((await charge(world, appointmentId, method)).status).toBe(201);
    // As if 1,000 payments had been canceled since: a list that is cut no longer has the deposit.
    const payments = { ...world.store.payments, listByAppointment: () => okAsync([]) };
    const { processor, clock } = world;
    const store = { ...world.store, payments };
    const node = createChairside({ store, processor, clock, rateLimits: 'off' });
    const other = await givenMethod(world);
    const second = await node.chargePaymentMethod(host, {
      appointmentId,
      idempotencyKey: fresh('key'),
      body: chargeBody(other),
    });
    expect(second._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'alreadyCharged' },
    });
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('takes another deposit once one was declined', async (world) => {
    const { appointmentId, method } = await givenBooking(world, { card: 'declined_when_saved' });
    problem(await charge(world, appointmentId, method), 'conflict');
    const other = await givenMethod(world);
    expect((await charge(world, appointmentId, other)).status).toBe(201);
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('takes another deposit once one was refunded and the host says so (D49)', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { id } = JSON.parse((await charge(world, appointmentId, method)).text);
    const allow = () => world.chairside.allowAnotherCharge(host, { chargeId: id });
    const refund = (amount: string) =>
      world.send('refundPayment', 'owner', { id, key: fresh('key'), body: { amount } });
    await refund('19.99');
    expect((await allow())._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'notRefunded' },
    });
    await refund('0.01');
    const early = problem(await charge(world, appointmentId, method), 'conflict');
    expect(reason(early)).toBe('alreadyCharged');
    expect((await allow())._unsafeUnwrap()).toMatchObject({ id, state: 'captured' });
    expect((await charge(world, appointmentId, method)).status).toBe(201);
    // A repetition changes nothing: the second deposit keeps its slot.
    const before = await stored(world, id);
    expect((await allow()).isOk()).toBe(true);
    expect(await stored(world, id)).toEqual(before);
    const third = problem(await charge(world, appointmentId, method), 'conflict');
    expect(reason(third)).toBe('alreadyCharged');
    expect(await takenMinor(world)).toBe(4000n);
    const owner = { subject: 'other', businessIds: ['newShop'] };
    const refused = await world.chairside.allowAnotherCharge(owner, { chargeId: id });
    expect(refused._unsafeUnwrapErr().type).toBe('forbidden');
  });

  it('takes another deposit once one went back in cash, or was lost in a dispute (D49)', async () => {
    for (const isDisputed of [false, true]) {
      const world = await makeWorld();
      const { appointmentId, method } = await givenBooking(world);
      const { id } = JSON.parse((await charge(world, appointmentId, method)).text);
      const allow = () => world.chairside.allowAnotherCharge(host, { chargeId: id });
      const { reference = '' } = await stored(world, id);
      if (isDisputed) {
        const { subject = '' } = world.processor.dispute(reference, 2000n)._unsafeUnwrap();
        await deliverMessages(world);
        // It may be won.
        expect((await allow()).isErr()).toBe(true);
        world.processor.closeDispute(reference, subject, 'lost')._unsafeUnwrap();
        await deliverMessages(world);
      } else {
        world.processor.failNext('refund', 'rejected');
        await world.send('refundPayment', 'owner', { id, key: fresh('key') });
        expect((await allow()).isErr()).toBe(true);
        expect((await giveBack(world, id)).status).toBe(201);
      }
      expect((await allow()).isOk()).toBe(true);
      expect((await charge(world, appointmentId, method)).status).toBe(201);
    }
  });

  it('takes no other deposit while the refund of one is pending, which may fail (D49)', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { id } = JSON.parse((await charge(world, appointmentId, method)).text);
    world.processor.slowRefunds(true);
    expect((await world.send('refundPayment', 'owner', { id, key: fresh('key') })).status).toBe(
      201,
    );
    const allowed = await world.chairside.allowAnotherCharge(host, { chargeId: id });
    expect(allowed._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'notRefunded' },
    });
    const second = problem(await charge(world, appointmentId, method), 'conflict');
    expect(reason(second)).toBe('alreadyCharged');
  });

  it('takes no fee for a visit that was paid, until it owes again what was refunded (D49)', async (world) => {
    const terms = { customerId: 'customer', noShowFeeMinor: 1500n, isMissed: true };
    const { appointmentId, method } = await givenBooking(world, terms);
    const { payment: paid } = await givenCaptured(world, { appointmentId });
    const asked = { purpose: 'noShow', amount: '15.00' } as const;
    const refused = problem(await charge(world, appointmentId, method, asked), 'conflict');
    expect(reason(refused)).toBe('visitPaid');
    expect(await takenMinor(world)).toBe(4500n);
    await world.send('refundPayment', 'owner', { id: paid.id, key: fresh('refund') });
    const refunded = problem(await charge(world, appointmentId, method, asked), 'conflict');
    expect(refunded.detail).toContain('raise the amount due');
    await givenAppointment(world, { id: appointmentId, amountDue: '90.00', terms });
    expect((await charge(world, appointmentId, method, asked)).status).toBe(201);
  });

  it('takes one deposit of an appointment that moved to a branch with the same account', async (world) => {
    const { records } = world.chairside;
    const branch = { id: 'branch', name: 'New Town', processorAccount: account };
    expect((await records.putBusiness(branch)).isOk()).toBe(true);
    const { appointmentId: id, method } = await givenBooking(world);
    await charge(world, id, method);
    await givenAppointment(world, { id, business: 'branch', terms: { customerId: 'customer' } });
    const second = await charge(world, id, method, { as: 'administrator' });
    expect(reason(problem(second, 'conflict'))).toBe('alreadyCharged');
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('takes the fee for a missed visit once, beside the amount due', async (world) => {
    const terms = { customerId: 'customer', noShowFeeMinor: 1500n };
    const { appointmentId, method } = await givenBooking(world, terms);
    const noShow = { purpose: 'noShow', amount: '15.00' } as const;
    const early = problem(await charge(world, appointmentId, method, noShow), 'conflict');
    expect(reason(early)).toBe('notMissed');
    await givenAppointment(world, { id: appointmentId, terms: { ...terms, isMissed: true } });
    const tooMuch = { ...noShow, amount: '15.01' };
    problem(await charge(world, appointmentId, method, tooMuch), 'unprocessableEntity');
    // A part is charged once, too.
    const part = { ...noShow, amount: '6.00' };
    expect((await charge(world, appointmentId, method, part)).status).toBe(201);
    const other = await givenMethod(world);
    for (const again of [method, other]) {
      const refused = problem(await charge(world, appointmentId, again, part), 'conflict');
      expect(reason(refused)).toBe('alreadyCharged');
    }
    expect(await takenMinor(world)).toBe(600n);
    // The amount due is as before.
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ capturedMinor: 0n });
    expect(payment(await create(world, appointmentId), 201).amount).toBe('45.00');
  });

  it('charges no fee that the appointment does not state', async (world) => {
    const { appointmentId, method } = await givenBooking(world, { isMissed: true });
    const asked = { purpose: 'noShow', amount: '0.01' } as const;
    problem(await charge(world, appointmentId, method, asked), 'unprocessableEntity');
    expect(world.processor.count('authorizeMethod').made).toBe(0);
  });

  it.for([
    ['needs_customer', 'customerMustAct'],
    ['declined_when_saved', 'declined'],
    ['unusable_when_saved', 'cardUnusable'],
    ['vanishes', 'methodGone'],
    ['partially_authorized', 'declined'],
  ] as const)(
    'ends as refused with the card %s, and is never tried again',
    async ([card, why], world) => {
      const { appointmentId, method } = await givenBooking(world, { card });
      const refused = problem(await charge(world, appointmentId, method, { key: 'k' }), 'conflict');
      expect(reason(refused)).toBe(why);
      expect(refused.recovery?.retry).toBe('doNotRetry');
      const { items } = await chargesOf(world, appointmentId);
      expect(items).toMatchObject([{ state: 'canceled', refusal: why }]);
      expect(await ledgerOf(world, appointmentId)).toMatchObject({
        reservedMinor: 0n,
        openPayments: 0,
      });
      const statuses = world.processor.entries().map(({ status }) => status);
      expect(statuses).toEqual(why === 'methodGone' ? [] : ['canceled']);
      const again = await charge(world, appointmentId, method, { key: 'k' });
      expect(reason(problem(again, 'conflict'))).toBe(why);
      // The first response may have been lost or another one, so this is no replay.
      expect(again.replayed).toBe(false);
      await passDays(world, 2);
      expect(world.processor.count('authorizeMethod').made).toBe(1);
      expect(world.processor.count('capturePayment').made).toBe(0);
      // Another request of the host may charge it, or another method.
      const other = await givenMethod(world);
      expect((await charge(world, appointmentId, other)).status).toBe(201);
    },
  );

  it('waits for an answer of the bank that comes late', async (world) => {
    const { appointmentId, method } = await givenBooking(world, { card: 'slow_to_approve' });
    const first = problem(
      await charge(world, appointmentId, method, { key: 'k' }),
      'serviceUnavailable',
    );
    expect(first.recovery).toEqual({ outcome: 'unknown', retry: 'retrySameRequestAfterDelay' });
    const [{ id: chargeId } = { id: '' }] = (
      await world.store.payments.listOpen('shop', 1)
    )._unsafeUnwrap();
    const refused = await world.chairside.allowAnotherCharge(host, { chargeId });
    expect(refused._unsafeUnwrapErr().attributes).toEqual({ reason: 'notRefunded' });
    world.clock.advance(hourMs / 60);
    const again = await charge(world, appointmentId, method, { key: 'k' });
    expect(again.status).toBe(201);
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('uses a method for a single appointment up', async (world) => {
    const method = await givenMethod(world, { save: false });
    const terms = { customerId: 'customer', paymentMethodSetupId: method };
    const appointmentId = await givenAppointment(world, { terms });
    const elsewhere = await givenAppointment(world, { terms: { customerId: 'customer' } });
    problem(await charge(world, elsewhere, method), 'unprocessableEntity');
    expect((await charge(world, appointmentId, method)).status).toBe(201);
    // Not even for the fee of the same appointment.
    const missed = { ...terms, noShowFeeMinor: 1500n, isMissed: true };
    await givenAppointment(world, { id: appointmentId, terms: missed });
    const asked = { purpose: 'noShow', amount: '15.00' } as const;
    const again = problem(await charge(world, appointmentId, method, asked), 'conflict');
    expect(reason(again)).toBe('methodUsed');
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('charges a method for a single appointment only if no other customer has it', async (world) => {
    const paymentMethodSetupId = await givenMethod(world, { save: false });
    const terms = { paymentMethodSetupId };
    const others = await givenAppointment(world, { terms: { ...terms, customerId: 'customer-2' } });
    problem(await charge(world, others, paymentMethodSetupId), 'unprocessableEntity');
    const unnamed = await givenAppointment(world, { terms });
    expect((await charge(world, unnamed, paymentMethodSetupId)).status).toBe(201);
  });

  it('keeps a method for a single appointment after a refusal', async (world) => {
    const method = await givenMethod(world, { save: false, card: 'needs_customer' });
    const terms = { customerId: 'customer', paymentMethodSetupId: method };
    const appointmentId = await givenAppointment(world, { terms });
    for (let times = 1; times <= 2; times += 1) {
      const refused = problem(await charge(world, appointmentId, method), 'conflict');
      expect(reason(refused)).toBe('customerMustAct');
    }
  });

  it("charges the method of the appointment's customer alone, once it is completed", async (world) => {
    const { appointmentId, method } = await givenBooking(world, { customerId: 'customer-2' });
    problem(await charge(world, appointmentId, method), 'unprocessableEntity');
    problem(await charge(world, appointmentId, 'pms_none'), 'unprocessableEntity');
    const anonymous = await givenAppointment(world);
    problem(await charge(world, anonymous, method), 'unprocessableEntity');
    const unknown = { paymentMethodSetupId: 'pms_none' };
    const misled = await givenAppointment(world, { terms: unknown });
    problem(await charge(world, misled, 'pms_none'), 'unprocessableEntity');
    const own = await givenAppointment(world, { terms: { customerId: 'customer' } });
    const body = { savePaymentMethod: true };
    const opened = await world.send('preparePaymentMethod', 'customer', { body });
    const { paymentMethodSetupId } = JSON.parse(opened.text);
    const early = problem(await charge(world, own, paymentMethodSetupId), 'conflict');
    expect(reason(early)).toBe('methodNotReady');
    expect(world.processor.count('authorizeMethod').made).toBe(0);
  });

  it('charges no method that was completed too late, or that the processor has lost', async (world) => {
    const terms = { customerId: 'customer' };
    const body = { savePaymentMethod: true };
    const opened = setup(await world.send('preparePaymentMethod', 'customer', { body }));
    world.clock.advance(2 * hourMs);
    expect(world.processor.completeSetup(opened.clientSecret, 'visa_credit').isOk()).toBe(true);
    const appointmentId = await givenAppointment(world, { terms });
    const late = problem(
      await charge(world, appointmentId, opened.paymentMethodSetupId),
      'conflict',
    );
    expect(reason(late)).toBe('methodNotReady');
    const method = await givenMethod(world);
    expect((await charge(world, appointmentId, method)).status).toBe(201);
    world.processor.readSetup = () => okAsync(undefined);
    const other = await givenAppointment(world, { terms });
    const lost = problem(await charge(world, other, method), 'conflict');
    expect(reason(lost)).toBe('methodGone');
    const input = { paymentMethodSetupId: method };
    const read = (await world.chairside.readPaymentMethodSetup(host, input))._unsafeUnwrap();
    expect(read).toMatchObject({ status: 'completed' });
    expect(read).not.toHaveProperty('paymentMethodReference');
  });

  it('requires an agreement of the past', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const pointer = '/agreedAt';
    const impossible = { agreedAt: '2026-02-31T00:00:00.000Z' };
    const noDay = problem(await charge(world, appointmentId, method, impossible), 'badRequest');
    expect(noDay.problems).toMatchObject([{ attributes: { pointer } }]);
    const future = { agreedAt: '2099-01-01T00:00:00.000Z' };
    const refused = await charge(world, appointmentId, method, future);
    expect(problem(refused, 'unprocessableEntity').attributes).toEqual({ pointer });
    problem(await charge(world, appointmentId, method, { agreementRef: '' }), 'badRequest');
    // The host's clock may be ahead by five minutes.
    const agreed = (ms: number) =>
      charge(world, appointmentId, method, {
        agreedAt: new Date(world.clock.now() + 5 * minuteMs + ms).toISOString(),
      });
    problem(await agreed(1), 'unprocessableEntity');
    expect((await agreed(0)).status).toBe(201);
  });

  it('evaluates an agreement again once it is of the past (D21)', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const asked = { key: 'k', agreedAt: new Date(world.clock.now() + hourMs).toISOString() };
    problem(await charge(world, appointmentId, method, asked), 'unprocessableEntity');
    world.clock.advance(hourMs);
    const again = await charge(world, appointmentId, method, asked);
    expect(again).toMatchObject({ status: 201, replayed: false });
  });

  it('returns a stored refusal under its key (D21)', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const asked = { key: 'k', amount: '0.00' };
    problem(await charge(world, appointmentId, method, asked), 'unprocessableEntity');
    const again = await charge(world, appointmentId, method, asked);
    expect(again).toMatchObject({ status: 422, replayed: true });
    expect(world.processor.count('authorizeMethod').made).toBe(0);
  });

  it('takes a deposit beside an amount that was paid', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    await givenCaptured(world, { appointmentId, amount: '10.00' });
    expect((await charge(world, appointmentId, method)).status).toBe(201);
    expect(await takenMinor(world)).toBe(3000n);
  });

  it('releases the open payments of an appointment that it pays', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { reference } = await givenPresented(world, { appointmentId });
    expect((await charge(world, appointmentId, method, { amount: '45.00' })).status).toBe(201);
    await world.chairside.settled();
    expect(world.processor.bookEntry(reference)?.status).toBe('canceled');
  });

  it('takes the money although the store throws when it should release the others', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    await givenPresented(world, { appointmentId });
    const listByAppointment = () => {
      throw new RangeError();
    };
    const { processor, clock } = world;
    const store = { ...world.store, payments: { ...world.store.payments, listByAppointment } };
    const failed: string[] = [];
    const onFailure = (_: unknown, { name }: { readonly name: string }) => failed.push(name);
    const node = createChairside({ store, processor, clock, onFailure });
    const body = { ...chargeBody(method), amount: '45.00' };
    const asked = { appointmentId, idempotencyKey: 'k', body };
    expect((await node.chargePaymentMethod(host, asked))._unsafeUnwrap().state).toBe('captured');
    await node.settled();
    expect(failed).toEqual(['background']);
  });

  it('is refused at its commit if the amount was paid since the ledger was read (D160)', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const before = await ledgerOf(world, appointmentId);
    await givenCaptured(world, { appointmentId, amount: '30.00' });
    let reads = 0;
    const get = (id: string) => {
      reads += 1;
      return reads === 1 ? okAsync(before) : world.store.ledgers.get(id);
    };
    const { processor, clock } = world;
    const node = createChairside({
      store: { ...world.store, ledgers: { ...world.store.ledgers, get } },
      processor,
      clock,
    });
    const asked = { appointmentId, idempotencyKey: 'k', body: chargeBody(method) };
    const refused = (await node.chargePaymentMethod(host, asked))._unsafeUnwrapErr();
    expect(refused.attributes).toMatchObject({ reason: 'exceedsRemainingBalance' });
    expect((await chargesOf(world, appointmentId)).items).toEqual([]);
  });

  it.for(['10.00', '0.00'])(
    'takes a fee for a missed visit that is more than the amount due, which is %s',
    async (amountDue, world) => {
      const terms = { customerId: 'customer', noShowFeeMinor: 1500n, isMissed: true };
      const method = await givenMethod(world);
      const appointmentId = await givenAppointment(world, { amountDue, terms });
      const asked = { purpose: 'noShow', amount: '15.00' } as const;
      expect((await charge(world, appointmentId, method, asked)).status).toBe(201);
      expect(await takenMinor(world)).toBe(1500n);
    },
  );

  it('charges no method that the customer has withdrawn', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const caller = { subject: 'user-customer', customerId: 'customer' };
    const input = { paymentMethodSetupId: method };
    const released = await world.chairside.releasePaymentMethod(caller, input);
    const withdrawn = await world.store.setups.get(method);
    // Whoever asks again is not the one who has withdrawn it.
    const again = await world.chairside.releasePaymentMethod(host, input);
    expect(again._unsafeUnwrap()).toEqual(released._unsafeUnwrap());
    expect(await world.store.setups.get(method)).toEqual(withdrawn);
    const refused = problem(await charge(world, appointmentId, method), 'conflict');
    expect(reason(refused)).toBe('methodReleased');
    const read = await world.chairside.readPaymentMethodSetup(caller, input);
    expect(read._unsafeUnwrap().releasedAt).toBe(released._unsafeUnwrap().releasedAt);
    await passDays(world, 5);
    expect((await world.store.setups.get(method))._unsafeUnwrap()).toBeUndefined();
  });

  it('charges a saved method weeks later, and forgets a used one', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const single = await givenMethod(world, { save: false });
    const terms = { customerId: 'customer', paymentMethodSetupId: single };
    const other = await givenAppointment(world, { terms });
    // The host has read them, as it does before it accepts the booking.
    for (const paymentMethodSetupId of [method, single]) {
      (
        await world.chairside.readPaymentMethodSetup(host, { paymentMethodSetupId })
      )._unsafeUnwrap();
    }
    await passDays(world, 20);
    const kept = (await world.store.setups.get(method))._unsafeUnwrap();
    expect(kept).toMatchObject({ clientSecret: '', outcome: 'completed' });
    expect(kept).not.toHaveProperty('nextCheckAt');
    expect((await charge(world, appointmentId, method)).status).toBe(201);
    expect((await charge(world, other, single)).status).toBe(201);
    await passDays(world, 5);
    expect((await world.store.setups.get(single))._unsafeUnwrap()).toBeUndefined();
    expect((await world.store.setups.get(method))._unsafeUnwrap()).toBeDefined();
  });

  it('erases the methods of a customer, and the card of a charge', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { id } = JSON.parse((await charge(world, appointmentId, method)).text);
    world.clock.advance(keyRetentionMs + hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    const asked = { customerId: 'customer', appointmentIds: [appointmentId] };
    const erased = (await world.chairside.eraseCustomer(asked))._unsafeUnwrap();
    expect(erased).toMatchObject({ payments: 1, setups: 1, pending: [] });
    expect(await stored(world, id)).not.toHaveProperty('card');
    const next = await givenAppointment(world, { terms: { customerId: 'customer' } });
    problem(await charge(world, next, method), 'unprocessableEntity');
  });

  it('tells the host what a deposit exceeds the amount due by, and one refund returns it', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { id } = JSON.parse((await charge(world, appointmentId, method)).text);
    expect((await chargesOf(world, appointmentId)).excess).toBe('0.00');
    await givenAppointment(world, {
      id: appointmentId,
      amountDue: '12.00',
      terms: { customerId: 'customer' },
    });
    const { excess } = await chargesOf(world, appointmentId);
    expect(excess).toBe('8.00');
    const body = { amount: excess };
    const refunded = await world.send('refundPayment', 'owner', { id, key: fresh('key'), body });
    expect(refunded.status).toBe(201);
    expect((await chargesOf(world, appointmentId)).excess).toBe('0.00');
  });

  it('returns the whole deposit of a visit that is called off in time', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { id } = JSON.parse((await charge(world, appointmentId, method)).text);
    const refunded = await world.send('refundPayment', 'owner', { id, key: fresh('key') });
    expect(JSON.parse(refunded.text)).toMatchObject({ amount: '20.00', state: 'succeeded' });
    const canceled = await world.chairside.cancelCharge(host, { chargeId: id });
    expect(canceled._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'captured' },
    });
    const receipt = await world.chairside.getReceipt(host, { contactlessPaymentId: id });
    expect(receipt._unsafeUnwrap()).toMatchObject({ amount: '20.00', refunds: [{}] });
  });

  it('leaves so much less to refund while it is disputed (D45)', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { id } = JSON.parse((await charge(world, appointmentId, method)).text);
    const { reference = '' } = await stored(world, id);
    expect(world.processor.dispute(reference, 1500n).isOk()).toBe(true);
    await passDays(world, 1);
    const disputes = await world.chairside.listDisputes({ state: 'open', limit: 1 });
    expect(disputes._unsafeUnwrap()).toMatchObject([{ contactlessPaymentId: id, amount: '15.00' }]);
    const refund = (amount: string) =>
      world.send('refundPayment', 'owner', { id, key: fresh('key'), body: { amount } });
    problem(await refund('5.01'), 'conflict');
    expect((await refund('5.00')).status).toBe(201);
  });

  it('needs a review if the processor does not tell its end for days (D43)', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    world.processor.failNext('authorizeMethod', 'timeoutAfterApplying');
    world.processor.failNext('readPayment', 'failure', 1000);
    expect((await charge(world, appointmentId, method)).status).toBe(503);
    for (let hours = 0; hours < 80; hours += 1) {
      world.clock.advance(hourMs);
      (await world.chairside.reconcile())._unsafeUnwrap();
    }
    const reviews = (await world.chairside.listReviews())._unsafeUnwrap();
    expect(reviews).toMatchObject([
      { contactlessPaymentId: expect.stringMatching(/^chg_/), reason: 'unsettled' },
    ]);
  });

  it('lets a host add up what was paid for the visit, the tips and the fees apart', async () => {
    const world = await makeWorld({ tips: {} });
    const terms = { customerId: 'customer', noShowFeeMinor: 1500n };
    const { appointmentId, method } = await givenBooking(world, terms);
    await charge(world, appointmentId, method, { amount: '10.00' });
    const missed = { ...terms, isMissed: true };
    await givenAppointment(world, { id: appointmentId, terms: missed });
    const fee = await charge(world, appointmentId, method, { purpose: 'noShow', amount: '15.00' });
    const back = { id: JSON.parse(fee.text).id, key: fresh('refund'), body: { amount: '5.00' } };
    expect((await world.send('refundPayment', 'owner', back)).status).toBe(201);

    const rows = new Map<string, MoneyEntry>();
    for (const event of await delivered(world)) {
      const entry = moneyEntryOf(event)._unsafeUnwrap();
      if (entry !== undefined) rows.set(entry.reference, entry);
    }
    const sum = (part: 'paidMinor' | 'tipMinor' | 'feeMinor') =>
      [...rows.values()].reduce((total, entry) => total + entry[part], 0n);
    expect([sum('paidMinor'), sum('tipMinor'), sum('feeMinor')]).toEqual([1000n, 0n, 1000n]);
  });

  it('names its purpose and refusal in the events', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    await charge(world, appointmentId, method);
    const refusedOne = await givenBooking(world, { card: 'needs_customer' });
    await charge(world, refusedOne.appointmentId, refusedOne.method);
    const told: string[][] = [];
    const delivered = await world.chairside.events.deliver(async ({ type, data }) => {
      const { purpose = '' } = 'purpose' in data ? data : {};
      const { refusal = '' } = 'refusal' in data ? data : {};
      told.push([type.replace('contactlessPayment.', ''), purpose, refusal]);
    });
    expect(delivered.isOk()).toBe(true);
    expect(told.sort()).toEqual([
      ['authorized', 'deposit', ''],
      ['canceled', 'deposit', 'customerMustAct'],
      ['captured', 'deposit', ''],
      ['created', 'deposit', ''],
      ['created', 'deposit', ''],
      ['failed', 'deposit', ''],
    ]);
  });

  it('needs a processor that can charge', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { charges: _charges, ...processor } = world.processor;
    const { store, clock } = world;
    const node = createChairside({ store, processor, clock, rateLimits: 'off' });
    const body = {
      purpose: 'deposit',
      amount: '20.00',
      paymentMethodSetupId: method,
      agreedAt: '2026-10-01T09:00:00.000Z',
      agreementRef: 'terms-7',
    } as const;
    const asked = { appointmentId, idempotencyKey: 'k', body };
    const refused = await node.chargePaymentMethod(host, asked);
    expect(refused._unsafeUnwrapErr().type).toBe('paymentProviderNotSetup');
    // It began nothing.
    const found = await store.setups.get(method);
    expect(found._unsafeUnwrap()).not.toHaveProperty('chargeId');
  });

  it('keeps the key of a saved method for as long as before', async (world) => {
    const prepare = () =>
      world.send('preparePaymentMethod', 'customer', {
        body: { savePaymentMethod: true },
        key: 'k',
      });
    const prepared = setup(await prepare());
    const { clientSecret, paymentMethodSetupId } = prepared;
    expect(world.processor.completeSetup(clientSecret, 'visa_credit').isOk()).toBe(true);
    const appointmentId = await givenAppointment(world, { terms: { customerId: 'customer' } });
    const before = (await world.store.setups.get(paymentMethodSetupId))._unsafeUnwrap();
    expect((await charge(world, appointmentId, paymentMethodSetupId)).status).toBe(201);
    const after = (await world.store.setups.get(paymentMethodSetupId))._unsafeUnwrap();
    const nextCheckAt = world.clock.now() + hourMs + keyRetentionMs;
    expect(after).toMatchObject({ version: (before?.version ?? 0) + 1, nextCheckAt });
    world.clock.advance(2 * hourMs);
    const next = await givenAppointment(world, { terms: { customerId: 'customer' } });
    expect((await charge(world, next, paymentMethodSetupId)).status).toBe(201);
    const later = await world.store.setups.get(paymentMethodSetupId);
    expect(later._unsafeUnwrap()).toMatchObject({ nextCheckAt });
    await passDays(world, 2);
    expect(setup(await prepare())).toEqual(prepared);
  });
});

async function healed(world: World): Promise<void> {
  for (let times = 1; times <= 8; times += 1) {
    world.clock.advance(times * minuteMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
  }
}

const stillHeld = ({ processor }: World) =>
  processor.entries().filter(({ status }) => status !== 'captured' && status !== 'canceled');

describeEverywhere('charges at the same time', ({ it }) => {
  it.for([true, false])('of two desks with one method are one, saved: %s', async (save, world) => {
    const method = await givenMethod(world, { save });
    const terms = {
      customerId: 'customer',
      noShowFeeMinor: 1500n,
      isMissed: true,
      ...(!save && { paymentMethodSetupId: method }),
    };
    const appointmentId = await givenAppointment(world, { terms });
    const asked = { purpose: 'noShow', amount: '15.00' } as const;
    const answers = await Promise.all(
      [1, 2, 3].map(() => charge(world, appointmentId, method, asked)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await takenMinor(world)).toBe(1500n);
    await healed(world);
    expect(await takenMinor(world)).toBe(1500n);
    expect(stillHeld(world)).toEqual([]);
  });

  it('of two desks with two methods take one fee', async (world) => {
    const methods = [await givenMethod(world), await givenMethod(world)];
    const terms = { customerId: 'customer', noShowFeeMinor: 1500n, isMissed: true };
    const appointmentId = await givenAppointment(world, { terms });
    const asked = { purpose: 'noShow', amount: '7.00' } as const;
    await Promise.all(methods.map((method) => charge(world, appointmentId, method, asked)));
    await healed(world);
    expect(await takenMinor(world)).toBe(700n);
  });

  it('of two desks with two methods take one deposit (D49)', async (world) => {
    const methods = [await givenMethod(world), await givenMethod(world), await givenMethod(world)];
    const appointmentId = await givenAppointment(world, { terms: { customerId: 'customer' } });
    const asked = { amount: '10.00' };
    const answers = await Promise.all(
      methods.map((method) => charge(world, appointmentId, method, asked)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    await healed(world);
    expect(await takenMinor(world)).toBe(1000n);
    expect(stillHeld(world)).toEqual([]);
  });

  it('of one key are one', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const taps = [1, 2, 3].map(() => charge(world, appointmentId, method, { key: 'k' }));
    await Promise.all(taps);
    const last = await charge(world, appointmentId, method, { key: 'k' });
    expect(last.status).toBe(201);
    expect(await takenMinor(world)).toBe(2000n);
  });
});

describeEverywhere('a charge under way', ({ it }) => {
  /** Begins a charge, and holds its authorization at the processor. */
  async function held(world: World) {
    const { appointmentId, method } = await givenBooking(world);
    world.processor.failNext('authorizeMethod', 'slow');
    const charging = charge(world, appointmentId, method, { key: 'k' });
    await until(() => world.processor.count('authorizeMethod').made === 1);
    const end = () => {
      world.processor.release();
      return charging;
    };
    return { appointmentId, method, end };
  }

  it('takes no more than is due by then', async (world) => {
    const { appointmentId, end } = await held(world);
    await givenAppointment(world, {
      id: appointmentId,
      amountDue: '19.99',
      terms: { customerId: 'customer' },
    });
    const refused = problem(await end(), 'conflict');
    expect(reason(refused)).toBe('exceedsRemainingBalance');
    expect(await takenMinor(world)).toBe(0n);
    expect(stillHeld(world)).toEqual([]);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ reservedMinor: 0n });
    const again = problem(
      await charge(world, appointmentId, 'pms', { key: 'k2' }),
      'unprocessableEntity',
    );
    expect(again.status).toBe(422);
  });

  it('ends before the method is withdrawn, and no other begins', async (world) => {
    const { appointmentId, method, end } = await held(world);
    const release = () =>
      world.chairside.releasePaymentMethod(host, { paymentMethodSetupId: method });
    const early = await release();
    expect(early._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'running' },
    });
    const other = await givenAppointment(world, { terms: { customerId: 'customer' } });
    const refused = problem(await charge(world, other, method), 'conflict');
    expect(reason(refused)).toBe('methodReleased');
    expect((await end()).status).toBe(201);
    expect((await release()).isOk()).toBe(true);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ capturedMinor: 2000n });
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('excludes another charge of its method', async (world) => {
    const { method, end } = await held(world);
    const other = await givenAppointment(world, { terms: { customerId: 'customer' } });
    const key = fresh('key');
    const refused = problem(await charge(world, other, method, { key }), 'conflict');
    expect(reason(refused)).toBe('chargeUnderWay');
    await end();
    expect((await charge(world, other, method, { key })).status).toBe(201);
  });

  it('keeps the method from an erasure', async (world) => {
    const { method, end } = await held(world);
    (
      await world.chairside.readPaymentMethodSetup(host, { paymentMethodSetupId: method })
    )._unsafeUnwrap();
    const erase = () => world.chairside.eraseCustomer({ customerId: 'customer' });
    expect((await erase())._unsafeUnwrap()).toMatchObject({ setups: 0, pending: [method] });
    await end();
    expect((await erase())._unsafeUnwrap()).toMatchObject({ setups: 1, pending: [] });
  });

  it('is canceled by the host before it takes money', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    world.processor.failNext('capturePayment', 'refused');
    const first = await charge(world, appointmentId, method, { key: 'k' });
    expect(first.status).toBe(503);
    const { items } = JSON.parse(
      (await world.send('listCharges', 'owner', { id: appointmentId })).text,
    );
    const canceled = await world.chairside.cancelCharge(host, { chargeId: items[0].id });
    expect(canceled._unsafeUnwrap().state).toBe('canceled');
    const again = problem(await charge(world, appointmentId, method, { key: 'k' }), 'conflict');
    expect(reason(again)).toBe('chargeCanceled');
    await healed(world);
    expect(await takenMinor(world)).toBe(0n);
  });
});

describeEverywhere('a charge whose process dies', ({ it, makeWorld, isFirst }) => {
  const faults = [
    [undefined, 'slow'],
    ['authorizeMethod', 'timeoutBeforeApplying'],
    ['authorizeMethod', 'timeoutAfterApplying'],
    ['authorizeMethod', 'failure'],
    ['authorizeMethod', 'failureAfterApplying'],
    ['authorizeMethod', 'landsLater'],
    ['authorizeMethod', 'notSetUp'],
    ['capturePayment', 'timeoutBeforeApplying'],
    ['capturePayment', 'timeoutAfterApplying'],
    ['capturePayment', 'failureAfterApplying'],
    ['capturePayment', 'landsLater'],
  ] as const;

  const deaths = isFirst ? [0, 1, 2, 3, 4, 5, 6] : [3];
  it.for(isFirst ? faults : faults.slice(2, 3))(
    'is taken once, or not at all: %s %s',
    async ([call, fault]) => {
      for (const retries of [true, false]) {
        for (const commits of deaths) {
          const world = await makeWorld();
          const { processor, clock } = world;
          const { appointmentId, method } = await givenBooking(world);
          const store = dyingAfter(world.store, commits);
          const node = createChairside({ store, processor, clock, rateLimits: 'off' });
          if (call !== undefined) processor.failNext(call, fault);
          const input = { appointmentId, idempotencyKey: 'k', body: chargeBody(method) };
          const first = await node.chargePaymentMethod(host, input);
          if (commits === 0) expect(first.isErr()).toBe(true);
          clock.advance(minuteMs);
          if (retries) {
            const again = await world.chairside.chargePaymentMethod(host, input);
            expect(again.isOk() || again.error.type !== 'internalError').toBe(true);
          }
          processor.landAbandoned();
          await healed(world);
          clock.advance(3 * hourMs);
          for (let times = 1; times <= 3; times += 1) {
            (await world.chairside.reconcile())._unsafeUnwrap();
            clock.advance(hourMs);
          }
          const ledger = await ledgerOf(world, appointmentId);
          const about = `${commits} commits, retries: ${retries}`;
          expect(ledger, about).toMatchObject({ reservedMinor: 0n, openPayments: 0 });
          expect(await takenMinor(world), about).toBe(ledger.capturedMinor);
          expect([0n, 2000n], about).toContain(ledger.capturedMinor);
          expect(stillHeld(world), about).toEqual([]);
          if (first.isOk()) expect(ledger.capturedMinor).toBe(2000n);
          else if (first.error.recovery.outcome === 'notApplied' && !retries) {
            expect(ledger.capturedMinor, about).toBe(0n);
          }
        }
      }
    },
  );
});
