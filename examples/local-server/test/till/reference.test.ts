import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSkipped, named, patience, wait } from './till-in-chromium.ts';
import { chromiumPath, startWatched, type WatchedServer } from './watched-server.ts';

let server: WatchedServer;
let browser: Browser;

async function open(options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== server.url && protocol !== 'data:') faults.push(request.url());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(`${server.url}/docs`);
  return { page, context, faults };
}

describe.skipIf(isSkipped)(named('the API reference'), patience, () => {
  beforeAll(async () => {
    server = await startWatched();
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox'],
    });
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  test('finds an operation on a phone', async () => {
    const { page, context, faults } = await open({ viewport: { width: 390, height: 900 } });
    const operations = page.locator('.endpoint-head:visible');
    await operations.first().waitFor(wait);
    const all = await operations.count();
    expect(all).toBeGreaterThan(13);
    await page.getByRole('searchbox').fill('/captured');
    await expect.poll(() => operations.count(), wait).toBe(1);
    expect(await operations.textContent()).toContain('/captured');
    await page.getByRole('searchbox').fill('');
    await expect.poll(() => operations.count(), wait).toBe(all);
    expect(faults).toEqual([]);
    await context.close();
  });
});
