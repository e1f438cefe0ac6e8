import {
  type AuthContext,
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  okAsync,
} from '@chairside/core';
import type { Store } from '@chairside/core/ports';
import { createFakeProcessor } from '@chairside/fake-processor';
import { anAppointment, createManualClock, createMapStore } from '@chairside/testkit';
import { describe, expect, it } from 'vitest';
import { type Answer, payment, payments, problem, reason, refund, setup } from '../src/answer.ts';
import { chargeBody, givenBooking } from '../src/charges.ts';
import { cancel, deliverMessages } from '../src/elsewhere.ts';
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
  until,
} from '../src/shop.ts';
import { givenTender } from '../src/tenders.ts';
import { describeEverywhere, type World } from '../src/world.ts';

const unknown = { outcome: 'unknown', retry: 'doNotRetry' };
const notApplied = { outcome: 'notApplied', retry: 'doNotRetry' };
const unknownLater = { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' };

/** An authenticator whose result a spec can change. */
function changeable() {
  const changed = new Map<string, AuthContext>();
  const everyone: Readonly<Record<string, AuthContext>> = people;
  const authenticate = (person: string) => changed.get(person) ?? everyone[person];
  return { authenticate, change: (person: string, to: AuthContext) => changed.set(person, to) };
}

describeEverywhere('a key of an applied request (D22)', ({ it, makeWorld }) => {
  /** Each keyed operation: done once, with a way to repeat it. */
  const operations = {
    createContactlessPayment: async (world: World) => {
      const id = await givenAppointment(world);
      const key = fresh('key');
      const send = (as: 'ada' | 'badToken' | 'nobody') =>
        world.send('createContactlessPayment', as, { id, key });
      payment(await send('ada'), 201);
      return { person: 'ada', again: send } as const;
    },
    captureContactlessPayment: async (world: World) => {
      const { payment: opened, reference } = await givenPresented(world);
      const key = fresh('key');
      const body = { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } };
      const send = (as: 'ada' | 'badToken' | 'nobody') =>
        world.send('captureContactlessPayment', as, { id: opened.id, key, body });
      payment(await send('ada'), 200);
      return { person: 'ada', again: send } as const;
    },
    refundPayment: async (world: World) => {
      const { payment: captured } = await givenCaptured(world);
      const key = fresh('key');
      const send = (as: 'owner' | 'badToken' | 'nobody') =>
        world.send('refundPayment', as, { id: captured.id, key });
      refund(await send('owner'), 201);
      return { person: 'owner', again: send } as const;
    },
    preparePaymentMethod: async (world: World) => {
      const key = fresh('key');
      const send = (as: 'customer' | 'badToken' | 'nobody') =>
        world.send('preparePaymentMethod', as, { key, body: { savePaymentMethod: true } });
      setup(await send('customer'));
      return { person: 'customer', again: send } as const;
    },
    chargePaymentMethod: async (world: World) => {
      const { appointmentId, method } = await givenBooking(world);
      const key = fresh('key');
      const send = (as: 'owner' | 'badToken' | 'nobody') =>
        world.send('chargePaymentMethod', as, { id: appointmentId, key, body: chargeBody(method) });
      expect((await send('owner')).status).toBe(201);
      return { person: 'owner', again: send } as const;
    },
    recordTender: async (world: World) => {
      const id = await givenAppointment(world);
      const asked = { id, key: fresh('key'), body: { kind: 'cash', amount: '20.00' } };
      const send = (as: 'ada' | 'badToken' | 'nobody') => world.send('recordTender', as, asked);
      expect((await send('ada')).status).toBe(201);
      return { person: 'ada', again: send } as const;
    },
    returnTender: async (world: World) => {
      const { id } = await givenTender(world, await givenAppointment(world), '20.00');
      const asked = { id, key: fresh('key'), body: { amount: '5.00' } };
      const send = (as: 'ada' | 'badToken' | 'nobody') => world.send('returnTender', as, asked);
      expect((await send('ada')).status).toBe(201);
      return { person: 'ada', again: send } as const;
    },
    sharePayment: async (world: World) => {
      const { payment: paid } = await givenCaptured(world);
      const shares = [{ appointmentId: await givenAppointment(world), amount: '45.00' }];
      const asked = { id: paid.id, key: fresh('key'), body: { shares } };
      const send = (as: 'owner' | 'badToken' | 'nobody') => world.send('sharePayment', as, asked);
      expect((await send('owner')).status).toBe(201);
      return { person: 'owner', again: send } as const;
    },
  };

  const names = [
    'createContactlessPayment',
    'captureContactlessPayment',
    'refundPayment',
    'preparePaymentMethod',
    'chargePaymentMethod',
    'recordTender',
    'returnTender',
    'sharePayment',
  ] as const;
  const shares = true;
  describe.each(names)('%s', (name) => {
    async function givenDone(world: World) {
      const { person, again } = await operations[name](world);
      const send = again as (as: string) => Promise<Answer>; // cast: each operation has its own people
      return { person, send };
    }

    it('is "unknown" to a caller who has lost the role', async () => {
      const { authenticate, change } = changeable();
      const world = await makeWorld({ authenticate, shares });
      const { person, send } = await givenDone(world);
      change(person, { subject: people[person].subject });
      expect(problem(await send(person), 'forbidden').recovery).toEqual(unknown);
    });

    it('is "unknown" to a token that is no longer valid, and to a missing one', async () => {
      const { send } = await givenDone(await makeWorld({ shares }));
      expect(problem(await send('badToken'), 'unauthorized').recovery).toEqual({
        outcome: 'unknown',
        retry: 'retrySameRequest',
        sessionAction: 'refresh',
      });
      expect(problem(await send('nobody'), 'unauthorized').recovery).toMatchObject({
        outcome: 'unknown',
        sessionAction: 'signIn',
      });
    });

    it('is "unknown" to a caller above the quota, without a read of the database', async () => {
      let lookUps = 0;
      const store = (real: Store): Store => ({
        ...real,
        keys: {
          get(subject, key) {
            lookUps += 1;
            return real.keys.get(subject, key);
          },
        },
      });
      const rateLimits = { writes: { limit: 3, windowMs: minuteMs } };
      const world = await makeWorld({ rateLimits, store, shares });
      const { person, send } = await givenDone(world);
      let answer = await send(person);
      while (answer.status !== 429) answer = await send(person);
      lookUps = 0;
      const { recovery } = problem(await send(person), 'tooManyRequests');
      expect(recovery).toMatchObject({ ...unknownLater, rateLimit: { limit: 3, remaining: 0 } });
      expect(lookUps).toBe(0);
    });
  });

  it.for(['recordTender', 'returnTender', 'sharePayment'] as const)(
    'is "unknown" while the record of %s cannot be found',
    async (name) => {
      let isHidden = false;
      const act = name === 'returnTender' ? 'return' : 'record';
      const world = await makeWorld({
        shares,
        store: (real) => ({
          ...real,
          tenders: {
            ...real.tenders,
            get: (id) =>
              real.tenders.get(id).map((one) => (isHidden && one?.act === act ? undefined : one)),
          },
          shares: {
            ...real.shares,
            get: (id) => real.shares.get(id).map((one) => (isHidden ? undefined : one)),
          },
        }),
      });
      const { person, again } = await operations[name](world);
      isHidden = true;
      const send = again as (as: string) => Promise<Answer>; // cast: each operation has its own people
      expect(problem(await send(person), 'serviceUnavailable').recovery?.outcome).toBe('unknown');
    },
  );

  it('is "unknown" to a malformed request, and to one for an unknown record', async (world) => {
    const id = await givenAppointment(world);
    const key = fresh('key');
    payment(await create(world, id, { key }), 201);
    const malformed = { id, key, body: { amount: 45 } };
    const refused = await world.send('createContactlessPayment', 'ada', malformed);
    expect(problem(refused, 'badRequest').recovery).toEqual(unknown);
    expect(problem(await create(world, 'nothing', { key }), 'notFound').recovery).toEqual(unknown);
    const foreign = await givenAppointment(world, { barber: 'ben' });
    expect(problem(await create(world, foreign, { key }), 'forbidden').recovery).toEqual(unknown);
  });

  it('says "not applied" for another request with this key, which the comparison proves', async (world) => {
    const id = await givenAppointment(world);
    const key = fresh('key');
    payment(await create(world, id, { key }), 201);
    const other = problem(await create(world, id, { key, amount: '1.00' }), 'unprocessableEntity');
    expect(other.recovery).toEqual(notApplied);
  });

  it('says "not applied" without a key, or with a new one', async () => {
    const { authenticate, change } = changeable();
    const world = await makeWorld({ authenticate });
    const opened = await givenPayment(world);
    const read = await world.send('getContactlessPayment', 'badToken', { id: opened.id });
    expect(problem(read, 'unauthorized').recovery?.outcome).toBe('notApplied');
    change('ada', { subject: 'user-ada' });
    const id = await givenAppointment(world);
    expect(problem(await create(world, id), 'forbidden').recovery).toEqual(notApplied);
  });
});

