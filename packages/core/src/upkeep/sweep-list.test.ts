import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { now, value } from '../../test/support.ts';
import type { ListedPage, ListRequest, ProcessorError } from '../ports/processor.ts';
import { err, errAsync, ok, okAsync, type Result, resultOf } from '../values/result.ts';
import { type EpochMs, hourMs, minuteMs } from '../values/time.ts';
import { type FailedSince, type ItemEnd, sweepList } from './sweep-list.ts';
import { clockErrorMs, type ListProgress } from './swept-books.ts';

interface Item {
  readonly openedAt: EpochMs;
}
type Page = Result<ListedPage<Item>, ProcessorError>;

const from = now - 9 * hourMs;
const begun: ListProgress = { sweptBefore: from };

/** One run over a list with these pages; the last one stands for all others. */
async function sweep(
  pages: readonly Page[],
  progress: ListProgress = begun,
  handle: (item: Item, failedSince: FailedSince) => ItemEnd = () => 'done',
  pageMs = 0,
  over: { readonly isOfAnyAge?: true } = {},
) {
  const asked: ListRequest[] = [];
  const { ports, seen } = testPorts({ clock: { now: () => now + asked.length * pageMs } });
  const list = {
    call: 'listThings',
    pageSize: 7,
    read(request: ListRequest) {
      const page = pages[asked.length] ?? pages.at(-1) ?? ok({ items: [] });
      asked.push(request);
      return page.isOk() ? okAsync(page.value) : errAsync(page.error);
    },
    // biome-ignore lint/correctness/useYield: the items of this list need no store
    async *handle(item: Item, failedSince: FailedSince) {
      return handle(item, failedSince);
    },
    ...over,
  };
  const swept = value(await resultOf(sweepList(ports, list, 'acct_1', progress, now)));
  const reported = seen.flatMap((one) => (one.kind === 'failure' ? [one.reference] : []));
  return { ...swept, asked, reported };
}

const request = {
  books: 'acct_1',
  openedFrom: from,
  openedBefore: now,
  installation: 'test',
  limit: 7,
};
const page = (over: Partial<ListedPage<Item>> = {}): Page => ok({ items: [], ...over });

