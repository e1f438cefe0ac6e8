import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, howToInstall, startWatched, type WatchedServer } from './watched-server.ts';

// A real browser on the real server, whose faults are real too (D127). Nothing here depends on speed: each wait is for something seen.

const wait = { timeout: 180_000 };
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const screenshots = join(import.meta.dirname, '../../../../coverage/till');

let server: WatchedServer;
let browser: Browser;

interface Open {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to other machines, and errors other than refused connections. */
  readonly faults: string[];
}

async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<Open> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== server.url && protocol !== 'data:') faults.push(request.url());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // A killed server, a lost answer and a conflict are what is played here.
    const isPlayed = /^Failed to load resource/.test(message.text());
    if (message.type() === 'error' && !isPlayed) faults.push(message.text());
  });
  await page.goto(server.url);
  await page.waitForSelector('.appointments label', wait);
  return { page, context, faults };
}

const booksSchema = v.object({
  appointments: v.array(v.object({ id: v.string(), due: v.string(), captured: v.string() })),
});

const primary = '.screen button.primary';

/** Chooses an unpaid appointment, so that tests do not meet. */
async function choose(page: Page): Promise<string> {
  const row = page.locator('.appointments label').filter({ hasNotText: 'paid' }).first();
  await row.locator('input').check();
  const books = await fetch(`${server.url}/till/books`);
  const { appointments } = v.parse(booksSchema, await books.json());
  return appointments.find(({ due, captured }) => due !== captured)?.id ?? '';
}

async function hold(page: Page, card = 'visa_credit'): Promise<void> {
  await page.locator(`[data-card=${card}]:enabled`).click(wait);
}

async function ended(page: Page, step: string): Promise<void> {
  await page.waitForSelector(`.screen[data-step=${step}]`, wait);
}

/** The verdict of the page, the database and the ledger say the same. */
async function expectChargedOnce(page: Page, appointmentId: string, amount: string) {
  await page.waitForSelector('.verdict[data-is=kept]', wait);
  expect(await page.locator('.verdict h2').textContent()).toContain(`Charged once: ${amount}`);
  const minor = Number(amount.replace('.', ''));
  expect(server.charged(appointmentId)).toEqual({ books: minor, ledger: minor });
  expect(await page.locator('[data-sum=books]').textContent()).toBe(amount);
  expect(await page.locator('[data-sum=ledger]').textContent()).toBe(amount);
}

const amountOf = async (page: Page) =>
  /\d+\.\d\d/.exec((await page.locator(primary).textContent()) ?? '')?.[0] ?? '';

const patience = { timeout: 600_000 };
const name = chromiumPath === undefined ? `the till (skipped: ${howToInstall})` : 'the till';

