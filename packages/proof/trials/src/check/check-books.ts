import { type EpochMs, hourMs, minuteMs } from '@chairside/core';
import { isFinal, openLifetimeMs, type Payment } from '@chairside/core/ports';
import type { BookEntry } from '@chairside/testkit';
import { installation } from '../act/run.ts';
import { fixedFeeMinor } from '../act/shop.ts';
import { isLeftToPerson } from './check-reviews.ts';
import { owedOf, tipOf } from './check-tips.ts';
import type { Evidence, Expect, State } from './evidence.ts';
import { countedOfVisit, during, ledgerNameOf, minor } from './readings.ts';

/** Money: captured by the processor, recorded here, and owed. */
export function checkBooks(evidence: Evidence, state: State, expect: Expect): void {
  const { payments, ledgers } = state;
  const ours = state.entries.filter((entry) => entry.installation === installation);
  const byPayment = Map.groupBy(ours, ({ paymentId }) => paymentId);
  const paymentOf = new Map(payments.map((payment) => [payment.id, payment]));

  for (const [id, entries] of byPayment) {
    const takes = entries.flatMap(({ history }) =>
      history.filter(({ what }) => what === 'captured'),
    );
    expect(takes.length <= 1, 'charged', () => `${id} was captured ${takes.length} times`);
    expect(entries.length === 1, 'orphans', () => `${id} was opened ${entries.length} times`);
    for (const { status } of entries) {
      const isOver = status === 'captured' || status === 'canceled' || isLeftToPerson(state, id);
      expect(isOver, 'orphans', () => `${id} is left ${status} at the processor`);
    }
    const payment = paymentOf.get(id);
    const isCaptured = takes.length > 0;
    expect((payment?.state === 'captured') === isCaptured, 'agree', () => {
      return `${id} is ${payment?.state ?? 'gone'} here, and ${entries[0]?.status} there`;
    });
  }

  for (const payment of payments) {
    const { id, state: end, reserved, work } = payment;
    const taken = byPayment.get(id)?.reduce((sum, entry) => sum + minor(entry.amountCaptured), 0n);
    expect(isFinal(payment), 'ends', () => `${id} is left ${end}`);
    expect(!reserved && work === undefined, 'agree', () => `${id} holds ${work?.kind}`);
    checkFee(evidence, payment, byPayment.get(id) ?? [], expect);
    checkTimes(evidence, payment, byPayment.get(id) ?? [], expect);
    const isAsOpened = taken === payment.amountMinor || evidence.changedAtProcessor.has(id);
    expect(end !== 'captured' || isAsOpened, 'agree', () => {
      return `of ${id}, ${taken} was taken, and it is of ${payment.amountMinor}`;
    });
  }

  for (const {
    appointmentId,
    capturedMinor,
    reservedMinor,
    tenderedMinor = 0n,
    openPayments,
  } of ledgers) {
    const own = payments.filter((payment) => ledgerNameOf(payment) === appointmentId);
    const sum = own
      .filter((payment) => payment.state === 'captured')
      .flatMap((payment) =>
        (byPayment.get(payment.id) ?? []).map(({ amountCaptured }) => {
          const takenMinor = minor(amountCaptured);
          return takenMinor - tipOf(payment, takenMinor);
        }),
      )
      .reduce((total, owedMinor) => total + owedMinor, 0n);
    const open = own.filter((payment) => !isFinal(payment)).length;
    const name = `the ledger of ${appointmentId}`;
    expect(capturedMinor === sum, 'agree', () => `${name}: ${capturedMinor}, captured: ${sum}`);
    const tendered = countedOfVisit(evidence, appointmentId);
    expect(
      tenderedMinor === tendered,
      'agree',
      () => `${name}: ${tenderedMinor}, tendered: ${tendered}`,
    );
    expect(reservedMinor === 0n, 'agree', () => `${name} reserves ${reservedMinor}`);
    expect(openPayments === open, 'agree', () => `${name}: ${openPayments} open, in fact ${open}`);
  }

  checkCancels(evidence, expect);
}

/** Some processors count whole seconds. */
const roundingMs = 1000;

