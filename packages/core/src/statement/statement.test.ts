import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portsOver } from '../../test/ports.ts';
import { aPayment, charge, now } from '../../test/support.ts';
import { type Business, barberName } from '../host/host.ts';
import type { Payment } from '../payment/payment.ts';
import type { ProcessorSettlements } from '../ports/processor.ts';
import type { Store } from '../ports/store.ts';
import type { Movement } from '../refund/movement.ts';
import { clockErrorMs } from '../upkeep/swept-books.ts';
import { ok, okAsync, resultOf } from '../values/result.ts';
import { hourMs } from '../values/time.ts';
import { isWaitedFor, ownAccounts, readEach, readProgress, uncapturedBefore } from './read-day.ts';
import { netMinor, type Payout, type SettlementEntry } from './settlement.ts';
import {
  agrees,
  type DayRecords,
  type DifferenceReason,
  hasArrived,
  type PaymentTrace,
  pairDay,
  payoutReason,
  reasonOf,
  settledMinor,
  stateOf,
  sumsOf,
} from './statement.ts';
import { viewDifference, viewLine } from './wire.ts';

const captured = (over: Parameters<typeof aPayment>[0] = {}) =>
  aPayment({
    state: 'captured',
    amountMinor: 4500n,
    capturedAt: now,
    capturedMinor: 4500n,
    reference: 'pi_1',
    ...over,
  });

const anEntry = (over: Partial<SettlementEntry> = {}): SettlementEntry => ({
  id: 'acct_1/txn_1',
  account: 'acct_1',
  businessId: 'business-1',
  paymentId: 'cpm_1',
  kind: 'payment',
  subject: 'pi_1',
  currency: 'eur',
  amountMinor: 4500n,
  processorFeeMinor: 93n,
  applicationFeeMinor: 0n,
  at: now,
  ...over,
});

const aMovement = (over: Partial<Movement> = {}): Movement => ({
  id: 'rfd_1.2',
  businessId: 'business-1',
  barberId: 'barber-1',
  account: 'acct_1',
  paymentId: 'cpm_1',
  kind: 'refund',
  subject: 're_1',
  currency: 'eur',
  amountMinor: -1000n,
  tipMinor: 0n,
  at: now,
  ...over,
});
const refundEntry = { kind: 'refund', subject: 're_1', amountMinor: -1000n } as const;

/** The reason of a line, where the processor's list was read past the day. */
function reasons(today: Partial<DayRecords>, everywhere?: Partial<PaymentTrace>) {
  const records = { captures: [], movements: [], entries: [], ...today };
  const trace = everywhere && { payment: undefined, movements: [], entries: [], ...everywhere };
  return pairDay(records).map((line) => reasonOf(line, now + 1, trace));
}

describe('a capture that a person recorded and a later day took back (D201)', () => {
  const payment = captured({ applicationFeeMinor: 131n, tipMinor: 500n, charge });
  const back = aMovement({ kind: 'payment', subject: 'pi_1', amountMinor: -4500n, at: now + 9 });
  const payments = new Map([[payment.id, payment]]);

  it('differs until the later day takes it back, and then on neither day', () => {
    const records = { payment, movements: [back], entries: [] };
    expect(reasons({ captures: [payment] }, { payment })).toEqual(['missingAtProcessor']);
    expect(reasons({ captures: [payment] }, records)).toEqual(['otherDay']);
    const [line] = pairDay({ captures: [], movements: [back], entries: [], payments });
    expect(line && reasonOf(line, now + 10, records)).toBe('otherDay');
  });

  it('takes its fee back too, and is counted as no payment', () => {
    const lines = pairDay({ captures: [], movements: [aMovement(), back], entries: [], payments });
    expect(lines).toMatchObject([
      { kind: 'refund', askedFeeMinor: 0n },
      { oursMinor: -4500n, askedFeeMinor: -131n },
    ]);
    const sums = sumsOf(
      lines,
      () => undefined,
      () => false,
    );
    expect(sums).toMatchObject([
      {
        payments: 0,
        capturedMinor: -4500n,
        depositsMinor: -4500n,
        refundedMinor: 1000n,
        applicationFeesMinor: -131n,
      },
    ]);
    const both = pairDay({ captures: [payment], movements: [back], entries: [], payments });
    expect(both).toMatchObject([{ oursMinor: 0n, askedFeeMinor: 0n }]);
    expect(both.map(agrees)).toEqual([true]);
  });
});

