import { createChairside, hourMs, minuteMs, okAsync, ResultAsync } from '@chairside/core';
import type { Processor, Store, Work } from '@chairside/core/ports';
import { describe, expect } from 'vitest';
import { payment, payments, problem, reason, terminal } from '../src/answer.ts';
import { charge, givenBooking } from '../src/charges.ts';
import { ada, captureInput, host, withBooks, withProcessor } from '../src/elsewhere.ts';
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
  register,
  stored,
  until,
} from '../src/shop.ts';
import { delivered } from '../src/told.ts';
import { describeEverywhere, describeWithEveryProcessor, type World } from '../src/world.ts';

describeWithEveryProcessor('createContactlessPayment', ({ it }) => {
  it('opens a payment of the full amount due', async (world) => {
    const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
    const opened = payment(await create(world, appointmentId), 201);
    expect(opened).toMatchObject({
      amount: '45.00',
      state: 'created',
      appointment: {
        id: appointmentId,
        occursOn: '2026-11-02T10:00:00.000Z',
        timeZone: 'Europe/Berlin',
        barber: { id: 'ada', givenName: 'Ada', surname: 'Marlow' },
        location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
      },
      createdAt: '2026-11-02T09:00:00.000Z',
      updatedAt: '2026-11-02T09:00:00.000Z',
      expiresAt: '2026-11-02T09:15:00.000Z',
    });
    expect(opened.id).toMatch(/^cpm_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(opened.externalPaymentReference).toBeUndefined();
    expect(opened).not.toHaveProperty('tip');
    expect(await world.processor.entries()).toMatchObject([
      { paymentId: opened.id, amount: '45.00', status: 'created', account: 'acct_shop' },
    ]);
  });

  it('opens a payment of the requested amount', async (world) => {
    const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
    expect(payment(await create(world, appointmentId, { amount: '20.50' }), 201).amount).toBe(
      '20.50',
    );
  });

  it('opens the remainder after a capture, and is rejected once all is paid', async (world) => {
    const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
    await givenCaptured(world, { appointmentId, amount: '30.00' });
    const { payment: rest } = await givenCaptured(world, { appointmentId });
    expect(rest.amount).toBe('15.00');
    const refused = problem(await create(world, appointmentId), 'appointmentAlreadyPaid');
    expect(refused).toMatchObject({
      status: 409,
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
    expect(reason(refused)).toBeUndefined();
  });

  it('does not subtract open payments from the amount due', async (world) => {
    const appointmentId = await givenAppointment(world);
    await givenPayment(world, { appointmentId });
    expect(payment(await create(world, appointmentId), 201).amount).toBe('45.00');
  });

  describe('the same key', () => {
    it('is the same payment, byte for byte, also after later changes (D21)', async (world) => {
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      const first = await create(world, appointmentId, { key });
      const opened = payment(first, 201);
      const again = await create(world, appointmentId, { key });
      expect(first.replayed).toBe(false);
      expect(again).toEqual({ ...first, replayed: true });

      await present(world, opened);
      world.clock.advance(20 * minuteMs);
      expect((await world.chairside.reconcile()).isOk()).toBe(true);
      expect((await stored(world, opened.id)).state).toBe('authorized');
      expect((await create(world, appointmentId, { key })).text).toBe(first.text);
      expect(await world.processor.entries()).toHaveLength(1);
    });

    it('is one payment for a hundred concurrent requests; the others must retry (D19)', async (world) => {
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => create(world, appointmentId, { key })),
      );
      const texts = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text));
      expect(texts.size).toBe(1);
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        expect(problem(answer, 'conflict').recovery).toEqual({
          outcome: 'unknown',
          retry: 'retrySameRequestAfterDelay',
        });
        expect(answer.retryAfter).toBe(2);
      }
      expect(texts).toContain((await create(world, appointmentId, { key })).text);
      expect(await world.processor.entries()).toHaveLength(1);
      expect(await ledgerOf(world, appointmentId)).toMatchObject({ openPayments: 1 });
    });

    it('is rejected for another amount, another appointment and an explicit amount (D19)', async (world) => {
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      await create(world, appointmentId, { key });
      const other = await givenAppointment(world);
      for (const refused of [
        await create(world, appointmentId, { key, amount: '45.00' }),
        await create(world, other, { key }),
      ]) {
        expect(problem(refused, 'unprocessableEntity')).toMatchObject({
          status: 422,
          attributes: { pointer: 'header/Idempotency-Key' },
        });
      }
    });

    it('is independent for another person (D19)', async (world) => {
      const mine = await givenAppointment(world);
      const bens = await givenAppointment(world, { barber: 'ben' });
      const key = fresh('key');
      const first = payment(await create(world, mine, { key }), 201);
      const second = payment(await create(world, bens, { key, as: 'ben' }), 201);
      expect(second.id).not.toBe(first.id);
    });

    it('is trimmed, and an empty body equals none', async (world) => {
      const id = await givenAppointment(world);
      const first = await world.send('createContactlessPayment', 'ada', { id, key: 'a b' });
      const again = await world.send('createContactlessPayment', 'ada', {
        id,
        key: '  a b ',
        body: {},
      });
      expect(again.text).toBe(first.text);
    });

    it('replays a rejection that the request alone has caused (D21)', async (world) => {
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      const first = await create(world, appointmentId, { key, amount: '0.00' });
      problem(first, 'unprocessableEntity');
      world.clock.advance(minuteMs);
      expect(await create(world, appointmentId, { key, amount: '0.00' })).toEqual({
        ...first,
        replayed: true,
      });
    });

    it('is evaluated again after a rejection that may pass (D21)', async (world) => {
      const appointmentId = await givenAppointment(world, { amountDue: '0.00' });
      const key = fresh('key');
      problem(await create(world, appointmentId, { key }), 'appointmentAlreadyPaid');
      await givenAppointment(world, { id: appointmentId, amountDue: '10.00' });
      expect(payment(await create(world, appointmentId, { key }), 201).amount).toBe('10.00');
    });
  });

  describe('rejects', () => {
    it('an amount that is zero, negative or too long, with its place (D2)', async (world) => {
      const appointmentId = await givenAppointment(world);
      for (const [amount, detail] of [
        ['0.00', 'above zero'],
        ['-0.00', 'above zero'],
        ['-5.00', 'above zero'],
        ['12345678901234.00', '15 digits'],
        ['45.01', ''],
      ] as const) {
        const refused = await create(world, appointmentId, { amount });
        expect(problem(refused, 'unprocessableEntity')).toMatchObject({
          detail: expect.stringContaining(detail),
          attributes: { pointer: '/amount' },
          recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
        });
      }
      expect(await world.processor.entries()).toEqual([]);
    });

    it('a malformed request, with every fault and its place (D12)', async (world) => {
      const id = await givenAppointment(world);
      const refused = problem(
        await world.send('createContactlessPayment', 'ada', {
          id,
          key: ' ',
          body: { amount: '5', tip: '1.00' },
        }),
        'badRequest',
      );
      expect(refused.problems?.map((one) => one.attributes)).toEqual([
        { pointer: 'header/Idempotency-Key' },
        { pointer: '/amount' },
        { pointer: '/tip' },
      ]);
      for (const amount of [45, null, '045.00', '45,00', '45.0', '+1.00', '1e3', '']) {
        const answer = await world.send('createContactlessPayment', 'ada', {
          id,
          key: fresh('key'),
          body: { amount },
        });
        problem(answer, 'badRequest');
      }
      for (const body of [[], 'amount', 5, null]) {
        problem(
          await world.send('createContactlessPayment', 'ada', { id, key: fresh('key'), body }),
          'badRequest',
        );
      }
      for (const key of [undefined, '', 'k'.repeat(256)]) {
        const request = { id, ...(key !== undefined && { key }) };
        problem(await world.send('createContactlessPayment', 'ada', request), 'badRequest');
      }
    });

    it('an unknown appointment with any id (D1)', async (world) => {
      for (const id of ['nowhere', 'é', 'x'.repeat(256), 'a\u0001b', '%']) {
        problem(await create(world, id), 'notFound');
      }
    });

    it('a business without a processor account, here or at the processor (D14)', async (world) => {
      const appointmentId = await givenAppointment(world, { barber: 'cleo', business: 'newShop' });
      problem(await create(world, appointmentId, { as: 'cleo' }), 'paymentProviderNotSetup');

      const mine = await givenAppointment(world);
      const key = fresh('key');
      await world.processor.disableAccount('acct_shop');
      expect(
        problem(await create(world, mine, { key }), 'paymentProviderNotSetup').recovery,
      ).toEqual({ outcome: 'notApplied', retry: 'doNotRetry' });
      await world.processor.enableAccount('acct_shop');
      payment(await create(world, mine, { key }), 201);
      expect(await ledgerOf(world, mine)).toMatchObject({ openPayments: 1 });
    });

    it('a payment that the processor rejects, and keeps no record of it', async (world) => {
      const appointmentId = await givenAppointment(world);
      world.processor.failNext('openPayment', 'rejected');
      problem(await create(world, appointmentId), 'unprocessableEntity');
      expect(
        payments(await world.send('listContactlessPayments', 'ada', { id: appointmentId })),
      ).toEqual({ items: [], count: 0 });
      expect(await ledgerOf(world, appointmentId)).toMatchObject({ openPayments: 0 });
    });

    it('a fifty-first open payment, until another is canceled (D13)', async (world) => {
      const appointmentId = await givenAppointment(world);
      const answers = await Promise.all(
        Array.from({ length: 55 }, () => create(world, appointmentId)),
      );
      const opened = answers.filter(({ status }) => status === 201);
      expect(opened).toHaveLength(50);
      const refused = answers.find(({ status }) => status === 409);
      if (refused === undefined) throw new Error('none was refused');
      expect(reason(problem(refused, 'conflict'))).toBe('tooManyOpenPayments');

      const [first] = opened;
      if (first === undefined) throw new Error('none was opened');
      const canceled = await world.chairside.cancelContactlessPayment(
        { subject: 'user-ada', barberId: 'ada' },
        { contactlessPaymentId: payment(first, 201).id },
      );
      expect(canceled.isOk()).toBe(true);
      payment(await create(world, appointmentId), 201);
    });
  });
});

