import { defaultRateLimits, errAsync, hourMs, minuteMs } from '@chairside/core';
import type { ProcessorPayment } from '@chairside/core/ports';
import { describe, expect } from 'vitest';
import { payment, problem, reason } from '../src/answer.ts';
import {
  ada,
  cancel,
  captureElsewhere,
  captureInput,
  deliverMessages,
  readingAs,
  withProcessor,
} from '../src/elsewhere.ts';
import {
  bookEntry,
  capture,
  capturesAt,
  create,
  fresh,
  givenAppointment,
  givenCaptured,
  givenPayment,
  givenPresented,
  ledgerOf,
  needsCard,
  present,
  stored,
  takenMinor,
  until,
} from '../src/shop.ts';
import {
  describeEverywhere,
  describeWithEveryProcessor,
  notYetKnown,
  type World,
} from '../src/world.ts';

const notApplied = { outcome: 'notApplied', retry: 'doNotRetry' };
const retryLater = { outcome: 'notApplied', retry: 'retrySameRequestAfterDelay' };
const unknown = { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' };

describeWithEveryProcessor(
  'captureContactlessPayment',
  ({ it, makeWorld, hasLateReferences: isLate }) => {
    it('captures an authorized payment, and the appointment is paid', async (world) => {
      const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
      const opened = await givenPayment(world, { appointmentId });
      world.clock.advance(20_000);
      const reference = await present(world, opened);
      world.clock.advance(1_000);
      const captured = payment(await capture(world, opened.id, reference), 200);
      const authorizedAt = Date.parse('2026-11-02T09:00:20.000Z');
      expect(captured).toEqual({
        ...opened,
        state: 'captured',
        externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' },
        card: expect.objectContaining({
          maskedPersonalAccountNumber: expect.stringMatching(/^\*\d{4}$/),
        }),
        authorizedAt: '2026-11-02T09:00:20.000Z',
        capturedAt: '2026-11-02T09:00:21.000Z',
        expiresAt: new Date(authorizedAt + world.processor.longestHoldMs).toISOString(),
        updatedAt: '2026-11-02T09:00:21.000Z',
      });
      expect(await bookEntry(world, reference)).toMatchObject({
        status: 'captured',
        amountCaptured: '45.00',
      });
      problem(await create(world, appointmentId), 'appointmentAlreadyPaid');
      expect(await ledgerOf(world, appointmentId)).toEqual({
        appointmentId,
        capturedMinor: 4500n,
        reservedMinor: 0n,
        openPayments: 0,
        currency: 'eur',
      });
    });

    it('shows the card, and the wallet that held it', async (world, { skip }) => {
      needsCard(world, 'apple_pay', skip);
      const { payment: opened, reference } = await givenPresented(world, { card: 'apple_pay' });
      expect(payment(await capture(world, opened.id, reference), 200).card).toEqual({
        maskedPersonalAccountNumber: '*4242',
        network: 'network_a',
        fundingType: 'credit',
        expirationMonth: '12',
        expirationYear: '2034',
        tokenizationMethod: 'wallet_method_a',
      });
    });

    describe('the same key', () => {
      it('returns the same response, byte for byte', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        const key = fresh('key');
        const first = await capture(world, opened.id, reference, { key });
        world.clock.advance(hourMs);
        expect(await capture(world, opened.id, reference, { key })).toEqual({
          ...first,
          replayed: true,
        });
        expect(world.processor.count('capturePayment').made).toBe(1);
      });

      it('captures once for a hundred concurrent requests; every 200 is the same', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        const key = fresh('key');
        const answers = await Promise.all(
          Array.from({ length: 100 }, () => capture(world, opened.id, reference, { key })),
        );
        const texts = new Set(
          answers.filter(({ status }) => status === 200).map(({ text }) => text),
        );
        expect(texts.size).toBe(1);
        for (const answer of answers.filter(({ status }) => status !== 200)) {
          expect(problem(answer, 'conflict').recovery).toEqual(unknown);
        }
        expect(texts).toContain((await capture(world, opened.id, reference, { key })).text);
        expect(await capturesAt(world)).toBe(1);
      });

      it('is rejected for another reference or another payment', async (world) => {
        const one = await givenPresented(world);
        const two = await givenPresented(world);
        const key = fresh('key');
        payment(await capture(world, one.payment.id, one.reference, { key }), 200);
        for (const refused of [
          await capture(world, one.payment.id, two.reference, { key }),
          await capture(world, two.payment.id, two.reference, { key }),
          await create(world, one.payment.appointment.id, { key }),
        ]) {
          expect(problem(refused, 'unprocessableEntity').attributes).toEqual({
            pointer: 'header/Idempotency-Key',
          });
        }
        expect((await stored(world, two.payment.id)).state).toBe('created');
      });

      it('captures another card after a decline', async (world) => {
        const opened = await givenPayment(world);
        const key = fresh('key');
        const reference = await present(world, opened, 'declined');
        expect(
          problem(await capture(world, opened.id, reference, { key }), 'contactlessPaymentDeclined')
            .recovery,
        ).toEqual(notApplied);
        expect((await stored(world, opened.id)).state).toBe('failed');
        await present(world, opened);
        expect(payment(await capture(world, opened.id, reference, { key }), 200).state).toBe(
          'captured',
        );
      });

      it('replays that the payment was canceled (D21)', async (world) => {
        const { payment: opened, reference } = await givenPresented(world, { card: 'canceled' });
        const key = fresh('key');
        const first = await capture(world, opened.id, reference, { key });
        expect(problem(first, 'contactlessPaymentCanceled').recovery).toEqual(notApplied);
        world.clock.advance(minuteMs);
        expect(await capture(world, opened.id, reference, { key })).toEqual({
          ...first,
          replayed: true,
        });
        expect((await stored(world, opened.id)).state).toBe('canceled');
      });
    });

    it('ties a key to the captured payment of its response', async (world) => {
      const { payment: captured, reference } = await givenCaptured(world);
      const key = fresh('key');
      payment(await capture(world, captured.id, reference, { key }), 200);
      const elsewhere = await create(world, await givenAppointment(world), { key });
      expect(problem(elsewhere, 'unprocessableEntity').attributes).toEqual({
        pointer: 'header/Idempotency-Key',
      });
    });

    it('returns 200 for a captured payment and its own reference under any key', async (world) => {
      const { payment: captured, reference } = await givenCaptured(world);
      const key = fresh('key');
      const again = await capture(world, captured.id, reference, { key });
      expect(payment(again, 200)).toEqual(captured);
      expect(await capture(world, captured.id, reference, { key })).toEqual({
        ...again,
        replayed: true,
      });
      problem(await capture(world, captured.id, 'fpi_other'), 'unprocessableEntity');
      await world.processor.disableAccount('acct_shop');
      payment(await capture(world, captured.id, reference), 200);
    });

    describe('is rejected', () => {
      it('before a card was presented, with a retry (D16)', async (world, { skip }) => {
        skip(isLate, notYetKnown);
        const opened = await givenPayment(world);
        const [{ id = '' } = {}] = await world.processor.entries();
        const key = fresh('key');
        const early = problem(await capture(world, opened.id, id, { key }), 'conflict');
        expect(early.recovery).toEqual(retryLater);
        expect(reason(early)).toBe('notProcessed');
        await present(world, opened);
        payment(await capture(world, opened.id, id, { key }), 200);
      });

      it('while the card is processed, with a retry', async (world, { skip }) => {
        needsCard(world, 'slow_to_approve', skip);
        const { payment: opened, reference } = await givenPresented(world, {
          card: 'slow_to_approve',
        });
        const key = fresh('key');
        const early = problem(await capture(world, opened.id, reference, { key }), 'conflict');
        expect(early.recovery).toEqual(retryLater);
        expect((await stored(world, opened.id)).state).toBe('processing');
        world.clock.advance(minuteMs);
        payment(await capture(world, opened.id, reference, { key }), 200);
      });

      it('with a reference of another payment, or an unknown one (D16)', async (world) => {
        const one = await givenPresented(world);
        const two = await givenPresented(world);
        for (const reference of [two.reference, 'fpi_none']) {
          expect(
            problem(await capture(world, one.payment.id, reference), 'unprocessableEntity'),
          ).toMatchObject({
            attributes: { pointer: '/externalPaymentReference/id' },
            recovery: notApplied,
          });
        }
        expect(world.processor.count('capturePayment').made).toBe(0);
      });

      it('with a wrong reference, also for a canceled payment', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        world.clock.advance(world.processor.longestHoldMs + hourMs);
        problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
        problem(await capture(world, opened.id, 'fpi_none'), 'unprocessableEntity');
        problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
      });

      it('for a partial authorization, which is released and counts as declined (D13)', async (world, {
        skip,
      }) => {
        needsCard(world, 'partially_authorized', skip);
        const { payment: opened, reference } = await givenPresented(world, {
          card: 'partially_authorized',
        });
        const refused = await capture(world, opened.id, reference);
        expect(problem(refused, 'contactlessPaymentDeclined').attributes).toEqual({
          reason: 'partiallyAuthorized',
          isReleased: true,
        });
        expect((await bookEntry(world, reference))?.status).toBe('canceled');
        const again = await capture(world, opened.id, reference);
        expect(reason(problem(again, 'contactlessPaymentCanceled'))).toBe('partiallyAuthorized');
        expect(await takenMinor(world)).toBe(0n);
      });

      it('for a malformed body', async (world) => {
        const { payment: opened } = await givenPresented(world);
        const good = { id: 'fpi_1', paymentProcessor: 'processor_a' };
        const cases = [
          [undefined, ''],
          [{}, '/externalPaymentReference'],
          [{ externalPaymentReference: { ...good, id: '' } }, '/externalPaymentReference/id'],
          [
            { externalPaymentReference: { ...good, id: '😀'.repeat(256) } },
            '/externalPaymentReference/id',
          ],
          [
            { externalPaymentReference: { ...good, id: 'a\u0000' } },
            '/externalPaymentReference/id',
          ],
          [
            { externalPaymentReference: { ...good, paymentProcessor: 'x' } },
            '/externalPaymentReference/paymentProcessor',
          ],
          [{ externalPaymentReference: good, 'a/b~': 1 }, '/a~1b~0'],
        ] as const;
        for (const [body, pointer] of cases) {
          const refused = await world.send('captureContactlessPayment', 'ada', {
            id: opened.id,
            key: fresh('key'),
            ...(body !== undefined && { body }),
          });
          expect(problem(refused, 'badRequest').problems).toMatchObject([
            { attributes: { pointer } },
          ]);
        }
        const longest = await capture(world, opened.id, '😀'.repeat(255));
        problem(longest, 'unprocessableEntity');
      });

      it('for a business whose processor account is no longer set up (D14)', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        const key = fresh('key');
        await world.processor.disableAccount('acct_shop');
        expect(
          problem(await capture(world, opened.id, reference, { key }), 'paymentProviderNotSetup')
            .recovery,
        ).toEqual(notApplied);
        await world.processor.enableAccount('acct_shop');
        world.processor.failNext('capturePayment', 'notSetUp');
        expect(
          problem(await capture(world, opened.id, reference, { key }), 'paymentProviderNotSetup')
            .recovery?.outcome,
        ).toBe('unknown');
        payment(await capture(world, opened.id, reference, { key }), 200);
      });

      it('for an appointment that the host has removed (D13)', async () => {
        const gone = { ids: new Set<string>() };
        const world = await makeWorld({
          store: (real) => ({
            ...real,
            appointments: {
              get: (id) =>
                real.appointments.get(id).map((found) => (gone.ids.has(id) ? undefined : found)),
            },
          }),
        });
        const { payment: opened, reference } = await givenPresented(world);
        gone.ids.add(opened.appointment.id);
        expect(reason(problem(await capture(world, opened.id, reference), 'conflict'))).toBe(
          'appointmentGone',
        );
      });
    });

    describe('an appointment is never charged more than it owes', () => {
      it('two payments race: one is captured, the other is released (D13)', async (world) => {
        const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
        const one = await givenPresented(world, { appointmentId });
        const two = await givenPresented(world, { appointmentId });
        const answers = await Promise.all([
          capture(world, one.payment.id, one.reference),
          capture(world, two.payment.id, two.reference),
        ]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
        await world.chairside.settled();
        expect(await takenMinor(world)).toBe(4500n);
        expect((await world.processor.entries()).map(({ status }) => status).sort()).toEqual([
          'canceled',
          'captured',
        ]);
        expect(await ledgerOf(world, appointmentId)).toMatchObject({
          capturedMinor: 4500n,
          reservedMinor: 0n,
          openPayments: 0,
        });
      });

      it('an amount that fits only without the reserved sum may be retried (D13)', async (world) => {
        const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
        const one = await givenPresented(world, { appointmentId });
        const two = await givenPresented(world, { appointmentId });
        world.processor.failNext('capturePayment', 'slow');
        const first = capture(world, one.payment.id, one.reference);
        await until(() => world.processor.count('capturePayment').made === 1);
        const refused = problem(await capture(world, two.payment.id, two.reference), 'conflict');
        expect(reason(refused)).toBe('reservedElsewhere');
        expect(refused.recovery).toEqual(retryLater);
        expect((await bookEntry(world, two.reference))?.status).toBe('authorized');
        world.processor.release();
        payment(await first, 200);
      });

      it('an amount that exceeds the rest after captures is released (D13)', async (world) => {
        const appointmentId = await givenAppointment(world, { amountDue: '45.00' });
        const one = await givenPresented(world, { appointmentId, amount: '30.00' });
        const two = await givenPresented(world, { appointmentId, amount: '20.00' });
        payment(await capture(world, one.payment.id, one.reference), 200);
        await world.chairside.settled();
        const refused = problem(await capture(world, two.payment.id, two.reference), 'conflict');
        expect(refused).toMatchObject({
          attributes: { reason: 'exceedsRemainingBalance' },
          recovery: notApplied,
        });
        expect((await bookEntry(world, two.reference))?.status).toBe('canceled');
        expect(await takenMinor(world)).toBe(3000n);
        const { payment: rest } = await givenCaptured(world, { appointmentId });
        expect(rest.amount).toBe('15.00');
      });

      it('the host lowers the amount due between authorization and capture', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        await givenAppointment(world, { id: opened.appointment.id, amountDue: '40.00' });
        problem(await capture(world, opened.id, reference), 'conflict');
        expect(await takenMinor(world)).toBe(0n);
      });

      it('a capture that finds the payment captured cancels the other open payments too', async (world) => {
        const appointmentId = await givenAppointment(world);
        const one = await givenPresented(world, { appointmentId });
        const two = await givenPresented(world, { appointmentId });
        await captureElsewhere(world, one.payment.id, one.reference);
        payment(await capture(world, one.payment.id, one.reference), 200);
        await world.chairside.settled();
        expect((await stored(world, two.payment.id)).state).toBe('canceled');
      });

      it('a full payment cancels the appointment’s open payments', async (world) => {
        const appointmentId = await givenAppointment(world);
        const open = await givenPayment(world, { appointmentId });
        const authorized = await givenPresented(world, { appointmentId });
        await givenCaptured(world, { appointmentId });
        await world.chairside.settled();
        expect((await stored(world, open.id)).state).toBe('canceled');
        expect((await stored(world, authorized.payment.id)).state).toBe('canceled');
      });
    });

    describe('a second key for one payment', () => {
      it('gets the same response, with any number of concurrent requests', async (world) => {
        const { payment: captured, reference } = await givenCaptured(world);
        const answers = await Promise.all(
          Array.from({ length: 30 }, () => capture(world, captured.id, reference)),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      });

      it('is kept for three days after its response, and then deleted', async (world) => {
        const { payment: opened, reference } = await givenCaptured(world);
        const isKept = async (key: string) =>
          (await world.store.keys.get('user-ada', key))._unsafeUnwrap() !== undefined;
        const waitAndReconcile = async (ms: number) => {
          world.clock.advance(ms);
          (await world.chairside.reconcile())._unsafeUnwrap();
        };
        world.clock.advance(72 * hourMs - minuteMs);
        payment(await capture(world, opened.id, reference, { key: 'just before' }), 200);
        await waitAndReconcile(2 * minuteMs);
        expect(await isKept('just before')).toBe(true);
        await waitAndReconcile(72 * hourMs);
        expect(await isKept('just before')).toBe(false);

        payment(await capture(world, opened.id, reference, { key: 'long after' }), 200);
        await waitAndReconcile(72 * hourMs - 1);
        expect(await isKept('long after')).toBe(true);
        await waitAndReconcile(1);
        expect(await isKept('long after')).toBe(false);
        await waitAndReconcile(1000 * hourMs);
        expect((await stored(world, opened.id)).nextCheckAt).toBeUndefined();
      });

      it('waits while the first captures, and then gets its response (D20)', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        world.processor.failNext('capturePayment', 'slow');
        const first = capture(world, opened.id, reference);
        await until(() => world.processor.count('capturePayment').made === 1);
        const key = fresh('second');
        const reads = world.processor.count('readPayment').made;
        expect(
          problem(await capture(world, opened.id, reference, { key }), 'conflict'),
        ).toMatchObject({ attributes: { reason: 'running' }, recovery: unknown });
        expect(world.processor.count('readPayment').made).toBe(reads);
        world.processor.release();
        const { text } = await first;
        expect((await capture(world, opened.id, reference, { key })).text).toBe(text);
      });

      it('holds the payment with a new fence and a new version (D20)', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        const { version } = await stored(world, opened.id);
        world.processor.failNext('capturePayment', 'slow');
        const capturing = capture(world, opened.id, reference);
        await until(() => world.processor.count('capturePayment').made === 1);
        // One version for the state that it passed through, one for the capture that has begun.
        expect(await stored(world, opened.id)).toMatchObject({
          state: 'authorized',
          version: version + 2,
          work: { kind: 'capture', fence: version + 2, attempt: 1 },
        });
        world.processor.release();
        payment(await capturing, 200);
      });

      it('resumes the first one’s work, and never releases the reservation (D13, D20)', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        const key = fresh('first');
        world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
        const lost = await capture(world, opened.id, reference, { key });
        expect(problem(lost, 'serviceUnavailable').recovery).toEqual(unknown);
        const { id: appointmentId } = opened.appointment;
        expect(await ledgerOf(world, appointmentId)).toMatchObject({ reservedMinor: 4500n });

        world.processor.failNext('readPayment', 'refused');
        problem(await capture(world, opened.id, reference), 'serviceUnavailable');
        expect(await ledgerOf(world, appointmentId)).toMatchObject({ reservedMinor: 4500n });

        const second = await capture(world, opened.id, reference);
        payment(second, 200);
        expect((await capture(world, opened.id, reference, { key })).text).toBe(second.text);
        expect(await ledgerOf(world, appointmentId)).toMatchObject({
          reservedMinor: 0n,
          capturedMinor: 4500n,
        });
      });
    });

    describe('when the processor does not reply', () => {
      for (const lost of ['timeoutAfterApplying', 'lostReply', 'failureAfterApplying'] as const) {
        it(`reads it before the response: ${lost}`, async (world) => {
          const { payment: opened, reference } = await givenPresented(world);
          world.processor.failNext('capturePayment', lost);
          payment(await capture(world, opened.id, reference), 200);
          expect(await takenMinor(world)).toBe(4500n);
        });
      }

      it('takes a new processor key only once the old one proved dead (D20)', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        const key = fresh('key');
        world.processor.failNext('capturePayment', 'failure');
        problem(await capture(world, opened.id, reference, { key }), 'serviceUnavailable');
        payment(await capture(world, opened.id, reference, { key }), 200);
        expect(world.processor.count('capturePayment').made).toBe(2);
        expect(await capturesAt(world)).toBe(1);
      });

      it('reports an unknown outcome, and finds the capture that lands later (D22)', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        const key = fresh('key');
        world.processor.failNext('capturePayment', 'landsLater');
        problem(await capture(world, opened.id, reference, { key }), 'serviceUnavailable');
        await world.processor.landAbandoned();
        payment(await capture(world, opened.id, reference, { key }), 200);
        expect(await takenMinor(world)).toBe(4500n);
      });

      it('gets a 429 with "unknown" for any key, because it is not looked up (D29)', async () => {
        const writes = { limit: 2, windowMs: minuteMs };
        const world = await makeWorld({ rateLimits: { ...defaultRateLimits, writes } });
        const { payment: opened, reference } = await givenPresented(world);
        const key = fresh('key');
        const send = () => capture(world, opened.id, reference, { key });
        const rateLimit = { limit: 2, remaining: 0, resetsAt: '2026-11-02T09:01:00.000Z' };
        world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
        problem(await send(), 'serviceUnavailable');
        expect(problem(await send(), 'tooManyRequests').recovery).toEqual({
          ...unknown,
          rateLimit,
        });

        world.clock.advance(minuteMs);
        const captured = await send();
        payment(captured, 200);
        payment(await send(), 200);
        expect(problem(await send(), 'tooManyRequests').recovery).toEqual({
          ...unknown,
          rateLimit: { ...rateLimit, resetsAt: '2026-11-02T09:02:00.000Z' },
        });

        world.clock.advance(minuteMs);
        const replayed = await send();
        expect([replayed.text, replayed.replayed]).toEqual([captured.text, true]);
      });

      it('never says "not applied" while the key has an unfinished claim', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        const key = fresh('key');
        world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
        problem(await capture(world, opened.id, reference, { key }), 'serviceUnavailable');
        const body = {};
        const refused = await world.send('captureContactlessPayment', 'ada', {
          id: opened.id,
          key,
          body,
        });
        expect(problem(refused, 'badRequest').recovery?.outcome).toBe('unknown');
      });
    });

    describe('time', () => {
      it('a capture that died while the clock was a day ahead is resumed with the right clock', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        const key = fresh('key');
        world.clock.advance(24 * hourMs);
        world.processor.failNext('capturePayment', 'slow');
        const died = capture(world, opened.id, reference, { key });
        await until(() => world.processor.count('capturePayment').made === 1);
        world.clock.advance(-24 * hourMs);
        world.processor.failNext('capturePayment', 'timeoutBeforeApplying');
        problem(await capture(world, opened.id, reference, { key }), 'serviceUnavailable');
        world.processor.release();
        await died;
        payment(await capture(world, opened.id, reference, { key }), 200);
        expect(await takenMinor(world)).toBe(4500n);
      });

      it('a payment that expired without a card is canceled by its capture', async (world, {
        skip,
      }) => {
        skip(isLate, notYetKnown);
        const opened = await givenPayment(world);
        const [{ id = '' } = {}] = await world.processor.entries();
        world.clock.advance(15 * minuteMs);
        problem(await capture(world, opened.id, id), 'contactlessPaymentCanceled');
        const written = world.observations.filter(({ kind }) => kind === 'commit');
        expect(new Set(written.map(({ outcome }) => outcome))).toEqual(new Set(['ok']));
        expect((await stored(world, opened.id)).state).toBe('canceled');
        expect((await bookEntry(world, id))?.status).toBe('canceled');
      });

      it('a card that was presented in time is captured after the session’s end', async (world) => {
        const { payment: opened, reference } = await givenPresented(world);
        world.clock.advance(hourMs);
        payment(await capture(world, opened.id, reference), 200);
      });

      it('an authorization past its deadline is not captured', async (world, { skip }) => {
        needsCard(world, 'expires_soon', skip);
        const { payment: opened, reference } = await givenPresented(world, {
          card: 'expires_soon',
        });
        world.clock.advance(minuteMs);
        problem(await capture(world, opened.id, reference), 'contactlessPaymentCanceled');
        expect(await takenMinor(world)).toBe(0n);
      });

      it('of a concurrent expiry and capture, one wins, here and at the processor', async () => {
        for (const captureFirst of [true, false]) {
          const world = await makeWorld();
          const { payment: opened, reference } = await givenPresented(world);
          world.clock.advance(world.processor.longestHoldMs + hourMs);
          const racing = [
            async () => (await capture(world, opened.id, reference)).status,
            async () => (await world.chairside.reconcile()).isOk(),
          ];
          if (!captureFirst) racing.reverse();
          await Promise.all(racing.map((run) => run()));
          await world.chairside.settled();
          const after = await stored(world, opened.id);
          expect((await bookEntry(world, reference))?.status).toBe(after.state);
          expect(['captured', 'canceled']).toContain(after.state);
          expect(after.work).toBeUndefined();
        }
      });

      it('an expiry that has begun excludes the capture (D17)', async (world) => {
        const opened = await givenPayment(world);
        const [{ id = '' } = {}] = await world.processor.entries();
        world.clock.advance(15 * minuteMs);
        world.processor.failNext('cancelPayment', 'slow');
        const expiry = world.chairside.reconcile();
        await until(() => world.processor.count('cancelPayment').made === 1);
        expect(reason(problem(await capture(world, opened.id, id), 'conflict'))).toBe('running');
        world.processor.release();
        expect((await expiry).isOk()).toBe(true);
        problem(await capture(world, opened.id, id), 'contactlessPaymentCanceled');
      });
    });
  },
);

