import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { chromiumPath, howToInstall, startWatched, type WatchedServer } from './watched-server.ts';

// A real browser on the real server, whose faults are real too (D127). Each wait is for something seen.

export const wait = { timeout: 180_000 };
const patience = { timeout: 600_000 };
export const isSkipped = chromiumPath === undefined;
/** The name of a suite, which says why it is skipped. */
export const named = (name: string) => (isSkipped ? `${name} (skipped: ${howToInstall})` : name);

export interface TillInChromium {
  readonly server: WatchedServer;
  /** Opens the till in a context of its own. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** Opens it at an unpaid appointment. */
  openUnpaid(): Promise<{ page: Page; id: string; amount: string }>;
  /** Closed with its test, which fails for a request to another machine and an error other than a refused connection. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Another tab of the same browser. */
  openTab(context: BrowserContext): Promise<Page>;
  /** Chooses an unpaid appointment, so that tests do not meet; returns its id. */
  choose(page: Page): Promise<string>;
  /** Expects that the verdict of the page, the database and the processor's books say the same. */
  expectChargedOnce(page: Page, appointmentId: string, amount: string): Promise<void>;
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

/** Tests over one till, whose server has this environment. Without a browser they are skipped. */
export function describeTill(
  name: string,
  env: Readonly<Record<string, string>>,
  tests: (till: TillInChromium) => void,
): void {
  describe.skipIf(isSkipped)(named(name), patience, () => {
    let server: WatchedServer;
    let browser: Browser;
    beforeAll(async () => {
      server = await startWatched(env);
      const executablePath = chromiumPath ?? '';
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    });
    afterAll(async () => {
      await browser.close();
      await server.stop();
    });

    async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
      const context = await browser.newContext(options);
      const faults: string[] = [];
      context.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (origin !== server.url && protocol !== 'data:') faults.push(request.url());
      });
      context.on('weberror', (error) => faults.push(error.error().message));
      context.on('console', (message) => {
        // A killed server, a lost answer and a conflict are what is played here.
        const isPlayed = /^Failed to load resource/.test(message.text());
        if (message.type() === 'error' && !isPlayed) faults.push(message.text());
      });
      onTestFinished(async () => {
        await context.close();
        expect(faults).toEqual([]);
      });
      return context;
    }

    async function openTab(context: BrowserContext): Promise<Page> {
      const page = await context.newPage();
      await page.goto(server.url);
      await page.waitForSelector('.appointments label', wait);
      return page;
    }

    async function open(options?: BrowserContextOptions): Promise<Page> {
      return openTab(await newContext(options));
    }

    tests({
      get server() {
        return server;
      },
      newContext,
      openTab,
      open,
      async openUnpaid() {
        const page = await open();
        const id = await chooseUnpaid(server.url, page);
        return { page, id, amount: await amountOf(page) };
      },
      choose: (page) => chooseUnpaid(server.url, page),
      async expectChargedOnce(page, appointmentId, amount) {
        // The page may still compare the books, or show what held before.
        await page
          .locator('.verdict[data-is=kept] h2', { hasText: `Charged once: ${amount}` })
          .waitFor(wait);
        const minor = Number(amount.replace('.', ''));
        expect(server.charged(appointmentId)).toEqual({ books: minor, processor: minor });
        expect(await page.locator('[data-sum=books]').textContent()).toBe(amount);
        expect(await page.locator('[data-sum=charged-there]').textContent()).toBe(amount);
      },
    });
  });
}

export const primary = '.acts [data-act=take]';

/** Holds a card to the phone as soon as it waits for one. */
export async function hold(page: Page, card = 'visa_credit'): Promise<void> {
  await page.locator(`[data-card=${card}]:enabled`).click(wait);
}

/** The same, until the screen shows what came of it. */
export async function tap(page: Page, card?: string, step = 'captured'): Promise<void> {
  await hold(page, card);
  await ended(page, step);
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