describe('the reason of a difference (D50)', () => {
  const entry = anEntry();
  const payment = captured();
  const feeAsked = captured({ applicationFeeMinor: 131n });
  const refunded = aMovement();
  const refundedThere = anEntry(refundEntry);

  it.each<[string, Partial<DayRecords>, Partial<PaymentTrace> | undefined, string | undefined]>([
    ['none of a pair', { captures: [payment], entries: [entry] }, undefined, undefined],
    ['none of a refund', { movements: [refunded], entries: [refundedThere] }, {}, undefined],
    ['a capture alone', { captures: [payment] }, { payment }, 'missingAtProcessor'],
    ['a capture without traces', { captures: [payment] }, undefined, 'notListedYet'],
    ['an entry alone', { entries: [entry] }, { entries: [entry] }, 'missingHere'],
    [
      'the entry of a payment that is not captured here',
      { entries: [entry] },
      { payment: aPayment(), entries: [entry] },
      'missingHere',
    ],
    [
      'an entry in another currency',
      { entries: [anEntry({ currency: 'usd' })] },
      { payment, entries: [anEntry({ currency: 'usd' })] },
      'missingHere',
    ],
    ['an entry on another day', { captures: [payment] }, { payment, entries: [entry] }, 'otherDay'],
    [
      'another amount',
      { captures: [payment], entries: [anEntry({ amountMinor: 4501n })] },
      { payment, entries: [anEntry({ amountMinor: 4501n })] },
      'otherAmount',
    ],
    [
      'another fee of the platform',
      { captures: [feeAsked], entries: [anEntry({ applicationFeeMinor: 130n })] },
      { payment: feeAsked, entries: [anEntry({ applicationFeeMinor: 130n })] },
      'otherFee',
    ],
    [
      "the platform's fee in an entry on another day",
      { captures: [feeAsked], entries: [entry] },
      {
        payment: feeAsked,
        entries: [entry, anEntry({ amountMinor: 0n, applicationFeeMinor: 131n, at: now + 9 })],
      },
      'otherFee',
    ],
    [
      'an entry on another day, with another fee of the platform',
      { captures: [feeAsked] },
      { payment: feeAsked, entries: [anEntry({ applicationFeeMinor: 130n, at: now + 9 })] },
      'otherFee',
    ],
    [
      'an entry on another day, with the fee of the platform',
      { entries: [anEntry({ applicationFeeMinor: 131n })] },
      { payment: feeAsked, entries: [anEntry({ applicationFeeMinor: 131n })] },
      'otherDay',
    ],
    ['a refund alone', { movements: [refunded] }, { movements: [refunded] }, 'missingAtProcessor'],
    [
      'a later entry alone',
      { entries: [anEntry({ at: now + 9 })] },
      { entries: [anEntry({ at: now + 9 })] },
      'missingHere',
    ],
    [
      "the processor's refund alone",
      { entries: [refundedThere] },
      { entries: [refundedThere] },
      'missingHere',
    ],
    [
      'a refund on another day',
      { entries: [refundedThere] },
      { payment: feeAsked, movements: [refunded], entries: [refundedThere] },
      'otherDay',
    ],
    [
      'a refund on another day, whose later failure is not listed yet',
      { movements: [refunded] },
      {
        movements: [refunded, aMovement({ id: 'rfd_1.3', amountMinor: 1000n, at: now + 9 })],
        entries: [anEntry({ ...refundEntry, at: now + 1 })],
      },
      'otherDay',
    ],
    [
      'a refund on another day, whose later failure is another amount',
      { entries: [refundedThere] },
      {
        movements: [aMovement({ at: now - 1 })],
        entries: [refundedThere, anEntry({ ...refundEntry, amountMinor: 999n, at: now + 9 })],
      },
      'otherDay',
    ],
    [
      'a second entry for one refund, which agrees with none of ours',
      { entries: [refundedThere] },
      {
        movements: [aMovement({ at: now - 2 })],
        entries: [anEntry({ ...refundEntry, at: now - 1 }), refundedThere],
      },
      'otherAmount',
    ],
    [
      'another refund of the same payment',
      { movements: [refunded] },
      { movements: [refunded], entries: [anEntry({ ...refundEntry, subject: 're_2' })] },
      'missingAtProcessor',
    ],
    [
      'a refund of another amount',
      { movements: [refunded] },
      { movements: [refunded], entries: [anEntry({ ...refundEntry, amountMinor: -999n })] },
      'otherAmount',
    ],
  ])('%s', (_, today, everywhere, expected) => {
    expect(reasons(today, everywhere)).toEqual([expected]);
  });

  it('does not depend on whether the payment has a reference', () => {
    const { reference: _none, ...unknown } = captured();
    expect(reasons({ captures: [unknown] }, { payment: unknown })).toEqual(['missingAtProcessor']);
  });

  it("is `notListedYet` until the processor's list was read past the line", () => {
    const [line] = pairDay({ captures: [payment], movements: [], entries: [] });
    if (line === undefined) throw new Error('the capture has no line');
    const trace = { payment, movements: [], entries: [] };
    expect(reasonOf(line, now, trace)).toBe('notListedYet');
    expect(reasonOf(line, now + 1, trace)).not.toBe('notListedYet');
  });

  it('does not compare the fee that a refund returns, which the processor decides', () => {
    const returned = anEntry({ ...refundEntry, applicationFeeMinor: -29n });
    const [line] = pairDay({ captures: [], movements: [refunded], entries: [returned] });
    expect(line && agrees(line)).toBe(true);
  });
});