const unknown = { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' };

/** Ends the processor's lease, so that its holder counts as dead. */
const pastAnyLeaseMs = minuteMs;

describeEverywhere('the requests to the processor', ({ it }) => {
  it('have no member without a value', async (world) => {
    const requests: object[] = [];
    const node = withProcessor(world, {
      openPayment(request) {
        requests.push(request);
        return world.processor.openPayment(request);
      },
      createConnectionToken(request) {
        requests.push(request);
        return world.processor.createConnectionToken(request);
      },
    });
    const processorAccount = { id: 'acct_shop', currency: 'eur' };
    const shop = { id: 'shop', name: 'Shop', processorAccount };
    (await node.records.putBusiness(shop))._unsafeUnwrap();
    const appointmentId = await givenAppointment(world);
    const asked = { appointmentId, idempotencyKey: fresh('create') };
    (await node.createContactlessPayment(ada, asked))._unsafeUnwrap();
    const { id: terminalId } = terminal(await register(world), 201);
    (await node.createTerminalConnectionToken(people.ada, { terminalId }))._unsafeUnwrap();
    expect(requests).toHaveLength(2);
    expect(requests.flatMap((request) => Object.values(request))).not.toContain(undefined);
  });
});

describeEverywhere('an interrupted create', ({ it }) => {
  for (const lost of ['timeoutAfterApplying', 'lostReply', 'failureAfterApplying'] as const) {
    it(`returns the processor’s entry: ${lost}`, async (world) => {
      const appointmentId = await givenAppointment(world);
      world.processor.failNext('openPayment', lost);
      payment(await create(world, appointmentId), 201);
      expect(world.processor.entries()).toHaveLength(1);
    });
  }

  for (const lost of ['timeoutBeforeApplying', 'landsLater', 'failure'] as const) {
    it(`is unknown if the processor shows no entry, and the retry opens it once: ${lost}`, async (world) => {
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      world.processor.failNext('openPayment', lost);
      const first = await create(world, appointmentId, { key });
      expect(problem(first, 'serviceUnavailable').recovery).toEqual(unknown);
      world.processor.landAbandoned();
      const opened = payment(await create(world, appointmentId, { key }), 201);
      expect(world.processor.entries()).toHaveLength(1);
      const reference = await present(world, opened);
      payment(await capture(world, opened.id, reference), 200);
    });
  }

  it('names the reason if the processor rejects it', async (world) => {
    world.processor.failNext('openPayment', 'rejected');
    const refused = await create(world, await givenAppointment(world));
    const { attributes } = problem(refused, 'unprocessableEntity');
    expect(attributes).toEqual({ reason: expect.any(String) });
  });

  it('says "not applied" if it is proven, and then keeps no record (D20)', async (world) => {
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    for (const fault of ['refused', 'rateLimited'] as const) {
      world.processor.failNext('openPayment', fault);
      const refused = await create(world, appointmentId, { key });
      expect(problem(refused, 'serviceUnavailable').recovery).toEqual({
        outcome: 'notApplied',
        retry: 'retrySameRequestAfterDelay',
      });
    }
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ openPayments: 0 });
    payment(await create(world, appointmentId, { key, amount: '5.00' }), 201);
  });

  it('never says it of a later attempt, because an earlier one may have been applied', async (world) => {
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    world.processor.failNext('openPayment', 'lostReply');
    world.processor.failNext('readPayment', 'refused', 2);
    problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
    for (const fault of ['refused', 'rateLimited', 'notSetUp'] as const) {
      world.processor.failNext('openPayment', fault);
      if (fault === 'notSetUp') world.processor.failNext('readPayment', 'refused');
      const again = await create(world, appointmentId, { key });
      if (again.status === 503) {
        expect(problem(again, 'serviceUnavailable').recovery).toEqual(unknown);
      } else payment(again, 201);
    }
    payment(await create(world, appointmentId, { key }), 201);
    expect(world.processor.entries()).toHaveLength(1);
  });

  it('that the processor rejects on the retry is adopted if it had been opened', async (world) => {
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    world.processor.failNext('openPayment', 'lostReply');
    world.processor.failNext('readPayment', 'refused');
    problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
    world.processor.failNext('openPayment', 'notSetUp');
    payment(await create(world, appointmentId, { key }), 201);
  });

  it('that the processor rejects on the retry is withdrawn if it had not (D20)', async (world) => {
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    world.processor.failNext('openPayment', 'timeoutBeforeApplying');
    problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
    world.processor.failNext('openPayment', 'rejected');
    problem(await create(world, appointmentId, { key }), 'unprocessableEntity');
    expect(await ledgerOf(world, appointmentId)).toMatchObject({ openPayments: 0 });
  });

  it('of a dead process is finished by a retry, but not before the lease is over (D20)', async (world) => {
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    const dead = await diesWhileOpening(world, appointmentId, key, 'slowReply');
    expect(reason(problem(await create(world, appointmentId, { key }), 'conflict'))).toBe(
      'running',
    );
    world.clock.advance(pastAnyLeaseMs);
    const retried = await create(world, appointmentId, { key });
    payment(retried, 201);
    world.processor.release();
    // The first one continues, finds itself fenced out, and returns the same response.
    expect((await dead.answer).text).toBe(retried.text);
    expect(world.processor.entries()).toHaveLength(1);
  });

  it('of a dead process is finished by reconcile', async (world) => {
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    const dead = await diesWhileOpening(world, appointmentId, key, 'slowReply');
    world.clock.advance(pastAnyLeaseMs);
    const report = await world.chairside.reconcile();
    expect(report._unsafeUnwrap()).toMatchObject({ looked: 1, unsettled: 0 });
    world.processor.release();
    const listed = await world.send('listContactlessPayments', 'ada', { id: appointmentId });
    const [shown] = payments(listed).items;
    const answer = await create(world, appointmentId, { key });
    expect(payment(answer, 201)).toEqual(shown);
    expect((await dead.answer).text).toBe(answer.text);
  });

  describe('resumed after its fifteen minutes', () => {
    it('returns the first response if it was opened', async (world) => {
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      world.processor.failNext('openPayment', 'lostReply');
      world.processor.failNext('readPayment', 'refused');
      problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
      world.clock.advance(20 * minuteMs);
      const opened = payment(await create(world, appointmentId, { key }), 201);
      expect(opened.expiresAt).toBe('2026-11-02T09:15:00.000Z');
    });

    it('is never newly opened (D20)', async (world) => {
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      world.processor.failNext('openPayment', 'timeoutBeforeApplying');
      problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
      world.clock.advance(15 * minuteMs);
      for (const _attempt of [1, 2]) {
        const closed = problem(await create(world, appointmentId, { key }), 'conflict');
        expect(closed).toMatchObject({
          attributes: { reason: 'expired' },
          recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
        });
      }
      expect(world.processor.entries()).toEqual([]);
      expect(await ledgerOf(world, appointmentId)).toMatchObject({ openPayments: 0 });
      const [closed] = (
        await world.store.payments.listByAppointment(appointmentId, 9)
      )._unsafeUnwrap();
      expect(closed?.timeline.at(-1)).toMatchObject({ what: 'closed', cause: 'expired' });
      expect(await delivered(world)).toEqual([]);
      payment(await create(world, appointmentId), 201);
      // Its key stays closed as long as any key.
      world.clock.advance(72 * hourMs - 1);
      (await world.chairside.reconcile())._unsafeUnwrap();
      problem(await create(world, appointmentId, { key }), 'conflict');
      world.clock.advance(1);
      (await world.chairside.reconcile())._unsafeUnwrap();
      payment(await create(world, appointmentId, { key }), 201);
    });

    it('stays unknown while the processor cannot be read', async (world) => {
      const appointmentId = await givenAppointment(world);
      const key = fresh('key');
      world.processor.failNext('openPayment', 'timeoutBeforeApplying');
      problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
      world.clock.advance(15 * minuteMs);
      world.processor.failNext('readPayment', 'refused');
      const again = problem(await create(world, appointmentId, { key }), 'serviceUnavailable');
      expect(again.recovery).toEqual(unknown);
    });
  });
});

