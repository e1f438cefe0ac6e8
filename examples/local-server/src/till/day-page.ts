import type {
  BarberSumsView,
  StatementDifferenceView,
  StatementPayoutView,
  StatementSumsView,
  StatementView,
} from '@chairside/core';
import { escaped } from './markdown.ts';

type Reason = StatementDifferenceView['reason'];

/** The meaning of a difference, and who mends it. */
const meanings: Readonly<Record<Reason, readonly [meaning: string, who: string]>> = {
  notListedYet: [
    'The processor’s list was not read to this time yet.',
    'No person: upkeep reads it later.',
  ],
  missingAtProcessor: ['The processor has no entry for it.', 'The operator asks the processor.'],
  missingHere: ['There is no record for the processor’s entry.', 'The operator, by its review.'],
  otherDay: ['Both have it, on two days.', 'No person: the other day shows the same difference.'],
  otherAmount: ['Both have it, with different amounts.', 'The operator, by its review.'],
  otherFee: ['The processor took another fee of the platform.', 'The platform.'],
  payoutFailed: ['The bank returned the payout.', 'The owner, by correcting the bank account.'],
  payoutDiffers: ['The payout is not the sum of its entries.', 'The operator asks the processor.'],
};

const states: Readonly<Record<StatementView['state'], string>> = {
  open: 'Open: the day is not over, or the processor’s list was not read to its end.',
  differs: 'Differs: an entry needs a person.',
  closed: 'Closed: these figures do not change.',
};

/** The statement of a day as HTML, for a screen and for paper. */
export function dayPage(statement: StatementView): string {
  const { day, timeZone, state, readUntil, shop } = statement;
  const read =
    readUntil === undefined
      ? 'The processor lists no entries, so these are the shop’s own records.'
      : `The processor’s list was read to ${timeOf(readUntil, timeZone)}.`;
  const tables = shop.map((all) => barbersTable(statement, all)).join('');
  return `
    <header class="day-top">
      <h1>${escaped(titleOf(day))}</h1>
      <p class="day-state" data-is="${state}">${states[state]}</p>
      <p class="hint">${escaped(`${read} Times are of ${timeZone}.`)}</p>
    </header>
    <nav class="day-links" aria-label="Days">
      <a href="?day=${otherDay(day, -1)}" rel="prev">The day before</a>
      <a href="?day=${otherDay(day, 1)}" rel="next">The day after</a>
      <a href="day.csv?day=${day}" download>Lines as CSV</a>
    </nav>
    ${tables === '' ? '<p>No payment, refund or dispute is of this day.</p>' : tables}
    ${differencesList(statement)}
    ${payoutsTable(statement)}
    <p class="hint">Tips, deposits and fees for missed visits are contained in “captured”. The statement moves no money, and
      knows no tax.</p>`;
}

/** A column of the sums: its heading, and its cell. */
type Column = readonly [heading: string, of: (sums: StatementSumsView) => string];

const columns: readonly Column[] = [
  ['Payments', ({ payments }) => `${payments}`],
  ['Captured', ({ captured }) => captured],
  ['Tips', ({ tips = '0.00' }) => tips],
  ['Deposits', ({ deposits = '0.00' }) => deposits],
  ['Missed', ({ noShowFees = '0.00' }) => noShowFees],
  ['Refunded', ({ refunded }) => refunded],
  ['Disputed', ({ disputed }) => disputed],
  ['Processor’s fees', ({ processorFees }) => processorFees],
  ['Platform’s fees', ({ applicationFees }) => applicationFees],
  ['Settled', ({ settled }) => settled],
  ['At the bank', ({ arrived }) => arrived],
];
/** Columns of things that many shops never have. */
const optional: ReadonlySet<string> = new Set([
  'Tips',
  'Deposits',
  'Missed',
  'Disputed',
  'Platform’s fees',
]);

function barbersTable({ barbers }: StatementView, all: StatementSumsView): string {
  const shown = columns.filter(([heading, of]) => !optional.has(heading) || of(all) !== '0.00');
  const own = barbers.filter(({ currency }) => currency === all.currency);
  const cells = (sums: StatementSumsView) =>
    shown.map(([, of]) => `<td>${escaped(of(sums))}</td>`).join('');
  const row = (sums: BarberSumsView) =>
    `<tr><th scope="row">${escaped(sums.barber ?? 'No record here')}</th>${cells(sums)}</tr>`;
  return table(
    `By barber, in ${all.currency.toUpperCase()}`,
    ['Barber', ...shown.map(([heading]) => heading)],
    own.map(row),
    `<tr><th scope="row">The shop</th>${cells(all)}</tr>`,
  );
}

function differencesList({ differences, timeZone }: StatementView): string {
  if (differences.length === 0) {
    return '<h2>Differences</h2><p>The records and the processor agree to the cent.</p>';
  }
  const awaited = differences.filter(({ reason }) => reason === 'notListedYet');
  const others = differences.filter(({ reason }) => reason !== 'notListedYet');
  const items = others.map(({ reason, since, currency, ours, theirs, kind, ...about }) => {
    const [meaning, who] = meanings[reason];
    const what = `${kind ?? 'payout'} ${about.processorReference ?? about.contactlessPaymentId ?? ''}`;
    const sides = `${ours} ${currency} in the records, ${theirs} ${currency} at the processor`;
    return `<li><strong>${escaped(what)}</strong>: ${escaped(sides)}.<br>${escaped(meaning)} <span class="hint">${escaped(who)} Since ${timeOf(since, timeZone)}.</span></li>`;
  });
  const later =
    awaited.length === 0
      ? ''
      : `<p>${awaited.length} ${awaited.length === 1 ? 'entry is' : 'entries are'} compared later: ${meanings.notListedYet[0].toLowerCase()}</p>`;
  const list = items.length === 0 ? '' : `<ul class="day-differences">${items.join('')}</ul>`;
  return `<h2>Differences</h2>${list}${later}`;
}

function payoutsTable({ payouts, timeZone }: StatementView): string {
  if (payouts.length === 0) return '';
  const row = ({ id, state, currency, amount, ofThisDay, arrivesAt }: StatementPayoutView) =>
    `<tr><th scope="row">${escaped(id)}</th><td>${state}</td><td>${escaped(`${amount} ${currency}`)}</td><td>${escaped(`${ofThisDay} ${currency}`)}</td><td>${timeOf(arrivesAt, timeZone)}</td></tr>`;
  return table(
    'Payouts',
    ['Payout', 'State', 'Amount', 'Of this day', 'Arrives'],
    payouts.map(row),
  );
}

function table(
  title: string,
  heads: readonly string[],
  rows: readonly string[],
  foot?: string,
): string {
  const head = heads.map((text) => `<th scope="col">${escaped(text)}</th>`).join('');
  const sum = foot === undefined ? '' : `<tfoot>${foot}</tfoot>`;
  return `<h2>${escaped(title)}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="${escaped(title)}"><table class="day-table"><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody>${sum}</table></div>`;
}

function titleOf(day: string): string {
  const options = { dateStyle: 'full', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat('en-GB', options).format(new Date(`${day}T00:00:00.000Z`));
}

function timeOf(time: string, timeZone: string): string {
  const options = { dateStyle: 'short', timeStyle: 'short', timeZone } as const;
  return new Intl.DateTimeFormat('en-GB', options).format(new Date(time));
}

function otherDay(day: string, days: number): string {
  const at = Date.parse(`${day}T00:00:00.000Z`) + days * 24 * 3600 * 1000;
  return new Date(at).toISOString().slice(0, 10);
}
