import type { ListedPage, ListedPayment, ListRequest } from '@chairside/core';
import { overWire, refunding, type WrongProcessor, wrapping } from './wrong-processor.ts';

const pages = 'listing payments lists every payment once, oldest first, page by page';
const allRefunds = 'refunds are all listed where a page does not hold them';
const recent = 'refunds are found by the span in which they were made';

const asking = (change: (request: ListRequest) => ListRequest) =>
  wrapping((right) => ({ listPayments: (request) => right.listPayments(change(request)) }));

const answering = (change: (page: ListedPage<ListedPayment>) => ListedPage<ListedPayment>) =>
  wrapping((right) => ({ listPayments: (request) => right.listPayments(request).map(change) }));

/** Only the first page of this list is asked for. */
const forgetting = (isMeant: (url: URL) => boolean) =>
  overWire(async (request, send) => {
    const reply = await send(request);
    const isForgotten = request.method === 'GET' && isMeant(request.url);
    return isForgotten ? { ...reply, body: { ...reply.body, next: null } } : reply;
  });

/** They leave out entries, or show others'. */
export const processorsThatForget: readonly WrongProcessor[] = [
  {
    fault: 'forgets the pages of payments after the first',
    caughtBy: pages,
    open: answering(({ cursor: _cursor, ...page }) => page),
  },
  {
    fault: 'begins each page of payments at the start',
    caughtBy: pages,
    open: asking(({ cursor: _cursor, ...request }) => request),
  },
  {
    fault: 'forgets the first payment of each page',
    caughtBy: pages,
    open: answering((page) => ({ ...page, items: page.items.slice(1) })),
  },
  {
    fault: 'lists the payments of a page newest first',
    caughtBy: pages,
    open: answering((page) => ({ ...page, items: page.items.toReversed() })),
  },
  {
    fault: 'lists payments in the state in which they were opened',
    caughtBy: 'listing payments shows each payment as a read does',
    open: answering((page) => ({
      ...page,
      items: page.items.map((item) => ({ ...item, status: 'created' })),
    })),
  },
  {
    fault: 'lists more payments than asked for',
    caughtBy: pages,
    open: asking((request) => ({ ...request, limit: 100 })),
  },
  {
    fault: 'lists payments of another installation',
    caughtBy: 'listing payments hides payments with the mark of another installation',
    open: wrapping((right) => ({
      listPayments: (request) =>
        right
          .listPayments(request)
          .andThen((page) =>
            right
              .listPayments({ ...request, installation: 'another' })
              .map(({ items }) => ({ ...page, items: [...page.items, ...items].slice(0, 2) })),
          ),
    })),
  },
  {
    fault: 'lists payments of all times',
    caughtBy: 'listing payments hides payments that were opened before or after the span',
    open: asking((request) => ({ ...request, openedFrom: 0, openedBefore: 1e15 })),
  },
  {
    fault: 'lists the refunds of another installation',
    caughtBy: recent,
    open: refunding((right, { orders }) => ({
      listRecent: (request) =>
        right.listRecent({ ...request, installation: orders[0]?.source ?? request.installation }),
    })),
  },
  {
    fault: 'hides the refunds of a page with one that it cannot read',
    caughtBy: 'refunds are not hidden by one that cannot be read',
    open: refunding((right) => ({
      listRecent: (request) =>
        right
          .listRecent(request)
          .map((page) => (page.skipped === undefined ? page : { ...page, items: [] })),
    })),
  },
  {
    fault: 'forgets the pages of refunds after the first',
    caughtBy: allRefunds,
    open: forgetting(({ pathname }) => /\/sales\/.*\/refunds$/.test(pathname)),
  },
  {
    fault: 'forgets the pages of recent refunds after the first',
    caughtBy: allRefunds,
    open: forgetting(({ pathname }) => /merchants\/[^/]+\/refunds$/.test(pathname)),
  },
  {
    fault: 'forgets refunds that were made elsewhere',
    caughtBy: 'refunds are listed with those that were made elsewhere',
    open: refunding((right) => ({
      list: (payment) =>
        right
          .list(payment)
          .map((listed) => listed.filter(({ refundId }) => refundId !== undefined)),
    })),
  },
  {
    fault: 'shows refunds that were made elsewhere as its own',
    caughtBy: 'refunds are listed with those that were made elsewhere',
    open: refunding((right) => ({
      list: (payment) =>
        right
          .list(payment)
          .map((listed) => listed.map((refund) => ({ refundId: 'refund', ...refund }))),
    })),
  },
  {
    fault: 'shows refunds without its mark',
    caughtBy: 'refunds give parts of a captured payment back, each with our mark',
    open: refunding((right) => ({
      list: (payment) =>
        right.list(payment).map((listed) => listed.map(({ refundId: _mark, ...refund }) => refund)),
    })),
  },
  {
    fault: 'finds recent refunds of all times',
    caughtBy: recent,
    open: refunding((right) => ({
      listRecent: (request) => right.listRecent({ ...request, openedFrom: 0 }),
    })),
  },
  {
    fault: 'finds no recent refund that was made elsewhere',
    caughtBy: recent,
    open: refunding((right, tally) => ({
      listRecent: (request) =>
        right.listRecent(request).map((found) => ({
          ...found,
          items: found.items.filter(({ paymentId }) =>
            tally.orders.some(
              ({ number, refunds }) =>
                number === paymentId && refunds.some(({ note }) => note !== undefined),
            ),
          ),
        })),
    })),
  },
];
