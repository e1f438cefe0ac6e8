import { hourMs, secondMs } from '@chairside/core';
import { foreignReference, type PaymentHandle } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import {
  type Authorized,
  booksOf,
  itemsOf,
  type Opened,
  pagesOf,
  problem,
  type Suite,
  saysNothingWasDone,
  unreferenced,
  value,
} from './suite.ts';

/** A handle that is similar to a payment's own. */
interface Stranger {
  readonly who: string;
  of(payment: Authorized): Promise<PaymentHandle>;
}

/**
 * A handle identifies a payment by account, id and mark together, not by the reference alone. The
 * processor never shows a payment of another handle, and never reports it as captured or canceled.
 */
export function foreignContract(suite: Suite): void {
  const { begun, authorize, captured, capture, cancel, read, refundOf } = suite;

  const elsewhere = async (payment: PaymentHandle) => ({
    ...payment,
    account: (await suite.harness().newAccount()).id,
  });
  const another = (payment: PaymentHandle) => ({ ...payment, installation: 'another' });

  const strangers: readonly Stranger[] = [
    { who: 'another account', of: (payment) => elsewhere(unreferenced(payment)) },
    { who: 'another account, by reference', of: elsewhere },
    { who: 'another installation', of: async (payment) => another(unreferenced(payment)) },
    { who: 'another installation, by reference', of: async (payment) => another(payment) },
    {
      who: 'another payment, by reference',
      of: async ({ reference }) => ({ ...(await authorize()), reference }),
    },
    {
      who: 'a payment never opened, by reference',
      of: async ({ reference }) => begun({ reference }),
    },
  ];

  const expectUntouched = async (payment: PaymentHandle) =>
    expect(await read(payment)).toMatchObject({ status: 'authorized' });

  describe.each(strangers)('for $who', ({ of }) => {
    it('shows no payment', async () => {
      const payment = await authorize();
      const stranger = await of(payment);
      const seen = await suite.processor().readPayment(stranger);
      if (seen.isOk()) expect(seen.value).toBeUndefined();
      // An error reveals no entry either, where the reference is foreign.
      else expect(stranger.reference).toBeDefined();
      const claim = suite.processor().readPayment(stranger, payment.reference);
      expect(await problem(claim)).toEqual({ kind: 'rejected', reason: foreignReference });
    });

    it('reads no receipt', async (test) => {
      suite.needs(test, 'readReceipt');
      const receipt = await suite.processor().readReceipt(await of(await authorize()));
      if (receipt.isOk()) expect(receipt.value).toBeUndefined();
    });

    it('gives no money back, and lists no refund and no dispute', async (test) => {
      suite.needs(test, 'refunds');
      const { refunds, disputes } = suite.processor();
      const payment = await captured();
      await value(refunds.refund(refundOf(payment)));
      await suite.harness().dispute?.(payment.reference, 500n);
      const stranger = await of(payment);
      await problem(refunds.refund(refundOf(stranger)));
      for (const lists of [refunds, disputes]) {
        const listed = await lists?.list(stranger);
        if (listed?.isOk()) expect(listed.value).toEqual([]);
      }
      expect(await value(refunds.list(payment))).toHaveLength(1);
    });

    it('never reports a capture', async () => {
      const payment = await authorize();
      const stranger = await of(payment);
      const error = await problem(capture(stranger));
      if (saysNothingWasDone(error) || stranger.reference === undefined) {
        await expectUntouched(payment);
      }
    });

    it('never reports a cancelation', async () => {
      const payment = await authorize();
      const stranger = await of(payment);
      const answer = await cancel(stranger);
      if (answer.isOk()) expect(answer.value).toBeUndefined();
      else expect(stranger.reference).toBeDefined();
      if (answer.isOk() || saysNothingWasDone(answer.error)) await expectUntouched(payment);
    });
  });
}

/** Books that other systems use much more than we do (D27). */
export function busyContract(suite: Suite): void {
  const { begun, open, authorize, read } = suite;
  const it = suite.itNeeds('listPayments', 'advance');

  async function listAll(openedBefore: number, limit: number): Promise<readonly string[]> {
    const { account, installation, begunAt } = begun();
    const books = booksOf(suite.processor(), account);
    const request = { books, installation, openedFrom: begunAt - hourMs, openedBefore, limit };
    const pages = await pagesOf((asked) => suite.processor().listPayments(asked), request);
    return itemsOf(pages).map(({ paymentId }) => paymentId);
  }

  describe('in busy books', () => {
    it('each payment is listed once, and found by our own id', async () => {
      const { crowd = 20 } = suite.harness();
      const opened: Opened[] = [];
      const openInNextMoment = async () => {
        await suite.able('advance')(secondMs);
        opened.push(await authorize());
      };
      opened.push(await authorize());
      await openInNextMoment();
      const other = { installation: 'another' };
      for (let made = 0; made < crowd; made += 1) {
        await open(begun({ ...other }));
        if (made === Math.floor(crowd / 2)) opened.push(await authorize());
      }
      opened.push(await authorize());
      await openInNextMoment();
      const lastAt = suite.harness().clock.now();
      await openInNextMoment();
      const ids = opened.map(({ paymentId }) => paymentId);
      for (const limit of [20, 100]) {
        // The first span ends in the moment after the crowded one.
        const early = await listAll(lastAt + secondMs, limit);
        expect(early.toSorted()).toEqual(ids.slice(0, -1).toSorted());
        const all = await listAll(lastAt + hourMs, limit);
        expect(all.toSorted()).toEqual(ids.toSorted());
      }
      for (const payment of opened) {
        const { reference, status } = await read(unreferenced(payment));
        expect({ reference, status }).toEqual({
          reference: payment.reference,
          status: 'authorized',
        });
      }
    }, 60_000);
  });
}
