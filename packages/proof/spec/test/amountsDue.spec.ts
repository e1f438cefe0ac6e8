import {
  type Appointment,
  type Chairside,
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  okAsync,
  ResultAsync,
} from '@chairside/core';
import type { ListRequest, Processor, Store } from '@chairside/core/ports';
import { expect } from 'vitest';
import { payment, problem, reason } from '../src/answer.ts';
import { charge, givenBooking } from '../src/charges.ts';
import {
  ada,
  captureInput,
  deliverMessages,
  host,
  openElsewhere,
  readingAs,
  withBooks,
  withProcessor,
} from '../src/elsewhere.ts';
import {
  capture,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPresented,
  ledgerOf,
  stored,
  takenMinor,
  until,
} from '../src/shop.ts';
import { account, describeEverywhere, type FakeWorldOptions, type World } from '../src/world.ts';

/** The steps of a capture that the comparison with the amount due depends on, in order. */
type Step = 'commit' | 'read appointment' | 'read ledger' | 'send' | 'lowered';

/** Counts the moments between steps, and runs an action at one of them. */
interface Moments {
  count: number;
  at: number;
  act: (() => Promise<void>) | undefined;
  steps: Step[];
}

/** Before and after every call of the store and of the processor. */
async function moment(moments: Moments): Promise<void> {
  const { act } = moments;
  if (act === undefined) return;
  moments.count += 1;
  if (moments.count !== moments.at) return;
  moments.act = undefined;
  await act();
  moments.steps.push('lowered');
}

function around<T, E>(
  moments: Moments,
  call: () => ResultAsync<T, E>,
  step?: Step,
): ResultAsync<T, E> {
  return new ResultAsync(
    (async () => {
      await moment(moments);
      if (step !== undefined) moments.steps.push(step);
      const result = await call();
      await moment(moments);
      return result;
    })(),
  );
}

/** Adds moments around each store call of a capture. */
function withMoments(real: Store, moments: Moments): Store {
  const { appointments, businesses } = real;
  const { getByPayment } = appointments;
  const { getByAppointment } = businesses;
  return {
    ...real,
    appointments: {
      get: (id) => around(moments, () => appointments.get(id), 'read appointment'),
      // Not a comparison.
      ...(getByPayment && { getByPayment: (id) => around(moments, () => getByPayment(id)) }),
    },
    businesses: {
      get: (id) => around(moments, () => businesses.get(id)),
      ...(getByAppointment && {
        getByAppointment: (id) => around(moments, () => getByAppointment(id)),
      }),
    },
    ledgers: { get: (id) => around(moments, () => real.ledgers.get(id), 'read ledger') },
    keys: { get: (...key) => around(moments, () => real.keys.get(...key)) },
    payments: { ...real.payments, get: (id) => around(moments, () => real.payments.get(id)) },
    commit: (changes) => around(moments, () => real.commit(changes), 'commit'),
  };
}

/** The owner of the appointments, and how it lowers the amount due. */
const keepers = {
  Chairside: {
    store: (real: Store) => real,
    lower: (chairside: Chairside, appointment: Appointment) => {
      return chairside.records.putAppointment({ ...appointment, amountDueMinor: 2000n });
    },
  },
  'the host': {
    store: (real: Store, own: Map<string, Appointment>) => ({
      ...real,
      appointments: {
        get: (id: string) => (own.has(id) ? okAsync(own.get(id)) : real.appointments.get(id)),
      },
    }),
    lower: (chairside: Chairside, appointment: Appointment, own: Map<string, Appointment>) => {
      own.set(appointment.id, { ...appointment, amountDueMinor: 2000n });
      return chairside.getAppointmentLedger(host, { appointmentId: appointment.id });
    },
  },
};

/** How a capture is finished. */
const ways = {
  'at once': async () => {},
  'by a retry': async (world: World, send: () => Promise<unknown>) => {
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    await send();
  },
  'by reconcile': async (world: World, send: () => Promise<unknown>) => {
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    await send();
    world.clock.advance(60_000);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
  },
};

/** A comparison precedes every request to the processor, and sees an earlier lowering (D13). */
function expectCompared(steps: readonly Step[], why: string): void {
  const lowered = steps.indexOf('lowered');
  for (const [index, step] of steps.entries()) {
    if (step !== 'send') continue;
    const last = (of: Step) => steps.lastIndexOf(of, index);
    for (const read of ['read appointment', 'read ledger'] as const) {
      expect(last(read), `${why}: ${read} after the reservation`).toBeGreaterThan(last('commit'));
    }
    if (lowered < 0 || lowered > index) continue;
    expect(last('read appointment'), `${why}: sent although lowered`).toBeLessThan(lowered);
  }
}

