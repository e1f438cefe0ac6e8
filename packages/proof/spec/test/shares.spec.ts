import {
  type ContactlessPayment,
  createChairside,
  type EventType,
  errAsync,
  formatMoney,
  type MoneyEntry,
  moneyEntriesOf,
  okAsync,
  parseMoney,
  receiptToText,
  sharesToCsv,
} from '@chairside/core';
import { expect } from 'vitest';
import {
  type Answer,
  payment,
  payments,
  problem,
  reason,
  receipt,
  refund,
  refunds,
} from '../src/answer.ts';
import { givenOtherShop } from '../src/business.ts';
import { charge, givenBooking } from '../src/charges.ts';
import { dayAt, dayMs, pass, statement } from '../src/day.ts';
import {
  ada,
  captureElsewhere,
  captureInput,
  deliverMessages,
  host,
  interrupted,
} from '../src/elsewhere.ts';
import { type Part, share } from '../src/shares.ts';
import {
  bookEntry,
  capture,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  ledgerOf,
  present,
  stored,
  takenMinor,
} from '../src/shop.ts';
import { giveBack, givenTender } from '../src/tenders.ts';
import { delivered } from '../src/told.ts';
import { type AnyWorld, account, describeEverywhere, type World } from '../src/world.ts';

const tips = { maxShare: 1 };
const switched = { shares: true, tips } as const;
const body = ({ text }: Answer) => JSON.parse(text);
const attributesOf = (answer: Answer) => problem(answer, 'conflict').attributes;

/** Opens a payment that also pays other visits. */
function open(
  { send }: Pick<AnyWorld, 'send'>,
  appointmentId: string,
  others: readonly (readonly [appointmentId: string, amount: string])[],
  { key = fresh('create'), ...asked }: { key?: string; amount?: string; tip?: string } = {},
): Promise<Answer> {
  const alsoPays = others.map(([id, amount]) => ({ appointmentId: id, amount }));
  const given = { ...asked, ...(alsoPays.length > 0 && { alsoPays }) };
  return send('createContactlessPayment', 'ada', { id: appointmentId, key, body: given });
}

interface Group {
  readonly payment: ContactlessPayment;
  readonly reference: string;
  readonly visits: readonly [mother: string, first: string, second: string];
}

/** A mother of 45.00 and two children of 20.00, one of them with Ben; one card, with a tip of 10.00. */
async function givenGroup(world: World): Promise<Group> {
  const mother = await givenAppointment(world);
  const first = await givenAppointment(world, { amountDue: '20.00' });
  const second = await givenAppointment(world, { amountDue: '20.00', barber: 'ben' });
  const opened = await open(
    world,
    mother,
    [
      [first, '20.00'],
      [second, '20.00'],
    ],
    { tip: '10.00' },
  );
  const opening = payment(opened, 201);
  expect(opening.amount).toBe('95.00');
  return {
    payment: opening,
    reference: await present(world, opening),
    visits: [mother, first, second],
  };
}

async function givenCapturedGroup(world: World): Promise<Group> {
  const group = await givenGroup(world);
  payment(await capture(world, group.payment.id, group.reference), 200);
  return group;
}

async function capturedOf(world: World, ids: readonly string[]): Promise<readonly string[]> {
  const ledgers = await Promise.all(ids.map((id) => ledgerOf(world, id)));
  return ledgers.map(({ capturedMinor, reservedMinor, tipsMinor = 0n }) => {
    expect(reservedMinor).toBe(0n);
    return tipsMinor === 0n
      ? formatMoney(capturedMinor)
      : `${formatMoney(capturedMinor)}+${formatMoney(tipsMinor)}`;
  });
}

async function sharesOf({ send }: World, id: string) {
  const read = payment(await send('getContactlessPayment', 'ada', { id }), 200);
  return (read.shares ?? []).map(({ appointmentId, barberId, amount, tip }) => [
    appointmentId,
    barberId,
    amount,
    ...(tip === undefined ? [] : [tip]),
  ]);
}

/** What each barber has on the day: captured with tips, refunded, disputed. */
async function barbersOf(world: World) {
  const { barbers, shop } = await statement(world, dayAt(world.clock.now()));
  const whole = (all: typeof barbers, of: (one: (typeof barbers)[number]) => string) =>
    all.reduce((sum, one) => sum + parseMoney(of(one))._unsafeUnwrap(), 0n);
  for (const of of [
    (one: (typeof barbers)[number]) => one.captured,
    (one: (typeof barbers)[number]) => one.refunded,
    (one: (typeof barbers)[number]) => one.disputed,
    (one: (typeof barbers)[number]) => one.tips ?? '0.00',
  ]) {
    expect(whole(barbers, of)).toBe(whole(shop, of));
  }
  return Object.fromEntries(
    barbers.map(({ barberId = '', captured, tips: tip = '0.00', refunded, disputed }) => [
      barberId,
      [captured, tip, refunded, disputed],
    ]),
  );
}

/** The inquiry becomes a dispute, which takes the money. */
async function withhold(world: World, reference: string): Promise<void> {
  const [{ id } = { id: '' }] = (await bookEntry(world, reference))?.disputes ?? [];
  expect(world.processor.withholdDispute(reference, id).isOk()).toBe(true);
  await deliverMessages(world);
}

/** Whose money the events of a type say it is. */
async function toldSharesOf(world: World, type: EventType) {
  const told = (await delivered(world)).filter((event) => event.type === type);
  return told.map(({ data }) => ('shares' in data ? data.shares : undefined));
}

const refundOf = ({ send }: World, id: string, given: object = {}) =>
  send('refundPayment', 'owner', { id, key: fresh('refund'), body: given });

