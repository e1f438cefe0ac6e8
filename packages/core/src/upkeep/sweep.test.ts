import { describe, expect, it } from 'vitest';
import { portsOver, storeOf, testPorts } from '../../test/ports.ts';
import { aPayment, entry, now, problem, value } from '../../test/support.ts';
import type { Payment, ProcessorPayment } from '../payment/payment.ts';
import { orphanReview } from '../payment/reviews.ts';
import type {
  CancelPaymentRequest,
  EntriesPage,
  ListedEntry,
  ListedPayment,
  ListedPayout,
  Processor,
  ProcessorError,
  ProcessorSettlements,
} from '../ports/processor.ts';
import type { Change, Store } from '../ports/store.ts';
import type { Dispute } from '../refund/dispute.ts';
import type { Payout, PayoutState } from '../statement/settlement.ts';
import { errAsync, okAsync, resultOf } from '../values/result.ts';
import { hourMs, minuteMs } from '../values/time.ts';
import type { Review } from './review.ts';
import {
  entriesToSweep,
  listWatchedDisputes,
  payoutsOfRun,
  payoutsToSweep,
  returnsToSweep,
  sweep,
} from './sweep.ts';
import { endOrphan, isBeingOpened, isKnown } from './sweep-list.ts';
import type { SweptBooks } from './swept-books.ts';

const down: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: false };
const dayMs = 24 * hourMs;

describe('a payment that a sweep finds at the processor (D27)', () => {
  const item: ListedPayment = {
    ...entry({ reference: 'pi_1' }),
    paymentId: 'cpm_1',
    openedAt: now - hourMs,
  };

  it.each<[string, Payment | undefined, boolean]>([
    ['has this reference', aPayment({ reference: 'pi_1' }), true],
    ['has another reference', aPayment({ reference: 'pi_2' }), false],
    ['has no reference yet', aPayment(), true],
    ['is canceled and has no reference', aPayment({ state: 'canceled' }), false],
    ['is not there', undefined, false],
  ])('is known or not, if its record %s', (_, payment, expected) => {
    expect(isKnown(payment, item)).toBe(expected);
  });

  it('is still being opened if its record is new and has work', () => {
    const work = { kind: 'open', fence: 1, attempt: 1, leaseUntil: now } as const;
    const { clientSecret: _secret, ...unopened } = aPayment();
    const found = [{ ...unopened, work }, unopened, aPayment({ work }), undefined];
    expect(found.map(isBeingOpened)).toEqual([true, false, false, false]);
  });

  /** Ends this item at a processor that replies so to a cancelation. */
  async function ended(
    over: Partial<ListedPayment> = {},
    error?: ProcessorError,
    found: ListedPayment = item,
    payment?: Payment,
    failedSince = now,
    canceled?: ProcessorPayment,
  ) {
    const asked: CancelPaymentRequest[] = [];
    const cancelPayment: Processor['cancelPayment'] = (request) => {
      asked.push(request);
      return error === undefined ? okAsync(canceled) : errAsync(error);
    };
    const ports = portsOver({}, { cancelPayment });
    const failed: string[] = [];
    const end = await endOrphan(ports, { ...found, ...over }, now, payment, (name) => {
      failed.push(name);
      return failedSince;
    });
    return { end, asked, failed };
  }

  it('is canceled under a key of the hour', async () => {
    const hour = Math.floor(now / hourMs);
    const request = {
      account: 'acct_1',
      paymentId: 'cpm_1',
      installation: 'test',
      begunAt: now - hourMs,
    };
    expect((await ended()).asked).toStrictEqual([
      { ...request, reference: 'pi_1', idempotencyKey: `pi_1:orphan:${hour}` },
    ]);
    const { reference: _reference, ...unnamed } = item;
    expect((await ended({}, undefined, unnamed)).asked).toStrictEqual([
      { ...request, idempotencyKey: `cpm_1:orphan:${hour}` },
    ]);
    // One of several entries of a payment fails by itself.
    expect((await ended({}, down)).failed).toEqual(['pi_1']);
    expect((await ended({}, down, unnamed)).failed).toEqual(['cpm_1']);
  });

  it.each<[string, Partial<ListedPayment>, ProcessorError | undefined, string]>([
    ['canceled once it is an hour old', {}, undefined, 'canceled'],
    ['left while it is younger', { openedAt: now - hourMs + 1 }, undefined, 'later'],
    ["as old as the processor's clock says", { at: now - 1 }, undefined, 'later'],
    ['tried again if it was not reached', { openedAt: now - 99 * hourMs }, down, 'later'],
    ['for a person if that is refused', {}, { kind: 'rejected', reason: 'x' }, 'orphanNotCanceled'],
    ['for a person if it is captured', { status: 'captured' }, undefined, 'orphanCaptured'],
  ])('is %s', async (_, over, error, expected) => {
    expect((await ended(over, error)).end).toBe(expected);
  });

  it('is tried again while its cancelation was only accepted', async () => {
    for (const [status, expected] of [
      ['authorized', 'later'],
      ['canceled', 'canceled'],
    ] as const) {
      const { end } = await ended({}, undefined, item, undefined, now, entry({ status }));
      expect(end).toBe(expected);
    }
  });

  it.each<[string, Payment, number, string, number]>([
    ['waits for an open payment', aPayment({ reference: 'pi_1' }), 1, 'later', 0],
    ['waits no longer than 72 hours', aPayment({ reference: 'pi_1' }), 72, 'orphanNotCanceled', 0],
    ['is canceled beside a final payment', aPayment({ state: 'canceled' }), 1, 'canceled', 1],
  ])('without a reference %s', async (_, payment, hours, expected, requests) => {
    const { reference: _reference, ...unnamed } = item;
    const { end, asked } = await ended({}, undefined, unnamed, payment, now - hours * hourMs);
    expect([end, asked.length]).toEqual([expected, requests]);
  });

  it.each([
    [72 * hourMs - 1, 'later'],
    [72 * hourMs, 'orphanNotCanceled'],
  ])('is for a person 72 hours after its first failure: after %d ms', async (ms, expected) => {
    const over = { openedAt: now - 99 * hourMs };
    expect((await ended(over, down, item, undefined, now - ms)).end).toBe(expected);
  });
});

