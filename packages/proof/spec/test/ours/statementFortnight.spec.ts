import {
  type Chairside,
  hourMs,
  okAsync,
  type PayoutView,
  type StatementLineView,
} from '@chairside/core';
import type {
  ListedEntry,
  ListedPayout,
  OtherEntry,
  ProcessorSettlements,
} from '@chairside/core/ports';
import type { DrivenProcessor } from '@chairside/testkit';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { dayAt, dayMs, statement } from '../../src/day.ts';
import { host, withProcessor } from '../../src/elsewhere.ts';
import { fresh, givenCaptured } from '../../src/shop.ts';
import {
  type AnyWorld,
  describeEverywhere,
  describeWithEveryProcessor,
  type World,
} from '../../src/world.ts';
import type { SimulatedStripe } from './simulated-stripe.ts';

/** A bank that pays out when the test says so. A balance below zero is taken from the shop's account. */
interface Bank {
  payOut(): Promise<void>;
  /** The processor charges a fee of its own. */
  charge(minor: number): void;
  /** The bank returns the latest payout. */
  fail(): void;
}

type Act = (typeof acts)[number];
const acts = [
  ...(['capture', 'capture', 'refund', 'dispute', 'win', 'lose'] as const),
  ...(['charge', 'payOut', 'payOut', 'fail'] as const),
] as const;

const history = fc.array(
  fc.record({
    act: fc.constantFrom<Act>(...acts),
    cents: fc.integer({ min: 1, max: 4500 }),
    hours: fc.integer({ min: 0, max: 14 }),
    which: fc.nat({ max: 9 }),
  }),
  { minLength: 30, maxLength: 45 },
);

/** Lives through a history from a night when the clocks go back, and compares all of its statements. */
async function live(
  world: AnyWorld,
  chairside: Chairside,
  bank: Bank,
  plan: Plan,
): Promise<readonly PayoutView[]> {
  const { clock, processor } = world;
  // The shop's clocks go back in the second night.
  clock.advance(Date.UTC(2027, 9, 29, 22) - clock.now());
  const start = clock.now();
  const taken: { readonly id: string; readonly reference: string }[] = [];
  for (const { act, cents, hours, which } of plan) {
    const one = taken[which % Math.max(1, taken.length)];
    if (act === 'capture') {
      const { payment, reference } = await givenCaptured(world);
      taken.push({ id: payment.id, reference });
    } else if (act === 'payOut') await bank.payOut();
    else if (act === 'charge') bank.charge(cents);
    else if (act === 'fail') bank.fail();
    else if (one !== undefined) await dispute(chairside, processor, act, one, cents);
    for (let left = hours; left > 0; left -= 6) {
      clock.advance(Math.min(left, 6) * hourMs);
      (await chairside.reconcile())._unsafeUnwrap();
    }
  }
  // What a payout failed to pay, and what is left, arrives in the end.
  for (let day = 0; day < 8; day += 1) {
    clock.advance(dayMs);
    if (day === 3) await bank.payOut();
    (await chairside.reconcile())._unsafeUnwrap();
  }
  return compare(chairside, start, clock.now());
}
type Plan = typeof history extends fc.Arbitrary<infer T> ? T : never;

async function dispute(
  chairside: Chairside,
  processor: DrivenProcessor,
  act: 'refund' | 'dispute' | 'win' | 'lose',
  { id, reference }: { readonly id: string; readonly reference: string },
  cents: number,
): Promise<void> {
  const entries = await processor.entries();
  const disputes = entries.find((entry) => entry.id === reference)?.disputes ?? [];
  const open = disputes.find(({ state }) => state === 'open');
  if (act === 'refund') {
    const body = { amount: (cents / 100).toFixed(2) };
    // It may exceed the rest, or the payment may be disputed.
    const input = { contactlessPaymentId: id, idempotencyKey: fresh('refund'), body };
    const refunded = await chairside.refundPayment(host, input);
    if (refunded.isErr()) expect(refunded.error.status).toBeLessThan(500);
  } else if (act === 'dispute' && disputes.length === 0) {
    const disputed = await processor.dispute(reference, BigInt(cents));
    expect(disputed.isOk()).toBe(true);
  } else if (open !== undefined && act !== 'dispute') {
    const closed = await processor.closeDispute?.(
      reference,
      open.id,
      act === 'win' ? 'won' : 'lost',
    );
    expect(closed?.isOk()).toBe(true);
  }
}