describeEverywhere('one tap for several visits', ({ itWith, makeWorld }) => {
  const it = itWith(switched);
  it('pays each visit, to the cent, and the tip goes where the shop says', async (world) => {
    const { payment: paid, visits } = await givenCapturedGroup(world);
    const [mother, first, second] = visits;
    expect(await capturedOf(world, visits)).toEqual(['45.00+10.00', '20.00', '20.00']);
    expect(await takenMinor(world)).toBe(9500n);
    const listed = await world.send('listContactlessPayments', 'ada', { id: mother });
    expect(payments(listed).items[0]?.shares).toHaveLength(3);
    expect(await barbersOf(world)).toEqual({
      ada: ['75.00', '10.00', '0.00', '0.00'],
      ben: ['20.00', '0.00', '0.00', '0.00'],
    });
    const differs = await share(world, paid.id, [[mother, '95.00', '9.99']]);
    expect(problem(differs, 'conflict')).toMatchObject({
      detail: 'The parts must add up to 95.00, 10.00 of it as tip.',
      attributes: { reason: 'sharesDiffer', shareable: '95.00', shareableTip: '10.00' },
    });
    const parts: Part[] = [
      [mother, '51.00', '6.00'],
      [first, '20.00'],
      [second, '24.00', '4.00'],
    ];
    // A tip alone needs no room.
    await givenAppointment(world, { id: mother, amountDue: '40.00' });
    const shared = await share(world, paid.id, parts);
    expect(shared.status, shared.text).toBe(201);
    expect(await capturedOf(world, visits)).toEqual(['45.00+6.00', '20.00', '20.00+4.00']);
    expect(await barbersOf(world)).toEqual({
      ada: ['71.00', '6.00', '0.00', '0.00'],
      ben: ['24.00', '4.00', '0.00', '0.00'],
    });
    // One part alone has all of the tip.
    const alone = await share(world, paid.id, [[mother, '95.00']], { leavesExcess: true });
    expect(alone.status, alone.text).toBe(201);
    expect(await sharesOf(world, paid.id)).toEqual([[mother, 'ada', '95.00', '10.00']]);
  });

  it('opens nothing for a visit of another business, an unknown one or one named twice', async (world) => {
    const id = await givenAppointment(world);
    const other = await givenAppointment(world, { business: await givenOtherShop(world) });
    const child = await givenAppointment(world, { amountDue: '20.00' });
    for (const [others, pointer] of [
      [[[other, '20.00']], '/alsoPays/0/appointmentId'],
      [[['nothing', '20.00']], '/alsoPays/0/appointmentId'],
      [[[id, '20.00']], '/alsoPays/0/appointmentId'],
      [
        [
          [child, '5.00'],
          [child, '5.00'],
        ],
        '/alsoPays/1/appointmentId',
      ],
      [[[child, '20.01']], '/alsoPays/0/amount'],
      [[[child, '0.00']], '/alsoPays/0/amount'],
    ] as const) {
      const refused = problem(await open(world, id, others), 'unprocessableEntity');
      expect(refused.attributes?.['pointer']).toBe(pointer);
    }
    for (const small of [
      { amount: '20.00' },
      { amount: '20.00', tip: '20.00' },
      { amount: '25.00', tip: '5.00' },
    ]) {
      const refused = await open(world, id, [[child, '20.00']], small);
      expect(problem(refused, 'unprocessableEntity').attributes?.['pointer']).toBe('/amount');
    }
    expect((await ledgerOf(world, id)).openPayments).toBe(0);
  });

  it('returns the same payment for the same key, whoever it belongs to since', async (world) => {
    const mother = await givenAppointment(world);
    const child = await givenAppointment(world, { amountDue: '20.00' });
    const key = fresh('create');
    const opened = await open(world, mother, [[child, '20.00']], { key });
    const { id, amount } = payment(opened, 201);
    expect(amount).toBe('65.00');
    const reference = await present(world, payment(opened, 201));
    const captureKey = fresh('capture');
    const captured = await capture(world, id, reference, { key: captureKey });
    await share(world, id, [[mother, '65.00']], { leavesExcess: true });
    expect((await open(world, mother, [[child, '20.00']], { key })).text).toBe(opened.text);
    const again = await capture(world, id, reference, { key: captureKey });
    expect(again.text).toBe(captured.text);
  });

  it('captures nothing if one visit was called off, and names it', async (world) => {
    const { payment: paid, reference, visits } = await givenGroup(world);
    const [, , second] = visits;
    await givenAppointment(world, { id: second, amountDue: '0.00', barber: 'ben' });
    const refused = await capture(world, paid.id, reference);
    expect(attributesOf(refused)).toEqual({
      reason: 'exceedsRemainingBalance',
      isReleased: true,
      appointmentId: second,
    });
    expect(await takenMinor(world)).toBe(0n);
    expect(await capturedOf(world, visits)).toEqual(['0.00', '0.00', '0.00']);
  });

  it('captures nothing if one visit is gone, and names it', async (world) => {
    const { payment: paid, reference, visits } = await givenGroup(world);
    const [, , appointmentId] = visits;
    const { store, processor, clock } = world;
    const get: typeof store.appointments.get = (id) =>
      id === appointmentId ? okAsync(undefined) : store.appointments.get(id);
    const appointments = { ...store.appointments, get };
    const node = createChairside({ store: { ...store, appointments }, processor, clock });
    const refused = await node.captureContactlessPayment(ada, captureInput(paid.id, reference));
    const attributes = { reason: 'appointmentGone', isReleased: true, appointmentId };
    expect(refused._unsafeUnwrapErr()).toMatchObject({ type: 'conflict', attributes });
    expect(await takenMinor(world)).toBe(0n);
  });

  it('gives the share of a visit back that is called off afterwards, and only that', async (world) => {
    const { payment: paid, visits } = await givenCapturedGroup(world);
    const [mother, , second] = visits;
    await givenAppointment(world, { id: second, amountDue: '0.00', barber: 'ben' });
    const excess = (appointmentId: string) =>
      world.chairside.refundExcess(host, { appointmentId, idempotencyKey: fresh('excess') });
    const back = (await excess(second))._unsafeUnwrap();
    expect(back.amount).toBe('20.00');
    const [alone] = (await world.store.refunds.listByPayment(paid.id, 9))._unsafeUnwrap();
    expect(alone).toMatchObject({ amountMinor: 2000n });
    expect(alone).not.toHaveProperty('siblings');
    const none = (await excess(second))._unsafeUnwrapErr();
    expect('attributes' in none && none.attributes?.['reason']).toBe('noExcess');
    const motherHas = (await excess(mother))._unsafeUnwrapErr();
    expect('attributes' in motherHas && motherHas.attributes?.['reason']).toBe('noExcess');
    await pass(world, dayMs / 24);
    expect(await barbersOf(world)).toEqual({
      ada: ['75.00', '10.00', '0.00', '0.00'],
      ben: ['20.00', '0.00', '20.00', '0.00'],
    });
  });

  it('never charges a visit beyond its due, whichever of two groups is captured first', async (world) => {
    const one = await givenAppointment(world);
    const two = await givenAppointment(world);
    const child = await givenAppointment(world, { amountDue: '20.00' });
    const opened = await Promise.all([one, two].map((id) => open(world, id, [[child, '20.00']])));
    const both = opened.map((answer) => payment(answer, 201));
    const references = await Promise.all(both.map((each) => present(world, each)));
    const answers = await Promise.all(
      both.map(({ id }, index) => capture(world, id, references[index] ?? '')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await takenMinor(world)).toBe(6500n);
    expect((await ledgerOf(world, child)).capturedMinor).toBe(2000n);
  });

  it('meets cash on the same visit without an overpayment', async (world) => {
    const { payment: paid, reference, visits } = await givenGroup(world);
    await givenTender(world, visits[1], '5.00');
    const refused = await capture(world, paid.id, reference);
    expect(attributesOf(refused)).toMatchObject({ appointmentId: visits[1] });
    expect(await takenMinor(world)).toBe(0n);
  });

  it('releases what is still open at each visit that it has paid', async (world) => {
    const { payment: paid, reference, visits } = await givenGroup(world);
    const { payment: open } = await givenPresented(world, {
      appointmentId: visits[1],
      amount: '20.00',
    });
    payment(await capture(world, paid.id, reference), 200);
    await world.chairside.settled();
    expect((await stored(world, open.id)).state).toBe('canceled');
  });

  it('is refused as an unknown member where shares are off', async () => {
    const world = await makeWorld({ tips });
    const id = await givenAppointment(world);
    const child = await givenAppointment(world);
    const refused = problem(await open(world, id, [[child, '1.00']]), 'badRequest');
    expect(JSON.stringify(refused)).toContain('/alsoPays');
  });
});

describeEverywhere('a payment that is shared', ({ itWith, makeWorld, transport }) => {
  const it = itWith(switched);
  it('shows no shares where they are off', async (world) => {
    const { payment: paid, visits } = await givenCapturedGroup(world);
    const { store, processor, clock } = world;
    const off = createChairside({ store, processor, clock });
    const [appointmentId] = visits;
    const listed = await off.listContactlessPayments(ada, { appointmentId });
    const asked = { contactlessPaymentId: paid.id };
    const read = (await off.getContactlessPayment(ada, asked))._unsafeUnwrap();
    expect(read).not.toHaveProperty('shares');
    expect(listed._unsafeUnwrap().items).toStrictEqual([read]);
  });

  it('follows its visit to a new id while the rest is captured', async (world) => {
    const { appointmentId: old, method } = await givenBooking(world);
    const deposit = body(await charge(world, old, method));
    const terms = { customerId: 'customer' };
    const moved = await givenAppointment(world, { terms });
    const { payment: rest, reference } = await givenPresented(world, {
      appointmentId: moved,
      amount: '25.00',
    });
    const [shared, captured] = await Promise.all([
      share(world, deposit.id, [[moved, '20.00']]),
      capture(world, rest.id, reference),
    ]);
    expect([shared.status, captured.status], shared.text + captured.text).toEqual([201, 200]);
    expect(await capturedOf(world, [old, moved])).toEqual(['0.00', '45.00']);
    const { items } = payments(await world.send('listContactlessPayments', 'ada', { id: moved }));
    expect(items).toHaveLength(1);
    const listed = body(await world.send('listShares', 'owner', { id: moved }));
    expect(listed.items).toEqual(
      expect.arrayContaining([
        {
          contactlessPaymentId: deposit.id,
          paidAt: old,
          barberId: 'ada',
          amount: '20.00',
          left: '20.00',
          currency: 'eur',
        },
      ]),
    );
    problem(
      await world.send('createContactlessPayment', 'ada', { id: moved, key: 'more' }),
      'appointmentAlreadyPaid',
    );
  });

  it('takes the one deposit of a visit along', async (world) => {
    const { appointmentId: old, method } = await givenBooking(world);
    const deposit = body(await charge(world, old, method));
    const moved = await givenAppointment(world, { terms: { customerId: 'customer' } });
    const shared = await share(world, deposit.id, [[moved, '20.00']]);
    expect(shared.status, shared.text).toBe(201);
    const { shares } = await stored(world, deposit.id);
    expect(shares).toMatchObject([{ appointmentId: moved, barberName: 'Ada Marlow' }]);
    expect(reason(problem(await charge(world, moved, method), 'conflict'))).toBe('alreadyCharged');
    expect((await charge(world, old, method)).status).toBe(201);
    // Back again, it finds the slot taken, and a refund frees that of no other charge.
    const back = await share(world, deposit.id, [[old, '20.00']], { leavesExcess: true });
    expect(back.status, back.text).toBe(201);
    expect((await charge(world, moved, method)).status).toBe(201);
    expect(reason(problem(await charge(world, old, method), 'conflict'))).toBe('alreadyCharged');
  });

  it('takes it along without what was refunded before, which stays', async (world) => {
    const { appointmentId: old, method } = await givenBooking(world);
    const deposit = body(await charge(world, old, method));
    refund(await refundOf(world, deposit.id, { amount: '5.00' }), 201);
    const moved = await givenAppointment(world, { terms: { customerId: 'customer' } });
    expect((await share(world, deposit.id, [[moved, '15.00']])).status).toBe(201);
    expect(reason(problem(await charge(world, moved, method), 'conflict'))).toBe('alreadyCharged');
    refund(await refundOf(world, deposit.id), 201);
    for (const _ of ['once', 'again']) {
      const allowed = await world.chairside.allowAnotherCharge(host, { chargeId: deposit.id });
      expect(allowed.isOk()).toBe(true);
    }
    const { timeline } = await stored(world, deposit.id);
    expect(timeline.filter(({ what }) => what === 'slotFreed')).toHaveLength(1);
    expect((await charge(world, moved, method)).status).toBe(201);
    expect((await charge(world, old, method)).status).toBe(201);
  });

  it('is the one deposit of a visit whose own went back', async (world) => {
    const { appointmentId: old, method } = await givenBooking(world);
    const { appointmentId: next } = await givenBooking(world);
    const deposit = body(await charge(world, old, method));
    const own = body(await charge(world, next, method));
    expect((await share(world, deposit.id, [[next, '20.00']])).status).toBe(201);
    const giveUp = async (chargeId: string) => {
      refund(await refundOf(world, chargeId), 201);
      expect((await world.chairside.allowAnotherCharge(host, { chargeId })).isOk()).toBe(true);
    };
    await giveUp(own.id);
    const more = () => charge(world, next, method, { amount: '5.00' });
    expect(reason(problem(await more(), 'conflict'))).toBe('alreadyCharged');
    await giveUp(deposit.id);
    expect((await more()).status).toBe(201);
  });

  it('leaves a visit that has a part of it a deposit of its own', async (world) => {
    const { appointmentId: old, method } = await givenBooking(world);
    const { appointmentId: next } = await givenBooking(world);
    const deposit = body(await charge(world, old, method));
    const parts: readonly Part[] = [
      [next, '15.00'],
      [old, '5.00'],
    ];
    expect((await share(world, deposit.id, parts)).status).toBe(201);
    expect((await charge(world, next, method)).status).toBe(201);
  });

  it('frees the slot of the visit that it was moved to, once its deposit went back', async (world) => {
    const { appointmentId: old, method } = await givenBooking(world);
    const deposit = body(await charge(world, old, method));
    const moved = await givenAppointment(world, {
      barber: 'ben',
      terms: { customerId: 'customer' },
    });
    const shared = await share(world, deposit.id, [[moved, '20.00']]);
    expect(shared.status, shared.text).toBe(201);
    const { barbers } = await statement(world, dayAt(world.clock.now()));
    expect(barbers.map(({ deposits }) => deposits)).toEqual([undefined, '20.00']);
    const input = { contactlessPaymentId: deposit.id, idempotencyKey: fresh('key'), body: {} };
    expect((await world.chairside.refundPayment(host, input)).isOk()).toBe(true);
    expect(reason(problem(await charge(world, moved, method), 'conflict'))).toBe('alreadyCharged');
    const allowed = await world.chairside.allowAnotherCharge(host, { chargeId: deposit.id });
    expect(allowed.isOk()).toBe(true);
    expect((await charge(world, moved, method)).status).toBe(201);
  });

  it('gets no visit beyond what it owes, unless the shop says so', async (world) => {
    const { payment: paid } = await givenCaptured(world, { amount: '20.00' });
    const cheap = await givenAppointment(world, { amountDue: '15.00' });
    expect(attributesOf(await share(world, paid.id, [[cheap, '20.00']]))).toEqual({
      reason: 'exceedsRemaining',
      appointmentId: cheap,
      remaining: '15.00',
    });
    const shared = await share(world, paid.id, [[cheap, '20.00']], { leavesExcess: true });
    expect(shared.status, shared.text).toBe(201);
    const back = await world.chairside.refundExcess(host, {
      appointmentId: cheap,
      idempotencyKey: fresh('excess'),
    });
    expect(back._unsafeUnwrap().amount).toBe('5.00');
    expect(await sharesOf(world, paid.id)).toEqual([[cheap, 'ada', '20.00']]);
  });

  it('moves what is left: what was refunded stays where it was', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    refund(await refundOf(world, paid.id, { amount: '10.00' }), 201);
    const right = await givenAppointment(world, { barber: 'ben' });
    const whole = await share(world, paid.id, [[right, '45.00']]);
    expect(problem(whole, 'conflict').detail).toBe('The parts must add up to 35.00.');
    expect(attributesOf(whole)).toEqual({ reason: 'sharesDiffer', shareable: '35.00' });
    const shared = await share(world, paid.id, [[right, '35.00']]);
    expect(shared.status, shared.text).toBe(201);
    expect(await sharesOf(world, paid.id)).toEqual([
      [paid.appointment.id, 'ada', '10.00'],
      [right, 'ben', '35.00'],
    ]);
    await pass(world, dayMs / 24);
    expect(await barbersOf(world)).toEqual({
      ada: ['10.00', '0.00', '10.00', '0.00'],
      ben: ['35.00', '0.00', '0.00', '0.00'],
    });
  });

  it('is refunded in proportion, to the cent, the tips last', async (world) => {
    const { payment: paid, visits } = await givenCapturedGroup(world);
    await share(world, paid.id, [
      [visits[0], '51.00', '6.00'],
      [visits[1], '20.00'],
      [visits[2], '24.00', '4.00'],
    ]);
    const listed = async (id: string) =>
      body(await world.send('listShares', 'owner', { id })).items;
    expect(await listed(visits[0])).toMatchObject([{ amount: '51.00', tip: '6.00' }]);
    expect((await listed(visits[1]))[0]).not.toHaveProperty('tip');
    refund(await refundOf(world, paid.id, { amount: '10.00' }), 201);
    const left = async () => {
      const all = await Promise.all(visits.map(listed));
      return all
        .flat()
        .map((one: { left: string; leftTip?: string }) =>
          [one.left, ...(one.leftTip === undefined ? [] : [one.leftTip])].join(' + '),
        );
    };
    // Of 85.00 that are no tip, 10.00 are 5.294, 2.353 and 2.353: the last cent is the largest fraction's.
    expect(await left()).toEqual(['45.70 + 6.00', '17.65', '21.65 + 4.00']);
    refund(await refundOf(world, paid.id, { amount: '5.00', appointmentId: visits[2] }), 201);
    expect(await left()).toEqual(['45.70 + 6.00', '17.65', '16.65 + 4.00']);
    const much = await refundOf(world, paid.id, { amount: '16.66', appointmentId: visits[2] });
    expect(attributesOf(much)).toMatchObject({ reason: 'exceedsRefundable', refundable: '16.65' });
    refund(await refundOf(world, paid.id), 201);
    expect(await left()).toEqual(['0.00', '0.00', '0.00']);
    await pass(world, dayMs / 24);
    expect(await barbersOf(world)).toEqual({
      ada: ['71.00', '6.00', '71.00', '0.00'],
      ben: ['24.00', '4.00', '24.00', '0.00'],
    });
    const { barbers } = await statement(world, dayAt(world.clock.now()));
    expect(barbers.map(({ refundedTips }) => refundedTips)).toEqual(['6.00', '4.00']);
  });

  it('shares what a dispute withholds, so that nothing of it moves', async (world) => {
    const { payment: paid, visits, reference } = await givenCapturedGroup(world);
    expect(world.processor.dispute(reference, 9500n).isOk()).toBe(true);
    await deliverMessages(world);
    await pass(world, dayMs / 24);
    expect(await barbersOf(world)).toMatchObject({
      ada: ['75.00', '10.00', '0.00', '75.00'],
      ben: ['20.00', '0.00', '0.00', '20.00'],
    });
    const parts: Part[] = [[visits[0], '95.00', '10.00']];
    expect(attributesOf(await share(world, paid.id, parts))).toEqual({
      reason: 'sharesDiffer',
      shareable: '0.00',
    });
    expect(await toldSharesOf(world, 'contactlessPayment.disputed')).toEqual([
      [
        { appointmentId: visits[0], barberId: 'ada', amount: '55.00' },
        { appointmentId: visits[1], barberId: 'ada', amount: '20.00' },
        { appointmentId: visits[2], barberId: 'ben', amount: '20.00' },
      ],
    ]);
  });

  it('says how much of the tip a refund may take where a dispute withholds some of it', async (world) => {
    const { payment: paid, visits, reference } = await givenCapturedGroup(world);
    const parts: Part[] = [
      [visits[0], '45.00'],
      [visits[1], '20.00'],
      [visits[2], '20.00'],
      [visits[2], '10.00', '10.00', 'ada'],
    ];
    expect((await share(world, paid.id, parts)).status).toBe(201);
    // A fifth of each part.
    expect(world.processor.dispute(reference, 1900n).isOk()).toBe(true);
    await deliverMessages(world);
    const listed = refunds(await world.send('listRefunds', 'owner', { id: paid.id }));
    expect(listed).toMatchObject({ refundable: '76.00', refundableTip: '8.00' });
    const much = await refundOf(world, paid.id, { amount: '8.01', tip: '8.01' });
    expect(attributesOf(much)).toMatchObject({ refundable: '76.00', refundableTip: '8.00' });
    refund(await refundOf(world, paid.id, { amount: '8.00', tip: '8.00' }), 201);
    const after = refunds(await world.send('listRefunds', 'owner', { id: paid.id }));
    expect(after.refundable).toBe('68.00');
    expect(after).not.toHaveProperty('refundableTip');
  });

  it('loses to a dispute what that contested when it began, whatever went back since', async (world) => {
    const { payment: paid, visits, reference } = await givenCapturedGroup(world);
    const { subject = '' } = world.processor.dispute(reference, 1900n)._unsafeUnwrap();
    await deliverMessages(world);
    refund(await refundOf(world, paid.id, { amount: '10.00', appointmentId: visits[1] }), 201);
    expect(world.processor.closeDispute(reference, subject, 'lost').isOk()).toBe(true);
    await deliverMessages(world);
    const [lost] = await toldSharesOf(world, 'contactlessPayment.disputeLost');
    expect(lost?.map(({ amount }) => amount)).toEqual(['11.00', '4.00', '4.00']);
  });

  it('is not refunded of one visit what a dispute withholds that began before the other was refunded', async (world) => {
    const { payment: paid, reference } = await givenCaptured(world, { amount: '20.00' });
    const one = await givenAppointment(world, { amountDue: '10.00' });
    const other = await givenAppointment(world, { amountDue: '10.00', barber: 'ben' });
    const parts: Part[] = [
      [one, '10.00'],
      [other, '10.00'],
    ];
    expect((await share(world, paid.id, parts)).status).toBe(201);
    expect(world.processor.inquire(reference, 1000n).isOk()).toBe(true);
    await deliverMessages(world);
    refund(await refundOf(world, paid.id, { appointmentId: one }), 201);
    await withhold(world, reference);
    expect(await toldSharesOf(world, 'contactlessPayment.disputeChanged')).toEqual([
      [{ appointmentId: other, barberId: 'ben', amount: '10.00' }],
    ]);
    const more = await refundOf(world, paid.id, { appointmentId: other });
    expect(attributesOf(more)).toMatchObject({ reason: 'exceedsRefundable', refundable: '0.00' });
    await pass(world, dayMs / 24);
    expect(await barbersOf(world)).toEqual({
      ada: ['10.00', '0.00', '10.00', '0.00'],
      ben: ['10.00', '0.00', '0.00', '10.00'],
    });
  });

  it('is contested where it is once the money is withheld, not where it was at the inquiry', async (world) => {
    const { payment: paid, reference } = await givenCaptured(world);
    expect(world.processor.inquire(reference, 4500n).isOk()).toBe(true);
    await deliverMessages(world);
    const right = await givenAppointment(world, { barber: 'ben' });
    expect((await share(world, paid.id, [[right, '45.00']])).status).toBe(201);
    await withhold(world, reference);
    await pass(world, dayMs / 24);
    expect(await barbersOf(world)).toEqual({
      ada: ['0.00', '0.00', '0.00', '0.00'],
      ben: ['45.00', '0.00', '0.00', '45.00'],
    });
  });

  it('is given back in cash by the barber whose part it was', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const right = await givenAppointment(world, { barber: 'ben' });
    const parts: Part[] = [
      [paid.appointment.id, '15.00'],
      [right, '30.00'],
    ];
    expect((await share(world, paid.id, parts)).status).toBe(201);
    world.processor.failNext('refund', 'rejected');
    expect((await refundOf(world, paid.id)).status).not.toBe(201);
    const returned = await giveBack(world, paid.id, '9.00');
    expect(returned.status, returned.text).toBe(201);
    const { barbers, shop, tenders = [] } = await statement(world, dayAt(world.clock.now()));
    const cash = (given: string) => [{ kind: 'cash', taken: '0.00', returned: given }];
    expect(barbers.map((one) => [one.barberId, one.tenders])).toEqual([
      ['ada', cash('3.00')],
      ['ben', cash('6.00')],
    ]);
    expect(shop.map((one) => one.tenders)).toEqual([cash('9.00')]);
    expect(
      tenders.map(({ contactlessPaymentId, appointmentId, barberId, amount }) => [
        contactlessPaymentId,
        appointmentId,
        barberId,
        amount,
      ]),
    ).toEqual([
      [paid.id, paid.appointment.id, 'ada', '-3.00'],
      [paid.id, right, 'ben', '-6.00'],
    ]);
    const { id } = body(returned);
    expect(tenders.map((one) => one.id)).toEqual([id, `${id}-1`]);
    const whose = [
      { appointmentId: paid.appointment.id, barberId: 'ada', amount: '3.00' },
      { appointmentId: right, barberId: 'ben', amount: '6.00' },
    ];
    expect(await toldSharesOf(world, 'tender.returned')).toEqual([whose]);
    const listed = await world.send('listTenders', 'owner', { id: paid.appointment.id });
    expect(body(listed).returns).toMatchObject([{ amount: '9.00', shares: whose }]);
  });

  it('is given back in cash by those whose refund has failed', async (world) => {
    const own = await givenAppointment(world);
    const paid = payment(await open(world, own, [], { tip: '10.00' }), 201);
    const reference = await present(world, paid);
    payment(await capture(world, paid.id, reference), 200);
    const right = await givenAppointment(world, { barber: 'ben' });
    const parts: Part[] = [
      [own, '20.00', '5.00'],
      [right, '35.00', '5.00'],
    ];
    expect((await share(world, paid.id, parts)).status).toBe(201);
    const failing = async (appointmentId: string, amount: string, tip: string) => {
      refund(await refundOf(world, paid.id, { appointmentId, amount, tip }), 201);
      const [{ id: there = '' } = {}] = world.processor.entries()[0]?.refunds.slice(-1) ?? [];
      world.processor.endRefund(reference, there, 'failed')._unsafeUnwrap();
      await deliverMessages(world);
    };
    await failing(right, '12.00', '2.00');
    expect((await giveBack(world, paid.id, '5.00')).status).toBe(201);
    expect((await giveBack(world, paid.id)).status).toBe(201);
    await failing(own, '6.00', '1.00');
    expect((await giveBack(world, paid.id)).status).toBe(201);
    expect(await toldSharesOf(world, 'tender.returned')).toEqual([
      [{ appointmentId: right, barberId: 'ben', amount: '5.00' }],
      [{ appointmentId: right, barberId: 'ben', amount: '7.00', tip: '2.00' }],
      [{ appointmentId: own, barberId: 'ada', amount: '6.00', tip: '1.00' }],
    ]);
    const { tenders = [] } = await statement(world, dayAt(world.clock.now()));
    const lines = tenders.map(({ amount, tip = '0.00' }) => `${amount}, of it ${tip}`);
    expect(lines.toSorted()).toEqual([
      '-5.00, of it 0.00',
      '-6.00, of it -1.00',
      '-7.00, of it -2.00',
    ]);
  });

  it.for([
    [4000n, '20.00', '20.00'],
    [3001n, '20.00', '10.01'],
  ] as const)(
    'takes of a dispute of %s no more than its part, where the other was refunded before',
    async ([disputed, adas, bens], world) => {
      const { payment: paid, reference } = await givenCaptured(world, { amount: '40.00' });
      const right = await givenAppointment(world, { barber: 'ben' });
      const parts: Part[] = [
        [paid.appointment.id, '20.00'],
        [right, '20.00'],
      ];
      expect((await share(world, paid.id, parts)).status).toBe(201);
      refund(await refundOf(world, paid.id, { appointmentId: right }), 201);
      expect(world.processor.dispute(reference, disputed).isOk()).toBe(true);
      await deliverMessages(world);
      await pass(world, dayMs / 24);
      expect(await barbersOf(world)).toMatchObject({
        ada: ['20.00', '0.00', '0.00', adas],
        ben: ['20.00', '0.00', '20.00', bens],
      });
    },
  );

  it('has the parts of a dispute that was opened and won before anybody looked', async (world) => {
    const { reference } = await givenCapturedGroup(world);
    expect(world.processor.dispute(reference, 9500n).isOk()).toBe(true);
    const [{ id } = { id: '' }] = (await bookEntry(world, reference))?.disputes ?? [];
    expect(world.processor.closeDispute(reference, id, 'won').isOk()).toBe(true);
    await deliverMessages(world);
    await pass(world, dayMs / 24);
    expect(await barbersOf(world)).toMatchObject({
      ada: ['75.00', '10.00', '0.00', '0.00'],
      ben: ['20.00', '0.00', '0.00', '0.00'],
    });
    const { shares = [] } = await statement(world, dayAt(world.clock.now()));
    const ofBen = shares.filter((one) => one.kind === 'dispute' && one.barberId === 'ben');
    expect(ofBen.map(({ amount }) => amount)).toEqual(['-20.00', '20.00']);
  });

  it('gives back elsewhere what a dispute held that was won meanwhile', async (world) => {
    const { payment: paid, reference } = await givenCaptured(world, { amount: '40.00' });
    const inquiry = world.processor.inquire(reference, 500n)._unsafeUnwrap();
    const { subject = '' } = world.processor.dispute(reference, 1000n)._unsafeUnwrap();
    await deliverMessages(world);
    const right = await givenAppointment(world, { barber: 'ben' });
    const parts: Part[] = [
      [paid.appointment.id, '10.00'],
      [right, '20.00'],
    ];
    expect((await share(world, paid.id, parts)).status).toBe(201);
    expect(world.processor.closeDispute(reference, subject, 'won').isOk()).toBe(true);
    expect(world.processor.refund(reference, 2000n).isOk()).toBe(true);
    // What another one holds since was free at that time.
    expect(world.processor.withholdDispute(reference, inquiry.subject ?? '').isOk()).toBe(true);
    await deliverMessages(world);
    await pass(world, dayMs / 24);
    expect(await barbersOf(world)).toEqual({
      ada: ['20.00', '0.00', '10.00', '2.50'],
      ben: ['20.00', '0.00', '10.00', '2.50'],
    });
  });

  it.for([
    [9500n, '75.00'],
    [7500n, '75.00'],
    [2000n, '20.00'],
  ])(
    'gives each visit its part of %s elsewhere, before a named refund here',
    async ([minor, ofAda], world) => {
      const { payment: paid, visits, reference } = await givenCapturedGroup(world);
      world.processor.failNext('refund', 'timeoutBeforeApplying');
      await refundOf(world, paid.id, { appointmentId: visits[2] });
      expect(world.processor.refund(reference, minor).isOk()).toBe(true);
      await deliverMessages(world);
      await pass(world, dayMs / 24);
      expect(await barbersOf(world)).toEqual({
        ada: ['75.00', '10.00', ofAda, '0.00'],
        ben: ['20.00', '0.00', '20.00', '0.00'],
      });
    },
  );

  it('gives elsewhere what no refund took that the processor shows, with or without a reply', async (world) => {
    const { payment: paid, visits, reference } = await givenCapturedGroup(world);
    const [mother, first, second] = visits;
    // Of 85.00 that are no tip, 9.00, 4.00 and 4.00.
    expect(world.processor.refund(reference, 1700n).isOk()).toBe(true);
    await deliverMessages(world);
    world.processor.failNext('refund', 'landsLater');
    await refundOf(world, paid.id, { appointmentId: first });
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    await refundOf(world, paid.id, { appointmentId: second });
    world.processor.landAbandoned();
    expect(world.processor.refund(reference, 6200n).isOk()).toBe(true);
    await deliverMessages(world);
    const refunded = (await world.store.refunds.listByPayment(paid.id, 9))._unsafeUnwrap();
    const rest = refunded.find(({ amountMinor }) => amountMinor === 6200n);
    expect(rest?.parts?.map((part) => [part.appointmentId, part.amountMinor])).toEqual([
      [mother, 4600n],
      [second, 1600n],
    ]);
  });

  it('leaves a visit that has more than it owes, in part and with its barber', async (world) => {
    const id = await givenAppointment(world);
    await givenPayment(world, { appointmentId: id });
    const { payment: paid } = await givenCaptured(world, { appointmentId: id });
    await givenAppointment(world, { id, amountDue: '20.00' });
    const other = await givenAppointment(world, { barber: 'ben' });
    const parts = [
      [id, '30.00'],
      [other, '15.00', undefined, 'ada'],
    ] as const;
    expect((await share(world, paid.id, parts)).status).toBe(201);
    const { shares } = await stored(world, paid.id);
    expect(shares?.map(({ barberName }) => barberName)).toEqual(['Ada Marlow', 'Ada Marlow']);
    const listed = async () => body(await world.send('listShares', 'administrator', { id })).items;
    expect(await listed()).toMatchObject([{ contactlessPaymentId: paid.id, left: '30.00' }]);
    // The payment stays with its business.
    await givenAppointment(world, { id, business: 'newShop' });
    expect(await listed()).toEqual([]);
  });

  it('may be shared 20 times', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const other = await givenAppointment(world);
    expect((await share(world, paid.id, [[other, '45.00']])).status).toBe(201);
    // A refund of a part is no sharing.
    expect((await refundOf(world, paid.id, { amount: '1.00' })).status).toBe(201);
    for (let times = 1; times < 20; times += 1) {
      const to = times % 2 === 0 ? other : paid.appointment.id;
      expect((await share(world, paid.id, [[to, '44.00']])).status).toBe(201);
    }
    const more = await share(world, paid.id, [[other, '44.00']]);
    expect(attributesOf(more)).toEqual({ reason: 'tooManySharings' });
  });

  it('stays where it is if the shop has changed its currency, or if it is a fee', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const { appointmentId, method } = await givenBooking(world, {
      isMissed: true,
      noShowFeeMinor: 2000n,
    });
    const fee = body(await charge(world, appointmentId, method, { purpose: 'noShow' }));
    const moved = await share(world, fee.id, [[paid.appointment.id, '20.00']]);
    expect(attributesOf(moved)).toEqual({ reason: 'feeNotShared' });
    const use = async (currency: string) => {
      const processorAccount = { ...account, currency };
      const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount };
      expect((await world.chairside.records.putBusiness(shop)).isOk()).toBe(true);
    };
    await use('chf');
    const other = await givenAppointment(world);
    const beside = await open(world, other, [[paid.appointment.id, '0.01']]);
    const { attributes } = problem(beside, 'unprocessableEntity');
    expect(attributes?.['pointer']).toBe('/alsoPays/0/amount');
    const inFrancs = await share(world, paid.id, [[other, '45.00']]);
    expect(attributesOf(inFrancs)).toEqual({ reason: 'currencyChanged' });
    await givenCaptured(world, { appointmentId: other, amount: '10.00' });
    await use('eur');
    const ofFrancs = await share(world, paid.id, [[other, '45.00']]);
    expect(attributesOf(ofFrancs)).toEqual({ reason: 'currencyChanged', appointmentId: other });
    // A shop without an account has no other currency.
    const shop = { id: 'shop', name: 'Marlow & Sons' };
    expect((await world.chairside.records.putBusiness(shop)).isOk()).toBe(true);
    const free = await givenAppointment(world);
    expect((await share(world, paid.id, [[free, '45.00']])).status).toBe(201);
  });

  it('gives nothing back for a visit that has no part of it, before it is shared too', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const other = await givenAppointment(world);
    for (const whose of [{ appointmentId: other }, { barberId: 'ben' }]) {
      const wrong = attributesOf(await refundOf(world, paid.id, whose));
      expect(wrong).toMatchObject({ reason: 'exceedsRefundable', refundable: '0.00' });
    }
    const read = await world.send('getContactlessPayment', 'ada', { id: paid.id });
    expect(payment(read, 200)).not.toHaveProperty('shares');
  });

  it('gets no visit beyond what it owes, also if it is paid in the same moment', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const { payment: rival, reference } = await givenPresented(world);
    const { id: appointmentId } = rival.appointment;
    const { processor, clock } = world;
    const store = interrupted(world.store, 'moveLedger', () => capture(world, rival.id, reference));
    const node = createChairside({ store, processor, clock, shares: true });
    const shared = await node.sharePayment(host, {
      contactlessPaymentId: paid.id,
      idempotencyKey: fresh('share'),
      body: { shares: [{ appointmentId, amount: '45.00' }] },
    });
    expect(shared._unsafeUnwrapErr()).toMatchObject({
      attributes: { reason: 'exceedsRemaining', appointmentId, remaining: '0.00' },
    });
  });

  it('waits for a capture that is under way at the visit', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const other = await givenAppointment(world);
    const { payment: late, reference } = await givenPresented(world, { appointmentId: other });
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    const unknown = await capture(world, late.id, reference);
    expect(unknown.status).toBe(503);
    const shared = await share(world, paid.id, [[other, '45.00']]);
    expect(attributesOf(shared)).toEqual({ reason: 'reservedElsewhere', appointmentId: other });
  });

  it('is refused where shares are off', async () => {
    const world = await makeWorld({ tips });
    const { payment: paid } = await givenCaptured(world);
    // `chairsideHandler` serves no route of them then.
    const refusal = transport === 'in process' ? 'forbidden' : 'notFound';
    problem(await share(world, paid.id, [[paid.appointment.id, '45.00']]), refusal);
    expect(await world.send('getContactlessPayment', 'ada', { id: paid.id })).toMatchObject({
      status: 200,
    });
  });

  it('is recorded once for its key, and moves nothing that has changed meanwhile', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const right = await givenAppointment(world);
    const other = await givenAppointment(world);
    const key = fresh('share');
    const note = 'Paid on the wrong visit';
    const open = await givenPayment(world, { appointmentId: right });
    const shared = await share(world, paid.id, [[right, '45.00']], { key, note });
    expect(shared.replayed).toBe(false);
    expect(body(shared)).toEqual({
      id: expect.stringMatching(/^shr_/),
      contactlessPaymentId: paid.id,
      currency: 'eur',
      shares: [{ appointmentId: right, barberId: 'ada', amount: '45.00' }],
      note,
      createdAt: expect.any(String),
    });
    const entries = (await world.store.shares.listByPayment(paid.id, 9))._unsafeUnwrap();
    expect(entries.map((one) => [one.note, one.shares?.length]).toSorted()).toEqual([
      [undefined, undefined],
      [note, 1],
    ]);
    // The visit is paid, so that no other card is charged for it.
    await world.chairside.settled();
    expect((await stored(world, open.id)).state).toBe('canceled');
    const desks = await Promise.all(
      [right, other].map((id) => share(world, paid.id, [[id, '45.00']])),
    );
    expect(desks.map(({ status }) => status).filter((status) => status !== 409)).toContain(201);
    const [[at] = []] = await sharesOf(world, paid.id);
    const captured = await capturedOf(world, [paid.appointment.id, right, other]);
    expect(captured).toEqual([
      '0.00',
      ...[right, other].map((id) => (id === at ? '45.00' : '0.00')),
    ]);
    const again = await share(world, paid.id, [[right, '45.00']], { key, note });
    expect([again.text, again.replayed]).toEqual([shared.text, true]);
    problem(await share(world, paid.id, [[other, '45.00']], { key }), 'unprocessableEntity');
    const refuse = () => share(world, paid.id, [[right, '0.00']], { key: 'zero' });
    expect((await refuse()).text).toBe((await refuse()).text);
  });

  it('loses its note when the customer of any of its visits is erased, after its keys (D47)', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const right = await givenAppointment(world);
    const shared = body(await share(world, paid.id, [[right, '45.00']], { note: 'Mrs Smith' }));
    // Nothing of this one has to be erased, and it moves nothing.
    const again = body(await share(world, paid.id, [[right, '45.00']]));
    expect((await world.store.shares.get(again.id))._unsafeUnwrap()).toMatchObject({
      appointmentId: right,
      amountMinor: 0n,
      tipMinor: 0n,
    });
    const input = { customerId: 'customer', appointmentIds: [right] };
    const erase = async () => (await world.chairside.eraseCustomer(input))._unsafeUnwrap();
    expect((await erase()).pending).toEqual([shared.id, paid.id]);
    world.clock.advance(3 * dayMs);
    expect((await erase()).pending).toEqual([paid.id]);
    const kept = (await world.store.shares.get(shared.id))._unsafeUnwrap();
    expect(kept?.note).toBeUndefined();
    expect(kept).toMatchObject({ version: 2, shares: [{ amountMinor: 4500n }] });
  });

  it('may belong to a barber of the same business only, once for each visit', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const { id } = paid.appointment;
    const place = async (parts: readonly Part[]) =>
      problem(await share(world, paid.id, parts), 'unprocessableEntity').attributes?.['pointer'];
    for (const barber of ['nobody', 'cleo']) {
      expect(await place([[id, '45.00', undefined, barber]])).toBe('/shares/0/barberId');
    }
    expect(await place([['nothing', '45.00']])).toBe('/shares/0/appointmentId');
    expect(await place([[id, '0.00']])).toBe('/shares/0/amount');
    expect(
      await place([
        [id, '20.00'],
        [id, '25.00'],
      ]),
    ).toBe('/shares/1');
    for (const tip of ['45.01', '-0.01'])
      expect(await place([[id, '45.00', tip]])).toBe('/shares/0/tip');
    // Ben is no barber of the visit.
    expect((await share(world, paid.id, [[id, '45.00', undefined, 'ben']])).status).toBe(201);
    const { shares } = await stored(world, paid.id);
    expect(shares).toStrictEqual([
      { appointmentId: id, barberId: 'ben', amountMinor: 4500n, tipMinor: 0n },
    ]);
    const about = { kind: 'payment', contactlessPaymentId: paid.id, appointmentId: id };
    const when = { day: dayAt(world.clock.now()), at: paid.createdAt };
    const moved = { id: expect.any(String), ...about, ...when, currency: 'eur' };
    expect((await statement(world, when.day)).shares).toStrictEqual([
      { ...moved, barberId: 'ada', barber: 'Ada Marlow', amount: '-45.00' },
      { ...moved, barberId: 'ben', amount: '45.00' },
    ]);
    const both = await share(world, paid.id, [
      [id, '20.00'],
      [id, '25.00', undefined, 'ben'],
    ]);
    expect(both.status).toBe(201);
    const ofBen = refund(await refundOf(world, paid.id, { barberId: 'ben' }), 201);
    expect(ofBen.amount).toBe('25.00');
    const open = await givenPayment(world);
    const tooEarly = await share(world, open.id, [[id, '45.00']]);
    expect(reason(problem(tooEarly, 'conflict'))).toBe('notCaptured');
  });

  it('is told to the host with what each visit gained and lost, and who said it', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const right = await givenAppointment(world, { barber: 'ben' });
    await share(world, paid.id, [[right, '45.00']]);
    const events = await delivered(world);
    const told = events.find(({ type }) => type === 'contactlessPayment.shared');
    expect(told?.data).toEqual({
      contactlessPaymentId: paid.id,
      appointmentId: paid.appointment.id,
      businessId: 'shop',
      currency: 'eur',
      shares: [{ appointmentId: right, barberId: 'ben', amount: '45.00' }],
      moves: [
        { appointmentId: paid.appointment.id, barberId: 'ada', amount: '-45.00' },
        { appointmentId: right, barberId: 'ben', amount: '45.00' },
      ],
      by: expect.objectContaining({ subject: 'user-owner' }),
    });
    const { timeline } = await stored(world, paid.id);
    expect(timeline.at(-1)).toMatchObject({
      what: 'shared',
      cause: 'share',
      actor: expect.any(Number),
    });
  });

  it("adds up in the host's own rows to what each visit has", async (world) => {
    const { payment: paid, visits } = await givenCapturedGroup(world);
    const rows = new Map<string, MoneyEntry>();
    const follow = async () => {
      for (const event of await delivered(world)) {
        for (const entry of moneyEntriesOf(event)._unsafeUnwrap()) {
          const { sequence = '' } = rows.get(entry.reference) ?? {};
          if (sequence < entry.sequence) rows.set(entry.reference, entry);
        }
      }
      return visits.map((id) => {
        const own = [...rows.values()].filter(({ appointmentId }) => appointmentId === id);
        const sum = (of: 'paidMinor' | 'tipMinor') => own.reduce((all, one) => all + one[of], 0n);
        return `${formatMoney(sum('paidMinor'))}+${formatMoney(sum('tipMinor'))}`;
      });
    };
    expect(await follow()).toEqual(['45.00+10.00', '20.00+0.00', '20.00+0.00']);
    // Nobody has shared it since, so that a replay tells the capture alone.
    const since = '2026-11-01T00:00:00.000Z';
    const { events } = (await world.chairside.events.replay({ since }))._unsafeUnwrap();
    expect(events.map(({ type }) => type)).toEqual(['contactlessPayment.captured']);
    await share(world, paid.id, [
      [visits[0], '45.00'],
      [visits[1], '20.00'],
      [visits[2], '30.00', '10.00', 'ada'],
    ]);
    expect(await follow()).toEqual(['45.00+0.00', '20.00+0.00', '20.00+10.00']);
    refund(await refundOf(world, paid.id, { appointmentId: visits[2] }), 201);
    expect(await follow()).toEqual(['45.00+0.00', '20.00+0.00', '0.00+0.00']);
  });

  it('has a receipt that names each visit', async (world) => {
    const { payment: paid, visits } = await givenCapturedGroup(world);
    const shown = receipt(await world.send('getReceipt', 'ada', { id: paid.id }));
    expect(shown.visits).toEqual([
      { appointmentId: visits[0], barberName: 'Ada Marlow', amount: '55.00', tip: '10.00' },
      { appointmentId: visits[1], barberName: 'Ada Marlow', amount: '20.00' },
      { appointmentId: visits[2], barberName: 'Ada Marlow', amount: '20.00' },
    ]);
    expect(receiptToText(shown)).toContain(`Visit ${visits[1]}, Ada Marlow`);
    const { payment: alone } = await givenCaptured(world);
    const about = { contactlessPaymentId: alone.id };
    const own = (await world.chairside.getReceipt(host, about))._unsafeUnwrap();
    expect(own).not.toHaveProperty('visits');
    const { store, processor, clock } = world;
    const off = createChairside({ store, processor, clock });
    const here = (await off.getReceipt(host, { contactlessPaymentId: paid.id }))._unsafeUnwrap();
    expect(here).not.toHaveProperty('visits');
  });

  it('has a receipt with the cash of the visits that it pays now, and in place of its own refund', async (world) => {
    const wrong = await givenAppointment(world);
    await givenTender(world, wrong, '10.00');
    world.clock.advance(1000);
    const { payment: paid } = await givenCaptured(world, { appointmentId: wrong });
    const right = await givenAppointment(world, { amountDue: '20.00' });
    await givenTender(world, right, '7.00');
    const read = async () => receipt(await world.send('getReceipt', 'ada', { id: paid.id }));
    expect((await read()).tenders).toMatchObject([{ amount: '10.00' }]);
    await share(world, paid.id, [[right, '35.00']], { leavesExcess: true });
    expect((await read()).tenders).toMatchObject([{ amount: '7.00' }]);
    world.processor.failNext('refund', 'rejected');
    await refundOf(world, paid.id, { amount: '9.00' });
    const { createdAt } = body(await giveBack(world, paid.id, '9.00'));
    const returns = [{ amount: '9.00', createdAt, contactlessPaymentId: paid.id }];
    expect(await read()).toMatchObject({ tenders: [{ amount: '7.00' }], returns });
    const parts: Part[] = [
      [right, '13.00'],
      [wrong, '13.00'],
    ];
    expect((await share(world, paid.id, parts)).status).toBe(201);
    const tenders = [{ amount: '10.00' }, { amount: '7.00' }];
    expect(await read()).toMatchObject({ tenders, returns });
  });

  it('changes the figures of the day on which it was shared, and no closed day', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const captureDay = dayAt(world.clock.now());
    await pass(world, 3 * dayMs);
    const { readUntil: _before, ...before } = await statement(world, captureDay);
    const right = await givenAppointment(world, { barber: 'ben' });
    await share(world, paid.id, [[right, '45.00']]);
    await pass(world, dayMs / 24);
    expect(await statement(world, captureDay)).toMatchObject(before);
    expect(await barbersOf(world)).toEqual({
      ada: ['-45.00', '0.00', '0.00', '0.00'],
      ben: ['45.00', '0.00', '0.00', '0.00'],
    });
    const { shares = [], barbers, timeZone } = await statement(world, dayAt(world.clock.now()));
    expect(barbers.map(({ barber }) => barber)).toEqual(['Ada Marlow', 'Ada Marlow']);
    expect(shares.map(({ barberId, amount }) => [barberId, amount])).toEqual([
      ['ada', '-45.00'],
      ['ben', '45.00'],
    ]);
    const csv = sharesToCsv({ shares, timeZone });
    expect(csv.split('\r\n')[0]).toBe(
      'day,localTime,kind,contactlessPaymentId,appointmentId,barberId,barber,currency,amount,tip,id,at',
    );
    expect(csv.split('\r\n')[1]).toMatch(/^2026-\d\d-\d\d,2026-\d\d-\d\d[ T]\d\d:\d\d/);
    expect(csv.split('\r\n')).toHaveLength(4);
  });

  it('is in the statement where its tip alone moves, and not where nothing does', async (world) => {
    const { payment: paid, visits } = await givenCapturedGroup(world);
    for (const [tip, other] of [
      ['6.00', '4.00'],
      ['7.00', '3.00'],
      ['7.00', '3.00'],
    ]) {
      world.clock.advance(1);
      const parts: Part[] = [
        [visits[0], '51.00', tip],
        [visits[1], '20.00'],
        [visits[2], '24.00', other],
      ];
      expect((await share(world, paid.id, parts, { leavesExcess: true })).status).toBe(201);
    }
    const { shares = [] } = await statement(world, dayAt(world.clock.now()));
    const whose = shares.map(({ appointmentId, amount, tip }) => [appointmentId, amount, tip]);
    expect(whose.slice(-2)).toEqual([
      [visits[0], '0.00', '1.00'],
      [visits[2], '0.00', '-1.00'],
    ]);
  });
});