describeEverywhere('a key whose claim is unfinished (D22)', ({ it, makeWorld }) => {
  it('says "not applied" only for another request', async () => {
    const { authenticate, change } = changeable();
    const world = await makeWorld({ authenticate });
    const id = await givenAppointment(world);
    const key = fresh('key');
    world.processor.failNext('openPayment', 'timeoutAfterApplying');
    world.processor.failNext('readPayment', 'refused');
    problem(await create(world, id, { key }), 'serviceUnavailable');
    const other = problem(await create(world, id, { key, amount: '1.00' }), 'unprocessableEntity');
    expect(other.recovery).toEqual(notApplied);
    change('ada', { subject: 'user-ada' });
    expect(problem(await create(world, id, { key }), 'forbidden').recovery).toEqual(unknown);
  });
});

describeEverywhere('a create whose response was lost (D11)', ({ it, makeWorld }) => {
  const movedTo = [
    ['another barber', { barber: 'ben' }],
    ['another barber and business', { barber: 'cleo', business: 'newShop' }],
  ] as const;

  it.for(movedTo)('is returned again after the appointment moved to %s', async ([_, to], world) => {
    const id = await givenAppointment(world);
    const key = fresh('key');
    const first = await create(world, id, { key });
    await givenAppointment(world, { id, ...to });
    const again = await create(world, id, { key });
    expect(payment(again, 201).id).toBe(payment(first, 201).id);
    expect(again).toMatchObject({ text: first.text, replayed: true });
  });

  it.for(movedTo)('is finished after the appointment moved to %s', async ([_, to], world) => {
    const id = await givenAppointment(world);
    const key = fresh('key');
    world.processor.failNext('openPayment', 'timeoutAfterApplying');
    world.processor.failNext('readPayment', 'refused');
    problem(await create(world, id, { key }), 'serviceUnavailable');
    await givenAppointment(world, { id, ...to });
    world.clock.advance(minuteMs);
    expect(payment(await create(world, id, { key }), 201).appointment.barber.id).toBe('ada');
    expect(world.processor.entries()).toHaveLength(1);
  });

  it('rejects a caller who is now another barber, even the appointment’s present one', async () => {
    const { authenticate, change } = changeable();
    const world = await makeWorld({ authenticate });
    const id = await givenAppointment(world);
    const key = fresh('key');
    payment(await create(world, id, { key }), 201);
    await givenAppointment(world, { id, barber: 'cleo', business: 'newShop' });
    change('ada', { ...people.ada, barberId: 'cleo' });
    expect(problem(await create(world, id, { key }), 'forbidden').recovery).toEqual(unknown);
  });

  it('cannot open a new payment for a caller who has lost the appointment', async (world) => {
    const id = await givenAppointment(world);
    payment(await create(world, id), 201);
    await givenAppointment(world, { id, barber: 'ben' });
    expect(problem(await create(world, id), 'forbidden').recovery).toEqual(notApplied);
    expect(world.processor.entries()).toHaveLength(1);
  });

  it('is rejected before a stored problem is shown', async (world) => {
    const id = await givenAppointment(world);
    const key = fresh('key');
    problem(await create(world, id, { key, amount: '0.00' }), 'unprocessableEntity');
    await givenAppointment(world, { id, barber: 'ben' });
    const refused = await create(world, id, { key, amount: '0.00' });
    expect(problem(refused, 'forbidden').recovery).toEqual(notApplied);
  });
});