/** Begins a create whose call to the processor hangs, as if its process had died. */
async function diesWhileOpening(
  world: World,
  appointmentId: string,
  key: string,
  how: 'slow' | 'slowReply',
) {
  world.processor.failNext('openPayment', how);
  const dead = create(world, appointmentId, { key });
  await until(() => world.processor.count('openPayment').made === 1);
  return { answer: dead };
}

describeEverywhere('the other payments of an appointment that is paid', ({ it, makeWorld }) => {
  /** Pays all that is due. */
  async function pay(world: World, appointmentId: string): Promise<void> {
    const { payment: opened, reference } = await givenPresented(world, { appointmentId });
    payment(await capture(world, opened.id, reference), 200);
    await world.chairside.settled();
  }

  /** Another call writes the payment. */
  async function write({ store, clock }: World, id: string, work?: Work): Promise<void> {
    const { version, ...payment } = await stored({ store }, id);
    const nextCheckAt = work?.leaseUntil ?? clock.now();
    const written = { ...payment, version: version + 1, nextCheckAt, ...(work && { work }) };
    const change = { kind: 'updatePayment', payment: written, expectedVersion: version } as const;
    const commit = { id: fresh('cmt'), at: clock.now(), changes: [change] };
    (await store.commit(commit))._unsafeUnwrap();
  }

  it('are canceled, except one that was never opened', async (world) => {
    const appointmentId = await givenAppointment(world);
    world.processor.failNext('openPayment', 'timeoutBeforeApplying');
    problem(await create(world, appointmentId, { key: 'unopened' }), 'serviceUnavailable');
    const open = await givenPayment(world, { appointmentId });
    await pay(world, appointmentId);
    expect(await stored(world, open.id)).toMatchObject({ state: 'canceled' });
    const all = await world.store.payments.listByAppointment(appointmentId, 9);
    const works = all._unsafeUnwrap().map(({ work }) => work?.kind);
    expect(works.toSorted()).toEqual(['open', undefined, undefined]);
    expect(world.processor.count('cancelPayment').made).toBe(1);
  });

  it('are canceled although another call holds one of them', async (world) => {
    const appointmentId = await givenAppointment(world);
    const held = await givenPayment(world, { appointmentId });
    const open = await givenPayment(world, { appointmentId });
    const leaseUntil = world.clock.now() + minuteMs;
    await write(world, held.id, { kind: 'cancel', fence: 9, attempt: 1, leaseUntil });
    await pay(world, appointmentId);
    expect(await stored(world, held.id)).toMatchObject({ state: 'created' });
    expect(await stored(world, open.id)).toMatchObject({ state: 'canceled' });
  });

  it('are canceled although another call writes one of them meanwhile', async () => {
    let meanwhile = async () => {};
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        payments: {
          ...real.payments,
          listByAppointment: (id, limit) =>
            real.payments
              .listByAppointment(id, limit)
              .andThen((listed) => ResultAsync.fromSafePromise(meanwhile()).map(() => listed)),
        },
      }),
    });
    const appointmentId = await givenAppointment(world);
    const written = await givenPayment(world, { appointmentId });
    const open = await givenPayment(world, { appointmentId });
    meanwhile = () => write(world, written.id);
    await pay(world, appointmentId);
    expect(await stored(world, written.id)).toMatchObject({ state: 'canceled' });
    expect(await stored(world, open.id)).toMatchObject({ state: 'canceled' });
  });

  it('are left to upkeep after the first that cannot be canceled', async (world) => {
    const appointmentId = await givenAppointment(world);
    for (let made = 0; made < 2; made += 1) await givenPayment(world, { appointmentId });
    world.processor.failNext('cancelPayment', 'timeoutBeforeApplying', 2);
    await pay(world, appointmentId);
    expect(world.processor.count('cancelPayment').made).toBe(1);
  });

  it.for([
    ['authorizeMethod', 'created', 'open'],
    ['capturePayment', 'authorized', 'capture'],
  ] as const)(
    'are kept if they are fees for a missed visit (D49): %s',
    async ([call, state, kind], world) => {
      const terms = { noShowFeeMinor: 1500n, isMissed: true };
      const { appointmentId, method } = await givenBooking(world, terms);
      world.processor.failNext(call, 'timeoutBeforeApplying');
      const asked = { purpose: 'noShow', amount: '15.00', key: 'fee' } as const;
      problem(await charge(world, appointmentId, method, asked), 'serviceUnavailable');
      const open = await givenPayment(world, { appointmentId });
      await pay(world, appointmentId);
      expect(await stored(world, open.id)).toMatchObject({ state: 'canceled' });
      const all = await world.store.payments.listByAppointment(appointmentId, 9);
      const fee = all._unsafeUnwrap().find((one) => one.charge !== undefined);
      expect(fee).toMatchObject({ state, work: { kind } });
      expect(fee?.timeline.at(-1)).toMatchObject({ what: `${kind} unknown` });
    },
  );

  it('are kept without a failure if the appointment is gone', async () => {
    let isGone = false;
    const forgetting = (real: Store): Store => ({
      ...real,
      appointments: {
        ...real.appointments,
        get: (id) => (isGone ? okAsync(undefined) : real.appointments.get(id)),
      },
    });
    const world = await makeWorld({
      store: forgetting,
      processor: {
        faults({ name }) {
          isGone ||= name === 'capturePayment';
          return undefined;
        },
      },
    });
    const appointmentId = await givenAppointment(world);
    const open = await givenPayment(world, { appointmentId });
    await pay(world, appointmentId);
    expect(await stored(world, open.id)).toMatchObject({ state: 'created' });
    expect(world.observations.filter(({ kind }) => kind === 'failure')).toEqual([]);
  });
});

