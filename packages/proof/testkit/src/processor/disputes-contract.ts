import type { PaymentHandle, ProcessorDisputes } from '@chairside/core';
import { describe, expect, it, type TestContext } from 'vitest';
import { ledgerOf, listedReturns, need, type Suite, value } from './suite.ts';

/** Disputes of captured payments (D45). */
export function disputesContract(suite: Suite): void {
  const { authorize, capture } = suite;

  /** Skips the test at a processor that does not list disputes, with the reason. */
  function disputesOf(test: TestContext): ProcessorDisputes {
    suite.needs(test, 'disputes');
    suite.needs(test, 'dispute');
    return need('disputes', suite.processor().disputes);
  }

  async function captured() {
    const payment = await authorize();
    await value(capture(payment));
    const { clientSecret: _secret, ...handle } = payment;
    return handle;
  }

  const contest = ({ reference }: { readonly reference: string }, amountMinor: bigint) =>
    need('dispute', suite.harness().dispute)(reference, amountMinor);

  describe('disputes', () => {
    it('are listed with their amount, in the currency of the payment', async (test) => {
      const disputes = disputesOf(test);
      const payment = await captured();
      expect(await value(disputes.list(payment))).toEqual([]);
      await contest(payment, 1003n);
      expect(await value(disputes.list(payment))).toMatchObject([
        {
          reference: expect.stringMatching(/./),
          state: 'open',
          amountMinor: 1003n,
          currency: suite.account().currency,
        },
      ]);
      expect(await value(disputes.list(await captured()))).toEqual([]);
    });

    it('are not shown for another installation', async (test) => {
      const disputes = disputesOf(test);
      const payment = await captured();
      await contest(payment, 1003n);
      const stranger: PaymentHandle = { ...payment, installation: 'another' };
      const seen = await disputes.list(stranger);
      if (seen.isOk()) expect(seen.value).toEqual([]);
    });

    it('are found by the span in which they were opened', async (test) => {
      const disputes = disputesOf(test);
      const [first, second] = [await captured(), await captured()];
      await captured();
      await contest(first, 1003n);
      await contest(second, 500n);
      const now = suite.harness().clock.now();
      const ledger = ledgerOf(suite.processor(), first.account);
      const { installation } = first;
      const found = async (openedFrom: number, openedBefore: number, of = installation) => {
        const span = { openedFrom, openedBefore, limit: 1 };
        const listed = await listedReturns(disputes, { ledger, installation: of, ...span });
        return listed.map(({ paymentId }) => paymentId).sort();
      };
      const both = [first.paymentId, second.paymentId].sort();
      expect(await found(now - 10_000, now + 10_000)).toEqual(both);
      expect(await found(now - 100_000, now - 50_000)).toEqual([]);
      expect(await found(now - 10_000, now + 10_000, 'another')).toEqual([]);
    });
  });
}
