import { hourMs } from '@chairside/core';
import type { Evidence, Expect, State } from './evidence.ts';
import { during, generationsOf, minor } from './readings.ts';
import type { Exchange } from './request-log.ts';

/** The responses to clients, request by request. */
export function checkAnswers(evidence: Evidence, expect: Expect): void {
  const { exchanges, plan, worldFaults } = evidence;
  const generations = generationsOf(evidence);
  const keyed = exchanges.filter(
    (one) => one.key !== undefined && generations.of(one) !== undefined,
  );
  const nameOf = (one: Exchange) => `${one.subject} ${one.key} ${generations.of(one)}`;
  const byKey = Map.groupBy(keyed, nameOf);
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

/** Responses about refunds were true at some moment of their request. */
export function checkRefundAnswers(evidence: Evidence, state: State, expect: Expect): void {
  for (const exchange of evidence.exchanges) {
    const { operation, answer, to } = exchange;
    if (answer === undefined || to === undefined) continue;
    if (operation === 'refund' && answer.status === 201) checkMade(state, exchange, expect);
    if (operation === 'refund' && answer.status === 409)
      checkRefused(evidence, state, exchange, expect);
    if (operation === 'listRefunds' && answer.status === 200) {
      checkListed(evidence, state, exchange, expect);
    }
  }
}

/** An acknowledged refund is recorded, is at the processor, and is of this payment and amount. */
function checkMade(
  { entries, refunds }: State,
  { answer, asked, payment }: Exchange,
  expect: Expect,
): void {
  const said: { id: string; amount: string; contactlessPaymentId: string } = JSON.parse(
    answer?.text ?? '',
  );
  const entry = entries.find(({ paymentId }) => paymentId === payment);
  const there = entry?.refunds?.find(({ refundId }) => refundId === said.id);
  const isKept = refunds.some(({ id }) => id === said.id);
  const amount = asked.split(' ').at(-1);
  expect(isKept && there?.amount === said.amount, 'durable', () => {
    return `${asked} was answered ${answer?.text}, and ${there?.amount} is at the processor`;
  });
  const isAsked =
    said.contactlessPaymentId === payment && (amount === 'rest' || amount === said.amount);
  expect(isAsked, 'durable', () => `${asked} was answered ${answer?.text}`);
}

/** "Not captured" and "more than is left" were so. */
function checkRefused(evidence: Evidence, state: State, exchange: Exchange, expect: Expect): void {
  const { answer, asked, payment = '' } = exchange;
  const said: { attributes?: { reason?: string; refundable?: string } } = JSON.parse(
    answer?.text ?? '',
  );
  const { reason, refundable = '' } = said.attributes ?? {};
  const wrong = () => `${asked} was answered ${answer?.text}`;
  if (reason !== 'exceedsRefundable') return;
  const left = leftOf(evidence, state, exchange);
  const amount = asked.split(' ').at(-1) ?? '';
  const askedMinor = amount === 'rest' ? 1n : minor(amount);
  const isTrue = left.some((restMinor) => {
    // A refund that names its tip can also exceed one of the two parts.
    const exceeds = restMinor < askedMinor || / tip /.test(asked);
    return exceeds && minor(refundable) === (restMinor > 0n ? restMinor : 0n);
  });
  expect(isTrue, 'truthful', () => `${wrong()}, and ${left} of ${payment} were left`);
}

function checkListed(evidence: Evidence, state: State, exchange: Exchange, expect: Expect): void {
  const { answer, asked } = exchange;
  const said: { refundable: string; captured: string } = JSON.parse(answer?.text ?? '');
  // Before the capture is recorded, the list says that there is no money to give back.
  if (said.captured === '0.00') return;
  const left = leftOf(evidence, state, exchange);
  const isTrue = left.some((rest) => minor(said.refundable) === (rest > 0n ? rest : 0n));
  expect(isTrue, 'truthful', () => `${asked} was answered ${answer?.text}, and ${left} were left`);
}

/** The refundable rest of a payment at each moment of a request. */
function leftOf(
  { returned }: Evidence,
  { entries }: State,
  { payment = '', from, to = from }: Exchange,
): readonly bigint[] {
  const entry = entries.find(({ paymentId }) => paymentId === payment);
  const capturedMinor = minor(entry?.amountCaptured ?? '0.00');
  const nothing = { moment: 0, refundedMinor: 0n, disputedMinor: 0n };
  return during([nothing, ...(returned.get(payment) ?? [])], from, to).map(
    ({ refundedMinor, disputedMinor }) => capturedMinor - refundedMinor - disputedMinor,
  );
}
