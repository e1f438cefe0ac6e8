import {
  type Chairside,
  type ChairsideOptions,
  type CloudEvent,
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  okAsync,
  type Problem,
  ResultAsync,
  secondMs,
} from '@chairside/core';
import {
  type Change,
  type EntriesPage,
  foreignReference,
  type ListedEntry,
  type ListedPayout,
  type ListRequest,
  type Processor,
  type ProcessorSettlements,
  type ProcessorWorld,
  type Store,
} from '@chairside/core/ports';
import { createMapStore } from '@chairside/testkit';
import { expect } from 'vitest';
import { payment, payments, problem } from '../src/answer.ts';
import { charge, givenMethod } from '../src/charges.ts';
import { dayAt, dayMs, statement } from '../src/day.ts';
import {
  ada,
  captureElsewhere,
  captureInput,
  deliverMessages,
  givenOrphan,
  host,
  openElsewhere,
  withProcessor,
} from '../src/elsewhere.ts';
import { people } from '../src/people.ts';
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
import { delivered } from '../src/told.ts';
import { describeEverywhere, type World } from '../src/world.ts';

describeEverywhere('upkeep', ({ once, makeWorld }) => {
  // Combines two use cases, which have specs over every store.
  once('goes on until nothing is due, and sums up its rounds', async (world) => {
    const { chairside, clock } = world;
    const payments = await Promise.all(Array.from({ length: 101 }, () => givenPayment(world)));
    clock.advance(hourMs);
    const events: CloudEvent[] = [];
    const report = await chairside.upkeep({ deliver: async (event) => void events.push(event) });
    const all = { looked: 101, unsettled: 0, delivered: events.length, more: false };
    expect(report._unsafeUnwrap()).toMatchObject(all);
    expect(report._unsafeUnwrap().rounds).toBeGreaterThan(1);
    for (const { id } of payments) expect((await stored(world, id)).state).toBe('canceled');

    // The first round delivers the earlier events; the next call delivers the later ones.
    const next = await chairside.upkeep({ deliver: async (event) => void events.push(event) });
    expect(next._unsafeUnwrap().failed).toBe(0);
    const canceled = events.filter(({ type }) => type === 'contactlessPayment.canceled');
    expect(canceled).toHaveLength(101);
    const commits = world.observations.filter((one) => one.kind === 'commit');
    expect(commits.filter(({ changes }) => changes.length === 0)).toEqual([]);
  });

  once(
    'keeps the ids of commits for an hour, and messages and events for longer (D22)',
    async () => {
      const forgetting: Change[] = [];
      const { chairside, clock } = await makeWorld({
        store: (real) => ({
          ...real,
          commit(commit) {
            forgetting.push(...commit.changes.filter(({ kind }) => kind === 'forget'));
            return real.commit(commit);
          },
        }),
      });
      expect((await chairside.reconcile()).isOk()).toBe(true);
      const now = clock.now();
      expect(forgetting).toEqual([
        {
          kind: 'forget',
          now,
          commitsBefore: now - hourMs,
          processorEventsBefore: now - 7 * 24 * hourMs,
          eventsBefore: now - 30 * 24 * hourMs,
          limit: 10_000,
        },
      ]);
    },
  );

  once("reads the processor's lists of more accounts than one round does", async (world) => {
    const { chairside, clock, store } = world;
    const at = clock.now() - 24 * hourMs;
    const all = Array.from({ length: 21 }, (_, index) => `acct_${index}`);
    const changes = all.map((books): Change => {
      return { kind: 'putSweep', swept: { books, sweptBefore: at, triedAt: at } };
    });
    (await store.commit({ id: 'swept', at, changes }))._unsafeUnwrap();
    for (const account of all) await openElsewhere(world, { account });
    clock.advance(2 * hourMs);
    const report = (await chairside.upkeep())._unsafeUnwrap();
    expect(report).toMatchObject({ rounds: 3, orphansCanceled: all.length, more: false });
    for (const books of all) {
      expect((await store.sweeps.get(books))._unsafeUnwrap()?.triedAt).toBe(clock.now());
    }
  });

  once("reads the processor's lists once if it cannot write how far it came", async () => {
    const isSweep = ({ kind }: Change) => kind === 'putSweep';
    let isFull = false;
    const { chairside, clock, store } = await makeWorld({
      store: (real) => ({
        ...real,
        commit: (commit) =>
          isFull && commit.changes.some(isSweep)
            ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
            : real.commit(commit),
      }),
    });
    const at = clock.now() - 24 * hourMs;
    const changes = Array.from({ length: 10 }, (_, index): Change => {
      return { kind: 'putSweep', swept: { books: `acct_${index}`, sweptBefore: at, triedAt: at } };
    });
    (await store.commit({ id: 'swept', at, changes }))._unsafeUnwrap();
    isFull = true;
    expect((await chairside.upkeep())._unsafeUnwrap()).toMatchObject({ rounds: 1 });
  });

  once('sums up what it could not finish, and who needs a person', async (world) => {
    const { chairside, clock, processor } = world;
    for (let i = 0; i < 101; i += 1) await givenPayment(world);
    clock.advance(73 * hourMs);
    processor.disableAccount('acct_shop');
    const { needReview, ...report } = (await chairside.upkeep())._unsafeUnwrap();
    expect(report).toMatchObject({ rounds: 2, looked: 101, unsettled: 101 });
    expect(new Set(needReview).size).toBe(101);
  });

  once('ends after a hundred rounds if the clock stands still', async () => {
    const { chairside } = await makeWorld({
      // A full page, always, and nothing on it.
      store: ({ refunds, ...real }) => ({
        ...real,
        refunds: { ...refunds, listDue: (_now, limit) => okAsync(new Array(limit)) },
      }),
    });
    const report = (await chairside.upkeep())._unsafeUnwrap();
    expect(report).toMatchObject({ rounds: 100, more: true });
  });

  once('begins no round after its time', async (world) => {
    const { chairside, clock } = world;
    for (let i = 0; i < 101; i += 1) await givenPayment(world);
    clock.advance(hourMs);
    const report = (await chairside.upkeep({ forMs: 0 }))._unsafeUnwrap();
    expect(report).toMatchObject({ rounds: 1, looked: 100, more: true, delivered: 0 });
    expect((await chairside.upkeep())._unsafeUnwrap()).toMatchObject({ looked: 1, more: false });
  });
});

const groupSize = 16;

