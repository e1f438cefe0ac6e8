import { hourMs, type ResultAsync } from '@chairside/core';
import type { ProcessorError, ProcessorPayment } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import {
  amountMinor,
  isUnanswered,
  listedIn,
  messageOf,
  need,
  present,
  problem,
  rejected,
  type Suite,
  saysNothingWasDone,
  timeless,
  unanswered,
  unknown,
  unreferenced,
  value,
} from './suite.ts';

/** A key names one call: with another payment it is refused, and that payment stays as it is. */
function rejectsKeyOfAnother(suite: Suite, call: Suite['capture'] | Suite['cancel']): void {
  it('rejects a key that was used for another payment', async () => {
    suite.needs('keysCoverCaptures');
    const [first, second] = [await suite.authorize(), await suite.authorize()];
    const idempotencyKey = suite.key();
    await value(call(first, { idempotencyKey }));
    expect(await problem(call(second, { idempotencyKey }))).toEqual(rejected);
    expect(await suite.read(second)).toMatchObject({ status: 'authorized' });
  });
}

/** Capturing the authorized amount once, and no more (D13). */
export function capturingContract(suite: Suite): void {
  const { needs, open, authorize, capture, read } = suite;

  describe('capturing', () => {
    it('captures exactly the authorized amount', async () => {
      const payment = await authorize();
      const expected = {
        reference: payment.reference,
        status: 'captured',
        amountMinor,
        capturedMinor: amountMinor,
        currency: suite.account().currency,
        account: suite.account().id,
      };
      expect(await value(capture(payment))).toMatchObject(expected);
      expect(await read(payment)).toMatchObject(expected);
    });

    it('returns the same capture for the same key, and rejects another key', async () => {
      const payment = await authorize();
      const idempotencyKey = suite.key();
      const first = await value(capture(payment, { idempotencyKey }));
      expect(timeless(await value(capture(payment, { idempotencyKey })))).toEqual(timeless(first));
      expect(await problem(capture(payment))).toEqual(rejected);
      expect(await read(payment)).toMatchObject({ capturedMinor: amountMinor });
    });

    it('has one effect when two keys race', async () => {
      const payment = await authorize();
      const both = await Promise.all([capture(payment), capture(payment)]);
      expect(both.filter((result) => result.isOk())).toHaveLength(1);
      expect(await read(payment)).toMatchObject({ capturedMinor: amountMinor });
    });

    it('is rejected before a card was presented', async () => {
      expect(await problem(capture(await open()))).toEqual(rejected);
    });

    it('is rejected above the authorized amount', async () => {
      const payment = await authorize();
      const tooMuch = { amountMinor: amountMinor + 1n };
      expect(await problem(capture(payment, tooMuch))).toEqual(rejected);
      expect(await read(payment)).toMatchObject({ status: 'authorized' });
    });

    rejectsKeyOfAnother(suite, capture);

    it('is rejected above the approved amount', async () => {
      needs('approvePartly');
      const payment = await open();
      const reference = await suite.harness().present(payment.clientSecret, 'approvePartly');
      expect(await problem(capture({ ...payment, reference }))).toEqual(rejected);
      expect(await read(payment)).toMatchObject({ status: 'authorized' });
    });

    it('never captures more than the requested amount', async () => {
      for (const less of [amountMinor - 1n, amountMinor / 2n]) {
        const payment = await authorize();
        const answer = await capture(payment, { amountMinor: less });
        if (answer.isOk()) {
          // The amount of the books, beside the whole amount of the payment.
          const captured = { status: 'captured', amountMinor, capturedMinor: less };
          expect(answer.value).toMatchObject(captured);
          expect(await read(payment)).toMatchObject(captured);
        }
        const { capturedMinor = 0n } = await read(payment);
        expect(capturedMinor).toBeLessThanOrEqual(less);
        const booked = await suite.harness().books?.(payment.reference);
        if (booked !== undefined) expect(booked.capturedMinor).toBe(capturedMinor);
      }
    });

    it('is never reported in another currency', async () => {
      const payment = await authorize();
      const currency = suite.account().currency === 'eur' ? 'usd' : 'eur';
      const error = await problem(capture(payment, { currency }));
      if (saysNothingWasDone(error)) {
        expect(await read(payment)).toMatchObject({ status: 'authorized' });
      }
    });
  });
}

