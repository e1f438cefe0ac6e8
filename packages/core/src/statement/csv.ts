import { localTimes, parseTimestamp } from '../values/time.ts';
import type {
  PayoutView,
  ShareLineView,
  StatementLineView,
  StatementView,
  TenderLineView,
} from './wire.ts';

/** How a CSV is written. A spreadsheet reads it by the language of its own settings. */
export interface CsvOptions {
  /** Between two cells. Default: a comma. */
  readonly separator?: ',' | ';' | '\t' | undefined;
  /** In amounts. Default: a point. */
  readonly decimal?: '.' | ',' | undefined;
  /** A mark at the start, without which Excel takes UTF-8 for an older encoding. Default: none. */
  readonly bom?: boolean | undefined;
}

const english = { separator: ',', decimal: '.', bom: true } as const;
/** French, Italian, Spanish and Dutch spreadsheets write amounts alike. */
const german = { separator: ';', decimal: ',', bom: true } as const;

const presets = {
  /** Other software, as RFC 4180 says. */
  software: {},
  excel: english,
  excelGerman: german,
  excelSwiss: { separator: ';', decimal: '.', bom: true },
  libreOffice: english,
  libreOfficeGerman: german,
} as const satisfies Readonly<Record<string, CsvOptions>>;

/** What people open a CSV with, and the language of its settings where that is not English. */
export type CsvPreset = keyof typeof presets;

/** The header and the cells of a table; amounts are written with the decimal sign that was asked for. */
type Column<Row> = readonly [name: string, of: (row: Row) => string | undefined, is?: 'amount'];

/** A column of a member with the same name. */
function texts<Row>(...names: readonly (keyof Row & string)[]): readonly Column<Row>[] {
  return names.map((name) => [name, (row) => textOf(row[name])]);
}

