import { during } from './during.ts';
import type { Evidence } from './evidence.ts';
import type { Expect } from './rules.ts';
import type { Take } from './snapshots.ts';

/** Captures by the core that took money, compared with the amount due by the host (D13, D39). */
export function checkTakes(evidence: Evidence, expect: Expect): void {
  for (const [appointment, takes] of Map.groupBy(evidence.takes, (take) => take.appointment)) {
    checkCompared(appointment, takes, expect);
    checkLowered(evidence, appointment, takes, expect);
    checkCurrency(evidence, appointment, takes, expect);
  }
}

/** The comparison includes all amounts that were reserved or captured at its time. */
function checkCompared(appointment: string, takes: readonly Take[], expect: Expect): void {
  let takenMinor = 0n;
  for (const take of takes.toSorted((a, b) => a.comparedAt - b.comparedAt)) {
    takenMinor += take.amountMinor;
    expect(takenMinor <= take.dueMinor, 'charged', () => {
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
    if (lowering === undefined) continue;
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
  { appointments, businesses }: Evidence,
  appointment: string,
  takes: readonly Take[],
  expect: Expect,
): void {
  const currencies = new Set(takes.map(({ currency }) => currency));
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
