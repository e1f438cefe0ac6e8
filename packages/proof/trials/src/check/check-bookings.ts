import { minor } from '../minor.ts';
import { during } from './during.ts';
import type { Evidence } from './evidence.ts';
import { ledgerNameOf } from './ledger-name.ts';
import type { Expect } from './rules.ts';
import type { AppointmentSnapshot } from './snapshots.ts';
import type { State } from './state.ts';
import { keptOfVisit } from './tendered.ts';

/** What booking software does to an appointment: its id is used again, customers become one, a currency changes. */
export function checkBookings(evidence: Evidence, state: State, expect: Expect): void {
  checkReused(evidence, expect);
  checkExcess(evidence, state, expect);
}

/** No payment begins for a visit whose id another customer has paid for another day (D209). */
function checkReused(
  { appointments, begun, begunIn, recorded, erasing, merging }: Evidence,
  expect: Expect,
): void {
  // Who has paid may be forgotten by then.
  if (erasing.size > 0) return;
  const merged = new Set(merging.flatMap(({ from, into }) => [from, into]));
  const isOther = (one: AppointmentSnapshot, other: AppointmentSnapshot) =>
    one.customerId !== undefined &&
    other.customerId !== undefined &&
    one.customerId !== other.customerId &&
    !(merged.has(one.customerId) && merged.has(other.customerId)) &&
    one.occursOn !== other.occursOn;
  const factsOf = (id: string) => {
    const { from, moment } = begunIn.get(id) ?? { from: 0, moment: 0 };
    const visit = begun.get(id)?.appointment.id ?? '';
    return during(appointments.get(visit) ?? [], from, moment);
  };
  for (const [id, { appointment }] of begun) {
    const { from = 0 } = begunIn.get(id) ?? {};
    const facts = factsOf(id);
    for (const [paid, at] of recorded) {
      // A fee for a missed visit pays for no other one.
      if (at >= from || ledgerNameOf(begun.get(paid)) !== appointment.id) continue;
      const isReused = facts.every((now) => factsOf(paid).every((then) => isOther(now, then)));
      expect(!isReused, 'charged', () => {
        return `${id} began at ${appointment.id}, which another customer had paid with ${paid}`;
      });
    }
  }
}

/** An excess is in the currency in which the visit is due, and is no more than was ever too much (D49). */
function checkExcess(evidence: Evidence, { entries }: State, expect: Expect): void {
  const { appointments, businesses, exchanges, begun } = evidence;
  const given = exchanges.filter(({ operation, answer }) => {
    return operation === 'excess' && answer?.status === 201;
  });
  for (const [visit = '', same] of Map.groupBy(given, ({ appointment }) => appointment)) {
    const facts = appointments.get(visit) ?? [];
    const back = new Map<string, bigint>();
    for (const { answer, key = '', from, to = from } of same) {
      const told: { readonly amount: string; readonly currency: string } = JSON.parse(
        answer?.text ?? '',
      );
      // A repeated key tells what it told at first.
      if (back.has(key)) continue;
      back.set(key, minor(told.amount));
      const due = during(facts, from, to).flatMap(({ businessId }) =>
        during(businesses.get(businessId) ?? [], from, to).map(({ currency }) => currency),
      );
      expect(due.includes(told.currency), 'refunded', () => {
        return `${told.amount} ${told.currency} of ${visit} are an excess of what is due in ${due}`;
      });
    }
    const takenMinor = entries
      .filter(({ paymentId }) => ledgerNameOf(begun.get(paymentId)) === visit)
      .reduce(
        (sum, { amountCaptured }) => sum + minor(amountCaptured),
        keptOfVisit(evidence, visit),
      );
    const least = facts
      .map(({ dueMinor }) => dueMinor)
      .reduce((a, b) => (a < b ? a : b), takenMinor);
    const backMinor = [...back.values()].reduce((sum, one) => sum + one, 0n);
    expect(backMinor <= takenMinor - least, 'refunded', () => {
      return `${backMinor} of ${visit} were given back, of ${takenMinor} for ${least}`;
    });
  }
}
