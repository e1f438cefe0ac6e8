import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  chromiumPath,
  howToInstall,
  startWatched,
  type WatchedServer,
} from '../till/watched-server.ts';
import { bundleApp } from './bundle.ts';

const wait = { timeout: 180_000 };
const isSkipped = chromiumPath === undefined;
const folder = process.env['UPDATE_DOCS'] === '1' ? 'docs/images' : 'coverage/app';
const pictures = join(import.meta.dirname, '../../../..', folder);

let server: WatchedServer;
let browser: Browser;
let app: string;

/** Starts the app, also after a kill: only `localStorage` is left then. */
async function start(page: Page, query = '', at = server): Promise<void> {
  // An unknown path has the origin of the service, and no policy.
  await page.goto(`${at.url}/app${query}`);
  await page.setContent('<title>Barber</title><div id="root"></div>');
  await page.addScriptTag({ content: app });
  await page.getByText('Today').waitFor(wait);
}

async function open(query = ''): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 390, height: 700 } });
  const page = await context.newPage();
  await start(page, query);
  return page;
}

interface Sized {
  getBoundingClientRect(): { readonly width: number; readonly height: number };
}

const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).click(wait);
const says = (page: Page, words: string) => page.getByText(words).first().waitFor(wait);

async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(pictures, `app-${name}.png`), await page.screenshot());
}

const charged = (number: string) => server.charged(`appointment_open_${number}`);
const full = (number: string) => server.charged(`appointment_open_${number}`).ledger;

describe.skipIf(isSkipped)(isSkipped ? `the app (${howToInstall})` : 'the app', () => {
  beforeAll(async () => {
    app = await bundleApp();
    server = await startWatched();
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
  }, 300_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  test('takes a payment, shows the receipt, and lets the owner refund it once', wait, async () => {
    const page = await open();
    await says(page, 'The card reader is ready.');
    await press(page, 'appointment_open_001');
    await says(page, 'Hold the card or phone here.');
    await press(page, 'A card');
    await says(page, 'Paid.');
    await says(page, 'card *4242');
    await picture(page, 'receipt');
    const { books, ledger } = charged('001');
    expect(books).toBe(ledger);
    expect(books).toBeGreaterThan(0);
    await press(page, 'Refund');
    await says(page, 'Refunded: EUR');
    expect(server.refunded('appointment_open_001')).toEqual({ books, ledger });
    await page.context().close();
  });

  test(
    'asks for a tip before the card, and lets the owner refund it alone (D48)',
    wait,
    async () => {
      const tipped = await startWatched({ CHAIRSIDE_TIPS: 'on' });
      const context = await browser.newContext({ viewport: { width: 390, height: 700 } });
      const page = await context.newPage();
      await start(page, '?tips', tipped);
      await press(page, 'appointment_open_001');
      await says(page, 'Would you like to add a tip?');
      await picture(page, 'tip');
      const heights = await page.getByRole('button', { name: /in all/ }).evaluateAll((buttons) =>
        buttons.map((button: Sized) => {
          const { width, height } = button.getBoundingClientRect();
          return [width, height].join();
        }),
      );
      expect(heights).toHaveLength(4);
      expect(new Set(heights).size).toBe(1);
      await press(page, 'Tip 4.50 EUR, in all 49.50 EUR');
      await says(page, 'Hold the card or phone here.');
      await press(page, 'A card');
      await says(page, 'Paid.');
      await says(page, 'Tip in it: EUR 4.50');
      await picture(page, 'tip-receipt');
      expect(tipped.charged('appointment_open_001')).toEqual({ books: 4950, ledger: 4950 });
      await press(page, 'Refund the tip');
      await says(page, 'Refunded: EUR 4.50');
      expect(tipped.refunded('appointment_open_001')).toEqual({ books: 450, ledger: 450 });

      await press(page, 'Back');
      await press(page, 'appointment_open_002');
      await press(page, 'No tip, in all 45.00 EUR');
      await press(page, 'A card');
      await says(page, 'Paid.');
      expect(tipped.charged('appointment_open_002')).toEqual({ books: 4500, ledger: 4500 });
      await context.close();
      await tipped.stop();
    },
  );

  test('goes on after the app was killed in mid-capture, and charges once', wait, async () => {
    const first = await open();
    await press(first, 'appointment_open_002');
    await says(first, 'Hold the card or phone here.');
    // The server captures, and the app dies before it hears of it.
    const captured = new Promise<void>((resolve) => {
      void first.route('**/captured', async (route) => {
        await route.fetch();
        resolve();
      });
    });
    await press(first, 'A card');
    await captured;
    const page = await first.context().newPage();
    await first.close();
    await page.setViewportSize({ width: 390, height: 700 });
    await start(page);
    await says(page, 'Unfinished');
    await picture(page, 'unfinished');
    await page.getByRole('button', { name: /check first/ }).click(wait);
    await says(page, 'Paid.');
    await says(page, 'Receipt');
    const { books, ledger } = charged('002');
    expect(books).toBe(ledger);
    expect(books).toBeGreaterThan(0);
    await page.context().close();
  });

  test('offers another card after a decline', wait, async () => {
    const page = await open();
    await press(page, 'appointment_open_003');
    await says(page, 'Hold the card or phone here.');
    await press(page, 'A card that is declined');
    await says(page, 'The card was declined.');
    expect(full('003')).toBe(0);
    await press(page, 'Take the payment');
    await says(page, 'Hold the card or phone here.');
    await press(page, 'A card');
    await says(page, 'Paid.');
    expect(charged('003').books).toBe(full('003'));
    await page.context().close();
  });

  test('shows a banner while the service does not respond', wait, async () => {
    const page = await open();
    await page.context().setOffline(true);
    await press(page, 'appointment_open_001');
    await says(page, 'No connection to the shop.');
    await picture(page, 'offline');
    await page.context().setOffline(false);
    await page.getByText('No connection to the shop.').waitFor({ state: 'hidden', ...wait });
    await says(page, 'Already paid.');
    await page.context().close();
  });

  test.each([
    ['2900', 'Its maker needs the entitlement.'],
    ['3930', "Accept Apple's terms"],
    ['2910', 'This phone cannot read cards'],
    ['LOCATION_SERVICES_DISABLED', 'Switch on the location services'],
  ])('says before the first customer what error %s means', wait, async (error, words) => {
    const page = await open(`?refused=${error}`);
    await says(page, words);
    if (error === '3930') await picture(page, 'not-ready');
    await page.context().close();
  });

  test('keeps the payments in reach of a screen that fails', wait, async () => {
    const page = await open();
    await page.evaluate('Date.prototype.toLocaleString = () => { throw new Error("planted"); }');
    await press(page, 'appointment_open_002');
    await says(page, 'This screen failed.');
    await press(page, 'Back to today');
    await page.context().close();
  });
});