describe('a run over a list (D51)', () => {
  it('reads its span, and then begins after it', async () => {
    const { progress, asked, isUnderWay } = await sweep([page()]);
    expect(asked).toStrictEqual([request]);
    expect(progress).toStrictEqual({ sweptBefore: now, reportedBefore: now });
    expect(isUnderWay).toBe(false);
  });

  it('skips a span of less than ten minutes, unless it was begun', async () => {
    const short = { sweptBefore: now - 10 * minuteMs + 1 };
    const skipped = await sweep([page()], short);
    expect(skipped.asked).toEqual([]);
    expect(skipped.progress).toStrictEqual(short);
    expect((await sweep([page()], { sweptBefore: now - 10 * minuteMs })).asked).toHaveLength(1);
    expect((await sweep([page()], { ...short, pass: { before: now } })).asked).toHaveLength(1);
  });

  it('reads 20 pages, and leaves the others to the next run', async () => {
    const { asked, progress, isUnderWay } = await sweep([page({ cursor: 'next' })]);
    expect(asked).toStrictEqual([request, ...Array(19).fill({ ...request, cursor: 'next' })]);
    expect(progress).toStrictEqual({ ...begun, pass: { before: now, cursor: 'next' } });
    expect(isUnderWay).toBe(true);
  });

  it('reads for ten seconds at most', async () => {
    const { asked, isUnderWay } = await sweep([page({ cursor: 'next' })], begun, undefined, 5000);
    expect(asked).toHaveLength(2);
    expect(isUnderWay).toBe(true);
  });

  const down = err({ kind: 'unavailable', outcome: 'unknown', answered: false } as const);
  const rejected = err({ kind: 'rejected', reason: 'cursor' } as const);
  const notSetUp = err({ kind: 'notSetUp' } as const);
  const two = { before: now, cursor: 'two' };
  it.each<[string, ListProgress, Page, ListProgress, boolean]>([
    ['begins again if its first page fails', begun, down, begun, false],
    ['is refused if its first page is', begun, rejected, begun, true],
    [
      'is refused if the account is not set up',
      { ...begun, pass: two },
      notSetUp,
      { ...begun, pass: two },
      true,
    ],
    [
      'keeps its place if a later page fails',
      { ...begun, pass: two },
      down,
      { ...begun, pass: two },
      false,
    ],
    ['begins again if its cursor is gone', { ...begun, pass: two }, rejected, begun, false],
  ])('%s', async (_, progress, reply, expected, refused) => {
    const { progress: after, isUnderWay, isRefused } = await sweep([reply], progress);
    expect(after).toStrictEqual(expected);
    expect([isUnderWay, isRefused]).toEqual([false, refused]);
  });

  it('ends at the oldest item that cannot be ended now', async () => {
    const items = [5, 2, 4].map((hours) => ({ openedAt: now - hours * hourMs }));
    const late = await sweep([page({ items })], begun, () => 'later');
    expect(late.progress.sweptBefore).toBe(now - 5 * hourMs);
    const ended = await sweep([page({ items })], begun, () => 'canceled');
    expect(ended).toMatchObject({ canceled: 3, progress: { sweptBefore: now } });
  });

  /** One run in which these items fail, and the times of their first failures. */
  async function failing(names: readonly string[], progress: ListProgress, cursor?: string) {
    const times: EpochMs[] = [];
    const items = names.map(() => ({ openedAt: from }));
    const pages = [page({ items, ...(cursor !== undefined && { cursor }) }), page()];
    const swept = await sweep(pages, progress, (_, failedSince) => {
      times.push(failedSince(names[times.length] ?? ''));
      return 'later';
    });
    return { times, progress: swept.progress };
  }
  const before = now - hourMs;

  it('knows since when an item has failed, until a pass ends without that', async () => {
    const first = await failing(['a', 'a'], begun);
    expect(first).toMatchObject({ times: [now, now], progress: { failing: [['a', now]] } });
    const known = { ...begun, failing: [['a', before] as const, ['b', before] as const] };
    const second = await failing(['a'], known);
    expect(second).toMatchObject({ times: [before], progress: { failing: [['a', before]] } });
    expect((await failing(['b'], second.progress)).times).toEqual([now]);
    expect((await failing([], known)).progress).not.toHaveProperty('failing');
    // A pass of several runs.
    const pass = { before: now, cursor: 'next', failing: [['a', before] as const] };
    const third = await failing(['a', 'b'], { ...begun, pass }, 'last');
    expect(third).toMatchObject({
      times: [before, now],
      progress: {
        failing: [
          ['a', before],
          ['b', now],
        ],
      },
    });
  });

  it('keeps the times of 100 items that fail, and takes further ones for as old as the oldest', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `item_${index}`);
    const { progress } = await failing(names, begun);
    expect(progress.failing).toHaveLength(100);
    const times = names.slice(0, 100).map((name, index) => [name, before + index] as const);
    const later = await failing(['item_99', 'item_100'], { ...begun, failing: times });
    expect(later.times).toEqual([before + 99, before]);
  });

  it("ends by the processor's clock, if the node's is ahead (D42)", async () => {
    const behind = await sweep([page({ at: now - 2 * hourMs })]);
    expect(behind.progress).toStrictEqual({
      sweptBefore: now - 3 * hourMs,
      reportedBefore: now - 2 * hourMs,
    });
    const right = await sweep([page({ at: now + hourMs })]);
    expect(right).toMatchObject({
      progress: { sweptBefore: now, reportedBefore: now },
      isRead: true,
    });
    const reported = { ...begun, reportedBefore: from + hourMs };
    expect((await sweep([page({ at: from })], reported)).progress).toStrictEqual(reported);
  });

  it("goes on to the processor's present with items of any age", async () => {
    const pages = [page({ at: now, cursor: 'next' }), page({ at: now })];
    const { asked, progress } = await sweep(pages, begun, undefined, 0, { isOfAnyAge: true });
    const before = now + clockErrorMs;
    expect(asked).toStrictEqual([
      request,
      { ...request, cursor: 'next' },
      { ...request, openedBefore: before },
    ]);
    expect(progress).toStrictEqual({ sweptBefore: before, reportedBefore: now });
  });

  it('reports each skipped item once, as far as its time is known', async () => {
    const skipped = [
      { reference: 'known', openedAt: from + hourMs - 1 },
      { reference: 'new', openedAt: from + hourMs },
      { reference: 'untimed' },
    ];
    const progress = { ...begun, reportedBefore: from + hourMs };
    expect((await sweep([page({ skipped })], progress)).reported).toEqual(['new', 'untimed']);
  });
});