describeEverywhere('reconcile', ({ it, makeWorld }) => {
  it('settles a bounded number of payments at once, and the others after them', async (world) => {
    const { processor, chairside, clock } = world;
    const payments = await Promise.all(
      Array.from({ length: groupSize + 4 }, () => givenPayment(world)),
    );
    clock.advance(hourMs);
    processor.failNext('readPayment', 'slow', payments.length);
    const made = () => processor.count('readPayment').made;
    const reconciled = chairside.reconcile();
    await until(() => made() === groupSize);
    // All of them wait for the processor, and no other call reaches it meanwhile.
    expect(processor.release()).toBe(groupSize);
    await until(() => made() === payments.length);
    expect(processor.release()).toBe(payments.length - groupSize);
    expect((await reconciled)._unsafeUnwrap()).toMatchObject({ looked: 20, unsettled: 0 });
    for (const { id } of payments) expect((await stored(world, id)).state).toBe('canceled');
  });

  it('settles the others if a record of the host throws for one', async () => {
    let bad: string | undefined;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        appointments: {
          get: (id) => {
            if (id === bad) throw new RangeError('secret');
            return real.appointments.get(id);
          },
        },
      }),
    });
    const { chairside, clock, observations } = world;
    const { payment: odd } = await givenPresented(world);
    const { payment: other } = await givenPresented(world);
    clock.advance(15 * minuteMs);
    expect((await chairside.reconcile())._unsafeUnwrap()).toMatchObject({ unsettled: 0 });
    bad = odd.appointment.id;
    clock.advance(hourMs);
    const report = (await chairside.reconcile())._unsafeUnwrap();
    expect(report).toMatchObject({ looked: 2, unsettled: 1, more: false });
    const failures = observations.filter(({ kind }) => kind === 'failure');
    expect(failures).toMatchObject([{ name: 'reconcile', outcome: 'RangeError' }]);
    // The failed one is checked again soon, the other one at its time.
    expect((await stored(world, odd.id)).nextCheckAt).toBe(clock.now() + 5000);
    expect((await stored(world, other.id)).nextCheckAt).toBe(clock.now() + hourMs);
    bad = undefined;
    clock.advance(5000);
    expect((await chairside.reconcile())._unsafeUnwrap()).toMatchObject({
      looked: 1,
      unsettled: 0,
    });
  });

  it('goes on if a record of the host throws for a refund, or for what a sweep finds (D68)', async () => {
    const bad = new Set<string>();
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        payments: {
          ...real.payments,
          get: (id) => {
            if (bad.has(id)) throw new RangeError('secret');
            return real.payments.get(id);
          },
        },
      }),
    });
    const { chairside, clock, observations, processor } = world;
    const { payment } = await givenCaptured(world);
    processor.slowRefunds(true);
    const asked = { id: payment.id, key: fresh('refund') };
    expect((await world.send('refundPayment', 'owner', asked)).status).toBe(201);
    const { id: orphan } = await givenOrphan(world);
    clock.advance(2 * hourMs);
    for (const id of [payment.id, orphan]) bad.add(id);
    const report = (await chairside.reconcile())._unsafeUnwrap();
    expect(report.unsettled).toBeGreaterThan(0);
    const failures = observations.filter(({ kind }) => kind === 'failure');
    for (const name of ['reconcile', 'sweep']) {
      expect(failures).toContainEqual(expect.objectContaining({ name, outcome: 'RangeError' }));
    }
    // Neither comes first the next time, so that many of them keep no others waiting.
    const { refunds, sweeps } = world.store;
    const [refund] = (await refunds.listByPayment(payment.id, 1))._unsafeUnwrap();
    expect(refund?.nextCheckAt).toBeGreaterThan(clock.now());
    const swept = (await sweeps.get('acct_shop'))._unsafeUnwrap();
    expect(swept?.triedAt).toBe(clock.now());
  });

  it.for([
    [1, 1],
    [1.9, 1],
    [0, 1],
    [-1, 1],
    [Number.NEGATIVE_INFINITY, 1],
    [Number.POSITIVE_INFINITY, 3],
    [Number.NaN, 3],
    [undefined, 3],
  ])('with a limit of %d checks %i of three', async ([limit, looked], world) => {
    for (let i = 0; i < 3; i += 1) await givenPayment(world);
    world.clock.advance(hourMs);
    const input = limit === undefined ? {} : { limit };
    expect((await world.chairside.reconcile(input))._unsafeUnwrap()).toMatchObject({ looked });
  });
});

describeEverywhere('a read that the processor rejects, not because of the reference', ({ it }) => {
  it('is repeated with the same request, before a capture was sent and after', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const retryLater = { retry: 'retrySameRequestAfterDelay' };
    const key = 'capture';
    world.processor.failNext('readPayment', 'rejected');
    const before = await capture(world, opened.id, reference, { key });
    expect(problem(before, 'serviceUnavailable').recovery).toMatchObject(retryLater);

    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    problem(await capture(world, opened.id, reference, { key }), 'serviceUnavailable');
    world.processor.failNext('readPayment', 'rejected');
    const after = await capture(world, opened.id, reference, { key });
    expect(problem(after, 'serviceUnavailable').recovery).toMatchObject({
      outcome: 'unknown',
      ...retryLater,
    });
    expect(payment(await capture(world, opened.id, reference, { key }), 200)).toMatchObject({
      state: 'captured',
    });
  });
});

describeEverywhere('a payment that the processor has lost', ({ it }) => {
  it('may have been captured, if its own reference is sent again', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const node = withProcessor(world, {
      readPayment: () => errAsync({ kind: 'rejected', reason: foreignReference }),
    });
    const send = async (id: string) => {
      const sent = await node.captureContactlessPayment(ada, captureInput(opened.id, id));
      return sent._unsafeUnwrapErr();
    };
    const foreign = {
      type: 'unprocessableEntity',
      detail: expect.stringContaining('does not belong'),
      recovery: { retry: 'doNotRetry' },
    };
    expect(await send(reference)).toMatchObject(foreign);
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    expect(await send('another')).toMatchObject(foreign);
    expect(await send(reference)).toMatchObject({
      type: 'unprocessableEntity',
      recovery: { outcome: 'unknown', retry: 'doNotRetry' },
      attributes: { pointer: '/externalPaymentReference/id' },
    });
  });
});

