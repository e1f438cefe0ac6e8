import type { CloudEvent } from '@chairside/core';
import { isCounted, type Refund, withheldMinor } from '@chairside/core/ports';
import type { BookEntry, DisputeBookEntry } from '@chairside/testkit';
import { installation } from '../act/run.ts';
import { checkRefundAnswers } from './check-answers.ts';
import type { Evidence, Expect, State } from './evidence.ts';
import { cashOf, minor, refundsLeft } from './readings.ts';

/** Money that went back: at the processor, recorded here, and told to clients and to the host. */
export function checkRefunds(evidence: Evidence, state: State, expect: Expect): void {
  const left = refundsLeft(evidence, state);
  for (const entry of state.entries) {
    if (entry.installation !== installation || entry.status !== 'captured') continue;
    checkEntry(entry, expect);
    checkRecords(state, entry, left, expect);
    checkDisputes(state, entry, expect);
    checkRest(evidence, state, entry, left, expect);
  }
  checkLeft(state, left, expect);
  checkKeys(evidence, state, expect);
  checkTold(evidence, state, expect);
  checkRefundAnswers(evidence, state, expect);
}

/** A few hours after the faults stopped, no refund is being made any more, and those of the dashboard are recorded. */
export function checkRefundsHealed(evidence: Evidence, state: State, expect: Expect): void {
  const known = new Set(state.refunds.map(({ reference }) => reference));
  for (const { installation: by, paymentId, refunds = [] } of state.entries) {
    if (by !== installation) continue;
    const missing = refunds.filter(({ id }) => !known.has(id)).map(({ id }) => id);
    expect(missing.length === 0, 'agree', () => `${missing} of ${paymentId} are not recorded`);
  }
  const left = refundsLeft(evidence, state);
  for (const refund of state.refunds) {
    const isOver = refund.work === undefined || left.includes(refund);
    expect(isOver, 'ends', () => `${refund.id} is still being made`);
  }
}

/** Each refund that is left to a person is listed for one (D44). */
function checkLeft({ reviews }: State, left: readonly Refund[], expect: Expect): void {
  const listed = reviews.open.filter(({ reason }) => reason === 'refundUnsettled');
  const reviewed = Map.groupBy(listed, ({ contactlessPaymentId }) => contactlessPaymentId);
  for (const [paymentId, same] of Map.groupBy(left, (refund) => refund.paymentId)) {
    const times = reviewed.get(paymentId)?.length ?? 0;
    expect(times === same.length, 'review', () => {
      return `${same.map(({ id }) => id)} are left to a person, and ${times} are listed`;
    });
  }
}

type Kept = Pick<BookEntry, 'refunds'>;

function countedMinor({ refunds = [] }: Kept): bigint {
  return refunds.filter(isCounted).reduce((sum, { amount }) => sum + minor(amount), 0n);
}

/** One refund for each of our marks, and never more than was captured. */
function checkEntry(entry: BookEntry, expect: Expect): void {
  const { paymentId, amountCaptured, refunds = [] } = entry;
  const counted = countedMinor(entry);
  expect(counted <= minor(amountCaptured), 'refunded', () => {
    return `${counted} of ${paymentId} were given back, of ${amountCaptured}`;
  });
  const marks = refunds.flatMap(({ refundId }) => refundId ?? []);
  expect(new Set(marks).size === marks.length, 'refunded', () => `made twice: ${marks}`);
}

/** Every refund there has one record here, and every record that counts is there. */
function checkRecords(
  { refunds: recorded }: State,
  { paymentId, refunds = [] }: BookEntry,
  left: readonly Refund[],
  expect: Expect,
): void {
  const own = recorded.filter((refund) => refund.paymentId === paymentId);
  for (const there of refunds) {
    const { id, state, amount, returnsFee } = there;
    const here = own.filter(({ reference }) => reference === id);
    expect(here.length === 1, 'agree', () => {
      return `the refund ${id} of ${paymentId} is recorded ${here.length} times`;
    });
    for (const refund of here) {
      expect(refund.state === state && refund.amountMinor === minor(amount), 'agree', () => {
        return `${refund.id} is ${refund.state} of ${refund.amountMinor} here, ${state} of ${amount} there`;
      });
      const isOurs = refund.origin === 'here';
      expect((there.refundId === refund.id) === isOurs, 'agree', () => {
        return `${refund.id} was made ${refund.origin}, and is marked ${there.refundId}`;
      });
      expect(!isOurs || (returnsFee ?? refund.returnsFee) === refund.returnsFee, 'agree', () => {
        return `${refund.id} returns the fee: ${refund.returnsFee} here, ${returnsFee} there`;
      });
    }
  }
  for (const { id, state, work, reference } of own.filter((refund) => !left.includes(refund))) {
    expect(work === undefined, 'ends', () => `${id} is left at work`);
    const isThere = refunds.some((there) => there.id === reference);
    expect(isThere || state === 'failed', 'agree', () => `${id} is ${state}, and not there`);
  }
}