describeEverywhere('after a lowering that returned reserved 0.00', ({ it, makeWorld, isFirst }) => {
  /** Tries each moment of a capture, one after the other. */
  async function atEveryMoment(
    keeper: (typeof keepers)[keyof typeof keepers],
    way: (typeof ways)[keyof typeof ways],
  ) {
    const moments: Moments = { count: 0, at: 0, act: undefined, steps: [] };
    const own = new Map<string, Appointment>();
    // The host lowers it in another Chairside, whose reads and commits are not the capture's.
    let office: Store | undefined;
    const options: FakeWorldOptions = {
      store(real) {
        office = keeper.store(real, own);
        return withMoments(office, moments);
      },
      processor: {
        async delay({ name }, way) {
          if (name === 'capturePayment' && way === 'request') moments.steps.push('send');
          await moment(moments);
        },
      },
    };
    const world = await makeWorld(options);
    const { clock, processor, store = world.store } = { ...world, store: office };
    const lowering = createChairside({ store, processor, clock });
    const seen = { reserved: 0, free: 0 };
    // One variant tries all moments; the others try samples.
    const step = isFirst ? 1 : 5;
    for (let at = 1; ; at += step) {
      const id = await givenAppointment(world);
      const { payment, reference } = await givenPresented(world, { appointmentId: id });
      const appointment = (await world.store.appointments.get(id))._unsafeUnwrap();
      if (appointment === undefined) throw new Error(`${id} is not there`);
      let told: { readonly captured: string; readonly reserved: string } | undefined;
      Object.assign(moments, { count: 0, at, steps: [] });
      moments.act = async () => {
        told = (await keeper.lower(lowering, appointment, own))._unsafeUnwrap();
      };
      const key = fresh('capture');
      const send = () => capture(world, payment.id, reference, { key });
      await way(world, send);
      await send();
      await send();
      moments.act = undefined;
      await world.chairside.settled();
      if (told === undefined) return seen;
      const taken = world.processor.bookEntry(reference)?.amountCaptured;
      const isFree = told.reserved === '0.00' && told.captured === '0.00';
      if (isFree) expect(taken, `lowered at moment ${at}`).toBe('0.00');
      expectCompared(moments.steps, `lowered at moment ${at}`);
      seen[isFree ? 'free' : 'reserved'] += 1;
    }
  }

  for (const [name, keeper] of Object.entries(keepers)) {
    for (const [how, way] of Object.entries(ways)) {
      it(`no capture exceeds the new amount: kept by ${name}, captured ${how}`, async () => {
        const seen = await atEveryMoment(keeper, way);
        expect(seen.free).toBeGreaterThan(isFirst ? 8 : 0);
        expect(seen.reserved).toBeGreaterThan(isFirst ? 8 : 0);
      });
    }
  }
});

const unknown = { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' };
const notApplied = { outcome: 'notApplied', retry: 'doNotRetry' };

const refusedAsCaptured = { kind: 'rejected', reason: 'captured' } as const;

/** A capture with an unknown outcome that the processor never received: 45.00 stay reserved. */
async function givenUnfinishedCapture(world: World, key = fresh('key')) {
  const presented = await givenPresented(world);
  world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
  const first = await capture(world, presented.payment.id, presented.reference, { key });
  problem(first, 'serviceUnavailable');
  return { ...presented, key, appointmentId: presented.payment.appointment.id };
}

async function setCurrency({ chairside }: World, currency: string): Promise<void> {
  const processorAccount = { id: 'acct_shop', currency, terminalLocation: 'tml_shop' };
  const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount };
  expect((await chairside.records.putBusiness(shop)).isOk()).toBe(true);
}

