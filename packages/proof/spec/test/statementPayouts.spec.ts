import { hourMs } from '@chairside/core';
import type { Change, Payout, SettlementEntry } from '@chairside/core/ports';
import { expect, it } from 'vitest';
import { dayAt, dayMs, pass, statement } from '../src/day.ts';
import { deliverMessages, host } from '../src/elsewhere.ts';
import { fresh, givenCaptured } from '../src/shop.ts';
import { describeEverywhere, type World } from '../src/world.ts';

/** Payouts and entries as upkeep records them, in orders that the fake processor does not draw. */
describeEverywhere('the payouts of a statement', (makeWorld, { store, transport }) => {
  const once = it.skipIf(store !== 'map' || transport !== 'in process');

  /** A day with one payment, its entries and these payouts. */
  async function givenPaid(
    entries: readonly Partial<SettlementEntry>[],
    payouts: readonly Partial<Payout>[],
  ) {
    const world = await makeWorld();
    const { payment } = await givenCaptured(world);
    const at = world.clock.now();
    await record(world, [
      ...entries.map((over, index) => ({
        kind: 'putSettlement' as const,
        settlement: {
          id: `acct_shop/txn_${index}`,
          account: 'acct_shop',
          businessId: 'shop',
          paymentId: payment.id,
          kind: 'dispute' as const,
          subject: 'dp_1',
          currency: 'eur',
          amountMinor: 0n,
          processorFeeMinor: 0n,
          applicationFeeMinor: 0n,
          at,
          ...over,
        },
      })),
      ...payouts.map((over) => ({ kind: 'putPayout' as const, payout: aPayout(at, over) })),
    ]);
    return { world, day: dayAt(at), at, payment };
  }

  function aPayout(at: number, over: Partial<Payout>): Payout {
    return {
      id: `acct_shop/${over.reference}`,
      account: 'acct_shop',
      reference: 'po_1',
      currency: 'eur',
      amountMinor: 0n,
      state: 'paid',
      createdAt: at,
      arrivesAt: at + dayMs,
      isItemized: true,
      isRead: true,
      oursMinor: 0n,
      othersMinor: 0n,
      others: [],
      ...over,
    };
  }

  async function record({ store, clock }: World, changes: readonly Change[]) {
    const commit = { id: fresh('cmt'), at: clock.now(), changes };
    expect((await store.commit(commit)).isOk()).toBe(true);
  }

  it('are shown once each, although one of them also pays a failed one again', async () => {
    const { world, day } = await givenPaid(
      [
        { amountMinor: -500n, payoutId: 'acct_shop/po_1' },
        { amountMinor: 300n, payoutId: 'acct_shop/po_2' },
      ],
      [{ reference: 'po_1', state: 'failed', replacedBy: 'acct_shop/po_2' }, { reference: 'po_2' }],
    );
    await pass(world, dayMs);
    const { payouts, shop, lines } = await statement(world, day);
    expect(payouts).toMatchObject([{ id: 'po_2', ofThisDay: '-2.00', paysAgain: ['po_1'] }]);
    expect(shop).toMatchObject([{ arrived: '-2.00' }]);
    const disputes = lines.filter(({ kind }) => kind === 'dispute');
    // Each stands in the payout that it is an entry of, although another one pays it in the end.
    expect(disputes.map(({ payout, settled }) => [payout, settled])).toEqual([
      ['po_1', '-5.00'],
      ['po_2', '3.00'],
    ]);
    expect(new Set(disputes.map(({ payoutArrivesAt }) => payoutArrivesAt)).size).toBe(1);
  });

  it('have the line of each entry, where a dispute is withheld and won on one day (D50)', async () => {
    const world = await makeWorld();
    const { payment, reference } = await givenCaptured(world);
    const day = dayAt(world.clock.now());
    const { subject = '' } = world.processor.dispute(reference, 4500n)._unsafeUnwrap();
    world.clock.advance(hourMs);
    world.processor.closeDispute(reference, subject, 'won')._unsafeUnwrap();
    await deliverMessages(world);
    await pass(world, 6 * dayMs);
    const { lines, state, shop, differences } = await statement(world, day);
    expect({ state, differences, shop }).toMatchObject({
      state: 'closed',
      differences: [],
      shop: [{ disputed: '0.00', captured: '45.00' }],
    });
    const about = { kind: 'dispute', contactlessPaymentId: payment.id, barberId: 'ada' };
    const disputes = lines.filter(({ kind }) => kind === 'dispute');
    expect(disputes).toMatchObject([
      { ...about, amount: '-45.00', settled: '-60.00' },
      { ...about, amount: '45.00', settled: '45.00' },
    ]);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(3);
    const week = { from: '2026-11-02T00:00:00.000Z', until: '2026-11-20T00:00:00.000Z' };
    const listed = await world.chairside.listPayouts(host, { businessId: 'shop', ...week });
    for (const { id, ours } of listed._unsafeUnwrap()) {
      const settled = lines
        .filter(({ payout }) => payout === id)
        .map((line) => minor(line.settled));
      expect(settled.reduce((sum, one) => sum + one, 0)).toBe(minor(ours));
    }
  });

  once('are in order of arrival, and each entry has the line of its own payout', async () => {
    const lines = ['po_9', 'po_2', 'po_1', 'po_5'].map((reference, index) => ({
      amountMinor: BigInt(100 * (index + 1)),
      payoutId: `acct_shop/${reference}`,
      ...(reference === 'po_2' && { subject: 'dp_2' }),
    }));
    const at = Date.UTC(2026, 10, 4);
    const { world, day, payment } = await givenPaid(lines, [
      { reference: 'po_1', arrivesAt: at + dayMs },
      { reference: 'po_9', arrivesAt: at },
      { reference: 'po_5', arrivesAt: at },
      { reference: 'po_2', arrivesAt: at - dayMs },
    ]);
    const found = await statement(world, day);
    expect(found.payouts.map(({ id }) => id)).toEqual(['po_2', 'po_5', 'po_9', 'po_1']);
    const about = { kind: 'dispute', contactlessPaymentId: payment.id, barber: 'Ada Marlow' };
    const disputes = found.lines.filter(({ kind }) => kind === 'dispute');
    const shown = disputes.map(({ payout, settled, processorReference, payoutArrivesAt }) => [
      payout,
      settled,
      processorReference,
      payoutArrivesAt,
    ]);
    expect(shown).toEqual([
      ['po_9', '1.00', 'dp_1', iso(at)],
      ['po_2', '2.00', 'dp_2', iso(at - dayMs)],
      ['po_1', '3.00', 'dp_1', iso(at + dayMs)],
      ['po_5', '4.00', 'dp_1', iso(at)],
    ]);
    for (const dispute of disputes) expect(dispute).toMatchObject(about);
  });

  once('are followed over ten failures', async () => {
    const chain = Array.from({ length: 12 }, (_, index) => ({
      reference: `po_${index}`,
      state: 'failed' as const,
      replacedBy: `acct_shop/po_${index + 1}`,
      amountMinor: 4500n,
      oursMinor: 4500n,
    }));
    const { world, day } = await givenPaid([{ payoutId: 'acct_shop/po_0' }], chain);
    const { payouts, differences } = await statement(world, day);
    expect(payouts).toMatchObject([{ id: 'po_10' }]);
    expect(differences).toContainEqual({
      reason: 'payoutFailed',
      since: expect.any(String),
      currency: 'eur',
      ours: '45.00',
      theirs: '0.00',
      processorReference: 'po_10',
    });
  });
});

/** `45.00` is 4500. */
function minor(amount = '0.00'): number {
  return Math.round(Number(amount) * 100);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
