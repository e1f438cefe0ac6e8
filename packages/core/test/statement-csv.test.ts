import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StatementLineView } from '../src/schemas/statement.ts';
import { statementToCsv } from '../src/schemas/statement-csv.ts';

const line: StatementLineView = {
  at: '2026-11-24T10:00:00.000Z',
  kind: 'refund',
  contactlessPaymentId: 'cpm_1',
  barberId: 'ada',
  barber: 'Ada Marlow',
  currency: 'eur',
  amount: '-10.00',
  applicationFee: '0.00',
};

/** A reader of RFC 4180, written apart from the writer. */
function rowsOf(csv: string): string[][] {
  const rows: string[][] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  for (let row: string[] = []; field.lastIndex < csv.length; ) {
    const [, quoted, plain = '', end] = field.exec(csv) ?? [];
    if (end === undefined) throw new Error('the text is not CSV');
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

const trigger = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
const money = /^-?\d+\.\d\d$/;
const dangerous = fc.string({ unit: fc.constantFrom(...'=+-@;,|\t\r\n"\' a1(\uff1d') });

describe('the CSV of a statement', () => {
  it('has a header and a row for each line, and ends each with CRLF', () => {
    const csv = statementToCsv({ lines: [line] });
    expect(csv.endsWith('\r\n')).toBe(true);
    const [header = [], row = [], ...others] = rowsOf(csv);
    expect(others).toEqual([]);
    expect(header).toHaveLength(16);
    expect(Object.fromEntries(header.map((name, place) => [name, row[place]]))).toMatchObject({
      ...line,
      settled: '',
      difference: '',
    });
  });

  it('gives every text back, but for the apostrophes', () => {
    fc.assert(
      fc.property(dangerous, (barber) => {
        const [, row = []] = rowsOf(statementToCsv({ lines: [{ ...line, barber }] }));
        expect(row[4]?.replaceAll("'", '')).toBe(barber.replaceAll("'", ''));
        expect(row).toHaveLength(16);
      }),
    );
  });

  it('has no cell that a spreadsheet executes, at every end of a cell that it may see (D50)', () => {
    fc.assert(
      fc.property(dangerous, dangerous, (barber, barberId) => {
        const csv = statementToCsv({ lines: [{ ...line, barber, barberId }] });
        const cells = [...rowsOf(csv).flat(), ...csv.split(/[",;|\t\r\n]/)];
        const executed = cells.filter((cell) => trigger.test(cell) && !money.test(cell));
        expect(executed).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