describeEverywhere('an amount due that falls (D13)', ({ it, makeWorld }) => {
  async function expectReleased(world: World, id: string, reference: string) {
    expect((await stored(world, id)).state).toBe('canceled');
    expect(world.processor.bookEntry(reference)?.status).toBe('canceled');
    expect(await takenMinor(world)).toBe(0n);
  }

  it('while a capture is unfinished: reconcile releases the payment without a capture (D76)', async (world) => {
    const { payment: opened, reference, appointmentId } = await givenUnfinishedCapture(world);
    await givenAppointment(world, { id: appointmentId, amountDue: '0.00' });
    world.clock.advance(60_000);
    (await world.chairside.reconcile())._unsafeUnwrap();
    await expectReleased(world, opened.id, reference);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ reservedMinor: 0n });
  });

  it('while a capture is unfinished: a request that joins it does not capture', async () => {
    for (const key of [undefined, fresh('other')]) {
      const world = await makeWorld();
      const given = await givenUnfinishedCapture(world);
      await givenAppointment(world, { id: given.appointmentId, amountDue: '44.99' });
      const { payment: opened, reference } = given;
      const joined = await capture(world, opened.id, reference, { key: key ?? given.key });
      expect(problem(joined, 'conflict')).toMatchObject({
        attributes: { reason: 'exceedsRemainingBalance', isReleased: true },
        recovery: notApplied,
      });
      await expectReleased(world, opened.id, reference);
      const again = await capture(world, opened.id, reference, { key: given.key });
      const canceled = problem(again, 'contactlessPaymentCanceled');
      expect(reason(canceled)).toBe('exceedsRemainingBalance');
    }
  });

  it('and raised again in between: the capture succeeds', async (world) => {
    const { payment: opened, reference, appointmentId, key } = await givenUnfinishedCapture(world);
    await givenAppointment(world, { id: appointmentId, amountDue: '0.00' });
    await givenAppointment(world, { id: appointmentId, amountDue: '45.00' });
    payment(await capture(world, opened.id, reference, { key }), 200);
  });

  it('so that two reserved payments no longer fit together', async (world) => {
    const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
    const one = await givenPresented(world, { appointmentId, amount: '20.00' });
    const two = await givenPresented(world, { appointmentId, amount: '25.00' });
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying', 2);
    problem(await capture(world, one.payment.id, one.reference), 'serviceUnavailable');
    problem(await capture(world, two.payment.id, two.reference), 'serviceUnavailable');
    await givenAppointment(world, { id: appointmentId, amountDue: '44.99' });
    problem(await capture(world, one.payment.id, one.reference), 'conflict');
    payment(await capture(world, two.payment.id, two.reference), 200);
    expect(await takenMinor(world)).toBe(2500n);
  });

  it('below the captured sum plus one unfinished capture', async (world) => {
    const appointmentId = await givenAppointment(world);
    await givenCaptured(world, { appointmentId, amount: '20.00' });
    const rest = await givenPresented(world, { appointmentId });
    world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
    problem(await capture(world, rest.payment.id, rest.reference), 'serviceUnavailable');
    await givenAppointment(world, { id: appointmentId, amountDue: '30.00' });
    problem(await capture(world, rest.payment.id, rest.reference), 'conflict');
    expect(await takenMinor(world)).toBe(2000n);
  });

  it('while the processor cannot cancel: the outcome is unknown, and no capture follows', async (world) => {
    const { payment: opened, reference, appointmentId, key } = await givenUnfinishedCapture(world);
    await givenAppointment(world, { id: appointmentId, amountDue: '0.00' });
    world.processor.failNext('cancelPayment', 'timeoutBeforeApplying');
    const refused = problem(await capture(world, opened.id, reference, { key }), 'conflict');
    expect(refused).toMatchObject({ attributes: { isReleased: false }, recovery: unknown });
    await givenAppointment(world, { id: appointmentId, amountDue: '45.00' });
    problem(await capture(world, opened.id, reference, { key }), 'contactlessPaymentCanceled');
    await expectReleased(world, opened.id, reference);
  });

  it('after the processor captured: the capture wins, and a review is opened (D76)', async (world) => {
    const { payment: opened, reference, appointmentId } = await givenUnfinishedCapture(world);
    await givenAppointment(world, { id: appointmentId, amountDue: '0.00' });
    // Another system captures between the read and the cancelation.
    const elsewhere = withProcessor(world, {
      cancelPayment(request) {
        const { amountMinor, currency } = { amountMinor: 4500n, currency: 'eur' };
        const taken = { ...request, amountMinor, currency, idempotencyKey: 'other' };
        return world.processor.capturePayment(taken).andThen(() => errAsync(refusedAsCaptured));
      },
    });
    const input = captureInput(opened.id, reference);
    const answer = await elsewhere.captureContactlessPayment(ada, input);
    expect(answer._unsafeUnwrapErr()).toMatchObject({
      attributes: { reason: 'running' },
      recovery: unknown,
    });
    expect(await stored(world, opened.id)).toMatchObject({
      state: 'captured',
      review: 'capturedBeyondDue',
    });
    payment(await capture(world, opened.id, reference), 200);
  });

  it('to nothing because the appointment is gone: the payment is released', async () => {
    const gone = new Set<string>();
    const world = await makeWorld({ store: (real) => withoutAppointments(real, gone) });
    const { payment: opened, reference, appointmentId, key } = await givenUnfinishedCapture(world);
    gone.add(appointmentId);
    const refused = problem(await capture(world, opened.id, reference, { key }), 'conflict');
    expect(refused.attributes).toEqual({ reason: 'appointmentGone', isReleased: true });
    await expectReleased(world, opened.id, reference);

    const late = await givenPresented(world);
    gone.add(late.payment.appointment.id);
    const first = problem(await capture(world, late.payment.id, late.reference), 'conflict');
    expect(first.attributes).toEqual({ reason: 'appointmentGone', isReleased: true });
    await expectReleased(world, late.payment.id, late.reference);
  });

  it.for(['appointments', 'ledgers', 'businesses'] as const)(
    'is not guessed: if %s cannot be read, no request is sent',
    async (group) => {
      const failing = { is: false };
      const world = await makeWorld({ store: (real) => failingGroup(real, group, failing) });
      const { payment: opened, reference, key } = await givenUnfinishedCapture(world);
      const { made } = world.processor.count('capturePayment');
      failing.is = true;
      const refused = await capture(world, opened.id, reference, { key });
      expect(problem(refused, 'serviceUnavailable').recovery).toEqual(unknown);
      expect(world.processor.count('capturePayment').made).toBe(made);
      failing.is = false;
      payment(await capture(world, opened.id, reference, { key }), 200);
    },
  );
});

