import { createChairside, formatMoney, hourMs, parseMoney, type RefundView } from '@chairside/core';
import {
  contactlessPaymentSchema,
  contactlessPaymentsSchema,
  refundSchema,
  refundsSchema,
} from '@chairside/core/ports';
import * as v from 'valibot';
import { expect } from 'vitest';
import { type Answer, problem, reason } from '../src/answer.ts';
import { dayAt, statement } from '../src/day.ts';
import {
  ada,
  captureElsewhere,
  captureInput,
  deliverMessages,
  host,
  withBooks,
} from '../src/elsewhere.ts';
import type { Person } from '../src/people.ts';
import {
  capture,
  fresh,
  givenAppointment,
  ledgerOf,
  present,
  stored,
  takenMinor,
} from '../src/shop.ts';
import { giveBack } from '../src/tenders.ts';
import { delivered, tipsByBarber } from '../src/told.ts';
import {
  type AnyWorld,
  describeEverywhere,
  describeWithEveryProcessor,
  type World,
} from '../src/world.ts';

interface Asked {
  readonly amount?: string;
  readonly tip?: string;
  readonly key?: string;
  readonly as?: Person;
}

function parsed<S extends v.GenericSchema>({ status, text }: Answer, success: number, schema: S) {
  expect(status, text).toBe(success);
  return v.parse(schema, JSON.parse(text));
}

function create({ send }: Pick<AnyWorld, 'send'>, appointmentId: string, asked: Asked = {}) {
  const { key = fresh('create'), as = 'ada', ...body } = asked;
  return send('createContactlessPayment', as, { id: appointmentId, key, body });
}

async function created(...asked: Parameters<typeof create>) {
  return parsed(await create(...asked), 201, contactlessPaymentSchema);
}

async function givenTipped(world: AnyWorld, asked: Asked & { appointmentId?: string } = {}) {
  const { appointmentId = await givenAppointment(world), ...rest } = asked;
  const payment = await created(world, appointmentId, { tip: '5.00', ...rest });
  return { appointmentId, payment, reference: await present(world, payment) };
}

async function givenCaptured(world: AnyWorld, asked: Asked & { appointmentId?: string } = {}) {
  const given = await givenTipped(world, asked);
  const { as = 'ada' } = asked;
  const captured = await capture(world, given.payment.id, given.reference, { as });
  return { ...given, payment: parsed(captured, 200, contactlessPaymentSchema) };
}

function refund({ send }: Pick<AnyWorld, 'send'>, id: string, asked: Asked = {}) {
  const { key = fresh('refund'), ...body } = asked;
  return send('refundPayment', 'owner', { id, key, body });
}

async function refunded(...asked: Parameters<typeof refund>) {
  return parsed(await refund(...asked), 201, refundSchema);
}

async function listed({ send }: Pick<AnyWorld, 'send'>, id: string) {
  return parsed(await send('listRefunds', 'owner', { id }), 200, refundsSchema);
}

const minor = (text = '0.00') => parseMoney(text)._unsafeUnwrap();

const tips = {};

/** Every generated id, by its prefix and the order of its first appearance. */
function withNumberedIds(text: string): string {
  const seen: string[] = [];
  return text.replaceAll(/\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g, (id, prefix) => {
    if (!seen.includes(id)) seen.push(id);
    return `${prefix}_${seen.indexOf(id)}`;
  });
}