describeEverywhere('a tip alone', ({ itWith }) => {
  const it = itWith(switched);
  it('is taken after the visit was paid, within the bound of what it paid', async (world) => {
    const { payment: paid } = await givenCaptured(world, { amount: '45.00' });
    const { id } = paid.appointment;
    problem(await open(world, id, [], { tip: '5.00' }), 'appointmentAlreadyPaid');
    const tooHigh = problem(
      await open(world, id, [], { tip: '45.01', amount: '45.01' }),
      'tipTooHigh',
    );
    expect(tooHigh.attributes?.['maximum']).toBe('45.00');
    const two = await Promise.all(
      ['30.00', '30.00'].map((tip) => open(world, id, [], { tip, amount: tip })),
    );
    const both = two.map((answer) => payment(answer, 201));
    const references = await Promise.all(both.map((each) => present(world, each)));
    const answers = await Promise.all(
      both.map((each, index) => capture(world, each.id, references[index] ?? '')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    for (const [index, { id: refused }] of both.entries()) {
      if (answers[index]?.status !== 409) continue;
      // While the other was under way, it might have failed.
      const again = await capture(world, refused, references[index] ?? '');
      expect(again.status, again.text).toBe(409);
      const released = await world.send('getContactlessPayment', 'ada', { id: refused });
      expect(payment(released, 200).state).toBe('canceled');
    }
    expect(await capturedOf(world, [id])).toEqual(['45.00+30.00']);
    expect(await takenMinor(world)).toBe(7500n);
    const beyond = await open(world, id, [], { tip: '15.01', amount: '15.01' });
    expect(problem(beyond, 'tipTooHigh').attributes?.['maximum']).toBe('15.00');
    // To the cent. A capture releases no tip that is still open.
    for (const { id: tip, reference } of await Promise.all(
      ['10.00', '5.00'].map(async (amount) => {
        const rest = payment(await open(world, id, [], { tip: amount, amount }), 201);
        return { id: rest.id, reference: await present(world, rest) };
      }),
    )) {
      payment(await capture(world, tip, reference), 200);
    }
    expect(await capturedOf(world, [id])).toEqual(['45.00+45.00']);
    await pass(world, dayMs / 24);
    expect(await barbersOf(world)).toEqual({ ada: ['90.00', '45.00', '0.00', '0.00'] });
  });

  it('is not taken where its bound cannot be read', async (world) => {
    const { payment: paid } = await givenCaptured(world, { amount: '45.00' });
    const tip = { tip: '5.00', amount: '5.00' };
    const opened = payment(await open(world, paid.appointment.id, [], tip), 201);
    const reference = await present(world, opened);
    const { store, processor, clock } = world;
    let reads = 0;
    const get: typeof store.ledgers.get = (id) => {
      reads += 1;
      return reads === 1
        ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
        : store.ledgers.get(id);
    };
    const ledgers = { ...store.ledgers, get };
    const node = createChairside({ store: { ...store, ledgers }, processor, clock });
    const refused = await node.captureContactlessPayment(ada, captureInput(opened.id, reference));
    expect(refused._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('waits for another whose capture may fail', async (world) => {
    const { payment: paid } = await givenCaptured(world, { amount: '45.00' });
    const { id } = paid.appointment;
    const [first, second] = await Promise.all(
      ['30.00', '45.00'].map(async (tip) => {
        const opened = payment(await open(world, id, [], { tip, amount: tip }), 201);
        return { id: opened.id, reference: await present(world, opened) };
      }),
    );
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    const again = (one = first) => capture(world, one?.id ?? '', one?.reference ?? '');
    expect((await again()).status).toBe(503);
    expect(problem(await again(second), 'conflict').recovery?.retry).toBe(
      'retrySameRequestAfterDelay',
    );
    const { store, processor, clock } = world;
    const lost = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;
    const stuck = { ...store.payments, listByAppointment: () => errAsync(lost) };
    const node = createChairside({ store: { ...store, payments: stuck }, processor, clock, tips });
    const input = captureInput(second?.id ?? '', second?.reference ?? '');
    const unread = await node.captureContactlessPayment(ada, input);
    expect(unread._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    expect((await stored(world, second?.id ?? '')).state).toBe('created');
    const ledger = await world.chairside.getAppointmentLedger(host, { appointmentId: id });
    expect(ledger._unsafeUnwrap()).not.toHaveProperty('tip');
    await pass(world, dayMs / 24);
    expect(await capturedOf(world, [id])).toEqual(['45.00+30.00']);
    expect(reason(problem(await again(second), 'conflict'))).toBe('exceedsRemainingBalance');
  });

  it('is recorded where other software captured it, also if less is due by now', async (world) => {
    const { payment: paid } = await givenCaptured(world, { amount: '45.00' });
    const { id } = paid.appointment;
    const tip = payment(await open(world, id, [], { tip: '5.00', amount: '5.00' }), 201);
    const reference = await present(world, tip);
    // Upkeep cancels what is still to pay for a paid visit, and a tip is not.
    for (let hour = 0; hour < 2; hour += 1) await pass(world, dayMs / 24);
    await givenAppointment(world, { id, amountDue: '30.00' });
    await captureElsewhere(world, tip.id, reference, { amountMinor: 500n });
    await deliverMessages(world);
    expect(await capturedOf(world, [id])).toEqual(['45.00+5.00']);
  });

  it('is refused where nothing was paid', async (world) => {
    const id = await givenAppointment(world);
    problem(await open(world, id, [], { tip: '5.00', amount: '5.00' }), 'tipTooHigh');
  });
});