describe('the disputes that are watched, as a list', () => {
  const open = (id: string) => ({ id, paymentId: 'cpm_1', openedAt: now, updatedAt: now });

  function listing(
    ids: readonly string[] | undefined,
    over: {
      readonly cursor?: string;
      readonly openedFrom?: number;
      readonly openedBefore?: number;
    },
  ) {
    const asked: unknown[] = [];
    const disputes = {
      list(...of: readonly unknown[]) {
        asked.push(of);
        if (ids === undefined) {
          return errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
        }
        // cast: the list reads no other part of a dispute
        return okAsync(ids.map(open) as unknown as readonly Dispute[]);
      },
    };
    // cast: the list reads no other part of the disputes
    const store = { disputes: disputes as unknown as Store['disputes'] };
    const span = { books: 'acct_1', installation: 'test', openedFrom: 0, openedBefore: now };
    const request = { ...span, limit: 3, ...over };
    return { asked, page: listWatchedDisputes(portsOver(store), request) };
  }

  it('have a next page after each full one, and then the closed ones', async () => {
    const first = listing(['dsp_1', 'dsp_2', 'dsp_3'], {});
    const items = ['dsp_1', 'dsp_2', 'dsp_3'].map(open);
    expect(value(await first.page)).toStrictEqual({ items, cursor: 'open dsp_3' });
    const next = listing(['dsp_4'], { cursor: 'open dsp_3' });
    expect(value(await next.page)).toStrictEqual({ items: [open('dsp_4')], cursor: 'won' });
    const won = listing([], { cursor: 'won' });
    expect(value(await won.page)).toStrictEqual({ items: [], cursor: 'lost' });
    const last = listing([], { cursor: 'lost dsp_9' });
    expect(value(await last.page)).toStrictEqual({ items: [] });
    expect([first, next, won, last].flatMap(({ asked }) => asked)).toEqual([
      ['open', 3, undefined],
      ['open', 3, 'dsp_3'],
      ['won', 500, undefined],
      ['lost', 500, 'dsp_9'],
    ]);
  });

  it('are read once a day for 90 days once they are closed, however long the spans are', async () => {
    for (const spanMs of [hourMs, 7 * hourMs, dayMs]) {
      let times = 0;
      for (let from = now; from < now + 100 * dayMs; from += spanMs) {
        const span = { cursor: 'won', openedFrom: from, openedBefore: from + spanMs };
        times += value(await listing(['dsp_1'], span).page).items.length;
      }
      expect(times, `spans of ${spanMs} ms`).toBe(90);
    }
    const after = {
      cursor: 'won',
      openedFrom: now + 90 * dayMs + 1,
      openedBefore: now + 99 * dayMs,
    };
    expect(value(await listing(['dsp_1'], after).page).items).toEqual([]);
    const never = { cursor: 'won', openedFrom: now - dayMs, openedBefore: now + dayMs };
    expect(value(await listing(['dsp_1'], never).page).items).toEqual([]);
  });

  it('are read again if the store fails', async () => {
    expect(problem(await listing(undefined, {}).page)).toEqual({ ...down, outcome: 'notApplied' });
  });
});