describeEverywhere('the ledger of an appointment', ({ it }) => {
  it('returns the captured and reserved sums after a change of the amount due', async (world) => {
    const { payment: opened, reference, appointmentId } = await givenUnfinishedCapture(world);
    const ledger = () =>
      world.chairside.getAppointmentLedger(host, { appointmentId }).unwrapOr(undefined);
    const reserved = { captured: '0.00', reserved: '45.00', currency: 'eur' };
    expect(await ledger()).toEqual(reserved);
    const { chairside } = world;
    const put = () => chairside.records.putAppointment(haircut(appointmentId)).unwrapOr(undefined);
    expect(await put()).toEqual(reserved);
    payment(await capture(world, opened.id, reference), 200);
    const captured = { captured: '45.00', reserved: '0.00', currency: 'eur' };
    expect(await put()).toEqual(captured);
    expect(await ledger()).toEqual(captured);
  });

  it('returns zero for one without payments', async ({ chairside }) => {
    const input = { appointmentId: 'none' };
    const ledger = await chairside.getAppointmentLedger(host, input).unwrapOr(undefined);
    expect(ledger).toEqual({ captured: '0.00', reserved: '0.00' });
    const malformed = await chairside.getAppointmentLedger(host, { appointmentId: 'no\u0000ne' });
    expect(malformed._unsafeUnwrapErr().type).toBe('notFound');
  });
});

describeEverywhere('a payment that another system captures at the last moment', ({ it }) => {
  it('does not get "not applied" if it exceeds the remainder', async (world) => {
    const appointmentId = await givenAppointment(world);
    const one = await givenPresented(world, { appointmentId });
    const two = await givenPresented(world, { appointmentId });
    // Like a process that dies before it releases the other payment.
    const quiet = withProcessor(world, {
      cancelPayment: () =>
        errAsync({ kind: 'unavailable', outcome: 'notApplied', answered: false }),
    });
    const first = await quiet.captureContactlessPayment(
      ada,
      captureInput(one.payment.id, one.reference),
    );
    expect(first.isOk()).toBe(true);
    await quiet.settled();
    world.clock.advance(60_000);
    const elsewhere = withProcessor(world, {
      cancelPayment(request) {
        const taken = { ...request, amountMinor: 4500n, currency: 'eur', idempotencyKey: 'other' };
        return world.processor.capturePayment(taken).andThen(() => errAsync(refusedAsCaptured));
      },
    });
    // The interrupted release would continue first, so this one begins anew.
    const three = await givenHeld(world, two.payment.id);
    const answer = await elsewhere.captureContactlessPayment(
      ada,
      captureInput(three, two.reference),
    );
    const refused = answer._unsafeUnwrapErr();
    expect(refused.recovery).toEqual(unknown);
    expect(refused.attributes).toEqual({ reason: 'running' });
    payment(await capture(world, three, two.reference), 200);
    expect(await stored(world, three)).toMatchObject({ review: 'capturedBeyondDue' });
  });

  /** The payment without the unfinished work of its release. */
  async function givenHeld(world: World, id: string): Promise<string> {
    const { work: _work, ...rest } = await stored(world, id);
    const changes = [
      {
        kind: 'updatePayment',
        payment: { ...rest, version: rest.version + 1 },
        expectedVersion: rest.version,
      } as const,
    ];
    const written = await world.store.commit({ id: fresh('commit'), at: 0, changes });
    expect(written.isOk()).toBe(true);
    return id;
  }
});

