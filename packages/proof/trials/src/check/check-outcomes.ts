import { isCounted, isOpened, type KeyRecord } from '@chairside/core/ports';
import type { Evidence, Expect, State } from './evidence.ts';
import { type Generations, generationsOf } from './readings.ts';
import type { Exchange } from './request-log.ts';

/** The responses of these operations show the payment's state. */
const tells: ReadonlySet<Exchange['operation']> = new Set([
  'create',
  'capture',
  'cancel',
  'charge',
]);

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
    if (operation === 'charge') {
      expect(payment?.state === 'captured' && isTaken(id), 'durable', () => {
        return `${id} was answered charged, and is ${payment?.state} and ${entry?.status}`;
      });
    }
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

  /** What was done for a key that was claimed. */
  function doneBy({ operation, resourceId = '' }: KeyRecord): string | undefined {
    // Its key is written with it.
    if (operation.endsWith('Tender')) return 'was written';
    switch (operation) {
      case 'preparePaymentMethod':
        return evidence.setups.get(resourceId)?.recorded === undefined ? undefined : 'was opened';
      case 'refundPayment':
      case 'refundExcess': {
        const refund = madeOf(state, resourceId);
        return refund && isCounted(refund) ? 'was made' : undefined;
      }
      case 'createContactlessPayment': {
        const payment = paymentOf.get(resourceId);
        const isThere = payment !== undefined && isOpened(payment);
        return isThere || isTaken(resourceId) ? 'was opened' : undefined;
      }
      case 'chargePaymentMethod':
        return isTaken(resourceId) ? 'took money' : undefined;
    }
    return undefined;
  }

  const generations = generationsOf(evidence);
  const keyed = evidence.exchanges.filter(
    (exchange) => exchange.key !== undefined && generations.of(exchange) !== undefined,
  );
  const nameOf = (exchange: Exchange) => requestName(exchange, generations);
  const byRequest = Map.groupBy(keyed, nameOf);
  const denied = new Set(
    [...byRequest].filter(([, sent]) => isDenied(sent)).map(([request]) => request),
  );
  const sentBy = Map.groupBy(keyed, ({ action, subject }) => `${action} ${subject}`);

  for (const { action, record, moment } of evidence.claims) {
    const { resourceId, subject } = record;
    // A request whose node died may write long after its sender gave up.
    const sent = sentBy.get(`${action} ${subject}`)?.findLast(({ from }) => from < moment);
    const request = sent === undefined ? '' : nameOf(sent);
    const done = denied.has(request) ? doneBy(record) : undefined;
    expect(done === undefined, 'truthful', () => {
      return `${request} was told that nothing was done, and ${resourceId} ${done}`;
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

/** The refund at the processor with our mark. */
function madeOf({ entries }: State, id: string) {
  return entries.flatMap(({ refunds = [] }) => refunds).find(({ refundId }) => refundId === id);
}

/** The same key and the same content: one request, however often it is sent while the key is kept. */
function requestName(exchange: Exchange, generations: Generations): string {
  const { subject, key, operation, asked } = exchange;
  return `${operation} ${asked} by ${subject} under ${key}, ${generations.of(exchange)}`;
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
