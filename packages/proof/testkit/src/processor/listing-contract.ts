import { hourMs, minuteMs, secondMs } from '@chairside/core';
import type { ListRequest } from '@chairside/core/ports';
import { describe, expect } from 'vitest';
import { amountMinor, booksOf, itemsOf, type Opened, pagesOf, type Suite, value } from './suite.ts';

/** The lists for a sweep (D27). */
export function listingContract(suite: Suite): void {
  const { needs, begun, open, authorize, recent } = suite;
  const it = suite.itNeeds('listPayments');

  const books = (account: string) => booksOf(suite.processor(), account);

  const list = (more?: Partial<ListRequest>) => value(suite.processor().listPayments(recent(more)));

  /** All pages, one after the other. */
  const listAll = async (limit = 2, between?: (pages: number) => Promise<unknown>) =>
    itemsOf(
      await pagesOf((asked) => suite.processor().listPayments(asked), recent({ limit }), between),
    );

  const ids = (items: readonly { readonly paymentId: string }[]) =>
    items.map(({ paymentId }) => paymentId).sort();

  async function openFive(): Promise<readonly Opened[]> {
    const opened: Opened[] = [];
    while (opened.length < 5) {
      opened.push(await authorize());
      // Payments of one moment have no order.
      await suite.harness().advance?.(secondMs);
    }
    return opened;
  }

  describe('listing payments', () => {
    it('lists every payment once, oldest first, page by page', async () => {
      const opened = await openFive();
      const listed = await listAll();
      expect(ids(listed)).toEqual(ids(opened));
      const times = listed.map(({ openedAt }) => openedAt);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    it('names the visit that a payment was opened for, if it names one', async () => {
      const child = { appointmentId: 'child', barberId: 'ben', amount: '0.01' };
      const own = { appointmentId: 'haircut', businessId: 'shop', barberId: 'ada' };
      const visit = { ...own, alsoPays: [child] };
      const { paymentId } = await authorize(begun({ visit }));
      const listed = (await listAll()).find((item) => item.paymentId === paymentId);
      expect(listed?.visit ?? visit).toEqual(visit);
    });

    it('lists every payment of one moment once, on more pages than five', async () => {
      const opened = [];
      for (let i = 0; i < 7; i += 1) opened.push(await authorize());
      for (const limit of [1, 3]) expect(ids(await listAll(limit))).toEqual(ids(opened));
    });

    it('neither loses nor repeats a payment while others change and are added', async () => {
      const opened = await openFive();
      const listed = await listAll(2, async (pages) => {
        const changed = opened[pages - 1];
        if (changed !== undefined) await value(suite.cancel(changed));
        await authorize(begun({ installation: 'another' }));
        if (pages === 1) await authorize();
      });
      const known = ids(listed).filter((id) => opened.some(({ paymentId }) => paymentId === id));
      expect(known).toEqual(ids(opened));
      expect(new Set(ids(listed)).size).toBe(listed.length);
    });

    it('includes the beginning of its span, and excludes the end', async () => {
      await authorize();
      const [item] = (await list()).items;
      const at = item?.openedAt ?? 0;
      const spans = [
        { openedFrom: at, openedBefore: at + secondMs, count: 1 },
        { openedFrom: at - hourMs, openedBefore: at, count: 0 },
        { openedFrom: at + 1, openedBefore: at + hourMs, count: 0 },
      ];
      for (const { count, ...span } of spans) {
        expect((await list(span)).items, JSON.stringify(span)).toHaveLength(count);
      }
    });

    it('finds a payment behind a hundred of another installation', async () => {
      for (let i = 0; i <= 100; i += 1) await open(begun({ installation: 'another' }));
      const mine = await authorize();
      expect(ids(await listAll())).toEqual(ids([mine]));
    });

    it('goes on with a cursor in another instance', async () => {
      const opened = [];
      for (let i = 0; i < 3; i += 1) opened.push(await authorize());
      const { items, cursor = '' } = await list();
      const second = await suite.able('second')();
      const rest = await value(second.listPayments(recent({ cursor })));
      expect(ids([...items, ...rest.items])).toEqual(ids(opened));
    });

    it('names a payment that it cannot read, and hides no other', async () => {
      const [first, spoiled, last] = [await authorize(), await authorize(), await authorize()];
      await suite.able('spoil')(spoiled.reference);
      const { reference, account } = spoiled;
      const { items, unreadable = [], skipped = [] } = await list({ limit: 10 });
      for (const listed of [items, await listAll(1)])
        expect(ids(listed)).toEqual(ids([first, last]));
      const named = [...unreadable, ...skipped].map((one) => one.reference);
      expect(named).toEqual([reference]);
      for (const { openedAt } of unreadable) {
        expect(Math.abs(openedAt - suite.harness().clock.now())).toBeLessThan(minuteMs);
      }
      for (const one of unreadable) {
        expect(one).toEqual({ account, reference, openedAt: expect.any(Number) });
      }
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

    it("states the processor's time, on an empty page too", async () => {
      needs('processorTime');
      const now = suite.harness().clock.now();
      expect(Math.abs(((await list()).at ?? 0) - now)).toBeLessThan(minuteMs);
      await authorize();
      const [item] = (await list()).items;
      expect(Math.abs((item?.at ?? 0) - now)).toBeLessThan(minuteMs);
    });

    it('shows the payments of another account only if it shares the books', async () => {
      const mine = await authorize();
      const { id: account } = await suite.harness().newAccount();
      const other = books(account);
      const isShared = other === books(begun().account);
      expect(ids((await list({ books: other })).items)).toEqual(isShared ? ids([mine]) : []);
      const theirs = await authorize(begun({ account }));
      const both = (await list({ books: other })).items.map((item) => [
        item.account,
        item.paymentId,
      ]);
      const expected = [...(isShared ? [mine] : []), theirs];
      expect(both.sort()).toEqual(expected.map((one) => [one.account, one.paymentId]).sort());
    });

    it('returns the name of books that are their own', () => {
      const named = books(begun().account);
      expect(books(named)).toBe(named);
    });
  });
}
