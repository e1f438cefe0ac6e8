// Writes the tables of docs/guide/problems.md from the core's tables, between their markers. `--check`
// writes nothing, and fails where the page is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ProblemRecovery,
  type ProblemType,
  problemGuide,
  problemTypes,
  type Reason,
  reasons,
} from '../packages/core/src/index.ts';

const path = join(import.meta.dirname, '../docs/guide/problems.md');

const recoveries: Readonly<Record<ProblemRecovery, string>> = {
  final: '`notApplied`, `doNotRetry`',
  later: '`notApplied`, after delay',
  unknown: '`unknown`, after delay',
  finalOnceReleased:
    '`notApplied`, `doNotRetry`; while `isReleased` is false: `unknown`, after delay',
  session: '`notApplied`, `retrySameRequest`, `sessionAction`',
  unlessProven: '`unknown`, or `notApplied` if proven; after delay',
  byReason: 'by reason',
};

type Row = readonly string[];

function table(rows: readonly Row[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) =>
    Math.max(...rows.map((row) => [...(row[column] ?? '')].length)),
  );
  const line = (row: Row) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [line(head), line(rule), ...body.map(line)].join('\n');
}

const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T & string)[]; // cast: the keys of an object that has exactly these

function typeRow(type: ProblemType): Row {
  const { when, recovery, exception, precedesLookUp, action } = problemGuide[type];
  const underKey = precedesLookUp && 'with a key: `unknown`';
  const recovered = [recoveries[recovery], exception, underKey].filter(
    (text) => text !== undefined,
  );
  return [`\`${type}\``, `${problemTypes[type].status}`, when, recovered.join('; '), action];
}

function reasonRows(type: keyof typeof reasons): readonly Row[] {
  const rows = Object.entries<Reason>(reasons[type]);
  return rows.map(([reason, { operations, when, recovery, action }]) => [
    `\`${type}\``,
    `\`${reason}\``,
    operations.map((name) => `\`${name}\``).join(', '),
    when,
    recoveries[recovery],
    action,
  ]);
}

const tables: Readonly<Record<string, string>> = {
  types: table([
    ['Type', 'Status', 'When', 'Recovery', 'What a client does'],
    ...keysOf(problemGuide).map(typeRow),
  ]),
  reasons: table([
    ['Type', '`reason`', 'Returned by', 'When', 'Recovery', 'What a client does'],
    ...keysOf(reasons).flatMap(reasonRows),
  ]),
};

const page = readFileSync(path, 'utf8');
const made = page.replaceAll(
  /(<!-- (\w+): made by scripts\/problems\.ts -->\n).*?(\n<!-- end -->)/gs,
  (_, begin: string, name: string, end: string) => `${begin}\n${tables[name] ?? ''}\n${end}`,
);
const missing = Object.keys(tables).filter((name) => !page.includes(`<!-- ${name}: made by`));
if (missing.length > 0) throw new Error(`docs/guide/problems.md has no table ${missing}`);

if (!process.argv.includes('--check')) {
  writeFileSync(path, made);
} else if (made !== page) {
  console.error('docs/guide/problems.md is out of date: run `npx --yes pnpm problems`');
  process.exitCode = 1;
}