/** Captures and refunds stand at the processor's time for them, also if a node's clock is wrong (D200). */
function checkTimes(
  { movements, said }: Evidence,
  { id, capturedAt }: Payment,
  entries: readonly BookEntry[],
  expect: Expect,
): void {
  const isAt = (ours: EpochMs | undefined, theirs: EpochMs) =>
    ours !== undefined && Math.abs(ours - theirs) < roundingMs;
  // A word knows no time of the processor.
  if (said.has(id)) return;
  for (const entry of entries) {
    if (entry.capturedAt !== undefined) {
      const theirs = entry.capturedAt;
      expect(isAt(capturedAt, theirs), 'agree', () => {
        return `${id} was captured at ${theirs}, and is booked ${(capturedAt ?? 0) - theirs} ms later`;
      });
    }
    for (const { id: subject, createdAt, bookedAt = createdAt } of entry.refunds ?? []) {
      const first = movements.find((movement) => movement.subject === subject);
      if (first === undefined || bookedAt === undefined) continue;
      expect(isAt(first.at, bookedAt), 'agree', () => {
        return `${subject} was made at ${bookedAt}, and is booked ${first.at - bookedAt} ms later`;
      });
    }
  }
}

/** The fee is frozen when the payment is begun: here and at the processor it is the one of then (D46). */
function checkFee(
  { businesses, begunIn }: Evidence,
  payment: Payment,
  entries: readonly BookEntry[],
  expect: Expect,
): void {
  const { id, businessId, applicationFeeMinor = 0n } = payment;
  const amountMinor = owedOf(payment);
  const { from, moment } = begunIn.get(id) ?? { from: 0, moment: 0 };
  const fees = during(businesses.get(businessId) ?? [], from, moment).map(({ basisPoints }) => {
    const shareMinor = (amountMinor * BigInt(basisPoints) + 5000n) / 10_000n;
    const wholeMinor = basisPoints > 0 ? fixedFeeMinor + shareMinor : 0n;
    return wholeMinor < amountMinor ? wholeMinor : amountMinor;
  });
  expect(fees.includes(applicationFeeMinor), 'agree', () => {
    return `the fee of ${id} is ${applicationFeeMinor}, and was ${fees}`;
  });
  for (const { applicationFee = '0.00' } of entries) {
    expect(minor(applicationFee) === applicationFeeMinor, 'agree', () => {
      return `the fee of ${id} is ${applicationFeeMinor} here, and ${applicationFee} there`;
    });
  }
}

/** D27: a younger payment may have no record here yet. */
const minOrphanAgeMs = hourMs;

/** The maximum age of a read before a call, if the caller stood still in between. */
const maxLookMs = 3 * minuteMs;

/** Authorized in full at some time from one moment to another: less counts as failed (D13). */
function wasAuthorized(entry: BookEntry, from: EpochMs, to = from): boolean {
  const { status, history, amount, amountAuthorized } = entry;
  const since = history.findLast(({ what }) => what === 'authorized')?.at;
  const until = status === 'captured' ? entry.capturedAt : undefined;
  const isWhole = amountAuthorized === amount;
  const isStill = status === 'authorized' || (until !== undefined && until >= from);
  return isStill && isWhole && since !== undefined && since < to;
}

/** By the processor's own times: an authorization has its deadline, the rest a quarter of an hour (D42). */
function isOverdue(entry: BookEntry, at: EpochMs): boolean {
  const { captureBefore = Number.POSITIVE_INFINITY, createdAt } = entry;
  if (wasAuthorized(entry, at - maxLookMs)) return at >= captureBefore;
  // Its caller may have looked before the authorization, or after it. A capture in flight keeps an
  // authorization beyond its deadline, and may end between the caller's look and its call.
  const isPast = wasAuthorized(entry, at - maxLookMs, at) && at >= captureBefore;
  return isPast || at >= createdAt + openLifetimeMs;
}

/** A cancelation by time, or for a partial approval, has its cause in the processor's books. */
function checkCancels({ cancels, altered, releases }: Evidence, expect: Expect): void {
  const noted = new Set(releases.map((release) => `${release.payment.id} ${release.cause}`));
  for (const { at, payment, stored, entry } of cancels) {
    if (entry === undefined) continue;
    // One that was closed unopened is an orphan at the processor, too.
    if (stored?.clientSecret === undefined) {
      const ageMs = at - entry.createdAt;
      expect(ageMs >= minOrphanAgeMs, 'orphans', () => `${payment} was swept after ${ageMs} ms`);
      continue;
    }
    const { cause } = stored.work ?? {};
    if (cause === undefined) continue;
    const isOver = altered.get(payment)?.how === 'alterDeadline' || isOverdue(entry, at);
    const isPartial = entry.amountAuthorized !== entry.amount;
    const isRight =
      (cause !== 'expired' || isOver) &&
      (cause !== 'partiallyAuthorized' || isPartial) &&
      noted.has(`${payment} ${cause}`);
    expect(isRight, 'canceled', () => `${payment} was canceled: ${cause}, at ${at}`);
  }
}
