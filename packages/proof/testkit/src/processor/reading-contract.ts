import { hourMs, minuteMs, secondMs } from '@chairside/core';
import { foreignReference, type PaymentHandle } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import {
  type Authorized,
  itemsOf,
  type Opened,
  pagesOf,
  problem,
  type Suite,
  saysNothingWasDone,
  unreferenced,
  value,
} from './suite.ts';

/** The entry of a payment, and the owner of a reference (D16). */
export function readingContract(suite: Suite): void {
  const { needs, begun, open, authorize, capture, read } = suite;

  /** Two entries of one payment, opened under two keys. */
  async function openedTwice() {
    const { idempotencyKey, ...payment } = begun();
    const ask = (key: string) =>
      value(suite.processor().openPayment({ ...payment, idempotencyKey: key }));
    const first = await ask(idempotencyKey);
    const second = await ask(suite.key());
    expect(second.clientSecret).not.toBe(first.clientSecret);
    return { first, second, payment };
  }

  describe('reading', () => {
    it('returns no entry of a payment that was never opened', async () => {
      expect(await value(suite.processor().readPayment(begun()))).toBeUndefined();
    });

    it("states the processor's time, and when the payment was opened", async () => {
      needs('processorTime');
      const payment = await authorize();
      const { openedAt = 0, at = 0 } = await read(payment);
      // Some processors count whole seconds.
      expect(Math.abs(openedAt - payment.begunAt)).toBeLessThan(minuteMs);
      expect(at).toBeGreaterThanOrEqual(openedAt);
      await suite.able('advance')(hourMs);
      const later = await read(payment);
      expect(later.openedAt).toBe(openedAt);
      expect(Math.abs((later.at ?? 0) - at - hourMs)).toBeLessThan(minuteMs);
    });

    it("accepts a payment's own reference, known before or not", async () => {
      const { reference, ...unreferenced } = await authorize();
      const expected = { reference, status: 'authorized' };
      expect(await read({ ...unreferenced, reference }, reference)).toMatchObject(expected);
      expect(await read(unreferenced, reference)).toMatchObject(expected);
    });

    it("accepts a payment's own reference before a card was presented, if the opening names it", async () => {
      needs('readBeforeCard');
      const { reference, ...unreferenced } = await open();
      if (reference === undefined) return;
      for (const handle of [unreferenced, { ...unreferenced, reference }]) {
        expect(await read(handle, reference)).toMatchObject({ reference, status: 'created' });
      }
    });

    describe('of a payment that was opened twice', () => {
      const ends = [
        { newer: undefined, older: 'approve', status: 'authorized' },
        { newer: 'approve', older: undefined, status: 'authorized' },
        { newer: 'decline', older: 'approve', status: 'authorized' },
        { newer: 'cancel', older: 'approve', status: 'authorized' },
        { newer: undefined, older: 'decline', status: 'failed' },
        { newer: 'cancel', older: undefined, status: 'created' },
      ] as const;
      const capabilities = { decline: 'decline', cancel: 'cancelAtTerminal' } as const;

      // The first call may be applied after a read that found nothing.
      for (const { newer, older, status } of ends) {
        const named = `newer ${newer ?? 'without a card'}, older ${older ?? 'without a card'}`;
        it(`shows the one that went furthest: ${named}`, async () => {
          needs('readBeforeCard');
          for (const card of [newer, older]) {
            if (card === 'decline' || card === 'cancel') needs(capabilities[card]);
          }
          const { first, second, payment } = await openedTwice();
          if (newer !== undefined) await suite.harness().present(second.clientSecret, newer);
          if (older !== undefined) await suite.harness().present(first.clientSecret, older);
          const seen = await read(payment);
          expect(seen.status).toBe(status);
          const furthest = newer === 'approve' ? second : first;
          expect(seen.clientSecret).toBe(furthest.clientSecret);
        });
      }

      it('shows the captured one beside an authorized one', async () => {
        const { first, second, payment } = await openedTwice();
        const reference = await suite.harness().present(first.clientSecret, 'approve');
        await suite.harness().present(second.clientSecret, 'approve');
        await value(capture({ ...payment, reference }));
        expect(await read(payment)).toMatchObject({ status: 'captured', reference });
      });
    });

    it('rejects a reference of another payment, and an unknown one', async () => {
      const [mine, other] = [await authorize(), await authorize()];
      const { reference, ...unreferenced } = mine;
      const foreign = { kind: 'rejected', reason: foreignReference };
      for (const payment of [mine, unreferenced]) {
        for (const claimed of [other.reference, `${reference}x`, 'nothing', '']) {
          const claim = suite.processor().readPayment(payment, claimed);
          expect(await problem(claim), `claiming ${claimed}`).toEqual(foreign);
        }
      }
    });
  });
}

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

    it('reads no receipt', async () => {
      suite.needs('readReceipt');
      const receipt = await suite.processor().readReceipt(await of(await authorize()));
      if (receipt.isOk()) expect(receipt.value).toBeUndefined();
    });

    it('gives no money back, and lists no refund and no dispute', async () => {
      suite.needs('refunds');
      const { refunds, disputes } = suite.processor();
      const payment = await captured();
      await value(refunds.refund(refundOf(payment)));
      await suite.harness().dispute?.(payment.reference, 500n);
      const stranger = await of(payment);
      await problem(refunds.refund(refundOf(stranger)));
      for (const lists of [refunds, disputes]) {
        const listed = await lists.list(stranger);
        if (listed.isOk()) expect(listed.value).toEqual([]);
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
    const request = suite.recent({ openedBefore, limit });
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
