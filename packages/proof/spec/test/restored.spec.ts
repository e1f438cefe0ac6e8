import {
  type Chairside,
  type CloudEvent,
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  moneyEntryOf,
  okAsync,
} from '@chairside/core';
import type { OpenPaymentRequest, Processor, Store, VisitMarks } from '@chairside/core/ports';
import type { CardName } from '@chairside/fake-processor';
import { expect } from 'vitest';
import { problem, refund, refunds } from '../src/answer.ts';
import { dayMs } from '../src/day.ts';
import {
  ada,
  captureElsewhere,
  captureInput,
  givenOrphan,
  interrupted,
  openElsewhere,
  withProcessor,
} from '../src/elsewhere.ts';
import { people } from '../src/people.ts';
import {
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  ledgerOf,
  present,
  stored,
} from '../src/shop.ts';
import { delivered } from '../src/told.ts';
import { describeEverywhere, type World } from '../src/world.ts';

// What a database that was restored from a backup must not believe (D210).

interface Node {
  readonly chairside: Chairside;
  /** What its observer was told of. */
  readonly failures: readonly string[];
  /** From now on its clock is off by so much. */
  setClock(offMs: number): void;
}

/** A process on the restored database, whose store has no clock of its own. */
function nodeOf(
  { store, processor, clock }: World,
  offMs = 0,
  over: Partial<Processor> = {},
  shown: (real: Store) => Store = (real) => real,
): Node {
  const { now: _now, ...rest } = shown(store);
  let off = offMs;
  const failures: string[] = [];
  const chairside = createChairside({
    store: rest,
    processor: { ...processor, ...over },
    clock: { now: () => clock.now() + off },
    rateLimits: 'off',
    restored: true,
    observe: (seen) => {
      if (seen.kind === 'failure') failures.push(`${seen.name}: ${seen.outcome}`);
    },
  });
  return {
    chairside,
    failures,
    setClock(ms) {
      off = ms;
    },
  };
}

async function answerTo({ chairside }: Node, appointmentId: string, auth = ada) {
  const asked = { appointmentId, idempotencyKey: fresh('create') };
  const created = await chairside.createContactlessPayment(auth, asked);
  return created.isOk() ? 'created' : created.error.type;
}

async function upkeep({ chairside }: Node) {
  const report = (await chairside.upkeep())._unsafeUnwrap();
  expect(report.more).toBe(false);
  return report;
}

/** The barber of another business, which has an account of its own. */
const dee = { subject: 'user-dee', barberId: 'dee', entitlements: ['contactlessPayments'] };

async function putShop({ chairside }: World, id: string, account: string) {
  const processorAccount = { id: account, currency: 'eur' };
  const put = await chairside.records.putBusiness({ id, name: 'A shop', processorAccount });
  put._unsafeUnwrap();
}

async function givenUptown(world: World) {
  await putShop(world, 'uptown', 'acct_uptown');
  (await world.chairside.records.putBarber({ id: 'dee', businessId: 'uptown' }))._unsafeUnwrap();
}

const reviewsOf = async ({ chairside }: Node, id: string) =>
  (await chairside.listReviews())
    ._unsafeUnwrap()
    .filter(({ contactlessPaymentId }) => contactlessPaymentId === id)
    .map(({ reason }) => reason);

/** A member that the database of a host lacks. */
const none = JSON.parse('null');

const closed = 'serviceUnavailable';
const paidAlready = 'appointmentAlreadyPaid';
const down = errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false } as const);

