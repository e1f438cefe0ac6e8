import { createChairside, errAsync, okAsync, type Store } from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { anAppointment, createManualClock, createMapStore } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';
import { payment, payments, problem, reason } from '../src/answer.ts';
import { people } from '../src/people.ts';
import { capture, create, givenAppointment, givenPresented, stored } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

describeEverywhere('an appointment that is given to another barber', (makeWorld) => {
  async function givenHandedOver(world: World) {
    const id = await givenAppointment(world);
    const presented = await givenPresented(world, { appointmentId: id });
    await givenAppointment(world, { id, barber: 'ben' });
    return { id, ...presented };
  }

  it('shows its payments to him, and to her who opened them (D38)', async () => {
    const world = await makeWorld();
    const { payment: opened } = await givenHandedOver(world);
    for (const barber of ['ada', 'ben'] as const) {
      const read = await world.send('getContactlessPayment', barber, { id: opened.id });
      expect(payment(read, 200).id).toBe(opened.id);
    }
    const read = await world.send('getContactlessPayment', 'cleo', { id: opened.id });
    problem(read, 'forbidden');
  });

  it('lists them and opens new ones for him alone', async () => {
    const world = await makeWorld();
    const { id, payment: opened } = await givenHandedOver(world);
    const listed = await world.send('listContactlessPayments', 'ben', { id });
    expect(payments(listed).items.map((shown) => shown.id)).toEqual([opened.id]);
    payment(await create(world, id, { as: 'ben' }), 201);
    problem(await world.send('listContactlessPayments', 'ada', { id }), 'forbidden');
    problem(await create(world, id), 'forbidden');
  });

  it.each(['ada', 'ben'] as const)('is paid when %s captures', async (barber) => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenHandedOver(world);
    problem(await capture(world, opened.id, reference, { as: 'cleo' }), 'forbidden');
    const captured = await capture(world, opened.id, reference, { as: barber });
    expect(payment(captured, 200).state).toBe('captured');
  });

  it('is canceled for each of them', async () => {
    for (const barber of ['ada', 'ben'] as const) {
      const world = await makeWorld();
      const { payment: opened } = await givenHandedOver(world);
      const input = { contactlessPaymentId: opened.id };
      const refused = await world.chairside.cancelContactlessPayment(people.cleo, input);
      expect(refused._unsafeUnwrapErr().type).toBe('forbidden');
      const canceled = await world.chairside.cancelContactlessPayment(people[barber], input);
      expect(canceled._unsafeUnwrap().state).toBe('canceled');
    }
  });
});

describeEverywhere('an appointment that moves to another business (D38)', (makeWorld) => {
  /** Opened by Ada at the shop; the appointment is now Ben's, at the branch. */
  async function givenMoved(world: World, currency = 'eur') {
    const processorAccount = { id: 'acct_branch', currency };
    const branch = { id: 'branch', name: 'Marlow & Sons, New Town', processorAccount };
    expect((await world.chairside.records.putBusiness(branch)).isOk()).toBe(true);
    const id = await givenAppointment(world);
    const presented = await givenPresented(world, { appointmentId: id });
    await givenAppointment(world, { id, barber: 'ben', business: 'branch' });
    return { id, ...presented };
  }

  it('shows its payments to the barber who opened them, and to no other', async () => {
    const world = await makeWorld();
    const { payment: opened } = await givenMoved(world);
    const read = (as: 'ada' | 'ben') => world.send('getContactlessPayment', as, { id: opened.id });
    expect(payment(await read('ada'), 200).id).toBe(opened.id);
    const refused = await read('ben');
    problem(refused, 'forbidden');
    expect(refused.text).not.toContain(opened.clientSecret);
  });

  it('captures its payments only for the barber who opened them', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenMoved(world);
    problem(await capture(world, opened.id, reference, { as: 'ben' }), 'forbidden');
    expect(world.processor.count('capturePayment').made).toBe(0);
    payment(await capture(world, opened.id, reference), 200);
  });

  it('captures no payment in another currency than the present business has (D39)', async () => {
    const world = await makeWorld();
    const { payment: opened, reference } = await givenMoved(world, 'usd');
    const refused = problem(await capture(world, opened.id, reference), 'conflict');
    expect(reason(refused)).toBe('currencyChanged');
    expect(world.processor.ledgerEntry(reference)?.status).toBe('canceled');
  });

  it('lists the payments of the present business, and opens new ones at its account', async () => {
    const world = await makeWorld();
    const { id } = await givenMoved(world);
    const list = async () => payments(await world.send('listContactlessPayments', 'ben', { id }));
    expect(await list()).toEqual({ items: [], count: 0 });
    const own = payment(await create(world, id, { as: 'ben', amount: '5.00' }), 201);
    expect(await list()).toMatchObject({ items: [{ id: own.id }], count: 1 });
    expect((await stored(world, own.id)).account).toBe('acct_branch');
    await givenAppointment(world, { id, barber: 'ben' });
    expect(await list()).toMatchObject({ count: 1 });
    expect((await list()).items[0]?.id).not.toBe(own.id);
  });

  it('is managed by the business of the payment, not by the present one', async () => {
    const world = await makeWorld();
    const { payment: opened } = await givenMoved(world);
    const input = { contactlessPaymentId: opened.id };
    for (const caller of [{ subject: 'user-branch', businessIds: ['branch'] }, people.ben]) {
      const refused = await world.chairside.cancelContactlessPayment(caller, input);
      expect(refused._unsafeUnwrapErr()).toMatchObject({
        type: 'forbidden',
        detail: expect.stringContaining('an administrator'),
      });
    }
    const canceled = await world.chairside.cancelContactlessPayment(people.owner, input);
    expect(canceled._unsafeUnwrap().state).toBe('canceled');
  });
});

type Appointments = Store['appointments'];

describe('if the appointment of a payment cannot be read', () => {
  const gone: Appointments['get'] = () => okAsync(undefined);
  const failing: Appointments['get'] = () =>
    errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' });

  it.each([
    ['it is gone', gone, 'forbidden'],
    ['the store fails', failing, 'serviceUnavailable'],
  ] as const)('because %s, the barber who opened it has access', async (_, missing, type) => {
    const clock = createManualClock();
    const store = createMapStore();
    let isThere = true;
    const appointments: Appointments = {
      get: (id) => (isThere ? okAsync(anAppointment({ id, businessId: 'shop' })) : missing(id)),
    };
    const chairside = createChairside({
      store: { ...store, appointments },
      processor: createFakeProcessor({ clock }),
      clock,
    });
    const account = { id: 'acct_shop', currency: 'eur' };
    const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount: account };
    expect((await chairside.records.putBusiness(shop)).isOk()).toBe(true);
    const { barber } = anAppointment({ id: 'haircut', businessId: 'shop' });
    const opener = { ...people.ada, barberId: barber.id };
    const opened = await chairside.createContactlessPayment(opener, {
      appointmentId: 'haircut',
      idempotencyKey: 'key',
    });
    isThere = false;

    const input = { contactlessPaymentId: opened._unsafeUnwrap().id };
    const read = (caller: typeof opener) => chairside.getContactlessPayment(caller, input);
    expect((await read(opener)).isOk()).toBe(true);
    const other = { ...opener, barberId: 'somebody else' };
    expect((await read(other))._unsafeUnwrapErr().type).toBe(type);
  });
});