describeEverywhere('an applied capture (D38)', ({ it }) => {
  it('is returned again to the barber who opened it, for any present barber', async (world) => {
    const id = await givenAppointment(world);
    const { payment: opened, reference } = await givenPresented(world, { appointmentId: id });
    const key = fresh('key');
    const first = await capture(world, opened.id, reference, { key });
    await givenAppointment(world, { id, barber: 'cleo', business: 'newShop' });
    const again = await capture(world, opened.id, reference, { key });
    expect(again).toEqual({ ...first, replayed: true });
  });
});

describeEverywhere('a key in quotes (D19)', ({ it }) => {
  it('is the key between them', async (world) => {
    const id = await givenAppointment(world);
    const key = fresh('key');
    const first = await create(world, id, { key });
    const again = await create(world, id, { key: `"${key}"` });
    expect(again).toEqual({ ...first, replayed: true });
    problem(await create(world, id, { key: '""' }), 'badRequest');
    const quoted = await create(world, id, { key: `a\\b"${key}` });
    const escaped = await create(world, id, { key: `"a\\\\b\\"${key}"` });
    expect(escaped).toEqual({ ...quoted, replayed: true });
  });
});

const unfinished = { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' };

describeEverywhere('requests met by a message, a fault or another request', ({ it, makeWorld }) => {
  it('a message and the client settle a payment together, once', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const [captured] = await Promise.all([
      capture(world, opened.id, reference),
      deliverMessages(world),
    ]);
    payment(captured, 200);
    await deliverMessages(world);
    const told: string[] = [];
    await world.chairside.events
      .deliver(async ({ type, subject }) => {
        if (subject === opened.id) told.push(type);
      })
      .match(
        () => undefined,
        () => expect.unreachable(),
      );
    expect(told).toEqual(
      ['created', 'authorized', 'captured'].map((state) => `contactlessPayment.${state}`),
    );
    const { appointment } = await stored(world, opened.id);
    expect(await ledgerOf(world, appointment.id)).toMatchObject({
      capturedMinor: 4500n,
      reservedMinor: 0n,
    });
  });

  it('an unfinished capture is never "unknown, do not retry"', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const key = fresh('key');
    world.processor.failNext('capturePayment', 'notSetUp');
    const refused = problem(
      await capture(world, opened.id, reference, { key }),
      'paymentProviderNotSetup',
    );
    expect(refused.recovery).toEqual(unfinished);
    payment(await capture(world, opened.id, reference, { key }), 200);
  });

  it('a capture gets through once the account is set up, though the refusal is stored (D20)', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    world.processor.failNext('capturePayment', 'notSetUp');
    problem(await capture(world, opened.id, reference), 'paymentProviderNotSetup');
    world.clock.advance(10 * minuteMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    expect(await stored(world, opened.id)).toMatchObject({ state: 'captured' });
  });

  it('a cancelation gets through once the account is set up, though the refusal is stored (D20)', async (world) => {
    const { payment: opened } = await givenPresented(world);
    world.processor.failNext('cancelPayment', 'notSetUp');
    expect((await cancel(world, opened.id)).isErr()).toBe(true);
    expect((await cancel(world, opened.id)).isOk()).toBe(true);
    expect(await stored(world, opened.id)).toMatchObject({ state: 'canceled' });
  });

  describe('a 503 does not say "not applied" of an applied request:', () => {
    it('a payment that was opened, or captured', async () => {
      let failing = 0;
      const world = await makeWorld({ store: (real) => failingReads(real, () => failing-- > 0) });
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      const opened = payment(await create(world, appointmentId, { key }), 201);
      failing = 1;
      const again = problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
      expect(again.recovery).toEqual(unfinished);
      const reference = await present(world, opened);
      const captureKey = fresh('key');
      payment(await capture(world, opened.id, reference, { key: captureKey }), 200);
      failing = 1;
      const twice = await capture(world, opened.id, reference, { key: captureKey });
      expect(problem(twice, 'serviceUnavailable').recovery).toEqual(unfinished);
    });
  });

  it('a create whose key cannot be read is tried again, though its appointment has moved', async () => {
    let failing = 0;
    const world = await makeWorld({ store: (real) => failingKeys(real, () => failing-- > 0) });
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    const opened = payment(await create(world, appointmentId, { key }), 201);
    await givenAppointment(world, { id: appointmentId, barber: 'ben' });
    failing = 1;
    const unread = problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
    expect(unread.recovery).toEqual(unfinished);
    expect(payment(await create(world, appointmentId, { key }), 201).id).toBe(opened.id);
  });

  it('a card presented at the last moment is kept, by any observer', async (world) => {
    const opened = await givenPayment(world);
    world.clock.advance(16 * minuteMs);
    const reference = await present(world, opened);
    // While `reconcile` checks, a message of the processor arrives first.
    world.processor.failNext('readPayment', 'slowReply');
    const reconciled = world.chairside.reconcile();
    await until(() => world.processor.count('readPayment').made === 1);
    await deliverMessages(world);
    world.processor.release();
    expect((await reconciled).isOk()).toBe(true);
    world.clock.advance(hourMs);
    expect((await world.chairside.reconcile()).isOk()).toBe(true);
    expect((await stored(world, opened.id)).state).toBe('authorized');
    payment(await capture(world, opened.id, reference), 200);
  });
});