describe('the books that a run reads', () => {
  const books = (name: string, triedAt = 0): SweptBooks => ({
    books: name,
    sweptBefore: 0,
    triedAt,
  });

  /** A run, where the store lists these books to read after a restore, and these to sweep. */
  async function run(
    lists:
      | { readonly ofRestore: readonly SweptBooks[]; readonly stale: readonly SweptBooks[] }
      | undefined,
    reply: ReturnType<Processor['listPayments']> = errAsync(down),
    stored?: SweptBooks,
  ) {
    const asked: string[] = [];
    const tests = testPorts();
    const sweeps: Store['sweeps'] = {
      ...tests.ports.store.sweeps,
      get: () => okAsync(stored),
      listStale: (before) =>
        lists === undefined
          ? errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' })
          : okAsync(before > now ? lists.ofRestore : lists.stale),
    };
    const listPayments: Processor['listPayments'] = (request) => {
      asked.push(request.books);
      return reply;
    };
    const swept = await sweep({
      ...tests.ports,
      store: { ...tests.ports.store, sweeps },
      processor: { ...tests.ports.processor, listPayments },
      restoration: { number: 1, read: new Set() },
    });
    return { asked, swept, written: tests.commits.flatMap(({ changes }) => changes) };
  }

  const tooLate = now - 10 * minuteMs + 1;
  const ahead = 2 * now - tooLate;
  it.each<[string, Parameters<typeof run>[0], string[]]>([
    [
      'once, those of a restore first',
      { ofRestore: [books('b')], stale: [books('a'), books('b')] },
      ['b', 'a'],
    ],
    [
      'if the last try is ten minutes ago',
      { ofRestore: [], stale: [books('a', tooLate - 1), books('b', tooLate)] },
      ['a'],
    ],
    [
      'if a clock ahead has tried them',
      { ofRestore: [], stale: [books('a', ahead + 1), books('b', ahead)] },
      ['a'],
    ],
    ['not while the store lists none', undefined, []],
  ])('are read %s', async (_, lists, expected) => {
    expect((await run(lists)).asked).toEqual(expected);
  });

  it.each([
    [10, false],
    [11, true],
  ])('of %d to restore leave others to the next run: %s', async (count, more) => {
    const ofRestore = Array.from({ length: count }, (_, index) => books(`acct_${index}`));
    const { asked, swept } = await run({ ofRestore, stale: [] }, errAsync({ kind: 'notSetUp' }));
    expect([asked.length, swept.more]).toEqual([10, more]);
  });

  it('keep what another node has read, if they fail', async () => {
    const stored = { ...books('a'), sweptBefore: 9 };
    // The tests' store reads no payment.
    const item = { ...entry(), paymentId: 'cpm_1', openedAt: now };
    const page = okAsync({ items: [item] });
    const { written } = await run({ ofRestore: [], stale: [books('a')] }, page, stored);
    expect(written).toEqual([{ kind: 'putSweep', swept: { ...stored, triedAt: now } }]);
  });
});

