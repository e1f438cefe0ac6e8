import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { violations } from '../till/axe.ts';
import { drawEveryState, factsOfTest, listenToSignals } from '../till/every-state.ts';
import { othersAt } from '../till/untrue.ts';
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
const looked = join(import.meta.dirname, '../../../../coverage/app');
const pictures = join(import.meta.dirname, '../../../..', folder);

/** The rules that the bare page around the app breaks. */
const rulesOfPages = ['region', 'landmark-one-main', 'html-has-lang', 'page-has-heading-one'];

let server: WatchedServer;
let browser: Browser;
let app: string;

/** Starts the app, also after a kill: only `localStorage` is left then. */
async function start(page: Page, query = '', at = server, script = app): Promise<void> {
  // An unknown path has the origin of the service, and no policy.
  await page.goto(`${at.url}/app${query}`);
  await page.setContent('<title>Barber</title><div id="root"></div>');
  await page.addScriptTag({ content: script });
  await page.getByText('Today').waitFor(wait);
}

async function open(query = '', options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 390, height: 760 }, ...options });
  const page = await context.newPage();
  await start(page, query);
  return page;
}

interface Sized {
  getBoundingClientRect(): { readonly width: number; readonly height: number };
}

const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).click(wait);
const act = (page: Page, name: string) => page.click(`[data-testid=act-${name}]`, wait);
const choose = (page: Page, number: string) =>
  page.click(`[data-testid=appointment_open_${number}]`, wait);
const shows = (page: Page, state: string) =>
  page.waitForSelector(`[data-testid=state-${state}]`, wait);
/** Opens a visit and takes all of it. */
async function take(page: Page, number: string): Promise<void> {
  await choose(page, number);
  await act(page, 'take');
}
const says = (page: Page, words: string) => page.getByText(words).first().waitFor(wait);

type Box = readonly [x: number, y: number, right: number, bottom: number];

/** Notes where the controls of a visit are. None that moves money is where another one ever was. */
async function noteBoxes(page: Page, boxes: Map<string, Box>): Promise<void> {
  const named = page.locator(
    '[data-testid^=act-], [data-testid^=cash-act-], [data-testid=cash-back], [data-testid=sharing-leave], [data-testid=sharing-confirm]',
  );
  for (const one of await named.all()) {
    const { x, y, width, height } = (await one.boundingBox()) ?? {
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    };
    boxes.set(`${await one.getAttribute('data-testid')}`, [x, y, x + width, y + height]);
  }
  for (const [name, [x, y, right, bottom]] of boxes) {
    for (const [other, box] of boxes) {
      const isApart = box[0] >= right || box[2] <= x || box[1] >= bottom || box[3] <= y;
      expect(other === name || isApart, `${name} and ${other}`).toBe(true);
    }
  }
}

/** Those of a width are only looked at. */
async function picture(page: Page, name: string): Promise<void> {
  const place = /\d/.test(name) ? looked : pictures;
  mkdirSync(place, { recursive: true });
  await page.evaluate('getSelection().removeAllRanges()');
  writeFileSync(join(place, `app-${name}.png`), await page.screenshot());
}

const charged = (number: string) => server.charged(`appointment_open_${number}`);
const full = (number: string) => server.charged(`appointment_open_${number}`).processor;