/** Canceling opened and authorized payments; a cancelation holds for every key (D17). */
export function cancelingContract(suite: Suite): void {
  const { needs, begun, open, authorize, capture, cancel, read } = suite;

  describe('canceling', () => {
    it('leaves a payment that accepts no card', async () => {
      needs('readBeforeCard');
      const payment = await open();
      await value(cancel(payment));
      // The terminal refuses, or the card changes nothing.
      await suite
        .harness()
        .present(payment.clientSecret, 'approve')
        .catch(() => undefined);
      expect(await read(payment)).toMatchObject({ status: 'canceled' });
      expect(await problem(capture(payment))).toEqual(rejected);
    });

    it('cancels an authorized payment, which can then not be captured', async () => {
      const payment = await authorize();
      expect(await value(cancel(payment))).toMatchObject({ status: 'canceled' });
      expect(await problem(capture(payment))).toEqual(rejected);
      const seen = await read(payment);
      expect(seen.status).toBe('canceled');
      expect(seen.capturedMinor ?? 0n).toBe(0n);
    });

    for (const card of ['approve', undefined] as const) {
      it(`returns a canceled payment again under any key: ${card ?? 'without a card'}`, async () => {
        if (card === undefined) needs('readBeforeCard');
        const payment = card === undefined ? await open() : await authorize();
        const idempotencyKey = suite.key();
        const first = await present(value(cancel(payment, { idempotencyKey })));
        expect(first).toMatchObject({ status: 'canceled' });
        for (const again of [{ idempotencyKey }, {}, { idempotencyKey }]) {
          expect(timeless(await value(cancel(payment, again)))).toEqual(timeless(first));
        }
      });
    }

    it('has one effect when two keys race', async () => {
      const payment = await authorize();
      const both = await Promise.all([cancel(payment), cancel(payment)]);
      expect(both.some((result) => result.isOk())).toBe(true);
      for (const result of both) {
        if (result.isOk()) expect(result.value).toMatchObject({ status: 'canceled' });
        else expect(result.error).toEqual(unknown);
      }
      expect(await read(payment)).toMatchObject({ status: 'canceled' });
    });

    it('and a concurrent capture have one effect between them', async () => {
      const payment = await authorize();
      const [captured, canceled] = await Promise.all([capture(payment), cancel(payment)]);
      const { status } = await read(payment);
      expect(captured.isOk()).toBe(status === 'captured');
      expect(canceled.isOk()).toBe(status === 'canceled');
      expect(captured.isOk()).not.toBe(canceled.isOk());
    });

    rejectsKeyOfAnother(suite, cancel);

    it('is rejected for a captured payment', async () => {
      const payment = await authorize();
      await value(capture(payment));
      const idempotencyKey = suite.key();
      for (const key of [idempotencyKey, idempotencyKey, suite.key()]) {
        expect(await problem(cancel(payment, { idempotencyKey: key }))).toEqual(rejected);
      }
      expect(await read(payment)).toMatchObject({ status: 'captured', capturedMinor: amountMinor });
    });

    it('returns undefined for a payment that was never opened', async () => {
      expect(await value(cancel(begun()))).toBeUndefined();
    });
  });
}