/** An entry as the processor lists it. */
const listed = {
  kind: 'refund',
  subject: 're_1',
  currency: 'eur',
  amountMinor: -1000n,
  paymentId: 'cpm_1',
  processorFeeMinor: 0n,
  applicationFeeMinor: 0n,
  account: 'acct_1',
  reference: 'txn_1',
  openedAt: now,
} as const;

describe('an entry of the books (D50)', () => {
  const again = (reference: string): ListedEntry => ({ ...listed, reference });

  it.each<[string, number, readonly ListedEntry[]]>([
    ['of a refund that is known', 0, [listed]],
    ['of the same one, listed twice', 0, [listed, listed]],
    ['of the same one, beside its payment', 0, [{ ...again('txn_0'), kind: 'payment' }, listed]],
    ['of a dispute', 1, [{ ...listed, kind: 'dispute' }]],
    ['of a payment', 0, [{ ...listed, kind: 'payment' }]],
    ['of another refund', 1, [{ ...listed, subject: 're_2' }]],
    ['of another currency', 1, [{ ...listed, currency: 'usd' }]],
    ['of another amount', 1, [{ ...listed, amountMinor: -999n }]],
    ['of a second booking', 1, [listed, again('txn_2')]],
    ['of two more bookings', 2, [listed, again('txn_2'), again('txn_3')]],
  ])('%s has its payment read so many times: %d', async (_, times, items) => {
    expect((await handled(items)).read).toBe(times);
  });

  it('is kept before its payment is compared with it, or comes again', async () => {
    const items = [{ ...listed, paymentId: 'cpm_2' }, listed, again('txn_2')];
    const kept = await handled(items);
    const entries = kept.commits.map((changes) =>
      changes.map((one) => one.kind === 'putSettlement' && one.settlement.id),
    );
    expect(entries).toEqual([['acct_1/txn_1', 'acct_1/txn_2']]);
    const failed = errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
    expect(await handled(items, failed)).toMatchObject({ read: 0, end: 'later' });
  });

  async function handled(
    items: readonly ListedEntry[],
    written: ReturnType<Store['commit']> = okAsync(undefined),
  ) {
    let read = 0;
    const commits: (readonly Change[])[] = [];
    const commit: Store['commit'] = ({ changes }) => {
      commits.push(changes);
      return written;
    };
    const known = { listByPayment: () => okAsync([listed]) };
    const none = { listByPayment: () => okAsync([]) };
    const refunds = {
      listByPayment() {
        read += 1;
        return errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const);
      },
    };
    // cast: the list reads no other part of these
    const parts = { movements: known, settlements: none, refunds } as unknown as Partial<Store>;
    const ports = portsOver({ ...storeOf(aPayment({ state: 'captured' })), ...parts, commit });
    const recorded: Change[] = [{ kind: 'deleteKeys', resourceId: 'cpm_1' }];
    const payouts = payoutsOfRun(ports, 'acct_1', recorded, []);
    const settlements = {
      listEntries: () => okAsync({ items }),
      listPayouts: () => okAsync({ items: [] }),
    };
    const list = entriesToSweep(ports, settlements, { books: 'acct_1', now, recorded, payouts });
    let end: unknown;
    for (const item of items) end = value(await resultOf(list.handle(item, () => now)));
    return { read, end, commits };
  }
});

