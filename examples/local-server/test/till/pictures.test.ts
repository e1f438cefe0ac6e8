import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from './axe.ts';
import { bundleTill } from './bundle-till.ts';
import { drawEveryState, factsOfTest } from './every-state.ts';
import { difference, takePicture } from './picture.ts';
import {
  amountOf,
  arm,
  describeTill,
  hold,
  primary,
  type TillInChromium,
  tap,
  wait,
} from './till-in-chromium.ts';

const looked = join(import.meta.dirname, '../../../../coverage/till');
const schemes = ['light', 'dark'] as const;
const sizes = [
  { width: 320, height: 1400 },
  { width: 390, height: 1400 },
  { width: 1280, height: 900 },
] as const;
/** Pictures of machines with the same fonts differ by less than a tenth of it. */
const tolerated = 0.04;

/** Sums up how far the content of the page jumped. */
const watchShifts = `{
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });
}`;

async function loseAnAnswer(till: TillInChromium, page: Page): Promise<void> {
  await till.choose(page);
  // Messages may arrive at any moment of the run.
  await page.getByLabel('not at all').check();
  await arm(page, 'loseAnswer');
  await page.click(primary);
  await tap(page);
  await page.waitForSelector('.verdict[data-is=kept]', wait);
}

describeTill('the looks of the till', {}, (till) => {
  test('does not jump while a payment is taken', async () => {
    const page = await till.open({ reducedMotion: 'reduce' });
    await page.addInitScript(watchShifts);
    await page.reload();
    await loseAnAnswer(till, page);
    expect(await page.evaluate<number>('globalThis.shifted')).toBeLessThan(0.05);
  });

  test('notices another layout', async () => {
    const page = await till.open({ deviceScaleFactor: 0.5 });
    const blank = await page.context().newPage();
    await page.setViewportSize({ width: 1440, height: 1000 });
    const before = await page.screenshot();
    await page.evaluate("document.querySelector('.side').style.display = 'none'");
    const after = await page.screenshot();
    expect(await difference(blank, before, before)).toBe(0);
    expect(await difference(blank, before, after)).toBeGreaterThan(tolerated);
  });

  test.each(schemes)(
    'is accessible and fits every width in each state, %s',
    async (colorScheme) => {
      const page = await till.open({ colorScheme, reducedMotion: 'reduce' });
      const act = (name: string) => page.click(`[data-act=${name}]`, wait);
      const shown = (state: string) => page.waitForSelector(`.screen[data-state=${state}]`, wait);
      const states: readonly (readonly [state: string, go: () => Promise<unknown>])[] = [
        ['ready', () => till.choose(page)],
        ['presenting', () => act('take')],
        ['declined', () => hold(page, 'declined')],
        ['waiting', () => page.reload()],
        ['presenting', () => act('take')],
        ['paid', () => hold(page)],
        ['askingBack', () => act('refund')],
        ['askingBackWrong', () => page.getByLabel('Only a part').fill('999')],
        ['paid', () => act('keep')],
        [
          'unreadable',
          async () => {
            await page.route('**/till/books', (route) => route.abort());
            await page.reload();
          },
        ],
      ];
      for (const [state, go] of states) {
        await go();
        await shown(state);
        // A name without a space must not push the amounts off the phone.
        await page.evaluate(
          "for (const name of document.querySelectorAll('.name')) name.textContent = 'W'.repeat(80)",
        );
        for (const size of sizes) {
          await page.setViewportSize(size);
          await page.screenshot({
            path: join(looked, `${state}-${colorScheme}-${size.width}.png`),
          });
          const overflow = await page.evaluate<number>(
            "document.documentElement.scrollWidth - innerWidth + Math.max(0, ...[...document.querySelectorAll('.amount, .acts button')].map((one) => one.getBoundingClientRect().right - innerWidth))",
          );
          expect(overflow, `${state}, ${size.width} px`).toBeLessThanOrEqual(0);
        }
        expect(await violations(page), state).toEqual([]);
      }
      for (const path of ['/problems/conflict', '/guarantees']) {
        await page.goto(till.server.url + path);
        expect(await violations(page), path).toEqual([]);
      }
    },
  );

  test.each(schemes)('draws every state so that all can read it, %s', async (colorScheme) => {
    const script = await bundleTill([
      factsOfTest(/view-phone\.ts$/, "factsOf(state.selected ?? '')"),
    ]);
    const context = await till.newContext({ colorScheme, reducedMotion: 'reduce' });
    await context.route(/\/till\/till\.\w+\.js$/, (route) =>
      route.fulfill({ body: script, contentType: 'text/javascript' }),
    );
    const page = await till.openTab(context);
    const faults = await drawEveryState({
      page,
      at: (state) => `.screen[data-state=${state}]`,
      within: '.amount, .acts button, .screen, .device',
      names: '.name, .who strong',
      folder: join(looked, colorScheme),
      height: 1000,
    });
    expect(faults).toEqual([]);
  });

  test('shows a killed server in the picture of the README', async () => {
    const page = await till.open({ reducedMotion: 'reduce' });
    const blank = await page.context().newPage();
    // On GitHub it takes less than half of the first screen.
    await page.setViewportSize({ width: 1440, height: 660 });
    await till.choose(page);
    const amount = await amountOf(page);
    await page.getByLabel('not at all').check();
    await arm(page, 'kill-afterProcessor');
    await page.click(primary);
    await tap(page);
    await page.getByText(`Charged once: ${amount}`).waitFor(wait);
    await page.locator('.run .down', { hasText: 'Back after' }).waitFor(wait);
    // The number of requests until the server is back differs from run to run.
    expect(await takePicture(page, blank, 'till.png')).toBeLessThan(0.4);
  });
});
