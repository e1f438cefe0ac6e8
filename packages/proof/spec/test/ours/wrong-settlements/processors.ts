import {
  type EntriesPage,
  hourMs,
  type ListedEntry,
  type ListedPage,
  type ListedPayout,
  type ListRequest,
  type ProcessorSettlements,
} from '@chairside/core';
import { createFakeProcessor } from '@chairside/fake-processor';
import { createManualClock } from '@chairside/testkit';
import type { ProcessorHarness } from '@chairside/testkit/contracts';
import type { Fault } from '../run-suite.ts';

/** The fake with one fault of its balance, and the case of the contract that must fail over it. */
interface WrongSettlements extends Fault {
  readonly settlements: (right: ProcessorSettlements) => Partial<ProcessorSettlements>;
}

const dayMs = 24 * hourMs;

/** The contract's harness over the fake, whose balance is listed in this way. */
export function over(wrongly: WrongSettlements['settlements']): ProcessorHarness {
  const clock = createManualClock(Date.UTC(2026, 10, 21, 9));
  const fake = createFakeProcessor({ clock });
  const { settlements } = fake;
  let accounts = 0;
  return {
    processor: { ...fake, settlements: { ...settlements, ...wrongly(settlements) } },
    clock,
    async newAccount() {
      accounts += 1;
      return { id: `acct_${accounts}`, currency: 'usd' };
    },
    present: async (clientSecret) =>
      fake.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap().externalPaymentReference.id,
    async endRefund(reference, refund, state) {
      fake.endRefund(reference, refund, state)._unsafeUnwrap();
    },
    async dispute(reference, amountMinor) {
      fake.dispute(reference, amountMinor)._unsafeUnwrap();
    },
    async closeDispute(reference, dispute, state) {
      fake.closeDispute(reference, dispute, state)._unsafeUnwrap();
    },
    advance: async (ms) => clock.advance(ms),
    async payOut() {
      const midnight = (Math.floor(clock.now() / dayMs) + 3) * dayMs;
      clock.advance(midnight + 1 - clock.now());
    },
    async failPayout(account, payout) {
      fake.failPayout(account, payout)._unsafeUnwrap();
    },
  };
}

const once =
  'the entries of a balance show a captured payment once, with the fee that the processor keeps';
const fees = "the entries of a balance tell the platform's fee from the processor's";
const refunds =
  'the entries of a balance show a refund as an amount that leaves, and as one that returns if it fails';
const disputes =
  'the entries of a balance show a dispute as an amount that leaves, and as one that returns if it is won';
const all = 'the entries of a balance are listed once each, oldest first, and never change';
const inSpan = 'the entries of a balance are found by the time when the balance changed';
const owners = 'the entries of a balance belong to one installation, and to one ledger';
const sums = 'payouts pay each entry once, and are the sum of what they pay';
const arrival = 'payouts are on their way until they arrive';
const ofAccount = 'payouts are found by the time when they were made, for one account';
const foreign = 'payouts leave entries of another installation to the others';
const again = 'payouts that fail are paid again by one that names them';

const pages =
  (change: (page: EntriesPage) => EntriesPage): WrongSettlements['settlements'] =>
  ({ listEntries }) => ({ listEntries: (request) => listEntries(request).map(change) });

const items = (change: (items: readonly ListedEntry[]) => readonly ListedEntry[]) =>
  pages((page) => ({ ...page, items: change(page.items) }));

const entries = (change: (entry: ListedEntry) => ListedEntry) => items((all) => all.map(change));

const payouts =
  (change: (page: ListedPage<ListedPayout>) => ListedPage<ListedPayout>) =>
  ({ listPayouts }: ProcessorSettlements): Partial<ProcessorSettlements> => ({
    listPayouts: (request) => listPayouts(request).map(change),
  });

const eachPayout = (change: (payout: ListedPayout) => ListedPayout) =>
  payouts((page) => ({ ...page, items: page.items.map(change) }));

type EntryRequest = ListRequest & { readonly payout?: string };

/** The entries are asked for in another way. */
const asking =
  (change: (request: EntryRequest) => EntryRequest): WrongSettlements['settlements'] =>
  ({ listEntries }) => ({ listEntries: (request) => listEntries(change(request)) });

/** Always the value of the first request. */
function first<Name extends 'installation' | 'ledger'>(name: Name) {
  let seen: string | undefined;
  return (request: EntryRequest) => {
    seen ??= request[name];
    return { ...request, [name]: seen };
  };
}

