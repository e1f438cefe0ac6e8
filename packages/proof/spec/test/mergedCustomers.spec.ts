import { hourMs } from '@chairside/core';
import { expect, it } from 'vitest';
import { problem, reason } from '../src/answer.ts';
import { charge, givenMethod } from '../src/charges.ts';
import { create, givenAppointment, givenCaptured } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

// `customer` saves the methods of these specs, and becomes `ines`.
const ines = { subject: 'user-ines', customerId: 'ines' };

async function merge({ chairside }: World, from = 'customer', into = 'ines') {
  return chairside.mergeCustomers({ from, into });
}

const ofInes = (world: World) => givenAppointment(world, { terms: { customerId: 'ines' } });

describeEverywhere('customers that become one', (makeWorld) => {
  it('say so once, and for good (D209)', async () => {
    const world = await makeWorld();
    const merged = (await merge(world))._unsafeUnwrap();
    expect(merged).toMatchObject({ customerId: 'ines', from: ['customer'] });
    world.clock.advance(hourMs);
    expect((await merge(world))._unsafeUnwrap()).toEqual(merged);
    for (const [from, into] of [
      ['ines', 'ines'],
      ['ines', 'customer'],
      ['customer', 'noa'],
      ['noa', 'customer'],
    ] as const) {
      const refused = (await merge(world, from, into))._unsafeUnwrapErr();
      expect(refused.attributes).toMatchObject({ reason: 'alreadyMerged' });
    }
    // What was merged before follows.
    const all = (await merge(world, 'ines', 'noa'))._unsafeUnwrap();
    expect(all.from).toEqual(['ines', 'customer']);
    const erased = (await world.chairside.eraseCustomer({ customerId: 'noa' }))._unsafeUnwrap();
    expect(erased.customerIds).toEqual(['noa', 'ines', 'customer']);
  });

  it('are charged with a card of the other only after a new agreement (D209)', async () => {
    const world = await makeWorld();
    const method = await givenMethod(world);
    const appointmentId = await ofInes(world);
    const asked = { agreedAt: '2026-11-02T09:00:00.000Z' };
    problem(await charge(world, appointmentId, method, asked), 'unprocessableEntity');
    world.clock.advance(hourMs);
    expect((await merge(world)).isOk()).toBe(true);
    problem(await charge(world, appointmentId, method, asked), 'unprocessableEntity');
    world.clock.advance(hourMs);
    const agreed = { agreedAt: '2026-11-02T10:00:00.000Z' };
    expect((await charge(world, appointmentId, method, agreed)).status).toBe(201);
    // Another customer's visit is charged with it no more than before.
    const other = await givenAppointment(world, { terms: { customerId: 'noa' } });
    problem(await charge(world, other, method, agreed), 'unprocessableEntity');
  });

  it('withdraw the card of the other', async () => {
    const world = await makeWorld();
    const paymentMethodSetupId = await givenMethod(world);
    const release = () => world.chairside.releasePaymentMethod(ines, { paymentMethodSetupId });
    expect((await release())._unsafeUnwrapErr().type).toBe('forbidden');
    expect((await merge(world)).isOk()).toBe(true);
    expect((await release()).isOk()).toBe(true);
  });

  it('are erased together, and the answer names both (D47, D209)', async () => {
    const world = await makeWorld();
    await givenMethod(world);
    const appointmentId = await ofInes(world);
    await givenCaptured(world, { appointmentId });
    expect((await merge(world)).isOk()).toBe(true);
    const input = { customerId: 'ines', appointmentIds: [appointmentId] };
    const erase = async () => (await world.chairside.eraseCustomer(input))._unsafeUnwrap();
    const first = await erase();
    expect(first.customerIds).toEqual(['ines', 'customer']);
    // The setup of the other is named while its key is kept.
    expect(first.pending.length + first.setups).toBeGreaterThan(0);
    for (let days = 0; days < 5; days += 1) {
      world.clock.advance(24 * hourMs);
      expect((await world.chairside.upkeep()).isOk()).toBe(true);
    }
    await erase();
    expect(await erase()).toMatchObject({ pending: [] });
    const kept = (await world.store.setups.listByCustomer('customer', 9))._unsafeUnwrap();
    expect(kept).toEqual([]);
  });

  it('are told what is kept of both, without a secret and without strangers (D209)', async () => {
    const world = await makeWorld();
    const method = await givenMethod(world);
    const appointmentId = await ofInes(world);
    const { payment } = await givenCaptured(world, { appointmentId });
    await world.send('refundPayment', 'owner', {
      id: payment.id,
      key: 'refund',
      body: { amount: '5.00', reason: 'A scratch.' },
    });
    const strange = await givenAppointment(world, { terms: { customerId: 'noa' } });
    await givenCaptured(world, { appointmentId: strange });
    expect((await merge(world)).isOk()).toBe(true);
    const kept = (
      await world.chairside.exportCustomer({
        customerId: 'ines',
        appointmentIds: [appointmentId, strange],
      })
    )._unsafeUnwrap();
    expect(kept.customerIds).toEqual(['ines', 'customer']);
    expect(kept.payments).toMatchObject([
      {
        id: payment.id,
        amount: '45.00',
        currency: 'eur',
        card: expect.any(Object),
        refunds: [{ amount: '5.00', reason: 'A scratch.' }],
        disputes: [],
      },
    ]);
    expect(kept.paymentMethodSetups).toMatchObject([{ id: method, customerId: 'customer' }]);
    expect(JSON.stringify(kept)).not.toContain('secret');
  });

  it('have one visit under an id that both paid at', async () => {
    const world = await makeWorld();
    const id = await givenAppointment(world, { terms: { customerId: 'customer' } });
    await givenCaptured(world, { appointmentId: id });
    const put = await world.chairside.records.putAppointment({
      id,
      businessId: 'shop',
      amountDueMinor: 6000n,
      customerId: 'ines',
      occursOn: '2026-12-02T10:00:00.000Z',
      barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
      location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
    });
    expect(put.isOk()).toBe(true);
    expect(reason(problem(await create(world, id), 'conflict'))).toBe('appointmentReused');
    expect((await merge(world)).isOk()).toBe(true);
    expect((await create(world, id)).status).toBe(201);
  });
});
