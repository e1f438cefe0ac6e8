import { minuteMs } from '@chairside/core';
import { describe, expect, it } from 'vitest';
import { payment, payments, problem, reason } from '../src/answer.ts';
import {
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  ledgerOf,
  present,
  stored,
} from '../src/shop.ts';
import { describeWithEveryProcessor } from '../src/world.ts';

describeWithEveryProcessor('createContactlessPayment', (makeWorld) => {
  it('opens a payment of the full amount due', async () => {
    const world = await makeWorld();
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
    expect(await world.processor.entries()).toMatchObject([
      { paymentId: opened.id, amount: '45.00', status: 'created', account: 'acct_shop' },
    ]);
  });

  it('opens a payment of the requested amount', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
    expect(payment(await create(world, appointmentId, { amount: '20.50' }), 201).amount).toBe(
      '20.50',
    );
  });

  it('opens the remainder after a capture, and is rejected once all is paid', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
    await givenCaptured(world, { appointmentId, amount: '30.00' });
    const { payment: rest } = await givenCaptured(world, { appointmentId });
    expect(rest.amount).toBe('15.00');
    const refused = problem(await create(world, appointmentId), 'appointmentAlreadyPaid');
    expect(refused).toMatchObject({
      status: 409,
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
  });

  it('does not subtract open payments from the amount due', async () => {
    const world = await makeWorld();
    const appointmentId = await givenAppointment(world);
    await givenPayment(world, { appointmentId });
    expect(payment(await create(world, appointmentId), 201).amount).toBe('45.00');
  });

  describe('the same key', () => {
    it('is the same payment, byte for byte, also after later changes (D21)', async () => {
      const world = await makeWorld();
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

    it('is one payment for a hundred concurrent requests; the others must retry (D19)', async () => {
      const world = await makeWorld();
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

    it('is rejected for another amount, another appointment and an explicit amount (D19)', async () => {
      const world = await makeWorld();
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

    it('is independent for another person (D19)', async () => {
      const world = await makeWorld();
      const mine = await givenAppointment(world);
      const bens = await givenAppointment(world, { barber: 'ben' });
      const key = fresh('key');
      const first = payment(await create(world, mine, { key }), 201);
      const second = payment(await create(world, bens, { key, as: 'ben' }), 201);
      expect(second.id).not.toBe(first.id);
    });

    it('is trimmed, and an empty body equals none', async () => {
      const world = await makeWorld();
      const id = await givenAppointment(world);
      const first = await world.send('createContactlessPayment', 'ada', { id, key: 'a b' });
      const again = await world.send('createContactlessPayment', 'ada', {
        id,
        key: '  a b ',
        body: {},
      });
      expect(again.text).toBe(first.text);
    });

    it('replays a rejection that the request alone has caused (D21)', async () => {
      const world = await makeWorld();
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

    it('is evaluated again after a rejection that may pass (D21)', async () => {
      const world = await makeWorld();
      const appointmentId = await givenAppointment(world, { amountDue: '0.00' });
      const key = fresh('key');
      problem(await create(world, appointmentId, { key }), 'appointmentAlreadyPaid');
      await givenAppointment(world, { id: appointmentId, amountDue: '10.00' });
      expect(payment(await create(world, appointmentId, { key }), 201).amount).toBe('10.00');
    });
  });

  describe('rejects', () => {
    it('an amount that is zero, negative or too long, with its place (D2)', async () => {
      const world = await makeWorld();
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

    it('a malformed request, with every fault and its place (D12)', async () => {
      const world = await makeWorld();
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

    it('a missing or bad token, and everyone but the appointment’s barber', async () => {
      const world = await makeWorld();
      const id = await givenAppointment(world);
      const request = { id, key: fresh('key') };
      const send = (as: Parameters<typeof world.send>[1]) =>
        world.send('createContactlessPayment', as, request);
      expect(problem(await send('nobody'), 'unauthorized').recovery).toEqual({
        outcome: 'unknown',
        retry: 'retrySameRequest',
        sessionAction: 'signIn',
      });
      expect(problem(await send('badToken'), 'unauthorized').recovery).toMatchObject({
        sessionAction: 'refresh',
      });
      for (const other of ['ben', 'customer', 'owner', 'administrator'] as const) {
        problem(await send(other), 'forbidden');
      }
      expect(await world.processor.entries()).toEqual([]);
    });

    it('an unknown appointment with any id (D1)', async () => {
      const world = await makeWorld();
      for (const id of ['nowhere', 'é', 'x'.repeat(256), 'a\u0001b', '%']) {
        problem(await create(world, id), 'notFound');
      }
    });

    it('a business without a processor account, here or at the processor (D14)', async () => {
      const world = await makeWorld();
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

    it('a payment that the processor rejects, and keeps no record of it', async () => {
      const world = await makeWorld();
      const appointmentId = await givenAppointment(world);
      world.processor.failNext('openPayment', 'rejected');
      problem(await create(world, appointmentId), 'unprocessableEntity');
      expect(
        payments(await world.send('listContactlessPayments', 'ada', { id: appointmentId })),
      ).toEqual({ items: [], count: 0 });
      expect(await ledgerOf(world, appointmentId)).toMatchObject({ openPayments: 0 });
    });

    it('a fifty-first open payment, until another is canceled (D13)', async () => {
      const world = await makeWorld();
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

  it('reports too many requests, and the time of the retry', async () => {
    const world = await makeWorld({
      rateLimits: {
        reads: { limit: 300, windowMs: minuteMs },
        writes: { limit: 2, windowMs: minuteMs },
        connectionTokens: { limit: 30, windowMs: minuteMs },
        challengeMethods: { limit: 10, windowMs: minuteMs },
        challengeTargets: { limit: 5, windowMs: minuteMs },
        failedAuthentications: { limit: 30, windowMs: minuteMs },
      },
    });
    const appointmentId = await givenAppointment(world);
    const key = fresh('key');
    payment(await create(world, appointmentId, { key }), 201);
    world.clock.advance(1500);
    payment(await create(world, appointmentId, { key }), 201);
    const refused = await create(world, appointmentId, { key });
    expect(problem(refused, 'tooManyRequests').recovery).toEqual({
      outcome: 'unknown',
      retry: 'retrySameRequestAfterDelay',
      rateLimit: { limit: 2, remaining: 0, resetsAt: '2026-11-02T09:01:00.000Z' },
    });
    expect(refused.retryAfter).toBe(59);
    world.clock.advance(minuteMs);
    payment(await create(world, appointmentId, { key }), 201);
  });
});
