import { moneyPattern } from '../domain/money.ts';
import type { StatementLineView, StatementView } from './statement.ts';

const columns = [
  'at',
  'kind',
  'contactlessPaymentId',
  'barberId',
  'barber',
  'processorReference',
  'currency',
  'amount',
  'tip',
  'purpose',
  'applicationFee',
  'processorFee',
  'settled',
  'payout',
  'payoutArrivesAt',
  'difference',
] as const satisfies readonly (keyof StatementLineView)[];

/**
 * The lines of a statement as CSV (RFC 4180), with a header. A spreadsheet executes no cell: an apostrophe
 * precedes each text that it would read as a formula. Some spreadsheets end a cell at a semicolon or a tab,
 * so a formula behind one gets an apostrophe too.
 *
 * @example
 * const statement = await chairside.getStatement(manager, { businessId, day, timeZone });
 * if (statement.isOk()) await writeFile(`${day}.csv`, statementToCsv(statement.value));
 */
export function statementToCsv({ lines }: Pick<StatementView, 'lines'>): string {
  const rows = lines.map((line) => columns.map((name) => line[name] ?? ''));
  return [columns, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
}

function toCell(text: string): string {
  const harmless = moneyPattern.test(text) ? text : text.replaceAll(formula, "$1$2'");
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** The start of a formula, at the start of a cell or of what some spreadsheet takes for one. */
const formula = /(^|[",;|\t\r\n])(\s*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;