describeEverywhere('a business that changes its currency (D39)', ({ it }) => {
  it('does not capture an authorization in the old one', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    await setCurrency(world, 'usd');
    const refused = problem(await capture(world, opened.id, reference), 'conflict');
    expect(refused).toMatchObject({
      attributes: { reason: 'currencyChanged', isReleased: true },
      recovery: notApplied,
    });
    expect(world.processor.bookEntry(reference)?.status).toBe('canceled');
    expect(await takenMinor(world)).toBe(0n);
    const again = await capture(world, opened.id, reference);
    expect(reason(problem(again, 'contactlessPaymentCanceled'))).toBe('currencyChanged');
  });

  it('while a capture is unfinished: reconcile releases it, and the ledger is free again', async (world) => {
    const { payment: opened, reference, appointmentId } = await givenUnfinishedCapture(world);
    await setCurrency(world, 'usd');
    const early = problem(await create(world, appointmentId), 'conflict');
    expect(early).toMatchObject({
      attributes: { reason: 'currencyChanged' },
      recovery: notApplied,
    });
    world.clock.advance(60_000);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await stored(world, opened.id)).state).toBe('canceled');
    expect(world.processor.bookEntry(reference)?.status).toBe('canceled');
    const { payment: next } = await givenCaptured(world, { appointmentId });
    expect((await stored(world, next.id)).currency).toBe('usd');
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ currency: 'usd' });
  });

  it('rejects a second payment of an appointment that was partly paid in the old one', async (world) => {
    const appointmentId = await givenAppointment(world);
    await givenCaptured(world, { appointmentId, amount: '20.00' });
    const second = await givenPresented(world, { appointmentId });
    await setCurrency(world, 'usd');
    expect(reason(problem(await create(world, appointmentId), 'conflict'))).toBe('currencyChanged');
    const refused = problem(await capture(world, second.payment.id, second.reference), 'conflict');
    expect(reason(refused)).toBe('currencyChanged');
    expect(await takenMinor(world)).toBe(2000n);
    // In the old currency the appointment can be paid again.
    await setCurrency(world, 'eur');
    await givenCaptured(world, { appointmentId });
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('is found if two payments of one appointment are open in two currencies', async (world) => {
    const appointmentId = await givenAppointment(world, { amountDue: '90.00' });
    const euros = await givenPresented(world, { appointmentId, amount: '45.00' });
    await setCurrency(world, 'usd');
    const dollars = await givenPresented(world, { appointmentId, amount: '45.00' });
    payment(await capture(world, dollars.payment.id, dollars.reference), 200);
    await setCurrency(world, 'eur');
    const refused = problem(await capture(world, euros.payment.id, euros.reference), 'conflict');
    expect(reason(refused)).toBe('currencyChanged');
    expect(world.processor.bookEntry(euros.reference)?.status).toBe('canceled');
  });

  it('does not prevent recording an earlier capture of the processor', async (world) => {
    const { payment: opened, reference, appointmentId } = await givenUnfinishedCapture(world);
    await setCurrency(world, 'usd');
    const entry = await stored(world, opened.id);
    const taken = { account: entry.account, paymentId: entry.id, begunAt: entry.createdAt };
    const request = { amountMinor: 4500n, currency: 'eur', reference, idempotencyKey: 'other' };
    const installation = 'chairside';
    const captured = await world.processor.capturePayment({ ...taken, ...request, installation });
    expect(captured.isOk()).toBe(true);
    await deliverMessages(world);
    expect((await stored(world, opened.id)).state).toBe('captured');
    expect(await ledgerOf(world, appointmentId)).toMatchObject({
      capturedMinor: 4500n,
      currency: 'eur',
    });
  });
});

