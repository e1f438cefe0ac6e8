import type { AppointmentBooks } from './server.ts';

export interface Verdict {
  /** `open` while the two may still come together. */
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
  const here = books.payments.filter(({ share }) => share?.amount !== '0.00');
  const captured = here.filter(({ processor }) => minor(processor?.captured ?? '0') > 0);
  // What the same cards paid for other visits.
  const others = minor(books.charged) - minor(books.own);
  const charged = captured.reduce(
    (sum, { processor }) => sum + minor(processor?.captured ?? '0'),
    0,
  );
  const due = minor(books.due);
  const tips = minor(books.tips);
  const isRefundKnown = books.refunded === books.refundedThere;
  const sums = `The shop's books say ${books.charged}, the processor's books ${books.chargedThere}.`;
  if (charged - others > due + tips && minor(books.captured) > due) {
    return {
      is: 'broken',
      title: 'Charged too much',
      detail: `${money(charged)} of ${books.due}. ${sums}`,
      guarantee: 'promise-1',
    };
  }
  if (books.charged !== books.chargedThere || !isRefundKnown) {
    return {
      is: 'open',
      title: 'The books differ',
      detail: `${isRefundKnown ? sums : `Refunded: ${books.refunded} by the shop's books, ${books.refundedThere} by the processor's books.`} They come together at the next request, or when upkeep runs, within seconds.`,
      guarantee: 'promise-3',
    };
  }
  if (minor(books.refundedThere) > 0) return refundedVerdict(books, charged);
  if (captured.length === 0 && here.length < books.payments.length) {
    return {
      is: 'kept',
      title: 'Moved to another visit',
      detail: `Nothing of it is left here. ${equal}`,
      guarantee: 'promise-1',
    };
  }
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
    detail: `${partOf(books)}${leftOf(due - minor(books.captured))}${tips === 0 ? '' : ` A tip of ${books.tips} is in it.`} ${equal}`,
    guarantee: 'promise-1',
  };
}

const equal = 'The books are equal to the cent.';

/** The visit's part, where the card paid other visits too. */
const partOf = ({ own, charged }: AppointmentBooks) =>
  own === charged ? '' : `${own} of it is for this visit. `;

const leftOf = (left: number) =>
  left > 0 ? `${money(left)} is still to be paid.` : 'Nothing is left to pay.';

/** Judges refunds that both books agree on. */
function refundedVerdict(books: AppointmentBooks, charged: number): Verdict {
  const { payments, refundedThere } = books;
  const refunds = payments
    .filter(({ share }) => share?.amount !== '0.00')
    .flatMap(({ processor }) => processor?.refunds ?? []);
  const times = refunds.length === 1 ? 'once' : `in ${refunds.length} parts`;
  const isTooMuch = minor(refundedThere) > charged;
  return {
    is: isTooMuch ? 'broken' : 'kept',
    title: isTooMuch ? 'Refunded too much' : `Refunded ${times}: ${refundedThere}`,
    detail: `Of ${money(charged)} that was charged. ${partOf(books)}${equal}`,
    guarantee: 'promise-1',
  };
}