/** Requests without a tip, with every kind of response. Returns all responses as one text. */
async function conversation(world: World): Promise<string> {
  const { send, chairside } = world;
  const heard: Answer[] = [];
  let keys = 0;
  const ask: typeof send = async (name, as, request = {}) => {
    keys += 1;
    // A list orders payments of one moment by their drawn ids.
    world.clock.advance(1000);
    const answer = await send(name, as, { key: `k${keys}`, ...request });
    heard.push(answer);
    return answer;
  };
  const createFor = (id: string, body?: unknown, as: Person = 'ada') =>
    ask('createContactlessPayment', as, { id, body });
  const captureOf = (id: string, reference: string) =>
    ask('captureContactlessPayment', 'ada', {
      id,
      body: { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } },
    });
  await givenAppointment(world, { id: 'a' });
  await givenAppointment(world, { id: 'c', barber: 'cleo', business: 'newShop' });

  for (const body of [
    { amount: '1' },
    { amount: '99.00' },
    { amount: '0.00' },
    { gratuity: 1 },
    1,
  ]) {
    await createFor('a', body);
  }
  await createFor('a', undefined, 'stranger');
  await createFor('nowhere');
  await createFor('c', undefined, 'cleo');

  const declined = parsed(await createFor('a', { amount: '10.00' }), 201, contactlessPaymentSchema);
  await captureOf(declined.id, await present(world, declined, 'declined'));
  expect(
    (await chairside.cancelContactlessPayment(host, { contactlessPaymentId: declined.id })).isOk(),
  ).toBe(true);
  await captureOf(declined.id, 'fpi_1');
  const { id, ...paid } = parsed(await createFor('a'), 201, contactlessPaymentSchema);
  await ask('createContactlessPayment', 'ada', { id: 'a', key: `k${keys}` });
  await captureOf(id, await present(world, { id, ...paid }));
  await createFor('a');
  await ask('getContactlessPayment', 'ada', { id });
  await ask('listContactlessPayments', 'ada', { id: 'a' });

  const made = await ask('refundPayment', 'owner', {
    id,
    body: { amount: '5.00', reason: 'late' },
  });
  const { id: id2 } = parsed(made, 201, refundSchema);
  for (const body of [{ amount: '40.01' }, { amount: '-1.00' }, { gratuity: 1 }]) {
    await ask('refundPayment', 'owner', { id, body });
  }
  await ask('getRefund', 'owner', { id, id2 });
  await ask('listRefunds', 'owner', { id });
  await ask('listRefunds', 'customer', { id });
  return withNumberedIds(JSON.stringify(heard, null, 1));
}

describeEverywhere('responses to requests without a tip (D48)', ({ it, makeWorld }) => {
  it('are byte for byte the same with tips on and off', async () => {
    const off = await conversation(await makeWorld());
    expect(await conversation(await makeWorld({ tips }))).toBe(off);
    expect(off).not.toMatch(/\btip/i);
    const statuses = new Set([...off.matchAll(/"status": (\d+)/g)].map(([, status]) => status));
    expect([...statuses].sort()).toEqual(['200', '201', '400', '403', '404', '409', '422']);
  });

  it('refuse a tip with tips off, as any unknown member', async (world) => {
    const id = await givenAppointment(world);
    const body = { tip: '1.00' };
    const refused = await world.send('createContactlessPayment', 'ada', { id, key: 'k', body });
    expect(problem(refused, 'badRequest').problems?.[0]?.detail).toBe(
      '/tip is not a known property.',
    );
  });
});