function checkDisputes(
  { disputes: recorded }: State,
  { paymentId, disputes = [] }: BookEntry,
  expect: Expect,
): void {
  for (const dispute of disputes) {
    const { id, state, amount } = dispute;
    const here = recorded.filter(({ reference }) => reference === id);
    const isSame = (one: (typeof recorded)[number]) =>
      one.state === state &&
      one.amountMinor === minor(amount) &&
      withheldMinor(one) === withheldThere(dispute);
    expect(here.length === 1 && here.every(isSame), 'agree', () => {
      const shown = here.map((one) => `${one.state} with ${withheldMinor(one)}`);
      return `the dispute ${id} of ${paymentId} is ${state} with ${withheldThere(dispute)} there, and ${shown} here`;
    });
  }
}

/** What the processor has taken for a dispute, and has not given back. */
function withheldThere({ state, amount, bookings }: DisputeBookEntry): bigint {
  if (bookings === undefined) return state === 'won' ? 0n : minor(amount);
  return bookings.reduce((sum, one) => sum - minor(one.amount), 0n);
}

/** What a dispute keeps from being refunded: an open case all of it, but an inquiry nothing. */
function heldThere(dispute: DisputeBookEntry): bigint {
  const { state, amount, isInquiry = false } = dispute;
  return state === 'open' && !isInquiry ? minor(amount) : withheldThere(dispute);
}

/** The shop reads the refundable rest that the processor's books and what is reserved leave. */
function checkRest(
  evidence: Evidence,
  { refundLists }: State,
  entry: BookEntry,
  left: readonly Refund[],
  expect: Expect,
): void {
  const { paymentId, amountCaptured, disputes = [], refunds = [] } = entry;
  if (refunds.length + disputes.length === 0) return;
  const withheld = disputes.reduce((sum, one) => sum + heldThere(one), 0n);
  const reserved = left
    .filter((refund) => refund.paymentId === paymentId)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const given = countedMinor(entry) + withheld + reserved + cashOf(evidence, paymentId);
  const rest = minor(amountCaptured) - given;
  const refundable = rest > 0n ? rest : 0n;
  const listed = refundLists.get(paymentId);
  const isRight =
    listed !== undefined &&
    minor(listed.refundable) === refundable &&
    listed.captured === amountCaptured &&
    listed.count === listed.items.length;
  expect(isRight, 'agree', () => {
    const { refundable: shown, captured } = listed ?? {};
    return `${paymentId}: ${refundable} of ${amountCaptured} are left, and ${shown} of ${captured} are shown`;
  });
}

/** One key of a client makes one refund. */
function checkKeys({ claims }: Evidence, { entries }: State, expect: Expect): void {
  const made = new Set(
    entries.flatMap(({ refunds = [] }) => refunds.flatMap(({ refundId }) => refundId ?? [])),
  );
  const refunds = claims.filter(({ record }) => made.has(record.resourceId ?? ''));
  const byKey = Map.groupBy(refunds, ({ record, isForgotten }) => {
    return isForgotten === true ? record.resourceId : `${record.subject} ${record.key}`;
  });
  for (const [key, same] of byKey) {
    const ids = new Set(same.map(({ record }) => record.resourceId));
    expect(ids.size === 1, 'refunded', () => `${key} has made ${[...ids]}`);
  }
}

/** The host heard of each refund and dispute, each state once, and the last is the state there. */
function checkTold({ delivered }: Evidence, { entries }: State, expect: Expect): void {
  const once = new Map(delivered.map((event) => [event.id, event]));
  const told = Map.groupBy([...once.values()], referenceOf);
  const all = entries.filter((entry) => entry.installation === installation);
  for (const { refunds = [], disputes = [] } of all) {
    for (const { id, state } of [...refunds, ...disputes]) {
      const states = (told.get(id) ?? []).map(({ data }) => ('state' in data ? data.state : ''));
      expect(states.at(-1) === state, 'events', () => `${id} is ${state}, and was told ${states}`);
    }
    for (const { id } of refunds) {
      const states = (told.get(id) ?? []).map(({ type }) => type);
      expect(new Set(states).size === states.length, 'events', () => `${id} was told ${states}`);
    }
  }
}

function referenceOf({ data }: CloudEvent): string {
  const isReturned = 'refundId' in data || 'disputeId' in data;
  return (isReturned && data.processorReference) || '';
}
