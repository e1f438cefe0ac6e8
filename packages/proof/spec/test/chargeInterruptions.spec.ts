import {
  type Chairside,
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  okAsync,
  ResultAsync,
  secondMs,
} from '@chairside/core';
import {
  type Change,
  type ChangeKind,
  maxOpenPayments,
  openLifetimeMs,
  type Payment,
  type Processor,
  type Store,
} from '@chairside/core/ports';
import { expect } from 'vitest';
import { payment, problem } from '../src/answer.ts';
import { type Asked, charge, chargeBody, givenBooking, givenMethod } from '../src/charges.ts';
import {
  deliverMessages,
  host,
  interrupted,
  readingAs,
  withBooks,
  withProcessor,
} from '../src/elsewhere.ts';
import {
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  ledgerOf,
  takenMinor,
  until,
} from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

// Charges that something interrupts: another call, the processor, the store, or a change of the records.

const missed = { customerId: 'customer', noShowFeeMinor: 1500n, isMissed: true } as const;
const fee = { purpose: 'noShow', amount: '15.00' } as const;

/** The same shop over another store. */
function over({ processor, clock }: World, store: Store): Chairside {
  return createChairside({ store, processor, clock, rateLimits: 'off' });
}

function chargeAt(node: Chairside, appointmentId: string, method: string, asked: Asked = {}) {
  const body = chargeBody(method, asked);
  return node.chargePaymentMethod(host, { appointmentId, idempotencyKey: 'k', body });
}

/** The type and the reason of the problem, or the state. */
async function endOf(charged: ReturnType<Chairside['chargePaymentMethod']>) {
  return (await charged).match(
    ({ state }) => [state],
    ({ type, attributes }) => [type, attributes?.reason],
  );
}

/** The same node, with another way to authorize. */
function authorizing(
  world: World,
  authorize: NonNullable<Processor['charges']>['authorize'],
): Chairside {
  return withProcessor(world, { charges: { authorize } });
}

/** The first payment of the appointment. */
async function chargeOf({ store }: World, appointmentId: string): Promise<Payment> {
  const listed = await store.payments.listByAppointment(appointmentId, 1, 'shop');
  const [charged] = listed._unsafeUnwrap();
  if (charged === undefined) throw new Error('there is no charge');
  return charged;
}

/** The states in the host's events. */
async function toldOf({ chairside }: World): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  const delivered = await chairside.events.deliver(async ({ data }) => {
    told.push('state' in data && data.state);
  });
  expect(delivered.isOk()).toBe(true);
  return told;
}

/** A store that does something else just after the first commit with such a change. */
function interruptedAfter(store: Store, kind: ChangeKind, act: () => Promise<unknown>): Store {
  let isDone = false;
  return {
    ...store,
    commit(commit) {
      const written = store.commit(commit);
      if (isDone || !commit.changes.some((change) => change.kind === kind)) return written;
      isDone = true;
      return written.andThen(() => ResultAsync.fromSafePromise(act()).map(() => undefined));
    },
  };
}

/** Upkeep runs each minute of these hours, then for a while more. */
async function healedOver({ clock, chairside }: World, hours: number): Promise<void> {
  for (let passed = 0; passed < hours * 12; passed += 1) {
    clock.advance(5 * minuteMs);
    (await chairside.reconcile())._unsafeUnwrap();
  }
}

const unavailable = () => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);

