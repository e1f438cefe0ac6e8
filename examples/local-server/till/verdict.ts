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
  const sums = `The shop's books say ${books.captured}, the processor's ledger ${books.ledger}.`;
  if (charged > due && minor(books.captured) > due) {
    return {
      is: 'broken',
      title: 'Charged too much',
      detail: `${money(charged)} of ${books.due}. ${sums}`,
      guarantee: 'promise-1',
    };
  }
  if (books.captured !== books.ledger) {
    return {
      is: 'open',
      title: 'The books differ',
      detail: `${sums} They come together at the next request, or when upkeep runs, within seconds.`,
      guarantee: 'promise-3',
    };
  }
  if (captured.length === 0) {
    return {
      is: outcome === 'stuck' ? 'open' : 'kept',
      title: 'Nothing was charged',
      detail: `The books are equal to the cent: ${books.captured}.`,
      guarantee: 'promise-5',
    };
  }
  const times = captured.length === 1 ? 'once' : `in ${captured.length} parts`;
  return {
    is: 'kept',
    title: `Charged ${times}: ${money(charged)}`,
    detail: `Due: ${books.due}. The books are equal to the cent.`,
    guarantee: 'promise-1',
  };
}