describeEverywhere('a request with waiting times', ({ it, makeWorld }) => {
  it('waits for one call of a dead process, not for four (D77)', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    let isSent = false;
    const dying = withProcessor(world, {
      capturePayment() {
        isSent = true;
        return new ResultAsync(new Promise<never>(() => {}));
      },
    });
    const input = captureInput(opened.id, reference);
    let isAnswered = false;
    dying.captureContactlessPayment(ada, input).then(
      () => {
        isAnswered = true;
      },
      () => expect.unreachable(),
    );
    await until(() => isSent);
    // The fake's deadline is ten seconds; five more are for commits.
    world.clock.advance(14_999);
    const early = await capture(world, opened.id, reference);
    expect(problem(early, 'conflict')).toMatchObject({
      attributes: { reason: 'running' },
      recovery: unknown,
    });
    expect(early.retryAfter).toBe(2);
    world.clock.advance(1);
    payment(await capture(world, opened.id, reference), 200);
    expect(isAnswered).toBe(false);
  });

  it('gets a response in time, from a slow processor and behind any number of others (D146)', async () => {
    const contested = { is: false };
    let world: World | undefined;
    const made = await makeWorld({
      store: (real) => ({
        ...real,
        commit: (commit) =>
          contested.is
            ? errAsync({ kind: 'storeConflict', change: 'updatePayment' })
            : real.commit(commit),
      }),
      processor: {
        async delay({ name }, way) {
          if (name === 'readPayment' && way === 'request') world?.clock.advance(9_999);
        },
      },
    });
    const { payment: opened, reference } = await givenPresented(made);
    world = made;
    contested.is = true;
    const key = fresh('key');
    const answer = await capture(made, opened.id, reference, { key });
    problem(answer, 'serviceUnavailable');
    expect(made.processor.count('readPayment').made).toBe(3);
    contested.is = false;
    world = undefined;
    payment(await capture(made, opened.id, reference, { key }), 200);
  });
});

describeEverywhere('a second entry of a payment at the processor', ({ it }) => {
  /** Another system has copied our marks to an entry of its own. */
  async function copied(world: World, paymentId: string): Promise<string> {
    const handle = { account: 'acct_shop', paymentId, installation: 'chairside' };
    const { reference } = await openElsewhere(world, { paymentId });
    const asked = { reference, begunAt: world.clock.now(), idempotencyKey: fresh('cancel') };
    const canceled = await world.processor.cancelPayment({ ...handle, ...asked });
    expect(canceled._unsafeUnwrap()?.status).toBe('canceled');
    return reference;
  }

  it('does not end the reservation of a capture that was sent for the first (D13)', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const appointmentId = opened.appointment.id;
    world.processor.failNext('capturePayment', 'landsLater');
    problem(await capture(world, opened.id, reference), 'serviceUnavailable');
    const refused = await capture(world, opened.id, await copied(world, opened.id));
    problem(refused, 'unprocessableEntity');
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ reservedMinor: 4500n });
    const second = await givenPresented(world, { appointmentId });
    const other = problem(await capture(world, second.payment.id, second.reference), 'conflict');
    expect(reason(other)).toBe('reservedElsewhere');
    world.processor.landAbandoned();
    world.clock.advance(60_000);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await stored(world, opened.id)).state).toBe('captured');
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('does not end a payment whose card is still to be captured (D16)', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const refused = await capture(world, opened.id, await copied(world, opened.id));
    problem(refused, 'unprocessableEntity');
    payment(await capture(world, opened.id, reference), 200);
    expect(await takenMinor(world)).toBe(4500n);
  });
});

function haircut(id: string) {
  return {
    id,
    businessId: 'shop',
    amountDueMinor: 4500n,
    occursOn: '2026-11-02T10:00:00.000Z',
    barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
    location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
  };
}

function withoutAppointments(real: Store, gone: ReadonlySet<string>): Store {
  const get: Store['appointments']['get'] = (id) =>
    gone.has(id) ? okAsync(undefined) : real.appointments.get(id);
  return { ...real, appointments: { get } };
}