const account = { id: 'acct_shop', currency: 'eur' };

function putFee(
  { chairside }: World,
  applicationFee: { fixedMinor?: bigint; currency?: string; basisPoints?: number },
) {
  return chairside.records.putBusiness({
    id: 'shop',
    name: 'Marlow & Sons',
    processorAccount: account,
    applicationFee,
  });
}

const fees = ({ processor }: World) => processor.entries().map((entry) => entry.applicationFee);

describeEverywhere('a fee of the platform (D46)', ({ it }) => {
  it('is frozen when the payment is opened', async (world) => {
    expect((await putFee(world, { basisPoints: 290 })).isOk()).toBe(true);
    world.processor.failNext('openPayment', 'timeoutBeforeApplying');
    const appointmentId = await givenAppointment(world);
    await create(world, appointmentId, { key: 'k' });
    expect((await putFee(world, { basisPoints: 1000 })).isOk()).toBe(true);
    const opened = await givenPayment(world, { appointmentId, key: 'k' });
    expect((await stored(world, opened.id)).applicationFeeMinor).toBe(131n);
    expect(fees(world)).toEqual(['1.31']);
  });

  it('of zero is not sent', async (world) => {
    expect((await putFee(world, { basisPoints: 0 })).isOk()).toBe(true);
    const opened = await givenPayment(world);
    expect(await stored(world, opened.id)).not.toHaveProperty('applicationFeeMinor');
    expect(fees(world)).toEqual([undefined]);
  });

  it('in another currency is refused, and so is one that makes no sense', async (world) => {
    const other = await putFee(world, { fixedMinor: 30n, currency: 'usd' });
    expect(other._unsafeUnwrapErr().status).toBe(422);
    expect((await putFee(world, { fixedMinor: 30n }))._unsafeUnwrapErr().status).toBe(422);
    for (const fee of [{ fixedMinor: -1n, currency: 'eur' }, { basisPoints: 10_001 }]) {
      expect((await putFee(world, fee))._unsafeUnwrapErr().status).toBe(400);
    }
    const { store, clock } = world;
    const business = {
      id: 'shop',
      name: 'Marlow & Sons',
      processorAccount: account,
      applicationFee: { fixedMinor: 30n, currency: 'usd' },
    };
    const changes = [{ kind: 'putBusiness', business }] as const;
    const written = await store.commit({ id: 'cmt_other', at: clock.now(), changes });
    expect(written.isOk()).toBe(true);
    const refused = await create(world, await givenAppointment(world));
    expect(problem(refused, 'unprocessableEntity').status).toBe(422);
    expect(fees(world)).toEqual([]);
  });

  it.for([
    ['stays with the platform by default', 290, undefined, [false, true]],
    ['is returned if the business wants it', 290, [true, true], [true, true]],
    ['is not returned if the payment has none', 0, [true, true], [false, true]],
    ['stays with the platform if the business is gone', 290, 'gone', [false, true]],
  ] as const)(
    '%s, when the payment is refunded',
    async ([_, basisPoints, policy, asked], world) => {
      expect((await putFee(world, { basisPoints })).isOk()).toBe(true);
      const { payment } = await givenCaptured(world);
      if (Array.isArray(policy)) {
        const [returnsFee, reversesTransfer] = policy;
        const refundPolicy = { returnsFee, reversesTransfer };
        const business = { id: 'shop', name: 'Marlow & Sons', processorAccount: account };
        const put = await world.chairside.records.putBusiness({ ...business, refundPolicy });
        expect(put.isOk()).toBe(true);
      }
      const sent: unknown[] = [];
      const { refunds } = world.processor;
      const processor: Processor = {
        ...world.processor,
        refunds: {
          ...refunds,
          refund(request) {
            sent.push([request.returnsFee, request.reversesTransfer]);
            return refunds.refund(request);
          },
        },
      };
      const { clock, store: real } = world;
      const store: Store =
        policy === 'gone'
          ? { ...real, businesses: { ...real.businesses, get: () => okAsync(undefined) } }
          : real;
      const node = createChairside({ store, processor, clock });
      const input = { contactlessPaymentId: payment.id, idempotencyKey: fresh('key'), body: {} };
      expect((await node.refundPayment(host, input)).isOk()).toBe(true);
      expect(sent).toEqual([asked]);
    },
  );

  it('is not returned by a business that takes no transfer back, which the processor refuses', async (world) => {
    const business = { id: 'shop', name: 'Marlow & Sons', processorAccount: account };
    const refundPolicy = { returnsFee: true, reversesTransfer: false };
    const put = await world.chairside.records.putBusiness({ ...business, refundPolicy });
    expect(put._unsafeUnwrapErr()).toMatchObject({
      status: 422,
      detail: expect.stringContaining('reversesTransfer'),
      attributes: { pointer: '/refundPolicy/returnsFee' },
    });
  });

  it('is not captured where the processor shows another fee', async (world) => {
    expect((await putFee(world, { basisPoints: 290 })).isOk()).toBe(true);
    const { payment, reference } = await givenPresented(world);
    const other = withBooks(world, (seen) => ({ ...seen, applicationFeeMinor: 0n }));
    const refused = await other.captureContactlessPayment(ada, captureInput(payment.id, reference));
    expect(refused._unsafeUnwrapErr().attributes).toMatchObject({ reason: 'differsAtProcessor' });
    expect(world.processor.bookEntry(reference)?.status).toBe('canceled');
  });
});
