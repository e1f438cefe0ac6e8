import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CsvPreset, statementToCsv } from '../src/statement/csv.ts';

/** LibreOffice opens the files as its import dialog does. Nothing here installs it. */
const program = ['soffice', 'libreoffice'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined,
);
const missing = 'LibreOffice is missing: apt-get install libreoffice-calc';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cs-calc-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const statement = {
  businessId: 'marlow',
  timeZone: 'Europe/Berlin',
  lines: [
    {
      id: 'acct_1/txn_1',
      day: '2026-10-31',
      at: '2026-10-30T23:20:00.000Z',
      kind: 'refund',
      contactlessPaymentId: 'cpm_1',
      barber: 'Zoë; =1+1',
      currency: 'eur',
      amount: '-4500.00',
      applicationFee: '0.05',
      settled: '45.00',
    },
  ],
} as const;

/** What the import dialog asks for: the separator, the language by its number, and numbers in any form. */
type Settings = readonly [separator: string, language: number];
const english: Settings = [',', 1033];
const german: Settings = [';', 1031];

/** The cells of the line, by column: a number, a date, or a text. */
function opened(how: CsvPreset, [separator, language]: Settings) {
  const name = `${how}-${language}`;
  writeFileSync(join(folder, `${name}.csv`), statementToCsv(statement, how));
  const filter = `CSV:${separator.charCodeAt(0)},34,76,1,,${language},false,true`;
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  const options = ['--headless', profile, `--infilter=${filter}`, '--convert-to', 'fods'];
  execFileSync(program ?? '', [...options, '--outdir', folder, join(folder, `${name}.csv`)], {
    stdio: 'ignore',
    timeout: 100_000,
  });
  const sheet = readFileSync(join(folder, `${name}.fods`), 'utf8');
  const [header = [], line = []] = [
    ...sheet.matchAll(/<table:table-row.*?<\/table:table-row>/gs),
  ].map(([row]) =>
    [...row.matchAll(cell)].flatMap(([, attributes = '', text = '']) => cellsIn(attributes, text)),
  );
  return Object.fromEntries(header.map((column, place) => [column, line[place]]));
}

const cell =
  /<table:table-cell(|\s[^>]*?)(?:\/>|>\s*(?:<text:p>(.*?)<\/text:p>)?\s*<\/table:table-cell>)/gs;

/** The cell's value, once for each column that it fills. */
function cellsIn(attributes: string, text: string): readonly (string | number)[] {
  const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1];
  const number = attribute('office:value');
  const plain = attribute('office:date-value') ?? text.replaceAll('&apos;', "'");
  const columns = Number(attribute('table:number-columns-repeated') ?? 1);
  return Array.from({ length: Math.min(columns, 50) }, () =>
    number === undefined ? plain : Number(number),
  );
}

it.for<readonly [CsvPreset, Settings]>([
  ['libreOffice', english],
  ['libreOfficeGerman', german],
  ['excelGerman', german],
])('LibreOffice reads the amounts, dates and names of %s', ([how, settings], { skip }) => {
  if (program === undefined) skip(missing);
  expect(opened(how, settings)).toMatchObject({
    day: '2026-10-31',
    localTime: '2026-10-31T00:20:00',
    barber: "Zoë; '=1+1",
    amount: -4500,
    applicationFee: 0.05,
    settled: 45,
    id: 'acct_1/txn_1',
  });
});

it('LibreOffice in German reads no amount of a file for other software', ({ skip }) => {
  if (program === undefined) skip(missing);
  const { settled } = opened('software', [',', 1031]);
  expect(settled).not.toBe(45);
});
