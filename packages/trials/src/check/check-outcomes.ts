import { isOpened } from '@chairside/core';
import type { Evidence, Exchange, State } from './evidence.ts';
import type { Expect } from './rules.ts';

/** The responses of these operations show the payment's state. */
const tells: ReadonlySet<Exchange['operation']> = new Set(['create', 'capture', 'cancel']);

/** The responses to clients, compared with the final records. */
export function checkOutcomes(evidence: Evidence, state: State, expect: Expect): void {
  const paymentOf = new Map(state.payments.map((payment) => [payment.id, payment]));
  const entriesOf = Map.groupBy(state.entries, ({ paymentId }) => paymentId);
  const isTaken = (id: string) =>
    entriesOf.get(id)?.some(({ status }) => status === 'captured') === true;

  for (const { operation, answer, asked } of evidence.exchanges) {
    if (answer === undefined || answer.status >= 300 || !tells.has(operation)) continue;
    const said: { id: string; amount: string; state: string } = JSON.parse(answer.text);
    const { id } = said;
    const payment = paymentOf.get(id);
    expect(payment !== undefined, 'durable', () => `${id} was answered and is gone`);
    const entry = entriesOf.get(id)?.[0];
    expect(entry?.amount === said.amount, 'durable', () => {
      return `${id}: ${said.amount} was answered, and ${entry?.amount} is at the processor`;
    });
    if (operation === 'capture') {
      expect(asked === `${id} ${entry?.id}`, 'access', () => {
        return `${id} was captured with the reference of another: ${asked}`;
      });
      expect(payment?.state === 'captured' && isTaken(id), 'durable', () => {
        return `${id} was answered captured, and is ${payment?.state} and ${entry?.status}`;
      });
    }
    if (operation === 'cancel') {
      expect(!isTaken(id), 'durable', () => `${id} was answered canceled, and is captured`);
    }
  }

  const keyed = evidence.exchanges.filter(({ key }) => key !== undefined);
  const byRequest = Map.groupBy(keyed, nameOf);
  const denied = new Set(
    [...byRequest].filter(([, sent]) => isDenied(sent)).map(([request]) => request),
  );
  const requestOf = new Map(
    keyed.map((exchange) => [`${exchange.action} ${exchange.subject}`, nameOf(exchange)]),
  );

  for (const { action, record } of evidence.claims) {
    const { operation, resourceId = '', subject } = record;
    const request = requestOf.get(`${action} ${subject}`) ?? '';
    if (!denied.has(request)) continue;
    if (operation === 'preparePaymentMethod') {
      const { recorded } = evidence.setups.get(resourceId) ?? {};
      expect(recorded === undefined, 'truthful', () => {
        return `${request} was told that nothing was done, and ${resourceId} was opened`;
      });
    }
    if (operation !== 'createContactlessPayment') continue;
    const payment = paymentOf.get(resourceId);
    const isThere = payment !== undefined && isOpened(payment);
    expect(!isThere && !isTaken(resourceId), 'truthful', () => {
      return `${request} was told that nothing was done, and ${resourceId} was opened`;
    });
  }

  const captures = keyed.filter(({ operation }) => operation === 'capture');
  const takenByUs = new Set(evidence.takes.map(({ payment }) => payment));
  for (const [id, sent] of Map.groupBy(captures, ({ payment = '' }) => payment)) {
    if (!takenByUs.has(id)) continue;
    const isEveryoneDenied = sent.every((exchange) => denied.has(nameOf(exchange)));
    expect(!isEveryoneDenied, 'truthful', () => `${id} was captured, and everyone was told no`);
  }

  // An applied request is never reported as not applied.
  for (const asked of byRequest.values()) {
    const success = asked.find(({ answer }) => answer !== undefined && answer.status < 300);
    if (success?.to === undefined) continue;
    const { to } = success;
    for (const { from, answer } of asked) {
      if (from < to || answer?.outcome !== 'notApplied') continue;
      expect(false, 'truthful', () => `${success.key} was done, and then ${answer.text}`);
    }
  }
}

/** The same key and content: one request, however often it is sent. */
function nameOf({ subject, key, operation, asked }: Exchange): string {
  return `${operation} ${asked} by ${subject} under ${key}`;
}

/** The last response was "not applied", and no request was running when it was sent. */
function isDenied(exchanges: readonly Exchange[]): boolean {
  return exchanges.some(
    (one) =>
      one.answer?.outcome === 'notApplied' &&
      exchanges.every((other) => other === one || hasEnded(other, one)),
  );
}

function hasEnded(other: Exchange, one: Exchange): boolean {
  return other.to !== undefined && other.to < one.from;
}
