import { type EpochMs, hourMs, isFinal, minuteMs } from '@chairside/core';
import type { LedgerEntry } from '@chairside/testkit';
import { installation } from '../act/run.ts';
import type { Evidence, State } from './evidence.ts';
import type { Expect } from './rules.ts';

/** Money: what the processor took, what we recorded, and what was owed. */
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
    expect(end !== 'captured' || taken === payment.amountMinor, 'agree', () => {
      return `of ${id}, ${taken} was taken and ${payment.amountMinor} recorded`;
    });
    const isExpected = review === undefined || evidence.meddled.has(id);
    expect(isExpected, 'review', () => `${id} needs review: ${review}`);
  }

  for (const { appointmentId, capturedMinor, reservedMinor, openPayments } of ledgers) {
    const own = payments.filter(({ appointment }) => appointment.id === appointmentId);
    const captured = own.filter((payment) => payment.state === 'captured');
    const sum = captured.reduce((total, { amountMinor }) => total + amountMinor, 0n);
    const open = own.filter((payment) => !isFinal(payment)).length;
    const name = `the ledger of ${appointmentId}`;
    expect(capturedMinor === sum, 'agree', () => `${name}: ${capturedMinor}, captured: ${sum}`);
    expect(reservedMinor === 0n, 'agree', () => `${name} reserves ${reservedMinor}`);
    expect(openPayments === open, 'agree', () => `${name}: ${openPayments} open, in fact ${open}`);
    const entries = own.flatMap(({ id }) => byPayment.get(id) ?? []);
    if (!own.some(({ id }) => evidence.meddled.has(id))) {
      checkCharged(evidence, appointmentId, entries, expect);
    }
  }

  checkCancels(evidence, state, expect);
}

/** D27: what is younger may still be on its way into our records. */
const minOrphanAgeMs = hourMs;

/** At every capture, what was taken by then is held against what was due by then. */
function checkCharged(
  { dues }: Evidence,
  appointmentId: string,
  entries: readonly LedgerEntry[],
  expect: Expect,
): void {
  const captured = entries
    .filter(({ status }) => status === 'captured')
    .sort((a, b) => (a.capturedAt ?? 0) - (b.capturedAt ?? 0));
  let taken = 0n;
  for (const { amountCaptured, capturedAt = 0 } of captured) {
    taken += minor(amountCaptured);
    const due = dues.get(appointmentId)?.findLast(({ at }) => at <= capturedAt)?.minor ?? 0n;
    expect(taken <= due, 'charged', () => `${appointmentId} was charged ${taken} of ${due}`);
  }
}

function minor(money: string): bigint {
  return BigInt(money.replace('.', ''));
}

/** So old may be what was read before a call, if the caller stood still in between. */
const maxLookMs = 3 * minuteMs;

/** For the whole amount: less counts as failed (D13). */
function wasAuthorized(entry: LedgerEntry, at: EpochMs): boolean {
  const { status, history, amount, amountAuthorized } = entry;
  const since = history.findLast(({ what }) => what === 'authorized')?.at;
  const isWhole = amountAuthorized === amount;
  return status === 'authorized' && isWhole && since !== undefined && since < at;
}

/** Nothing is canceled but for one of the reasons there are, and as that one demands. */
function checkCancels(evidence: Evidence, state: State, expect: Expect): void {
  const { cancels, dues, exchanges } = evidence;
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
    const due = dues.get(own)?.find((one) => one.at <= at)?.minor ?? 0n;
    const taken = state.entries
      .filter(({ paymentId, capturedAt }) => {
        return capturedAt !== undefined && capturedAt <= at && ownerOf(paymentId) === own;
      })
      .reduce((sum, { amountCaptured }) => sum + minor(amountCaptured), 0n);
    const holds = {
      requested: () => exchanges.some((one) => one.operation === 'cancel' && one.asked === payment),
      expired: () =>
        at >= stored.expiresAt &&
        (stored.state === 'authorized' || !wasAuthorized(entry, at - maxLookMs)),
      appointmentPaid: () => taken >= due,
      exceedsRemainingBalance: () => taken + stored.amountMinor > due,
      // The business of this world keeps its currency.
      currencyChanged: () => false,
      partiallyAuthorized: () => entry.amountAuthorized !== entry.amount,
    };
    const isRight = cause === undefined || holds[cause]();
    expect(isRight, 'canceled', () => `${payment} was canceled: ${cause}, at ${at}`);
  }

  function ownerOf(paymentId: string) {
    return paymentOf.get(paymentId)?.appointment.id;
  }
}