describe('the pairs of a day', () => {
  it('are one line for each refund, dispute and currency, in order of time', () => {
    const disputed = { kind: 'dispute', subject: 'dp_1', amountMinor: -500n } as const;
    const lines = pairDay({
      captures: [captured({ id: 'cpm_2', capturedAt: now + 1 }), captured()],
      movements: [
        aMovement({ id: 'a', at: now + 3, tipMinor: -200n }),
        aMovement({ id: 'b', at: now + 2, amountMinor: 1000n, tipMinor: 200n }),
        aMovement({ id: 'c', kind: 'dispute', subject: 'dp_1', at: now + 4 }),
        aMovement({ id: 'd', subject: 're_2', at: now + 7 }),
        aMovement({ id: 'e', subject: 're_2', at: now + 7, amountMinor: 900n }),
      ],
      entries: [
        anEntry({ id: '5', ...disputed, at: now + 6, amountMinor: 900n, payoutId: 'acct_1/po_2' }),
        anEntry({ id: '0' }),
        anEntry({ id: '1', currency: 'usd', at: now + 5 }),
        anEntry({ id: '6', currency: 'usd', at: now + 5, amountMinor: 0n }),
        anEntry({ id: '2', ...refundEntry, at: now + 2, payoutId: 'acct_1/po_1' }),
        anEntry({ id: '3', ...disputed, at: now + 4, payoutId: 'acct_1/po_1' }),
        anEntry({ id: '4', ...disputed, at: now + 4, payoutId: 'acct_1/po_1' }),
        // Other amounts than ours: the one that is not negative belongs to what came back.
        anEntry({ id: '7', kind: 'refund', subject: 're_2', at: now + 7, amountMinor: 0n }),
        anEntry({ id: '8', kind: 'refund', subject: 're_2', at: now + 7, amountMinor: -999n }),
      ],
    });
    expect(lines).toMatchObject([
      {
        kind: 'payment',
        paymentId: 'cpm_1',
        subject: 'pi_1',
        barberId: 'barber-1',
        currency: 'eur',
        processorFeeMinor: 93n,
        lines: [{ id: '0', oursMinor: 4500n, theirsMinor: 4500n }],
      },
      { kind: 'payment', paymentId: 'cpm_2', subject: 'pi_1' },
      {
        kind: 'refund',
        at: now + 2,
        lastAt: now + 3,
        oursMinor: 0n,
        tipMinor: 0n,
        theirsMinor: -1000n,
        lines: [
          { id: '2', oursMinor: -1000n, theirsMinor: -1000n, payoutId: 'acct_1/po_1' },
          { id: 'b', oursMinor: 1000n },
        ],
      },
      {
        kind: 'dispute',
        oursMinor: -1000n,
        theirsMinor: -100n,
        lines: [
          { id: '3', oursMinor: -1000n, theirsMinor: -500n, payoutId: 'acct_1/po_1' },
          { id: '4', theirsMinor: -500n, payoutId: 'acct_1/po_1' },
          { id: '5', theirsMinor: 900n, payoutId: 'acct_1/po_2' },
        ],
      },
      { kind: 'payment', currency: 'usd', theirsMinor: 4500n },
      {
        kind: 'refund',
        lines: [
          { id: '7', oursMinor: 900n, theirsMinor: 0n },
          { id: '8', oursMinor: -1000n, theirsMinor: -999n },
        ],
      },
    ]);
    const none = { oursMinor: undefined, barberId: undefined, purpose: undefined };
    expect(lines[4]).toMatchObject(none);
    expect(lines[1]).not.toHaveProperty('theirsMinor');
  });

  it('have one order at one moment, in any order of the records', () => {
    const movements = ['re_1', 're_2', 're_3'].map((subject) =>
      aMovement({ id: subject, subject }),
    );
    const subjects = (given: readonly Movement[]) =>
      pairDay({ captures: [], movements: given, entries: [] }).map(({ subject }) => subject);
    expect(subjects(movements.toReversed())).toEqual(['re_1', 're_2', 're_3']);
    expect(subjects(movements)).toEqual(['re_1', 're_2', 're_3']);
  });

  it('have a line for each entry, so that the lines of a payout add up to it (D50)', () => {
    const amounts = fc.constantFrom(-4500n, -1000n, 0n, 1000n, 4500n);
    const about = fc.record({
      paymentId: fc.constantFrom('cpm_1', 'cpm_2'),
      kind: fc.constantFrom('payment', 'refund', 'dispute'),
      subject: fc.constantFrom('a', 'b'),
      amountMinor: amounts,
      at: fc.integer({ min: now, max: now + 9 }),
    });
    const payoutId = fc.constantFrom('acct_1/po_1', 'acct_1/po_2', undefined);
    const entry = fc.tuple(about, payoutId, fc.constantFrom(0n, 93n, -5n));
    fc.assert(
      fc.property(fc.array(about), fc.array(entry), (ours, theirs) => {
        const movements = ours.map((one, index) => aMovement({ ...one, id: `m${index}` }));
        const entries = theirs.map(([one, paidBy, processorFeeMinor], index) =>
          anEntry({
            ...one,
            id: `e${index}`,
            processorFeeMinor,
            ...(paidBy !== undefined && { payoutId: paidBy }),
          }),
        );
        const items = pairDay({ captures: [captured()], movements, entries });
        const lines = items.flatMap((item) => item.lines);
        const sum = (all: readonly bigint[]) => all.reduce((total, one) => total + one, 0n);
        for (const id of ['acct_1/po_1', 'acct_1/po_2', undefined]) {
          const shown = lines.filter((one) => one.payoutId === id).map(settledMinor);
          const paid = entries.filter((one) => one.payoutId === id).map(netMinor);
          expect(sum(shown)).toBe(sum(paid));
        }
        // Each record has one line, and the sums of the lines are the items'.
        const oursMinor = sum(lines.map((one) => one.oursMinor ?? 0n));
        expect(oursMinor).toBe(4500n + sum(movements.map((one) => one.amountMinor)));
        expect(oursMinor).toBe(sum(items.map((one) => one.oursMinor ?? 0n)));
        expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
        expect(lines.filter((one) => one.theirsMinor !== undefined)).toHaveLength(entries.length);
      }),
    );
  });

  it('and their sums do not depend on the order of the records', () => {
    const captures = ['cpm_1', 'cpm_2', 'cpm_3'].map((id) => captured({ id }));
    const movements = [aMovement(), aMovement({ id: 'b', amountMinor: 400n })];
    const entries = [
      anEntry(),
      anEntry({ id: '2', paymentId: 'cpm_2', currency: 'usd' }),
      anEntry({ id: '3', ...refundEntry }),
    ];
    const shown = (records: DayRecords) => {
      const lines = pairDay(records);
      return [
        lines,
        sumsOf(
          lines,
          ({ barberId }) => barberId,
          () => true,
        ),
      ];
    };
    const shuffled = fc.tuple(
      fc.shuffledSubarray(captures, { minLength: 3 }),
      fc.shuffledSubarray(movements, { minLength: 2 }),
      fc.shuffledSubarray(entries, { minLength: 3 }),
    );
    fc.assert(
      fc.property(shuffled, ([some, more, others]) => {
        const found = shown({ captures: some, movements: more, entries: others });
        expect(found).toEqual(shown({ captures, movements, entries }));
      }),
    );
  });
});