describeEverywhere('a charge beside another write', ({ it }) => {
  it('finds that the fee was charged with another card', async (world) => {
    const { appointmentId, method } = await givenBooking(world, missed);
    const other = await givenMethod(world);
    const store = interrupted(world.store, 'insertPayment', () =>
      charge(world, appointmentId, other, fee),
    );
    const ended = await endOf(chargeAt(over(world, store), appointmentId, method, fee));
    expect(ended).toEqual(['conflict', 'alreadyCharged']);
    expect(await takenMinor(world)).toBe(1500n);
  });

  it('waits for another card that the fee is being charged with', async (world) => {
    const { appointmentId, method } = await givenBooking(world, missed);
    const other = await givenMethod(world);
    let charging: ReturnType<typeof charge> | undefined;
    const store = interrupted(world.store, 'insertPayment', async () => {
      world.processor.failNext('authorizeMethod', 'slow');
      charging = charge(world, appointmentId, other, fee);
      await until(() => world.processor.count('authorizeMethod').made === 1);
    });
    const ended = await endOf(chargeAt(over(world, store), appointmentId, method, fee));
    expect(ended).toEqual(['conflict', 'reservedElsewhere']);
    world.processor.release();
    expect((await charging)?.status).toBe(201);
    expect(await takenMinor(world)).toBe(1500n);
  });

  it('finds that the visit was paid, so that no fee is due', async (world) => {
    const { appointmentId, method } = await givenBooking(world, missed);
    const store = interrupted(world.store, 'insertPayment', () =>
      givenCaptured(world, { appointmentId }),
    );
    const ended = await endOf(chargeAt(over(world, store), appointmentId, method, fee));
    expect(ended).toEqual(['conflict', 'visitPaid']);
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('waits for a payment of the visit that is being captured', async (world) => {
    const { appointmentId, method } = await givenBooking(world, missed);
    const reserved: Change = {
      kind: 'moveLedger',
      appointmentId,
      openPayments: 1,
      reservedMinor: 4500n,
      capturedMinor: 0n,
      currency: 'eur',
    };
    const { clock } = world;
    const written = world.store.commit({ id: 'visit', at: clock.now(), changes: [reserved] });
    expect((await written).isOk()).toBe(true);
    const ended = await endOf(chargeAt(world.chairside, appointmentId, method, fee));
    expect(ended).toEqual(['conflict', 'reservedElsewhere']);
    expect(await takenMinor(world)).toBe(0n);
  });

  it('begins anew if its method was charged for another appointment', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const other = await givenAppointment(world, { terms: { customerId: 'customer' } });
    const store = interrupted(world.store, 'insertPayment', () => charge(world, other, method));
    expect(await endOf(chargeAt(over(world, store), appointmentId, method))).toEqual(['captured']);
    expect(await takenMinor(world)).toBe(4000n);
  });

  it('finds that the appointment was paid', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const store = interrupted(world.store, 'insertPayment', () =>
      givenCaptured(world, { appointmentId }),
    );
    const ended = await endOf(chargeAt(over(world, store), appointmentId, method));
    expect(ended).toEqual(['conflict', 'exceedsRemainingBalance']);
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('finds that the appointment has too many open payments', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { clock } = world;
    const opened: Change = {
      kind: 'moveLedger',
      appointmentId,
      openPayments: maxOpenPayments,
      reservedMinor: 0n,
      capturedMinor: 0n,
      currency: 'eur',
    };
    const store = interrupted(world.store, 'insertPayment', async () => {
      const written = world.store.commit({ id: 'fifty', at: clock.now(), changes: [opened] });
      expect((await written).isOk()).toBe(true);
    });
    const ended = await endOf(chargeAt(over(world, store), appointmentId, method));
    expect(ended).toEqual(['conflict', 'tooManyOpenPayments']);
  });

  it('says so if it cannot read why', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    let isPaid = false;
    const store = interrupted(world.store, 'insertPayment', async () => {
      await givenCaptured(world, { appointmentId });
      isPaid = true;
    });
    const { ledgers } = store;
    const blind: Store = {
      ...store,
      ledgers: { get: (id) => (isPaid ? unavailable() : ledgers.get(id)) },
    };
    const [type] = await endOf(chargeAt(over(world, blind), appointmentId, method));
    expect(type).toBe('serviceUnavailable');
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('begins anew if its claim was withdrawn between two reads', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    world.processor.failNext('authorizeMethod', 'landsLater');
    expect((await chargeAt(world.chairside, appointmentId, method)).isErr()).toBe(true);
    world.clock.advance(minuteMs);
    const { payments } = world.store;
    let isHidden = true;
    const store: Store = {
      ...world.store,
      payments: {
        ...payments,
        get(id) {
          const found = isHidden ? okAsync(undefined) : payments.get(id);
          isHidden = false;
          return found;
        },
      },
    };
    expect(await endOf(chargeAt(over(world, store), appointmentId, method))).toEqual(['captured']);
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('is not begun again by a call that takes it over while it is recorded', async (world) => {
    const { processor, clock, chairside } = world;
    const { appointmentId, method } = await givenBooking(world);
    processor.failNext('authorizeMethod', 'slowReply');
    processor.failNext('capturePayment', 'slow');
    const first = endOf(chargeAt(chairside, appointmentId, method));
    await until(() => processor.count('authorizeMethod').made === 1);
    // Its lease is over, and the time for its request is not.
    clock.advance(16 * secondMs);
    const recording = async () => {
      processor.release();
      await until(() => processor.count('capturePayment').made === 1);
    };
    const store = interrupted(world.store, 'updatePayment', recording);
    const second = await endOf(chargeAt(over(world, store), appointmentId, method));
    expect(second).toEqual(['conflict', 'running']);
    processor.release();
    expect(await first).toEqual(['captured']);
    expect(processor.count('authorizeMethod').made).toBe(1);
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('begins nothing if the method cannot be read', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { setups } = world.store;
    const node = over(world, { ...world.store, setups: { ...setups, get: unavailable } });
    const [type] = await endOf(chargeAt(node, appointmentId, method));
    expect(type).toBe('serviceUnavailable');
    expect((await charge(world, appointmentId, method)).status).toBe(201);
  });
});

describeEverywhere('a charge whose processor fails', ({ it }) => {
  it.for(['upkeep', 'its retry'])('is closed by %s after its lifetime', async (by, world) => {
    const { appointmentId, method } = await givenBooking(world);
    world.processor.failNext('authorizeMethod', 'timeoutBeforeApplying');
    expect((await chargeAt(world.chairside, appointmentId, method)).isErr()).toBe(true);
    world.clock.advance(openLifetimeMs);
    if (by === 'upkeep') (await world.chairside.reconcile())._unsafeUnwrap();
    const ended = await endOf(chargeAt(world.chairside, appointmentId, method));
    expect(ended).toEqual(['conflict', 'expired']);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({
      reservedMinor: 0n,
      openPayments: 0,
    });
    // It was never opened, so the host gets no event and sees no charge.
    expect(await toldOf(world)).toEqual([]);
    const listed = await world.chairside.listCharges(host, { appointmentId });
    expect(listed._unsafeUnwrap()).toMatchObject({ items: [], count: 0 });
    expect((await charge(world, appointmentId, method)).status).toBe(201);
  });

  it('is authorized and captured by upkeep, if its process died', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    world.processor.failNext('authorizeMethod', 'timeoutBeforeApplying');
    expect((await chargeAt(world.chairside, appointmentId, method)).isErr()).toBe(true);
    world.clock.advance(minuteMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('is due for upkeep when the lease of its capture ends', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    world.processor.failNext('capturePayment', 'slow');
    const charging = endOf(chargeAt(world.chairside, appointmentId, method));
    await until(() => world.processor.count('capturePayment').made === 1);
    const begun = await chargeOf(world, appointmentId);
    // A higher fence shuts out a call that still holds the opening.
    expect(begun.work).toMatchObject({ kind: 'capture', fence: 2 });
    expect(begun.nextCheckAt).toBe(begun.work?.leaseUntil);
    expect(begun.timeline).toContainEqual(
      expect.objectContaining({ what: 'created', cause: 'charge' }),
    );
    world.processor.release();
    expect(await charging).toEqual(['captured']);
  });

  it('tells why the processor rejected it, and begins anew', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const asked: object[] = [];
    const node = authorizing(world, (request) => {
      asked.push(request);
      return errAsync({ kind: 'rejected', reason: 'amount_too_large' });
    });
    const ended = await endOf(chargeAt(node, appointmentId, method));
    expect(ended).toEqual(['unprocessableEntity', 'amount_too_large']);
    expect(asked[0]).not.toHaveProperty('applicationFeeMinor');
    expect(await endOf(chargeAt(world.chairside, appointmentId, method))).toEqual(['captured']);
  });

  it('tells the host of one whose method is gone, at a version for each event', async (world) => {
    const { appointmentId, method } = await givenBooking(world, { card: 'vanishes' });
    const ended = await endOf(chargeAt(world.chairside, appointmentId, method));
    expect(ended).toEqual(['conflict', 'methodGone']);
    expect(await toldOf(world)).toEqual(['created', 'canceled']);
    expect((await chargeOf(world, appointmentId)).version).toBe(3);
  });

  it.for(['failed', 'created'] as const)(
    'is unfinished if its capture shows it %s',
    async (status, world) => {
      const { appointmentId, method } = await givenBooking(world);
      const { processor } = world;
      const node = withProcessor(world, {
        capturePayment: (request) =>
          processor
            .readPayment(request)
            .andThen((seen) =>
              seen === undefined
                ? errAsync({ kind: 'rateLimited' } as const)
                : okAsync({ ...seen, status }),
            ),
      });
      expect(await endOf(chargeAt(node, appointmentId, method))).toEqual(['conflict', 'running']);
      expect(await endOf(chargeAt(world.chairside, appointmentId, method))).toEqual(['captured']);
    },
  );

  it('is canceled by upkeep, if its bank has refused it since', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    world.processor.failNext('capturePayment', 'refused');
    expect((await chargeAt(world.chairside, appointmentId, method)).isErr()).toBe(true);
    const refusing = withBooks(world, ({ status, ...seen }) =>
      status === 'canceled' ? { ...seen, status } : { ...seen, status: 'failed' },
    );
    world.clock.advance(minuteMs);
    (await refusing.reconcile())._unsafeUnwrap();
    const ended = await endOf(chargeAt(world.chairside, appointmentId, method));
    expect(ended).toEqual(['conflict', 'declined']);
    expect(await takenMinor(world)).toBe(0n);
  });

  it('reads the entry before it captures again', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    world.processor.failNext('capturePayment', 'refused');
    expect((await chargeAt(world.chairside, appointmentId, method)).isErr()).toBe(true);
    const hidden = withProcessor(world, { readPayment: () => okAsync(undefined) });
    world.processor.failNext('readPayment', 'refused');
    for (const node of [world.chairside, hidden]) {
      const unread = await chargeAt(node, appointmentId, method);
      expect(unread._unsafeUnwrapErr()).toMatchObject({
        type: 'serviceUnavailable',
        recovery: { outcome: 'unknown' },
      });
    }
    const ended = await endOf(chargeAt(world.chairside, appointmentId, method));
    expect(ended).toEqual(['captured']);
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('ends the cancelation of a refused one', async (world) => {
    const { appointmentId, method } = await givenBooking(world, { card: 'needs_customer' });
    world.processor.failNext('cancelPayment', 'refused');
    const [first] = await endOf(chargeAt(world.chairside, appointmentId, method));
    expect(first).toBe('serviceUnavailable');
    const ended = await endOf(chargeAt(world.chairside, appointmentId, method));
    expect(ended).toEqual(['conflict', 'customerMustAct']);
  });

  it('keeps one that was authorized late', async (world) => {
    const { appointmentId, method } = await givenBooking(world, { card: 'slow_to_approve' });
    expect((await chargeAt(world.chairside, appointmentId, method)).isErr()).toBe(true);
    world.clock.advance(openLifetimeMs);
    world.processor.failNext('readPayment', 'refused');
    (await world.chairside.reconcile())._unsafeUnwrap();
    // The retry ends the cancelation, which keeps the authorization. The next one captures it.
    const kept = await endOf(chargeAt(world.chairside, appointmentId, method));
    expect(kept).toEqual(['conflict', 'running']);
    const ended = await endOf(chargeAt(world.chairside, appointmentId, method));
    expect(ended).toEqual(['captured']);
    expect(await takenMinor(world)).toBe(2000n);
  });

  it.for(['capture', 'authorization'])('finds it canceled there, by the %s', async (by, world) => {
    const { processor } = world;
    const { appointmentId, method } = await givenBooking(world);
    const idempotencyKey = 'dashboard';
    const node =
      by === 'capture'
        ? withProcessor(world, {
            capturePayment: (request) =>
              processor
                .cancelPayment({ ...request, idempotencyKey })
                .andThen(() => processor.capturePayment(request)),
          })
        : authorizing(world, (request) =>
            processor.charges
              .authorize(request)
              .andThen((seen) =>
                processor
                  .cancelPayment({ ...request, idempotencyKey })
                  .map((canceled) => canceled ?? seen),
              ),
          );
    const first = await endOf(chargeAt(node, appointmentId, method));
    expect(first).toEqual(['conflict', by === 'capture' ? 'running' : 'chargeCanceled']);
    const keysEndAt = world.clock.now() + 72 * hourMs;
    expect((await chargeOf(world, appointmentId)).nextCheckAt).toBe(keysEndAt);
    const ended = await endOf(chargeAt(world.chairside, appointmentId, method));
    expect(ended).toEqual(['conflict', 'chargeCanceled']);
    expect(await takenMinor(world)).toBe(0n);
    expect((await charge(world, appointmentId, method)).status).toBe(201);
  });

  it('is withdrawn by a node whose processor cannot charge, and begins anew', async (world) => {
    const { processor, clock, chairside } = world;
    const { appointmentId, method } = await givenBooking(world);
    processor.failNext('authorizeMethod', 'landsLater');
    expect((await chargeAt(chairside, appointmentId, method)).isErr()).toBe(true);
    const without = withProcessor(world, { charges: undefined });
    const [type] = await endOf(chargeAt(without, appointmentId, method));
    expect(type).toBe('paymentProviderNotSetup');
    expect(await endOf(chargeAt(chairside, appointmentId, method))).toEqual(['captured']);
    // The first request arrives now. It holds an amount and takes none, and a person lets it go (D210).
    processor.landAbandoned();
    clock.advance(3 * hourMs);
    for (let times = 1; times <= 3; times += 1) {
      (await chairside.reconcile())._unsafeUnwrap();
      clock.advance(hourMs);
    }
    const [review] = (await chairside.listReviews())._unsafeUnwrap();
    expect(review?.reason).toBe('orphanAuthorized');
    const word = { note: 'It was tried twice.', outcome: 'didNotTakePlace', by: 'Mia' } as const;
    const said = await chairside.resolveReview({ reviewId: review?.id ?? '', ...word });
    expect(said.isOk()).toBe(true);
    const statuses = processor.entries().map(({ status }) => status);
    expect(statuses.sort()).toEqual(['canceled', 'captured']);
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('is captured without a reference of the processor', async (world) => {
    const { charges } = world.processor;
    const { appointmentId, method } = await givenBooking(world);
    const node = authorizing(world, (request) =>
      charges.authorize(request).map(({ reference: _reference, ...seen }) => seen),
    );
    expect(await endOf(chargeAt(node, appointmentId, method))).toEqual(['captured']);
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('is not captured with another amount', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const shown = (seen: Parameters<Parameters<typeof readingAs>[1]>[0]) => ({
      ...seen,
      amountMinor: 2001n,
    });
    const { charges } = world.processor;
    const node = withProcessor(world, {
      charges: { authorize: (request) => charges.authorize(request).map(shown) },
      readPayment: readingAs(world, shown),
    });
    const ended = await endOf(chargeAt(node, appointmentId, method));
    expect(ended).toEqual(['conflict', 'differsAtProcessor']);
    expect(await takenMinor(world)).toBe(0n);
  });
});

describeEverywhere('a charge whose records change', ({ it }) => {
  it.for([{ isMissed: false }, { noShowFeeMinor: undefined }])(
    'takes no fee that is no longer due: %o',
    async (changed, world) => {
      const { appointmentId, method } = await givenBooking(world, missed);
      world.processor.failNext('authorizeMethod', 'slow');
      const charging = endOf(chargeAt(world.chairside, appointmentId, method, fee));
      await until(() => world.processor.count('authorizeMethod').made === 1);
      const { noShowFeeMinor, ...rest } = { ...missed, ...changed };
      const terms = { ...rest, ...(noShowFeeMinor !== undefined && { noShowFeeMinor }) };
      await givenAppointment(world, { id: appointmentId, terms });
      world.processor.release();
      expect(await charging).toEqual(['conflict', 'exceedsRemainingBalance']);
      expect(await takenMinor(world)).toBe(0n);
    },
  );

  it('freezes the fee of the platform', async (world) => {
    const put = await world.chairside.records.putBusiness({
      id: 'shop',
      name: 'Marlow & Sons',
      processorAccount: { id: 'acct_shop', currency: 'eur' },
      applicationFee: { basisPoints: 500 },
    });
    expect(put.isOk()).toBe(true);
    const { appointmentId, method } = await givenBooking(world);
    expect((await charge(world, appointmentId, method)).status).toBe(201);
    expect(world.processor.entries()).toMatchObject([{ applicationFee: '1.00' }]);
  });

  it('is returned under its key although its appointment is gone', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const first = (await chargeAt(world.chairside, appointmentId, method))._unsafeUnwrap();
    const appointments = { ...world.store.appointments, get: () => okAsync(undefined) };
    const node = over(world, { ...world.store, appointments });
    expect((await chargeAt(node, appointmentId, method))._unsafeUnwrap()).toEqual(first);
    // Another request under the key learns only that there is no appointment.
    const [other] = await endOf(chargeAt(node, appointmentId, method, { amount: '21.00' }));
    expect(other).toBe('notFound');
  });

  it('belongs to the shop of its appointment', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { chairside } = world;
    const foreign = { subject: 'other', businessIds: ['newShop'] };
    const body = chargeBody(method);
    const asked = { appointmentId, idempotencyKey: 'k', body };
    const refused = await chairside.chargePaymentMethod(foreign, asked);
    expect(refused._unsafeUnwrapErr().type).toBe('forbidden');
    const listed = await chairside.listCharges(foreign, { appointmentId });
    expect(listed._unsafeUnwrapErr().type).toBe('forbidden');
    const invalid = { ...asked, appointmentId: 'haircut\u0000' };
    const absent = await chairside.chargePaymentMethod(host, invalid);
    expect(absent._unsafeUnwrapErr().type).toBe('notFound');
    const owner = { subject: 'owner', businessIds: ['shop'] };
    expect((await chairside.chargePaymentMethod(owner, asked)).isOk()).toBe(true);
    // Its key does not outlive the right to the shop.
    const moved = await chairside.chargePaymentMethod(
      { ...owner, businessIds: ['newShop'] },
      asked,
    );
    expect(moved._unsafeUnwrapErr().type).toBe('forbidden');
  });
});

describeEverywhere('a charge whose appointment changes', ({ it, makeWorld }) => {
  const others = { customerId: 'other', noShowFeeMinor: 1500n, isMissed: true };

  it.for([
    ['authorizeMethod', 'timeoutBeforeApplying', 'deposit'],
    ['authorizeMethod', 'timeoutAfterApplying', 'deposit'],
    ['authorizeMethod', 'landsLater', 'noShow'],
    ['capturePayment', 'timeoutBeforeApplying', 'noShow'],
    ['capturePayment', 'failure', 'deposit'],
  ] as const)(
    'takes nothing from its former customer (D49): %s %s',
    async ([call, fault, purpose]) => {
      for (const retries of [true, false]) {
        const world = await makeWorld();
        const { appointmentId, method } = await givenBooking(world, missed);
        world.processor.failNext(call, fault);
        if (call === 'authorizeMethod') world.processor.failNext('readPayment', 'failure');
        const asked = { purpose, amount: '15.00', key: 'k' } as const;
        expect((await charge(world, appointmentId, method, asked)).status).toBe(503);
        await givenAppointment(world, { id: appointmentId, terms: others });
        if (retries) problem(await charge(world, appointmentId, method, asked), 'conflict');
        world.processor.landAbandoned();
        await healedOver(world, 3);
        expect(await takenMinor(world)).toBe(0n);
        for (const id of [appointmentId, `\u0001${appointmentId}`]) {
          expect(await ledgerOf(world, id)).toMatchObject({ reservedMinor: 0n, openPayments: 0 });
        }
        expect(world.processor.entries().filter(({ status }) => status !== 'canceled')).toEqual([]);
      }
    },
  );

  it('names the change, and is listed as canceled', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const store = interruptedAfter(world.store, 'insertPayment', () =>
      givenAppointment(world, { id: appointmentId, terms: others }),
    );
    const ended = await endOf(chargeAt(over(world, store), appointmentId, method));
    expect(ended).toEqual(['conflict', 'customerChanged']);
    expect(world.processor.count('authorizeMethod').made).toBe(0);
    const listed = await world.send('listCharges', 'owner', { id: appointmentId });
    expect(JSON.parse(listed.text).items).toMatchObject([{ state: 'canceled' }]);
    expect(await toldOf(world)).toContain('canceled');
    // Its slot is free for a method of the present customer.
    await givenAppointment(world, { id: appointmentId, terms: missed });
    expect((await charge(world, appointmentId, method)).status).toBe(201);
  });

  it('takes nothing from a method for one visit that the visit no longer has', async (world) => {
    const single = await givenMethod(world, { save: false });
    const terms = { customerId: 'customer', paymentMethodSetupId: single };
    const appointmentId = await givenAppointment(world, { terms });
    const store = interruptedAfter(world.store, 'insertPayment', () =>
      givenAppointment(world, {
        id: appointmentId,
        terms: { ...terms, paymentMethodSetupId: 'pms_other' },
      }),
    );
    const ended = await endOf(chargeAt(over(world, store), appointmentId, single));
    expect(ended).toEqual(['conflict', 'setupChanged']);
    expect(await takenMinor(world)).toBe(0n);
  });

  it('takes no fee once the visit is paid', async (world) => {
    const { appointmentId, method } = await givenBooking(world, missed);
    world.processor.failNext('authorizeMethod', 'timeoutBeforeApplying');
    expect((await charge(world, appointmentId, method, fee)).status).toBe(503);
    await givenCaptured(world, { appointmentId });
    await healedOver(world, 1);
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('sends nothing while the appointment cannot be read', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    let isReserved = false;
    const reading = interruptedAfter(world.store, 'insertPayment', async () => {
      isReserved = true;
    });
    const { appointments } = reading;
    const blind: Store = {
      ...reading,
      appointments: { get: (id) => (isReserved ? unavailable() : appointments.get(id)) },
    };
    const [type] = await endOf(chargeAt(over(world, blind), appointmentId, method));
    expect(type).toBe('serviceUnavailable');
    expect(world.processor.count('authorizeMethod').made).toBe(0);
    expect(await endOf(chargeAt(world.chairside, appointmentId, method))).toEqual(['captured']);
    expect(await takenMinor(world)).toBe(2000n);
  });
});

describeEverywhere('the excess of an appointment', ({ it }) => {
  async function excess({ send }: World, appointmentId: string): Promise<string> {
    return JSON.parse((await send('listCharges', 'owner', { id: appointmentId })).text).excess;
  }

  it('counts all payments, and no fee for a missed visit (D49)', async (world) => {
    const { appointmentId, method } = await givenBooking(world, missed);
    const { id } = JSON.parse((await charge(world, appointmentId, method)).text);
    expect((await charge(world, appointmentId, method, fee)).status).toBe(201);
    const { payment: rest } = await givenCaptured(world, { appointmentId });
    expect(rest.amount).toBe('25.00');
    await givenAppointment(world, { id: appointmentId, amountDue: '5.00', terms: missed });
    // 45.00 were paid for 5.00.
    expect(await excess(world, appointmentId)).toBe('40.00');
    await world.send('refundPayment', 'owner', { id, key: fresh('key') });
    expect(await excess(world, appointmentId)).toBe('20.00');
  });

  it('is zero after a larger refund', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const { id } = JSON.parse((await charge(world, appointmentId, method)).text);
    await givenAppointment(world, { id: appointmentId, amountDue: '15.00' });
    expect(await excess(world, appointmentId)).toBe('5.00');
    const body = { amount: '8.00' };
    await world.send('refundPayment', 'owner', { id, key: fresh('key'), body });
    expect(await excess(world, appointmentId)).toBe('0.00');
  });

  it('is as before after a refund that fails', async (world) => {
    const { processor, chairside } = world;
    const { appointmentId, method } = await givenBooking(world);
    const { id } = JSON.parse((await charge(world, appointmentId, method)).text);
    await givenAppointment(world, { id: appointmentId, amountDue: '15.00' });
    processor.slowRefunds(true);
    const body = { amount: '5.00' };
    await world.send('refundPayment', 'owner', { id, key: fresh('key'), body });
    expect(await excess(world, appointmentId)).toBe('0.00');
    const [entry] = processor.entries();
    const [{ id: refund = '' } = {}] = entry?.refunds ?? [];
    expect(processor.endRefund(entry?.id ?? '', refund, 'failed').isOk()).toBe(true);
    await deliverMessages(world);
    expect(await excess(world, appointmentId)).toBe('5.00');
    const receipt = await chairside.getReceipt(host, { contactlessPaymentId: id });
    expect(receipt._unsafeUnwrap().refunds).toEqual([]);
  });
});

describeEverywhere('a withdrawal', ({ it }) => {
  it('of a method that was saved weeks ago is forgotten in time', async (world) => {
    const { method } = await givenBooking(world);
    const { chairside, clock, store } = world;
    (
      await chairside.readPaymentMethodSetup(host, { paymentMethodSetupId: method })
    )._unsafeUnwrap();
    const passDays = async (days: number) => {
      for (let day = 0; day < days; day += 1) {
        clock.advance(24 * hourMs);
        (await chairside.reconcile())._unsafeUnwrap();
      }
    };
    await passDays(10);
    expect((await store.setups.get(method))._unsafeUnwrap()).not.toHaveProperty('nextCheckAt');
    const released = await chairside.releasePaymentMethod(host, { paymentMethodSetupId: method });
    const { releasedAt } = released._unsafeUnwrap();
    await passDays(2);
    const read = await chairside.readPaymentMethodSetup(host, { paymentMethodSetupId: method });
    expect(read._unsafeUnwrap().releasedAt).toBe(releasedAt);
    await passDays(3);
    expect((await store.setups.get(method))._unsafeUnwrap()).toBeUndefined();
  });

  it('does not stop a payment at the terminal', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    const withdrawn = await world.chairside.releasePaymentMethod(host, {
      paymentMethodSetupId: method,
    });
    expect(withdrawn.isOk()).toBe(true);
    expect(payment(await create(world, appointmentId), 201).amount).toBe('45.00');
  });
});
