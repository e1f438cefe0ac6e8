import type { AppointmentBooks } from './server.ts';

export interface Verdict {
  /** `open` while the books and the ledger may still come together. */
  readonly is: 'kept' | 'open' | 'broken';
  readonly title: string;
  readonly detail: string;
  /** The promise that held, by its heading in the guarantees. */
  readonly guarantee: string;
}

const minor = (amount: string) => Number(amount.replace('.', ''));
const money = (amount: number) => (amount / 100).toFixed(2);

/** Judges an appointment after a run. */
export function verdictOf(books: AppointmentBooks, outcome: string | undefined): Verdict {
  const captured = books.payments.filter(({ processor }) => minor(processor?.captured ?? '0') > 0);
  const charged = captured.reduce(
    (sum, { processor }) => sum + minor(processor?.captured ?? '0'),
    0,
  );
  const due = minor(books.due);
  const tips = minor(books.tips);
  const isRefundKnown = books.refunded === books.refundedLedger;
  const sums = `The shop's books say ${books.charged}, the processor's ledger ${books.ledger}.`;
  if (charged > due + tips && minor(books.captured) > due) {
    return {
      is: 'broken',
      title: 'Charged too much',
      detail: `${money(charged)} of ${books.due}. ${sums}`,
      guarantee: 'promise-1',
    };
  }
  if (books.charged !== books.ledger || !isRefundKnown) {
    return {
      is: 'open',
      title: 'The books differ',
      detail: `${isRefundKnown ? sums : `Refunded: ${books.refunded} by the shop's books, ${books.refundedLedger} by the processor's ledger.`} They come together at the next request, or when upkeep runs, within seconds.`,
      guarantee: 'promise-3',
    };
  }
  if (minor(books.refundedLedger) > 0) return refundedVerdict(books, charged);
  if (captured.length === 0) {
    return {
      is: outcome === 'stuck' ? 'open' : 'kept',
      title: 'Nothing was charged',
      detail: `The books are equal to the cent: ${books.charged}.`,
      guarantee: 'promise-5',
    };
  }
  const times = captured.length === 1 ? 'once' : `in ${captured.length} parts`;
  return {
    is: 'kept',
    title: `Charged ${times}: ${money(charged)}`,
    detail: `${leftOf(due - minor(books.captured))}${tips === 0 ? '' : ` A tip of ${books.tips} is in it.`} The books are equal to the cent.`,
    guarantee: 'promise-1',
  };
}

const leftOf = (left: number) =>
  left > 0 ? `${money(left)} is still to be paid.` : 'Nothing is left to pay.';

/** Judges refunds that the books and the ledger agree on. */
function refundedVerdict({ payments, refundedLedger }: AppointmentBooks, charged: number): Verdict {
  const refunds = payments.flatMap(({ processor }) => processor?.refunds ?? []);
  const times = refunds.length === 1 ? 'once' : `in ${refunds.length} parts`;
  const isTooMuch = minor(refundedLedger) > charged;
  return {
    is: isTooMuch ? 'broken' : 'kept',
    title: isTooMuch ? 'Refunded too much' : `Refunded ${times}: ${refundedLedger}`,
    detail: `Of ${money(charged)} that was charged. The books are equal to the cent.`,
    guarantee: 'promise-1',
  };
}