/** One fault each. */
export const wrongSettlements: readonly WrongSettlements[] = [
  {
    fault: 'names the account of the platform',
    settlements: entries((entry) => ({ ...entry, account: 'acct_platform' })),
    caughtBy: once,
  },
  {
    fault: 'lists an entry twice',
    caughtBy: once,
    settlements: items((all) => all.flatMap((entry) => [entry, entry]).slice(0, 2)),
  },
  {
    fault: 'gives the fee the wrong sign',
    caughtBy: once,
    settlements: entries((entry) => ({ ...entry, processorFeeMinor: -entry.processorFeeMinor })),
  },
  {
    fault: 'shows an amount after its fees',
    caughtBy: once,
    settlements: entries((entry) => ({
      ...entry,
      amountMinor: entry.amountMinor - entry.processorFeeMinor,
      processorFeeMinor: 0n,
    })),
  },
  {
    fault: 'takes the fee of the platform for its own',
    caughtBy: fees,
    settlements: entries((entry) => ({
      ...entry,
      processorFeeMinor: entry.processorFeeMinor + entry.applicationFeeMinor,
      applicationFeeMinor: 0n,
    })),
  },
  {
    fault: 'shows a refund as an amount that comes',
    caughtBy: refunds,
    settlements: entries((entry) =>
      entry.kind === 'refund' ? { ...entry, amountMinor: -entry.amountMinor } : entry,
    ),
  },
  {
    fault: 'names the payment of a refund instead of the refund',
    caughtBy: refunds,
    settlements: entries((entry) =>
      entry.kind === 'refund' ? { ...entry, subject: entry.paymentId } : entry,
    ),
  },
  {
    fault: 'forgets the amount of a refund that failed',
    caughtBy: refunds,
    settlements: items((all) =>
      all.filter(({ kind, amountMinor }) => kind !== 'refund' || amountMinor < 0n),
    ),
  },
  {
    fault: 'forgets the amount of a dispute that was won',
    caughtBy: disputes,
    settlements: items((all) =>
      all.filter(({ kind, amountMinor }) => kind !== 'dispute' || amountMinor < 0n),
    ),
  },
  {
    fault: 'forgets the entries after the first page',
    caughtBy: all,
    settlements: pages(({ cursor: _cursor, ...page }) => page),
  },
  {
    fault: 'lists the entries of a page newest first',
    caughtBy: all,
    settlements: items((all) => all.toReversed()),
  },
  {
    fault: 'gives an entry another id in each list',
    caughtBy: all,
    settlements: entries((entry) => ({ ...entry, reference: crypto.randomUUID() })),
  },
  {
    fault: 'lists entries of all times',
    caughtBy: inSpan,
    settlements: asking((request) => ({ ...request, openedFrom: 0, openedBefore: 1e15 })),
  },
  {
    fault: 'lists entries of another installation',
    caughtBy: owners,
    settlements: ({ listEntries }) => {
      const own = first('installation');
      return { listEntries: (request) => listEntries(own(request)) };
    },
  },
  {
    fault: 'lists entries of another account',
    caughtBy: owners,
    settlements: ({ listEntries }) => {
      const own = first('ledger');
      return { listEntries: (request) => listEntries(own(request)) };
    },
  },
  {
    fault: 'forgets the entries of a payout after the first page',
    caughtBy: sums,
    settlements: ({ listEntries }) => ({
      listEntries: (request) =>
        listEntries(request).map(({ cursor, ...page }) =>
          request.payout === undefined && cursor !== undefined ? { ...page, cursor } : page,
        ),
    }),
  },
  {
    fault: 'shows a payout as paid before it arrives',
    caughtBy: arrival,
    settlements: eachPayout((payout) => ({ ...payout, state: 'paid' })),
  },
  {
    fault: 'takes the time at which a payout was made for its arrival',
    caughtBy: arrival,
    settlements: eachPayout((payout) => ({ ...payout, arrivesAt: payout.openedAt })),
  },
  {
    fault: 'lists payouts of another account',
    caughtBy: ofAccount,
    settlements: ({ listPayouts }) => {
      const own = first('ledger');
      return { listPayouts: (request) => listPayouts(own(request)) };
    },
  },
  {
    fault: 'leaves the other entries of a payout out of its sum',
    caughtBy: foreign,
    settlements: pages((page) => ({ ...page, othersMinor: 0n })),
  },
  {
    fault: 'lists the entries of other software in a payout as ours',
    caughtBy: foreign,
    settlements: ({ listEntries }) => ({
      listEntries: (request) =>
        request.payout === undefined
          ? listEntries(request)
          : listEntries(request).andThen((page) =>
              listEntries({ ...request, installation: 'another' }).map(({ items }) => ({
                ...page,
                items: [...page.items, ...items],
              })),
            ),
    }),
  },
  {
    fault: 'hides that a payout failed',
    caughtBy: again,
    settlements: eachPayout(({ failure: _failure, ...payout }) =>
      payout.state === 'failed' ? { ...payout, state: 'paid' } : payout,
    ),
  },
  {
    fault: 'does not name the failed payout that a payout pays again',
    caughtBy: again,
    settlements: pages(({ repaid: _repaid, ...page }) => page),
  },
];
