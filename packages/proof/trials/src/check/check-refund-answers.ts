import { minor } from '../minor.ts';
import { during } from './during.ts';
import type { Evidence } from './evidence.ts';
import type { Exchange } from './request-log.ts';
import type { Expect } from './rules.ts';
import type { State } from './state.ts';

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