describe('a payout (D50)', () => {
  const payout: ListedPayout = {
    reference: 'po_1',
    currency: 'eur',
    amountMinor: 100n,
    state: 'paid',
    openedAt: now - dayMs,
    arrivesAt: now,
    isItemized: true,
  };
  const early = { state: 'failed', isItemized: false } as const;

  const { openedAt: createdAt, ...shown } = payout;
  const sums = { isRead: true, oursMinor: 0n, othersMinor: 0n, others: [] };
  const ours: Payout = { ...shown, createdAt, id: 'acct_1/po_1', account: 'acct_1', ...sums };

  async function ended(
    over: Partial<ListedPayout>,
    entries?: EntriesPage | ProcessorError,
    before?: PayoutState,
  ) {
    const recorded: Change[] = [];
    const reviews: Review[] = [];
    const asked: object[] = [];
    const settlements: ProcessorSettlements = {
      listEntries(request) {
        asked.push(request);
        if (entries === undefined) return okAsync({ items: [] });
        return 'items' in entries ? okAsync(entries) : errAsync(entries);
      },
      listPayouts: () => okAsync({ items: [] }),
    };
    const stored: Payout | undefined = before && { ...ours, state: before };
    const looked: string[] = [];
    const get = (id: string) => {
      looked.push(id);
      return okAsync(stored);
    };
    const payouts: Partial<Store['payouts']> = { get };
    const elsewhere = storeOf(aPayment({ account: 'acct_2' }));
    // cast: the list reads no other part of the payouts
    const ports = portsOver({ ...elsewhere, payouts: payouts as Store['payouts'] });
    const books = 'acct_1';
    const run = payoutsOfRun(ports, books, recorded, reviews);
    const list = payoutsToSweep(ports, settlements, { books, now, recorded, payouts: run });
    const end = value(await resultOf(list.handle({ ...payout, ...over }, () => now)));
    return { end, recorded, asked, looked, reviews };
  }

  it.each<[string, string, Partial<ListedPayout>, ProcessorError?]>([
    ['later', 'is pending', { state: 'pending', openedAt: now - 60 * dayMs + 1 }],
    ['done', 'is pending for 60 days', { state: 'pending', openedAt: now - 60 * dayMs }],
    ['later', 'arrived lately', { arrivesAt: now - 14 * dayMs + 1 }],
    ['done', 'arrived 14 days ago', { arrivesAt: now - 14 * dayMs }],
    ['done', 'has failed', { state: 'failed' }],
    ['later', 'has failed and was not read', { state: 'failed' }, down],
    ['later', 'failed before it was itemized', { ...early, arrivesAt: now - 14 * dayMs + 1 }],
    ['done', 'failed 14 days ago, not itemized', { ...early, arrivesAt: now - 14 * dayMs }],
  ])('is ended %s if it %s', async (expected, _, over, error) => {
    expect((await ended(over, error)).end).toBe(expected);
  });

  it.each<[PayoutState, PayoutState | undefined, number]>([
    ['failed', undefined, 1],
    ['failed', 'pending', 1],
    ['failed', 'paid', 1],
    ['failed', 'failed', 0],
    ['reversed', 'paid', 0],
    ['canceled', 'paid', 1],
    ['canceled', 'pending', 0],
    ['canceled', undefined, 0],
    ['paid', 'pending', 0],
  ])('that is %s and was %s needs a person: %d', async (state, before, count) => {
    const { reviews } = await ended({ state }, undefined, before);
    expect(reviews).toMatchObject(
      [{ reason: 'payoutFailed', account: 'acct_1', reference: 'po_1' }].slice(0, count),
    );
  });

  it('is read from its first entry, and names no failed payout that is unknown', async () => {
    const takesBack = { takesBack: 'po_gone' };
    const { asked, recorded } = await ended(takesBack, { items: [], repaid: ['po_gone'] });
    expect(asked).toStrictEqual([
      {
        books: 'acct_1',
        installation: 'test',
        payout: 'po_1',
        openedFrom: 0,
        openedBefore: Number.MAX_SAFE_INTEGER,
        limit: 100,
      },
    ]);
    expect(recorded).toMatchObject([{ kind: 'putPayout', payout: { id: 'acct_1/po_1' } }]);
  });

  it('counts an entry with copied marks among the others', async () => {
    const fee = { reference: 'txn_0', kind: 'fee', amountMinor: -1n, at: now };
    const entries = { items: [listed], others: [fee], othersMinor: -1n };
    const { recorded, looked } = await ended({}, entries);
    const { kind, reference, amountMinor } = listed;
    const others = [fee, { kind, reference, amountMinor, at: now }];
    const read = { ...ours, othersMinor: -1001n, others };
    expect(recorded).toStrictEqual([{ kind: 'putPayout', payout: read }]);
    expect(looked).toEqual(['acct_1/po_1']);
  });

  it('needs nobody if it brings no money', async () => {
    for (const amountMinor of [0n, -1n]) {
      expect((await ended({ state: 'failed', amountMinor })).reviews).toEqual([]);
    }
  });

  it('that is paid again ends its own review alone, and once', async () => {
    const failed = { ...ours, state: 'failed' } as const;
    const review = orphanReview({ ...failed, openedAt: createdAt }, 'payoutFailed');
    const records = {
      payouts: { get: () => okAsync(failed) },
      reviews: { get: () => okAsync(review) },
    };
    const recorded: Change[] = [];
    const reviews: Review[] = [];
    // cast: a run reads no other part of these
    const ports = portsOver(records as unknown as Partial<Store>);
    const run = payoutsOfRun(ports, 'acct_1', recorded, reviews);
    run.put(failed, undefined);
    run.put({ ...failed, id: 'acct_1/po_2', reference: 'po_2' }, undefined);
    const replaced = { reference: 'po_3', replacedBy: 'acct_1/po_4' };
    run.put({ ...failed, id: 'acct_1/po_3', ...replaced }, undefined);
    for (let times = 0; times < 2; times += 1)
      value(await resultOf(run.repay('po_1', 'acct_1/po_4')));
    expect(reviews).toMatchObject([{ reference: 'po_2' }]);
    expect(recorded.filter(({ kind }) => kind === 'updateReview')).toHaveLength(1);
  });
});

