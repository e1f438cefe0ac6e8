import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds in a page, each with its impact, without these rules. */
export async function violations(
  page: Page,
  without: readonly string[] = [],
): Promise<readonly string[]> {
  const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
  await page.evaluate(axe);
  return page.evaluate<string[]>(
    `axe.run(document, { rules: ${JSON.stringify(rules)} }).then(({ violations }) =>
      violations.map(({ impact, id, nodes }) => impact + ' ' + id + ': ' + nodes.map(({ html }) => html).join()))`,
  );
}
