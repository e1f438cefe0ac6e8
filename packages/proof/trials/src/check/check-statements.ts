import { type EpochMs, hourMs, type PayoutView, type StatementView } from '@chairside/core';
import type { Payment, Tender } from '@chairside/core/ports';
import type { AccountBalance, BalanceChange, PaidOut } from '@chairside/testkit';
import { installation } from '../act/run.ts';
import type { Evidence, Expect } from './evidence.ts';
import { broughtMinor, minor } from './readings.ts';

/** The statements and payouts that the host reads, and the processor's own books at that moment. */
export interface Statements {
  readonly at: EpochMs;
  /** The day of a time, on the calendar of the statements. */
  readonly dayOf: (at: EpochMs) => string;
  /** Upkeep could read the processor's lists. */
  readonly isListed: boolean;
  /** By account. */
  readonly books: Map<string, AccountBalance>;
  readonly businesses: {
    readonly id: string;
    /** Its account now. */
    readonly account: string;
    readonly statements: readonly StatementView[];
    readonly payouts: readonly PayoutView[];
  }[];
}

/** The time from an entry or payout until upkeep must have read it. */
const readWithinMs = 3 * hourMs;

/**
 * Every day's statement has the sums of the processor's own books, and our side differs from them by
 * exactly the named differences (D50).
 */
export function checkStatements(
  evidence: Evidence,
  payments: readonly Payment[],
  read: Statements,
  expect: Expect,
): void {
  const businessOf = new Map(payments.map(({ id, businessId }) => [id, businessId]));
  const all = [...read.books].flatMap(([account, { entries }]) =>
    entries
      .filter((entry) => entry.installation === installation)
      .map((entry) => ({ ...entry, account })),
  );
  const arrived = arrivedIn(read);
  for (const { id, account, statements, payouts } of read.businesses) {
    const own = all.filter((entry) => {
      const business = businessOf.get(entry.paymentId);
      return business === undefined ? entry.account === account : business === id;
    });
    for (const statement of statements) {
      const readUntil = Date.parse(statement.readUntil ?? '');
      const ofDay = own.filter(
        ({ openedAt }) => read.dayOf(openedAt) === statement.day && openedAt < readUntil,
      );
      const demand: Demand = (holds, what) =>
        expect(holds, 'agree', () => `the statement of ${id} for ${statement.day}: ${what()}`);
      checkSums(read, statement, ofDay, arrived, demand);
      checkState(evidence, read, statement, demand);
      const acts = [...evidence.tenders.values()].map(({ act }) => act);
      const ofShop = acts.filter(
        (act) => act.businessId === id && read.dayOf(act.at) === statement.day,
      );
      checkTendered(statement, ofShop, demand);
    }
    checkOtherDays(id, statements, expect);
    const isOwn = (paymentId: string) => (businessOf.get(paymentId) ?? id) === id;
    const had = evidence.businesses.get(id) ?? [];
    for (const one of new Set([account, ...had.map((facts) => facts.account ?? '')])) {
      // Upkeep reads the lists of accounts that a payment of ours has used.
      const isUsed = payments.some((payment) => payment.account === one);
      if (read.isListed && isUsed) checkPayouts(read, one, isOwn, payouts, expect);
    }
  }
}

type Demand = (holds: boolean, what: () => string) => void;

function checkSums(
  { isListed }: Statements,
  { shop, barbers, differences }: StatementView,
  entries: readonly BalanceChange[],
  arrived: ReadonlySet<string>,
  demand: Demand,
): void {
  const theirs = Map.groupBy(entries, ({ currency }) => currency);
  for (const currency of new Set([...shop.map((row) => row.currency), ...theirs.keys()])) {
    const due = theirs.get(currency) ?? [];
    const shown = sumOf(shop, currency);
    const there = {
      fees: total(due, ({ processorFeeMinor }) => processorFeeMinor),
      settled: total(due, netOf),
      arrived: total(
        due.filter(({ reference }) => arrived.has(reference)),
        netOf,
      ),
    };
    for (const part of isListed ? partsOfAll : partsOfEntries) {
      demand(shown[part] === there[part], () => {
        return `${part} are ${shown[part]} ${currency}, and ${there[part]} there`;
      });
    }
    const gross = total(due, ({ amountMinor }) => amountMinor);
    const named = total(
      differences.filter((one) => one.kind !== undefined && one.currency === currency),
      (one) => minor(one.ours) - minor(one.theirs),
    );
    demand(shown.gross - gross === named, () => {
      return `${shown.gross} ${currency} here and ${gross} there differ, and ${named} is named`;
    });
    const ofBarbers = sumOf(barbers, currency);
    demand(Object.values(ofBarbers).join() === Object.values(shown).join(), () => {
      return `the barbers' sums in ${currency} are not the shop's`;
    });
  }
}

