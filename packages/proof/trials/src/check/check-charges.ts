import type { LedgerEntry } from '@chairside/testkit';
import { paidMinor } from './check-releases.ts';
import { during } from './during.ts';
import type { Evidence } from './evidence.ts';
import type { Expect } from './rules.ts';
import type { State } from './state.ts';

/**
 * Charges of saved methods (D49): the processor's books, and the requests that it received, say which
 * method each took money from, and when.
 */
export function checkCharges(evidence: Evidence, state: State, expect: Expect): void {
  const entries = state.entries.filter(({ paymentId }) => evidence.charges.has(paymentId));
  for (const [id, own] of Map.groupBy(entries, ({ paymentId }) => paymentId)) {
    const refused = own.filter(({ history }) => history.some(({ what }) => what === 'declined'));
    expect(refused.length <= 1, 'charged', () => `${id} was refused ${refused.length} times`);
  }
  const taken = entries.filter(({ status }) => status === 'captured');
  checkOnce(evidence, taken, expect);
  checkSingle(evidence, state, taken, expect);
  checkPaidVisits(evidence, expect);
  checkWithdrawn(evidence, expect);
}

/** A fee and a deposit are charged once each for an appointment, with any card. */
function checkOnce(evidence: Evidence, taken: readonly LedgerEntry[], expect: Expect): void {
  const nameOf = ({ paymentId }: LedgerEntry) => {
    const { appointment, charge } = evidence.begun.get(paymentId) ?? {};
    return `${charge?.purpose} of ${appointment?.id}`;
  };
  for (const [name, entries] of Map.groupBy(taken, nameOf)) {
    expect(entries.length <= 1, 'charged', () => `the ${name} was taken ${entries.length} times`);
  }
}

/** No fee for a missed visit begins once the visit was paid at its highest price so far. */
function checkPaidVisits(
  { begun, begunIn, appointments, ledgers }: Evidence,
  expect: Expect,
): void {
  for (const [id, { charge, appointment }] of begun) {
    const { from, moment = 0 } = begunIn.get(id) ?? {};
    if (charge?.purpose !== 'noShow' || from === undefined) continue;
    const paid = during(ledgers.get(appointment.id) ?? [], from, moment).map(paidMinor);
    const dues = during(appointments.get(appointment.id) ?? [], 0, from);
    const isPaid = dues.every(
      ({ dueMinor }) => dueMinor > 0n && paid.length > 0 && paid.every((one) => one >= dueMinor),
    );
    expect(
      dues.length === 0 || !isPaid,
      'charged',
      () => `${id} is a fee for a visit that was paid`,
    );
  }
}

/** A method that was not saved bears one charge. */
function checkSingle(
  { charges }: Evidence,
  { setupEntries }: State,
  taken: readonly LedgerEntry[],
  expect: Expect,
): void {
  const single = new Set(
    setupEntries.filter(({ savePaymentMethod }) => !savePaymentMethod).map(({ id }) => id),
  );
  const setupOf = ({ paymentId }: LedgerEntry) =>
    charges.get(paymentId)?.method.setupReference ?? '';
  for (const [setup, entries] of Map.groupBy(taken, setupOf)) {
    expect(!single.has(setup) || entries.length <= 1, 'charged', () => {
      return `the method of ${setup} was for one charge, and had ${entries.length}`;
    });
  }
}

/** A method takes no money once its customer has the response to the withdrawal. */
function checkWithdrawn({ exchanges, setups, charges, takes }: Evidence, expect: Expect): void {
  const toldAt = new Map<string, number>();
  for (const { operation, setup = '', answer, to } of exchanges) {
    if (operation !== 'withdraw' || answer?.status !== 200 || to === undefined) continue;
    const reference = setups.get(setup)?.stored.reference ?? '';
    toldAt.set(reference, Math.min(to, toldAt.get(reference) ?? to));
  }
  for (const { payment, moment } of takes) {
    const reference = charges.get(payment)?.method.setupReference ?? '';
    const told = toldAt.get(reference) ?? Number.POSITIVE_INFINITY;
    expect(moment < told, 'charged', () => `${payment} took money from a withdrawn method`);
  }
}
