import {
  hourMs,
  type ListedPage,
  type ListedPayment,
  type ListRequest,
  minuteMs,
  secondMs,
} from '@chairside/core';
import { describe, expect } from 'vitest';
import { amountMinor, ledgerOf, type Suite, value } from './suite.ts';

/** The lists for a sweep (D27). */
export function listingContract(suite: Suite): void {
  const { needs, begun, authorize } = suite;
  const it = suite.itNeeds('listPayments');

  const ledger = (account: string) => ledgerOf(suite.processor(), account);

  /** Some hours around now, because a real processor follows its own clock. */
  const request = (more: Partial<ListRequest> = {}): ListRequest => {
    const { account, installation, begunAt } = begun();
    const [openedFrom, openedBefore] = [begunAt - hourMs, begunAt + hourMs];
    return { ledger: ledger(account), installation, openedFrom, openedBefore, limit: 2, ...more };
  };

  const list = (more?: Partial<ListRequest>) =>
    value(suite.processor().listPayments(request(more)));

  /** All pages, one after the other. */
  async function listAll(): Promise<readonly ListedPayment[]> {
    const listed: ListedPayment[] = [];
    let page = await list();
    for (let pages = 0; pages < 10; pages += 1) {
      expect(page.items.length).toBeLessThanOrEqual(2);
      listed.push(...page.items);
      if (page.cursor === undefined) return listed;
      page = await list({ cursor: page.cursor });
    }
    throw new Error('the listing has no end');
  }

  /** The items of a page, without its time. */
  const pageOf = ({ at: _at, ...page }: ListedPage<ListedPayment>) => page;

  const ids = (items: readonly { readonly paymentId: string }[]) =>
    items.map(({ paymentId }) => paymentId).sort();

  describe('listing payments', () => {
    it('lists every payment once, oldest first, page by page', async () => {
      const opened = [];
      for (let i = 0; i < 5; i += 1) {
        opened.push(await authorize());
        // Payments of one moment have no order.
        await suite.harness().advance?.(secondMs);
      }
      const listed = await listAll();
      expect(ids(listed)).toEqual(ids(opened));
      const times = listed.map(({ openedAt }) => openedAt);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    it('ends when a page is exactly full', async () => {
      const opened = [await authorize(), await authorize()];
      expect(ids(await listAll())).toEqual(ids(opened));
    });

    it('shows each payment as a read does', async () => {
      const payment = await authorize();
      const seen = await value(suite.processor().readPayment(payment));
      expect(seen).toMatchObject({ status: 'authorized', amountMinor });
      const { items } = await list();
      expect(items).toEqual([
        {
          ...seen,
          ...(seen?.at !== undefined && { at: expect.any(Number) }),
          paymentId: payment.paymentId,
          openedAt: expect.any(Number),
        },
      ]);
    });

    it("states the processor's time, on an empty page too", async (test) => {
      needs(test, 'processorTime');
      const now = suite.harness().clock.now();
      expect(Math.abs(((await list()).at ?? 0) - now)).toBeLessThan(minuteMs);
      await authorize();
      const [item] = (await list()).items;
      expect(Math.abs((item?.at ?? 0) - now)).toBeLessThan(minuteMs);
    });

    it('hides payments with the mark of another installation', async () => {
      await authorize({ ...begun(), installation: 'another' });
      const mine = await authorize();
      expect(ids(await listAll())).toEqual(ids([mine]));
    });

    it('shows the payments of another account only if it shares the ledger', async () => {
      const mine = await authorize();
      const { id: account } = await suite.harness().newAccount();
      const other = ledger(account);
      const isShared = other === ledger(begun().account);
      expect(ids((await list({ ledger: other })).items)).toEqual(isShared ? ids([mine]) : []);
      const theirs = await authorize({ ...begun(), account });
      const both = (await list({ ledger: other })).items.map((item) => [
        item.account,
        item.paymentId,
      ]);
      const expected = [...(isShared ? [mine] : []), theirs];
      expect(both.sort()).toEqual(expected.map((one) => [one.account, one.paymentId]).sort());
    });

    it('returns a ledger id that is its own ledger', () => {
      const named = ledger(begun().account);
      expect(ledger(named)).toBe(named);
    });

    it('hides payments that were opened before or after the span', async () => {
      const { begunAt } = await authorize();
      const spans = [begunAt - 2 * hourMs, begunAt + hourMs].map((openedFrom) => {
        return { openedFrom, openedBefore: openedFrom + hourMs };
      });
      for (const span of spans) expect(pageOf(await list(span))).toEqual({ items: [] });
    });
  });
}