/** Reads of payments fail while the switch is on. */
function failingReads(real: Store, isFailing: () => boolean): Store {
  return {
    ...real,
    payments: {
      ...real.payments,
      get: (id) =>
        isFailing()
          ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
          : real.payments.get(id),
    },
  };
}

/** Reads of keys fail as long as they are to. */
function failingKeys(real: Store, isFailing: () => boolean): Store {
  return {
    ...real,
    keys: {
      get: (subject, key) =>
        isFailing()
          ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
          : real.keys.get(subject, key),
    },
  };
}

describeEverywhere('an appointment that is given to another barber', ({ it, makeWorld }) => {
  async function givenHandedOver(world: World) {
    const id = await givenAppointment(world);
    const presented = await givenPresented(world, { appointmentId: id });
    await givenAppointment(world, { id, barber: 'ben' });
    return { id, ...presented };
  }

  it('shows its payments to him, and to her who opened them (D38)', async (world) => {
    const { payment: opened } = await givenHandedOver(world);
    for (const barber of ['ada', 'ben'] as const) {
      const read = await world.send('getContactlessPayment', barber, { id: opened.id });
      expect(payment(read, 200).id).toBe(opened.id);
    }
    const read = await world.send('getContactlessPayment', 'cleo', { id: opened.id });
    problem(read, 'forbidden');
  });

  it('lists them and opens new ones for him alone', async (world) => {
    const { id, payment: opened } = await givenHandedOver(world);
    const listed = await world.send('listContactlessPayments', 'ben', { id });
    expect(payments(listed).items.map((shown) => shown.id)).toEqual([opened.id]);
    payment(await create(world, id, { as: 'ben' }), 201);
    problem(await world.send('listContactlessPayments', 'ada', { id }), 'forbidden');
    problem(await create(world, id), 'forbidden');
  });

  it.for(['ada', 'ben'] as const)('is paid when %s captures', async (barber, world) => {
    const { payment: opened, reference } = await givenHandedOver(world);
    problem(await capture(world, opened.id, reference, { as: 'cleo' }), 'forbidden');
    const captured = await capture(world, opened.id, reference, { as: barber });
    expect(payment(captured, 200).state).toBe('captured');
  });

  it('is canceled for each of them', async () => {
    for (const barber of ['ada', 'ben'] as const) {
      const world = await makeWorld();
      const { payment: opened } = await givenHandedOver(world);
      const input = { contactlessPaymentId: opened.id };
      const refused = await world.chairside.cancelContactlessPayment(people.cleo, input);
      expect(refused._unsafeUnwrapErr().type).toBe('forbidden');
      const canceled = await world.chairside.cancelContactlessPayment(people[barber], input);
      expect(canceled._unsafeUnwrap().state).toBe('canceled');
    }
  });
});

