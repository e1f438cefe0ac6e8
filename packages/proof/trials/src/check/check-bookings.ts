import type { AppointmentSnapshot, Evidence, Expect } from './evidence.ts';
import { during, ledgerNameOf } from './readings.ts';

/** What booking software does to an appointment: its id is used again, customers become one, a currency changes. */
export function checkBookings(evidence: Evidence, expect: Expect): void {
  checkReused(evidence, expect);
  checkExcess(evidence, expect);
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

/** An excess is in the currency in which the visit is due (D49). Its commit shows whether it is too much. */
function checkExcess({ appointments, businesses, exchanges }: Evidence, expect: Expect): void {
  const answered = new Set<string>();
  for (const { operation, answer, key, appointment: visit = '', from, to = from } of exchanges) {
    if (operation !== 'excess' || answer?.status !== 201) continue;
    // A repeated key tells what it told at first.
    if (answered.has(`${visit} ${key}`)) continue;
    answered.add(`${visit} ${key}`);
    const told: { readonly amount: string; readonly currency: string } = JSON.parse(answer.text);
    const due = during(appointments.get(visit) ?? [], from, to).flatMap(({ businessId }) =>
      during(businesses.get(businessId) ?? [], from, to).map(({ currency }) => currency),
    );
    expect(due.includes(told.currency), 'refunded', () => {
      return `${told.amount} ${told.currency} of ${visit} are an excess of what is due in ${due}`;
    });
  }
}
