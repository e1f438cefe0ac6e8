import type { Payment } from '@chairside/core/ports';
import { anotherInstallation, installation } from '../act/run.ts';
import { checkAccess } from './check-access.ts';
import { checkAnswers } from './check-answers.ts';
import { checkBookings } from './check-bookings.ts';
import { checkBooks } from './check-books.ts';
import { checkEvents } from './check-events.ts';
import { checkOutcomes } from './check-outcomes.ts';
import { checkRefunds, checkRefundsHealed } from './check-refunds.ts';
import { checkReviews, isLeftToPerson } from './check-reviews.ts';
import { checkCharges, checkSetups, checkSetupsHealed } from './check-setups.ts';
import { checkReleases, checkTakes } from './check-takes.ts';
import { checkTenders } from './check-tenders.ts';
import { checkTerminals } from './check-terminals.ts';
import { checkTips } from './check-tips.ts';
import type { Evidence, Expect, State, Violation } from './evidence.ts';

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
    checkBookings(evidence, expect);
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