describeEverywhere('a capture repeated under another key after 71 hours', ({ it, makeWorld }) => {
  it('has the same answer for 72 hours, and then the secret and the key are gone (D55)', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const first = await capture(world, opened.id, reference, { key: 'first' });
    world.clock.advance(71 * hourMs);
    const repeated = await capture(world, opened.id, reference, { key: 'second' });
    expect(repeated.text).toBe(first.text);
    for (const hours of [2, 69]) {
      world.clock.advance(hours * hourMs);
      (await world.chairside.reconcile())._unsafeUnwrap();
      const again = await capture(world, opened.id, reference, { key: 'second' });
      expect(again.text).toBe(repeated.text);
    }
    world.clock.advance(3 * hourMs);
    (await world.chairside.reconcile())._unsafeUnwrap();
    const { clientSecret } = payment(
      await capture(world, opened.id, reference, { key: 'second' }),
      200,
    );
    expect(clientSecret).toBe('');
  });

  it('is not answered before its key is stored', async () => {
    let isFull = false;
    const world = await makeWorld({
      store: (real) => ({
        ...real,
        commit: (commit) =>
          isFull
            ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
            : real.commit(commit),
      }),
    });
    const { payment: opened, reference } = await givenPresented(world);
    await capture(world, opened.id, reference, { key: 'first' });
    isFull = true;
    const repeated = await capture(world, opened.id, reference, { key: 'second' });
    problem(repeated, 'serviceUnavailable');
  });

  it('has the same answer for any number of keys at once', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const first = await capture(world, opened.id, reference);
    world.clock.advance(71 * hourMs);
    const asked = Array.from({ length: 30 }, (_, index) => `key-${index}`);
    for (const hours of [0, 2, 69]) {
      world.clock.advance(hours * hourMs);
      (await world.chairside.reconcile())._unsafeUnwrap();
      const repeated = await Promise.all(
        asked.map((key) => capture(world, opened.id, reference, { key })),
      );
      expect(new Set(repeated.map(({ text }) => text))).toEqual(new Set([first.text]));
    }
  });
});

