import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import type { WatchedServer } from './watched-server.ts';

/** The page's words at the end of a payment, and the sums in database and ledger. */
interface Outcome {
  readonly button: string;
  readonly cells: readonly string[];
}

const repository = join(import.meta.dirname, '../../../..');
const path = 'reference/till-outcomes.md';
/** The committed table is written again with `UPDATE_DOCS=1`. */
const isUpdate = process.env['UPDATE_DOCS'] === '1';

const intro = `# What each button of the till did

For a reader who wants to see outcomes without pressing buttons. The [tests of the till](../guide/till.md) press every
button in Chromium and write this table. Phone and verdict are the page's words at the end of each payment. Database and
ledger are the captured sums in the files of both, with the refunded sums behind them.

\`\`\`sh
UPDATE_DOCS=1 npx --yes pnpm exec vitest run --project proofs examples/local-server/test/till/till.test.ts
\`\`\`
`;
const heads = ['Button', 'Phone', 'Verdict', 'Database', 'Ledger'];

const money = (minor: number) => (minor / 100).toFixed(2);
const held = (charged: number, refunded: number) =>
  refunded === 0 ? money(charged) : `${money(charged)}, refunded ${money(refunded)}`;

const text = async (page: Page, selector: string) =>
  (await page.locator(selector).first().textContent())?.replace(/\s+/g, ' ').trim() ?? '';

export interface Outcomes {
  /** @param button the values of `data-fault` or `data-card`, or other words for a choice */
  note(page: Page, appointmentId: string, ...button: readonly string[]): Promise<void>;
  write(): void;
}

export function createOutcomes(server: () => WatchedServer): Outcomes {
  const outcomes: Outcome[] = [];
  return {
    async note(page, appointmentId, ...buttons) {
      const charged = server().charged(appointmentId);
      const refunded = server().refunded(appointmentId);
      const labels = await Promise.all(buttons.map((button) => labelOf(page, button)));
      outcomes.push({
        button: labels.join(', then '),
        cells: [
          `\`${await text(page, '.screen .said')}\``,
          `\`${await text(page, '.verdict h2')}\``,
          held(charged.books, refunded.books),
          held(charged.ledger, refunded.ledger),
        ],
      });
    },
    write() {
      const rows = [heads, ...outcomes.map(({ button, cells }) => [button, ...cells])];
      const widths = heads.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
      const lineOf = (row: readonly string[]) =>
        `| ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join(' | ')} |`;
      const [head = '', ...body] = rows.map(lineOf);
      const table = [head, lineOf(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
      const file = join(repository, isUpdate ? 'docs' : 'coverage', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${intro}\n${table}\n`);
    },
  };
}

/** A button with its group, because two of them have the same words. */
export async function labelOf(page: Page, button: string): Promise<string> {
  const fault = page.locator(`[data-fault=${button}]`);
  if (!/^[\w-]+$/.test(button) || (await fault.count()) === 0) {
    const card = `[data-card=${button}]`;
    if (!/^\w+$/.test(button) || (await page.locator(card).count()) === 0) return button;
    return `${await text(page, `${card} strong`)}: ${await text(page, `${card} span`)}`;
  }
  const group = page.locator('.group', { has: fault }).locator('h3');
  const prefix = (await group.count()) > 0 ? `${await group.textContent()}: ` : '';
  return prefix + (await text(page, `[data-fault=${button}]`));
}

/** The labels in the committed table. */
export function committedLabels(): readonly string[] {
  const lines = readFileSync(join(repository, 'docs', path), 'utf8').split('\n');
  return lines.flatMap((line) => /^\| (.+?) +\|/.exec(line)?.[1]?.split(', then ') ?? []);
}
