// Writes the tables of `docs/reference/wrong-adapters.md` from the tests. `--check` only compares, and fails if
// the page is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wrongProcessors } from '../examples/another-processor/test/wrong/processors.ts';
import { wrongCharges } from '../packages/proof/spec/test/ours/wrong-charges/processors.ts';
import { wrongSettlements } from '../packages/proof/spec/test/ours/wrong-settlements/processors.ts';
import { wrongStores } from '../packages/proof/testkit/test/wrong/stores.ts';

interface Row {
  readonly fault: string;
  readonly caughtBy: string;
}

function table(adapter: string, rows: readonly Row[]): string {
  const all = [[`A ${adapter} that …`, 'The case that fails'], ...rows.map(cells)] as const;
  const widths = [0, 1].map((at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[], fill = ' ') =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0, fill)).join(' | ')} |\n`;
  const [head = [], ...body] = all;
  return line(head) + line(['', ''], '-') + body.map((row) => line(row)).join('');
}

function cells({ fault, caughtBy }: Row): readonly [string, string] {
  return [fault, caughtBy];
}

const processors: readonly Row[] = [...wrongProcessors, ...wrongCharges, ...wrongSettlements];

const path = join(import.meta.dirname, '../docs/reference/wrong-adapters.md');
const page = readFileSync(path, 'utf8');
const [head] = page.split('## Stores');
const written = `${head}## Stores\n\n${table('store', wrongStores)}\n## Processors\n\n${table('processor', processors)}`;
if (!process.argv.includes('--check')) writeFileSync(path, written);
else if (page !== written) {
  console.error('wrong-adapters.md is out of date: run `npx --yes pnpm wrong-adapters`');
  process.exitCode = 1;
}