describe('the sums of a day', () => {
  const day: DayRecords = {
    captures: [
      captured({ tipMinor: 500n, applicationFeeMinor: 100n }),
      captured({ id: 'cpm_2', currency: 'usd', capturedAt: now - 1 }),
    ],
    movements: [
      aMovement({ tipMinor: -200n }),
      aMovement({ id: 'b', kind: 'dispute', subject: 'dp_1', amountMinor: -4500n }),
    ],
    entries: [
      anEntry({ applicationFeeMinor: 100n, payoutId: 'acct_1/po_1' }),
      anEntry({
        id: '2',
        ...refundEntry,
        processorFeeMinor: 0n,
        applicationFeeMinor: -22n,
        payoutId: 'acct_1/po_2',
      }),
      anEntry({ id: '3', kind: 'dispute', subject: 'dp_1', amountMinor: -4500n }),
    ],
  };

  it('settle nothing of what the platform bears', () => {
    const dispute = { kind: 'dispute', subject: 'dp_1', amountMinor: -4500n } as const;
    const borne = anEntry({ ...dispute, id: '2', processorFeeMinor: 0n, platformMinor: -4500n });
    const [sums] = sumsOf(
      pairDay({
        captures: [captured()],
        movements: [aMovement(dispute)],
        entries: [anEntry(), borne],
      }),
      () => undefined,
      () => true,
    );
    expect(sums).toMatchObject({ disputedMinor: 4500n, settledMinor: 4407n });
  });

  it('are of one currency each, with money that leaves the shop as positive', () => {
    const sums = sumsOf(
      pairDay(day),
      () => undefined,
      (payoutId) => payoutId === 'acct_1/po_1',
    );
    expect(sums).toMatchObject([
      {
        currency: 'eur',
        payments: 1,
        capturedMinor: 4500n,
        tipsMinor: 500n,
        refundedMinor: 1000n,
        refundedTipsMinor: 200n,
        disputedMinor: 4500n,
        applicationFeesMinor: 78n,
        processorFeesMinor: 186n,
        // 45.00 - 0.93 - 1.00, then -10.00 + 0.22, then -45.00 - 0.93: the account owes money.
        settledMinor: -1264n,
        arrivedMinor: 4307n,
      },
      { currency: 'usd', payments: 1, capturedMinor: 4500n, settledMinor: 0n, arrivedMinor: 0n },
    ]);
  });
});