describe('a payment whose refunds cannot be read (D51)', () => {
  const failures = {
    fails: () => errAsync({ kind: 'storeUnavailable', outcome: 'notApplied' } as const),
    throws: (): never => {
      throw new Error('The row cannot be parsed.');
    },
  };

  it.each(Object.entries(failures))(
    'is read again for 72 hours if a record %s, and then needs a person (D68)',
    async (_, listByPayment) => {
      const payment = aPayment({ state: 'captured' });
      const refunds: Partial<Store['refunds']> = { listByPayment };
      // cast: the first read ends the comparison
      const ports = portsOver({ ...storeOf(payment), refunds: refunds as Store['refunds'] });
      // The refund itself is older: upkeep may not have tried it.
      const item = { paymentId: 'cpm_1', openedAt: now - 99 * hourMs };
      const endOf = async (failedSince: number) => {
        const list = returnsToSweep(ports, 'acct_1', now, 'listRecentRefunds', () =>
          okAsync({ items: [] }),
        );
        return value(await resultOf(list.handle(item, () => failedSince)));
      };
      expect(await endOf(now - 72 * hourMs + 1)).toBe('later');
      const openedAt = now - 72 * hourMs;
      const reason = 'unreadableAtProcessor';
      expect(await endOf(openedAt)).toMatchObject({ reason, paymentId: 'cpm_1', openedAt });
    },
  );

  it('are read only if it was opened here', async () => {
    const { clientSecret: _secret, ...unopened } = aPayment();
    for (const payment of [undefined, unopened]) {
      const list = returnsToSweep(portsOver(storeOf(payment)), 'acct_1', now, 'list', () =>
        okAsync({ items: [] }),
      );
      const ended = list.handle({ paymentId: 'cpm_1', openedAt: now }, () => now);
      expect(value(await resultOf(ended))).toBe('done');
    }
  });
});