/** The rows of each payout add up to it, whatever happened. Returns the payouts. */
async function compare(
  chairside: Chairside,
  start: number,
  end: number,
): Promise<readonly PayoutView[]> {
  const days = new Set<string>();
  for (let at = start; at < end; at += 12 * hourMs) days.add(dayAt(at));
  const lines: StatementLineView[] = [];
  for (const day of days) {
    const found = await statement({ chairside }, day);
    const named = found.differences.filter(({ reason }) => reason !== 'payoutFailed');
    expect(named, day).toEqual([]);
    lines.push(...found.lines);
  }
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
  const span = {
    from: new Date(start).toISOString(),
    until: new Date(end + 9 * dayMs).toISOString(),
  };
  const listed = await chairside.listPayouts(host, { businessId: 'shop', ...span, limit: 1000 });
  const payouts = listed._unsafeUnwrap();
  for (const payout of payouts)
    expectSum(
      payout,
      lines.filter((line) => line.payout === payout.id),
    );
  return payouts;
}

function expectSum(payout: PayoutView, lines: readonly StatementLineView[]): void {
  const { ours, others, amount, captured, refunded, disputed } = payout;
  const fees = minor(payout.applicationFees) + minor(payout.processorFees);
  const gross = (kind: StatementLineView['kind']) =>
    sum(lines.filter((line) => line.kind === kind).map((line) => line.amount));
  expect(minor(captured)).toBe(gross('payment'));
  expect(minor(refunded) + gross('refund')).toBe(0);
  expect(minor(disputed) + gross('dispute')).toBe(0);
  expect(sum(lines.map(({ settled }) => settled))).toBe(minor(ours));
  expect(minor(captured) - minor(refunded) - minor(disputed) - fees).toBe(minor(ours));
  expect(sum(payout.otherEntries.map((entry) => entry.amount))).toBe(minor(others));
  expect(minor(ours) + minor(others)).toBe(minor(amount));
}

/** `45.00` is 4500. */
const minor = (amount = '0.00') => Math.round(Number(amount) * 100);
const sum = (amounts: readonly (string | undefined)[]) =>
  amounts.reduce((total, one) => total + minor(one), 0);

/** Among so many payouts, some take from the bank, and some are paid again. */
function expectAllKinds(payouts: readonly PayoutView[]): void {
  expect(payouts.filter(({ amount }) => amount.startsWith('-')).length).toBeGreaterThan(0);
  expect(payouts.filter(({ others }) => minor(others) !== 0).length).toBeGreaterThan(0);
  expect(payouts.filter(({ paidAgainBy }) => paidAgainBy !== undefined).length).toBeGreaterThan(0);
}

describeEverywhere("a fortnight's payouts", ({ it, makeWorld, transport }) => {
  it('are the sums of their rows (D50)', async () => {
    const seen: PayoutView[] = [];
    const lived = async (plan: Plan) => {
      const world = await makeWorld();
      const bank = fakeBank(world);
      seen.push(...(await live(world, bank.chairside, bank, plan)));
    };
    const numRuns = transport === 'in process' ? 20 : 5;
    await fc.assert(fc.asyncProperty(history, lived), { numRuns });
    expectAllKinds(seen);
  });
});