describe('the state of a day', () => {
  it.each<[string, number, number, readonly DifferenceReason[]]>([
    ['open', now - 1, now, []],
    ['open', now, now - 1, []],
    ['closed', now, now, []],
    ['closed', now, now, ['otherDay', 'otherDay']],
    ['differs', now, now, ['otherDay', 'otherAmount']],
  ])('is %s', (state, at, readUntil, reasons) => {
    expect(stateOf({ from: now - 1000, until: now }, at, readUntil, reasons)).toBe(state);
  });
});

describe('an account', () => {
  const [span, dayMs] = [{ from: now - 1000, until: now }, 24 * hourMs];
  const earlier = (account: string, retiredAtMs?: number) => ({
    id: account,
    currency: 'eur',
    ...(retiredAtMs !== undefined && { retiredAt: new Date(retiredAtMs).toISOString() }),
  });
  const waited = (
    account: string,
    over: Partial<Business>,
    {
      listedBefore = now,
      used = false,
      others = [],
      begunAt = 0,
    }: { listedBefore?: number; used?: boolean; others?: string[]; begunAt?: number } = {},
  ) =>
    isWaitedFor(
      { account, sweptBefore: now, listedBefore, begunAt },
      { id: 'shop', name: 'Shop', ...over },
      new Set(used ? [account] : others),
      span,
      now,
    );

  it('that is the present one keeps a day open if it was used then', () => {
    const processorAccount = { id: 'acct', currency: 'eur' };
    expect(waited('acct', { processorAccount })).toBe(true);
    const changed = { processorAccount, accountChangedAt: now };
    expect(waited('acct', changed)).toBe(false);
    expect(waited('acct', { ...changed, accountChangedAt: now - 1 })).toBe(true);
    expect(waited('acct', changed, { used: true })).toBe(true);
  });

  it('is none where a host names none, also as null in its own database', () => {
    const nothing = JSON.parse('{ "processorAccount": null, "earlierAccounts": null }');
    for (const of of [undefined, { id: 'shop', name: 'Shop' }, nothing]) {
      expect(ownAccounts(of)).toEqual([]);
    }
    expect(waited('forgotten', nothing)).toBe(true);
  });

  it('that was never read keeps no day open from before its first payment, if there was another one', () => {
    const processorAccount = { id: 'acct', currency: 'eur' };
    const changed = { processorAccount, earlierAccounts: [earlier('old')] };
    expect(waited('acct', changed, { begunAt: now })).toBe(false);
    expect(waited('acct', changed, { begunAt: now - 1 })).toBe(true);
    expect(waited('acct', changed, { begunAt: now, used: true })).toBe(true);
    expect(waited('acct', { processorAccount }, { begunAt: now })).toBe(true);
    expect(waited('old', changed, { begunAt: now })).toBe(false);
    expect(waited('new', { processorAccount }, { begunAt: now, others: ['acct'] })).toBe(false);
  });

  const read = { sweptBefore: 2, reportedBefore: 2 };
  it.each([
    ['that was just put', true, 1, undefined, 1 + clockErrorMs],
    [
      'whose entries were refused',
      true,
      3,
      { payments: read, settlements: { sweptBefore: 1 } },
      1 + clockErrorMs,
    ],
    ['whose entries were read', true, 3, { settlements: read }, undefined],
    ['of an earlier version', true, 3, { payments: read }, undefined],
    ['whose entries nobody lists', false, 3, { payments: read }, undefined],
  ] as const)(
    '%s begins where nothing was read',
    async (_, hasEntries, triedAt, lists, begunAt) => {
      const swept = { books: 'acct', sweptBefore: 1, triedAt, ...(lists && { lists }) };
      // cast: nothing else of them is asked
      const sweeps = { get: () => okAsync(swept) } as Partial<Store['sweeps']> as Store['sweeps'];
      // cast: it is not called
      const settlements = hasEntries ? ({} as ProcessorSettlements) : undefined;
      const ports = portsOver({ sweeps }, settlements && { settlements });
      const [progress] = (await resultOf(readProgress(ports, ['acct'])))._unsafeUnwrap();
      expect(progress?.begunAt).toBe(begunAt);
    },
  );

  it('of before keeps a day open unless it was retired before, or is not read for half a year', () => {
    const earlierAccounts = [earlier('gone', span.from), earlier('late', span.from + 1)];
    expect(waited('gone', { earlierAccounts })).toBe(false);
    expect(waited('late', { earlierAccounts })).toBe(true);
    expect(waited('forgotten', { earlierAccounts })).toBe(true);
    expect(waited('forgotten', {}, { listedBefore: now - 180 * dayMs })).toBe(false);
    expect(waited('forgotten', {}, { listedBefore: now - 180 * dayMs + 1 })).toBe(true);
  });
});

