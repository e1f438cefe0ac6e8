import { type EpochMs, hourMs, isFinal, minuteMs, type Payment } from '@chairside/core';
import type { LedgerEntry } from '@chairside/testkit';
import { installation } from '../act/run.ts';
import type { AppointmentTruth, Evidence, State } from './evidence.ts';
import type { Expect } from './rules.ts';

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
      const isOver = status === 'captured' || status === 'canceled';
      expect(isOver, 'orphans', () => `${id} is left ${status} at the processor`);
    }
    const payment = paymentOf.get(id);
    const isCaptured = takes.length > 0;
    expect((payment?.state === 'captured') === isCaptured, 'agree', () => {
      return `${id} is ${payment?.state ?? 'gone'} here, and ${entries[0]?.status} there`;
    });
  }

  for (const payment of payments) {
    const { id, state: end, reserved, work, review } = payment;
    const taken = byPayment.get(id)?.reduce((sum, entry) => sum + minor(entry.amountCaptured), 0n);
    expect(isFinal(payment), 'ends', () => `${id} is left ${end}`);
    expect(!reserved && work === undefined, 'agree', () => `${id} holds ${work?.kind}`);
    const isAsOpened = taken === payment.amountMinor || evidence.meddled.has(id);
    expect(end !== 'captured' || isAsOpened, 'agree', () => {
      return `of ${id}, ${taken} was taken, and it is of ${payment.amountMinor}`;
    });
    const isExpected = review === undefined || wasTouched(evidence, payment);
    expect(isExpected, 'review', () => `${id} needs review: ${review}`);
  }

  for (const { appointmentId, capturedMinor, reservedMinor, openPayments } of ledgers) {
    const own = payments.filter(({ appointment }) => appointment.id === appointmentId);
    const sum = own
      .filter((payment) => payment.state === 'captured')
      .flatMap(({ id }) => byPayment.get(id) ?? [])
      .reduce((total, { amountCaptured }) => total + minor(amountCaptured), 0n);
    const open = own.filter((payment) => !isFinal(payment)).length;
    const name = `the ledger of ${appointmentId}`;
    expect(capturedMinor === sum, 'agree', () => `${name}: ${capturedMinor}, captured: ${sum}`);
    expect(reservedMinor === 0n, 'agree', () => `${name} reserves ${reservedMinor}`);
    expect(openPayments === open, 'agree', () => `${name}: ${openPayments} open, in fact ${open}`);
  }

  checkCancels(evidence, state, expect);
}

/** D27: a younger payment may have no record here yet. */
const minOrphanAgeMs = hourMs;

/** A person changed it at the processor, or the host changed a fact that the payment depends on. */
export function wasTouched(
  { meddled, appointments, businesses, begunAt }: Evidence,
  { id, appointment, businessId }: Payment,
): boolean {
  const changes = [appointments.get(appointment.id), businesses.get(businessId)];
  const since = begunAt.get(id) ?? 0;
  return meddled.has(id) || changes.some((all) => all?.some(({ at }) => at >= since));
}

function minor(money: string): bigint {
  return BigInt(money.replace('.', ''));
}

/** The maximum age of a read before a call, if the caller stood still in between. */
const maxLookMs = 3 * minuteMs;

/** Authorized in full: less counts as failed (D13). */
function wasAuthorized(entry: LedgerEntry, at: EpochMs): boolean {
  const { status, history, amount, amountAuthorized } = entry;
  const since = history.findLast(({ what }) => what === 'authorized')?.at;
  const isWhole = amountAuthorized === amount;
  return status === 'authorized' && isWhole && since !== undefined && since < at;
}

/** The lowest amount due while the payment existed, and whether it was lowered. */
function lowestDue(truths: readonly AppointmentTruth[], since: EpochMs, at: EpochMs) {
  const first = truths.findLastIndex((truth) => truth.at <= since);
  const dues = truths
    .slice(Math.max(0, first))
    .filter((truth) => truth.at <= at)
    .map(({ dueMinor }) => dueMinor);
  const [lowest = 0n] = dues.toSorted((a, b) => (a < b ? -1 : 1));
  return { lowest, isLowered: dues[0] !== undefined && lowest < dues[0] };
}

/** Every cancelation has a valid cause, and meets its conditions. */
function checkCancels(evidence: Evidence, state: State, expect: Expect): void {
  const { cancels, appointments, exchanges } = evidence;
  const paymentOf = new Map(state.payments.map((payment) => [payment.id, payment]));

  for (const { at, payment, stored, entry } of cancels) {
    if (entry === undefined) continue;
    if (stored === undefined) {
      const ageMs = at - entry.createdAt;
      expect(ageMs >= minOrphanAgeMs, 'orphans', () => `${payment} was swept after ${ageMs} ms`);
      continue;
    }
    const { cause } = stored.work ?? {};
    const own = stored.appointment.id;
    const { lowest: due, isLowered } = lowestDue(
      appointments.get(own) ?? [],
      evidence.begunAt.get(payment) ?? 0,
      at,
    );
    const taken = state.entries
      .filter(({ paymentId, capturedAt }) => {
        return capturedAt !== undefined && capturedAt <= at && ownerOf(paymentId) === own;
      })
      .reduce((sum, { amountCaptured }) => sum + minor(amountCaptured), 0n);
    const holds = {
      requested: () => exchanges.some((one) => one.operation === 'cancel' && one.asked === payment),
      expired: () =>
        evidence.altered.get(payment)?.how === 'alterDeadline' ||
        (at >= stored.expiresAt &&
          (stored.state === 'authorized' || !wasAuthorized(entry, at - maxLookMs))),
      appointmentPaid: () => taken >= due,
      exceedsRemainingBalance: () => isLowered || taken + stored.amountMinor > due,
      currencyChanged: () => wasTouched(evidence, stored),
      partiallyAuthorized: () => entry.amountAuthorized !== entry.amount,
    };
    const reasons: Readonly<Record<string, () => boolean>> = holds;
    const isRight = cause === undefined || reasons[cause]?.() === true;
    expect(isRight, 'canceled', () => `${payment} was canceled: ${cause}, at ${at}`);
  }

  function ownerOf(paymentId: string) {
    return paymentOf.get(paymentId)?.appointment.id;
  }
}
