import { hourMs } from '@chairside/core';
import type { Evidence } from './evidence.ts';
import { generationsOf } from './generations.ts';
import type { Exchange } from './request-log.ts';
import type { Expect } from './rules.ts';

/** The responses to clients, request by request. */
export function checkAnswers(evidence: Evidence, expect: Expect): void {
  const { exchanges, plan, worldFaults } = evidence;
  const generations = generationsOf(evidence);
  const keyed = exchanges.flatMap((exchange) => {
    const generation = generations.of(exchange);
    return exchange.key === undefined || generation === undefined ? [] : [{ exchange, generation }];
  });
  const groups = Map.groupBy(
    keyed,
    ({ exchange: { subject, key }, generation }) => `${subject} ${key} ${generation}`,
  );
  const byKey = new Map(
    [...groups].map(([name, sent]) => [name, sent.map(({ exchange }) => exchange)]),
  );
  for (const [key, asked] of byKey) checkKey(key, asked, expect);

  // A capture that ends later holds its payment without a lease.
  const endsLater = plan.faults.some(({ kind }) => kind === 'endsLater');
  if (plan.faults.length + worldFaults <= 1 && !endsLater) {
    for (const asked of byKey.values()) checkLeases(asked, expect);
  }

  for (const { operation, asked, answer, to, entry } of exchanges) {
    if (answer === undefined || to === undefined) continue;
    const { fault, text } = answer;
    const isOver = entry === undefined || entry.status === 'canceled';
    expect(isOver, 'truthful', () => `${asked} was answered canceled, and is ${entry?.status}`);
    expect(fault === undefined, 'problems', () => `${operation} ${asked}: ${fault}: ${text}`);
  }
}

function checkKey(key: string, exchanges: readonly Exchange[], expect: Expect): void {
  const succeeded = exchanges.filter(({ answer }) => answer !== undefined && answer.status < 300);
  const [first] = succeeded;
  for (const { asked, answer } of succeeded) {
    const isSame = answer?.text === first?.answer?.text && answer?.status === first?.answer?.status;
    expect(isSame, 'sameKey', () => `${key}: ${first?.answer?.text} and then ${answer?.text}`);
    expect(asked === first?.asked, 'sameKey', () => `${key} did ${first?.asked} and ${asked}`);
  }
  for (const { asked, answer, isLast } of exchanges) {
    // Another content under the same key is another request.
    if (!isLast || asked !== first?.asked) continue;
    expect(answer?.text === first?.answer?.text, 'sameKey', () => {
      return `${key}: in the end ${answer?.text}, at first ${first?.answer?.text}`;
    });
  }
  // "Used for another request" is said only of keys that were.
  const kinds = new Set(exchanges.map(({ operation, asked }) => `${operation} ${asked}`));
  if (kinds.size > 1) return;
  for (const { answer } of exchanges) {
    const isTaken = answer?.status === 422 && answer.text.includes('header/Idempotency-Key');
    expect(!isTaken, 'sameKey', () => `${key} was taken for a used one`);
  }
}

/** With a single fault, no other holder can keep a lease that the response gave up (D20). */
function checkLeases(exchanges: readonly Exchange[], expect: Expect): void {
  for (const [index, { answer, at, to = 0 }] of exchanges.entries()) {
    const next = exchanges[index + 1];
    const isUnanswered = answer?.status === 503 && answer.text.includes('payment processor');
    if (!isUnanswered || next === undefined || next.from < to) continue;
    // Days later, upkeep may hold it.
    if (next.at - at >= hourMs) continue;
    const isRunning = next.answer?.text.includes('"reason":"running"') === true;
    const isHeld = isRunning && !exchanges.some((other) => other !== next && overlap(other, next));
    expect(!isHeld, 'leases', () => `${next.key} is held after 503: ${next.answer?.text}`);
  }
}

/** Either of the two may hold the lease of their key. */
function overlap(one: Exchange, other: Exchange): boolean {
  const end = Number.POSITIVE_INFINITY;
  return one.from < (other.to ?? end) && other.from < (one.to ?? end);
}