describeWithEveryProcessor('a tip (D48)', ({ itWith }) => {
  const it = itWith({ tips });
  it('is added to the remaining balance, and charged once', async (world) => {
    const { appointmentId, payment } = await givenCaptured(world);
    expect(payment).toMatchObject({ state: 'captured', amount: '50.00', tip: '5.00' });
    expect(await takenMinor(world)).toBe(5000n);
    const { send, chairside } = world;
    const read = await send('getContactlessPayment', 'ada', { id: payment.id });
    expect(parsed(read, 200, contactlessPaymentSchema)).toEqual(payment);
    const list = await send('listContactlessPayments', 'ada', { id: appointmentId });
    expect(parsed(list, 200, contactlessPaymentsSchema).items).toEqual([payment]);
    const about = { contactlessPaymentId: payment.id };
    const receipt = (await chairside.getReceipt(host, about))._unsafeUnwrap();
    expect(receipt).toMatchObject({ amount: '50.00', tip: '5.00' });
    const history = (await chairside.getPaymentTimeline(host, about))._unsafeUnwrap();
    expect(history).toMatchObject({ state: 'captured', tip: '5.00' });
  });

  it('pays no part of what is due', async (world) => {
    const { appointmentId } = await givenCaptured(world, { amount: '25.00', tip: '5.00' });
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ capturedMinor: 2000n });
    const ledger = await world.chairside.getAppointmentLedger(host, { appointmentId });
    expect(ledger._unsafeUnwrap()).toMatchObject({ captured: '20.00', tip: '5.00' });
    const { store, processor, clock } = world;
    const off = createChairside({ store, processor, clock });
    const shown = await off.getAppointmentLedger(host, { appointmentId });
    expect(shown._unsafeUnwrap()).not.toHaveProperty('tip');
    const rest = await givenCaptured(world, { appointmentId, tip: '0.00' });
    expect(rest.payment).toMatchObject({ amount: '25.00' });
    expect(rest.payment).not.toHaveProperty('tip');
    problem(await create(world, appointmentId, { tip: '1.00' }), 'appointmentAlreadyPaid');
    expect(await takenMinor(world)).toBe(5000n);
  });

  it('goes back last, unless the refund says how much of it is tip', async (world) => {
    const { payment } = await givenCaptured(world);
    expect(await refunded(world, payment.id, { amount: '20.00' })).not.toHaveProperty('tip');
    expect(await refunded(world, payment.id, { amount: '3.00', tip: '2.00' })).toMatchObject({
      amount: '3.00',
      tip: '2.00',
    });
    expect(await listed(world, payment.id)).toMatchObject({
      captured: '50.00',
      refundable: '27.00',
      refundableTip: '3.00',
    });
    expect(await refunded(world, payment.id, { amount: '25.00' })).toMatchObject({ tip: '1.00' });
    expect(await refunded(world, payment.id)).toMatchObject({ amount: '2.00', tip: '2.00' });
    const all = await listed(world, payment.id);
    expect(all).toMatchObject({ refundable: '0.00', count: 4 });
    expect(all).not.toHaveProperty('refundableTip');
    expect(await delivered(world).then(tipsByBarber)).toEqual({ ada: '0.00' });
  });
});

