import { type Appointment, parseMoney } from '@chairside/core';
import { expect } from 'vitest';
import { payment, problem, reason, terminal } from '../src/answer.ts';
import { charge, givenMethod } from '../src/charges.ts';
import { people } from '../src/people.ts';
import { create, fresh, givenCaptured, ledgerOf, register } from '../src/shop.ts';
import { account, describeEverywhere, type World } from '../src/world.ts';

async function putVisit(
  { chairside }: World,
  id: string,
  more: Partial<Appointment> & { readonly due?: string } = {},
): Promise<void> {
  const { due = '45.00', ...given } = more;
  const put = await chairside.records.putAppointment({
    id,
    businessId: 'shop',
    amountDueMinor: parseMoney(due)._unsafeUnwrap(),
    occursOn: '2026-11-20T10:00:00.000Z',
    timeZone: 'Europe/Berlin',
    barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
    ...given,
  });
  expect(put.isOk()).toBe(true);
}

describeEverywhere('the recipes of the guide', ({ it }) => {
  it('charge a fee less the deposit, and leave nothing due', async (world) => {
    const id = fresh('visit');
    const method = await givenMethod(world);
    await putVisit(world, id, { customerId: 'customer' });
    expect((await charge(world, id, method)).status).toBe(201);
    const missed = { customerId: 'customer', isMissed: true, noShowFeeMinor: 1000n };
    await putVisit(world, id, missed);
    const fee = { purpose: 'noShow', amount: '10.00' } as const;
    expect((await charge(world, id, method, fee)).status).toBe(201);
    await putVisit(world, id, { ...missed, due: '20.00' });
    expect((await ledgerOf(world, id)).capturedMinor).toBe(2000n);
    expect(problem(await create(world, id), 'appointmentAlreadyPaid').status).toBe(409);
    const excess = await world.chairside.refundExcess(people.owner, {
      appointmentId: id,
      idempotencyKey: fresh('excess'),
    });
    expect(excess._unsafeUnwrapErr().attributes).toMatchObject({ reason: 'noExcess' });
  });

  it('let a desk collect at one shop while the barber’s own phone belongs to the other', async (world) => {
    const id = fresh('visit');
    await putVisit(world, id);
    const { putBarber } = world.chairside.records;
    expect((await putBarber({ id: 'ada', businessId: 'newShop' })).isOk()).toBe(true);
    terminal(await register(world), 201);
    // The desk's phone, of which the create does not tell.
    terminal(await register(world, { as: 'ben' }), 201);
    expect(payment(await create(world, id), 201).amount).toBe('45.00');
  });

  it('take no fee once the price was lowered to the deposit', async (world) => {
    const id = fresh('visit');
    const method = await givenMethod(world);
    await putVisit(world, id, { customerId: 'customer' });
    expect((await charge(world, id, method)).status).toBe(201);
    await putVisit(world, id, {
      customerId: 'customer',
      isMissed: true,
      noShowFeeMinor: 1000n,
      due: '20.00',
    });
    const refused = await charge(world, id, method, { purpose: 'noShow', amount: '10.00' });
    expect(reason(problem(refused, 'conflict'))).toBe('visitPaid');
  });

  it('charge the card of the payer alone', async (world) => {
    const method = await givenMethod(world);
    const id = fresh('visit');
    await putVisit(world, id, { customerId: 'child' });
    expect((await charge(world, id, method)).status).toBe(422);
    await putVisit(world, id, { customerId: 'customer' });
    expect((await charge(world, id, method)).status).toBe(201);
  });

  it('sell to a walk-in', async (world) => {
    const id = fresh('sale');
    await putVisit(world, id, { due: '12.50' });
    const { payment: sold } = await givenCaptured(world, { appointmentId: id });
    expect(sold.amount).toBe('12.50');
  });

  it('let one desk open the payment of any barber', async (world) => {
    for (const barberId of ['ada', 'ben']) {
      const id = fresh('visit');
      await putVisit(world, id, { barber: { id: barberId, givenName: 'B', surname: 'C' } });
      const desk = { ...people.ada, subject: 'desk-old-town', barberId };
      const opened = await world.chairside.createContactlessPayment(desk, {
        appointmentId: id,
        idempotencyKey: fresh('desk'),
      });
      expect(opened.map(({ state }) => state)._unsafeUnwrap()).toBe('created');
    }
  });

  it('move a visit to the buyer of a shop, and its payments stay with the seller', async (world) => {
    const id = fresh('visit');
    await putVisit(world, id);
    const { payment: deposit } = await givenCaptured(world, { appointmentId: id, amount: '20.00' });
    const sold = await world.chairside.records.putBusiness({
      id: 'shop-of-buyer',
      name: 'Marlow & Sons',
      processorAccount: { ...account, id: 'acct_buyer' },
    });
    expect(sold.isOk()).toBe(true);
    await putVisit(world, id, { businessId: 'shop-of-buyer' });
    const listed = await world.chairside.listContactlessPayments(people.ada, { appointmentId: id });
    expect(listed.map(({ count }) => count)._unsafeUnwrap()).toBe(0);
    const rest = payment(await create(world, id), 201);
    expect(rest.amount).toBe('25.00');
    await world.send('refundPayment', 'owner', { id: deposit.id, key: fresh('refund') });
    await putVisit(world, id, { businessId: 'shop-of-buyer', due: '65.00' });
    expect(payment(await create(world, id), 201).amount).toBe('45.00');
  });

  it('keep what was paid when a visit moves to another day and barber', async (world) => {
    const id = fresh('visit');
    await putVisit(world, id, { customerId: 'customer' });
    await givenCaptured(world, { appointmentId: id, amount: '20.00' });
    await putVisit(world, id, {
      customerId: 'customer',
      occursOn: '2026-12-04T10:00:00.000Z',
      barber: { id: 'ben', givenName: 'Ben', surname: 'Marlow' },
    });
    expect(payment(await create(world, id, { as: 'ben' }), 201).amount).toBe('25.00');
  });
});