describeEverywhere('a restored database whose node has a wrong clock', ({ it, makeWorld }) => {
  /** A visit that was paid after the backup, with the world that has the backup. */
  async function givenPaid() {
    const lost = await makeWorld();
    const paid = await givenAppointment(lost);
    await givenCaptured(lost, { appointmentId: paid });
    const world = await makeWorld({ restoredFrom: lost });
    await givenAppointment(world, { id: paid });
    return { lost, world, paid };
  }

  it.for([
    { days: 3, statesTime: false },
    { days: 90, statesTime: true },
  ])('finds what was paid, $days days behind', async ({ days, statesTime }) => {
    const { lost, world, paid } = await givenPaid();
    const listPayments: Processor['listPayments'] = (request) =>
      lost.processor
        .listPayments(request)
        .map((page) => (statesTime ? { ...page, at: lost.clock.now() } : page));
    const node = nodeOf(world, -days * dayMs, { listPayments });
    expect(await answerTo(node, paid)).toBe(closed);
    await upkeep(node);
    expect(await answerTo(node, paid)).toBe(paidAlready);
    node.setClock(0);
    expect(await answerTo(node, paid)).toBe(paidAlready);
  });

  it('gives no excess back before that, which its key may have done', async () => {
    const { world, paid } = await givenPaid();
    const asked = { appointmentId: paid, idempotencyKey: fresh('excess') };
    const refused = await nodeOf(world).chairside.refundExcess(people.owner, asked);
    expect(refused._unsafeUnwrapErr().type).toBe(closed);
  });

  it('reserves nothing for a capture before that', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const input = captureInput(opened.id, reference);
    const refused = await nodeOf(world).chairside.captureContactlessPayment(ada, input);
    expect(refused._unsafeUnwrapErr().type).toBe(closed);
    expect((await stored(world, opened.id)).reserved).toBe(false);
  });

  it('opens at once after a clock that was days ahead is set', async () => {
    const { world, paid } = await givenPaid();
    const node = nodeOf(world, 3 * dayMs);
    expect(await answerTo(node, paid)).toBe(closed);
    node.setClock(0);
    await upkeep(node);
    expect(await answerTo(node, paid)).toBe(paidAlready);
    expect(await answerTo(node, await givenAppointment(world))).toBe('created');
  });

  it('is read again after each restore, also if the backup says that it was read', async () => {
    const { lost, world } = await givenPaid();
    const before = nodeOf(world, 3 * dayMs);
    await answerTo(before, await givenAppointment(world));
    await upkeep(before);
    world.clock.advance(hourMs);
    const paid = await givenAppointment(lost);
    await givenCaptured(lost, { appointmentId: paid });
    await givenAppointment(world, { id: paid });
    const node = nodeOf(world);
    expect(await answerTo(node, paid)).toBe(closed);
    await upkeep(node);
    expect(await answerTo(node, paid)).toBe(paidAlready);
  });

  it('is read once for two nodes that were started together', async () => {
    const { world, paid } = await givenPaid();
    const nodes = [nodeOf(world), nodeOf(world)];
    for (const node of nodes) expect(await answerTo(node, paid)).toBe(closed);
    const [first] = nodes;
    if (first !== undefined) await upkeep(first);
    for (const node of nodes) expect(await answerTo(node, paid)).toBe(paidAlready);
    const [found] = (await world.store.payments.listByAppointment(paid, 1))._unsafeUnwrap();
    expect(found?.timeline[0]).toMatchObject({ what: 'restored', cause: 'reconcile' });
  });

  it('draws a number of its own while another process draws one', async () => {
    const { world } = await givenPaid();
    const numbers: number[] = [];
    const note = async () => {
      const fact = (await world.store.facts.get('restoration'))._unsafeUnwrap();
      numbers.push(JSON.parse(fact?.text ?? '{}').number);
    };
    const first = async () => {
      await upkeep(nodeOf(world));
      await note();
    };
    const node = nodeOf(world, 0, {}, (real) => interrupted(real, 'putFact', first));
    await upkeep(node);
    await note();
    const [other = 0, own] = numbers;
    expect(own).toBe(other + 1);
  });

  it('reads a long list in rounds, and once more for a node that was started meanwhile', async () => {
    const { world, paid } = await givenPaid();
    const pages: number[] = [];
    const listPayments: Processor['listPayments'] = ({ cursor, ...request }) => {
      const page = Number(cursor ?? 0);
      pages.push(page);
      return page < 24
        ? okAsync({ items: [], cursor: `${page + 1}` })
        : world.processor.listPayments(request);
    };
    const [first, second] = [
      nodeOf(world, 0, { listPayments }),
      nodeOf(world, 0, { listPayments }),
    ];
    await answerTo(first, paid);
    expect((await first.chairside.reconcile())._unsafeUnwrap().more).toBe(true);
    expect(pages).toHaveLength(20);
    await answerTo(second, paid);
    expect((await upkeep(second)).rounds).toBe(3);
    expect(pages).toHaveLength(50);
    expect(await answerTo(second, paid)).toBe(paidAlready);
  });

  it('is not served while no number can be drawn', async () => {
    const { world } = await givenPaid();
    const commit: Store['commit'] = (asked) =>
      asked.changes.some(({ kind }) => kind === 'putFact')
        ? errAsync({ kind: 'storeConflict', change: 'putFact' })
        : world.store.commit(asked);
    const node = nodeOf(world, 0, {}, (real) => ({ ...real, commit }));
    expect((await node.chairside.reconcile())._unsafeUnwrapErr().status).toBe(503);
  });
});

