import { hourMs, minuteMs } from '@chairside/core';
import type { ListedEntry, ListRequest, RefundPaymentRequest } from '@chairside/core/ports';
import type { StripeFault } from '@chairside/stripe-stand-in';
import { beforeEach, describe, expect, it } from 'vitest';
import { authorize, problem, rejected, type SetUp, setUp, spanOf, value } from './stand-in.ts';

const dayMs = 24 * hourMs;

/** A captured payment of 45.37 with a fee of 1.00 for the platform. */
async function capture(set: SetUp, more: Partial<SetUp['charge']> = {}) {
  const charge = { ...set.charge, applicationFeeMinor: 100n, ...more };
  const payment = await authorize({ ...set, charge });
  const idempotencyKey = `capture_${charge.paymentId}`;
  value(await set.stripe.capturePayment({ ...payment, idempotencyKey }));
  return payment;
}

function refundOf(
  set: SetUp,
  reference: string,
  more: Partial<RefundPaymentRequest> = {},
): RefundPaymentRequest {
  return {
    ...set.charge,
    reference,
    refundId: 'ref_1',
    amountMinor: 1000n,
    returnsFee: false,
    reversesTransfer: true,
    idempotencyKey: 'refund_1',
    ...more,
  };
}

async function entriesOf(set: SetUp, more?: Partial<ListRequest>): Promise<readonly ListedEntry[]> {
  return value(await set.stripe.settlements.listEntries(spanOf(set, more))).items;
}

/** The kind, the amount, Stripe's fee and the platform's of each entry. */
const figures = (entries: readonly ListedEntry[]) =>
  entries.map(({ kind, amountMinor, processorFeeMinor, applicationFeeMinor }) => [
    kind,
    amountMinor,
    processorFeeMinor,
    applicationFeeMinor,
  ]);

let set: SetUp;
beforeEach(() => {
  set = setUp();
});

describe('entries', () => {
  it('tell Stripe’s fee from the platform’s', async () => {
    const { reference, paymentId } = await capture(set);
    const [entry] = await entriesOf(set);
    expect(entry).toEqual({
      account: set.handle.account,
      kind: 'payment',
      paymentId,
      reference: expect.stringMatching(/^txn_/),
      subject: reference,
      currency: 'usd',
      amountMinor: 4537n,
      // 2.7 % and 0.05, by the stand-in.
      processorFeeMinor: 127n,
      applicationFeeMinor: 100n,
      openedAt: set.clock.now(),
    });
  });

  it('name refunds and disputes by Stripe’s ids, with what comes back', async () => {
    const { reference } = await capture(set);
    const refund = value(await set.stripe.refunds.refund(refundOf(set, reference)));
    set.clock.advance(minuteMs);
    set.standIn.endRefund(refund.reference, 'failed');
    set.clock.advance(minuteMs);
    set.standIn.dispute(reference, 700);
    const [dispute] = value(await set.stripe.disputes.list({ ...set.handle, reference }));
    set.clock.advance(minuteMs);
    set.standIn.moveDispute(dispute?.reference ?? '', 'won');
    const [, ...others] = await entriesOf(set);
    expect(figures(others)).toEqual([
      ['refund', -1000n, 0n, 0n],
      ['refund', 1000n, 0n, 0n],
      ['dispute', -700n, 1500n, 0n],
      ['dispute', 700n, 0n, 0n],
    ]);
    const subjects = [refund, refund, dispute, dispute].map((one) => one?.reference);
    expect(others.map(({ subject }) => subject)).toEqual(subjects);
  });

  it('show a returned fee of the platform with its refund, if Stripe does', async () => {
    set = setUp({}, { returnedFees: 'within' });
    const { reference } = await capture(set);
    value(await set.stripe.refunds.refund(refundOf(set, reference, { returnsFee: true })));
    expect(figures(await entriesOf(set)).at(-1)).toEqual(['refund', -1000n, 0n, -22n]);
  });

  it('leave a fee that comes back apart to the others of its payout', async () => {
    const { reference } = await capture(set);
    value(await set.stripe.refunds.refund(refundOf(set, reference, { returnsFee: true })));
    expect(figures(await entriesOf(set))).toEqual([
      ['payment', 4537n, 127n, 100n],
      ['refund', -1000n, 0n, 0n],
    ]);
    const { othersMinor } = await payOut(set);
    expect(othersMinor).toBe(22n);
  });

  it('belong to one installation and account', async () => {
    await capture(set);
    expect(await entriesOf(set, { installation: 'another' })).toEqual([]);
    expect(await entriesOf(set, { books: set.standIn.addAccount().id })).toEqual([]);
  });

  it('with destination charges have the fees that the shop bears', async () => {
    set = setUp({ charges: 'destination' });
    const { reference } = await capture(set);
    const platform = { books: 'platform' };
    value(await set.stripe.refunds.refund(refundOf(set, reference)));
    expect(figures(await entriesOf(set, platform))).toEqual([
      ['payment', 4537n, 0n, 100n],
      ['refund', -1000n, 0n, 0n],
    ]);
    const { listEntries, listPayouts } = set.stripe.settlements;
    expect(value(await listPayouts(spanOf(set, platform)))).toEqual({ items: [] });
    const asked = { ...spanOf(set, platform), payout: 'po_1' };
    expect(problem(await listEntries(asked))).toEqual(rejected('unknownBooks'));
  });
});