const partsOfEntries = ['fees', 'settled'] as const;
const partsOfAll = [...partsOfEntries, 'arrived'] as const;

/** The shop's rows or the barbers' of one currency, in minor units. */
function sumOf(rows: StatementView['shop'], currency: string) {
  const own = rows.filter((row) => row.currency === currency);
  return {
    gross: total(own, (row) => minor(row.captured) - minor(row.refunded) - minor(row.disputed)),
    fees: total(own, (row) => minor(row.processorFees)),
    settled: total(own, (row) => minor(row.settled)),
    arrived: total(own, (row) => minor(row.arrived)),
  };
}

function total<T>(all: readonly T[], of: (one: T) => bigint): bigint {
  return all.reduce((sum, one) => sum + of(one), 0n);
}

function netOf({ amountMinor, processorFeeMinor, applicationFeeMinor }: BalanceChange): bigint {
  return amountMinor - processorFeeMinor - applicationFeeMinor;
}

/** What was paid without a card is apart from the cards, by kind and barber, and in the takings (D202). */
function checkTendered(
  { shop, barbers, tenders = [] }: StatementView,
  acts: readonly Tender[],
  demand: Demand,
): void {
  const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id).toSorted();
  demand(ids(tenders).join() === ids(acts).join(), () => {
    return `it has the tenders ${ids(tenders)}, and should have ${ids(acts)}`;
  });
  for (const row of [...shop, ...barbers]) {
    const { currency, takings, tendered } = row;
    const own = acts.filter((act) => {
      const isOfBarber = !('barberId' in row) || row.barberId === act.barberId;
      return act.currency === currency && isOfBarber;
    });
    const isReturn = (act: Tender) => act.act === 'return';
    const taken = total(own, (act) => (isReturn(act) ? 0n : broughtMinor(act)));
    const returned = total(own.filter(isReturn), ({ amountMinor }) => amountMinor);
    const gross = minor(row.captured) - minor(row.refunded) - minor(row.disputed);
    const expected = [taken, returned, taken - returned, gross + taken - returned];
    const [kind] = row.tenders ?? [];
    const shown = [kind?.taken, kind?.returned, tendered, takings].map((text) => minor(text ?? ''));
    const isRight = own.length === 0 ? takings === undefined : shown.join() === expected.join();
    demand(isRight, () => `${shown} ${currency} are tendered, and should be ${expected}`);
  }
}

/** Each difference has a true reason, and the day is closed once it is over and has none. */
function checkState(
  evidence: Evidence,
  { at, isListed }: Statements,
  { state, until, readUntil = '', differences, lines }: StatementView,
  demand: Demand,
): void {
  const listedTo = Date.parse(readUntil);
  demand(!isListed || at - listedTo <= readWithinMs, () => `the list is read to ${readUntil}`);
  for (const { reason, kind, contactlessPaymentId = '' } of differences) {
    const isByPerson =
      evidence.altered.has(contactlessPaymentId) ||
      evidence.changedAtProcessor.has(contactlessPaymentId) ||
      evidence.said.has(contactlessPaymentId);
    const last = lines.filter((line) => line.contactlessPaymentId === contactlessPaymentId).at(-1);
    const isExplained =
      kind === undefined
        ? reason === 'payoutFailed'
        : reason === 'notListedYet'
          ? Date.parse(last?.at ?? '') >= listedTo
          : reason === 'otherDay' || isByPerson;
    demand(isExplained, () => `${reason} of ${kind ?? 'a payout'} ${contactlessPaymentId}`);
  }
  const end = Date.parse(until);
  const isOpen = at < end || listedTo < end;
  const isDiffering = differences.some(
    (one) => one.kind !== undefined && one.reason !== 'otherDay',
  );
  const expected = isOpen ? 'open' : isDiffering ? 'differs' : 'closed';
  demand(state === expected, () => `it is ${state}, and should be ${expected}`);
}

