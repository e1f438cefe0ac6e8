import type { PaymentHandle, ProcessorRefunds, RefundPaymentRequest } from '@chairside/core';
import { describe, expect, it, type TestContext } from 'vitest';
import { amountMinor, need, newId, problem, rejected, type Suite, value } from './suite.ts';

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
    amountMinor: 1001n,
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
      const second = request(payment, { amountMinor: amountMinor - 1001n });
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
      const recent = async (madeFrom: number, madeBefore: number) => {
        const { installation } = own;
        const asked = { ledger, installation, madeFrom, madeBefore };
        return (await value(refunds.listRecent(asked))).paymentIds;
      };
      const found = await recent(now - 10_000, now + 10_000);
      expect([...found].sort()).toEqual([own.paymentId, elsewhere.paymentId].sort());
      expect(await recent(now - 100_000, now - 50_000)).toEqual([]);
    });
  });
}