describe('entries of destination charges', () => {
  const borne = async () => {
    const entries = await entriesOf(set, { books: 'platform' });
    return entries.map(({ kind, amountMinor, platformMinor }) => [
      kind,
      amountMinor,
      platformMinor,
    ]);
  };
  beforeEach(() => {
    set = setUp({ charges: 'destination' });
  });

  it('say that the platform bears a dispute, and the shop keeps its transfer', async () => {
    const { reference } = await capture(set);
    set.standIn.dispute(reference, 700);
    const [dispute] = value(await set.stripe.disputes.list({ ...set.handle, reference }));
    set.clock.advance(minuteMs);
    set.standIn.moveDispute(dispute?.reference ?? '', 'won');
    expect(await borne()).toEqual([
      ['payment', 4537n, undefined],
      ['dispute', -700n, -700n],
      ['dispute', 700n, 700n],
    ]);
  });

  it.each([
    ['the shop bears a refund whose transfer was reversed', true, undefined],
    ['the platform bears a refund whose transfer stays', false, -1000n],
  ])(
    'say that %s, and what fails comes back to the platform',
    async (_, reversesTransfer, bears) => {
      const { reference } = await capture(set);
      const request = refundOf(set, reference, { reversesTransfer });
      const made = value(await set.stripe.refunds.refund(request));
      set.clock.advance(minuteMs);
      set.standIn.endRefund(made.reference, 'failed');
      expect(await borne()).toEqual([
        ['payment', 4537n, undefined],
        ['refund', -1000n, bears],
        ['refund', 1000n, 1000n],
      ]);
    },
  );

  it('say nothing of a refund whose reversal Stripe does not show', async () => {
    const { reference } = await capture(set);
    set.standIn.refund(reference, 1000);
    const hidden = (list: Readonly<Record<string, unknown>>) => ({
      ...list,
      data: [list['data']].flat().map((entry) => {
        const { transfer_reversal: _, ...source } = Object(Object(entry).source);
        return { ...Object(entry), source };
      }),
    });
    set.standIn.failNext('listBalanceTransactions', hidden, 3);
    expect((await borne()).at(-1)).toEqual(['refund', -1000n, undefined]);
  });
});

describe('foreign entries', () => {
  it('of every type that the SDK declares hold nothing back', async () => {
    const made = declaredTypes.map((type) => ({ type, source: null, amount: 5, net: 5 }));
    set.standIn.addForeign(set.account.id, { entries: made, refunds: 2, disputes: 1 });
    await capture(set);
    const page = value(await set.stripe.settlements.listEntries(spanOf(set)));
    expect(figures(page.items)).toEqual([['payment', 4537n, 127n, 100n]]);
    expect(page).not.toHaveProperty('skipped');
    expect(page).not.toHaveProperty('unreadable');
  });

  it('are named if their owner cannot be read', async () => {
    await capture(set);
    set.standIn.addForeign(set.account.id, { entries: [{ source: 'gone_1' }] });
    const { items, skipped } = value(await set.stripe.settlements.listEntries(spanOf(set)));
    expect(items).toHaveLength(1);
    const [reference, openedAt] = [expect.stringMatching(/^txn_/), set.clock.now()];
    expect(skipped).toEqual([{ reference, openedAt }]);
  });

  it.each([
    ['net', { net: 1 }],
    ['fees', { fee_details: [] }],
    ['currency', { currency: 'US dollars' }],
  ])('become a review if they are ours and their %s cannot be believed', async (_, change) => {
    const { reference, account } = await capture(set);
    const [entry] = set.standIn.entries(account);
    set.standIn.addForeign(account, { entries: [{ ...entry, id: 'txn_other', ...change }] });
    const { items, unreadable } = value(await set.stripe.settlements.listEntries(spanOf(set)));
    expect(items).toHaveLength(1);
    expect(unreadable).toEqual([{ account, reference, openedAt: set.clock.now() }]);
  });
});

