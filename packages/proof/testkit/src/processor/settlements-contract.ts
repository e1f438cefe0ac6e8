import { hourMs, minuteMs } from '@chairside/core';
import type {
  ListedEntry,
  ListedPayout,
  ListRequest,
  ProcessorSettlements,
  RefundPaymentRequest,
} from '@chairside/core/ports';
import { describe, expect } from 'vitest';
import {
  type Authorized,
  amountMinor,
  booksOf,
  itemsOf,
  need,
  pagesOf,
  problem,
  rejected,
  type Suite,
  value,
} from './suite.ts';

/** The changes of an account's balance, and its payouts (D50). */
export function settlementsContract(suite: Suite): void {
  const { authorize, open, capture, captured, cancel, begun, refundOf } = suite;
  const it = suite.itNeeds('settlements');

  const lists = (): ProcessorSettlements => need('settlements', suite.processor().settlements);

  /** All times since the test has begun. A real processor follows its own clock. */
  function request(more: Partial<ListRequest> = {}): ListRequest {
    return suite.recent({ openedFrom: begun().begunAt - 60 * 24 * hourMs, ...more });
  }

  const entries = async (more?: Partial<ListRequest>): Promise<readonly ListedEntry[]> =>
    itemsOf(await pagesOf((asked) => lists().listEntries(asked), request(more)));
  const payouts = async (more?: Partial<ListRequest>): Promise<readonly ListedPayout[]> =>
    itemsOf(await pagesOf((asked) => lists().listPayouts(asked), request(more)));
  const pagesOfPayout = (payout: string) =>
    pagesOf((asked) => lists().listEntries({ ...asked, payout }), request());

  /** Pays the account out. The payout is on its way. */
  const payOut = () => suite.able('payOut')(suite.account().id);
  const advance = (ms: number) => suite.able('advance')(ms);

  /** Refunds a part, to the end of a refund that is pending. Returns the refund's reference. */
  async function refundToEnd(payment: Authorized, more: Partial<RefundPaymentRequest> = {}) {
    const { refunds } = suite.processor();
    const { reference, state } = await value(refunds.refund(refundOf(payment, more)));
    if (state === 'pending') {
      await suite.harness().endRefund?.(payment.reference, reference, 'succeeded');
    }
    return reference;
  }

  /** The payouts that are on their way, with their entries. */
  async function payoutsWithEntries() {
    const listed = await payouts();
    return Promise.all(
      listed.map(async (payout) => {
        const pages = await pagesOfPayout(payout.reference);
        const items = itemsOf(pages);
        const othersMinor = pages.reduce((sum, page) => sum + (page.othersMinor ?? 0n), 0n);
        const repaid = pages.flatMap((page) => page.repaid ?? []);
        return { payout, items, repaid, sum: items.reduce(addNet, othersMinor) };
      }),
    );
  }

  describe('the entries of a balance', () => {
    it('show a captured payment once, with the fee that the processor keeps', async () => {
      const { paymentId, reference, account } = await captured();
      const [entry, ...others] = await entries();
      expect(others).toEqual([]);
      expect(entry).toEqual({
        account,
        kind: 'payment',
        paymentId,
        reference: expect.stringMatching(/./),
        subject: reference,
        currency: suite.account().currency,
        amountMinor,
        processorFeeMinor: expect.any(BigInt),
        applicationFeeMinor: 0n,
        openedAt: expect.any(Number),
      });
      const { processorFeeMinor = -1n, openedAt = 0 } = entry ?? {};
      expect(processorFeeMinor >= 0n && processorFeeMinor < amountMinor).toBe(true);
      expect(Math.abs(openedAt - suite.harness().clock.now())).toBeLessThan(minuteMs);
    });

    it('show no payment that was not captured', async () => {
      await open();
      await authorize();
      await value(cancel(await authorize()));
      expect(await entries()).toEqual([]);
    });

    it("tell the platform's fee from the processor's", async () => {
      suite.needs('fees');
      await captured();
      await captured(begun({ applicationFeeMinor: 100n }));
      const found = await entries();
      const fees = found.map(({ applicationFeeMinor }) => applicationFeeMinor);
      expect(fees.toSorted((a, b) => Number(a - b))).toEqual([0n, 100n]);
      expect(new Set(found.map(({ processorFeeMinor }) => processorFeeMinor)).size).toBe(1);
    });

    for (const returnsFee of [true, false]) {
      const what = returnsFee ? 'returns' : 'keeps';
      it(`show a refund that ${what} the fee of the platform`, async () => {
        suite.needs('fees', 'refunds', 'endRefund');
        const payment = await captured(begun({ applicationFeeMinor: 100n }));
        await refundToEnd(payment, { amountMinor, returnsFee });
        const given = (await entries()).filter(({ kind }) => kind === 'refund');
        expect(given).toMatchObject([{ amountMinor: -amountMinor }]);
        // Some processors return it in an entry of the platform alone.
        const [{ applicationFeeMinor } = { applicationFeeMinor: undefined }] = given;
        expect(returnsFee ? [-100n, 0n] : [0n]).toContain(applicationFeeMinor);
      });
    }

    it('show a refund as an amount that leaves, and as one that returns if it fails', async () => {
      suite.needs('refunds');
      const payment = await captured();
      const subject = await refundToEnd(payment);
      const { paymentId } = payment;
      const refund = { kind: 'refund', paymentId, subject, currency: suite.account().currency };
      const given = async () => (await entries()).filter(({ kind }) => kind === 'refund');
      expect(await given()).toMatchObject([{ ...refund, amountMinor: -1003n }]);
      await suite.able('endRefund')(payment.reference, subject, 'failed');
      const amounts = (await given()).map((entry) => entry.amountMinor);
      expect(amounts.toSorted((a, b) => Number(a - b))).toEqual([-1003n, 1003n]);
      expect(await given()).toMatchObject([refund, refund]);
    });

    it('show each change, although there are many of one payment', async () => {
      suite.needs('refunds');
      const payment = await captured();
      const { refundsPerPage = 10 } = suite.harness();
      const { refunds } = suite.processor();
      for (let count = 0; count <= refundsPerPage; count += 1) {
        await value(refunds.refund(refundOf(payment, { amountMinor: 1n })));
      }
      const found = await entries({ limit: 20 });
      expect(found).toHaveLength(refundsPerPage + 2);
      expect(new Set(found.map(({ reference }) => reference)).size).toBe(refundsPerPage + 2);
    });

    it("state the processor's time", async () => {
      suite.needs('processorTime');
      const { at = 0 } = await value(lists().listEntries(request()));
      expect(Math.abs(at - suite.harness().clock.now())).toBeLessThan(minuteMs);
    });

    it('show a dispute as an amount that leaves, and as one that returns if it is won', async () => {
      const { reference, paymentId } = await captured();
      await suite.able('dispute')(reference, 1003n);
      const taken = async () => (await entries()).filter(({ kind }) => kind === 'dispute');
      const [first, ...none] = await taken();
      expect(none).toEqual([]);
      expect(first).toMatchObject({ paymentId, amountMinor: -1003n });
      expect((first?.processorFeeMinor ?? -1n) >= 0n).toBe(true);
      await suite.able('closeDispute')(reference, first?.subject ?? '', 'won');
      const amounts = (await taken()).map((entry) => entry.amountMinor);
      expect(amounts.toSorted((a, b) => Number(a - b))).toEqual([-1003n, 1003n]);
      expect(new Set((await taken()).map(({ subject }) => subject)).size).toBe(1);
    });

    it('are listed once each, oldest first, and never change', async () => {
      suite.needs('advance');
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) {
        made.push((await captured()).paymentId);
        await advance(minuteMs);
      }
      const before = await entries();
      expect(before.map(({ paymentId }) => paymentId)).toEqual(made);
      expect(new Set(before.map(({ reference }) => reference)).size).toBe(5);
      await advance(24 * hourMs);
      for (const limit of [1, 2, 5, 100]) {
        expect(await entries({ limit }), `limit ${limit}`).toEqual(before);
      }
    });

    it('are found by the time when the balance changed', async () => {
      await captured();
      const [{ openedAt } = { openedAt: 0 }] = await entries();
      const found = async (openedFrom: number, openedBefore: number) =>
        (await entries({ openedFrom, openedBefore })).length;
      expect(await found(openedAt, openedAt + 1000)).toBe(1);
      expect(await found(openedAt - hourMs, openedAt)).toBe(0);
      expect(await found(openedAt + 1000, openedAt + hourMs)).toBe(0);
    });

    it('belong to one installation, and to one set of books', async () => {
      await captured();
      expect(await entries()).toHaveLength(1);
      expect(await entries({ installation: 'another' })).toEqual([]);
      const { id } = await suite.harness().newAccount();
      const books = booksOf(suite.processor(), id);
      const isShared = books === booksOf(suite.processor(), suite.account().id);
      expect(await entries({ books })).toHaveLength(isShared ? 1 : 0);
    });
  });

  const itPays = suite.itNeeds('settlements', 'payOut', 'advance');

  describe('payouts', () => {
    itPays('pay each entry once, and are the sum of what they pay', async () => {
      for (let count = 0; count < 3; count += 1) await captured();
      await payOut();
      const found = await payoutsWithEntries();
      expect(found.length).toBeGreaterThan(0);
      for (const { payout, sum } of found) {
        expect(payout.currency).toBe(suite.account().currency);
        expect(sum).toBe(payout.amountMinor);
      }
      const paid = found.flatMap(({ items }) => items).sort(byReference);
      expect(paid).toEqual([...(await entries())].sort(byReference));
      expect(found.flatMap(({ repaid }) => repaid)).toEqual([]);
    });

    itPays('are on their way until they arrive', async () => {
      await captured();
      await payOut();
      const { clock } = suite.harness();
      const [payout] = await payouts();
      expect(payout).toEqual({
        reference: expect.stringMatching(/./),
        currency: suite.account().currency,
        amountMinor: expect.any(BigInt),
        state: 'pending',
        isItemized: true,
        arrivesAt: expect.any(Number),
        openedAt: expect.any(Number),
      });
      const { arrivesAt = 0, openedAt = 0 } = payout ?? {};
      expect(arrivesAt).toBeGreaterThan(clock.now());
      expect(openedAt).toBeLessThanOrEqual(clock.now());
      await advance(arrivesAt - clock.now());
      expect(await payouts()).toEqual([{ ...payout, state: 'paid' }]);
    });

    itPays('are found by the time when they were made, for one account', async () => {
      await captured();
      await payOut();
      const [{ openedAt } = { openedAt: 0 }] = await payouts();
      expect(await payouts({ openedFrom: openedAt, openedBefore: openedAt + 1000 })).toHaveLength(
        1,
      );
      expect(await payouts({ openedBefore: openedAt })).toEqual([]);
      const { id } = await suite.harness().newAccount();
      expect(await payouts({ books: booksOf(suite.processor(), id) })).toEqual([]);
    });

    itPays('are listed once each, oldest first, on more than one page', async () => {
      const { payoutsToList = 5 } = suite.harness();
      for (let count = 0; count < payoutsToList; count += 1) {
        await captured();
        await payOut();
      }
      const openedFrom = begun().begunAt - 4000 * 24 * hourMs;
      for (const limit of [2, 100]) {
        const listed = await payouts({ limit, openedFrom });
        expect(listed, `limit ${limit}`).toHaveLength(payoutsToList);
        const times = listed.map(({ openedAt }) => openedAt);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        expect(new Set(listed.map(({ reference }) => reference)).size).toBe(payoutsToList);
      }
    });

    itPays('are listed once each, also in two currencies', async () => {
      const other = suite.account().currency === 'eur' ? 'usd' : 'eur';
      for (const currency of [suite.account().currency, other, suite.account().currency]) {
        const asked = begun({ currency });
        const opened = await suite.processor().openPayment(asked);
        // An account may take one currency only.
        if (opened.isErr()) return;
        const reference = await suite.harness().present(opened.value.clientSecret, 'approve');
        await value(capture({ ...asked, reference }, { currency }));
        await payOut();
      }
      const all = await payouts({ limit: 100 });
      expect(all).toHaveLength(3);
      const times = all.map(({ openedAt }) => openedAt);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(await payouts({ limit: 1 })).toEqual(all);
    });

    itPays("hold the part of the platform's fee that a refund returns", async () => {
      suite.needs('fees', 'refunds');
      for (const returnsFee of [true, false]) {
        const payment = await captured(begun({ applicationFeeMinor: 300n }));
        await refundToEnd(payment, { amountMinor: amountMinor / 3n, returnsFee });
        await payOut();
      }
      // The entry of a refund need not show the fee: some processors return it apart.
      const [returned = 0n, kept = 0n] = (await payouts()).map((payout) => payout.amountMinor);
      expect(returned - kept).toBe(100n);
    });

    itPays('have entries that reject a cursor that they cannot read', async () => {
      await captured();
      await payOut();
      const asked = request({ cursor: 'not a cursor' });
      const [{ reference: payout } = { reference: '' }] = await payouts();
      expect(await problem(lists().listEntries({ ...asked, payout }))).toEqual(rejected);
    });

    itPays('leave entries of another installation to the others', async () => {
      await captured(begun({ installation: 'another' }));
      const { paymentId } = await captured();
      // On a later page as well.
      for (let count = 0; count < 2; count += 1) {
        await captured(begun({ installation: 'another' }));
      }
      await payOut();
      const [found] = await payoutsWithEntries();
      expect(found?.items.map((item) => item.paymentId)).toEqual([paymentId]);
      expect(found?.sum).toBe(found?.payout.amountMinor);
    });

    itPays('that fail are paid again by one that names them', async () => {
      suite.needs('failPayout');
      await captured();
      await payOut();
      const [first] = await payouts();
      const { reference = '', amountMinor: paid = 0n } = first ?? {};
      await suite.able('failPayout')(suite.account().id, reference);
      expect(await payouts()).toEqual([
        { ...first, state: 'failed', failure: expect.stringMatching(/./) },
      ]);
      await payOut();
      const [, again] = await payoutsWithEntries();
      expect(again).toMatchObject({ items: [], repaid: [reference], sum: paid });
      expect(again?.payout.amountMinor).toBe(paid);
    });

    itPays('name a failed one once, although they pay more than a page holds', async () => {
      suite.needs('failPayout');
      await captured();
      await payOut();
      const [{ reference } = { reference: '' }] = await payouts();
      for (let count = 0; count < 5; count += 1) await captured();
      // They are nearly available, so that one payout pays them and the failed one.
      await advance(60 * hourMs);
      await suite.able('failPayout')(suite.account().id, reference);
      await payOut();
      const found = await payoutsWithEntries();
      expect(found.flatMap(({ items }) => items)).toHaveLength(6);
      expect(found.flatMap(({ repaid }) => repaid)).toEqual([reference]);
      for (const { payout, sum } of found) expect(sum).toBe(payout.amountMinor);
    });
  });
}

const byReference = (a: ListedEntry, b: ListedEntry) => (a.reference < b.reference ? -1 : 1);

const addNet = (sum: bigint, entry: ListedEntry) =>
  sum + entry.amountMinor - entry.processorFeeMinor - entry.applicationFeeMinor;