describeEverywhere('a capture', ({ it, makeWorld }) => {
  it('names the reference that the card was presented under', async () => {
    const world = await makeWorld({ processor: { lateReferences: true } });
    const { payment: opened, reference } = await givenPresented(world);
    const references: (string | undefined)[] = [];
    const node = withProcessor(world, {
      capturePayment(request) {
        references.push(request.reference);
        return world.processor.capturePayment(request);
      },
    });
    const input = captureInput(opened.id, reference);
    expect((await node.captureContactlessPayment(ada, input)).isOk()).toBe(true);
    expect(references).toEqual([reference]);
  });

  it('without a card changes no record', async (world) => {
    const opened = await givenPayment(world);
    const { reference = '' } = await stored(world, opened.id);
    const before = await stored(world, opened.id);
    problem(await capture(world, opened.id, reference), 'conflict');
    expect(await stored(world, opened.id)).toEqual(before);
  });

  it('succeeds if another card was approved just before the first was recorded as declined', async () => {
    let again: (() => Promise<void>) | undefined;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        commit(commit) {
          const act = again;
          if (act === undefined) return real.commit(commit);
          again = undefined;
          return okAsync(undefined)
            .map(() => act())
            .andThen(() => real.commit(commit));
        },
      }),
    });
    const { payment: opened, reference } = await givenPresented(world, { card: 'declined' });
    again = async () => {
      await present(world, opened);
      await deliverMessages(world);
    };
    payment(await capture(world, opened.id, reference), 200);
  });

  it('says that the appointment cannot be read, and keeps the reservation', async () => {
    let isReserved = false;
    const forgetting = (real: Store): Store => ({
      ...real,
      appointments: {
        ...real.appointments,
        get: (id) =>
          isReserved
            ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
            : real.appointments.get(id),
      },
      commit(commit) {
        isReserved ||= commit.changes.some(
          (change) => change.kind === 'moveLedger' && change.reservedMinor > 0n,
        );
        return real.commit(commit);
      },
    });
    const world = await makeWorld({ store: forgetting });
    const { payment: opened, reference } = await givenPresented(world);
    const unread = problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    expect(unread).toMatchObject({
      detail: 'The appointment cannot be read.',
      recovery: { outcome: 'unknown' },
    });
    const { reserved, timeline } = await stored(world, opened.id);
    expect(reserved).toBe(true);
    expect(timeline.at(-1)).toMatchObject({ what: 'capture unread' });
  });

  it('is released if the appointment is gone since it could not be reserved', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    let isGone = false;
    const { store: real, processor, clock } = world;
    const store: Store = {
      ...real,
      appointments: {
        ...real.appointments,
        get: (id) => (isGone ? okAsync(undefined) : real.appointments.get(id)),
      },
      commit(commit) {
        const reserves = commit.changes.some(
          (change) => change.kind === 'moveLedger' && change.reservedMinor > 0n,
        );
        if (!reserves) return real.commit(commit);
        isGone = true;
        return errAsync({ kind: 'storeConflict', change: 'moveLedger' });
      },
    };
    const node = createChairside({ store, processor, clock, rateLimits: 'off' });
    const input = captureInput(opened.id, reference);
    const refused = (await node.captureContactlessPayment(ada, input))._unsafeUnwrapErr();
    expect(refused.attributes).toMatchObject({ reason: 'appointmentGone', isReleased: true });
    // A cause that later responses of the canceled payment name.
    const { timeline } = await stored(world, opened.id);
    expect(timeline.at(-1)).toMatchObject({ cause: 'exceedsRemainingBalance' });
  });
});

