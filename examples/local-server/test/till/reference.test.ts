import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { violations } from './axe.ts';
import { describeTill, wait } from './till-in-chromium.ts';

/** RapiDoc's id of an operation. */
const openPayment = 'post-/appointments/-appointmentId-/contactlessPayments';

const serious = async (page: Page) =>
  (await violations(page)).filter((found) => /^(serious|critical) /.test(found));

const overflow = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

describeTill('the API reference', {}, (till) => {
  async function open(options: BrowserContextOptions, hash = ''): Promise<Page> {
    const page = await (await till.newContext(options)).newPage();
    const missing: string[] = [];
    page.on('response', (response) => response.status() < 400 || missing.push(response.url()));
    onTestFinished(() => expect(missing).toEqual([]));
    await page.goto(`${till.server.url}/docs${hash}`);
    return page;
  }

  test.each([
    ['light', 390],
    ['dark', 390],
    ['light', 1280],
    ['dark', 1280],
  ] as const)('is accessible and fits, %s, %i px', async (colorScheme, width) => {
    const page = await open({ colorScheme, viewport: { width, height: 900 } });
    const operation = page.locator(width < 768 ? '.endpoint-head' : '.nav-bar-path').first();
    await operation.waitFor(wait);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    if (width < 768) expect((await page.locator('#api-info').boundingBox())?.x).toBeGreaterThan(0);
    expect(await serious(page)).toEqual([]);
    await operation.click(wait);
    await page.getByRole('button', { name: 'TRY' }).first().waitFor(wait);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await serious(page)).toEqual([]);
  });

  test('follows the colours of the browser', async () => {
    const page = await open({ colorScheme: 'light' });
    const theme = () => page.locator('rapi-doc').getAttribute('theme');
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(await theme()).toBe('light');
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(theme, wait).toBe('dark');
    expect(await ground()).not.toBe(light);
  });

  test('finds an operation on a phone', async () => {
    const page = await open({ viewport: { width: 390, height: 900 } });
    const operations = page.locator('.endpoint-head:visible');
    await operations.first().waitFor(wait);
    const all = await operations.count();
    expect(all).toBeGreaterThan(13);
    await page.getByRole('searchbox').fill('/captured');
    await expect.poll(() => operations.count(), wait).toBe(1);
    expect(await operations.textContent()).toContain('/captured');
    await page.getByRole('searchbox').fill('');
    await expect.poll(() => operations.count(), wait).toBe(all);
  });

  test('finds an operation in the sidebar', async () => {
    const page = await open({ viewport: { width: 1280, height: 900 } });
    const operations = page.locator('.nav-bar-path:visible');
    await operations.first().waitFor(wait);
    expect(await operations.count()).toBeGreaterThan(13);
    await page.getByPlaceholder('Filter').fill('/captured');
    await page.getByPlaceholder('Filter').press('Enter');
    await expect.poll(() => operations.count(), wait).toBe(1);
    await operations.click();
    await page.getByRole('heading', { name: 'Captures a card payment' }).waitFor(wait);
    expect(page.url()).toMatch(/#post-.*\/captured$/);
  });

  test('opens an operation by its address, and tries it twice with fresh keys', async () => {
    const page = await open({ viewport: { width: 1280, height: 1400 } }, `#${openPayment}`);
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
  });
});