describeEverywhere('a restored database with several accounts', ({ it, makeWorld }) => {
  /** A visit that was paid after the backup. */
  async function givenPaid() {
    const lost = await makeWorld();
    const visit = await givenAppointment(lost);
    const { payment: paid } = await givenCaptured(lost, { appointmentId: visit });
    const world = await makeWorld({ restoredFrom: lost });
    await givenAppointment(world, { id: visit });
    return { world, visit, paid };
  }

  /** It has moved to another business since. */
  async function givenMoved() {
    const { world, visit, paid } = await givenPaid();
    await givenUptown(world);
    await givenAppointment(world, { id: visit, business: 'uptown', barber: 'dee' });
    let reply: ReturnType<Processor['listPayments']> | undefined = down;
    const listPayments: Processor['listPayments'] = (request) =>
      request.books === 'acct_shop' && reply !== undefined
        ? reply
        : world.processor.listPayments(request);
    const node = nodeOf(world, 0, { listPayments });
    const setReply = (to: typeof reply) => {
      reply = to;
    };
    return { world, visit, paid, node, setReply };
  }

  it('charges no visit twice that was paid in another account, and asks a person about it', async () => {
    const { visit, paid, node, setReply } = await givenMoved();
    expect(await answerTo(node, visit, dee)).toBe(closed);
    await upkeep(node);
    expect(await answerTo(node, visit, dee)).toBe(closed);
    setReply(undefined);
    await upkeep(node);
    expect(await answerTo(node, visit, dee)).toBe(paidAlready);
    expect(await reviewsOf(node, paid.id)).toEqual(['capturedBeyondDue']);
  });

  it.for([
    {
      does: 'counts a capture in books that accounts share, whatever account the host names',
      isShared: true,
      account: { id: 'acct_new', currency: 'eur' },
      after: paidAlready,
    },
    {
      does: 'asks a person about a capture if the host names another account alone',
      isShared: false,
      account: { id: 'acct_new', currency: 'eur' },
      after: 'created',
    },
    {
      does: 'asks a person about a capture if the account is null in the table of the host',
      isShared: false,
      account: none,
      after: 'paymentProviderNotSetup',
    },
  ])('$does', async ({ isShared, account: processorAccount, after }) => {
    const { world, visit, paid } = await givenPaid();
    const shared: Partial<Processor> = {
      booksOf: () => 'platform',
      listPayments: (request) => world.processor.listPayments({ ...request, books: 'acct_shop' }),
    };
    const node = nodeOf(world, 0, isShared ? shared : {}, (store) => ({
      ...store,
      businesses: {
        get: (id) =>
          store.businesses.get(id).map((found) => found && { ...found, processorAccount }),
      },
    }));
    await answerTo(node, visit);
    await upkeep(node);
    expect(await reviewsOf(node, paid.id)).toEqual(isShared ? [] : ['orphanCaptured']);
    expect((await ledgerOf(world, visit)).capturedMinor).toBe(isShared ? 4500n : 0n);
    expect(await answerTo(node, visit)).toBe(after);
  });

  it('counts what was captured in an account that the business used before', async () => {
    const { world, visit, paid } = await givenPaid();
    await putShop(world, 'shop', 'acct_new');
    const node = nodeOf(world);
    expect(await answerTo(node, visit)).toBe(closed);
    await upkeep(node);
    expect(await answerTo(node, visit)).toBe(paidAlready);
    expect(await reviewsOf(node, paid.id)).toEqual([]);
  });

  it.for([
    { status: 'captured', reason: 'orphanCaptured' },
    { status: 'authorized', reason: 'orphanAuthorized' },
  ])(
    'takes marks that another account has copied for nothing $status (D210)',
    async ({ status, reason }) => {
      const lost = await makeWorld();
      const visit = await givenAppointment(lost);
      const marks = { appointmentId: visit, businessId: 'shop', barberId: 'ada' };
      const copied = { account: 'acct_uptown', visit: marks };
      const { id, reference, clientSecret } = await openElsewhere(lost, copied);
      lost.processor.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap();
      if (status === 'captured') await captureElsewhere(lost, id, reference, copied);
      const world = await makeWorld({ restoredFrom: lost });
      await givenAppointment(world, { id: visit });
      await putShop(world, 'uptown', 'acct_uptown');
      const node = nodeOf(world);
      expect(await answerTo(node, visit)).toBe(closed);
      await upkeep(node);
      expect(await answerTo(node, visit)).toBe('created');
      expect((await world.store.payments.get(id))._unsafeUnwrap()).toBeUndefined();
      world.clock.advance(2 * hourMs);
      await upkeep(node);
      expect(await reviewsOf(node, id)).toEqual([reason]);
    },
  );

  it('follows a payment that was open in the backup in its own account alone', async () => {
    const world = await makeWorld({ processor: { lateReferences: true } });
    await putShop(world, 'uptown', 'acct_uptown');
    const { id: paymentId } = await givenPayment(world);
    const copied = { paymentId, account: 'acct_uptown' };
    const { clientSecret } = await openElsewhere(world, copied);
    const { externalPaymentReference } = world.processor
      .presentCard(clientSecret, 'visa_credit')
      ._unsafeUnwrap();
    await captureElsewhere(world, paymentId, externalPaymentReference.id, copied);
    const node = nodeOf(world);
    await upkeep(node);
    expect((await stored(world, paymentId)).state).toBe('created');
    expect(await reviewsOf(node, paymentId)).toEqual(['orphanCaptured']);
  });

  it('does not wait for an account that the processor refuses', async () => {
    const { world, visit, node, setReply } = await givenMoved();
    setReply(errAsync({ kind: 'notSetUp' }));
    await answerTo(node, visit, dee);
    await upkeep(node);
    expect(await answerTo(node, visit, dee)).toBe('created');
    expect(await answerTo(node, await givenAppointment(world))).toBe(closed);
    // It is asked again, once the account may be set up.
    setReply(undefined);
    await upkeep(node);
    expect(await answerTo(node, await givenAppointment(world))).toBe(closed);
    world.clock.advance(10 * minuteMs);
    await upkeep(node);
    expect(await answerTo(node, await givenAppointment(world))).toBe('created');
  });

  it.for([
    { what: 'refuses', reply: errAsync({ kind: 'notSetUp' } as const), after: 'created' },
    { what: 'does not answer for', reply: down, after: closed },
  ])('ends its upkeep where the processor $what many of them', async ({ reply, after }, world) => {
    const { records } = world.chairside;
    for (let n = 0; n < 25; n += 1) {
      const processorAccount = { id: `acct_${n}`, currency: 'eur' };
      const put = await records.putBusiness({ id: `shop-${n}`, name: 'A shop', processorAccount });
      put._unsafeUnwrap();
    }
    const node = nodeOf(world, 0, {
      listPayments: (request) =>
        request.books === 'acct_shop' ? world.processor.listPayments(request) : reply,
    });
    const visit = await givenAppointment(world);
    expect(await answerTo(node, visit)).toBe(closed);
    expect((await upkeep(node)).rounds).toBeLessThan(5);
    expect(await answerTo(node, visit)).toBe(after);
  });
});