describe.skipIf(isSkipped)(isSkipped ? `the app (${howToInstall})` : 'the app', () => {
  beforeAll(async () => {
    app = await bundleApp(inject('react'));
    server = await startWatched();
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
  }, 300_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  test('takes a payment, and lets the owner refund it once, after a question', wait, async () => {
    const page = await open();
    await says(page, 'The card reader is ready.');
    await take(page, '001');
    await shows(page, 'presenting');
    await press(page, 'A card');
    await shows(page, 'paid');
    await says(page, 'card *4242');
    await picture(page, 'paid');
    const { books, processor } = charged('001');
    expect([books, processor]).toEqual([4500, 4500]);
    await page.getByText('Receipt', { exact: true }).click();
    await says(page, 'A0000000031010');
    await says(page, 'Send it');
    await act(page, 'refund');
    await says(page, 'Give back EUR 45.00?');
    expect(server.refunded('appointment_open_001').processor).toBe(0);
    await act(page, 'giveBack');
    await shows(page, 'refunded');
    expect(server.refunded('appointment_open_001')).toEqual({ books, processor });
    // Opened again, it still says so, and takes nothing.
    await act(page, 'leave');
    await says(page, 'refunded');
    await choose(page, '001');
    await says(page, 'All that was paid went back: EUR 45.00.');
    expect(await page.locator('[data-testid=act-take]').count()).toBe(0);
    await page.context().close();
  });

  test(
    'asks for a tip before the card, and lets the owner refund it alone (D48)',
    wait,
    async () => {
      const tipped = await startWatched({ CHAIRSIDE_TIPS: 'on' });
      const context = await browser.newContext({ viewport: { width: 390, height: 760 } });
      const page = await context.newPage();
      await start(page, '?tips', tipped);
      await take(page, '001');
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
      // Nothing leads from the customer's screen into the shop's.
      expect(await page.locator('[data-testid^=act-]').count()).toBe(0);
      await press(page, 'Tip 4.50 EUR, in all 49.50 EUR');
      await shows(page, 'presenting');
      await press(page, 'A card');
      await shows(page, 'paid');
      await says(page, 'Tip in it: EUR 4.50');
      expect(tipped.charged('appointment_open_001')).toEqual({ books: 4950, processor: 4950 });
      await act(page, 'refundTip');
      await says(page, 'Give back EUR 4.50?');
      await act(page, 'giveBack');
      await says(page, 'EUR 4.50 of the EUR 49.50 that was paid went back.');
      expect(tipped.refunded('appointment_open_001')).toEqual({ books: 450, processor: 450 });

      await act(page, 'leave');
      await take(page, '002');
      await press(page, 'No tip, in all 45.00 EUR');
      await shows(page, 'presenting');
      await press(page, 'A card');
      await shows(page, 'paid');
      expect(tipped.charged('appointment_open_002')).toEqual({ books: 4500, processor: 4500 });
      await context.close();
      await tipped.stop();
    },
  );

  test(
    'takes cash beside the card, gives it back after a question, and says why not (D202)',
    wait,
    async () => {
      const till = await startWatched({ CHAIRSIDE_TENDERS: 'on' });
      const context = await browser.newContext({ viewport: { width: 390, height: 760 } });
      const page = await context.newPage();
      await start(page, '?cash', till);
      const cash = (name: string) => page.click(`[data-testid=cash-act-${name}]`, wait);
      const isCash = (state: string) => page.waitForSelector(`[data-testid=cash-${state}]`, wait);
      const type = (amount: string) => page.getByLabel('Other amount').fill(amount, wait);
      const books = () => till.charged('appointment_open_001');
      const boxes = new Map<string, Box>();
      const controls = async () => noteBoxes(page, boxes);
      await choose(page, '001');
      await act(page, 'cash');
      await isCash('ready');
      await type('20');
      await controls();
      // A second tap only asks.
      await page.dblclick('[data-testid=cash-act-take]', wait);
      await says(page, 'Take EUR 20.00 in cash?');
      await controls();
      await page.dblclick('[data-testid=cash-act-received]', wait);
      await says(page, 'EUR 20.00 in cash is recorded. EUR 25.00 is still to be paid.');
      await picture(page, 'cash');
      await type('30');
      await says(page, 'At most EUR 25.00 can be taken.');
      expect(await page.locator('[data-testid=cash-act-take]').count()).toBe(0);
      // The other desk takes a part in the moment of the question.
      await type('');
      await cash('take');
      await othersAt(till.url).cash('appointment_open_001', '5.00');
      await cash('received');
      await says(page, 'EUR 25.00 in cash was not recorded. The visit owes only EUR 20.00 more.');
      await picture(page, 'cash-refused');
      await page.click('[data-testid=cash-back]', wait);
      await shows(page, 'ready');
      await act(page, 'take');
      await shows(page, 'presenting');
      expect(await page.locator('[data-testid=act-cash]').count()).toBe(0);
      await press(page, 'A card');
      await shows(page, 'paid');
      expect(books()).toEqual({ books: 2000, processor: 2000 });
      await controls();
      await act(page, 'cash');
      await isCash('ready');
      for (const amount of ['5.00', '20.00']) {
        await cash('back');
        await says(page, `Give back EUR ${amount} in cash?`);
        await controls();
        await cash('keep');
        await cash('back');
        await picture(page, 'cash-back');
        await page.dblclick('[data-testid=cash-act-giveBack]', wait);
        await says(page, `EUR ${amount} in cash went back. Nothing is left to pay.`);
      }
      await says(page, 'EUR 20.00 cash at');
      // What the card paid does not go back in cash.
      await cash('back');
      await cash('giveBack');
      await says(page, 'EUR 20.00 in cash did not go back. A card paid this.');
      await says(page, 'Refund the card: press Back to the card, then Refund.');
      await picture(page, 'cash-of-card');
      expect(till.refunded('appointment_open_001').processor).toBe(0);
      await page.click('[data-testid=cash-back]', wait);
      await act(page, 'refund');
      await act(page, 'giveBack');
      await shows(page, 'refunded');

      // The answer is lost: the same is asked for again, and recorded once.
      await act(page, 'leave');
      await choose(page, '002');
      await act(page, 'cash');
      await isCash('ready');
      await page.route('**/tenders', async (route) => {
        if (route.request().method() === 'POST') await route.fetch();
        await route.abort();
      });
      await cash('take');
      await cash('received');
      await isCash('unknown');
      await page.unroute('**/tenders');
      await cash('check');
      await says(page, 'EUR 45.00 in cash is recorded. Nothing is left to pay.');
      const listed = await page.locator('text=EUR 45.00 cash at').count();
      expect(listed).toBe(1);
      await context.close();
      await till.stop();
    },
  );

  test(
    'pays for two with one tap, shares the tip, and moves a payment to the right visit (D208)',
    wait,
    async () => {
      const till = await startWatched({ CHAIRSIDE_SHARES: 'on', CHAIRSIDE_TIPS: 'on' });
      const context = await browser.newContext({ viewport: { width: 390, height: 760 } });
      const page = await context.newPage();
      await start(page, '?tips&shares', till);
      const pick = (id: string) => page.click(`[data-testid=choice-${id}]:not([disabled])`, wait);
      const share = (name: string) => page.click(`[data-testid=sharing-${name}]`, wait);
      const boxes = new Map<string, Box>();
      const note = () => noteBoxes(page, boxes);
      const all = ['001', '002', '003'].map((number) => `appointment_open_${number}`);
      for (const id of all) await page.getByTestId(id).getByText('45.00').waitFor(wait);

      await choose(page, '001');
      await shows(page, 'ready');
      await note();
      await act(page, 'pay-for-two');
      await pick('appointment_open_002');
      await says(page, 'EUR 90.00 is to be paid for 2 visits.');
      await note();
      await picture(page, 'pay-for-two');
      await act(page, 'take');
      await press(page, 'Tip 9.00 EUR, in all 99.00 EUR');
      await shows(page, 'presenting');
      await note();
      // Only the note of the phone knows the other visit now.
      await start(page, '?tips&shares', till);
      await choose(page, '001');
      await shows(page, 'waiting');
      await says(page, 'It pays for 2 visits.');
      await act(page, 'take');
      await shows(page, 'presenting');
      await press(page, 'A card');
      await shows(page, 'paid');
      await says(page, 'EUR 54.00 of EUR 99.00');
      expect(till.charged('appointment_open_001')).toEqual({ books: 9900, processor: 9900 });
      await note();

      await act(page, 'share');
      await pick('barber_ben');
      await says(page, 'Ben gets EUR 4.50, Ada keeps EUR 49.50.');
      await note();
      await page.dblclick('[data-testid=sharing-confirm]', wait);
      await page.waitForSelector('[data-testid=sharing-done]', wait);
      await share('leave');
      await says(page, 'Ada EUR 49.50, Ben EUR 4.50');

      await act(page, 'leave');
      await choose(page, '002');
      await shows(page, 'paid');
      await says(page, 'EUR 45.00 of EUR 99.00');
      // The answer is lost: the same is asked for again, and done once.
      await act(page, 'move');
      await pick('appointment_open_003');
      await says(page, 'Move EUR 45.00 to Maximiliane');
      await note();
      await page.route('**/shares', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        await route.fetch();
        await route.abort();
      });
      await share('confirm');
      await page.waitForSelector('[data-testid=sharing-unknown]', wait);
      await page.unroute('**/shares');
      await share('confirm');
      await says(page, 'EUR 45.00 was moved to Maximiliane');
      await share('leave');
      await shows(page, 'ready');
      await act(page, 'leave');
      await choose(page, '003');
      await shows(page, 'paid');
      await act(page, 'refund');
      await act(page, 'giveBack');
      await shows(page, 'refunded');
      expect(till.refunded('appointment_open_001')).toEqual({ books: 4500, processor: 4500 });
      await act(page, 'leave');
      await choose(page, '001');
      await shows(page, 'paid');
      await context.close();
      await till.stop();
    },
  );

  test('goes on after the app was killed in mid-capture, and charges once', wait, async () => {
    const first = await open();
    await take(first, '002');
    await shows(first, 'presenting');
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
    await page.setViewportSize({ width: 390, height: 760 });
    await start(page);
    await says(page, 'not finished');
    await picture(page, 'today');
    await choose(page, '002');
    await shows(page, 'paid');
    expect(charged('002')).toEqual({ books: 4500, processor: 4500 });
    await page.context().close();
  });

  test('offers another card after a decline, which is heard and felt', wait, async () => {
    const page = await open();
    await page.evaluate(listenToSignals);
    await take(page, '003');
    await shows(page, 'presenting');
    await press(page, 'A card that is declined');
    await shows(page, 'declined');
    expect(await page.evaluate('signals')).toEqual([[0, 80, 80, 80], 220]);
    await picture(page, 'declined');
    expect(full('003')).toBe(0);
    await act(page, 'take');
    await shows(page, 'presenting');
    await press(page, 'A card');
    await shows(page, 'paid');
    expect(charged('003').books).toBe(full('003'));
    expect(await page.evaluate('signals.slice(2)')).toEqual([80, 880]);
    // Opened again, it is silent.
    await act(page, 'leave');
    await choose(page, '003');
    await shows(page, 'paid');
    expect(await page.evaluate('signals.length')).toBe(4);
    await page.context().close();
  });

  test('says before a card that it cannot charge without a connection', wait, async () => {
    const page = await open('', { colorScheme: 'dark' });
    // It knows the visit before the connection is lost.
    await page.getByTestId('appointment_open_001').getByText('refunded').waitFor(wait);
    await page.context().setOffline(true);
    await choose(page, '001');
    await says(page, 'The shop has not answered since.');
    await picture(page, 'offline');
    expect(await page.locator('[data-testid=act-take], [data-testid=act-refund]').count()).toBe(0);
    await page.context().setOffline(false);
    await act(page, 'check');
    await shows(page, 'refunded');
    await page.context().close();
  });

  test('says that it cannot save payments where the storage is closed', wait, async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 760 } });
    await context.addInitScript(
      `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } })`,
    );
    const page = await context.newPage();
    await start(page);
    await says(page, 'This phone cannot save payments');
    await choose(page, '003');
    await shows(page, 'paid');
    await context.close();
  });

  test.each([
    ['2900', 'tell the maker of the app.'],
    ['3930', "Accept Apple's terms"],
    ['2910', 'This phone cannot read cards'],
    ['LOCATION_SERVICES_DISABLED', 'Switch on the location services'],
  ])('says before the first customer what error %s means', wait, async (error, words) => {
    const page = await open(`?refused=${error}`);
    await says(page, words);
    await page.context().close();
  });

  test('keeps the payments in reach of a screen that fails', wait, async () => {
    const page = await open();
    await page.evaluate('Date.prototype.toTimeString = () => { throw new Error("planted"); }');
    await choose(page, '002');
    await says(page, 'This screen failed.');
    await press(page, 'Back to today');
    await says(page, 'Today');
    await page.context().close();
  });

  test.each(['light', 'dark'] as const)(
    'draws every state so that all can read it, %s',
    { timeout: 600_000 },
    async (colorScheme) => {
      const drawn = await bundleApp(inject('react'), [
        factsOfTest(/Payment\.tsx$/, 'visits.factsOf(id)'),
      ]);
      const context = await browser.newContext({ colorScheme });
      const page = await context.newPage();
      await start(page, '', server, drawn);
      await choose(page, '003');
      const faults = await drawEveryState({
        page,
        at: (state) => `[data-testid=state-${state}]`,
        within: '[data-testid^=act-], [data-testid=who], [data-testid=said], [data-testid=sum]',
        names: '[data-testid=who]',
        folder: join(looked, colorScheme),
        height: 760,
        without: rulesOfPages,
      });
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  test.each(
    (['light', 'dark'] as const).flatMap((scheme) =>
      [320, 390, 1280].map((width) => [scheme, width] as const),
    ),
  )('fits and is accessible, %s, %i px', wait, async (colorScheme, width) => {
    const page = await open('', { colorScheme, viewport: { width, height: 720 } });
    for (const state of ['list', 'refunded', 'askingBack']) {
      if (state === 'refunded') await choose(page, '001');
      if (state === 'askingBack') {
        await act(page, 'leave');
        await choose(page, '002');
        await act(page, 'refund');
      }
      await (state === 'list' ? says(page, 'refunded') : shows(page, state));
      await picture(page, `${state}-${colorScheme}-${width}`);
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(wide).toBeLessThanOrEqual(0);
      expect(await violations(page, rulesOfPages)).toEqual([]);
    }
    await page.context().close();
  });
});