/** A payment whose capture the processor has accepted and not ended. */
async function givenInFlight(world: World) {
  const appointmentId = await givenAppointment(world);
  const { payment: opened, reference } = await givenPresented(world, { appointmentId });
  world.processor.slowCaptures(true);
  const ask = (key = 'first') => capture(world, opened.id, reference, { key });
  const end = (state: 'captured' | 'failed') => {
    world.processor.endCapture(reference, state)._unsafeUnwrap();
  };
  const unknown = problem(await ask(), 'serviceUnavailable');
  expect(unknown.recovery?.outcome).toBe('unknown');
  return { appointmentId, opened, reference, ask, end };
}

async function reconcileLater(world: World, ms = hourMs): Promise<void> {
  world.clock.advance(ms);
  (await world.chairside.reconcile())._unsafeUnwrap();
}

const stateOf = async (world: World, id: string) => (await stored(world, id)).state;

describeEverywhere('a capture that the processor ends later', ({ it, makeWorld }) => {
  it('is unknown and stays reserved until its end, under every key', async (world) => {
    const { appointmentId, ask, end } = await givenInFlight(world);
    for (const key of ['first', 'second', 'first']) {
      const { recovery } = problem(await ask(key), 'serviceUnavailable');
      expect(recovery?.outcome).toBe('unknown');
      expect((await ledgerOf(world, appointmentId)).reservedMinor).toBe(4500n);
    }
    expect(world.processor.count('capturePayment').applied).toBe(1);
    end('captured');
    for (const key of ['first', 'second'])
      expect(payment(await ask(key), 200).state).toBe('captured');
    expect(await takenMinor(world)).toBe(4500n);
    expect(await ledgerOf(world, appointmentId)).toMatchObject({
      capturedMinor: 4500n,
      reservedMinor: 0n,
    });
  });

  it('lets no other payment of the appointment be captured meanwhile', async (world) => {
    const appointmentId = await givenAppointment(world);
    const given = { appointmentId };
    const [first, second] = [
      await givenPresented(world, given),
      await givenPresented(world, given),
    ];
    world.processor.slowCaptures(true);
    problem(await capture(world, first.payment.id, first.reference), 'serviceUnavailable');
    const refused = problem(await capture(world, second.payment.id, second.reference), 'conflict');
    expect(reason(refused)).toBe('reservedElsewhere');
    world.processor.endCapture(first.reference, 'captured')._unsafeUnwrap();
    // The first run records the capture, and the second one releases the rest.
    for (let runs = 1; runs <= 2; runs += 1) await reconcileLater(world);
    expect(await takenMinor(world)).toBe(4500n);
    expect(await stateOf(world, second.payment.id)).toBe('canceled');
  });

  it('is recorded by reconcile, or by the message of its end', async () => {
    for (const learn of ['reconcile', 'message'] as const) {
      const world = await makeWorld();
      const { opened, end } = await givenInFlight(world);
      await deliverMessages(world);
      expect(await stateOf(world, opened.id)).toBe('authorized');
      end('captured');
      if (learn === 'reconcile') await reconcileLater(world);
      else await deliverMessages(world);
      expect(await stored(world, opened.id)).toMatchObject({
        state: 'captured',
        reserved: false,
        capturedMinor: 4500n,
      });
    }
  });

  it('is made again under another key of ours once it has failed', async (world) => {
    const { ask, end, opened } = await givenInFlight(world);
    end('failed');
    // This attempt learns that the key only repeats a failure.
    expect(problem(await ask(), 'serviceUnavailable').recovery?.outcome).toBe('unknown');
    expect((await stored(world, opened.id)).reserved).toBe(true);
    problem(await ask(), 'serviceUnavailable');
    expect(world.processor.count('capturePayment').applied).toBe(2);
    end('captured');
    expect(payment(await ask(), 200).state).toBe('captured');
    expect(await takenMinor(world)).toBe(4500n);
  });

  it('is not canceled meanwhile, and the host hears that the outcome is unknown', async () => {
    for (const state of ['captured', 'failed'] as const) {
      const world = await makeWorld();
      const { opened, end } = await givenInFlight(world);
      const canceled = (await cancel(world, opened.id))._unsafeUnwrapErr();
      expect(canceled).toMatchObject({
        type: 'serviceUnavailable',
        recovery: { outcome: 'unknown' },
      });
      await reconcileLater(world, minuteMs);
      expect(await stored(world, opened.id)).toMatchObject({ state: 'authorized', reserved: true });
      end(state);
      await reconcileLater(world);
      const isCaptured = state === 'captured';
      expect(await stateOf(world, opened.id)).toBe(isCaptured ? 'captured' : 'canceled');
      expect(await takenMinor(world)).toBe(isCaptured ? 4500n : 0n);
    }
  });

  it('may exceed an amount that was lowered meanwhile, and is then reviewed', async (world) => {
    const { appointmentId, opened, end } = await givenInFlight(world);
    const found = (await world.store.appointments.get(appointmentId))._unsafeUnwrap();
    if (found === undefined) throw new Error('the appointment is gone');
    const lowered = { ...found, amountDueMinor: 2000n };
    const put = (await world.chairside.records.putAppointment(lowered))._unsafeUnwrap();
    // The host learns the amount that may still be captured (D13).
    expect(put).toMatchObject({ reserved: '45.00' });
    await reconcileLater(world);
    expect(await stored(world, opened.id)).toMatchObject({ state: 'authorized', reserved: true });
    end('captured');
    await reconcileLater(world);
    expect(await stored(world, opened.id)).toMatchObject({
      state: 'captured',
      review: 'capturedBeyondDue',
    });
  });

  it('holds its reservation beyond the deadline of the authorization', async (world) => {
    const { appointmentId, opened, end } = await givenInFlight(world);
    await reconcileLater(world, 49 * hourMs);
    await reconcileLater(world);
    expect(await stateOf(world, opened.id)).toBe('authorized');
    expect((await ledgerOf(world, appointmentId)).reservedMinor).toBe(4500n);
    expect(world.processor.count('capturePayment').applied).toBe(1);
    end('captured');
    await reconcileLater(world, 24 * hourMs);
    expect(await stateOf(world, opened.id)).toBe('captured');
    expect(await takenMinor(world)).toBe(4500n);
  });
});