it('has no member for what is not known of a payment, such as its card', () => {
  const { reference: _none, ...payment } = captured();
  const [item] = pairDay({ captures: [payment], movements: [], entries: [] });
  const [line] = item?.lines ?? [];
  if (item === undefined || line === undefined) throw new Error('the capture has no line');
  const unknown = { barberId: undefined, barber: undefined, paid: undefined };
  const about = { day: '2026-11-21', difference: undefined, ...unknown };
  const amounts = { currency: 'eur', oursMinor: 4500n, theirsMinor: 0n };
  const difference = { reason: 'missingAtProcessor', since: now, ...amounts, item } as const;
  for (const view of [viewLine(line, payment, about), viewDifference(difference)]) {
    expect(JSON.parse(JSON.stringify(view))).toStrictEqual(view);
  }
});

it('looks up at most 100 records at a time, and returns them in order', async () => {
  const all = Array.from({ length: 250 }, (_, index) => index);
  const asked: number[] = [];
  const times: number[] = [];
  const read = async (one: number) => {
    asked.push(one);
    await Promise.resolve();
    times.push(asked.length);
    return ok(one);
  };
  expect(await resultOf(readEach(all, read))).toEqual(ok(all));
  expect(new Set(times)).toEqual(new Set([100, 200, 250]));
});