/** The fake processor's entries, in payouts that the test makes. */
function fakeBank(world: World) {
  interface Paid {
    readonly listed: ListedPayout;
    readonly items: readonly ListedEntry[];
    readonly others: readonly OtherEntry[];
    readonly repaid: readonly string[];
    failed?: true;
  }
  const { clock, processor } = world;
  const payouts: Paid[] = [];
  let fees: OtherEntry[] = [];
  const listed = ({ listed: one, failed }: Paid): ListedPayout =>
    failed ? { ...one, state: 'failed' } : one;

  async function payOut(): Promise<void> {
    const span = { openedFrom: 0, openedBefore: clock.now(), limit: 1000 };
    const asked = { books: 'acct_shop', installation: 'chairside', ...span };
    const { items: all } = (await processor.settlements.listEntries(asked))._unsafeUnwrap();
    const paid = new Set(payouts.flatMap(({ items }) => items.map(({ reference }) => reference)));
    const items = all.filter(({ reference }) => !paid.has(reference));
    const repaid = new Set(payouts.flatMap((one) => one.repaid));
    const again = payouts.filter((one) => one.failed && !repaid.has(one.listed.reference));
    const others = [
      ...fees,
      ...again.map(({ listed: { reference, amountMinor, openedAt: at } }) => ({
        reference: `${reference}_back`,
        kind: 'payout_failure',
        amountMinor,
        at,
      })),
    ];
    if (items.length + others.length === 0) return;
    fees = [];
    const net = ({ amountMinor, processorFeeMinor, applicationFeeMinor }: ListedEntry) =>
      amountMinor - processorFeeMinor - applicationFeeMinor;
    const amounts = [...items.map(net), ...others.map(({ amountMinor }) => amountMinor)];
    payouts.push({
      listed: {
        reference: fresh('po'),
        currency: 'eur',
        amountMinor: amounts.reduce((total, one) => total + one, 0n),
        state: 'paid',
        openedAt: clock.now(),
        arrivesAt: clock.now() + dayMs,
        isItemized: true,
      },
      items,
      others,
      repaid: again.map((one) => one.listed.reference),
    });
  }

  /** Pages of two, the others on the first of them. */
  const settlements: ProcessorSettlements = {
    listPayouts: ({ openedFrom, openedBefore }) =>
      okAsync({
        items: payouts
          .map(listed)
          .filter(({ openedAt }) => openedAt >= openedFrom && openedAt < openedBefore),
      }),
    listEntries(request) {
      if (request.payout === undefined) return processor.settlements.listEntries(request);
      const paid = payouts.find((one) => one.listed.reference === request.payout);
      const { items = [], others = [], repaid = [] } = paid ?? {};
      const from = Number(request.cursor ?? 0);
      const isMore = from + 2 < items.length;
      const othersMinor = others.reduce((total, { amountMinor }) => total + amountMinor, 0n);
      return okAsync({
        items: items.slice(from, from + 2),
        ...(from === 0 && { others, othersMinor, repaid }),
        ...(isMore && { cursor: `${from + 2}` }),
      });
    },
  };
  return {
    chairside: withProcessor(world, { settlements }),
    payOut,
    charge(cents: number) {
      const fee = { kind: 'stripe_fee', description: 'Terminal', at: clock.now() };
      fees.push({ reference: fresh('fee'), ...fee, amountMinor: -BigInt(cents) });
    },
    fail() {
      const last = payouts.at(-1);
      if (last !== undefined) last.failed = true;
    },
  };
}

describeWithEveryProcessor("a fortnight's payouts at Stripe", ({ it, makeWorld, processor }) => {
  it.skipIf(processor !== 'stripe')('are the sums of their rows (D50)', async () => {
    const seen: PayoutView[] = [];
    const lived = async (plan: Plan) => {
      const world = await makeWorld();
      seen.push(...(await live(world, world.chairside, stripeBank(world), plan)));
    };
    await fc.assert(fc.asyncProperty(history, lived), { numRuns: 4 });
    expectAllKinds(seen);
  });
});

function stripeBank({ processor, clock }: AnyWorld): Bank {
  if (!isStripe(processor)) throw new Error('the processor is not Stripe');
  const { standIn } = processor;
  const paid: string[] = [];
  return {
    async payOut() {
      paid.push(...standIn.payOut('acct_shop'));
      // Stripe names the entries after an hour.
      clock.advance(hourMs);
    },
    charge(cents) {
      const fee = { amount: -cents, net: -cents, currency: 'eur', description: 'Terminal fee' };
      standIn.addForeign('acct_shop', { entries: [fee] });
    },
    fail() {
      const last = paid.pop();
      if (last !== undefined) standIn.failPayout(last);
    },
  };
}

function isStripe(processor: DrivenProcessor): processor is SimulatedStripe {
  return 'standIn' in processor;
}