describeEverywhere('an appointment that moves to another business (D38)', ({ it }) => {
  /** Opened by Ada at the shop; the appointment is now Ben's, at the branch. */
  async function givenMoved(world: World, currency = 'eur') {
    const processorAccount = { id: 'acct_branch', currency };
    const branch = { id: 'branch', name: 'Marlow & Sons, New Town', processorAccount };
    expect((await world.chairside.records.putBusiness(branch)).isOk()).toBe(true);
    const id = await givenAppointment(world);
    const presented = await givenPresented(world, { appointmentId: id });
    await givenAppointment(world, { id, barber: 'ben', business: 'branch' });
    return { id, ...presented };
  }

  it('shows its payments to the barber who opened them, and to no other', async (world) => {
    const { payment: opened } = await givenMoved(world);
    const read = (as: 'ada' | 'ben') => world.send('getContactlessPayment', as, { id: opened.id });
    expect(payment(await read('ada'), 200).id).toBe(opened.id);
    const refused = await read('ben');
    problem(refused, 'forbidden');
    expect(refused.text).not.toContain(opened.clientSecret);
  });

  it('captures its payments only for the barber who opened them', async (world) => {
    const { payment: opened, reference } = await givenMoved(world);
    problem(await capture(world, opened.id, reference, { as: 'ben' }), 'forbidden');
    expect(world.processor.count('capturePayment').made).toBe(0);
    payment(await capture(world, opened.id, reference), 200);
  });

  it('captures no payment in another currency than the present business has (D39)', async (world) => {
    const { payment: opened, reference } = await givenMoved(world, 'usd');
    const refused = problem(await capture(world, opened.id, reference), 'conflict');
    expect(reason(refused)).toBe('currencyChanged');
    expect(world.processor.bookEntry(reference)?.status).toBe('canceled');
  });

  it('lists the payments of the present business, and opens new ones at its account', async (world) => {
    const { id } = await givenMoved(world);
    const list = async () => payments(await world.send('listContactlessPayments', 'ben', { id }));
    expect(await list()).toEqual({ items: [], count: 0 });
    const own = payment(await create(world, id, { as: 'ben', amount: '5.00' }), 201);
    expect(await list()).toMatchObject({ items: [{ id: own.id }], count: 1 });
    expect((await stored(world, own.id)).account).toBe('acct_branch');
    await givenAppointment(world, { id, barber: 'ben' });
    expect(await list()).toMatchObject({ count: 1 });
    expect((await list()).items[0]?.id).not.toBe(own.id);
  });

  it('is managed by the business of the payment, not by the present one', async (world) => {
    const { payment: opened } = await givenMoved(world);
    const input = { contactlessPaymentId: opened.id };
    for (const caller of [{ subject: 'user-branch', businessIds: ['branch'] }, people.ben]) {
      const refused = await world.chairside.cancelContactlessPayment(caller, input);
      expect(refused._unsafeUnwrapErr()).toMatchObject({
        type: 'forbidden',
        detail: expect.stringContaining('an administrator'),
      });
    }
    const canceled = await world.chairside.cancelContactlessPayment(people.owner, input);
    expect(canceled._unsafeUnwrap().state).toBe('canceled');
  });
});

