import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { difference, freezeTimes, takePicture } from './picture.ts';
import {
  amountOf,
  arm,
  ended,
  hold,
  isSkipped,
  named,
  patience,
  primary,
  startTill,
  type TillInChromium,
  wait,
} from './till-in-chromium.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const images = join(import.meta.dirname, '../../../../docs/images');
const sizes = [
  { width: 360, height: 2500 },
  { width: 820, height: 1500 },
  { width: 1440, height: 1000 },
] as const;
/** Pictures of machines with the same fonts differ by less than a tenth of it. */
const tolerated = 0.04;

let till: TillInChromium;

/** Sums up how far the content of the page jumped. */
const watchShifts = `{
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });
}`;

async function loseAnAnswer(page: Page): Promise<void> {
  await till.choose(page);
  // Messages may arrive at any moment of the run.
  await page.getByLabel('not at all').check();
  await arm(page, 'loseAnswer');
  await page.click(primary);
  await hold(page);
  await ended(page, 'captured');
  await page.waitForSelector('.verdict[data-is=kept]', wait);
}

describe.skipIf(isSkipped)(named('the looks of the till'), patience, () => {
  beforeAll(async () => {
    till = await startTill();
  });
  afterAll(() => till.close());

  test('is as in the pictures of the docs, in light and dark at three widths', async () => {
    const { page, context, faults } = await till.open({
      deviceScaleFactor: 0.5,
      reducedMotion: 'reduce',
    });
    const blank = await context.newPage();
    await context.addInitScript(watchShifts);
    await page.reload();
    await loseAnAnswer(page);
    expect(await page.evaluate<number>('globalThis.shifted')).toBeLessThan(0.05);
    await freezeTimes(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const size of sizes) {
        await page.setViewportSize(size);
        const name = `till-${colorScheme}-${size.width}.png`;
        expect(await takePicture(page, blank, name), name).toBeLessThan(tolerated);
      }
    }
    const [light, dark] = ['light', 'dark'].map((scheme) =>
      readFileSync(join(images, `till-${scheme}-1440.png`)),
    );
    expect(await difference(blank, light ?? Buffer.of(), dark ?? Buffer.of())).toBeGreaterThan(0.5);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('notices another layout', async () => {
    const { page, context } = await till.open({ deviceScaleFactor: 0.5 });
    const blank = await context.newPage();
    await page.setViewportSize({ width: 1440, height: 1000 });
    const before = await page.screenshot();
    await page.evaluate("document.querySelector('.side').style.display = 'none'");
    const after = await page.screenshot();
    expect(await difference(blank, before, before)).toBe(0);
    expect(await difference(blank, before, after)).toBeGreaterThan(tolerated);
    await context.close();
  });

  test.each(['light', 'dark'] as const)(
    'is accessible and fits every width, %s',
    async (colorScheme) => {
      const { page, context } = await till.open({ colorScheme, reducedMotion: 'reduce' });
      await loseAnAnswer(page);
      await page.locator('.run').first().locator('summary').last().click();
      for (const width of [360, 820, 1440, 3840]) {
        await page.setViewportSize({ width, height: 1000 });
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - innerWidth',
        );
        expect(overflow, `${width} px`).toBeLessThanOrEqual(0);
      }
      await page.setViewportSize({ width: 1440, height: 1000 });
      for (const path of ['', '/problems/conflict', '/guarantees']) {
        if (path !== '') await page.goto(till.server.url + path);
        await page.evaluate(axe);
        const found: unknown = await page.evaluate(
          "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join()))",
        );
        expect(found, path).toEqual([]);
      }
      await context.close();
    },
  );

  test('shows a killed server in the picture of the README', async () => {
    const { page, context } = await till.open({ reducedMotion: 'reduce' });
    const blank = await context.newPage();
    // On GitHub it takes less than half of the first screen.
    await page.setViewportSize({ width: 1440, height: 660 });
    await till.choose(page);
    const amount = await amountOf(page);
    await page.getByLabel('not at all').check();
    await arm(page, 'kill-afterProcessor');
    await page.click(primary);
    await hold(page);
    await ended(page, 'captured');
    await page.getByText(`Charged once: ${amount}`).waitFor(wait);
    await page.locator('.run .down', { hasText: 'Back after' }).waitFor(wait);
    // The number of requests until the server is back differs from run to run.
    expect(await takePicture(page, blank, 'till.png')).toBeLessThan(0.4);
    await context.close();
  });
});
