import { type Payment, transitions } from '@chairside/core/ports';
import type { BookEntry } from '@chairside/testkit';
import { anotherInstallation, installation } from '../act/run.ts';
import { checkAccess } from './check-access.ts';
import { checkAnswers } from './check-answers.ts';
import { checkBooks } from './check-books.ts';
import { checkOutcomes } from './check-outcomes.ts';
import { checkRefunds, checkRefundsHealed } from './check-refunds.ts';
import { checkReviews, isLeftToPerson } from './check-reviews.ts';
import { checkCharges, checkSetups, checkSetupsHealed } from './check-setups.ts';
import { checkReleases, checkTakes } from './check-takes.ts';
import { checkTenders } from './check-tenders.ts';
import { checkTerminals } from './check-terminals.ts';
import { checkTips } from './check-tips.ts';
import type { AppointmentSnapshot, Evidence, Expect, State, Violation } from './evidence.ts';
import { currenciesOf, during, ledgerNameOf } from './readings.ts';

export function collect(check: (expect: Expect) => void): readonly Violation[] {
  const violations: Violation[] = [];
  check((holds, rule, what) => {
    if (!holds) violations.push({ rule, what: what() });
  });
  return violations;
}

/** The promises a few hours after the faults stopped, while payments may still be open. */
export function checkHealed(evidence: Evidence, state: State): readonly Violation[] {
  return collect((expect) => {
    checkAnswers(evidence, expect);
    for (const name of evidence.hung) expect(false, 'ends', () => `${name} did not end`);
    const entryOf = new Map(state.entries.map((entry) => [entry.paymentId, entry]));
    for (const payment of state.payments) {
      const { id, work, reserved } = payment;
      expect(work === undefined, 'ends', () => `${id} is still worked on: ${work?.kind}`);
      expect(!reserved, 'agree', () => `${id} is still reserved`);
      const entry = entryOf.get(id);
      // A word is compared with the processor's books a day later.
      const isCompared = payment.clientSecret !== undefined && !evidence.said.has(id);
      if (entry !== undefined && isCompared) {
        expect(isSame(payment, entry.status), 'agree', () => {
          return `${id} is ${payment.state} here and ${entry.status} there`;
        });
      }
    }
    checkSetupsHealed(state, expect);
    checkRefundsHealed(evidence, state, expect);
    const known = new Set(state.payments.map(({ id }) => id));
    for (const entry of state.entries) {
      const { id, paymentId, status } = entry;
      if (entry.installation !== installation || known.has(paymentId)) continue;
      const isOver = status === 'canceled' || isLeftToPerson(state, paymentId);
      expect(isOver, 'orphans', () => `${id} of ${paymentId} is left ${status}`);
    }
  });
}

/** A partial authorization counts as failed here until it is released at the processor. */
function isSame({ state }: Payment, status: string): boolean {
  return state === status || (state === 'failed' && status === 'authorized');
}

/** The promises when no payment is open any more. */
export function checkEnd(evidence: Evidence, state: State): readonly Violation[] {
  return collect((expect) => {
    checkBooks(evidence, state, expect);
    checkOutcomes(evidence, state, expect);
    checkReleases(evidence, expect);
    checkReviews(evidence, state, expect);
    checkRefunds(evidence, state, expect);
    checkEvents(evidence, state, expect);
    checkSetups(evidence, state, expect);
    checkTerminals(evidence, state, expect);
    checkAccess(evidence, expect);
    checkTakes(evidence, expect);
    checkReused(evidence, expect);
    checkExcess(evidence, expect);
    checkTips(evidence, state, expect);
    checkTenders(evidence, state, expect);
    checkCharges(evidence, state, expect);
    checkSecrets(evidence, state, expect);
    const another = state.entries.find((entry) => entry.installation === anotherInstallation);
    expect(another?.status === 'created', 'orphans', () => {
      return `another installation's payment is ${another?.status}`;
    });
    for (const { rule, what } of evidence.faults) expect(false, rule, () => what);
  });
}