type Appointments = Store['appointments'];

describe('if the appointment of a payment cannot be read', () => {
  const gone: Appointments['get'] = () => okAsync(undefined);
  const failing: Appointments['get'] = () =>
    errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' });

  it.for([
    ['it is gone', gone, 'forbidden'],
    ['the store fails', failing, 'serviceUnavailable'],
  ] as const)('because %s, the barber who opened it has access', async ([_, missing, type]) => {
    const clock = createManualClock();
    const store = createMapStore();
    let isThere = true;
    const appointments: Appointments = {
      get: (id) => (isThere ? okAsync(anAppointment({ id, businessId: 'shop' })) : missing(id)),
    };
    const chairside = createChairside({
      store: { ...store, appointments },
      processor: createFakeProcessor({ clock }),
      clock,
    });
    const account = { id: 'acct_shop', currency: 'eur' };
    const shop = { id: 'shop', name: 'Marlow & Sons', processorAccount: account };
    expect((await chairside.records.putBusiness(shop)).isOk()).toBe(true);
    const { barber } = anAppointment({ id: 'haircut', businessId: 'shop' });
    const opener = { ...people.ada, barberId: barber.id };
    const opened = await chairside.createContactlessPayment(opener, {
      appointmentId: 'haircut',
      idempotencyKey: 'key',
    });
    isThere = false;

    const input = { contactlessPaymentId: opened._unsafeUnwrap().id };
    const read = (caller: typeof opener) => chairside.getContactlessPayment(caller, input);
    expect((await read(opener)).isOk()).toBe(true);
    const other = { ...opener, barberId: 'somebody else' };
    expect((await read(other))._unsafeUnwrapErr().type).toBe(type);
  });
});