describeEverywhere('the tip of a new payment (D48)', ({ itWith, makeWorld }) => {
  const it = itWith({ tips });
  it('is a part of the request that the key stands for', async (world) => {
    const appointmentId = await givenAppointment(world);
    const first = await create(world, appointmentId, { key: 'k', tip: '5.00' });
    const again = await create(world, appointmentId, { key: 'k', tip: '5.00' });
    expect(again).toEqual({ ...first, replayed: true });
    for (const other of [{ tip: '6.00' }, { tip: '0.00' }, {}, { amount: '50.00', tip: '5.00' }]) {
      problem(await create(world, appointmentId, { key: 'k', ...other }), 'unprocessableEntity');
    }
  });

  it('is frozen: a create whose reply was lost has the same tip', async (world) => {
    const appointmentId = await givenAppointment(world);
    world.processor.failNext('openPayment', 'timeoutBeforeApplying');
    problem(await create(world, appointmentId, { key: 'k', tip: '5.00' }), 'serviceUnavailable');
    await givenAppointment(world, { id: appointmentId, amountDue: '30.00' });
    const opened = await created(world, appointmentId, { key: 'k', tip: '5.00' });
    expect(opened).toMatchObject({ amount: '50.00', tip: '5.00' });
    expect(world.processor.entries()).toMatchObject([{ amount: '50.00', tip: '5.00' }]);
  });

  it.for([
    [{ tip: '-0.01' }, '/tip', 'unprocessableEntity'],
    [{ tip: '9999999999999.99' }, '/amount', 'unprocessableEntity'],
    [{ tip: '99999999999999.99' }, '/tip', 'unprocessableEntity'],
    [{ amount: '5.00', tip: '5.00' }, '/tip', 'tipTooHigh'],
    [{ amount: '5.00', tip: '5.01' }, '/tip', 'unprocessableEntity'],
    [{ amount: '50.01', tip: '5.00' }, '/amount', 'unprocessableEntity'],
    [{ amount: '20.01', tip: '10.01' }, '/tip', 'tipTooHigh'],
    [{ tip: '45.01' }, '/tip', 'tipTooHigh'],
  ] as const)('is refused in %j', async ([body, pointer, type], world) => {
    const refused = await create(world, await givenAppointment(world), body);
    expect(problem(refused, type).attributes).toMatchObject({ pointer });
    expect(world.processor.entries()).toEqual([]);
  });

  it.for(['1', '1.0', '', 1, null])('is malformed as %j', async (tip, world) => {
    const id = await givenAppointment(world);
    const body = { tip };
    const refused = await world.send('createContactlessPayment', 'ada', { id, key: 'k', body });
    expect(problem(refused, 'badRequest').problems?.[0]?.attributes).toEqual({ pointer: '/tip' });
  });

  it.for([
    ['the rest of the amount', {}, '45.00'],
    ['a share', { maxShare: 0.3 }, '13.50'],
    ['a share, rounded down', { maxShare: 0.3333 }, '14.99'],
    ['an amount', { maxShare: 2, maxMinor: 2000n }, '20.00'],
    ['no tip', { maxMinor: 0n }, '0.00'],
  ])('has the bound of the host: %s', async ([_bound, policy, maximum]) => {
    const world = await makeWorld({ tips: policy });
    const appointmentId = await givenAppointment(world);
    const above = formatMoney(minor(maximum) + 1n);
    const refused = problem(await create(world, appointmentId, { tip: above }), 'tipTooHigh');
    expect(refused).toMatchObject({
      status: 422,
      attributes: { pointer: '/tip', maximum },
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
    await created(world, appointmentId, { tip: maximum });
  });

  it('needs no amount of the bound where the host raises it: the key is free', async () => {
    const world = await makeWorld({ tips: { maxMinor: 100n } });
    const appointmentId = await givenAppointment(world);
    problem(await create(world, appointmentId, { key: 'k', tip: '5.00' }), 'tipTooHigh');
    expect(await created(world, appointmentId, { key: 'k', tip: '1.00' })).toMatchObject({
      tip: '1.00',
    });
  });

  it('belongs to the barber who opened the payment, also if the appointment changes hands', async (world) => {
    const { appointmentId, payment, reference } = await givenTipped(world, { amount: '25.00' });
    await givenAppointment(world, { id: appointmentId, barber: 'ben' });
    expect((await capture(world, payment.id, reference, { as: 'ben' })).status).toBe(200);
    await givenCaptured(world, { appointmentId, as: 'ben', tip: '2.50' });
    await refunded(world, payment.id, { amount: '1.00', tip: '1.00' });
    expect(tipsByBarber(await delivered(world))).toEqual({ ada: '4.00', ben: '2.50' });
  });

  it.for([
    ['45.00', 200],
    ['44.99', 409],
  ] as const)(
    'neither grows nor shrinks where %s is due at the capture',
    async ([due, status], world) => {
      const { appointmentId, payment, reference } = await givenTipped(world);
      await givenAppointment(world, { id: appointmentId, amountDue: due });
      const answer = await capture(world, payment.id, reference);
      expect(answer.status, answer.text).toBe(status);
      if (status === 409) {
        expect(reason(problem(answer, 'conflict'))).toBe('exceedsRemainingBalance');
      }
      const { state, tipMinor, amountMinor } = await stored(world, payment.id);
      expect({ state, tipMinor, amountMinor }).toEqual({
        state: status === 200 ? 'captured' : 'canceled',
        tipMinor: 500n,
        amountMinor: 5000n,
      });
      expect(await takenMinor(world)).toBe(status === 200 ? 5000n : 0n);
    },
  );

  it('is not captured where the processor shows another tip', async (world) => {
    for (const tipMinor of [0n, 501n]) {
      const { payment, reference } = await givenTipped(world);
      const other = withBooks(world, (seen) => ({ ...seen, tipMinor }));
      const refused = await other.captureContactlessPayment(
        ada,
        captureInput(payment.id, reference),
      );
      expect(refused._unsafeUnwrapErr().attributes).toMatchObject({ reason: 'differsAtProcessor' });
      expect(world.processor.bookEntry(reference)?.status).toBe('canceled');
    }
  });

  it('is not counted by a capture of another system either', async (world) => {
    const { appointmentId, payment, reference } = await givenTipped(world);
    await captureElsewhere(world, payment.id, reference, { amountMinor: 5000n });
    await deliverMessages(world);
    expect(await stored(world, payment.id)).toMatchObject({ state: 'captured' });
    expect((await stored(world, payment.id)).review).toBeUndefined();
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ capturedMinor: 4500n });
  });

  it.for([
    [undefined, '4.50'],
    [false, '4.50'],
    [true, '5.00'],
  ])(
    'is part of the application fee only if the business says so: %j',
    async ([included, fee], world) => {
      const applicationFee = {
        basisPoints: 1000,
        ...(included !== undefined && { includesTip: included }),
      };
      const business = {
        id: 'shop',
        name: 'Marlow & Sons',
        processorAccount: { id: 'acct_shop', currency: 'eur' },
        applicationFee,
      };
      expect((await world.chairside.records.putBusiness(business)).isOk()).toBe(true);
      await givenTipped(world);
      expect(world.processor.entries()).toMatchObject([{ amount: '50.00', applicationFee: fee }]);
    },
  );

  it('stays after a customer’s erasure', async (world) => {
    const { appointmentId, payment } = await givenCaptured(world);
    await refunded(world, payment.id, { amount: '6.00', tip: '2.00' });
    world.clock.advance(73 * hourMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    const erased = await world.chairside.eraseCustomer({
      customerId: 'customer',
      appointmentIds: [appointmentId],
    });
    expect(erased._unsafeUnwrap()).toMatchObject({ payments: 1, pending: [] });
    expect(await stored(world, payment.id)).toMatchObject({ amountMinor: 5000n, tipMinor: 500n });
    expect(await listed(world, payment.id)).toMatchObject({ refundableTip: '3.00' });
  });
});

describeEverywhere('the tip in a refund (D48)', ({ itWith }) => {
  const it = itWith({ tips });
  it.for([
    [{ tip: '5.01' }, 'more than the tip'],
    [{ amount: '46.00', tip: '0.00' }, 'less than the rest leaves'],
    [{ amount: '50.01' }, 'more than was captured'],
  ] as const)('is refused in %j: %s', async ([asked, _why], world) => {
    const { payment } = await givenCaptured(world);
    expect(problem(await refund(world, payment.id, asked), 'conflict').attributes).toMatchObject({
      reason: 'exceedsRefundable',
      refundable: '50.00',
      refundableTip: '5.00',
    });
    expect(await listed(world, payment.id)).toMatchObject({ count: 0 });
  });

  it.for([{ amount: '4.00', tip: '4.01' }, { tip: '-0.01' }])(
    'is refused under its key in %j',
    async (asked, world) => {
      const { payment } = await givenCaptured(world);
      const refused = await refund(world, payment.id, { key: 'k', ...asked });
      expect(problem(refused, 'unprocessableEntity').attributes).toEqual({ pointer: '/tip' });
      expect((await refund(world, payment.id, { key: 'k', ...asked })).replayed).toBe(true);
      expect(await listed(world, payment.id)).toMatchObject({ count: 0 });
    },
  );

  it('is added to the rest where the refund names no amount', async (world) => {
    const { payment } = await givenCaptured(world);
    const all = await refunded(world, payment.id, { tip: '0.00' });
    expect(all).toMatchObject({ amount: '45.00' });
    expect(all).not.toHaveProperty('tip');
    expect(await refunded(world, payment.id, { tip: '3.00' })).toMatchObject({
      amount: '3.00',
      tip: '3.00',
    });
    expect(await listed(world, payment.id)).toMatchObject({ refundable: '2.00' });
  });

  it('is frozen with its key, also where the reply was lost', async (world) => {
    const { payment } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutAfterApplying');
    const asked = { key: 'k', amount: '10.00', tip: '5.00' };
    const first = await refunded(world, payment.id, asked);
    expect(first).toMatchObject({ amount: '10.00', tip: '5.00', state: 'succeeded' });
    expect(await refunded(world, payment.id, asked)).toEqual(first);
    problem(await refund(world, payment.id, { ...asked, tip: '4.00' }), 'unprocessableEntity');
    expect(tipsByBarber(await delivered(world))).toEqual({ ada: '0.00' });
  });

  it('is counted again once the refund has failed', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    world.processor.slowRefunds(true);
    const pending = await refunded(world, payment.id, { amount: '5.00', tip: '5.00' });
    expect(pending).toMatchObject({ state: 'pending', tip: '5.00' });
    expect(await listed(world, payment.id)).not.toHaveProperty('refundableTip');
    const [entry] = world.processor.entries();
    const [made] = entry?.refunds ?? [];
    expect(world.processor.endRefund(reference, made?.id ?? '', 'failed').isOk()).toBe(true);
    await deliverMessages(world);
    expect(await listed(world, payment.id)).toMatchObject({
      refundable: '50.00',
      refundableTip: '5.00',
    });
    expect(tipsByBarber(await delivered(world))).toEqual({ ada: '5.00' });
  });

  it('goes back in cash with the refund that failed, so that an excess is still given back (D48, D202)', async (world) => {
    const { appointmentId, payment } = await givenCaptured(world);
    const { id } = payment;
    const failing = async (asked: Asked) => {
      await refunded(world, id, asked);
      const [entry] = world.processor.entries();
      const [{ id: made = '' } = {}] = entry?.refunds.slice(-1) ?? [];
      world.processor.endRefund(entry?.id ?? '', made, 'failed')._unsafeUnwrap();
      await deliverMessages(world);
      world.clock.advance(1000);
    };
    await failing({ amount: '5.00', tip: '4.00' });
    expect((await giveBack(world, id)).status).toBe(201);
    expect(await listed(world, id)).toMatchObject({ refundable: '45.00', refundableTip: '1.00' });
    await givenAppointment(world, { id: appointmentId, amountDue: '40.00' });
    const { text } = await world.send('listCharges', 'owner', { id: appointmentId });
    expect(JSON.parse(text).excess).toBe('4.00');
    // No more tip than the refunds that failed, and the tip of the rest goes last.
    await failing({ amount: '2.00' });
    expect((await giveBack(world, id)).status).toBe(201);
    await failing({});
    expect((await giveBack(world, id, '42.50')).status).toBe(201);
    expect(await listed(world, id)).toMatchObject({ refundable: '0.50', refundableTip: '0.50' });
    const told = (await delivered(world)).filter(({ type }) => type === 'tender.returned');
    expect(told).toMatchObject([
      { data: { amount: '5.00', tip: '4.00' } },
      { data: { amount: '2.00' } },
      { data: { amount: '42.50', tip: '0.50' } },
    ]);
    const { shop, tenders } = await statement(world, dayAt(world.clock.now()));
    expect(shop).toMatchObject([{ tips: '5.00', refundedTips: '4.50', refunded: '0.00' }]);
    expect(tenders?.map(({ tip }) => tip)).toEqual(['-4.00', undefined, '-0.50']);
  });

  it('goes last in refunds that were made elsewhere', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    expect(world.processor.refund(reference, 4400n).isOk()).toBe(true);
    expect(world.processor.refund(reference, 300n).isOk()).toBe(true);
    await deliverMessages(world);
    const { items, ...rest } = await listed(world, payment.id);
    const parts = (one: RefundView & { readonly tip?: string }) => [one.amount, one.tip];
    expect(items.map(parts).sort()).toEqual([
      ['3.00', '2.00'],
      ['44.00', undefined],
    ]);
    expect(rest).toMatchObject({ refundable: '3.00', refundableTip: '3.00' });
  });

  it('goes back with a refund that was made elsewhere before we knew of the capture', async (world) => {
    const { payment, reference } = await givenTipped(world);
    await captureElsewhere(world, payment.id, reference, { amountMinor: 5000n });
    expect(world.processor.refund(reference, 5000n).isOk()).toBe(true);
    for (const message of world.processor.takeEvents()._unsafeUnwrap().toReversed()) {
      expect((await world.chairside.receiveProcessorEvent(message)).isOk()).toBe(true);
    }
    expect((await listed(world, payment.id)).items).toMatchObject([
      { amount: '50.00', tip: '5.00' },
    ]);
  });

  it('is not touched by a dispute while the rest covers it', async (world) => {
    const { payment, reference } = await givenCaptured(world);
    expect(world.processor.dispute(reference, 4000n).isOk()).toBe(true);
    await deliverMessages(world);
    expect(await listed(world, payment.id)).toMatchObject({
      refundable: '10.00',
      refundableTip: '5.00',
    });
    expect(world.processor.dispute(reference, 700n).isOk()).toBe(true);
    await deliverMessages(world);
    expect(await listed(world, payment.id)).toMatchObject({
      refundable: '3.00',
      refundableTip: '3.00',
    });
  });
});