function checkSecrets(evidence: Evidence, state: State, expect: Expect): void {
  const events = evidence.delivered.map((event) => JSON.stringify(event));
  const problems = evidence.exchanges.flatMap(({ answer }) =>
    answer?.type === undefined ? [] : [answer.text],
  );
  const timelines = state.payments.map(({ timeline }) => JSON.stringify(timeline));
  const terminals = state.terminals.map((terminal) => JSON.stringify(terminal));
  const said = [...evidence.texts, ...events, ...problems, ...timelines, ...terminals].join('\n');
  for (const { id, clientSecret } of [...state.entries, ...state.setupEntries]) {
    expect(!said.includes(clientSecret), 'secret', () => `the client secret of ${id} was said`);
  }
  // Connection tokens are not stored in any column (D24).
  const kept = state.setups.map((setup) => JSON.stringify(setup)).join('\n');
  for (const token of evidence.tokens.keys()) {
    const isSaid = said.includes(token) || kept.includes(token);
    expect(!isSaid, 'secret', () => 'a connection token was said or kept');
  }
}

/** The events for the host: each one, in order for each payment, and no others. */
function checkEvents(evidence: Evidence, state: State, expect: Expect): void {
  const { appended, delivered } = evidence;
  const known = new Set(appended.map(({ subject, version }) => `${subject}/${version}`));
  expect(known.size === appended.length, 'events', () => 'two events have the same place');
  const firsts = new Map<string, { version: number; type: string }[]>();
  const seen = new Set<string>();
  for (const { id, subject, sequence, type } of delivered) {
    expect(known.has(id), 'events', () => `${id} was delivered, and never written`);
    if (seen.has(id)) continue;
    seen.add(id);
    const before = firsts.get(subject) ?? [];
    firsts.set(subject, before);
    const version = Number(sequence);
    const last = before.at(-1)?.version ?? 0;
    expect(version > last, 'events', () => `of ${subject}, ${version} came after ${last}`);
    before.push({ version, type });
  }
  for (const id of known) expect(seen.has(id), 'events', () => `${id} was never delivered`);

  const entryOf = new Map(state.entries.map((entry) => [entry.paymentId, entry]));
  for (const payment of state.payments) {
    if (payment.clientSecret === undefined) continue;
    const entry = entryOf.get(payment.id);
    const types = firsts.get(payment.id) ?? [];
    const states = types
      .map(({ type }) => type.replace('contactlessPayment.', ''))
      .filter((name) => name in transitions);
    const last = states.at(-1);
    expect(last === payment.state, 'events', () => {
      return `${payment.id} is ${payment.state}, and its events end in ${last}`;
    });
    const path: Readonly<Record<string, readonly string[]>> = transitions;
    for (const [index, to] of states.entries()) {
      const from = states[index - 1];
      const isSaid = evidence.said.has(payment.id);
      const isCorrected =
        (from === 'canceled' && (isSaid || evidence.changedAtProcessor.has(payment.id))) ||
        (from === 'captured' && isSaid && to === 'canceled');
      const isStep = from === undefined ? to === 'created' : path[from]?.includes(to) === true;
      expect(isStep || isCorrected, 'events', () => `${payment.id} went from ${from} to ${to}`);
    }
    if (entry === undefined) continue;
    const told = `${payment.id} was told to be ${states}`;
    const isFree = isPartial(entry) || evidence.said.has(payment.id);
    expect(isFree || isToldOf(states, entry), 'events', () => {
      return `${told}, and was ${entry.history.map(({ what }) => what)}`;
    });
  }
}

/** A partial authorization counts as failed here, but as authorized at the processor. */
function isPartial({ amount, amountAuthorized = amount }: BookEntry): boolean {
  return amountAuthorized !== amount;
}

const stateOf: Readonly<Record<string, string>> = {
  opened: 'created',
  declined: 'failed',
  canceledAtTerminal: 'canceled',
  expired: 'canceled',
};

/** Whether the states all occurred in this order, even if some were not noticed. */
function isToldOf(states: readonly string[], { history }: BookEntry): boolean {
  const were = history.map(({ what }) => stateOf[what] ?? what);
  let next = 0;
  for (const state of were) if (state === states[next]) next += 1;
  return next === states.length;
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
function checkExcess(evidence: Evidence, expect: Expect): void {
  const answered = new Set<string>();
  for (const exchange of evidence.exchanges) {
    const { operation, answer, key, appointment: visit = '', from, to = from } = exchange;
    if (operation !== 'excess' || answer?.status !== 201) continue;
    // A repeated key tells what it told at first.
    if (answered.has(`${visit} ${key}`)) continue;
    answered.add(`${visit} ${key}`);
    const told: { readonly amount: string; readonly currency: string } = JSON.parse(answer.text);
    const due = currenciesOf(evidence, visit, from, to);
    expect(due.includes(told.currency), 'refunded', () => {
      return `${told.amount} ${told.currency} of ${visit} are an excess of what is due in ${due}`;
    });
  }
}