/** A processor that accepts a capture and ends it later. In between, no outcome is known (D22). */
export function lateCapturesContract(suite: Suite): void {
  const { authorize, sendCapture, endCapture, cancel, key, read } = suite;
  const it = suite.itNeeds('capturesEndLater');

  async function beginSlowly() {
    need('capturesEndLater', suite.harness().endCapture);
    await suite.harness().slowCaptures?.();
  }

  /** An authorized payment whose capture was accepted under a key. */
  async function capturing() {
    await beginSlowly();
    const payment = await authorize();
    const idempotencyKey = key();
    const accepted = await problem(sendCapture(payment, { idempotencyKey }));
    expect(accepted).toEqual(unanswered);
    return { payment, idempotencyKey };
  }

  type Capturing = Awaited<ReturnType<typeof capturing>>;

  /** The same call again, under its own key. */
  const repeat = ({ payment, idempotencyKey }: Capturing) =>
    sendCapture(payment, { idempotencyKey });

  async function expectInFlight({ payment }: Capturing): Promise<void> {
    for (const seen of [await read(payment), await read(unreferenced(payment))]) {
      expect(seen).toMatchObject({ status: 'authorized', amountMinor });
      expect(seen.capturedMinor ?? 0n).toBe(0n);
      expect(seen).not.toHaveProperty('capturedAt');
    }
  }

  async function expectCapturedOnce({ payment }: Capturing): Promise<void> {
    const captured = { status: 'captured', capturedMinor: amountMinor };
    expect(await read(payment)).toMatchObject(captured);
    const booked = await suite.harness().books?.(payment.reference);
    if (booked !== undefined) expect(booked.capturedMinor).toBe(amountMinor);
  }

  /** The error after which the core uses another key (D20). */
  async function expectDead(answer: ResultAsync<ProcessorPayment, ProcessorError>): Promise<void> {
    const error = await problem(answer);
    expect(error).toMatchObject({ kind: expect.stringMatching(/^(rejected|unavailable)$/) });
    expect(isUnanswered(error), 'the key of a failed capture must not stay in use').toBe(false);
  }

  describe('captures that end later', () => {
    it('leave the payment authorized until they end', async () => {
      const begun = await capturing();
      await expectInFlight(begun);
      expect(await problem(repeat(begun))).toEqual(unanswered);
      await expectInFlight(begun);
      const listed = await listedIn(suite, begun.payment);
      for (const one of listed) expect(one).toMatchObject({ status: 'authorized' });
      await endCapture(begun.payment);
      await expectCapturedOnce(begun);
      const captured = await value(repeat(begun));
      expect(captured).toMatchObject({ status: 'captured', capturedMinor: amountMinor });
      expect(timeless(await value(repeat(begun)))).toEqual(timeless(captured));
    });

    it('are made once, although another key asks meanwhile', async () => {
      const begun = await capturing();
      const other = key();
      const ask = () => sendCapture(begun.payment, { idempotencyKey: other });
      expect(await problem(ask())).toMatchObject({
        kind: expect.stringMatching(/^(rejected|unavailable)$/),
      });
      await expectInFlight(begun);
      await endCapture(begun.payment);
      await expectCapturedOnce(begun);
      expect(await problem(ask())).toEqual(rejected);
      await endCapture(begun.payment);
      await expectCapturedOnce(begun);
    });

    it('are made again under another key once they have failed', async () => {
      const begun = await capturing();
      await endCapture(begun.payment, 'failed');
      const { status, capturedMinor = 0n } = await read(begun.payment);
      expect(status).toMatch(/^(authorized|failed|canceled)$/);
      expect(capturedMinor).toBe(0n);
      for (let times = 1; times <= 2; times += 1) await expectDead(repeat(begun));
      if (status !== 'authorized') return;
      const again = { ...begun, idempotencyKey: key() };
      expect(await problem(repeat(again))).toEqual(unanswered);
      await expectInFlight(again);
      await expectDead(repeat(begun));
      await endCapture(begun.payment);
      await expectCapturedOnce(begun);
      expect(await value(repeat(again))).toMatchObject({ status: 'captured' });
    });

    it('are not canceled while they are in flight', async () => {
      const begun = await capturing();
      const canceled = await cancel(begun.payment);
      if (canceled.isOk()) {
        // The processor let the cancelation win, so the capture must not take the money.
        expect(canceled.value).toMatchObject({ status: 'canceled' });
        await endCapture(begun.payment);
        expect(await read(begun.payment)).toMatchObject({ status: 'canceled' });
        await expectDead(repeat(begun));
        return;
      }
      expect(canceled.error).toMatchObject({
        kind: expect.stringMatching(/^(rejected|unavailable)$/),
      });
      await expectInFlight(begun);
      await endCapture(begun.payment);
      await expectCapturedOnce(begun);
      expect(await problem(cancel(begun.payment))).toEqual(rejected);
    });

    it('are canceled once they have failed', async () => {
      const begun = await capturing();
      const idempotencyKey = key();
      const meanwhile = await cancel(begun.payment, { idempotencyKey });
      await endCapture(begun.payment, 'failed');
      if ((await read(begun.payment)).status !== 'authorized') return;
      // The core keeps the key of a cancelation without an answer.
      const mayStay = meanwhile.isErr() && isUnanswered(meanwhile.error);
      const canceled = cancel(begun.payment, mayStay ? { idempotencyKey } : {});
      expect(await value(canceled)).toMatchObject({ status: 'canceled' });
      await expectDead(repeat(begun));
      expect(await read(begun.payment)).toMatchObject({ status: 'canceled' });
    });

    it('give nothing back before they end', async () => {
      suite.needs('refunds');
      const begun = await capturing();
      const { refunds } = suite.processor();
      expect((await refunds.refund(suite.refundOf(begun.payment))).isErr()).toBe(true);
      expect(await value(refunds.list(begun.payment))).toEqual([]);
    });

    it('are accepted once, although the reply is lost', async () => {
      await beginSlowly();
      const begun = { payment: await authorize(), idempotencyKey: key() };
      await suite.loseReply('capturePayment');
      expect(await problem(repeat(begun))).toEqual(unanswered);
      expect(await problem(repeat(begun))).toEqual(unanswered);
      await expectInFlight(begun);
      await endCapture(begun.payment);
      await expectCapturedOnce(begun);
    });

    it('are accepted once for one key, also after 20 hours', async () => {
      const begun = await capturing();
      // A capture in flight keeps its key, however long it takes.
      for (const hours of [19, 2, 10]) {
        await suite.able('advance')(hours * hourMs);
        expect(await problem(repeat(begun))).toEqual(unanswered);
        await expectInFlight(begun);
      }
      await endCapture(begun.payment);
      await expectCapturedOnce(begun);
    });

    it('are in flight, or have failed, when the hold of the card ends', async () => {
      const begun = await capturing();
      const { captureBefore } = await read(begun.payment);
      if (captureBefore === undefined) return;
      await suite.able('advance')(captureBefore + hourMs - suite.harness().clock.now());
      const { status } = await read(begun.payment);
      if (status === 'authorized') {
        expect(await problem(repeat(begun))).toEqual(unanswered);
        await expectInFlight(begun);
        await endCapture(begun.payment);
        await expectCapturedOnce(begun);
        return;
      }
      expect(status).toMatch(/^(failed|canceled)$/);
      await expectDead(repeat(begun));
      await endCapture(begun.payment);
      expect(await read(begun.payment)).toMatchObject({ status });
    });

    it('send a message when they end', async () => {
      suite.needs('events');
      for (const end of ['captured', 'failed'] as const) {
        const { payment } = await capturing();
        await suite.told();
        await endCapture(payment, end);
        expect(await suite.told()).toContainEqual(messageOf(payment));
      }
    });
  });
}
