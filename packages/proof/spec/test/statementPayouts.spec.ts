import type { Change, Payout, SettlementEntry } from '@chairside/core';
import { expect, it } from 'vitest';
import { dayAt, dayMs, pass, statement } from '../src/day.ts';
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
    const { payouts, shop } = await statement(world, day);
    expect(payouts).toMatchObject([{ id: 'po_2', ofThisDay: '-2.00' }]);
    expect(shop).toMatchObject([{ arrived: '-2.00' }]);
  });

  once('are in order of arrival, and a line has arrived with its last one', async () => {
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
    expect(disputes).toMatchObject([
      { ...about, processorReference: 'dp_1', payout: 'po_1', payoutArrivesAt: iso(at + dayMs) },
      { ...about, processorReference: 'dp_2', payout: 'po_2', payoutArrivesAt: iso(at - dayMs) },
    ]);
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

function iso(at: number): string {
  return new Date(at).toISOString();
}
