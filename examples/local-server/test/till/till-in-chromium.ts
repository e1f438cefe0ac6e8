import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import * as v from 'valibot';
import { expect } from 'vitest';
import { chromiumPath, howToInstall, startWatched, type WatchedServer } from './watched-server.ts';

// A real browser on the real server, whose faults are real too (D127). Each wait is for something seen.

export const wait = { timeout: 180_000 };
export const patience = { timeout: 600_000 };
export const isSkipped = chromiumPath === undefined;
/** The name of a suite, which says why it is skipped. */
export const named = (name: string) => (isSkipped ? `${name} (skipped: ${howToInstall})` : name);

interface Open {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to other machines, and errors other than refused connections. */
  readonly faults: string[];
}

export interface TillInChromium {
  readonly server: WatchedServer;
  open(options?: BrowserContextOptions): Promise<Open>;
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Another tab of the same browser. */
  openTab(context: BrowserContext, faults: string[]): Promise<Page>;
  /** Chooses an unpaid appointment, so that tests do not meet; returns its id. */
  choose(page: Page): Promise<string>;
  /** Expects that the verdict of the page, the database and the processor's books say the same. */
  expectChargedOnce(page: Page, appointmentId: string, amount: string): Promise<void>;
  close(): Promise<void>;
}

const booksSchema = v.object({
  appointments: v.array(v.object({ id: v.string(), due: v.string(), captured: v.string() })),
});

async function isUnpaid(url: string, appointmentId: string): Promise<boolean> {
  const books = await fetch(`${url}/till/books`);
  const { appointments } = v.parse(booksSchema, await books.json());
  const appointment = appointments.find(({ id }) => id === appointmentId);
  return appointment !== undefined && appointment.due !== appointment.captured;
}

/** Chooses an unpaid appointment, so that tests do not meet; returns its id. */
export async function chooseUnpaid(url: string, page: Page): Promise<string> {
  let id = '';
  // The page may still show the last appointment as unpaid.
  await expect
    .poll(async () => {
      // Its list stays as it is until the next customer.
      const row = page
        .locator('.appointments label')
        .filter({ hasNotText: /paid|refund/ })
        .first();
      if ((await row.count()) === 0) await page.click('[data-act=leave]', wait);
      await row.locator('input').check();
      id = await page.locator('.appointments input:checked').inputValue();
      return isUnpaid(url, id);
    }, wait)
    .toBe(true);
  return id;
}

export async function startTill(env?: Readonly<Record<string, string>>): Promise<TillInChromium> {
  const server = await startWatched(env);
  const browser: Browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox'],
  });

  async function openTab(context: BrowserContext, faults: string[]): Promise<Page> {
    const page = await context.newPage();
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
    return page;
  }

  return {
    server,
    openTab,
    newContext: (options) => browser.newContext(options),
    async open(options = {}) {
      const context = await browser.newContext(options);
      const faults: string[] = [];
      const page = await openTab(context, faults);
      return { page, context, faults };
    },
    choose: (page) => chooseUnpaid(server.url, page),
    async expectChargedOnce(page, appointmentId, amount) {
      await page.waitForSelector('.verdict[data-is=kept]', wait);
      expect(await page.locator('.verdict h2').textContent()).toContain(`Charged once: ${amount}`);
      const minor = Number(amount.replace('.', ''));
      expect(server.charged(appointmentId)).toEqual({ books: minor, processor: minor });
      expect(await page.locator('[data-sum=books]').textContent()).toBe(amount);
      expect(await page.locator('[data-sum=charged-there]').textContent()).toBe(amount);
    },
    async close() {
      await browser.close();
      await server.stop();
    },
  };
}

export const primary = '.acts [data-act=take]';

/** Holds a card to the phone as soon as it waits for one. */
export async function hold(page: Page, card = 'visa_credit'): Promise<void> {
  await page.locator(`[data-card=${card}]:enabled`).click(wait);
}

export async function ended(page: Page, step: string): Promise<void> {
  await page.waitForSelector(`.screen[data-step=${step}]`, wait);
}

/** Presses a fault, and waits until the server has it. */
export async function arm(page: Page, fault: string): Promise<void> {
  const done = page.waitForResponse(/\/till\/orders$/);
  await page.click(`[data-fault=${fault}]`);
  await done;
}

export const amountOf = async (page: Page) =>
  /\d+\.\d\d/.exec((await page.locator(primary).textContent()) ?? '')?.[0] ?? '';