/** Pays out what is available, and reads the payout's entries as soon as Stripe names them. */
async function payOut({ stripe, standIn, clock, ...rest }: SetUp) {
  const all = { stripe, standIn, clock, ...rest };
  clock.advance(3 * dayMs);
  const [payout = ''] = standIn.payOut(rest.account.id);
  clock.advance(hourMs);
  return value(await stripe.settlements.listEntries({ ...spanOf(all), payout }));
}

describe('payouts', () => {
  const payouts = async () => value(await set.stripe.settlements.listPayouts(spanOf(set))).items;

  it('are on their way, arrive, and name their entries after some time', async () => {
    await capture(set);
    set.clock.advance(3 * dayMs);
    const [reference = ''] = set.standIn.payOut(set.account.id);
    const at = set.clock.now();
    const begun = { reference, currency: 'usd', amountMinor: 4310n, openedAt: at };
    expect(await payouts()).toEqual([
      { ...begun, state: 'pending', arrivesAt: expect.any(Number), isItemized: false },
    ]);
    set.clock.advance(hourMs);
    expect(await payouts()).toMatchObject([{ state: 'pending', isItemized: true }]);
    set.clock.advance(2 * dayMs);
    const [arrived] = await payouts();
    expect(arrived).toMatchObject({ ...begun, state: 'paid', isItemized: true });
    expect(arrived?.arrivesAt).toBeLessThanOrEqual(set.clock.now());
    expect(arrived?.arrivesAt).toBeGreaterThan(at);
  });

  it('are the sum of their entries', async () => {
    const { reference } = await capture(set);
    value(await set.stripe.refunds.refund(refundOf(set, reference)));
    set.standIn.addForeign(set.account.id, { entries: [{}] });
    const { items, othersMinor = 0n, others, repaid, cursor } = await payOut(set);
    expect(figures(items)).toEqual([
      ['refund', -1000n, 0n, 0n],
      ['payment', 4537n, 127n, 100n],
    ]);
    expect({ othersMinor, repaid, cursor }).toEqual({ othersMinor: -300n, repaid: [] });
    expect(others).toMatchObject([{ kind: 'stripe_fee', amountMinor: -300n }]);
    const [payout] = await payouts();
    expect(payout?.amountMinor).toBe(4537n - 127n - 100n - 1000n + othersMinor);
  });

  it("describe Stripe's own charges, and no payment of other software, which may name a person", async () => {
    const described = { description: 'For Ada Example', net: 500, amount: 500 };
    set.standIn.addForeign(set.account.id, {
      entries: [
        { description: 'Terminal fee' },
        { ...described, type: 'charge' },
        { ...described, type: 'adjustment' },
      ],
    });
    const { others = [] } = await payOut(set);
    const shown = others.map(({ kind, description }) => [kind, description]).sort();
    expect(shown).toEqual([
      ['adjustment', undefined],
      ['charge', undefined],
      ['stripe_fee', 'Terminal fee'],
    ]);
  });

  it('are read page by page, and with fewer entries where a page does not arrive (D51)', async () => {
    for (const paymentId of ['cpm_1', 'cpm_2', 'cpm_3']) {
      await capture(set, { paymentId, idempotencyKey: `open_${paymentId}` });
    }
    set.clock.advance(3 * dayMs);
    const [payout = ''] = set.standIn.payOut(set.account.id);
    set.clock.advance(hourMs);
    const seen: string[] = [];
    let cursor: string | undefined;
    set.standIn.failNext('listBalanceTransactions', 'timeoutBeforeApplying');
    do {
      const asked = { ...spanOf(set, { limit: 2 }), payout, ...(cursor && { cursor }) };
      const page = value(await set.stripe.settlements.listEntries(asked));
      seen.push(...page.items.map(({ paymentId }) => paymentId));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(['cpm_3', 'cpm_2', 'cpm_1']);
  });

  it('that failed are named by the one that pays them again', async () => {
    await capture(set);
    set.clock.advance(3 * dayMs);
    const [first = ''] = set.standIn.payOut(set.account.id);
    set.clock.advance(3 * dayMs);
    set.standIn.failPayout(first);
    const again = await payOut(set);
    expect(again).toMatchObject({
      items: [],
      othersMinor: 4310n,
      others: [{ kind: 'payout_failure', description: first, amountMinor: 4310n }],
      repaid: [first],
    });
    const states = (await payouts()).map(({ state, failure, amountMinor }) => [
      state,
      failure,
      amountMinor,
    ]);
    expect(states).toEqual([
      ['failed', 'account_closed', 4310n],
      ['pending', undefined, 4310n],
    ]);
  });

  it('that the shop requests name no entries, and count against the next one', async () => {
    await capture(set);
    set.clock.advance(3 * dayMs);
    const requested = set.standIn.payOutByHand(set.account.id, 1000, 'usd');
    set.clock.advance(hourMs);
    expect(await payouts()).toMatchObject([{ reference: requested, isItemized: false }]);
    const asked = { ...spanOf(set), payout: requested };
    expect(problem(await set.stripe.settlements.listEntries(asked))).toMatchObject({
      kind: 'rejected',
    });
    expect(await payOut(set)).toMatchObject({ othersMinor: -1000n, repaid: [] });
    expect((await payouts()).map(({ amountMinor }) => amountMinor)).toEqual([1000n, 3310n]);
  });

  it.each(['isk', 'ugx'])(
    'in %s are in whole units, of which Stripe shows hundredths',
    async (of) => {
      await capture(set);
      const inWhole: StripeFault = (body) => ({
        ...body,
        data: [body['data']].flat().map((one) => ({
          ...Object(one),
          currency: of,
          fee_details: [Object(one).fee_details]
            .flat()
            .map((fee) => ({ ...Object(fee), currency: of })),
          ...Object.fromEntries(
            ['amount', 'fee', 'net'].map((name) => [name, 500 * (name === 'fee' ? 0 : 1)]),
          ),
        })),
      });
      set.clock.advance(3 * dayMs);
      set.standIn.payOut(set.account.id);
      set.standIn.failNext('listPayouts', inWhole, 20);
      expect(await payouts()).toMatchObject([{ currency: of, amountMinor: 5n }]);
    },
  );

  it.each([
    ['a state that Stripe does not list', { status: 'waiting' }],
    ['another mode', { livemode: true }],
    ['no amount', { amount: null }],
  ])('with %s are named, and hide no other', async (_, change) => {
    await capture(set);
    set.clock.advance(3 * dayMs);
    const [reference] = set.standIn.payOut(set.account.id);
    const other = set.standIn.payOutByHand(set.account.id, 1, 'usd');
    const spoil = (one: object) =>
      'id' in one && one.id === reference ? { ...one, ...change } : one;
    const page: StripeFault = (body) => ({
      ...body,
      data: [body['data']].flat().map(Object).map(spoil),
    });
    // The list is read in slices.
    set.standIn.failNext('listPayouts', page, 20);
    const { items, skipped } = value(await set.stripe.settlements.listPayouts(spanOf(set)));
    expect(items.map((one) => one.reference)).toEqual([other]);
    expect(skipped).toEqual([{ reference, openedAt: set.clock.now() }]);
  });
});

/** As Stripe's declarations list them (SDK 23.1.0). */
const declaredTypes = [
  'adjustment',
  'advance',
  'advance_funding',
  'anticipation_repayment',
  'application_fee',
  'application_fee_refund',
  'charge',
  'connect_collection_transfer',
  'contribution',
  'inbound_transfer',
  'issuing_transaction',
  'obligation_outbound',
  'payment',
  'payment_failure_refund',
  'payment_network_reserve_hold',
  'payment_refund',
  'payment_reversal',
  'payment_unreconciled',
  'payout',
  'payout_cancel',
  'payout_failure',
  'payout_minimum_balance_hold',
  'refund',
  'refund_failure',
  'reserve_hold',
  'reserve_transaction',
  'stripe_balance_payment_debit',
  'stripe_fee',
  'stripe_fx_fee',
  'tax_fee',
  'topup',
  'transfer',
  'transfer_refund',
] as const;