function failingGroup(
  real: Store,
  group: 'appointments' | 'ledgers' | 'businesses',
  failing: { readonly is: boolean },
): Store {
  const unread = () => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
  const { appointments, ledgers, businesses } = real;
  const fails = (name: typeof group) => failing.is && name === group;
  return {
    ...real,
    appointments: { get: (id) => (fails('appointments') ? unread() : appointments.get(id)) },
    ledgers: { get: (id) => (fails('ledgers') ? unread() : ledgers.get(id)) },
    businesses: { get: (id) => (fails('businesses') ? unread() : businesses.get(id)) },
  };
}

/** A processor that keeps the payments of all accounts in one set of books, as destination charges do. */
function platform(world: World, listPayments: Processor['listPayments']) {
  return withProcessor(world, { booksOf: () => 'platform', listPayments });
}

/** Opens a shop with an account and takes a payment in it. */
async function givenShop(world: World, to: ReturnType<typeof platform>, id: string) {
  const processorAccount = { id: `acct_${id}`, currency: 'eur' };
  const put = await to.records.putBusiness({ id, name: id, processorAccount });
  expect(put.isOk()).toBe(true);
  const appointmentId = await givenAppointment(world, { business: id });
  const created = await to.createContactlessPayment(ada, {
    appointmentId,
    idempotencyKey: fresh('create'),
  });
  expect(created.isOk()).toBe(true);
  return processorAccount.id;
}

describeEverywhere('the sweep of books that many accounts share', ({ it }) => {
  it('lists the books once for all accounts, and settles the orphans of each', async (world) => {
    const { clock, processor } = world;
    const listed: ListRequest[] = [];
    const orphans: string[] = [];
    const shared = platform(world, (request) => {
      // The shop of every spec has books of its own.
      if (request.books !== 'platform') return okAsync({ items: [] });
      listed.push(request);
      const items = processor.entries().map((entry) => ({
        paymentId: entry.paymentId,
        account: entry.account,
        reference: entry.id,
        openedAt: entry.createdAt,
        status: entry.status,
        currency: entry.currency,
        amountMinor: 4500n,
        clientSecret: 'not used',
      }));
      return okAsync({ items });
    });
    for (let index = 0; index < 12; index += 1) {
      const account = await givenShop(world, shared, `shop-${index}`);
      orphans.push((await openElsewhere(world, { account })).reference);
    }
    clock.advance(2 * hourMs);
    expect((await shared.reconcile())._unsafeUnwrap().orphansCanceled).toBe(12);
    for (const orphan of orphans) expect(processor.bookEntry(orphan)?.status).toBe('canceled');
    expect(listed).toMatchObject([{ books: 'platform' }]);
    clock.advance(hourMs);
    expect((await shared.reconcile()).isOk()).toBe(true);
    expect(listed).toMatchObject([{ books: 'platform' }, { books: 'platform' }]);
    expect(listed[1]?.openedFrom).toBe(listed[0]?.openedBefore);
  });

  it('makes progress in each run, while other systems fill the books', async (world) => {
    const { clock } = world;
    const pageMs = 4 * hourMs;
    const cursors: (string | undefined)[] = [];
    const shared = platform(world, ({ books, openedFrom, openedBefore, cursor }) => {
      if (books !== 'platform') return okAsync({ items: [] });
      cursors.push(cursor);
      const readBefore = Number(cursor ?? openedFrom) + pageMs;
      const isLast = readBefore >= openedBefore;
      return okAsync({ items: [], ...(!isLast && { cursor: `${readBefore}` }) });
    });
    await givenShop(world, shared, 'shop-of-the-platform');
    const from = clock.now() - 7 * 24 * hourMs;
    clock.advance(2 * hourMs);
    // Twenty pages in a run, for the week before and the hour that is old enough.
    for (let runs = 0; runs < 4; runs += 1) expect((await shared.reconcile()).isOk()).toBe(true);
    const pages = Array.from({ length: 42 }, (_, page) => `${from + (page + 1) * pageMs}`);
    expect(cursors).toEqual([undefined, ...pages]);
  });
});

const given = (world: World) => givenPresented(world, { card: 'partially_authorized' });

async function toldTypes({ chairside }: World): Promise<readonly string[]> {
  const told: string[] = [];
  const delivered = await chairside.events.deliver(async ({ type }) => {
    told.push(type);
  });
  expect(delivered.isOk()).toBe(true);
  return told.map((type) => type.replace('contactlessPayment.', ''));
}