describe.skipIf(chromiumPath === undefined)(name, patience, () => {
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

  test('takes a payment with two clicks, and shows each request', async () => {
    const { page, context, faults } = await open();
    const id = await choose(page);
    const amount = await amountOf(page);
    await page.click(primary);
    await hold(page);
    await ended(page, 'captured');
    await expectChargedOnce(page, id, amount);
    const [run] = await page.locator('.run').all();
    expect(await run?.locator('.step').count()).toBe(3);
    await run?.locator('.step summary').last().click();
    expect(await run?.locator('details[open] pre').allTextContents()).toEqual([
      expect.stringContaining('Idempotency-Key: '),
      expect.stringContaining('"clientSecret": "…"'),
    ]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test.each([
    ['declined', 'declined', ''],
    ['declined_then_approved', 'declined', 'visa_credit'],
    ['partially_authorized', 'declined', 'visa_credit'],
    ['slow_to_approve', 'captured', ''],
    ['expires_soon', 'captured', ''],
    ['apple_pay', 'captured', ''],
    ['canceled', 'canceled', ''],
  ])('shows what the card %s does', async (card, step, next) => {
    const { page, context, faults } = await open();
    const id = await choose(page);
    const amount = await amountOf(page);
    await page.click(primary);
    await hold(page, card);
    await ended(page, step);
    if (next !== '') {
      await page.click(primary);
      await hold(page, next);
      await ended(page, 'captured');
    }
    if (next !== '' || step === 'captured') await expectChargedOnce(page, id, amount);
    else {
      expect(await page.locator('.verdict h2').textContent()).toContain('Nothing was charged');
      expect(server.charged(id)).toEqual({ books: 0, ledger: 0 });
    }
    expect(faults).toEqual([]);
    await context.close();
  });

  test.each([
    [['loseAnswer'], '.arrow.lost'],
    [['processor-slow'], '.step'],
    [['processor-losesReply'], '.step'],
    [['processor-down'], '.arrow.bad'],
    [['kill-beforeProcessor'], '.down'],
    [['kill-afterProcessor'], '.down'],
    [['kill-beforeAnswer'], '.down'],
    [['loseAnswer', 'kill-afterProcessor'], '.down'],
  ])('charges once with %j', async (chosen, seen) => {
    const { page, context, faults } = await open();
    const id = await choose(page);
    const amount = await amountOf(page);
    for (const fault of chosen) {
      const done = page.waitForResponse(/\/till\/orders$/);
      await page.click(`[data-fault=${fault}]`);
      await done;
    }
    await page.click(primary);
    await hold(page);
    await ended(page, 'captured');
    await expectChargedOnce(page, id, amount);
    expect(await page.locator(`.run >> nth=0 >> ${seen}`).count()).toBeGreaterThan(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('says what a refusing processor means, and charges once afterwards', async () => {
    const { page, context } = await open();
    const id = await choose(page);
    const done = page.waitForResponse(/\/till\/orders$/);
    await page.click('[data-fault=processor-refuses]');
    await done;
    await page.click(primary);
    await hold(page);
    await page.waitForSelector(
      '.screen:is([data-step=captured],[data-step=stuck],[data-step=canceled],[data-step=declined])',
      wait,
    );
    const { books, ledger } = server.charged(id);
    expect(books).toBe(ledger);
    await context.close();
  });

  test.each([
    [[], '.step'],
    [['loseAnswer'], '.arrow.lost'],
    [['kill-beforeProcessor'], '.down'],
    [['kill-afterProcessor'], '.down'],
    [['kill-beforeAnswer'], '.down'],
  ])('refunds once with %j', async (chosen, seen) => {
    const { page, context, faults } = await open();
    const id = await choose(page);
    const amount = await amountOf(page);
    await page.click(primary);
    await hold(page);
    await ended(page, 'captured');
    await expectChargedOnce(page, id, amount);
    for (const fault of chosen) {
      const done = page.waitForResponse(/\/till\/orders$/);
      await page.click(`[data-fault=${fault}]`);
      await done;
    }
    await page.getByRole('button', { name: `Refund ${amount}` }).click();
    await expect
      .poll(() => page.locator('.verdict h2').textContent(), wait)
      .toBe(`Refunded once: ${amount}`);
    await expect.poll(() => page.locator('.screen .said').textContent(), wait).toBe('Refunded.');
    const minor = Number(amount.replace('.', ''));
    expect(server.refunded(id)).toEqual({ books: minor, ledger: minor });
    expect(server.charged(id)).toEqual({ books: minor, ledger: minor });
    expect(await page.locator('[data-sum=refunded]').textContent()).toBe(amount);
    expect(await page.locator('[data-sum=refunded-ledger]').textContent()).toBe(amount);
    expect(await page.locator('[data-act=refund]').count()).toBe(0);
    expect(await page.locator(`.run >> nth=0 >> ${seen}`).count()).toBeGreaterThan(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('goes on after the app was killed right after the card', async () => {
    const { page, context, faults } = await open();
    const id = await choose(page);
    const amount = await amountOf(page);
    await page.click('[data-fault=app-after-tap]');
    await page.click(primary);
    const reloaded = page.waitForEvent('load', wait);
    await hold(page);
    await reloaded;
    await ended(page, 'captured');
    await expectChargedOnce(page, id, amount);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('goes on after the app and the server were killed while it waits for a card', async () => {
    const { page, context } = await open();
    const id = await choose(page);
    const amount = await amountOf(page);
    await page.click(primary);
    await page.waitForSelector('.card:enabled', wait);
    const reloaded = page.waitForEvent('load', wait);
    await page.click('[data-fault=app-now]');
    await reloaded;
    await page.waitForSelector('.appointments label', wait);
    await page.click('[data-fault=kill-now]');
    await page.waitForSelector('.server[data-up=false]', wait);
    await page.waitForSelector('.server[data-up=true]', wait);
    await page.click(primary);
    await hold(page);
    await ended(page, 'captured');
    await expectChargedOnce(page, id, amount);
    await context.close();
  });

  test('lets a second phone race, and charges once', async () => {
    const { page, context } = await open();
    const id = await choose(page);
    const amount = await amountOf(page);
    await page.click('[data-fault=race]');
    await hold(page);
    await ended(page, 'captured');
    await expectChargedOnce(page, id, amount);
    const second = page.locator('.second button');
    if (await second.isEnabled()) await second.click();
    const said = page.locator('.second .said');
    await expect
      .poll(() => said.textContent(), wait)
      .not.toMatch(/Hold|Starting|Finding|Finishing/);
    await expectChargedOnce(page, id, amount);
    await context.close();
  });

  test('never charges more than is left after half was paid in cash', async () => {
    const { page, context } = await open();
    const id = await choose(page);
    const amount = Number((await amountOf(page)).replace('.', ''));
    const done = page.waitForResponse(/\/till\/orders$/);
    await page.click('[data-fault=cash]');
    await done;
    const half = ((amount - Math.floor(amount / 2)) / 100).toFixed(2);
    await page.getByRole('button', { name: `Take ${half}` }).click(wait);
    await hold(page);
    await ended(page, 'captured');
    await expectChargedOnce(page, id, half);
    await context.close();
  });

  test.each(['late', 'twice', 'out of order', 'not at all'])(
    'needs no message of the processor: %s',
    async (plan) => {
      const { page, context } = await open();
      const id = await choose(page);
      const amount = await amountOf(page);
      await page.getByLabel(plan).check();
      await page.click(primary);
      await hold(page);
      await ended(page, 'captured');
      await expectChargedOnce(page, id, amount);
      await page.getByLabel('in order', { exact: true }).check();
      await context.close();
    },
  );

  test('shows in a second tab what happens in the first', async () => {
    const { page, context } = await open();
    const other = await context.newPage();
    await other.goto(server.url);
    await other.waitForSelector('.appointments label', wait);
    const before = await other.locator('.run').count();
    await choose(page);
    await page.click(primary);
    await hold(page);
    await ended(page, 'captured');
    await expect
      .poll(() => other.locator('.run').count(), wait)
      .toBeGreaterThan(Math.min(before, 39));
    await context.close();
  });

  test('plays a random plan with one click, and charges once', async () => {
    const { page, context } = await open();
    await page.click('[data-fault=shuffle]');
    await page.waitForSelector('.screen:is([data-step=captured],[data-step=canceled])', wait);
    await page.waitForSelector('.verdict[data-is=kept]', wait);
    await context.close();
  });

  test.each(['light', 'dark'] as const)(
    'is accessible and fits every width, %s',
    async (scheme) => {
      mkdirSync(screenshots, { recursive: true });
      const { page, context } = await open({ colorScheme: scheme, reducedMotion: 'reduce' });
      await choose(page);
      await page.click(primary);
      await hold(page);
      await ended(page, 'captured');
      await page.locator('.run summary').last().click();
      for (const width of [360, 820, 1440, 3840]) {
        await page.setViewportSize({ width, height: 1000 });
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - innerWidth',
        );
        expect(overflow, `${width} px`).toBeLessThanOrEqual(0);
        if (width < 3840) {
          await page.screenshot({
            path: join(screenshots, `${scheme}-${width}.png`),
          });
        }
      }
      await page.setViewportSize({ width: 1440, height: 1000 });
      for (const path of ['', '/problems/conflict', '/guarantees']) {
        if (path !== '') await page.goto(server.url + path);
        await page.evaluate(axe);
        const found: unknown = await page.evaluate(
          "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join()))",
        );
        expect(found, path).toEqual([]);
      }
      await context.close();
    },
  );
});

describe('the files of the till', () => {
  test('are small, kept by their hash, and allow no other origin', async () => {
    const own = await startWatched();
    try {
      const html = { accept: 'text/html' };
      const page = await fetch(own.url, { headers: html });
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      const text = await page.text();
      expect(text).not.toMatch(/https?:|<script>|style=/);
      const named = [...text.matchAll(/(?:src|href)="(till\/[^"]+)"/g)].map(([, path]) => path);
      expect(named).toHaveLength(2);
      let bytes = text.length;
      for (const path of named) {
        const file = await fetch(`${own.url}/${path}`);
        expect(file.headers.get('content-encoding')).toBe('gzip');
        expect(file.headers.get('cache-control')).toContain('immutable');
        bytes += Number(file.headers.get('content-length') ?? 0);
        await file.arrayBuffer();
      }
      expect(bytes).toBeLessThan(60 * 1024);
      // A program still reads JSON, and a page of another origin reads nothing.
      expect((await fetch(own.url)).headers.get('content-type')).toContain('application/json');
      const foreign = { origin: 'https://elsewhere.example' };
      expect((await fetch(`${own.url}/till/books`, { headers: foreign })).status).toBe(404);
    } finally {
      await own.stop();
    }
  });
});
