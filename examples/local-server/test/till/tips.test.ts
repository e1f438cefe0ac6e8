import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takePicture } from './picture.ts';
import {
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
import { startWatched } from './watched-server.ts';

// The page asks for a tip only where the server takes tips (D48). The other tests of the till run without.

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const picked = '.tip-choice[data-tip="10"]';

let till: TillInChromium;

const minor = (amount: string) => Number(amount.replace('.', ''));
const sumOf = async (page: Page, name: string) => page.locator(`[data-sum=${name}]`).textContent();

/** Opens the tip screen of an unpaid customer; returns the appointment and its price in cents. */
async function askForTip(page: Page) {
  const id = await till.choose(page);
  const price = minor((await page.locator('.sum').textContent())?.match(/\d+\.\d\d/)?.[0] ?? '');
  await page.click(primary);
  await page.waitForSelector('.screen[data-step=tip]', wait);
  return { id, price };
}

const tippedSchema = v.object({
  items: v.array(v.object({ amount: v.string(), tip: v.optional(v.string()), state: v.string() })),
});

describe.skipIf(isSkipped)(named('the till of a shop that takes tips'), patience, () => {
  beforeAll(async () => {
    till = await startTill({ CHAIRSIDE_TIPS: 'on' });
  });
  afterAll(() => till.close());

  test('is as in the picture of the docs', async () => {
    const viewport = { width: 390, height: 760 };
    const { page, context } = await till.open({ viewport, reducedMotion: 'reduce' });
    const blank = await context.newPage();
    await askForTip(page);
    expect(await takePicture(page, blank, 'till-tip.png')).toBeLessThan(0.04);
    await context.close();
  });

  test('takes a tip from tap to receipt, and refunds it in part (D48)', async () => {
    const { page, context, faults } = await till.open();
    const { id, price } = await askForTip(page);
    await page.click(picked);
    await hold(page);
    await ended(page, 'captured');
    const tip = price / 10;
    const charged = ((price + tip) / 100).toFixed(2);
    await till.expectChargedOnce(page, id, charged);
    expect(await sumOf(page, 'tips')).toBe((tip / 100).toFixed(2));
    const read = await fetch(`${till.server.url}/appointments/${id}/contactlessPayments`, {
      headers: { authorization: 'Bearer demo-barber' },
    });
    expect(v.parse(tippedSchema, await read.json()).items).toEqual([
      { amount: charged, tip: (tip / 100).toFixed(2), state: 'captured' },
    ]);

    await page.click('[data-act=refundTip]');
    await page.getByRole('button', { name: `Give back ${(tip / 100).toFixed(2)}` }).click(wait);
    await page.waitForSelector('.screen[data-state=partlyRefunded]', wait);
    expect(await page.locator('[data-act=refundTip]').count()).toBe(0);
    expect(till.server.refunded(id)).toEqual({ books: tip, processor: tip });
    expect(await sumOf(page, 'refunded')).toBe(await sumOf(page, 'refunded-there'));
    await page.click('[data-act=refund]');
    await page.click('[data-act=giveBack]', wait);
    await page.waitForSelector('.screen[data-state=refunded]', wait);
    expect(till.server.refunded(id)).toEqual({ books: price + tip, processor: price + tip });
    expect(await page.locator('.verdict h2').textContent()).toContain('Refunded in 2 parts');
    expect(faults).toEqual([]);
    await context.close();
  });

  test.each([
    ['none', 0],
    ['own', 250],
  ] as const)('takes the choice %s with one press', async (choice, tip) => {
    const { page, context, faults } = await till.open();
    const { id, price } = await askForTip(page);
    if (choice === 'own') await page.getByLabel('Own tip').first().fill('2,5');
    await page.click(`[data-tip=${choice}]`);
    await hold(page);
    await ended(page, 'captured');
    await till.expectChargedOnce(page, id, ((price + tip) / 100).toFixed(2));
    expect(faults).toEqual([]);
    await context.close();
  });

  test('keeps the tip when the app is killed before the card', async () => {
    const { page, context } = await till.open();
    const { id, price } = await askForTip(page);
    await page.click(picked);
    await page.waitForSelector('.card:enabled', wait);
    const charged = (price * 1.1) / 100;
    expect(await page.locator('.sum').textContent()).toContain(charged.toFixed(2));
    await page.reload();
    // The customer chose already, so the page does not ask again.
    await page.getByRole('button', { name: `Take ${charged.toFixed(2)}` }).click(wait);
    await hold(page);
    await ended(page, 'captured');
    await till.expectChargedOnce(page, id, charged.toFixed(2));
    await context.close();
  });

  test('draws every choice alike, none in advance, with its amounts in words', async () => {
    for (const width of [360, 1440]) {
      const { page, context } = await till.open({ viewport: { width, height: 900 } });
      const { price } = await askForTip(page);
      await page.getByLabel('Own tip').first().fill('3');
      await page.locator('[data-tip=own]:enabled').waitFor(wait);
      const looks = await page.evaluate<readonly unknown[]>(`
        [...document.querySelectorAll('.tip-choice')].map((button) => {
          const { width, height } = button.getBoundingClientRect();
          const { color, backgroundColor, borderColor, fontWeight } = getComputedStyle(button);
          return {
            size: [width, height].map(Math.round),
            drawn: [color, backgroundColor, borderColor, fontWeight],
            chosen: button.getAttribute('aria-pressed'),
            disabled: button.disabled,
          };
        })`);
      expect(looks).toHaveLength(5);
      for (const look of looks) expect(look).toEqual(looks[0]);
      expect(looks[0]).toMatchObject({ chosen: null, disabled: false });
      expect(await page.evaluate('document.activeElement.matches(".tip-choice")')).toBe(false);
      const all = (price / 100).toFixed(2);
      await page.getByRole('button', { name: `No tip in all ${all}`, exact: true }).waitFor();
      await page.getByRole('button', { name: /^Tip \d+\.\d\d 10 %, in all \d+\.\d\d$/ }).waitFor();
      await page.evaluate(axe);
      const found: unknown = await page.evaluate(
        "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join()))",
      );
      expect(found).toEqual([]);
      await context.close();
    }
  });

  test('takes a tip by the keyboard alone', async () => {
    const { page, context } = await till.open();
    await till.choose(page);
    await page.locator(primary).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.screen[data-step=tip]', wait);
    await page.keyboard.press('Tab');
    await expect.poll(() => page.locator(':focus').textContent(), wait).toContain('No tip');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.card:enabled', wait);
    await context.close();
  });
});

test('a server without tips has no trace of them', async () => {
  const own = await startWatched();
  try {
    const { url } = own;
    const created = await fetch(`${url}/appointments/appointment_open_001/contactlessPayments`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer demo-barber',
        'content-type': 'application/json',
        'idempotency-key': 'k',
      },
      body: JSON.stringify({ tip: '1.00' }),
    });
    expect(created.status).toBe(400);
    expect(await (await fetch(`${url}/till/books`)).json()).toMatchObject({ takesTips: false });
    expect(await (await fetch(`${url}/openapi.json`)).text()).not.toMatch(/\btip/i);
  } finally {
    await own.stop();
  }
});
