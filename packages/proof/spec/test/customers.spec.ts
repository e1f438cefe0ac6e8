import { type Chairside, hourMs, okAsync, parseMoney } from '@chairside/core';
import type { Change, Payment } from '@chairside/core/ports';
import { expect } from 'vitest';
import { payment, problem, reason, refund, refunds, setup } from '../src/answer.ts';
import { charge, givenMethod } from '../src/charges.ts';
import { deliverMessages, withBooks } from '../src/elsewhere.ts';
import { share } from '../src/shares.ts';
import {
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  ledgerOf,
  reconciled,
  stored,
} from '../src/shop.ts';
import { giveBack, givenTender, pay } from '../src/tenders.ts';
import { describeEverywhere, type World } from '../src/world.ts';

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

describeEverywhere('erasing', ({ it, makeWorld }) => {
  it('a client secret stays until the payment is final and its keys are deleted (D47)', async (world) => {
    const { payment: captured } = await givenCaptured(world);
    expect((await get(world, captured.id)).clientSecret).toBe(captured.clientSecret);
    world.clock.advance(72 * hourMs);
    await reconciled(world);
    expect((await stored(world, captured.id))?.clientSecret).toBe('');
    expect(await get(world, captured.id)).toEqual({ ...captured, clientSecret: '' });
  });

  it('a customer’s erasure removes the card of settled payments, and keeps amounts and ids (D47)', async (world) => {
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

  it('a customer’s erasure removes the reasons of refunds once their keys are deleted', async (world) => {
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

  it('a customer’s erasure removes the notes of reviews, and names the open ones (D47)', async (world) => {
    const { appointmentId } = await givenSettled(world);
    await deliverMessages(
      world,
      withBooks(world, (seen) => ({ ...seen, status: 'canceled' })),
    );
    const input = { customerId: 'customer', appointmentIds: [appointmentId] };
    const erase = async () => (await world.chairside.eraseCustomer(input))._unsafeUnwrap();
    const [open] = (await world.chairside.listReviews())._unsafeUnwrap();
    if (open === undefined) throw new Error('A review is open.');
    const { id: reviewId, reason, openedAt } = open;
    // A person may still name the customer in its note.
    expect((await erase()).pending).toEqual([reviewId]);
    const told = async () => (await world.chairside.exportCustomer(input))._unsafeUnwrap();
    expect((await told()).payments[0]?.reviews).toStrictEqual([{ reason, openedAt }]);
    const note = 'Mrs. Doe, 0171 555 0199, pays in cash.';
    const resolved = (await world.chairside.resolveReview({ reviewId, note }))._unsafeUnwrap();
    const { resolvedAt } = resolved;
    expect((await told()).payments[0]?.reviews).toEqual([{ reason, openedAt, resolvedAt, note }]);
    expect((await erase()).pending).toEqual([]);
    const { note: _note, ...without } = resolved;
    const left = (await world.chairside.listReviews({ state: 'resolved' }))._unsafeUnwrap();
    expect(left).toEqual([without]);
    const commits = () => world.observations.filter(({ kind }) => kind === 'commit').length;
    const written = commits();
    await erase();
    expect(commits()).toBe(written);
  });

  it('a customer’s erasure deletes finished setups with their keys, and names the others', async (world) => {
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

  it('a customer’s erasure deletes a setup that was never opened, once it is closed', async (world) => {
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

  it('a customer’s erasure deletes all finished setups, however many (D47)', async ({
    chairside,
    clock,
    store,
  }) => {
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

  it('a customer’s erasure removes the card behind any number of payments', async (world) => {
    const { appointmentId, payment: settled } = await givenSettled(world);
    const { card: _card, ...payment } = await stored(world, settled.id);
    const at = world.clock.now();
    const copy = (): Change => ({
      kind: 'insertPayment',
      payment: { ...payment, id: fresh('cpm'), createdAt: at },
      books: undefined,
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

  it.for([
    { name: 'mia', whose: 'names the customer' },
    { name: undefined, whose: 'names nobody' },
  ])('follows a payment to a visit with a new id: it $whose (D47, D208)', async ({ name }) => {
    const world = await makeWorld({ shares: true });
    const id = await givenPaid(world, name);
    const [paid] = (await world.store.payments.listByAppointment(id, 1))._unsafeUnwrap();
    const paymentId = paid?.id ?? '';
    const booked = await givenAppointment(world);
    expect((await share(world, paymentId, [[booked, '45.00']])).status).toBe(201);
    const input = { customerId: 'mia', appointmentIds: [booked] };
    const erase = async (over = {}) =>
      (await world.chairside.eraseCustomer({ ...input, ...over }))._unsafeUnwrap();
    const told = async (over = {}) =>
      (await world.chairside.exportCustomer({ ...input, ...over }))._unsafeUnwrap().payments;
    expect(await told()).toMatchObject([{ id: paymentId, card: expect.any(Object) }]);
    expect((await erase()).pending).toEqual([paymentId]);
    world.clock.advance(73 * hourMs);
    await reconciled(world);
    // With both ids it is named once.
    expect(await told({ appointmentIds: [id, booked] })).toHaveLength(1);
    const noa = { customerId: 'noa' };
    expect(await told(noa)).toHaveLength(name === undefined ? 1 : 0);
    if (name !== undefined) expect(await erase(noa)).toMatchObject({ payments: 0, pending: [] });
    expect(await stored(world, paymentId)).toHaveProperty('card');
    expect(await erase()).toMatchObject({ payments: 1, pending: [] });
    expect(await stored(world, paymentId)).not.toHaveProperty('card');
  });

  it('leaves a payment alone that nobody is named for and another visit has a part of', async () => {
    const world = await makeWorld({ shares: true });
    const { payment: paid } = await givenCaptured(world);
    const child = await givenAppointment(world);
    const parts = [
      [paid.appointment.id, '25.00'],
      [child, '20.00'],
    ] as const;
    expect((await share(world, paid.id, parts)).status).toBe(201);
    const input = { customerId: 'child', appointmentIds: [child] };
    const { payments } = (await world.chairside.exportCustomer(input))._unsafeUnwrap();
    expect(payments).toEqual([]);
    expect((await world.chairside.eraseCustomer(input))._unsafeUnwrap().pending).toEqual([]);
  });

  it('exports what the customer paid for a visit, and erases what anybody did (D47)', async (world) => {
    const id = await givenPaid(world, 'mother');
    const [deposit] = (await world.store.payments.listByAppointment(id, 1))._unsafeUnwrap();
    await putVisit(world, id, { customerId: 'son', sameVisit: true });
    const { payment: rest } = await givenCaptured(world, { appointmentId: id });
    world.clock.advance(73 * hourMs);
    await reconciled(world);
    const of = (customerId: string) => ({ customerId, appointmentIds: [id] });
    const erase = async (whom: string) =>
      (await world.chairside.eraseCustomer(of(whom)))._unsafeUnwrap();
    for (const [whom, own] of [
      ['mother', deposit?.id],
      ['son', rest.id],
    ] as const) {
      const kept = (await world.chairside.exportCustomer(of(whom)))._unsafeUnwrap();
      expect(kept.payments.map((one) => one.id)).toEqual([own]);
    }
    expect(await erase('son')).toMatchObject({ payments: 2, pending: [] });
    expect(await stored(world, rest.id)).not.toHaveProperty('card');
    expect(await stored(world, deposit?.id ?? '')).not.toHaveProperty('card');
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

  it.for(['tenders', 'shares'] as const)(
    'a customer’s erasure names an appointment with more %s than it reads',
    async (full) => {
      const world = await makeWorld({
        shares: true,
        store: (real) => ({
          ...real,
          [full]: {
            ...real[full],
            // As if the shared payments and the acts were lost.
            listByAppointment: (id: string, limit: number) =>
              real[full]
                .listByAppointment(id, 1)
                .map(([one]) => Array(limit).fill({ ...one, paymentId: 'lost', actId: 'lost' })),
          },
        }),
      });
      const appointmentId = await givenAppointment(world);
      await givenTender(world, appointmentId, '20.00');
      const { payment: paid } = await givenCaptured(world, { appointmentId });
      expect((await share(world, paid.id, [[appointmentId, '25.00']])).status).toBe(201);
      const input = { customerId: 'customer', appointmentIds: [appointmentId] };
      const { pending } = (await world.chairside.eraseCustomer(input))._unsafeUnwrap();
      expect(pending).toEqual([paid.id, appointmentId]);
      expect((await world.chairside.exportCustomer(input)).isOk()).toBe(true);
    },
  );

  it('rejects invalid input', async ({ chairside }) => {
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

// `customer` saves the methods of these specs, and becomes `ines`.
const ines = { subject: 'user-ines', customerId: 'ines' };

async function merge({ chairside }: World, from = 'customer', into = 'ines') {
  return chairside.mergeCustomers({ from, into });
}

const ofInes = (world: World) => givenAppointment(world, { terms: { customerId: 'ines' } });

describeEverywhere('customers that become one', ({ it, makeWorld }) => {
  it('say so once, and for good (D209)', async (world) => {
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

  it('are 1,001 at most', async (world) => {
    const from = Array.from({ length: 999 }, (_, number) => `customer-${number}`);
    const fact = { name: 'customer ines', version: 1, text: JSON.stringify({ from }) };
    const changes: readonly Change[] = [{ kind: 'putFact', fact }];
    const seeded = await world.store.commit({ id: fresh('seed'), at: world.clock.now(), changes });
    expect(seeded.isOk()).toBe(true);
    expect((await merge(world))._unsafeUnwrap().from).toEqual([...from, 'customer']);
    const refused = (await merge(world, 'noa'))._unsafeUnwrapErr();
    expect(refused.attributes).toMatchObject({ reason: 'alreadyMerged' });
  });

  it('are charged with a card of the other only after a new agreement (D209)', async (world) => {
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
    // A visit that still names the card's own customer needs none.
    const own = await givenAppointment(world, { terms: { customerId: 'customer' } });
    expect((await charge(world, own, method, agreed)).status).toBe(201);
    // Another customer's visit is charged with it no more than before.
    const other = await givenAppointment(world, { terms: { customerId: 'noa' } });
    problem(await charge(world, other, method, agreed), 'unprocessableEntity');
  });

  it('withdraw the card of the other', async (world) => {
    const paymentMethodSetupId = await givenMethod(world);
    const noa = { subject: 'user-noa', customerId: 'noa' };
    const release = (who = ines) =>
      world.chairside.releasePaymentMethod(who, { paymentMethodSetupId });
    expect((await release())._unsafeUnwrapErr().type).toBe('forbidden');
    expect((await merge(world)).isOk()).toBe(true);
    // A session of the other may be open still.
    const before = { subject: 'user-customer', customerId: 'customer' };
    for (const who of [before, ines]) expect((await release(who)).isOk()).toBe(true);
    // The card follows its customer through a second merge.
    expect((await merge(world, 'ines', 'noa')).isOk()).toBe(true);
    expect((await release())._unsafeUnwrapErr().type).toBe('forbidden');
    expect((await release(noa)).isOk()).toBe(true);
  });

  it('are erased together, and the answer names both (D47, D209)', async (world) => {
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
    const world = await makeWorld({ shares: true });
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
    const inCash = await ofInes(world);
    const tender = await givenTender(world, inCash, '20.00', { note: 'For Ines.' });
    expect((await giveBack(world, tender.id, '5.00')).status).toBe(201);
    const atStranger = await givenAppointment(world, { terms: { customerId: 'noa' } });
    await givenTender(world, atStranger, '3.00');
    const shared = [
      [inCash, '10.00'],
      [appointmentId, '30.00'],
    ] as const;
    expect((await share(world, payment.id, shared, { note: 'Sister.' })).status).toBe(201);
    expect((await share(world, payment.id, shared)).status).toBe(201);
    const booked = await givenAppointment(world, { terms: { customerId: 'customer' } });
    expect((await charge(world, booked, method)).status).toBe(201);
    expect((await merge(world)).isOk()).toBe(true);
    const input = { paymentMethodSetupId: method };
    const released = await world.chairside.releasePaymentMethod(ines, input);
    const unreleased = await givenMethod(world);
    const kept = (
      await world.chairside.exportCustomer({
        customerId: 'ines',
        appointmentIds: [appointmentId, strange, inCash, atStranger, booked, 'removed'],
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
        reviews: [],
      },
      {
        amount: '20.00',
        agreement: { agreedAt: '2026-10-01T09:00:00.000Z', agreementRef: 'terms-7' },
      },
    ]);
    expect(kept.tenders).toEqual([{ ...tender, returned: '5.00' }]);
    expect(kept.tenderReturns).toMatchObject([{ tenderId: tender.id, amount: '5.00' }]);
    const sharing = { contactlessPaymentId: payment.id, note: 'Sister.' };
    expect(kept.sharings).toEqual([{ ...sharing, sharedAt: expect.any(String) }]);
    const both = { customerId: 'customer', createdAt: expect.any(String), isSaved: true };
    expect(kept.paymentMethodSetups).toHaveLength(2);
    for (const one of [
      { ...both, id: method, releasedAt: released._unsafeUnwrap().releasedAt },
      { ...both, id: unreleased },
    ]) {
      expect(kept.paymentMethodSetups).toContainEqual(one);
    }
    expect(JSON.stringify(kept)).not.toContain('secret');
  });

  it('have one visit under an id that both paid at', async (world) => {
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

interface Visit {
  readonly amountDue?: string;
  readonly customerId?: string;
  readonly occursOn?: string;
  readonly sameVisit?: boolean;
}

const first = '2026-11-02T10:00:00.000Z';
const later = '2026-11-09T10:00:00.000Z';

async function putVisit(
  { chairside }: { readonly chairside: Chairside },
  id: string,
  { amountDue = '60.00', occursOn = later, ...more }: Visit,
): Promise<void> {
  const put = await chairside.records.putAppointment({
    id,
    businessId: 'shop',
    amountDueMinor: parseMoney(amountDue)._unsafeUnwrap(),
    occursOn,
    timeZone: 'Europe/Berlin',
    barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
    ...more,
  });
  expect(put.isOk()).toBe(true);
}

/** A visit of 45.00 that this customer has paid. */
async function givenPaid(world: World, customerId?: string): Promise<string> {
  const id = fresh('visit');
  await putVisit(world, id, {
    amountDue: '45.00',
    occursOn: first,
    ...(customerId !== undefined && { customerId }),
  });
  await givenCaptured(world, { appointmentId: id });
  return id;
}

describeEverywhere('an appointment whose id is used again', ({ it, makeWorld }) => {
  it('is refused for another customer on another day, who would pay only the rest (D209)', async (world) => {
    const id = await givenPaid(world, 'mia');
    await putVisit(world, id, { customerId: 'customer' });
    const refused = problem(await create(world, id), 'conflict');
    expect(reason(refused)).toBe('appointmentReused');
    expect(refused.recovery).toEqual({ outcome: 'notApplied', retry: 'doNotRetry' });
    const method = await givenMethod(world);
    const charged = problem(await charge(world, id, method), 'conflict');
    expect(reason(charged)).toBe('appointmentReused');
    expect((await ledgerOf(world, id)).openPayments).toBe(0);
    const paid = problem(await pay(world, id, '15.00'), 'conflict');
    expect(reason(paid)).toBe('appointmentReused');
  });

  it('is refused for another customer’s cash, until that is voided (D202, D209)', async (world) => {
    const id = fresh('visit');
    await putVisit(world, id, { customerId: 'mia', occursOn: first });
    const cash = await givenTender(world, id, '45.00');
    await putVisit(world, id, { customerId: 'noa' });
    const cashOf = async (customerId: string) =>
      (await world.chairside.exportCustomer({ customerId, appointmentIds: [id] }))
        ._unsafeUnwrap()
        .tenders.map((tender) => tender.id);
    expect([await cashOf('mia'), await cashOf('noa')]).toEqual([[cash.id], []]);
    expect(reason(problem(await create(world, id), 'conflict'))).toBe('appointmentReused');
    expect(reason(problem(await pay(world, id, '15.00'), 'conflict'))).toBe('appointmentReused');
    expect((await world.send('voidTender', 'owner', { id: cash.id })).status).toBe(200);
    expect((await create(world, id)).status).toBe(201);
  });

  it('takes no part of a payment either (D208)', async () => {
    const world = await makeWorld({ shares: true });
    const id = await givenPaid(world, 'mia');
    await putVisit(world, id, { customerId: 'noa' });
    const { payment: paid } = await givenCaptured(world, { amount: '15.00' });
    for (const leavesExcess of [false, true]) {
      const refused = await share(world, paid.id, [[id, '15.00']], { leavesExcess });
      const { attributes } = problem(refused, 'conflict');
      expect(attributes).toEqual({ reason: 'appointmentReused', appointmentId: id });
    }
    await putVisit(world, id, { customerId: 'noa', sameVisit: true });
    expect((await share(world, paid.id, [[id, '15.00']])).status).toBe(201);
  });

  it.for<[string, string | undefined, Visit]>([
    ['of the same customer', 'mia', { customerId: 'mia' }],
    ['on the same day', 'mia', { customerId: 'noa', occursOn: '2026-11-02T22:59:00.000Z' }],
    ['whose customer is not known any more', 'mia', {}],
    ['whose first customer was not known', undefined, { customerId: 'noa' }],
    ['that the host calls the same', 'mia', { customerId: 'noa', sameVisit: true }],
  ])('is not refused for a visit %s (D209)', async ([_, customerId, visit], world) => {
    const id = await givenPaid(world, customerId);
    await putVisit(world, id, visit);
    expect(payment(await create(world, id), 201).amount).toBe('15.00');
  });

  it('is not refused for what was moved to another visit, or was not captured (D208)', async () => {
    const world = await makeWorld({ shares: true });
    const id = await givenPaid(world, 'mia');
    const [moved] = (await world.store.payments.listByAppointment(id, 1))._unsafeUnwrap();
    const other = await givenAppointment(world);
    expect((await share(world, moved?.id ?? '', [[other, '45.00']])).status).toBe(201);
    await givenPayment(world, { appointmentId: id, amount: '5.00' });
    await putVisit(world, id, { customerId: 'noa' });
    await givenCaptured(world, { appointmentId: id, amount: '10.00' });
    expect((await create(world, id)).status).toBe(201);
  });

  it('is refused for what stayed with it where the rest was moved (D208)', async () => {
    const world = await makeWorld({ shares: true });
    const id = await givenPaid(world, 'mia');
    const [paid] = (await world.store.payments.listByAppointment(id, 1))._unsafeUnwrap();
    const parts = [[id, '25.00'] as const, [await givenAppointment(world), '20.00'] as const];
    expect((await share(world, paid?.id ?? '', parts)).status).toBe(201);
    await putVisit(world, id, { customerId: 'noa' });
    expect(reason(problem(await create(world, id), 'conflict'))).toBe('appointmentReused');
    // The rest may come back to it.
    expect((await share(world, paid?.id ?? '', [[id, '45.00']])).status).toBe(201);
  });

  it('is another day by the time zone of the visit', async (world) => {
    const id = await givenPaid(world, 'mia');
    // 00:00 in Berlin.
    await putVisit(world, id, { customerId: 'noa', occursOn: '2026-11-02T23:00:00.000Z' });
    expect(reason(problem(await create(world, id), 'conflict'))).toBe('appointmentReused');
  });
});

describeEverywhere('a visit whose price is open', ({ it }) => {
  it('has nothing due yet, and is paid only once something was', async (world) => {
    const id = fresh('visit');
    await putVisit(world, id, { amountDue: '0.00' });
    const open = problem(await create(world, id), 'appointmentAlreadyPaid');
    expect(reason(open)).toBe('nothingDue');
    await putVisit(world, id, { amountDue: '30.00' });
    await givenCaptured(world, { appointmentId: id });
    await putVisit(world, id, { amountDue: '0.00' });
    const paid = problem(await create(world, id), 'appointmentAlreadyPaid');
    expect(reason(paid)).toBeUndefined();
  });
});
