import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CsvPreset,
  otherEntriesToCsv,
  payoutsToCsv,
  sharesToCsv,
  statementToCsv,
  tendersToCsv,
} from './csv.ts';
import type { PayoutView, StatementLineView } from './wire.ts';

const line: StatementLineView = {
  id: 'acct_1/txn_1',
  day: '2026-11-24',
  at: '2026-11-24T10:00:00.000Z',
  kind: 'refund',
  contactlessPaymentId: 'cpm_1',
  barberId: 'ada',
  barber: 'Ada Marlow',
  currency: 'eur',
  amount: '-10.00',
  applicationFee: '0.00',
};

const shop = { businessId: 'marlow', timeZone: 'Europe/Berlin' };
const csvOf = (over: Partial<StatementLineView>, how?: Parameters<typeof statementToCsv>[1]) =>
  statementToCsv({ ...shop, lines: [{ ...line, ...over }] }, how);

/** A reader of RFC 4180 with any separator, written apart from the writer. */
function rowsOf(csv: string, separator = ','): string[][] {
  const rows: string[][] = [];
  const plain = `[^"${separator}\\r\\n]*`;
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|(${plain}))(${separator}|\\r\\n)`, 'y');
  for (let row: string[] = []; field.lastIndex < csv.length; ) {
    const [, quoted, text = '', end] = field.exec(csv) ?? [];
    if (end === undefined) throw new Error('the text is not CSV');
    row.push(quoted?.replaceAll('""', '"') ?? text);
    if (end === separator) continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** The cells of the only line, by their columns. */
function cellsOf(csv: string, separator?: string): Readonly<Record<string, string | undefined>> {
  const [header = [], row = [], ...others] = rowsOf(csv.replace(/^\ufeff/, ''), separator);
  expect(others).toEqual([]);
  expect(row).toHaveLength(header.length);
  return Object.fromEntries(header.map((name, place) => [name, row[place]]));
}

const trigger = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
const money = /^-?\d+[.,]\d\d$/;
const dangerous = fc.string({ unit: fc.constantFrom(...'=+-@;,|\t\r\n"\' a1(\uff1d') });

describe('the CSV of a statement', () => {
  it('has a header and a row for each line, and ends each with CRLF', () => {
    const csv = csvOf({});
    expect(csv.endsWith('\r\n')).toBe(true);
    expect(cellsOf(csv)).toMatchObject({ ...line, ...shop, settled: '', difference: '' });
  });

  it('shows the day and the time at the shop, which may be another day than in UTC', () => {
    const tap = { day: '2026-10-31', at: '2026-10-30T23:20:00.000Z' };
    const local = { ...tap, localTime: '2026-10-31 00:20:00', timeZone: 'Europe/Berlin' };
    expect(cellsOf(csvOf(tap))).toMatchObject(local);
  });

  it('gives every text back, but for the apostrophes', () => {
    fc.assert(
      fc.property(dangerous, (barber) => {
        const { barber: read = '' } = cellsOf(csvOf({ barber }));
        expect(read.replaceAll("'", '')).toBe(barber.replaceAll("'", ''));
      }),
    );
  });

  it.each<[CsvPreset, string, string, string]>([
    ['software', ',', '-10.00', ''],
    ['excel', ',', '-10.00', '\ufeff'],
    ['excelGerman', ';', '-10,00', '\ufeff'],
    ['excelSwiss', ';', '-10.00', '\ufeff'],
    ['libreOffice', ',', '-10.00', '\ufeff'],
    ['libreOfficeGerman', ';', '-10,00', '\ufeff'],
  ])('for %s separates by %s and writes %s', (how, separator, amount, start) => {
    const csv = csvOf({ barber: 'Zoë' }, how);
    expect(csv.startsWith(`${start}day${separator}localTime`)).toBe(true);
    expect(cellsOf(csv, separator)).toMatchObject({ barber: 'Zoë', amount, tip: '' });
  });

  it('quotes an amount whose decimal sign is the separator, and reads any options', () => {
    const how = { separator: ',', decimal: ',' } as const;
    expect(cellsOf(csvOf({}, how))).toMatchObject({ amount: '-10,00', applicationFee: '0,00' });
    expect(cellsOf(csvOf({}, { separator: '\t' }), '\t')).toMatchObject({ amount: '-10.00' });
  });

  it('has no cell that a spreadsheet executes, at every end of a cell that it may see (D50)', () => {
    const presets = fc.constantFrom('software', 'excelGerman', 'excelSwiss');
    fc.assert(
      fc.property(dangerous, dangerous, presets, (barber, barberId, how) => {
        const csv = csvOf({ barber, barberId }, how);
        const rows = rowsOf(csv.replace(/^\ufeff/, ''), how === 'software' ? ',' : ';');
        // A reader that ends a cell at a comma splits an amount too, whose parts are numbers.
        const split = csv.replaceAll(/(\d),(\d\d)/g, '$1.$2').split(/[",;|\t\r\n]/);
        const executed = [...rows.flat(), ...split].filter(
          (cell) => trigger.test(cell) && !money.test(cell),
        );
        expect(executed).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

it('has each of its columns on the page for bookkeepers', () => {
  const page = readFileSync('docs/reference/statement-files.md', 'utf8');
  const lines = [statementToCsv({ ...shop, lines: [] }), tendersToCsv(shop), sharesToCsv(shop)];
  const files = [...lines, payoutsToCsv([]), otherEntriesToCsv([])].map((csv) => rowsOf(csv));
  expect(files.map((rows) => rows.length)).toEqual([1, 1, 1, 1, 1]);
  const columns = files.flat(2);
  expect(columns.length).toBeGreaterThan(60);
  expect(columns.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

describe('the CSV of payouts', () => {
  const payout: PayoutView = {
    id: 'po_1',
    state: 'paid',
    currency: 'eur',
    amount: '-41.07',
    createdAt: '2026-11-24T00:00:00.000Z',
    arrivesAt: '2026-11-26T00:00:00.000Z',
    isItemized: true,
    captured: '45.00',
    refunded: '10.00',
    disputed: '75.00',
    applicationFees: '0.00',
    processorFees: '0.93',
    ours: '-40.93',
    others: '-0.14',
    otherEntries: [
      {
        id: 'txn_9',
        at: '2026-11-25T12:00:00.000Z',
        kind: 'stripe_fee',
        description: '=Terminal; a month',
        amount: '-0.15',
      },
      { kind: 'otherBusinesses', amount: '0.01' },
    ],
  };

  it('has a line for each payout, with the day of its arrival', () => {
    const {
      createdAt: _createdAt,
      arrivesAt: _arrivesAt,
      otherEntries: _entries,
      ...rest
    } = payout;
    const shown = { ...rest, createdOn: '2026-11-24', arrivesOn: '2026-11-26', failure: '' };
    expect(cellsOf(payoutsToCsv([payout]))).toEqual({
      ...shown,
      isItemized: 'true',
      paidAgainBy: '',
      unexplained: '',
    });
    const differing = { ...payout, unexplained: '-0.02' };
    expect(cellsOf(payoutsToCsv([differing]))).toMatchObject({ unexplained: '-0.02' });
    const german = cellsOf(payoutsToCsv([payout], 'excelGerman'), ';');
    expect(german).toMatchObject({ amount: '-41,07', captured: '45,00', ours: '-40,93' });
  });

  it('has a line for each other entry in a file of its own, and no formula', () => {
    const [header, fee, sum] = rowsOf(otherEntriesToCsv([payout, { ...payout, otherEntries: [] }]));
    const names = ['payout', 'arrivesOn', 'at', 'kind', 'description', 'currency', 'amount', 'id'];
    expect(header).toEqual(names);
    const what = ['stripe_fee', "'=Terminal; a month", 'eur', '-0.15', 'txn_9'];
    expect(fee).toEqual(['po_1', '2026-11-26', '2026-11-25T12:00:00.000Z', ...what]);
    expect(sum).toEqual(['po_1', '2026-11-26', '', 'otherBusinesses', '', 'eur', '0.01', '']);
  });
});
