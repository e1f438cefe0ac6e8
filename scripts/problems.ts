// Writes the tables of docs/guide/problems.md and concepts.md from the core's tables, between their markers.
// `--check` writes nothing, and fails where a page is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProblemType, problemTypes, type Reason, reviewGuide } from '@chairside/core';
import { type ProblemRecovery, problemGuide, reasons } from '@chairside/core/ports';

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

const pages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  problems: {
    types: table([
      ['Type', 'Status', 'When', 'Recovery', 'What a client does'],
      ...keysOf(problemGuide).map(typeRow),
    ]),
    reasons: table([
      ['Type', '`reason`', 'Returned by', 'When', 'Recovery', 'What a client does'],
      ...keysOf(reasons).flatMap(reasonRows),
    ]),
  },
  concepts: {
    reviews: table([
      ['`review`', 'What happened', 'What to do'],
      ...keysOf(reviewGuide).map((reason) => {
        const { happened, action } = reviewGuide[reason];
        return [`\`${reason}\``, happened, action];
      }),
    ]),
  },
};

for (const [name, tables] of Object.entries(pages)) {
  const path = join(import.meta.dirname, `../docs/guide/${name}.md`);
  const page = readFileSync(path, 'utf8');
  const made = page.replaceAll(
    /(<!-- (\w+): made by scripts\/problems\.ts -->\n).*?(\n<!-- end -->)/gs,
    (_, begin: string, name: string, end: string) => `${begin}\n${tables[name] ?? ''}\n${end}`,
  );
  const missing = Object.keys(tables).filter((name) => !page.includes(`<!-- ${name}: made by`));
  if (missing.length > 0) throw new Error(`docs/guide/${name}.md has no table ${missing}`);

  if (!process.argv.includes('--check')) {
    writeFileSync(path, made);
  } else if (made !== page) {
    console.error(`docs/guide/${name}.md is out of date: run \`npx --yes pnpm generate\``);
    process.exitCode = 1;
  }
}
