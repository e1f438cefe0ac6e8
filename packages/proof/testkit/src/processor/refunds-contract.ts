import type { PaymentHandle, ProcessorRefunds, RefundPaymentRequest } from '@chairside/core';
import { describe, expect, it, type TestContext } from 'vitest';
import {
  amountMinor,
  ledgerOf,
  listedReturns,
  need,
  newId,
  problem,
  rejected,
  type Suite,
  unknown,
  value,
} from './suite.ts';

/** Refunds of captured payments (D44). */
export function refundsContract(suite: Suite): void {
  const { authorize, capture, open } = suite;

  /** Skips the test at a processor that cannot refund, with the reason. */
  function refundsOf(test: TestContext): ProcessorRefunds {
    suite.needs(test, 'refunds');
    return need('refunds', suite.processor().refunds);
  }

  async function captured() {
    const payment = await authorize();
    await value(capture(payment));
    const { clientSecret: _secret, ...handle } = payment;
    return handle;
  }

  const request = (
    payment: PaymentHandle,
    more: Partial<RefundPaymentRequest> = {},
  ): RefundPaymentRequest => ({
    ...payment,
    refundId: newId(suite.harness()),
    amountMinor: 1003n,
    currency: suite.account().currency,
    returnsFee: false,
    reversesTransfer: true,
    idempotencyKey: newId(suite.harness()),
    ...more,
  });

  describe('refunds', () => {
    it('give parts of a captured payment back, each with our mark', async (test) => {
      const refunds = refundsOf(test);
      const payment = await captured();
      expect(await value(refunds.list(payment))).toEqual([]);
      const first = request(payment);
      const second = request(payment, { amountMinor: amountMinor - 1003n });
      const shown = [];
      for (const one of [first, second]) {
        const refund = await value(refunds.refund(one));
        expect(refund).toMatchObject({
          reference: expect.any(String),
          refundId: one.refundId,
          state: expect.stringMatching(/^(pending|succeeded)$/),
          amountMinor: one.amountMinor,
          currency: suite.account().currency,
        });
        shown.push(refund);
      }
      const listed = await value(refunds.list(payment));
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining(shown));
    });

    it('have one effect for each key', async (test) => {
      const refunds = refundsOf(test);
      const payment = await captured();
      const asked = request(payment);
      const first = await value(refunds.refund(asked));
      expect(await value(refunds.refund(asked))).toEqual(first);
      expect(await value(refunds.list(payment))).toEqual([first]);
    });

    it('are two for two keys, even if they give back the same amount', async (test) => {
      const refunds = refundsOf(test);
      const payment = await captured();
      const first = await value(refunds.refund(request(payment)));
      const second = await value(refunds.refund(request(payment)));
      expect(second.reference).not.toBe(first.reference);
      const listed = await value(refunds.list(payment));
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining([first, second]));
    });

    it('reject a key that was used with other parameters', async (test) => {
      const refunds = refundsOf(test);
      suite.needs(test, 'keysCoverParameters');
      const payment = await captured();
      const asked = request(payment);
      await value(refunds.refund(asked));
      expect(await problem(refunds.refund({ ...asked, amountMinor: 500n }))).toEqual(rejected);
      expect(await value(refunds.list(payment))).toHaveLength(1);
    });

    it('can lose the reply, and are made once under their key', async (test) => {
      const refunds = refundsOf(test);
      suite.needs(test, 'loseReply');
      const payment = await captured();
      const asked = request(payment);
      await suite.loseReply('refund');
      expect(await problem(refunds.refund(asked))).toEqual(unknown);
      expect(await value(refunds.list(payment))).toMatchObject([{ refundId: asked.refundId }]);
      await value(refunds.refund(asked));
      expect(await value(refunds.list(payment))).toHaveLength(1);
    });

    it('are never reported in another currency', async (test) => {
      const refunds = refundsOf(test);
      const payment = await captured();
      const currency = suite.account().currency === 'eur' ? 'usd' : 'eur';
      expect(await problem(refunds.refund(request(payment, { currency })))).toEqual(rejected);
      expect(await value(refunds.list(payment))).toEqual([]);
    });

    it('are neither made nor shown for another installation', async (test) => {
      const refunds = refundsOf(test);
      const payment = await captured();
      await value(refunds.refund(request(payment)));
      const stranger = { ...payment, installation: 'another' };
      for (const handle of [stranger, { ...stranger, reference: undefined }]) {
        const { reference, ...unreferenced } = handle;
        const asked = reference === undefined ? unreferenced : { ...unreferenced, reference };
        expect((await refunds.refund(request(asked))).isErr()).toBe(true);
        const seen = await refunds.list(asked);
        if (seen.isOk()) expect(seen.value).toEqual([]);
      }
      expect(await value(refunds.list(payment))).toHaveLength(1);
    });

    it('are all listed where a page does not hold them', async (test) => {
      const refunds = refundsOf(test);
      const { refundsPerPage = 10 } = suite.harness();
      const [first, many, last] = [await captured(), await captured(), await captured()];
      const madeFrom = suite.harness().clock.now() - 10_000;
      const make = (payment: PaymentHandle) =>
        value(refunds.refund(request(payment, { amountMinor: 1n })));
      await make(first);
      const made = [];
      for (let count = 0; count <= refundsPerPage; count += 1) made.push(await make(many));
      await make(last);
      const references = made.map(({ reference }) => reference).sort();
      const listed = await value(refunds.list(many));
      expect(listed.map(({ reference }) => reference).sort()).toEqual(references);
      const { account, installation } = many;
      const ledger = ledgerOf(suite.processor(), account);
      const madeBefore = suite.harness().clock.now() + 10_000;
      const span = { openedFrom: madeFrom, openedBefore: madeBefore, limit: 3 };
      const recent = await listedReturns(refunds, { ledger, installation, ...span });
      const all = [first, last, ...made.map(() => many)].map(({ paymentId }) => paymentId);
      expect(recent.map(({ paymentId }) => paymentId).sort()).toEqual(all.sort());
      const times = recent.map(({ openedAt }) => openedAt);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    it('give no more back than was captured', async (test) => {
      const refunds = refundsOf(test);
      const payment = await captured();
      const tooMuch = request(payment, { amountMinor: amountMinor + 1n });
      expect(await problem(refunds.refund(tooMuch))).toEqual(rejected);
      await value(refunds.refund(request(payment, { amountMinor })));
      expect(await problem(refunds.refund(request(payment)))).toEqual(rejected);
      expect(await value(refunds.list(payment))).toHaveLength(1);
    });

    it('need a captured payment', async (test) => {
      const refunds = refundsOf(test);
      for (const payment of [await authorize(), await open()]) {
        expect(await problem(refunds.refund(request(payment)))).toMatchObject({
          kind: expect.stringMatching(/^(rejected|unavailable)$/),
        });
        expect(await value(refunds.list(payment))).toEqual([]);
      }
    });

    it('are listed with those that were made elsewhere', async (test) => {
      const refunds = refundsOf(test);
      suite.needs(test, 'refund');
      const payment = await captured();
      await need('refund', suite.harness().refund)(payment.reference, 500n);
      const listed = await value(refunds.list(payment));
      expect(listed).toMatchObject([{ amountMinor: 500n, state: 'succeeded' }]);
      expect(listed[0]).not.toHaveProperty('refundId');
    });

    it('are found by the span in which they were made', async (test) => {
      const refunds = refundsOf(test);
      suite.needs(test, 'refund');
      const own = await captured();
      const elsewhere = await captured();
      await captured();
      await value(refunds.refund(request(own)));
      await need('refund', suite.harness().refund)(elsewhere.reference, 500n);
      const now = suite.harness().clock.now();
      const { processor } = suite;
      const ledger = processor().ledgerOf?.(own.account) ?? own.account;
      const recent = async (openedFrom: number, openedBefore: number) => {
        const { installation } = own;
        const asked = { ledger, installation, openedFrom, openedBefore, limit: 100 };
        return (await listedReturns(refunds, asked)).map(({ paymentId }) => paymentId);
      };
      const found = await recent(now - 10_000, now + 10_000);
      expect([...found].sort()).toEqual([own.paymentId, elsewhere.paymentId].sort());
      expect(await recent(now - 100_000, now - 50_000)).toEqual([]);
      expect(await recent(now + 50_000, now + 100_000)).toEqual([]);
    });
  });
}