function amounts<Row>(...names: readonly (keyof Row & string)[]): readonly Column<Row>[] {
  return names.map((name) => [name, (row) => textOf(row[name]), 'amount']);
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

/**
 * The lines of a statement as CSV (RFC 4180), with a header. A spreadsheet executes no cell: an apostrophe
 * precedes each text that it would read as a formula. Some spreadsheets end a cell at a semicolon or a tab,
 * so a formula behind one gets an apostrophe too.
 * @param how what people open it with, or the options. Default: other software.
 *
 * @example
 * const statement = await chairside.getStatement(manager, { businessId, day, timeZone });
 * if (statement.isOk()) await writeFile(`${day}.csv`, statementToCsv(statement.value, 'excelGerman'));
 */
export function statementToCsv(
  { lines, businessId, timeZone }: Pick<StatementView, 'lines' | 'businessId' | 'timeZone'>,
  how?: CsvPreset | CsvOptions,
): string {
  const local = localTimes(timeZone);
  const columns: readonly Column<StatementLineView>[] = [
    ...texts<StatementLineView>('day'),
    ['localTime', ({ at }) => local(parseTimestamp(at) ?? Number.NaN)],
    ...texts<StatementLineView>('kind', 'appointmentId', 'contactlessPaymentId', 'barberId'),
    ...texts<StatementLineView>('barber', 'locationId', 'location', 'cardLastFour'),
    ...texts<StatementLineView>('processorReference', 'currency'),
    ...amounts<StatementLineView>('amount', 'tip'),
    ...texts<StatementLineView>('purpose'),
    ...amounts<StatementLineView>('applicationFee', 'processorFee', 'settled'),
    ...texts<StatementLineView>('payout', 'payoutArrivesAt', 'difference', 'id', 'at'),
    ['timeZone', () => timeZone],
    ['businessId', () => businessId],
  ];
  return toCsv(columns, lines, how);
}

/**
 * What was paid without a card on the days of a statement, as CSV: one act a line.
 * @param how what people open it with, or the options. Default: other software.
 *
 * @example
 * const statement = await chairside.getStatement(manager, { businessId, day, timeZone });
 * if (statement.isOk()) await writeFile('cash.csv', tendersToCsv(statement.value, 'excelGerman'));
 */
export function tendersToCsv(
  { tenders = [], timeZone }: Pick<StatementView, 'tenders' | 'timeZone'>,
  how?: CsvPreset | CsvOptions,
): string {
  const local = localTimes(timeZone);
  const columns: readonly Column<TenderLineView>[] = [
    ...texts<TenderLineView>('day'),
    ['localTime', ({ at }) => local(parseTimestamp(at) ?? Number.NaN)],
    ...texts<TenderLineView>('act', 'kind', 'appointmentId', 'barberId', 'barber', 'currency'),
    ...amounts<TenderLineView>('amount', 'tip'),
    ...texts<TenderLineView>('tenderId', 'contactlessPaymentId', 'id', 'at'),
  ];
  return toCsv(columns, tenders, how);
}

/**
 * Whose shared payments are on the days of a statement, as CSV: one gain or loss a line. The lines of
 * `statementToCsv` have each amount for the barber who opened the payment.
 * @param how what people open it with, or the options. Default: other software.
 *
 * @example
 * const statement = await chairside.getStatement(manager, { businessId, day, timeZone });
 * if (statement.isOk()) await writeFile('shares.csv', sharesToCsv(statement.value, 'excelGerman'));
 */
export function sharesToCsv(
  { shares = [], timeZone }: Pick<StatementView, 'shares' | 'timeZone'>,
  how?: CsvPreset | CsvOptions,
): string {
  const local = localTimes(timeZone);
  const columns: readonly Column<ShareLineView>[] = [
    ...texts<ShareLineView>('day'),
    ['localTime', ({ at }) => local(parseTimestamp(at) ?? Number.NaN)],
    ...texts<ShareLineView>('kind', 'contactlessPaymentId', 'appointmentId', 'barberId', 'barber'),
    ...texts<ShareLineView>('currency'),
    ...amounts<ShareLineView>('amount', 'tip'),
    ...texts<ShareLineView>('id', 'at'),
  ];
  return toCsv(columns, shares, how);
}

/**
 * Payouts as CSV, one a line: what of the business's payments is in each, and what arrives.
 * @param how what people open it with, or the options. Default: other software.
 *
 * @example
 * const payouts = await chairside.listPayouts(manager, { businessId, from, until });
 * if (payouts.isOk()) await writeFile('payouts.csv', payoutsToCsv(payouts.value, 'excelGerman'));
 */
export function payoutsToCsv(payouts: readonly PayoutView[], how?: CsvPreset | CsvOptions): string {
  const columns: readonly Column<PayoutView>[] = [
    ...texts<PayoutView>('id', 'state'),
    ['createdOn', ({ createdAt }) => dateOf(createdAt)],
    ['arrivesOn', ({ arrivesAt }) => dateOf(arrivesAt)],
    ...texts<PayoutView>('currency'),
    ...amounts<PayoutView>('captured', 'refunded', 'disputed', 'applicationFees', 'processorFees'),
    ...amounts<PayoutView>('ours', 'others', 'amount'),
    ...texts<PayoutView>('failure', 'paidAgainBy', 'isItemized'),
    ...amounts<PayoutView>('unexplained'),
  ];
  return toCsv(columns, payouts, how);
}

/**
 * What payouts contain beside the business's payments, as CSV: the processor's own fees, for example.
 * @param how what people open it with, or the options. Default: other software.
 *
 * @example
 * const payouts = await chairside.listPayouts(manager, { businessId, from, until });
 * if (payouts.isOk()) await writeFile('fees.csv', otherEntriesToCsv(payouts.value, 'excelGerman'));
 */
export function otherEntriesToCsv(
  payouts: readonly PayoutView[],
  how?: CsvPreset | CsvOptions,
): string {
  const rows = payouts.flatMap(({ id: payout, arrivesAt, currency, otherEntries }) =>
    otherEntries.map((entry) => ({ payout, arrivesOn: dateOf(arrivesAt), currency, ...entry })),
  );
  type Row = (typeof rows)[number];
  const columns: readonly Column<Row>[] = [
    ...texts<Row>('payout', 'arrivesOn', 'at', 'kind', 'description', 'currency'),
    ...amounts<Row>('amount'),
    ...texts<Row>('id'),
  ];
  return toCsv(columns, rows, how);
}

/** Banks and processors count days of payouts by UTC. */
function dateOf(at: string): string {
  return at.slice(0, 'YYYY-MM-DD'.length);
}

function toCsv<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  how: CsvPreset | CsvOptions = 'software',
): string {
  const options: CsvOptions = typeof how === 'string' ? presets[how] : how;
  const { separator = ',', decimal = '.', bom = false } = options;
  const cell = (text: string) =>
    /["\r\n,;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const header = columns.map(([name]) => name);
  const cells = rows.map((row) =>
    columns.map(([, of, is]) => {
      const text = of(row) ?? '';
      if (is === 'amount') return text.replace('.', decimal);
      return amount.test(text) ? text : text.replaceAll(formula, "$1$2'");
    }),
  );
  const lines = [header, ...cells].map((row) => `${row.map(cell).join(separator)}\r\n`);
  return `${bom ? '\ufeff' : ''}${lines.join('')}`;
}

/** An amount in any currency, which no spreadsheet reads as a formula. */
const amount = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** The start of a formula, at the start of a cell or of what some spreadsheet takes for one. */
const formula = /(^|[",;|\t\r\n])([^\S\t\r\n]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
