import type { ListedPage, ListedPayment, ListRequest } from '@chairside/core/ports';
import { refunding, type WrongProcessor, wrapping } from './wrong-processor.ts';

const pages = 'listing payments lists every payment once, oldest first, page by page';
const recent = 'refunds are found by the span in which they were made';

const asking = (change: (request: ListRequest) => ListRequest) =>
  wrapping((right) => ({ listPayments: (request) => right.listPayments(change(request)) }));

const answering = (change: (page: ListedPage<ListedPayment>) => ListedPage<ListedPayment>) =>
  wrapping((right) => ({ listPayments: (request) => right.listPayments(request).map(change) }));

/** They leave out entries, or show others'. */
export const processorsThatForget: readonly WrongProcessor[] = [
  {
    fault: 'forgets the pages of payments after the first',
    caughtBy: [
      pages,
      'listing payments goes on with a cursor in another instance',
      'listing payments lists every payment of one moment once, on more pages than five',
    ],
    open: answering(({ cursor: _cursor, ...page }) => page),
  },
  {
    fault: 'forgets the first payment of each page',
    caughtBy: [
      pages,
      'events about a copy in another account are not about the payment',
      'listing payments shows each payment as a read does',
      'listing payments finds a payment behind a hundred of another installation',
      'listPayments without an answer never says that there is none: rateLimit',
      'listing payments names a payment that it cannot read, and hides no other',
    ],
    open: answering((page) => ({ ...page, items: page.items.slice(1) })),
  },
  {
    fault: 'begins again at a cursor that it cannot read',
    caughtBy: ['listPayments rejects a cursor that it cannot read'],
    open: asking(({ cursor, ...request }) =>
      cursor === undefined || cursor === 'not a cursor' ? request : { ...request, cursor },
    ),
  },
  {
    fault: 'lists payments of all times',
    caughtBy: ['listing payments includes the beginning of its span, and excludes the end'],
    open: asking((request) => ({ ...request, openedFrom: 0, openedBefore: 1e15 })),
  },
  {
    fault: 'lists the refunds of another installation',
    caughtBy: [recent],
    open: refunding((right, { orders }) => ({
      listRecent: (request) =>
        right.listRecent({ ...request, installation: orders[0]?.source ?? request.installation }),
    })),
  },
  {
    fault: 'hides the refunds of a page with one that it cannot read',
    caughtBy: ['refunds are not hidden by one that cannot be read'],
    open: refunding((right) => ({
      listRecent: (request) =>
        right
          .listRecent(request)
          .map((page) => (page.skipped === undefined ? page : { ...page, items: [] })),
    })),
  },
];