/** An amount on two days is in both books: over all days, such differences are zero. */
function checkOtherDays(
  business: string,
  statements: readonly StatementView[],
  expect: Expect,
): void {
  const all = statements.flatMap(({ differences }) => differences);
  const named = all.filter(({ kind }) => kind !== undefined);
  const keyOf = (one: (typeof named)[number]) =>
    `${one.kind} ${one.kind === 'payment' ? one.contactlessPaymentId : one.processorReference}`;
  for (const [key, same] of Map.groupBy(named, keyOf)) {
    if (same.some(({ reason }) => reason !== 'otherDay')) continue;
    const rest = total(same, ({ ours, theirs }) => minor(ours) - minor(theirs));
    expect(rest === 0n, 'agree', () => `${key} of ${business} is on no other day: ${rest}`);
  }
}

/** Each payout with its state, and with the part of the business's payments. */
function checkPayouts(
  { at, books }: Statements,
  account: string,
  isOwn: (paymentId: string) => boolean,
  shown: readonly PayoutView[],
  expect: Expect,
): void {
  const { payouts = [], entries = [] } = books.get(account) ?? {};
  const byId = new Map(entries.map((entry) => [entry.reference, entry]));
  for (const payout of payouts) {
    const { reference, openedAt, state, amountMinor } = payout;
    if (at - openedAt < readWithinMs) continue;
    const oursMinor = total(payout.entries, ({ reference: id }) => {
      const entry = byId.get(id);
      const isOurs = entry?.installation === installation && isOwn(entry.paymentId);
      return isOurs ? netOf(entry) : 0n;
    });
    const here = shown.find(({ id }) => id === reference);
    const isSame =
      here !== undefined &&
      here.state === state &&
      minor(here.amount) === amountMinor &&
      minor(here.ours) === oursMinor &&
      minor(here.others) === amountMinor - oursMinor;
    expect(isSame, 'agree', () => {
      return `the payout ${reference} is ${state}, ${oursMinor} of ${amountMinor} there, and ${here?.state}, ${here?.ours} of ${here?.amount} here`;
    });
  }
}

/** The changes whose money is at the bank, by id. A payout also pays what it repays of failed ones. */
function arrivedIn({ books, at }: Statements): ReadonlySet<string> {
  const payouts = [...books.values()].flatMap((one) => one.payouts);
  const byId = new Map(payouts.map((payout) => [payout.reference, payout]));
  const changesOf = ({ entries, repaid }: PaidOut): readonly string[] => [
    ...entries.map(({ reference }) => reference),
    ...repaid.flatMap((id) => {
      const failed = byId.get(id);
      return failed === undefined ? [] : changesOf(failed);
    }),
  ];
  const isAtBank = ({ state, arrivesAt }: PaidOut) => state === 'paid' && arrivesAt <= at;
  return new Set(payouts.filter(isAtBank).flatMap(changesOf));
}

/** The figures of a closed day stay the same; only its payouts still arrive. */
export function checkUnchanged(before: Statements, after: Statements, expect: Expect): void {
  for (const { id, statements } of before.businesses) {
    const later = after.businesses.find((one) => one.id === id)?.statements ?? [];
    for (const statement of statements.filter(({ state }) => state === 'closed')) {
      const same = later.find(({ day }) => day === statement.day);
      const isSame = same !== undefined && figuresOf(same) === figuresOf(statement);
      expect(isSame, 'agree', () => `the closed day ${statement.day} of ${id} has changed`);
    }
  }
}

function figuresOf({ state, shop, barbers, lines }: StatementView): string {
  const ended = (rows: StatementView['shop']) => rows.map((row) => ({ ...row, arrived: '' }));
  const kept = lines.map(({ payout: _payout, payoutArrivesAt: _arrival, ...line }) => line);
  return JSON.stringify([state, ended(shop), ended(barbers), kept]);
}