describeEverywhere('a restored database that lacks a refund', ({ it, makeWorld }) => {
  const body = { amount: '10.00' };

  /** A payment that was refunded in part after the backup, with the key of that refund. */
  async function givenRefunded() {
    const lost = await makeWorld();
    const { payment: paid } = await givenCaptured(lost);
    const key = fresh('refund');
    const asked = { id: paid.id, key, body };
    const made = refund(await lost.send('refundPayment', 'owner', asked), 201);
    const world = await makeWorld({ restoredFrom: lost });
    await world.send('createContactlessPayment', 'ada', {
      id: await givenAppointment(world),
      key: fresh('create'),
    });
    (await world.chairside.upkeep())._unsafeUnwrap();
    return { lost, world, made, asked };
  }

  it('tells the host of it under its id, once (D210)', async () => {
    const { lost, world, made } = await givenRefunded();
    world.clock.advance(2 * hourMs);
    (await world.chairside.upkeep())._unsafeUnwrap();
    const entriesOf = (events: readonly CloudEvent[]) =>
      events.flatMap((event) => {
        const { reference, paidMinor } = moneyEntryOf(event).unwrapOr(undefined) ?? {};
        return reference === undefined ? [] : [{ reference, paidMinor }];
      });
    const told = entriesOf(await delivered(world));
    expect(told).toEqual(entriesOf(await delivered(lost)));
    expect(told).toContainEqual({ reference: made.id, paidMinor: -1000n });
  });

  it('makes it no second time for a key that was lost', async () => {
    const { world, made, asked } = await givenRefunded();
    const answer = problem(await world.send('refundPayment', 'owner', asked), 'serviceUnavailable');
    expect(answer).toMatchObject({ recovery: { outcome: 'unknown' } });
    const { items } = refunds(await world.send('listRefunds', 'owner', { id: asked.id }));
    expect(items).toMatchObject([{ id: made.id, amount: '10.00', state: 'succeeded' }]);
    // Without the option, a person has seen to it.
    const { store, processor, clock } = world;
    const later = createChairside({ store, processor, clock });
    const next = { contactlessPaymentId: asked.id, idempotencyKey: fresh('refund'), body };
    expect((await later.refundPayment(people.owner, next)).isOk()).toBe(true);
  });

  it('refunds a payment twice that was not refunded before', async () => {
    const { world } = await givenRefunded();
    const { payment: paid } = await givenCaptured(world);
    for (const amount of ['1.00', '2.00']) {
      const next = { id: paid.id, key: fresh('refund'), body: { amount } };
      refund(await world.send('refundPayment', 'owner', next), 201);
    }
    const { id: appointmentId } = paid.appointment;
    await givenAppointment(world, { id: appointmentId, amountDue: '30.00' });
    const excess = { appointmentId, idempotencyKey: fresh('excess') };
    const back = (await world.chairside.refundExcess(people.owner, excess))._unsafeUnwrap();
    expect(back.amount).toBe('12.00');
  });

  it('gives no excess back under a key that may have given it back before', async () => {
    const { world, asked } = await givenRefunded();
    const { appointment, reference = '' } = await stored(world, asked.id);
    const { id } = appointment;
    // One payment and one refund of it are enough.
    await givenAppointment(world, { id, amountDue: '50.00' });
    await givenCaptured(world, { appointmentId: id, amount: '5.00' });
    world.processor.refund(reference, 100n)._unsafeUnwrap();
    await givenAppointment(world, { id, amountDue: '30.00' });
    const excess = { appointmentId: appointment.id, idempotencyKey: fresh('excess') };
    expect(
      (await world.chairside.refundExcess(people.owner, excess))._unsafeUnwrapErr(),
    ).toMatchObject({
      type: 'serviceUnavailable',
      recovery: { outcome: 'unknown' },
    });
    const { store, processor, clock } = world;
    const later = createChairside({ store, processor, clock });
    const back = (await later.refundExcess(people.owner, excess))._unsafeUnwrap();
    expect(back.amount).toBe('9.00');
  });

  it('takes a copied mark for no refund of its own', async () => {
    const { world, made } = await givenRefunded();
    const { payment: other } = await givenCaptured(world);
    const elsewhere = withProcessor(world, {
      refunds: {
        ...world.processor.refunds,
        list: (handle) =>
          world.processor.refunds
            .list(handle)
            .map((listed) => listed.map((one) => ({ ...one, refundId: made.id }))),
      },
    });
    world.clock.advance(2 * hourMs);
    (await world.chairside.upkeep())._unsafeUnwrap();
    const { reference = '' } = await stored(world, other.id);
    world.processor.refund(reference, 500n)._unsafeUnwrap();
    const asked = { contactlessPaymentId: other.id, idempotencyKey: fresh('refund'), body };
    expect((await elsewhere.refundPayment(people.owner, asked)).isOk()).toBe(true);
    const { items } = refunds(await world.send('listRefunds', 'owner', { id: other.id }));
    expect(items).toContainEqual(expect.objectContaining({ origin: 'elsewhere', amount: '5.00' }));
  });
});