const work = { kind: 'open', fence: 1, attempt: 1, leaseUntil: now } as const;
const line = { at: now + 5, cause: 'test' };
it.each<[string, Partial<Payment>, number]>([
  ['reserved', { reserved: true, timeline: [{ ...line, what: 'capturing' }] }, now + 5],
  ['reserved, whose line is gone', { reserved: true, timeline: [{ ...line, what: 'other' }] }, now],
  [
    'being canceled',
    { work: { ...work, kind: 'cancel' }, timeline: [{ ...line, what: 'canceling' }] },
    now + 5,
  ],
  ['being opened', { work, nextCheckAt: now + 9 * hourMs }, now],
  [
    'checked in vain twice',
    { nextCheckAt: now + 9 * hourMs, checks: 2 },
    now + 8 * hourMs - 15_000,
  ],
  ['new', { nextCheckAt: now + hourMs - 1 }, now],
  ['not checked any more', {}, now],
])('an open payment that is %s has an end of what is known (D50)', (_, over, expected) => {
  expect(uncapturedBefore(aPayment(over))).toBe(expected);
});

it.each([
  [{}, 'Ada Marlow'],
  [{ preferredName: 'Addie' }, 'Addie'],
])('a barber %o is shown as %s', (over, name) => {
  expect(barberName({ id: 'barber-1', givenName: 'Ada', surname: 'Marlow', ...over })).toBe(name);
});

describe('a payout', () => {
  const payout: Payout = {
    id: 'acct_1/po_1',
    account: 'acct_1',
    reference: 'po_1',
    currency: 'eur',
    amountMinor: 4407n,
    state: 'paid',
    createdAt: now,
    arrivesAt: now,
    isItemized: true,
    isRead: true,
    oursMinor: 4400n,
    othersMinor: 7n,
    others: [],
  };

  it.each<[string, Partial<Payout>, string | undefined]>([
    ['is the sum of its entries', {}, undefined],
    ['of our payments alone', { oursMinor: 4407n, othersMinor: 0n }, undefined],
    ['differs by a cent', { othersMinor: 8n }, 'payoutDiffers'],
    ['is not compared before it was read', { isRead: false, othersMinor: 0n }, undefined],
    ['is not compared without entries', { isItemized: false, oursMinor: 0n }, undefined],
    ['failed', { state: 'failed' }, 'payoutFailed'],
    ['was canceled', { state: 'canceled' }, 'payoutFailed'],
  ])('%s', (_, over, expected) => {
    expect(payoutReason({ ...payout, ...over })).toBe(expected);
  });

  it('is at the bank once it was paid and has arrived', () => {
    expect(hasArrived(payout, now)).toBe(true);
    expect(hasArrived(payout, now - 1)).toBe(false);
    expect(hasArrived({ ...payout, state: 'pending' }, now)).toBe(false);
  });
});
