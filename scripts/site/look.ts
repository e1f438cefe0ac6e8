import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const origin = 'http://site.test';
const widths = [390, 1280];
const schemes = ['light', 'dark'] as const;
const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };

/** Opens pages in Chromium without any network. Returns the faults, and takes pictures of some pages. */
export async function look(out: string, pages: readonly string[], pictures: string) {
  mkdirSync(pictures, { recursive: true });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const faults: string[] = [];
  let looks = 0;
  try {
    for (const [index, path] of pages.entries()) {
      for (const colorScheme of schemes) {
        for (const width of widths) {
          // The first pages everywhere, the others once.
          const isOnce = index >= 4 && (colorScheme !== 'light' || width !== 1280);
          if (isOnce) continue;
          const page = await open(browser, out, { colorScheme, width }, faults);
          await page.goto(`${origin}/${path}`, { waitUntil: 'load' });
          for (const fault of await faultsOf(page))
            faults.push(`${path} ${colorScheme} ${width}: ${fault}`);
          if (index < 4) {
            const name = `${path.replaceAll(/\W+/g, '-')}-${colorScheme}-${width}.png`;
            await page.screenshot({ path: join(pictures, name) });
          }
          await page.context().close();
          looks += 1;
        }
      }
    }
    faults.push(...(await search(browser, out, pictures)));
  } finally {
    await browser.close();
  }
  return { looks, faults };
}

interface Device {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}

async function open(browser: Browser, out: string, device: Device, faults: string[]) {
  const { colorScheme, width } = device;
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(error.message));
  await page.route('**/*', async (route) => {
    const url = new URL(route.request().url());
    if (url.origin !== origin) {
      faults.push(`asks for ${url.href}`);
      await route.abort();
      return;
    }
    const path = join(out, url.pathname === '/' ? 'index.html' : url.pathname);
    const contentType = types[extname(path)];
    await route.fulfill({ path, ...(contentType && { contentType }) });
  });
  return page;
}

async function faultsOf(page: Page): Promise<readonly string[]> {
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  await page.evaluate(axe);
  const violations = await page.evaluate<string[]>(`axe.run().then(({ violations }) =>
    violations.map(({ id, impact, nodes }) => impact + ' ' + id + ': ' + nodes.length + ' ' + nodes.map(({ html }) => html.slice(0, 80)).slice(0, 3).join(' ')))`);
  return [...(overflow > 0 ? [`is ${overflow} px too wide`] : []), ...violations];
}

/** The words of a question lead to the page that responds. */
async function search(browser: Browser, out: string, pictures: string): Promise<readonly string[]> {
  const faults: string[] = [];
  const page = await open(browser, out, { colorScheme: 'dark', width: 1280 }, faults);
  await page.goto(`${origin}/`);
  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.locator('#localsearch-input').fill('dead letter');
  const first = page.locator('.results .result').first();
  await first.waitFor({ timeout: 20_000 });
  await page.screenshot({ path: join(pictures, 'search-dark-1280.png') });
  const found = await page.locator('.results .result').allInnerTexts();
  if (!found.some((text) => /Webhooks|timer/i.test(text))) faults.push(`search found ${found}`);
  return faults;
}
