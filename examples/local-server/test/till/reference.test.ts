import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSkipped, named, patience, wait } from './till-in-chromium.ts';
import { chromiumPath, startWatched, type WatchedServer } from './watched-server.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** RapiDoc's id of an operation. */
const openPayment = 'post-/appointments/-appointmentId-/contactlessPayments';

let server: WatchedServer;
let browser: Browser;

async function open(options: BrowserContextOptions, hash = '') {
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
  await page.goto(`${server.url}/docs${hash}`);
  return { page, context, faults };
}

async function serious(page: Page): Promise<unknown> {
  await page.evaluate(axe);
  return page.evaluate(
    `axe.run().then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html, any }) => html.slice(0, 150) + (any[0]?.message ?? '')).join()))`,
  );
}

const overflow = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

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

  test.each([
    ['light', 390],
    ['dark', 390],
    ['light', 1280],
    ['dark', 1280],
  ] as const)('is accessible and fits, %s, %i px', async (colorScheme, width) => {
    const { page, context, faults } = await open({ colorScheme, viewport: { width, height: 900 } });
    const operation = page.locator(width < 768 ? '.endpoint-head' : '.nav-bar-path').first();
    await operation.waitFor(wait);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    if (width < 768) expect((await page.locator('#api-info').boundingBox())?.x).toBeGreaterThan(0);
    expect(await serious(page)).toEqual([]);
    await operation.click(wait);
    await page.getByRole('button', { name: 'TRY' }).first().waitFor(wait);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await serious(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('follows the colours of the browser', async () => {
    const { page, context } = await open({ colorScheme: 'light' });
    const theme = () => page.locator('rapi-doc').getAttribute('theme');
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(await theme()).toBe('light');
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(theme, wait).toBe('dark');
    expect(await ground()).not.toBe(light);
    await context.close();
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

  test('finds an operation in the sidebar', async () => {
    const { page, context, faults } = await open({ viewport: { width: 1280, height: 900 } });
    const operations = page.locator('.nav-bar-path:visible');
    await operations.first().waitFor(wait);
    expect(await operations.count()).toBeGreaterThan(13);
    await page.getByPlaceholder('Filter').fill('/captured');
    await page.getByPlaceholder('Filter').press('Enter');
    await expect.poll(() => operations.count(), wait).toBe(1);
    await operations.click();
    await page.getByRole('heading', { name: 'Captures a card payment' }).waitFor(wait);
    expect(page.url()).toMatch(/#post-.*\/captured$/);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('opens an operation by its address, and tries it twice with fresh keys', async () => {
    const { page, context, faults } = await open(
      { viewport: { width: 1280, height: 1400 } },
      `#${openPayment}`,
    );
    const operation = page.locator(`[id="${openPayment}"]`);
    await operation.getByRole('button', { name: 'TRY' }).waitFor(wait);
    const sample = operation.locator('pre').first();
    expect(await sample.textContent()).toContain('curl -sS');
    await operation.getByRole('button', { name: '@chairside/client' }).click();
    await operation.getByText('client.createContactlessPayment').first().waitFor(wait);
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') keys.push(request.headers()['idempotency-key']);
    });
    for (const tries of [1, 2]) {
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await operation.getByRole('button', { name: 'TRY' }).click();
      expect((await answered).status()).toBe(201);
      expect(keys).toHaveLength(tries);
    }
    expect(new Set(keys).size).toBe(2);
    expect(keys.every((key) => key !== undefined && key.length > 20)).toBe(true);
    expect(faults).toEqual([]);
    await context.close();
  });
});
