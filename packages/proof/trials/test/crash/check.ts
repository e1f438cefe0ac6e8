import {
  isCounted,
  isFinal,
  isOpened,
  type Ledger,
  type Payment,
  type Read,
  type Refund,
  type Store,
} from '@chairside/core/ports';
import type { BookEntry } from '@chairside/trials';
import { type Exchange, isAcknowledged } from './log.ts';
import { ada, dueMinor, manager } from './shop.ts';

export interface Evidence {
  /** The clients' log. */
  readonly log: readonly Exchange[];
  /** The database, through a separate connection. */
  readonly store: Store;
  /** The processor's books. */
  readonly entries: readonly BookEntry[];
  /** All time limits have passed, so no payment may be open. */
  readonly isOver: boolean;
}

const maxPayments = 100;

/**
 * Compares the responses to clients, the database and the processor's books. Call it while no
 * request is running and all due work was reconciled. Returns the contradictions.
 */
export async function check({ log, store, entries, isOver }: Evidence): Promise<string[]> {
  const wrong: string[] = [];
  const expect = (holds: boolean, what: () => string) => {
    if (!holds) wrong.push(what());
  };
  const entryOf = new Map(entries.map((entry) => [entry.paymentId, entry]));
  const paymentOf = new Map<string, Payment>();
  const refundOf = new Map<string, Refund>();

  for (const appointmentId of new Set(log.map((exchange) => exchange.appointmentId))) {
    const payments = await read(store.payments.listByAppointment(appointmentId, maxPayments));
    for (const payment of payments) {
      paymentOf.set(payment.id, payment);
      checkPayment(payment);
      checkRefunds(payment, await read(store.refunds.listByPayment(payment.id, maxPayments)));
    }
    checkAppointment(await read(store.ledgers.get(appointmentId)), payments);
  }
  checkEntries();
  for (const exchanges of Map.groupBy(log, ({ key }) => key).values()) await checkKey(exchanges);
  return wrong;

  function checkPayment(payment: Payment): void {
    const { id, state, work, review } = payment;
    const entry = entryOf.get(id);
    const taken = minor(entry?.amountCaptured ?? '0.00');
    const recorded = state === 'captured' ? payment.amountMinor : 0n;
    expect(taken === recorded, () => `${id}: ${taken} was taken, ${recorded} is recorded`);
    expect(work === undefined, () => `${id} is left in the middle of ${work?.kind}`);
    expect(review === undefined, () => `${id} needs review: ${review}`);
    expect(entry !== undefined || !isOpened(payment), () => `${id}: the processor has no such`);
    if (isOver) {
      expect(isFinal(payment), () => `${id} is left ${state}`);
      const end = entry?.status ?? 'canceled';
      expect(end === state, () => `${id} is ${state} here and ${end} there`);
    }
  }

  function checkAppointment(ledger: Ledger, payments: readonly Payment[]): void {
    const { appointmentId, capturedMinor, reservedMinor, openPayments } = ledger;
    const taken = payments.reduce(
      (sum, { id }) => sum + minor(entryOf.get(id)?.amountCaptured ?? '0.00'),
      0n,
    );
    const open = payments.filter((payment) => !isFinal(payment)).length;
    expect(taken <= dueMinor, () => `${appointmentId} was charged ${taken} of ${dueMinor}`);
    expect(taken === capturedMinor, () => `${appointmentId}: ${taken}, recorded: ${capturedMinor}`);
    expect(reservedMinor === 0n, () => `${appointmentId} still reserves ${reservedMinor}`);
    expect(openPayments === open, () => `${appointmentId}: ${openPayments} open, not ${open}`);
  }

  /** Both books show the same refunds, and never more than was captured. */
  function checkRefunds({ id }: Payment, refunds: readonly Refund[]): void {
    const { refunds: made = [], amountCaptured = '0.00' } = entryOf.get(id) ?? {};
    const left = made
      .filter(isCounted)
      .reduce((sum, { amount }) => sum - minor(amount), minor(amountCaptured));
    expect(left >= 0n, () => `${id}: ${-left} more than was captured were given back`);
    const marks = new Set(made.map(({ refundId }) => refundId));
    expect(marks.size === made.length, () => `${id} has ${made.length} refunds of ${[...marks]}`);
    for (const refund of refunds) {
      refundOf.set(refund.id, refund);
      const there = made.find(({ refundId }) => refundId === refund.id);
      const isSame =
        refund.work === undefined &&
        (there === undefined
          ? refund.state === 'failed'
          : there.state === refund.state && minor(there.amount) === refund.amountMinor);
      expect(isSame, () => `${refund.id} is ${refund.state} here, and ${there?.state} there`);
    }
    const known = new Set(refunds.map((refund) => refund.id));
    const unknown = made.filter(({ refundId = '' }) => !known.has(refundId));
    expect(unknown.length === 0, () => `${id}: ${unknown.length} refunds are not recorded`);
  }

  /** Every payment at the processor is ours, and was captured once. */
  function checkEntries(): void {
    expect(entryOf.size === entries.length, () => 'a payment was opened twice at the processor');
    for (const { id, paymentId, history } of entries) {
      const takes = history.filter(({ what }) => what === 'captured').length;
      expect(takes <= 1, () => `${id} was captured ${takes} times`);
      expect(paymentOf.has(paymentId), () => `${id}: nothing here knows of ${paymentId}`);
    }
  }

  /** What was acknowledged under a key is there, with one response; and what was not applied is not. */
  async function checkKey(exchanges: readonly Exchange[]): Promise<void> {
    const [first] = exchanges;
    if (first === undefined) return;
    const { operation, key } = first;
    const { subject } = operation === 'refund' ? manager : ada;
    const { resourceId = '' } = (await read(store.keys.get(subject, key))) ?? {};
    const [payment, refund] = [paymentOf.get(resourceId), refundOf.get(resourceId)];
    const entry = entryOf.get(resourceId);
    const acknowledged = exchanges.filter(isAcknowledged);
    const texts = new Set(acknowledged.map(({ answer }) => answer?.text));
    expect(texts.size <= 1, () => `${key} was answered in ${texts.size} ways`);
    if (acknowledged.length > 0) {
      const isThere = {
        create: payment !== undefined && isOpened(payment) && entry !== undefined,
        capture: payment?.state === 'captured' && entry?.status === 'captured',
        refund: refund?.state === 'succeeded',
      };
      const state = payment?.state ?? refund?.state;
      expect(isThere[operation], () => `${key} was acknowledged, and is lost: ${state}`);
      return;
    }
    const last = exchanges.reduce((a, b) => (a.from > b.from ? a : b));
    const isLast = exchanges.every((exchange) => exchange === last || exchange.to < last.from);
    if (!isLast || last.answer?.outcome !== 'notApplied') return;
    const isDone = {
      create: entry !== undefined,
      capture: entry?.status === 'captured',
      refund: refund !== undefined && isCounted(refund),
    };
    const text = last.answer.text;
    expect(!isDone[operation], () => `${key} was told to be not applied, and is: ${text}`);
  }
}

async function read<T>(reading: Read<T>): Promise<T> {
  const found = await reading;
  if (found.isErr()) throw new Error('the database cannot be read');
  return found.value;
}

function minor(money: string): bigint {
  return BigInt(money.replace('.', ''));
}
