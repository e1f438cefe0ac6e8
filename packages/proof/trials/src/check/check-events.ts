import { transitions } from '@chairside/core/ports';
import type { BookEntry } from '@chairside/testkit';
import type { Evidence, Expect, State } from './evidence.ts';

/** The events for the host: each one, in order for each payment, and no others. */
export function checkEvents(evidence: Evidence, state: State, expect: Expect): void {
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
