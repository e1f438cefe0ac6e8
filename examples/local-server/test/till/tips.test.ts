import type { Page } from 'playwright-core';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { violations } from './axe.ts';
import { takePicture } from './picture.ts';
import { describeTill, primary, type TillInChromium, tap, wait } from './till-in-chromium.ts';

// The page asks for a tip only where the server takes tips (D48). The other tests of the till run without.

const picked = '.tip-choice[data-tip="10"]';

const minor = (amount: string) => Number(amount.replace('.', ''));
const sumOf = async (page: Page, name: string) => page.locator(`[data-sum=${name}]`).textContent();

/** Opens the tip screen of an unpaid customer; returns the appointment and its price in cents. */
async function askForTip(till: TillInChromium, page: Page) {
  const id = await till.choose(page);
  const price = minor((await page.locator('.sum').textContent())?.match(/\d+\.\d\d/)?.[0] ?? '');
  await page.click(primary);
  await page.waitForSelector('.screen[data-step=tip]', wait);
  return { id, price };
}

const tippedSchema = v.object({
  items: v.array(v.object({ amount: v.string(), tip: v.optional(v.string()), state: v.string() })),
});

describeTill('the till of a shop that takes tips', { CHAIRSIDE_TIPS: 'on' }, (till) => {
  test('is as in the picture of the docs', async () => {
    const viewport = { width: 390, height: 760 };
    const page = await till.open({ viewport, reducedMotion: 'reduce' });
    const blank = await page.context().newPage();
    await askForTip(till, page);
    expect(await takePicture(page, blank, 'till-tip.png')).toBeLessThan(0.04);
  });

  test('takes a tip from tap to receipt, and refunds it in part (D48)', async () => {
    const page = await till.open();
    const { id, price } = await askForTip(till, page);
    await page.click(picked);
    await tap(page);
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
  });

  test.each([
    ['none', 0],
    ['own', 250],
  ] as const)('takes the choice %s with one press', async (choice, tip) => {
    const page = await till.open();
    const { id, price } = await askForTip(till, page);
    if (choice === 'own') await page.getByLabel('Own tip').first().fill('2,5');
    await page.click(`[data-tip=${choice}]`);
    await tap(page);
    await till.expectChargedOnce(page, id, ((price + tip) / 100).toFixed(2));
  });

  test('keeps the tip when the app is killed before the card', async () => {
    const page = await till.open();
    const { id, price } = await askForTip(till, page);
    await page.click(picked);
    await page.waitForSelector('.card:enabled', wait);
    const charged = (price * 1.1) / 100;
    expect(await page.locator('.sum').textContent()).toContain(charged.toFixed(2));
    await page.reload();
    // The customer chose already, so the page does not ask again.
    await page.getByRole('button', { name: `Take ${charged.toFixed(2)}` }).click(wait);
    await tap(page);
    await till.expectChargedOnce(page, id, charged.toFixed(2));
  });

  test('draws every choice alike, none in advance, with its amounts in words', async () => {
    for (const width of [360, 1440]) {
      const page = await till.open({ viewport: { width, height: 900 } });
      const { price } = await askForTip(till, page);
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
      expect(await violations(page)).toEqual([]);
    }
  });

  test('takes a tip by the keyboard alone', async () => {
    const page = await till.open();
    await till.choose(page);
    await page.locator(primary).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.screen[data-step=tip]', wait);
    await page.keyboard.press('Tab');
    await expect.poll(() => page.locator(':focus').textContent(), wait).toContain('No tip');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.card:enabled', wait);
  });
});