describeEverywhere('a visit that was paid after the backup', ({ it, makeWorld }) => {
  /** A process of the time before the backup. */
  const beforeBackup = ({ store, processor, clock }: World) =>
    createChairside({ store, processor, clock, shares: true, rateLimits: 'off' });

  const cash = (appointmentId: string) => ({
    appointmentId,
    idempotencyKey: fresh('tender'),
    body: { kind: 'cash', amount: '45.00' } as const,
  });

  async function givenPaid() {
    const lost = await makeWorld();
    const visit = await givenAppointment(lost);
    const { payment: paid } = await givenCaptured(lost, { appointmentId: visit });
    const world = await makeWorld({ restoredFrom: lost });
    await givenAppointment(world, { id: visit });
    return { lost, world, visit, paid };
  }

  it('is reviewed if the backup has cash for it that was voided since', async () => {
    const { world, visit, paid } = await givenPaid();
    (await beforeBackup(world).recordTender(ada, cash(visit)))._unsafeUnwrap();
    const node = nodeOf(world);
    await answerTo(node, visit);
    await upkeep(node);
    expect(await reviewsOf(node, paid.id)).toEqual(['capturedBeyondDue']);
    expect(await ledgerOf(world, visit)).toMatchObject({
      capturedMinor: 4500n,
      tenderedMinor: 4500n,
    });
  });

  it('is reviewed if less is due by now, and otherwise not', async () => {
    const { lost, world, visit, paid } = await givenPaid();
    const other = await givenAppointment(lost);
    const { payment: fits } = await givenCaptured(lost, { appointmentId: other });
    await givenAppointment(world, { id: other });
    // What its visit owes is not known before the host has put it again.
    const { payment: ofUnknown } = await givenCaptured(lost);
    const { id: open } = await givenPayment(lost);
    await givenAppointment(world, { id: visit, amountDue: '44.99' });
    const node = nodeOf(world);
    await answerTo(node, visit);
    await upkeep(node);
    expect(await reviewsOf(node, paid.id)).toEqual(['capturedBeyondDue']);
    for (const { id } of [fits, ofUnknown]) expect(await reviewsOf(node, id)).toEqual([]);
    expect((await world.store.payments.get(open))._unsafeUnwrap()).toBeUndefined();
  });

  it('is recorded as far as the processor keeps it, whatever the host shows (D68)', async () => {
    const lost = await makeWorld();
    const world = await makeWorld({ restoredFrom: lost });
    const [own, malformed] = [await givenAppointment(world), await givenAppointment(world)];
    const other = await givenAppointment(world, { barber: 'ben' });
    const opened = async (
      visit: Partial<VisitMarks>,
      over: Partial<OpenPaymentRequest> = {},
      card: CardName = 'visa_credit',
    ) => {
      const marks = { appointmentId: own, businessId: 'shop', barberId: 'ada', ...visit };
      const made = await openElsewhere(lost, { visit: marks, ...over });
      lost.processor.presentCard(made.clientSecret, card)._unsafeUnwrap();
      return made;
    };
    const ofBen = (appointmentId: string, amount: string) => {
      return { appointmentId, barberId: 'ben', amount };
    };
    const alsoPays = [other, own, malformed, 'gone'].map((id) => ofBen(id, '5.00'));
    const tip = { tipMinor: 500n };
    const whole = await opened({ alsoPays }, { ...tip, applicationFeeMinor: 100n });
    await givenUptown(world);
    const moved = await givenAppointment(world, { business: 'uptown', barber: 'dee' });
    const split = await opened({ appointmentId: other, alsoPays: [ofBen(moved, '5.00')] });
    const unmarked = await givenOrphan(lost);
    const ofNoShop = await opened({ businessId: 'gone' });
    for (const { id, reference } of [whole, split, ofNoShop])
      await captureElsewhere(lost, id, reference);
    // Only a tip would be left for its own visit.
    const odd = { appointmentId: 'gone', alsoPays: [ofBen(own, '40.00')] };
    const charged = await opened({ ...odd, purpose: 'deposit' }, tip);
    const partly = await opened({ appointmentId: malformed }, {}, 'partially_authorized');
    const listPayments: Processor['listPayments'] = (request) =>
      world.processor.listPayments(request).map((page) => {
        return { ...page, items: page.items.map((item) => ({ ...item, clientSecret: '' })) };
      });
    const node = nodeOf(world, 0, { listPayments }, (store) => ({
      ...store,
      appointments: {
        get: (id) =>
          store.appointments
            .get(id)
            .map((found) => found && (id === malformed ? { ...found, barber: none } : found)),
      },
    }));
    await answerTo(node, own);
    (await node.chairside.reconcile())._unsafeUnwrap();
    const ben = { barberId: 'ben', amountMinor: 500n, tipMinor: 0n };
    const adas = { barberId: 'ada', barberName: 'Ada Marlow', amountMinor: 2500n, ...tip };
    expect(await stored(world, whole.id)).toMatchObject({
      state: 'captured',
      reference: whole.reference,
      card: { network: 'network_a' },
      ...tip,
      applicationFeeMinor: 100n,
      shares: [
        { appointmentId: own, ...adas },
        { appointmentId: other, ...ben, barberName: 'Ada Marlow' },
        ...[own, malformed, 'gone'].map((appointmentId) => ({ appointmentId, ...ben })),
      ],
    });
    const agreed = { setupId: '', customerId: '', setupReference: '', paymentMethod: '' };
    const agreedAt = world.clock.now();
    const charge = { ...agreed, agreementRef: '', purpose: 'deposit', agreedAt };
    expect(await stored(world, charged.id)).toMatchObject({ state: 'authorized', charge });
    expect(await stored(world, charged.id)).not.toHaveProperty('shares');
    const nameless = await stored(world, partly.id);
    expect(nameless).toMatchObject({
      state: 'failed',
      expiresAt: world.clock.now() + 15 * minuteMs,
      appointment: { id: malformed, barber: { id: 'ada', surname: 'unknown' } },
    });
    for (const member of ['tipMinor', 'applicationFeeMinor', 'shares'])
      expect(nameless).not.toHaveProperty(member);
    expect(await stored(world, split.id)).toMatchObject({
      appointment: { barber: { id: 'ada', surname: 'unknown' }, location: { name: 'Old Town' } },
    });
    expect(await reviewsOf(node, split.id)).toEqual(['capturedBeyondDue']);
    for (const { id } of [unmarked, ofNoShop])
      expect(await reviewsOf(node, id)).toEqual(['orphanCaptured']);
  });

  it('is reviewed if the host lowers its amount due in the same moment', async () => {
    const { world, visit, paid } = await givenPaid();
    const lower = () => givenAppointment(world, { id: visit, amountDue: '44.99' });
    const node = nodeOf(world, 0, {}, (real) => interrupted(real, 'insertPayment', lower));
    await answerTo(node, visit);
    await upkeep(node);
    expect(await reviewsOf(node, paid.id)).toEqual(['capturedBeyondDue']);
  });

  it('is looked at again if it could not be recorded', async () => {
    const { world, visit } = await givenPaid();
    let fails = true;
    const commit: Store['commit'] = (asked) =>
      fails && asked.changes.some(({ kind }) => kind === 'insertPayment')
        ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
        : world.store.commit(asked);
    const node = nodeOf(world, 0, {}, (real) => ({ ...real, commit }));
    await answerTo(node, visit);
    await upkeep(node);
    expect(await answerTo(node, visit)).toBe(closed);
    fails = false;
    await upkeep(node);
    expect(await answerTo(node, visit)).toBe(paidAlready);
  });

  it('takes no cash before it is known', async () => {
    const { world, visit } = await givenPaid();
    const node = nodeOf(world);
    const refused = await node.chairside.recordTender(ada, cash(visit));
    expect(refused._unsafeUnwrapErr().type).toBe(closed);
    await upkeep(node);
    const paidBy = await node.chairside.recordTender(ada, cash(visit));
    expect(paidBy._unsafeUnwrapErr().type).toBe(paidAlready);
  });

  it('gets no part of another payment before it is known', async () => {
    const { world, visit } = await givenPaid();
    const before = beforeBackup(world);
    const sender = { ...world, chairside: before };
    const own = await givenAppointment(world);
    const asked = { appointmentId: own, idempotencyKey: fresh('create') };
    const opened = (await before.createContactlessPayment(ada, asked))._unsafeUnwrap();
    const taken = captureInput(opened.id, await present(sender, opened));
    (await before.captureContactlessPayment(ada, taken))._unsafeUnwrap();
    const { store, processor, clock } = world;
    const over = { shares: true, restored: true, rateLimits: 'off' } as const;
    const node = createChairside({ store, processor, clock, ...over });
    const share = () =>
      node.sharePayment(people.owner, {
        contactlessPaymentId: opened.id,
        idempotencyKey: fresh('share'),
        body: { shares: [{ appointmentId: visit, amount: '45.00' }] },
      });
    expect((await share())._unsafeUnwrapErr().type).toBe(closed);
    (await node.upkeep())._unsafeUnwrap();
    expect((await share())._unsafeUnwrapErr().type).toBe('conflict');
  });

  const hostFails = {
    'returns an error': () =>
      errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const),
    throws: (): never => {
      throw new Error('The row cannot be parsed.');
    },
  };

  it.for(Object.entries(hostFails))(
    'keeps no others closed if the host %s for it (D51, D68)',
    async ([how, fail]) => {
      const { lost, world, visit, paid } = await givenPaid();
      const other = await givenAppointment(lost);
      await givenCaptured(lost, { appointmentId: other });
      await givenAppointment(world, { id: other });
      // The backup knows that one was opened, but not that it was captured.
      const known = await givenAppointment(world);
      const asked = { appointmentId: known, idempotencyKey: fresh('create') };
      const before = beforeBackup(world);
      const opened = (await before.createContactlessPayment(ada, asked))._unsafeUnwrap();
      await captureElsewhere(world, opened.id, await present(world, opened));
      const node = nodeOf(world, 0, {}, (store) => ({
        ...store,
        appointments: {
          get: (id) => ([visit, known].includes(id) ? fail() : store.appointments.get(id)),
        },
      }));
      await answerTo(node, other);
      await upkeep(node);
      expect(await answerTo(node, other)).toBe(paidAlready);
      expect(await answerTo(node, await givenAppointment(world))).toBe('created');
      for (const [id, paymentId] of [
        [visit, paid.id],
        [known, opened.id],
      ] as const) {
        expect((await ledgerOf(world, id)).capturedMinor).toBe(4500n);
        expect(await reviewsOf(node, paymentId)).toEqual(['capturedBeyondDue']);
      }
      expect(node.failures).toContain(`sweep: ${how === 'throws' ? 'Error' : 'storeUnavailable'}`);
    },
  );

  it.for(Object.entries(hostFails))(
    'keeps no others closed if the host %s for its business (D51, D68)',
    async ([_, fail]) => {
      const { lost, world, visit, paid } = await givenPaid();
      // Without its appointment, its business alone has a name for it.
      const { payment: nameless } = await givenCaptured(lost);
      await givenUptown(world);
      const other = await givenAppointment(world, { business: 'uptown', barber: 'dee' });
      const node = nodeOf(world, 0, {}, (store) => ({
        ...store,
        businesses: { get: (id) => (id === 'shop' ? fail() : store.businesses.get(id)) },
      }));
      expect(await answerTo(node, other, dee)).toBe(closed);
      await upkeep(node);
      expect(await answerTo(node, other, dee)).toBe('created');
      expect((await ledgerOf(world, visit)).capturedMinor).toBe(4500n);
      expect(await reviewsOf(node, paid.id)).toEqual([]);
      const { appointment } = await stored(world, nameless.id);
      expect(appointment.location).toMatchObject({ name: 'unknown', shopName: 'unknown' });
    },
  );
});