describeEverywhere('an adapter that shows a capture in flight in another way', ({ it }) => {
  it('returns the authorized entry from the capture: the outcome is unknown', async (world) => {
    const { payment: opened, reference } = await givenPresented(world);
    const { processor } = world;
    const accepting = withProcessor(world, {
      capturePayment: (request) => processor.readPayment(request).map((seen) => shown(seen)),
    });
    const input = captureInput(opened.id, reference);
    for (let times = 1; times <= 2; times += 1) {
      const error = (await accepting.captureContactlessPayment(ada, input))._unsafeUnwrapErr();
      expect(error).toMatchObject({ type: 'serviceUnavailable', recovery: { outcome: 'unknown' } });
    }
  });

  it('reads it as processing: the outcome is unknown', async (world) => {
    const { opened, reference } = await givenInFlight(world);
    const processing = withProcessor(world, {
      readPayment: readingAs(world, (seen) => ({ ...seen, status: 'processing' })),
    });
    const input = captureInput(opened.id, reference);
    const error = (await processing.captureContactlessPayment(ada, input))._unsafeUnwrapErr();
    expect(error).toMatchObject({ type: 'serviceUnavailable', recovery: { outcome: 'unknown' } });
  });
});

function shown(seen: ProcessorPayment | undefined): ProcessorPayment {
  if (seen === undefined) throw new Error('the processor has no such entry');
  return seen;
}
