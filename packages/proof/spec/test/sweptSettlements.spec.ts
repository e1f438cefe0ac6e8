import {
  createChairside,
  errAsync,
  hourMs,
  minuteMs,
  okAsync,
  ResultAsync,
  secondMs,
} from '@chairside/core';
import type {
  EntriesPage,
  ListedEntry,
  ListedPayout,
  ListRequest,
  Processor,
  ProcessorSettlements,
  Store,
} from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { dayAt, dayMs, statement } from '../src/day.ts';
import { host, withProcessor } from '../src/elsewhere.ts';
import { givenCaptured } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** A processor whose lists a test writes. The port's contract holds for the real ones. */
describeEverywhere('upkeep that reads the processor’s entries and payouts', (makeWorld, where) => {
  // The records that it writes have a contract of their own.
  const isMap = where.store === 'map' && where.transport === 'in process';
  const once = it.skipIf(!isMap);

  type PagesOf = (payout: string, cursor: string | undefined) => ReturnType<Lists['listEntries']>;
  type Lists = ProcessorSettlements;

  /** A shop that took a payment, at a processor with these payouts and pages of entries. */
  async function givenPayouts(
    payouts: readonly ListedPayout[],
    pagesOf: PagesOf,
    more: Partial<Processor> = {},
  ) {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    const asked: (ListRequest & { readonly payout?: string })[] = [];
    const listed: ListRequest[] = [];
    const settlements: Lists = {
      listEntries(request) {
        if (request.payout === undefined) return okAsync({ items: [] });
        asked.push(request);
        return pagesOf(request.payout, request.cursor);
      },
      listPayouts(request) {
        listed.push(request);
        const { openedFrom, openedBefore } = request;
        return okAsync({
          items: payouts.filter((one) => one.openedAt >= openedFrom && one.openedAt < openedBefore),
        });
      },
    };
    const chairside = withProcessor(world, { settlements, ...more });
    const { clock } = world;
    return {
      world: { ...world, chairside, settlements },
      payment,
      asked,
      listed,
      clock,
      chairside,
    };
  }

  const aPayout = (over: Partial<ListedPayout> = {}): ListedPayout => ({
    reference: 'po_1',
    currency: 'eur',
    amountMinor: 4407n,
    state: 'paid',
    openedAt: Date.UTC(2026, 10, 3),
    arrivesAt: Date.UTC(2026, 10, 4),
    isItemized: true,
    ...over,
  });

  function anEntry(paymentId: string, over: Partial<ListedEntry> = {}): ListedEntry {
    return {
      account: 'acct_shop',
      reference: 'txn_1',
      paymentId,
      kind: 'payment',
      subject: 'pi_1',
      currency: 'eur',
      amountMinor: 4500n,
      processorFeeMinor: 93n,
      applicationFeeMinor: 0n,
      openedAt: Date.UTC(2026, 10, 2, 9),
      ...over,
    };
  }

  /** Runs upkeep once, after this time. */
  async function after({ clock, chairside }: Pick<World, 'clock' | 'chairside'>, ms: number) {
    clock.advance(ms);
    (await chairside.reconcile())._unsafeUnwrap();
  }

  async function payoutsIn({ chairside }: Pick<World, 'chairside'>) {
    const span = { from: '2026-11-01T00:00:00.000Z', until: '2027-11-01T00:00:00.000Z' };
    const listed = await chairside.listPayouts(host, { businessId: 'shop', ...span });
    return listed._unsafeUnwrap();
  }

  /** 25 pages of one cent each, which other software took. */
  const manyPages: PagesOf = (_, cursor = '0') => {
    const next = Number(cursor) + 1;
    return okAsync({ items: [], othersMinor: 1n, ...(next < 25 && { cursor: `${next}` }) });
  };

  it('reads a long payout in several runs, from where the last one ended (D51)', async () => {
    const { world, asked } = await givenPayouts([aPayout({ amountMinor: 25n })], manyPages);
    await after(world, 3 * dayMs);
    expect(await payoutsIn(world)).toMatchObject([{ id: 'po_1', others: '0.20' }]);
    await after(world, 20 * minuteMs);
    expect(await payoutsIn(world)).toMatchObject([{ id: 'po_1', others: '0.25' }]);
    await after(world, 20 * minuteMs);
    const cursors = asked.map(({ cursor }) => cursor ?? '0');
    expect(cursors).toEqual(Array.from({ length: 25 }, (_, page) => `${page}`));
  });

  once('names an orphan of a shared ledger in the shop of its account (D50)', async () => {
    const orphan = anEntry('cpm_orphan');
    const { world } = await givenPayouts([aPayout()], () => okAsync({ items: [orphan] }), {
      ledgerOf: () => 'platform',
    });
    await after(world, 3 * dayMs);
    const { differences } = await statement(world, dayAt(orphan.openedAt));
    expect(differences).toContainEqual(
      expect.objectContaining({ reason: 'missingHere', contactlessPaymentId: 'cpm_orphan' }),
    );
  });

  once('reads a payout from its first entry again if its cursor is lost', async () => {
    let isLost = false;
    const { world } = await givenPayouts([aPayout({ amountMinor: 25n })], (payout, cursor) => {
      if (!isLost || cursor === undefined) return manyPages(payout, cursor);
      isLost = false;
      return errAsync({ kind: 'rejected', reason: 'unknownCursor' });
    });
    await after(world, 3 * dayMs);
    isLost = true;
    await after(world, 20 * minuteMs);
    expect(await payoutsIn(world)).toMatchObject([{ others: '0.00' }]);
    await after(world, 20 * minuteMs);
    await after(world, 20 * minuteMs);
    expect(await payoutsIn(world)).toMatchObject([{ others: '0.25' }]);
  });

  once('keeps its place in a payout while the processor is unavailable', async () => {
    let isUp = true;
    const { world } = await givenPayouts([aPayout({ amountMinor: 25n })], (payout, cursor) =>
      isUp
        ? manyPages(payout, cursor)
        : errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false }),
    );
    await after(world, 3 * dayMs);
    isUp = false;
    await after(world, 20 * minuteMs);
    expect(await payoutsIn(world)).toMatchObject([{ others: '0.20' }]);
    isUp = true;
    await after(world, 20 * minuteMs);
    expect(await payoutsIn(world)).toMatchObject([{ others: '0.25' }]);
  });

  once('reads the entries of a payout when the processor can name them', async () => {
    const payouts = [aPayout({ amountMinor: 25n, isItemized: false })];
    const { world, asked } = await givenPayouts(payouts, manyPages);
    await after(world, 3 * dayMs);
    expect(await payoutsIn(world)).toMatchObject([{ isItemized: false, others: '0.00' }]);
    expect(asked).toEqual([]);
    payouts[0] = aPayout({ amountMinor: 25n });
    await after(world, 20 * minuteMs);
    await after(world, 20 * minuteMs);
    expect(await payoutsIn(world)).toMatchObject([{ isItemized: true, others: '0.25' }]);
    const read = asked.length;
    await after(world, 20 * minuteMs);
    expect(asked).toHaveLength(read);
  });

  it('keeps a hundred other entries of a payout, and the sum of the rest', async () => {
    const long = 'x'.repeat(300);
    const fees: PagesOf = (_, cursor = '0') => {
      const page = Number(cursor);
      const at = Date.UTC(2026, 10, 2);
      const others = Array.from({ length: 40 }, (_none, index) => ({
        reference: `txn_${page}_${index}`,
        kind: `${long}\u0000`,
        description: `Fee\u0000 ${long}`,
        amountMinor: -1n,
        at,
      }));
      return okAsync({
        items: [],
        others,
        othersMinor: -41n,
        ...(page < 2 && { cursor: `${page + 1}` }),
      });
    };
    const { world } = await givenPayouts([aPayout({ amountMinor: -123n })], fees);
    await after(world, 3 * dayMs);
    const [payout] = await payoutsIn(world);
    expect(payout).toMatchObject({ ours: '0.00', others: '-1.23', amount: '-1.23' });
    const { otherEntries = [] } = payout ?? {};
    expect(otherEntries).toHaveLength(101);
    expect(otherEntries.at(-1)).toEqual({ kind: 'more', amount: '-0.23' });
    const [{ kind = '', description = '', ...entry } = {}] = otherEntries;
    expect([kind.length, description.length]).toEqual([64, 255]);
    expect(description.startsWith('Fee\ufffd xx')).toBe(true);
    expect(entry).toEqual({ id: 'txn_0_0', at: '2026-11-02T00:00:00.000Z', amount: '-0.01' });
  });

  once('names a payout that is not the sum of its entries', async () => {
    const { world, payment, clock } = await givenPayouts([aPayout()], () =>
      okAsync({ items: [anEntry(payment.id)], othersMinor: -1n }),
    );
    const day = dayAt(clock.now());
    await after(world, 3 * dayMs);
    const { differences } = await statement(world, day);
    expect(differences).toMatchObject([
      { reason: 'payoutDiffers', ours: '44.06', theirs: '44.07', processorReference: 'po_1' },
    ]);
  });

  once('counts an entry with a copied mark as of other software', async () => {
    const { world, payment, clock } = await givenPayouts([aPayout()], () =>
      okAsync({ items: [anEntry(payment.id)] }),
    );
    const elsewhere = await givenCaptured(world);
    const { store } = world;
    const stored = (await store.payments.get(elsewhere.payment.id))._unsafeUnwrap();
    if (stored === undefined) throw new Error('the payment is not stored');
    const moved = { ...stored, account: 'acct_other', version: stored.version + 1 };
    const change = {
      kind: 'updatePayment',
      payment: moved,
      expectedVersion: stored.version,
    } as const;
    const at = clock.now();
    expect((await store.commit({ id: 'cmt_moved', at, changes: [change] })).isOk()).toBe(true);
    const copied = anEntry(elsewhere.payment.id, { reference: 'txn_2', amountMinor: 1093n });
    const settlements: Lists = {
      listEntries: () => okAsync({ items: [copied] }),
      listPayouts: () => okAsync({ items: [aPayout({ amountMinor: 1000n })] }),
    };
    const chairside = withProcessor(world, { settlements });
    await after({ clock, chairside }, 3 * dayMs);
    expect(await payoutsIn(world)).toMatchObject([{ ours: '0.00', others: '10.00' }]);
    const entries = await store.settlements.listByPayment(elsewhere.payment.id, 9);
    expect(entries._unsafeUnwrap()).toEqual([]);
    expect(payment.id).not.toBe(elsewhere.payment.id);
  });

  once('shows the payout that pays failed ones again, unless nobody knows it', async () => {
    const failed = aPayout({ state: 'failed', failure: 'account_closed' });
    const again = aPayout({ reference: 'po_2', openedAt: failed.openedAt + dayMs });
    const { world, payment, clock } = await givenPayouts([failed, again], (payout) =>
      okAsync<EntriesPage, never>(
        payout === 'po_1'
          ? { items: [anEntry(payment.id)] }
          : { items: [], othersMinor: 4407n, repaid: ['po_1', 'po_gone'] },
      ),
    );
    const day = dayAt(clock.now());
    await after(world, 3 * dayMs);
    expect(await statement(world, day)).toMatchObject({
      payouts: [{ id: 'po_2', state: 'paid', ofThisDay: '44.07' }],
      differences: [],
    });
    // A record of the other payout that is lost: the failure is shown.
    const { store } = world;
    const found = (await store.payouts.get('acct_shop/po_1'))._unsafeUnwrap();
    if (found === undefined) throw new Error('the payout is not stored');
    const lost = { kind: 'putPayout', payout: { ...found, replacedBy: 'gone' } } as const;
    expect((await store.commit({ id: 'cmt_lost', at: clock.now(), changes: [lost] })).isOk()).toBe(
      true,
    );
    expect(await statement(world, day)).toMatchObject({
      differences: [{ reason: 'payoutFailed' }],
    });
  });

  once(
    'keeps the payout that pays a failed one again, whatever another node read before',
    async () => {
      const failed = aPayout({ state: 'failed', failure: 'account_closed' });
      const again = aPayout({ reference: 'po_2', openedAt: failed.openedAt + dayMs });
      const { world, payment, clock, chairside } = await givenPayouts([failed, again], (payout) =>
        okAsync<EntriesPage, never>(
          payout === 'po_1'
            ? { items: [anEntry(payment.id)] }
            : { items: [], othersMinor: 4407n, repaid: ['po_1'] },
        ),
      );
      const day = dayAt(clock.now());
      const { store, processor } = world;
      let isFirst = true;
      const slow: Store = {
        ...store,
        payouts: {
          ...store.payouts,
          get: (id) => {
            if (id !== 'acct_shop/po_2' || !isFirst) return store.payouts.get(id);
            isFirst = false;
            // This node has read the failed payout. Meanwhile another one records both.
            return ResultAsync.fromSafePromise(chairside.reconcile()).andThen(() =>
              store.payouts.get(id),
            );
          },
        },
      };
      const settlements = world.settlements;
      const node = createChairside({
        store: slow,
        clock,
        processor: { ...processor, settlements },
      });
      await after({ clock, chairside: node }, 3 * dayMs);
      await after(world, dayMs);
      expect(isFirst).toBe(false);
      expect(await statement(world, day)).toMatchObject({
        payouts: [{ id: 'po_2', state: 'paid', ofThisDay: '44.07' }],
        differences: [],
      });
    },
  );

  once('leaves an entry without a payout if the payout has no record', async () => {
    const { world, payment, clock } = await givenPayouts([], () => okAsync({ items: [] }));
    const day = dayAt(clock.now());
    const settlement = {
      ...anEntry(payment.id),
      id: 'acct_shop/txn_1',
      account: 'acct_shop',
      businessId: 'shop',
      at: clock.now(),
      payoutId: 'acct_shop/po_gone',
    };
    const changes = [{ kind: 'putSettlement', settlement }] as const;
    const commit = { id: 'cmt_entry', at: clock.now(), changes };
    expect((await world.store.commit(commit)).isOk()).toBe(true);
    await after(world, 3 * dayMs);
    expect(await statement(world, day)).toMatchObject({ differences: [], payouts: [] });
  });

  once('lists a payout again until its bank can no longer return it', async () => {
    const openedAt = Date.UTC(2026, 10, 3);
    const slow = aPayout({ state: 'pending', openedAt, arrivesAt: openedAt + 70 * dayMs });
    const { world, listed, clock } = await givenPayouts([slow], () => okAsync({ items: [] }));
    await after(world, openedAt + 3 * hourMs - clock.now());
    await after(world, 58 * dayMs);
    expect(listed.at(-1)?.openedFrom).toBe(openedAt);
    await after(world, 3 * dayMs);
    await after(world, hourMs);
    expect(listed.at(-1)?.openedFrom).toBeGreaterThan(openedAt);
  });

  once('keeps its place in a list while the processor is unavailable (D51)', async () => {
    const world = await makeWorld();
    await givenCaptured(world);
    const cursors: (string | undefined)[] = [];
    let isUp = true;
    const chairside = withProcessor(world, {
      settlements: {
        listPayouts: () => okAsync({ items: [] }),
        listEntries({ cursor }) {
          cursors.push(cursor);
          if (cursor === undefined) return okAsync({ items: [], cursor: 'two' });
          if (isUp) return okAsync({ items: [] });
          return errAsync({ kind: 'unavailable', outcome: 'unknown', answered: false });
        },
      },
    });
    isUp = false;
    await after({ ...world, chairside }, 2 * hourMs);
    isUp = true;
    await after({ ...world, chairside }, 20 * minuteMs);
    expect(cursors).toEqual([undefined, 'two', 'two']);
  });

  once('ends its run at a slow list, and continues with the next one (D51)', async () => {
    const world = await makeWorld();
    await givenCaptured(world);
    let pages = 0;
    const slow: Partial<Processor> = {
      settlements: {
        listPayouts: () => okAsync({ items: [] }),
        listEntries() {
          pages += 1;
          world.clock.advance(10 * secondMs);
          return okAsync({ items: [], ...(pages < 3 && { cursor: `${pages}` }) });
        },
      },
    };
    const chairside = withProcessor(world, slow);
    await after({ ...world, chairside }, 2 * hourMs);
    expect(pages).toBe(1);
    await after({ ...world, chairside }, 0);
    expect(pages).toBe(2);
  });

  once('needs no lists of settlements', async () => {
    const world = await makeWorld();
    await givenCaptured(world);
    const chairside = withProcessor(world, { settlements: undefined });
    await after({ ...world, chairside }, 2 * hourMs);
    const swept = (await world.store.sweeps.get('acct_shop'))._unsafeUnwrap();
    expect(Object.keys(swept?.lists ?? {}).toSorted()).toEqual([
      'disputes',
      'openDisputes',
      'payments',
      'refunds',
    ]);
  });

  once(
    'compares a payment with several refunds once, and asks nothing of unknown ones',
    async () => {
      const world = await makeWorld();
      const { payment } = await givenCaptured(world);
      const read: string[] = [];
      const { refunds } = world.processor;
      const openedAt = world.clock.now();
      const item = { paymentId: payment.id, openedAt };
      const chairside = withProcessor(world, {
        refunds: {
          ...refunds,
          listRecent: () => okAsync({ items: [item, item, { paymentId: 'gone', openedAt }] }),
          list(asked) {
            read.push(asked.paymentId);
            return refunds.list(asked);
          },
        },
      });
      await after({ ...world, chairside }, 2 * hourMs);
      expect(read).toEqual([payment.id]);
    },
  );
});
