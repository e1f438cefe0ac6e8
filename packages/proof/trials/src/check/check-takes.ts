import type { Tender } from '@chairside/core/ports';
import { during } from './during.ts';
import type { Evidence } from './evidence.ts';
import type { Expect } from './rules.ts';
import type { Take } from './snapshots.ts';
import { broughtMinor } from './tendered.ts';

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

/** A tender that was not voided. */
const isKept = ({ tenders }: Evidence, { id, act }: Tender) =>
  act === 'record' &&
  [...tenders.values()].every(({ act: other }) => other.act !== 'void' || other.tenderId !== id);

/** One ledger has one currency: the business's at the last comparison. */
function checkCurrency(
  evidence: Evidence,
  appointment: string,
  takes: readonly Take[],
  expect: Expect,
): void {
  const { appointments, businesses, tenders } = evidence;
  const kept = [...tenders.values()].filter(
    ({ act }) => act.appointmentId === appointment && isKept(evidence, act),
  );
  const currencies = new Set([...takes, ...kept.map(({ act }) => act)].map((one) => one.currency));
  expect(currencies.size <= 1, 'currency', () => {
    return `${appointment} was charged in ${[...currencies].join(' and ')}`;
  });
  for (const { payment, currency, touchedAt, moment } of takes) {
    const own = during(appointments.get(appointment) ?? [], touchedAt, moment);
    const present = own.flatMap(({ businessId }) =>
      during(businesses.get(businessId) ?? [], touchedAt, moment).map((one) => one.currency),
    );
    expect(present.includes(currency), 'currency', () => {
      return `${payment} was captured in ${currency}, and ${present} was due`;
    });
  }
}