describeEverywhere('a partial authorization', ({ it }) => {
  it('counts as failed after a message, and the next reconcile releases it', async (world) => {
    const { payment: opened, reference } = await given(world);
    await deliverMessages(world);
    expect((await stored(world, opened.id)).state).toBe('failed');
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await stored(world, opened.id)).state).toBe('canceled');
    expect(world.processor.bookEntry(reference)?.status).toBe('canceled');
    expect(await ledgerOf(world, opened.appointment.id)).toMatchObject({ openPayments: 0 });
    expect(await toldTypes(world)).toEqual(['created', 'failed', 'canceled']);
  });

  it('is released by reconcile without a message', async (world) => {
    const { payment: opened, reference } = await given(world);
    world.clock.advance(16 * minuteMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect((await stored(world, opened.id)).state).toBe('canceled');
    expect(world.processor.bookEntry(reference)?.status).toBe('canceled');
    expect(await toldTypes(world)).not.toContain('authorized');
  });

  it('of another amount altogether is a conflict, and is released at once', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const elsewhere = withBooks(world, (seen) => ({
      ...seen,
      amountMinor: 3000n,
      authorizedMinor: 3000n,
    }));
    const refused = await elsewhere.captureContactlessPayment(
      ada,
      captureInput(opened.id, reference),
    );
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      type: 'conflict',
      attributes: { reason: 'differsAtProcessor', isReleased: true },
    });
    expect(world.processor.bookEntry(reference)?.status).toBe('canceled');
    const again = await elsewhere.captureContactlessPayment(
      ada,
      captureInput(opened.id, reference),
    );
    expect(again._unsafeUnwrapErr()).toMatchObject({
      type: 'contactlessPaymentCanceled',
      attributes: { reason: 'differsAtProcessor' },
    });
  });

  it('that was captured anyway is not reported as released', async (world) => {
    const { payment: opened, reference } = await given(world);
    let isTaken = false;
    const elsewhere = withProcessor(world, {
      readPayment: readingAs(world, (seen) => (isTaken ? { ...seen, status: 'captured' } : seen)),
      cancelPayment() {
        isTaken = true;
        return errAsync({ kind: 'rejected', reason: 'captured' });
      },
    });
    const refused = await elsewhere.captureContactlessPayment(
      ada,
      captureInput(opened.id, reference),
    );
    expect(refused._unsafeUnwrapErr()).toMatchObject({ attributes: { reason: 'running' } });
    expect((await stored(world, opened.id)).state).toBe('captured');
  });

  it('is declined, and released later if it cannot be now', async (world) => {
    const { payment: opened, reference } = await given(world);
    world.processor.failNext('cancelPayment', 'timeoutBeforeApplying');
    const refused = await capture(world, opened.id, reference);
    // Another system may capture it before its release.
    expect(problem(refused, 'contactlessPaymentDeclined')).toMatchObject({
      attributes: { reason: 'partiallyAuthorized', isReleased: false },
      recovery: { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' },
    });
    expect(world.processor.bookEntry(reference)?.status).toBe('authorized');
    world.clock.advance(hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect(world.processor.bookEntry(reference)?.status).toBe('canceled');
    const again = problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
    expect(again).toMatchObject({
      attributes: { reason: 'partiallyAuthorized' },
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
  });
});

/** From now on the business is paid in dollars. */
async function payInDollars({ chairside }: World): Promise<void> {
  const processorAccount = { ...account, currency: 'usd' };
  const put = await chairside.records.putBusiness({ id: 'shop', name: 'Shop', processorAccount });
  expect(put.isOk()).toBe(true);
}

describeEverywhere('a business that changes its currency', ({ it }) => {
  it('is not paid by a deposit in the other currency (D39)', async (world) => {
    const { appointmentId, method } = await givenBooking(world);
    expect((await charge(world, appointmentId, method)).status).toBe(201);
    const { payment, reference } = await givenPresented(world, { appointmentId });
    await deliverMessages(world);
    await payInDollars(world);
    // 20.00 euros are no 15.00 dollars.
    await givenAppointment(world, { id: appointmentId, amountDue: '15.00' });
    world.clock.advance(2 * hourMs);
    expect((await world.chairside.upkeep()).isOk()).toBe(true);
    const kept = await stored(world, payment.id);
    expect(kept.timeline.map(({ cause }) => cause)).not.toContain('appointmentPaid');
    const refused = problem(await capture(world, payment.id, reference), 'conflict');
    expect(reason(refused)).toBe('currencyChanged');
  });
});