/** The answer while upkeep has not read the processor's lists: an earlier request may have been applied. */
const notRead = {
  recovery: { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' },
};

async function upkeep({ chairside }: World): Promise<void> {
  expect((await chairside.upkeep())._unsafeUnwrap().more).toBe(false);
}

describeEverywhere('a database that was restored from a backup', ({ it, makeWorld }) => {
  it('refuses creates until the captures since the backup are known, then charges nobody twice (D210)', async (lost) => {
    const paid = await givenAppointment(lost);
    const { payment: captured } = await givenCaptured(lost, { appointmentId: paid });
    const world = await makeWorld({ restoredFrom: lost });
    await givenAppointment(world, { id: paid });
    const other = await givenAppointment(world);

    const key = fresh('create');
    for (const id of [paid, other]) {
      expect(
        problem(await create(world, id, { key: `${key}-${id}` }), 'serviceUnavailable'),
      ).toMatchObject(notRead);
    }
    expect(lost.processor.entries()).toHaveLength(1);
    await upkeep(world);

    const again = problem(
      await create(world, paid, { key: `${key}-${paid}` }),
      'appointmentAlreadyPaid',
    );
    expect(again.recovery).toEqual({ outcome: 'notApplied', retry: 'doNotRetry' });
    const opened = payment(await create(world, other, { key: `${key}-${other}` }), 201);
    const took = await capture(world, opened.id, await present(world, opened));
    expect(took.status).toBe(200);
    expect(await takenMinor(world)).toBe(9000n);
    // The payment is as it was: listed, readable, with its card.
    const [known] = payments(
      await world.send('listContactlessPayments', 'ada', { id: paid }),
    ).items;
    const { clientSecret: _shown, ...facts } = captured;
    expect(known).toMatchObject({ ...facts, updatedAt: expect.any(String) });
    expect(await stored(world, captured.id)).toMatchObject({
      businessId: 'shop',
      state: 'captured',
    });
  });

  it('charges no visit twice that another one has paid (D208)', async () => {
    const lost = await makeWorld({ shares: true, tips: {} });
    const mother = await givenAppointment(lost);
    const child = await givenAppointment(lost, { amountDue: '20.00', barber: 'ben' });
    const asked = { tip: '5.00', alsoPays: [{ appointmentId: child, amount: '20.00' }] };
    const given = { id: mother, key: fresh('create'), body: asked };
    const opened = payment(await lost.send('createContactlessPayment', 'ada', given), 201);
    payment(await capture(lost, opened.id, await present(lost, opened)), 200);
    const before = await stored(lost, opened.id);
    const world = await makeWorld({ restoredFrom: lost, shares: true, tips: {} });
    await givenAppointment(world, { id: mother });
    await givenAppointment(world, { id: child, amountDue: '20.00', barber: 'ben' });
    problem(await create(world, await givenAppointment(world)), 'serviceUnavailable');
    await upkeep(world);
    for (const [id, as] of [
      [mother, 'ada'],
      [child, 'ben'],
    ] as const) {
      problem(await create(world, id, { as }), 'appointmentAlreadyPaid');
    }
    expect((await stored(world, opened.id)).shares).toEqual(before.shares);
    for (const id of [mother, child]) {
      expect(await ledgerOf(world, id)).toEqual(await ledgerOf(lost, id));
    }
  });

  it('tells the host of what it has recorded, once', async (lost) => {
    const { payment: captured } = await givenCaptured(lost);
    const world = await makeWorld({ restoredFrom: lost });
    await create(world, await givenAppointment(world));
    await upkeep(world);
    await upkeep(world);
    const told = (await delivered(world)).filter(({ subject }) => subject === captured.id);
    expect(told.map(({ type }) => type.replace(/^.*contactlessPayment/, ''))).toEqual([
      '.created',
      '.authorized',
      '.captured',
    ]);
  });

  it('follows payments that were open in the backup', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const { id, version } = await stored(world, opened.id);
    // Captured after the backup was taken: only the processor knows.
    await captureElsewhere(world, id, reference);
    const { store, processor, clock } = world;
    const restored = createChairside({ store, processor, clock, restored: true });
    const asked = { appointmentId: opened.appointment.id, idempotencyKey: fresh('create') };
    const refused = await restored.createContactlessPayment(ada, asked);
    expect(refused._unsafeUnwrapErr()).toMatchObject(notRead);
    (await restored.reconcile())._unsafeUnwrap();
    const paid = await restored.createContactlessPayment(ada, asked);
    expect(paid._unsafeUnwrapErr().type).toBe('appointmentAlreadyPaid');
    expect((await stored(world, id)).version).toBeGreaterThan(version);
  });

  it('begins before the end of what the backup had swept', async (lost) => {
    const world = await makeWorld({ restoredFrom: lost });
    const { store, processor, clock } = world;
    const backup = createChairside({ store, processor, clock });
    const first = { appointmentId: await givenAppointment(world), idempotencyKey: fresh('create') };
    expect((await backup.createContactlessPayment(ada, first)).isOk()).toBe(true);
    world.clock.advance(30 * 24 * hourMs);
    for (let round = 0; round < 3; round += 1) {
      (await backup.reconcile())._unsafeUnwrap();
      world.clock.advance(2 * hourMs);
    }
    const paid = await givenAppointment(lost);
    await givenCaptured(lost, { appointmentId: paid });
    await givenAppointment(world, { id: paid });
    world.clock.advance(minuteMs);
    expect(problem(await create(world, paid), 'serviceUnavailable')).toMatchObject(notRead);
    await upkeep(world);
    expect(problem(await create(world, paid), 'appointmentAlreadyPaid').status).toBe(409);
  });

  it('stays closed while the processor does not answer', async (lost) => {
    await givenCaptured(lost);
    const world = await makeWorld({ restoredFrom: lost });
    const visit = await givenAppointment(world);
    expect(problem(await create(world, visit), 'serviceUnavailable')).toMatchObject(notRead);
    world.processor.failNext('listPayments', 'failure');
    await upkeep(world);
    expect(problem(await create(world, visit), 'serviceUnavailable')).toMatchObject(notRead);
    await upkeep(world);
    expect((await create(world, visit)).status).toBe(201);
  });

  it('counts a visit that it has never heard of', async (lost) => {
    const gone = await givenAppointment(lost);
    await givenCaptured(lost, { appointmentId: gone });
    const world = await makeWorld({ restoredFrom: lost });
    await create(world, await givenAppointment(world));
    await upkeep(world);
    expect(await ledgerOf(world, gone)).toMatchObject({ capturedMinor: 4500n, openPayments: 0 });
    await givenAppointment(world, { id: gone });
    expect(problem(await create(world, gone), 'appointmentAlreadyPaid').status).toBe(409);
  });

  it('finishes an authorized payment that the backup lacks', async (lost) => {
    const visit = await givenAppointment(lost);
    const { payment: opened, reference } = await givenPresented(lost, { appointmentId: visit });
    const world = await makeWorld({ restoredFrom: lost });
    await givenAppointment(world, { id: visit });
    await create(world, visit);
    await upkeep(world);
    expect(payment(await capture(world, opened.id, reference), 200).state).toBe('captured');
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('takes no second deposit', async (lost) => {
    const customer = { terms: { customerId: 'customer' } };
    const visit = await givenAppointment(lost, customer);
    expect((await charge(lost, visit, await givenMethod(lost))).status).toBe(201);
    const world = await makeWorld({ restoredFrom: lost });
    await givenAppointment(world, { ...customer, id: visit });
    const method = await givenMethod(world);
    expect(problem(await charge(world, visit, method), 'serviceUnavailable')).toMatchObject(
      notRead,
    );
    await upkeep(world);
    expect(problem(await charge(world, visit, method), 'conflict')).toMatchObject({
      attributes: { reason: 'alreadyCharged' },
    });
    expect(payment(await create(world, visit), 201).amount).toBe('25.00');
    expect(await takenMinor(world)).toBe(2000n);
    expect((await world.chairside.listReviews({ limit: 1 }))._unsafeUnwrap()).toEqual([]);
  });

  it('holds an authorized charge until somebody releases it (D210)', async (lost) => {
    const customer = { terms: { customerId: 'customer' } };
    const visit = await givenAppointment(lost, customer);
    lost.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    expect((await charge(lost, visit, await givenMethod(lost))).status).toBe(503);
    const world = await makeWorld({ restoredFrom: lost });
    await givenAppointment(world, { ...customer, id: visit });
    const method = await givenMethod(world);
    problem(await charge(world, visit, method), 'serviceUnavailable');
    await upkeep(world);
    const held = (await delivered(world)).find(({ type }) => type.endsWith('.authorized'));
    expect(held?.data).toMatchObject({ purpose: 'deposit', appointmentId: visit });
    problem(await charge(world, visit, method), 'conflict');
    const { chairside } = world;
    const released = await chairside.cancelCharge(people.owner, { chargeId: held?.subject ?? '' });
    expect(released._unsafeUnwrap().state).toBe('canceled');
    expect((await charge(world, visit, method)).status).toBe(201);
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('captures nothing that it knows before it knows what else was captured (D210)', async (lost) => {
    const visit = await givenAppointment(lost);
    await givenCaptured(lost, { appointmentId: visit });
    const world = await makeWorld({ restoredFrom: lost });
    const { store, processor, clock } = world;
    // The backup knows an earlier session of the visit.
    const before = createChairside({ store, processor, clock, rateLimits: 'off' });
    await givenAppointment(world, { id: visit });
    const create = { appointmentId: visit, idempotencyKey: fresh('create') };
    const opened = (await before.createContactlessPayment(ada, create))._unsafeUnwrap();
    const reference = await present(world, opened);
    const asked = captureInput(opened.id, reference);
    const refused = await world.chairside.captureContactlessPayment(ada, asked);
    expect(refused._unsafeUnwrapErr()).toMatchObject(notRead);
    await upkeep(world);
    const canceled = await world.chairside.captureContactlessPayment(ada, asked);
    const { attributes } = canceled._unsafeUnwrapErr();
    expect(attributes).toMatchObject({ reason: 'exceedsRemainingBalance' });
    expect(processor.bookEntry(reference)?.status).toBe('canceled');
  });

  it('opens again in another process that was started later', async (lost) => {
    await givenCaptured(lost);
    const world = await makeWorld({ restoredFrom: lost });
    const visit = await givenAppointment(world);
    await create(world, visit);
    await upkeep(world);
    world.clock.advance(2 * hourMs);
    const { store, processor, clock } = world;
    const [later, last] = [1, 2].map(() =>
      createChairside({ store, processor, clock, restored: true }),
    );
    const asked = () => ({ appointmentId: visit, idempotencyKey: fresh('create') });
    for (const node of [later, last]) {
      const refused = await node?.createContactlessPayment(ada, asked());
      expect(refused?._unsafeUnwrapErr()).toMatchObject(notRead);
    }
    // The upkeep of the first process is asked to read once more.
    await upkeep(world);
    for (const node of [later, last]) {
      expect((await node?.createContactlessPayment(ada, asked()))?.isOk()).toBe(true);
      // What was read after the restore stays known.
      world.clock.advance(2 * hourMs);
      await upkeep(world);
    }
  });
});

/** Another process on the same database. */
function another({ store, processor, clock }: World, over: Partial<ChairsideOptions>): Chairside {
  return createChairside({ store, processor, clock, rateLimits: 'off', ...over });
}

function inMode({ processor }: World, world: Partial<ProcessorWorld>): Partial<ChairsideOptions> {
  return { processor: { ...processor, world: { processor: 'fake', mode: 'test', ...world } } };
}

const otherWorld: Partial<Problem> = {
  type: 'serviceUnavailable',
  attributes: { reason: 'otherWorld' },
  recovery: { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' },
};

const statusOf = ({ processor }: World, reference: string) =>
  processor.bookEntry(reference)?.status;

/** Upkeep of two hours, every quarter of an hour. */
async function upkeepFor({ clock }: World, chairside: Chairside) {
  const needReview: string[] = [];
  for (let round = 0; round < 8; round += 1) {
    clock.advance(15 * minuteMs);
    const report = (await chairside.reconcile())._unsafeUnwrap();
    expect(report.unsettled).toBe(0);
    needReview.push(...report.needReview);
  }
  return needReview;
}

describeEverywhere('a database of another world', ({ it }) => {
  it('is refused before anything is written: test payments pay for no real visit (D210)', async (world) => {
    const appointmentId = await givenAppointment(world);
    await givenCaptured(world, { appointmentId });
    const its = 'fake test, installation chairside';
    for (const [over, named] of [
      [
        inMode(world, { mode: 'live', account: 'acct_1' }),
        'fake live acct_1, installation chairside',
      ],
      [inMode(world, { processor: 'another' }), 'another test, installation chairside'],
      [{ installation: 'staging' }, 'fake test, installation staging'],
    ] as const) {
      const live = another(world, over);
      const asked = { appointmentId, idempotencyKey: fresh('create') };
      const created = await live.createContactlessPayment(ada, asked);
      const detail = `The database belongs to ${its}, and this process to ${named}.`;
      expect(created._unsafeUnwrapErr()).toMatchObject({ ...otherWorld, detail });
      const put = await live.records.putBarber({ id: 'eve', businessId: 'shop' });
      expect(put._unsafeUnwrapErr()).toMatchObject(otherWorld);
      expect((await live.upkeep())._unsafeUnwrapErr()).toMatchObject(otherWorld);
    }
    expect((await world.store.barbers.get('eve'))._unsafeUnwrap()).toBeUndefined();
  });

  it('is the same world for a processor that does not know its account', async (world) => {
    const known = another(world, inMode(world, { account: 'acct_platform' }));
    expect((await known.reconcile()).isOk()).toBe(true);
  });

  it('is another account of the platform, once a process has told it', async (world) => {
    const store = createMapStore();
    const of = (account: string) => another({ ...world, store }, inMode(world, { account }));
    expect((await of('acct_1').reconcile()).isOk()).toBe(true);
    expect((await of('acct_2').reconcile())._unsafeUnwrapErr()).toMatchObject(otherWorld);
    expect((await another({ ...world, store }, {}).reconcile()).isOk()).toBe(true);
    const empty = another({ ...world, store: createMapStore() }, {});
    expect((await empty.relabel()).isOk()).toBe(true);
  });

  it('is another one for a processor that names itself later than the first', async (world) => {
    const { world: _world, ...processor } = world.processor;
    const store = createMapStore();
    const of = (over: object) =>
      another({ ...world, store }, { processor: { ...processor, ...over } });
    const live = { world: { processor: 'adyen', mode: 'live' } };
    expect((await of({}).reconcile()).isOk()).toBe(true);
    expect((await of(live).reconcile()).isOk()).toBe(true);
    const test = of({ world: { processor: 'adyen', mode: 'test' } });
    expect((await test.reconcile())._unsafeUnwrapErr()).toMatchObject(otherWorld);
  });

  it('is not taken for this one while it cannot be read', async (world) => {
    const down = () => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
    let isDown = true;
    const get = (name: string) => (isDown ? down() : world.store.facts.get(name));
    const node = another({ ...world, store: { ...world.store, facts: { get } } }, {});
    expect((await node.reconcile())._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    isDown = false;
    expect((await node.reconcile()).isOk()).toBe(true);
  });
});

describeEverywhere('a copy of a database', ({ it, makeWorld }) => {
  /** A copy from before a payment, whose processor has the payment. */
  async function givenCopy() {
    const original = await makeWorld();
    const copied = await makeWorld({ restoredFrom: original });
    // Its sweeps begin with a payment of its own.
    const copy = another(copied, {});
    const own = { appointmentId: await givenAppointment(copied), idempotencyKey: fresh('create') };
    expect((await copy.createContactlessPayment(ada, own)).isOk()).toBe(true);
    const { payment, reference } = await givenPresented(original);
    return { original, copied, copy, payment, reference };
  }

  it('leaves held cards that only the original knows to a person (D210)', async () => {
    const { original, copied, copy, payment, reference } = await givenCopy();
    expect(await upkeepFor(copied, copy)).toContain(reference);
    expect(statusOf(original, reference)).toBe('authorized');
    const review = (await copy.listReviews())
      ._unsafeUnwrap()
      .find(({ contactlessPaymentId }) => contactlessPaymentId === payment.id);
    expect(review).toMatchObject({ reason: 'orphanAuthorized', processorReference: reference });
    const reviewId = review?.id ?? '';
    const by = 'Mia';
    const said = { reviewId, note: 'The database was lost.', by } as const;
    const took = await copy.resolveReview({ ...said, outcome: 'tookPlace' });
    expect(took._unsafeUnwrapErr().attributes).toMatchObject({ reason: 'notOpen' });
    expect(statusOf(original, reference)).toBe('authorized');
    copied.processor.failNext('cancelPayment', 'timeoutBeforeApplying');
    const unheard = await copy.resolveReview({ ...said, outcome: 'didNotTakePlace' });
    expect(unheard._unsafeUnwrapErr().type).toBe('serviceUnavailable');
    const asked: unknown[] = [];
    const cancelPayment: Processor['cancelPayment'] = (request) => {
      asked.push(request.reference);
      return errAsync({ kind: 'rejected', reason: 'captured' });
    };
    const refusing = another(copied, { processor: { ...copied.processor, cancelPayment } });
    // It has the payment by now.
    const { payments } = original.store;
    const knowing = another({ ...copied, store: { ...copied.store, payments } }, {});
    for (const node of [refusing, knowing]) {
      const refused = await node.resolveReview({ ...said, outcome: 'didNotTakePlace' });
      expect(refused._unsafeUnwrapErr().attributes).toMatchObject({ reason: 'notOpen' });
    }
    expect(asked).toEqual([reference]);
    const resolved = await copy.resolveReview({ ...said, outcome: 'didNotTakePlace' });
    expect(resolved._unsafeUnwrap()).toMatchObject({ outcome: 'didNotTakePlace', by });
    expect(statusOf(original, reference)).toBe('canceled');
  });

  it('is made one of its own by a verb, and then touches nothing of its original (D210)', async (world) => {
    const { payment } = await givenPresented(world);
    const { reference: disputed } = await givenCaptured(world);
    world.processor.dispute(disputed, 500n)._unsafeUnwrap();
    await deliverMessages(world);
    await world.send('preparePaymentMethod', 'customer', { body: { savePaymentMethod: true } });
    const { payment: paid } = await givenCaptured(world);
    world.processor.failNext('refund', 'timeoutBeforeApplying');
    problem(
      await world.send('refundPayment', 'owner', { id: paid.id, key: 'r', body: {} }),
      'serviceUnavailable',
    );
    const due = async () => {
      const { setups, refunds } = world.store;
      const listed = await Promise.all(
        [setups, refunds].map((all) => all.listDue(Number.MAX_SAFE_INTEGER, 9)),
      );
      return listed.map((all) => all._unsafeUnwrap().length);
    };
    expect(await due()).toEqual([1, 1]);
    const before = await stored(world, payment.id);
    expect(before.state).toBe('authorized');
    const same = await world.chairside.relabel();
    expect(same._unsafeUnwrapErr().attributes).toMatchObject({ reason: 'sameWorld' });
    // The copy has the key of the original, but another installation.
    const copy = another(world, { installation: 'staging' });
    expect((await copy.reconcile())._unsafeUnwrapErr()).toMatchObject(otherWorld);
    world.clock.advance(1);
    expect((await copy.relabel()).isOk()).toBe(true);
    const asked: string[] = [];
    const processor: Processor = {
      ...world.processor,
      disputes: {
        ...world.processor.disputes,
        list(handle) {
          asked.push(handle.paymentId);
          return world.processor.disputes.list(handle);
        },
      },
      readSetup(setup) {
        asked.push(setup.setupId);
        return world.processor.readSetup(setup);
      },
      readPayment(payment, claimed) {
        asked.push(payment.paymentId);
        return world.processor.readPayment(payment, claimed);
      },
      cancelPayment(request) {
        asked.push(request.paymentId);
        return world.processor.cancelPayment(request);
      },
    };
    const staging = another(world, { installation: 'staging', processor });
    const told: string[] = [];
    const deliver = async ({ subject, type }: CloudEvent) => void told.push(`${subject} ${type}`);
    const pending = async () =>
      (await world.store.events.listDue(Number.MAX_SAFE_INTEGER, 99)).unwrapOr([]);
    expect(await pending()).not.toEqual([]);
    const dropped = { delivered: 0, failed: 0, more: true };
    const one = (await staging.events.deliver(deliver, { limit: 1 }))._unsafeUnwrap();
    expect(one).toEqual(dropped);
    const delivery = (await staging.events.deliver(deliver))._unsafeUnwrap();
    expect(delivery).toEqual({ ...dropped, more: false });
    expect(await pending()).toEqual([]);
    // What it begins itself is looked after, from this moment on.
    const own = { appointmentId: await visitOf(staging), idempotencyKey: fresh('create') };
    const opened = (await staging.createContactlessPayment(ada, own))._unsafeUnwrap();
    world.clock.advance(47 * hourMs);
    expect(await upkeepFor(world, staging)).toEqual([]);
    expect(await stored(world, opened.id)).toMatchObject({ state: 'canceled' });
    expect(new Set(asked)).toEqual(new Set([opened.id]));
    expect(await due()).toEqual([0, 0]);
    const after = await stored(world, payment.id);
    expect(after).toMatchObject({ state: 'authorized', version: before.version + 1 });
    expect(after.nextCheckAt).toBeUndefined();
    expect((await staging.events.deliver(deliver)).isOk()).toBe(true);
    const types = ['created', 'canceled'];
    expect(told).toEqual(types.map((type) => `${opened.id} contactlessPayment.${type}`));
  });
});

async function visitOf(chairside: Chairside): Promise<string> {
  return givenAppointment({ chairside });
}

/** A processor whose lists a test writes. The port's contract holds for the real ones. */
describeEverywhere('upkeep that reads entries and payouts', ({ it, once, makeWorld }) => {
  type PagesOf = (payout: string, cursor: string | undefined) => ReturnType<Lists['listEntries']>;
  type Lists = ProcessorSettlements;

  /** A shop that took a payment, at a processor with these payouts and pages of entries. */
  async function givenPayouts(
    payouts: readonly ListedPayout[],
    pagesOf: PagesOf,
    more: Partial<Processor> = {},
  ) {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    const asked: (ListRequest & { readonly payout?: string })[] = [];
    const listed: ListRequest[] = [];
    const settlements: Lists = {
      listEntries(request) {
        if (request.payout === undefined) return okAsync({ items: [] });
        asked.push(request);
        return pagesOf(request.payout, request.cursor);
      },
      listPayouts(request) {
        listed.push(request);
        const { openedFrom, openedBefore } = request;
        return okAsync({
          items: payouts.filter((one) => one.openedAt >= openedFrom && one.openedAt < openedBefore),
        });
      },
    };
    const chairside = withProcessor(world, { settlements, ...more });
    const { clock } = world;
    return {
      world: { ...world, chairside, settlements },
      payment,
      asked,
      listed,
      clock,
      chairside,
    };
  }

  const aPayout = (over: Partial<ListedPayout> = {}): ListedPayout => ({
    reference: 'po_1',
    currency: 'eur',
    amountMinor: 4407n,
    state: 'paid',
    openedAt: Date.UTC(2026, 10, 3),
    arrivesAt: Date.UTC(2026, 10, 4),
    isItemized: true,
    ...over,
  });

  function anEntry(paymentId: string, over: Partial<ListedEntry> = {}): ListedEntry {
    return {
      account: 'acct_shop',
      reference: 'txn_1',
      paymentId,
      kind: 'payment',
      subject: 'pi_1',
      currency: 'eur',
      amountMinor: 4500n,
      processorFeeMinor: 93n,
      applicationFeeMinor: 0n,
      openedAt: Date.UTC(2026, 10, 2, 9),
      ...over,
    };
  }

  /** Runs upkeep once, after this time. */
  async function after({ clock, chairside }: Pick<World, 'clock' | 'chairside'>, ms: number) {
    clock.advance(ms);
    (await chairside.reconcile())._unsafeUnwrap();
  }

  async function payoutsIn({ chairside }: Pick<World, 'chairside'>) {
    const span = { from: '2026-11-01T00:00:00.000Z', until: '2027-11-01T00:00:00.000Z' };
    const listed = await chairside.listPayouts(host, { businessId: 'shop', ...span });
    return listed._unsafeUnwrap();
  }

  /** 25 pages of one cent each, which other software took. */
  const manyPages: PagesOf = (_, cursor = '0') => {
    const next = Number(cursor) + 1;
    return okAsync({ items: [], othersMinor: 1n, ...(next < 25 && { cursor: `${next}` }) });
  };

  it('reads a long payout in several runs, from where the last one ended (D51)', async () => {
    const { world, asked } = await givenPayouts([aPayout({ amountMinor: 25n })], manyPages);
    await after(world, 3 * dayMs);
    const begun = { id: 'po_1', isItemized: false, others: '0.20' };
    expect(await payoutsIn(world)).toMatchObject([begun]);
    await after(world, 20 * minuteMs);
    const whole = { id: 'po_1', isItemized: true, others: '0.25' };
    expect(await payoutsIn(world)).toMatchObject([whole]);
    await after(world, 20 * minuteMs);
    const cursors = asked.map(({ cursor }) => cursor ?? '0');
    expect(cursors).toEqual(Array.from({ length: 25 }, (_, page) => `${page}`));
  });

  once('names an orphan of shared books in the shop of its account (D50)', async () => {
    const orphan = anEntry('cpm_orphan');
    const { world } = await givenPayouts([aPayout()], () => okAsync({ items: [orphan] }), {
      booksOf: () => 'platform',
    });
    await after(world, 3 * dayMs);
    const { differences } = await statement(world, dayAt(orphan.openedAt));
    expect(differences).toContainEqual(
      expect.objectContaining({ reason: 'missingHere', contactlessPaymentId: 'cpm_orphan' }),
    );
  });

  once('reads a payout from its first entry again if its cursor is lost', async () => {
    let isLost = false;
    const { world } = await givenPayouts([aPayout({ amountMinor: 25n })], (payout, cursor) => {
      if (!isLost || cursor === undefined) return manyPages(payout, cursor);
      isLost = false;
      return errAsync({ kind: 'rejected', reason: 'unknownCursor' });
    });
    await after(world, 3 * dayMs);
    isLost = true;
    await after(world, 20 * minuteMs);
    expect(await payoutsIn(world)).toMatchObject([{ others: '0.00' }]);
    await after(world, 20 * minuteMs);
    await after(world, 20 * minuteMs);
    expect(await payoutsIn(world)).toMatchObject([{ others: '0.25' }]);
  });

  once('keeps its place in a payout while the processor is unavailable', async () => {
    let isUp = true;
    const { world } = await givenPayouts([aPayout({ amountMinor: 25n })], (payout, cursor) =>
      isUp
        ? manyPages(payout, cursor)
        : errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false }),
    );
    await after(world, 3 * dayMs);
    isUp = false;
    await after(world, 20 * minuteMs);
    expect(await payoutsIn(world)).toMatchObject([{ others: '0.20' }]);
    isUp = true;
    await after(world, 20 * minuteMs);
    expect(await payoutsIn(world)).toMatchObject([{ others: '0.25' }]);
  });

  once('reads the entries of a payout when the processor can name them', async () => {
    const payouts = [aPayout({ amountMinor: 25n, isItemized: false })];
    const { world, asked } = await givenPayouts(payouts, manyPages);
    await after(world, 3 * dayMs);
    expect(await payoutsIn(world)).toMatchObject([{ isItemized: false, others: '0.00' }]);
    expect(asked).toEqual([]);
    payouts[0] = aPayout({ amountMinor: 25n });
    await after(world, 20 * minuteMs);
    await after(world, 20 * minuteMs);
    expect(await payoutsIn(world)).toMatchObject([{ isItemized: true, others: '0.25' }]);
    const read = asked.length;
    await after(world, 20 * minuteMs);
    expect(asked).toHaveLength(read);
  });

  it('keeps a hundred other entries of a payout, and the sum of the rest', async () => {
    const long = 'x'.repeat(300);
    const fees: PagesOf = (_, cursor = '0') => {
      const page = Number(cursor);
      const at = Date.UTC(2026, 10, 2);
      const others = Array.from({ length: 40 }, (_none, index) => ({
        reference: `txn_${page}_${index}`,
        kind: `${long}\u0000`,
        description: `Fee\u0000 ${long}`,
        amountMinor: -1n,
        at,
      }));
      return okAsync({
        items: [],
        others,
        othersMinor: -41n,
        ...(page < 2 && { cursor: `${page + 1}` }),
      });
    };
    const { world } = await givenPayouts([aPayout({ amountMinor: -123n })], fees);
    await after(world, 3 * dayMs);
    const [payout] = await payoutsIn(world);
    expect(payout).toMatchObject({ ours: '0.00', others: '-1.23', amount: '-1.23' });
    const { otherEntries = [] } = payout ?? {};
    expect(otherEntries).toHaveLength(101);
    expect(otherEntries.at(-1)).toEqual({ kind: 'more', amount: '-0.23' });
    const [{ kind = '', description = '', ...entry } = {}] = otherEntries;
    expect([kind.length, description.length]).toEqual([64, 255]);
    expect(description.startsWith('Fee\ufffd xx')).toBe(true);
    expect(entry).toEqual({ id: 'txn_0_0', at: '2026-11-02T00:00:00.000Z', amount: '-0.01' });
  });

  once('names a payout that is not the sum of its entries', async () => {
    const { world, payment, clock } = await givenPayouts([aPayout()], () =>
      okAsync({ items: [anEntry(payment.id)], othersMinor: -1n }),
    );
    const day = dayAt(clock.now());
    await after(world, 3 * dayMs);
    const { differences } = await statement(world, day);
    expect(differences).toMatchObject([
      { reason: 'payoutDiffers', ours: '44.06', theirs: '44.07', processorReference: 'po_1' },
    ]);
    expect(await payoutsIn(world)).toMatchObject([
      { ours: '44.07', others: '-0.01', unexplained: '0.01', amount: '44.07' },
    ]);
  });

  once('counts an entry with a copied mark as of other software', async () => {
    const { world, payment, clock } = await givenPayouts([aPayout()], () =>
      okAsync({ items: [anEntry(payment.id)] }),
    );
    const elsewhere = await givenCaptured(world);
    const { store } = world;
    const stored = (await store.payments.get(elsewhere.payment.id))._unsafeUnwrap();
    if (stored === undefined) throw new Error('the payment is not stored');
    const moved = { ...stored, account: 'acct_other', version: stored.version + 1 };
    const change = {
      kind: 'updatePayment',
      payment: moved,
      expectedVersion: stored.version,
    } as const;
    const at = clock.now();
    expect((await store.commit({ id: 'cmt_moved', at, changes: [change] })).isOk()).toBe(true);
    const copied = anEntry(elsewhere.payment.id, { reference: 'txn_2', amountMinor: 1093n });
    const settlements: Lists = {
      listEntries: () => okAsync({ items: [copied] }),
      listPayouts: () => okAsync({ items: [aPayout({ amountMinor: 1000n })] }),
    };
    const chairside = withProcessor(world, { settlements });
    await after({ clock, chairside }, 3 * dayMs);
    expect(await payoutsIn(world)).toMatchObject([{ ours: '0.00', others: '10.00' }]);
    const entries = await store.settlements.listByPayment(elsewhere.payment.id, 9);
    expect(entries._unsafeUnwrap()).toEqual([]);
    expect(payment.id).not.toBe(elsewhere.payment.id);
  });

  once('shows the payout that pays failed ones again, unless nobody knows it', async () => {
    const failed = aPayout({ state: 'failed', failure: 'account_closed' });
    const again = aPayout({ reference: 'po_2', openedAt: failed.openedAt + dayMs });
    const { world, payment, clock } = await givenPayouts([failed, again], (payout) =>
      okAsync<EntriesPage, never>(
        payout === 'po_1'
          ? { items: [anEntry(payment.id)] }
          : { items: [], othersMinor: 4407n, repaid: ['po_1', 'po_gone'] },
      ),
    );
    const day = dayAt(clock.now());
    await after(world, 3 * dayMs);
    expect(await statement(world, day)).toMatchObject({
      payouts: [{ id: 'po_2', state: 'paid', ofThisDay: '44.07' }],
      differences: [],
    });
    // A record of the other payout that is lost: the failure is shown.
    const { store } = world;
    const found = (await store.payouts.get('acct_shop/po_1'))._unsafeUnwrap();
    if (found === undefined) throw new Error('the payout is not stored');
    const lost = { kind: 'putPayout', payout: { ...found, replacedBy: 'gone' } } as const;
    expect((await store.commit({ id: 'cmt_lost', at: clock.now(), changes: [lost] })).isOk()).toBe(
      true,
    );
    expect(await statement(world, day)).toMatchObject({
      differences: [{ reason: 'payoutFailed' }],
    });
  });

  once(
    'keeps the payout that pays a failed one again, whatever another node read before',
    async () => {
      const failed = aPayout({ state: 'failed', failure: 'account_closed' });
      const again = aPayout({ reference: 'po_2', openedAt: failed.openedAt + dayMs });
      const { world, payment, clock, chairside } = await givenPayouts([failed, again], (payout) =>
        okAsync<EntriesPage, never>(
          payout === 'po_1'
            ? { items: [anEntry(payment.id)] }
            : { items: [], othersMinor: 4407n, repaid: ['po_1'] },
        ),
      );
      const day = dayAt(clock.now());
      const { store, processor } = world;
      let isFirst = true;
      const slow: Store = {
        ...store,
        payouts: {
          ...store.payouts,
          get: (id) => {
            if (id !== 'acct_shop/po_2' || !isFirst) return store.payouts.get(id);
            isFirst = false;
            // This node has read the failed payout. Meanwhile another one records both.
            return ResultAsync.fromSafePromise(chairside.reconcile()).andThen(() =>
              store.payouts.get(id),
            );
          },
        },
      };
      const settlements = world.settlements;
      const node = createChairside({
        store: slow,
        clock,
        processor: { ...processor, settlements },
      });
      await after({ clock, chairside: node }, 3 * dayMs);
      await after(world, dayMs);
      expect(isFirst).toBe(false);
      expect(await statement(world, day)).toMatchObject({
        payouts: [{ id: 'po_2', state: 'paid', ofThisDay: '44.07' }],
        differences: [],
      });
    },
  );

  once('leaves an entry without a payout if the payout has no record', async () => {
    const { world, payment, clock } = await givenPayouts([], () => okAsync({ items: [] }));
    const day = dayAt(clock.now());
    const settlement = {
      ...anEntry(payment.id),
      id: 'acct_shop/txn_1',
      account: 'acct_shop',
      businessId: 'shop',
      at: clock.now(),
      payoutId: 'acct_shop/po_gone',
    };
    const changes = [{ kind: 'putSettlement', settlement }] as const;
    const commit = { id: 'cmt_entry', at: clock.now(), changes };
    expect((await world.store.commit(commit)).isOk()).toBe(true);
    await after(world, 3 * dayMs);
    expect(await statement(world, day)).toMatchObject({ differences: [], payouts: [] });
  });

  once('lists a payout again until its bank can no longer return it', async () => {
    const openedAt = Date.UTC(2026, 10, 3);
    const slow = aPayout({ state: 'pending', openedAt, arrivesAt: openedAt + 70 * dayMs });
    const { world, listed, clock } = await givenPayouts([slow], () => okAsync({ items: [] }));
    await after(world, openedAt + 3 * hourMs - clock.now());
    await after(world, 58 * dayMs);
    expect(listed.at(-1)?.openedFrom).toBe(openedAt);
    await after(world, 3 * dayMs);
    await after(world, hourMs);
    expect(listed.at(-1)?.openedFrom).toBeGreaterThan(openedAt);
  });

  once('keeps its place in a list while the processor is unavailable (D51)', async (world) => {
    await givenCaptured(world);
    const cursors: (string | undefined)[] = [];
    let isUp = true;
    const chairside = withProcessor(world, {
      settlements: {
        listPayouts: () => okAsync({ items: [] }),
        listEntries({ cursor }) {
          cursors.push(cursor);
          if (cursor === undefined) return okAsync({ items: [], cursor: 'two' });
          if (isUp) return okAsync({ items: [] });
          return errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false });
        },
      },
    });
    isUp = false;
    await after({ ...world, chairside }, 2 * hourMs);
    isUp = true;
    await after({ ...world, chairside }, 20 * minuteMs);
    expect(cursors).toEqual([undefined, 'two', 'two']);
  });

  once('ends its run at a slow list, and continues with the next one (D51)', async (world) => {
    await givenCaptured(world);
    let pages = 0;
    const slow: Partial<Processor> = {
      settlements: {
        listPayouts: () => okAsync({ items: [] }),
        listEntries() {
          pages += 1;
          world.clock.advance(10 * secondMs);
          return okAsync({ items: [], ...(pages < 3 && { cursor: `${pages}` }) });
        },
      },
    };
    const chairside = withProcessor(world, slow);
    await after({ ...world, chairside }, 2 * hourMs);
    expect(pages).toBe(1);
    await after({ ...world, chairside }, 0);
    expect(pages).toBe(2);
  });

  once('needs no lists of settlements', async (world) => {
    await givenCaptured(world);
    const chairside = withProcessor(world, { settlements: undefined });
    await after({ ...world, chairside }, 2 * hourMs);
    const swept = (await world.store.sweeps.get('acct_shop'))._unsafeUnwrap();
    expect(Object.keys(swept?.lists ?? {}).toSorted()).toEqual([
      'disputes',
      'openDisputes',
      'payments',
      'refunds',
    ]);
  });

  once(
    'compares a payment with several refunds once, and asks nothing of unknown ones',
    async (world) => {
      const { payment } = await givenCaptured(world);
      const read: string[] = [];
      const { refunds } = world.processor;
      const openedAt = world.clock.now();
      const item = { paymentId: payment.id, openedAt };
      const chairside = withProcessor(world, {
        refunds: {
          ...refunds,
          listRecent: () => okAsync({ items: [item, item, { paymentId: 'gone', openedAt }] }),
          list(asked) {
            read.push(asked.paymentId);
            return refunds.list(asked);
          },
        },
      });
      await after({ ...world, chairside }, 2 * hourMs);
      expect(read).toEqual([payment.id]);
    },
  );
});
