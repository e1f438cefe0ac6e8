import { readFileSync } from 'node:fs';
import type { Catch } from './catch.ts';

const page = new URL('../../../../../docs/reference/planted-bugs.md', import.meta.url);

/** A row of the page on planted bugs. */
export interface Row {
  readonly bug: string;
  readonly by: string;
  readonly rule: string;
}

/** The table as `simulate --bugs` printed it last. */
export function readTable(): readonly Row[] {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| `(\w+)` +\| `([^`]+)` +\| `(\w+)` +\|$/gm);
  return [...rows].map(([, bug = '', by = '', rule = '']) => ({ bug, by, rule }));
}

export function printTable(catches: readonly Catch[]): string {
  const rows = catches.map(({ bug, by = 'NOT NOTICED', violation }) => {
    return `| \`${bug}\` | \`${by}\` | \`${violation?.rule ?? ''}\` |`;
  });
  return ['| Bug | Noticed by | Rule |', '| --- | --- | --- |', ...rows].join('\n');
}