describeEverywhere('the events of a restored database', ({ it, makeWorld }) => {
  it('have ids and sequences that the lost database has told of nothing else (D210)', async (lost) => {
    const { payment: paid } = await givenCaptured(lost);
    const before = await delivered(lost);
    const world = await makeWorld({ restoredFrom: lost });
    await answerTo(nodeOf(world), await givenAppointment(world));
    await upkeep(nodeOf(world));
    const after = (await delivered(world)).filter(({ subject }) => subject === paid.id);
    expect(after).toHaveLength(3);
    const told = new Set(before.map(({ id }) => id));
    expect(after.filter(({ id }) => told.has(id))).toEqual([]);
    const last =
      before
        .map(({ sequence }) => sequence)
        .sort()
        .at(-1) ?? '';
    expect(after.map(({ sequence }) => sequence > last)).toEqual([true, true, true]);
  });

  it('follow all that the lost database may have told of a record of the backup', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const at = await givenAppointment(world);
    const body = { kind: 'cash', amount: '20.00' } as const;
    const cash = { appointmentId: at, idempotencyKey: fresh('tender'), body };
    const [first, second] = [
      (await world.chairside.recordTender(ada, cash))._unsafeUnwrap(),
      (
        await world.chairside.recordTender(ada, { ...cash, idempotencyKey: fresh('tender') })
      )._unsafeUnwrap(),
    ];
    const { version } = await stored(world, paid.id);
    await delivered(world);
    const { chairside } = nodeOf(world);
    const given = { contactlessPaymentId: paid.id, idempotencyKey: fresh('refund') };
    (await chairside.refundPayment(people.owner, given))._unsafeUnwrap();
    const returned = { tenderId: first.id, idempotencyKey: fresh('return') };
    (await chairside.returnTender(ada, returned))._unsafeUnwrap();
    (await chairside.voidTender(ada, { tenderId: second.id }))._unsafeUnwrap();
    const told = await delivered({ chairside });
    expect(told.map(({ type }) => type).sort()).toEqual([
      'contactlessPayment.refunded',
      'tender.returned',
      'tender.voided',
    ]);
    for (const { sequence } of told) {
      expect(Number(sequence)).toBeGreaterThan(version + 1000);
    }
    // A process without the option goes on from there.
    const last = told.find(({ subject }) => subject === paid.id)?.sequence;
    expect((await stored(world, paid.id)).version).toBe(Number(last));
  });

  it('follow it for ever, also in a process without the option (D210)', async (world) => {
    const { payment: paid } = await givenCaptured(world);
    const { version } = await stored(world, paid.id);
    await delivered(world);
    await upkeep(nodeOf(world));
    expect((await stored(world, paid.id)).version).toBe(version);
    const { store, processor, clock } = world;
    const chairside = createChairside({ store, processor, clock });
    const given = { contactlessPaymentId: paid.id, idempotencyKey: fresh('refund') };
    (await chairside.refundPayment(people.owner, given))._unsafeUnwrap();
    const told = await delivered({ chairside });
    expect(told.map(({ sequence }) => Number(sequence) > version + 1000)).toEqual([true]);
  });
});
