import { hourMs, okAsync } from '@chairside/core';
import type { Change, Payment } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { payment, refund, refunds, setup } from '../src/answer.ts';
import {
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  stored,
} from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

async function reconciled({ chairside }: Pick<World, 'chairside'>) {
  return (await chairside.reconcile())._unsafeUnwrap();
}

/** A captured payment whose keys are deleted. */
async function givenSettled(world: World) {
  const appointmentId = await givenAppointment(world);
  const captured = await givenCaptured(world, { appointmentId });
  world.clock.advance(72 * hourMs);
  await reconciled(world);
  return { ...captured, appointmentId };
}

const get = async (world: World, id: string) =>
  payment(await world.send('getContactlessPayment', 'ada', { id }), 200);

describeEverywhere('erasing', (makeWorld) => {
  it('a client secret stays until the payment is final and its keys are deleted (D47)', async () => {
    const world = await makeWorld();
    const { payment: captured } = await givenCaptured(world);
    expect((await get(world, captured.id)).clientSecret).toBe(captured.clientSecret);
    world.clock.advance(72 * hourMs);
    await reconciled(world);
    expect((await stored(world, captured.id))?.clientSecret).toBe('');
    expect(await get(world, captured.id)).toEqual({ ...captured, clientSecret: '' });
  });

  it('a customer’s erasure removes the card of settled payments, and keeps amounts and ids (D47)', async () => {
    const world = await makeWorld();
    const { payment: captured, appointmentId, reference } = await givenSettled(world);
    const open = await givenPresented(world, { appointmentId: await givenAppointment(world) });
    const input = {
      customerId: 'customer',
      appointmentIds: [appointmentId, open.payment.appointment.id],
    };
    const erase = async () => (await world.chairside.eraseCustomer(input))._unsafeUnwrap();
    const { version } = await stored(world, captured.id);
    expect(await erase()).toMatchObject({ payments: 1, setups: 0, pending: [open.payment.id] });
    // Later events of the payment come behind the earlier ones.
    expect((await stored(world, captured.id)).version).toBe(version + 1);
    const { card: _card, clientSecret: _secret, ...rest } = captured;
    expect(await get(world, captured.id)).toEqual({ ...rest, clientSecret: '' });
    expect(await erase()).toMatchObject({ payments: 0 });

    // Later replies of the processor do not restore it.
    expect(world.processor.refund(reference, 100n).isOk()).toBe(true);
    for (const event of world.processor.takeEvents()._unsafeUnwrap()) {
      expect((await world.chairside.receiveProcessorEvent(event)).isOk()).toBe(true);
    }
    expect(await get(world, captured.id)).not.toHaveProperty('card');
  });

  it('a customer’s erasure removes the reasons of refunds once their keys are deleted', async () => {
    const world = await makeWorld();
    const { payment: captured, appointmentId } = await givenSettled(world);
    const body = { amount: '5.00', reason: 'Mrs. Doe has an allergy' };
    const asked = { id: captured.id, key: fresh('refund'), body };
    const refunded = refund(await world.send('refundPayment', 'owner', asked), 201);
    const input = { customerId: 'customer', appointmentIds: [appointmentId] };
    const erase = async () => (await world.chairside.eraseCustomer(input))._unsafeUnwrap();
    // A refund without a reason holds no personal data, so it need not be waited for.
    const bare = { id: captured.id, key: fresh('refund'), body: { amount: '1.00' } };
    const unnamed = refund(await world.send('refundPayment', 'owner', bare), 201);
    expect((await erase()).pending).toEqual([refunded.id]);
    // Its key returns the same response for as long as it is kept (D21).
    expect(refund(await world.send('refundPayment', 'owner', asked), 201)).toEqual(refunded);

    world.clock.advance(73 * hourMs);
    await reconciled(world);
    expect((await erase()).pending).toEqual([]);
    const { items } = refunds(await world.send('listRefunds', 'owner', { id: captured.id }));
    const { reason: _reason, ...without } = refunded;
    expect(items).toHaveLength(2);
    for (const kept of [unnamed, { ...without, updatedAt: expect.any(String) }]) {
      expect(items).toContainEqual(kept);
    }
  });

  it('a customer’s erasure deletes finished setups with their keys, and names the others', async () => {
    const world = await makeWorld();
    const prepare = async () =>
      setup(
        await world.send('preparePaymentMethod', 'customer', {
          body: { savePaymentMethod: true },
          key: fresh('key'),
        }),
      );
    const over = await prepare();
    world.clock.advance(hourMs);
    await reconciled(world);
    const open = await prepare();
    const erased = (
      await world.chairside.eraseCustomer({ customerId: 'customer' })
    )._unsafeUnwrap();
    expect(erased).toEqual({
      customerIds: ['customer'],
      payments: 0,
      setups: 1,
      pending: [open.paymentMethodSetupId],
    });
    const left = (await world.store.setups.listByCustomer('customer', 9))._unsafeUnwrap();
    expect(left.map(({ id }) => id)).toEqual([open.paymentMethodSetupId]);
    expect(left.map(({ id }) => id)).not.toContain(over.paymentMethodSetupId);
  });

  it('a customer’s erasure deletes a setup that was never opened, once it is closed', async () => {
    const world = await makeWorld();
    const body = { savePaymentMethod: true };
    const prepare = () => world.send('preparePaymentMethod', 'customer', { body, key: 'k' });
    const erase = async () =>
      (await world.chairside.eraseCustomer({ customerId: 'customer' }))._unsafeUnwrap();
    world.processor.failNext('openSetup', 'timeoutBeforeApplying');
    expect((await prepare()).status).toBe(503);
    expect(await erase()).toMatchObject({ setups: 0, pending: [expect.stringMatching(/^pms_/)] });
    world.clock.advance(hourMs);
    expect((await prepare()).status).toBe(409);
    expect(await erase()).toMatchObject({ setups: 1, pending: [] });
  });

  it('a customer’s erasure deletes all finished setups, however many (D47)', async () => {
    const { chairside, clock, store } = await makeWorld();
    const at = clock.now();
    const insert = (number: number): Change => ({
      kind: 'insertSetup',
      setup: {
        id: `pms_${number}`,
        customerId: 'customer',
        savePaymentMethod: true,
        version: 1,
        createdAt: at,
        expiresAt: at,
        outcome: 'canceled',
        nextCheckAt: at,
      },
    });
    for (let from = 0; from < 1200; from += 300) {
      const changes = Array.from({ length: 300 }, (_, index) => insert(from + index));
      expect((await store.commit({ id: `seed-${from}`, at, changes })).isOk()).toBe(true);
    }
    const erased = await chairside.eraseCustomer({ customerId: 'customer' });
    expect(erased._unsafeUnwrap()).toMatchObject({ payments: 0, setups: 1200, pending: [] });
    expect((await store.setups.listByCustomer('customer', 9))._unsafeUnwrap()).toEqual([]);
  });

  it('a customer’s erasure removes the card behind any number of payments', async () => {
    const world = await makeWorld();
    const { appointmentId, payment: settled } = await givenSettled(world);
    const { card: _card, ...payment } = await stored(world, settled.id);
    const at = world.clock.now();
    const copy = (): Change => ({
      kind: 'insertPayment',
      payment: { ...payment, id: fresh('cpm'), createdAt: at },
      ledger: undefined,
      sweepFrom: at,
    });
    for (let batch = 0; batch < 7; batch += 1) {
      const changes = Array.from({ length: 300 }, copy);
      const written = await world.store.commit({ id: fresh('seed'), at, changes });
      expect(written.isOk()).toBe(true);
    }
    await givenAppointment(world, { id: appointmentId, amountDue: '90.00' });
    const open = await givenPayment(world, { appointmentId });
    const input = { customerId: 'customer', appointmentIds: [appointmentId] };
    const erased = await world.chairside.eraseCustomer(input);
    expect(erased._unsafeUnwrap()).toMatchObject({ payments: 1, setups: 0, pending: [open.id] });
    expect(await stored(world, settled.id)).not.toHaveProperty('card');
  });

  it('a customer’s erasure names an appointment with more payments than it reads', async () => {
    let payment: Payment | undefined;
    const limits: number[] = [];
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        payments: {
          ...real.payments,
          listByAppointment(id, limit, businessId) {
            if (payment === undefined)
              return real.payments.listByAppointment(id, limit, businessId);
            limits.push(limit);
            return okAsync(Array<Payment>(limit).fill(payment));
          },
        },
        refunds: { ...real.refunds, listByPayment: () => okAsync([]) },
      }),
    });
    const { appointmentId, payment: settled } = await givenSettled(world);
    const { card: _card, ...erased } = await stored(world, settled.id);
    payment = erased;
    const input = { customerId: 'customer', appointmentIds: [appointmentId] };
    expect((await world.chairside.eraseCustomer(input))._unsafeUnwrap()).toMatchObject({
      payments: 0,
      setups: 0,
      pending: [appointmentId],
    });
    expect(limits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000]);
  });

  it('rejects invalid input', async () => {
    const { chairside } = await makeWorld();
    const most = { customerId: 'a', appointmentIds: Array.from({ length: 100 }, (_, n) => `${n}`) };
    expect((await chairside.eraseCustomer(most)).isOk()).toBe(true);
    for (const input of [
      { customerId: 'a\u0000' },
      { customerId: 'a', appointmentIds: Array.from({ length: 101 }, (_, n) => `${n}`) },
    ]) {
      expect((await chairside.eraseCustomer(input))._unsafeUnwrapErr().status).toBe(400);
    }
  });
});
