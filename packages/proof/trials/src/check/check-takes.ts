import type { Payment } from '@chairside/core/ports';
import { owedOf } from './check-tips.ts';
import type { Evidence, Expect, LedgerSnapshot, Release, Take } from './evidence.ts';
import { broughtMinor, currenciesOf, during, ledgerNameOf, wasActedOn } from './readings.ts';

/** Captures by the core that took money, compared with the amount due by the host (D13, D39). */
export function checkTakes(evidence: Evidence, expect: Expect): void {
  for (const [appointment, takes] of Map.groupBy(evidence.takes, (take) => take.appointment)) {
    checkCompared(appointment, [...takes, ...tendersOf(evidence, appointment)], expect);
    checkLowered(evidence, appointment, takes, expect);
    checkCurrency(evidence, appointment, takes, expect);
  }
}

type Compared = Pick<Take, 'amountMinor' | 'comparedAt' | 'dueMinor'>;

/** Tenders are compared by their own commit (D202). A void takes an amount back. */
function tendersOf({ tenders }: Evidence, appointment: string): readonly Compared[] {
  return [...tenders.values()]
    .filter(({ act }) => act.appointmentId === appointment && act.act !== 'return')
    .map(({ act, moment, dueMinor }) => {
      return { amountMinor: broughtMinor(act), comparedAt: moment, dueMinor };
    });
}

/** The comparison includes all amounts that were reserved, captured or tendered at its time. */
function checkCompared(appointment: string, takes: readonly Compared[], expect: Expect): void {
  let takenMinor = 0n;
  for (const take of takes.toSorted((a, b) => a.comparedAt - b.comparedAt)) {
    takenMinor += take.amountMinor;
    // A tip alone takes nothing that is owed, also from a visit that was overpaid (D48).
    expect(take.amountMinor <= 0n || takenMinor <= take.dueMinor, 'charged', () => {
      return `${appointment} was charged ${takenMinor} of ${take.dueMinor}`;
    });
  }
}

/** After a lowering that returned `reserved: 0.00`, no capture exceeds what is due since then. */
function checkLowered(
  { appointments, lowerings }: Evidence,
  appointment: string,
  takes: readonly Take[],
  expect: Expect,
): void {
  const snapshots = appointments.get(appointment) ?? [];
  const own = lowerings.filter((one) => one.appointment === appointment);
  let takenMinor = 0n;
  for (const take of takes.toSorted((a, b) => a.moment - b.moment)) {
    takenMinor += take.amountMinor;
    const lowering = own.findLast(({ to }) => to < take.moment);
    if (lowering === undefined || take.amountMinor === 0n) continue;
    const since = during(snapshots, lowering.to, take.moment).map(({ dueMinor }) => dueMinor);
    expect(
      since.some((dueMinor) => takenMinor <= dueMinor),
      'charged',
      () => `${appointment} was charged ${takenMinor} after it was lowered to ${since}`,
    );
  }
}

/** One ledger has one currency: the business's at the last comparison. */
function checkCurrency(
  evidence: Evidence,
  appointment: string,
  takes: readonly Take[],
  expect: Expect,
): void {
  const kept = [...evidence.tenders.values()].filter(
    ({ act: { id, act, appointmentId } }) =>
      appointmentId === appointment && act === 'record' && !wasActedOn(evidence, 'void', id),
  );
  const currencies = new Set([...takes, ...kept.map(({ act }) => act)].map((one) => one.currency));
  expect(currencies.size <= 1, 'currency', () => {
    return `${appointment} was charged in ${[...currencies].join(' and ')}`;
  });
  for (const { payment, currency, touchedAt, moment } of takes) {
    const present = currenciesOf(evidence, appointment, touchedAt, moment);
    expect(present.includes(currency), 'currency', () => {
      return `${payment} was captured in ${currency}, and ${present} was due`;
    });
  }
}

/**
 * A payment is given up for a reason that was true while the request that gave it up was under way. The
 * processor's books decide whether a time is over, and how much was approved (checkCancels).
 */
export function checkReleases(evidence: Evidence, expect: Expect): void {
  for (const release of evidence.releases) {
    const { payment, cause } = release;
    expect(isRight(evidence, release), 'canceled', () => {
      return `${payment.id} was given up: ${cause}, between ${release.from} and ${release.moment}`;
    });
  }
}

function isRight(evidence: Evidence, { payment, cause, from, moment }: Release): boolean {
  const { appointments, ledgers, exchanges } = evidence;
  const { currency, reserved, id } = payment;
  const name = ledgerNameOf(payment);
  const snapshots = during(appointments.get(name) ?? [], from, moment);
  const held = during(ledgers.get(name) ?? [], from, moment);
  const dueMinor = least(snapshots.map((snapshot) => snapshot.dueMinor));
  const most = (of: (snapshot: LedgerSnapshot) => bigint) =>
    -least(held.map((snapshot) => -of(snapshot)));
  switch (cause) {
    case 'requested':
      return exchanges.some((one) => one.operation === 'cancel' && one.asked === id);
    case 'appointmentPaid':
      return most(paidMinor) >= dueMinor;
    case 'exceedsRemainingBalance': {
      // Its own amount is part of what is reserved once it was reserved.
      const committedMinor = reserved
        ? most((snapshot) => paidMinor(snapshot) + snapshot.reservedMinor)
        : most(paidMinor) + owedOf(payment);
      return committedMinor > dueMinor;
    }
    case 'differsAtProcessor':
      return evidence.altered.has(id);
    case 'currencyChanged': {
      const present = currenciesOf(evidence, name, from, moment);
      const all = [...present, ...held.map((snapshot) => snapshot.currency)];
      return all.some((one) => one !== undefined && one !== currency);
    }
    case 'customerChanged':
      return snapshots.some(({ customerId }) => customerId !== payment.charge?.customerId);
    case 'visitPaid':
      return isVisitPaid(evidence, payment, moment);
    default:
      return true;
  }
}

/** Whether the visit itself had been paid by this moment, at its lowest price so far. */
function isVisitPaid(evidence: Evidence, { appointment }: Payment, until: number): boolean {
  const { appointments, ledgers } = evidence;
  const dues = during(appointments.get(appointment.id) ?? [], 0, until);
  const paid = during(ledgers.get(appointment.id) ?? [], 0, until).map(paidMinor);
  return -least(paid.map((one) => -one)) >= least(dues.map(({ dueMinor }) => dueMinor));
}

/** What was paid for the visit by card or without one. */
export function paidMinor({ capturedMinor, tenderedMinor }: LedgerSnapshot): bigint {
  return capturedMinor + tenderedMinor;
}

/** Zero where there are none: a ledger that was never moved is empty. */
function least(amounts: readonly bigint[]): bigint {
  return amounts.toSorted((a, b) => (a < b ? -1 : 1))[0] ?? 0n;
}

/** Whether a payment was given up because it was not owed: a capture that was sent before may win (D13). */
export function wasUndue({ releases }: Evidence, { id }: Pick<Payment, 'id'>): boolean {
  return releases.some(({ payment, cause }) => payment.id === id && undue.has(cause));
}

const undue: ReadonlySet<string> = new Set([
  'appointmentPaid',
  'exceedsRemainingBalance',
  'currencyChanged',
  'customerChanged',
  'setupChanged',
  'visitPaid',
]);
