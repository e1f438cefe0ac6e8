import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from './axe.ts';
import { arm, describeTill, hold, primary, tap, wait } from './till-in-chromium.ts';
import { othersAt } from './untrue.ts';

// One card for several visits, a shared tip and a moved payment, where the server shares payments (D208).

const looked = join(import.meta.dirname, '../../../../coverage/till');
const schemes = ['light', 'dark'] as const;
const widths = [320, 390, 1280, 1920];

const cents = (amount: string) => Math.round(Number(amount) * 100);
const money = (minor: number) => (minor / 100).toFixed(2);
const sumOf = (page: Page, name: string) => page.locator(`[data-sum=${name}]`).textContent();
const act = (page: Page, name: string) => page.click(`[data-act=${name}]`, wait);
const shown = (page: Page, state: string) =>
  page.waitForSelector(`.screen[data-state=${state}]`, wait);
const said = (page: Page, words: string) =>
  page.locator('.screen', { hasText: words }).waitFor(wait);

/** Chooses an unpaid customer who is named, and returns the price in cents. */
async function choose(page: Page, name: string): Promise<{ id: string; price: number }> {
  const row = page
    .locator('.appointments label', { hasText: name })
    .filter({ hasNotText: /paid|refund/ })
    .first();
  if ((await row.count()) === 0) await act(page, 'leave');
  await row.locator('input').check(wait);
  await shown(page, 'ready');
  const id = await page.locator('.appointments input:checked').inputValue();
  return {
    id,
    price: cents((await page.locator('.screen .sum').textContent())?.match(/[\d.]+$/)?.[0] ?? ''),
  };
}

/** Chooses a visit or barber of the list in the screen; returns its value. */
async function pick(page: Page, name: string): Promise<string> {
  const input = page.locator('.choices label', { hasText: name }).locator('input:enabled').first();
  await input.check(wait);
  return input.inputValue();
}

const answer = (page: Page) => page.click('[data-share=confirm]', wait);

/** Expects that the page, the books and the processor say the same of one card. */
async function expectEqual(page: Page, charged: number, own: number): Promise<void> {
  await page.waitForSelector('.verdict[data-is=kept]', wait);
  await page.locator('.verdict', { hasText: 'equal to the cent' }).waitFor(wait);
  await expect.poll(() => sumOf(page, 'books'), wait).toBe(money(charged));
  expect(await sumOf(page, 'charged-there')).toBe(money(charged));
  if (own !== charged) expect(await sumOf(page, 'own')).toBe(money(own));
}

describeTill(
  'the till of a shop that shares payments',
  { CHAIRSIDE_SHARES: 'on', CHAIRSIDE_TIPS: 'on' },
  (till) => {
    test('pays for two with one tap although the app is killed, and gives back one part (D208)', async () => {
      const page = await till.open();
      const { id, price } = await choose(page, 'Kim');
      await act(page, 'payForTwo');
      const noor = await pick(page, 'Noor');
      const both = price + 2000;
      await page.getByRole('button', { name: `Take ${money(both)}` }).click(wait);
      await page.click('[data-tip="10"]', wait);
      await page.waitForSelector('.card:enabled', wait);
      await page.reload();
      // The note has the other visit.
      const tip = both / 10;
      await page.getByRole('button', { name: `Take ${money(both + tip)}` }).click(wait);
      await said(page, 'It pays for 2 visits.');
      await tap(page);
      await expectEqual(page, both + tip, price + tip);
      expect(till.server.charged(id)).toEqual({ books: both + tip, processor: both + tip });
      expect(till.server.charged(noor)).toEqual({ books: 0, processor: 0 });

      await page.locator(`.appointments input[value=${noor}]`).check();
      await shown(page, 'paid');
      await said(page, `EUR 20.00 of EUR ${money(both + tip)}`);
      await expectEqual(page, both + tip, 2000);
      await act(page, 'refund');
      await page.getByRole('button', { name: 'Give back 20.00' }).click(wait);
      await shown(page, 'refunded');
      expect(till.server.refunded(id)).toEqual({ books: 2000, processor: 2000 });
      // The other part stays paid.
      await page.locator(`.appointments input[value=${id}]`).check();
      await shown(page, 'paid');
    });

    test('shares a tip between two barbers, and shares it anew', async () => {
      const page = await till.open();
      const { price } = await choose(page, 'Sam');
      await page.click(primary);
      await page.click('[data-tip="20"]', wait);
      await tap(page);
      const tip = price / 5;
      const rest = (minor: number) =>
        `Ada EUR ${money(price + tip - minor)}, Ben EUR ${money(minor)}`;
      await act(page, 'share');
      await pick(page, 'Ben');
      await said(page, `Ben gets EUR ${money(tip / 2)}`);
      await answer(page);
      await said(page, rest(tip / 2));
      await expectEqual(page, price + tip, price + tip);
      await act(page, 'share');
      await pick(page, 'Ben');
      await page.getByLabel(/^Of the tip/).fill('99');
      expect(await page.locator('[data-share=confirm]').count()).toBe(0);
      await page.getByLabel(/^Of the tip/).fill('1');
      await page.getByLabel(/^Of the price/).fill('20');
      await answer(page);
      await said(page, rest(2100));
    });

    test('moves a payment to the right visit once, although the server is killed', async () => {
      const page = await till.open();
      const { id, price } = await choose(page, 'Kim');
      await page.click(primary);
      await page.click('[data-tip=none]', wait);
      await tap(page);
      await act(page, 'move');
      const right = await pick(page, 'Lee');
      await said(page, `Move EUR ${money(price)} to Lee`);
      await arm(page, 'loseAnswer');
      await page.locator('[data-share=confirm]').dblclick(wait);
      await page.locator('[data-shared]', { hasText: 'was moved to Lee' }).waitFor(wait);
      await shown(page, 'ready');
      await page.locator('.verdict h2', { hasText: 'Moved to another visit' }).waitFor(wait);
      await page.locator(`.appointments input[value=${right}]`).check();
      await shown(page, 'partlyPaid');
      await expectEqual(page, price, price);
      // The processor and the books still have one payment, of the visit that it was opened for.
      expect(till.server.charged(id)).toEqual({ books: price, processor: price });
      // The phone that took it knows that it is moved, also after a restart.
      await page.locator(`.appointments input[value=${id}]`).check();
      await page.reload();
      await shown(page, 'ready');
    });

    test('says why the payment was not moved, and which visit ended a payment for two', async () => {
      const page = await till.open();
      const { id } = await choose(page, 'Noor');
      await page.click(primary);
      await page.click('[data-tip=none]', wait);
      await tap(page);
      await act(page, 'move');
      const right = await pick(page, 'Sam');
      // Its books are read once more only later.
      await page.route('**/till/books', (route) => route.abort());
      await othersAt(till.server.url).pay(right);
      await answer(page);
      await said(page, 'It was not moved. Sam, Cut and shave owes only 0.00 more.');
      await page.unroute('**/till/books');
      await page.click('[data-share=leave]');
      await shown(page, 'paid');
      expect(till.server.charged(id).books).toBe(2000);

      const { id: kim } = await choose(page, 'Kim');
      // A payment that was moved may have been opened for it.
      const before = till.server.charged(kim);
      await act(page, 'payForTwo');
      const lee = await pick(page, 'Lee');
      await page.click(primary);
      await page.click('[data-tip=none]', wait);
      await page.waitForSelector('.card:enabled', wait);
      await othersAt(till.server.url).pay(lee);
      await hold(page);
      await shown(page, 'otherVisit');
      expect(till.server.charged(kim)).toEqual(before);
    });

    test.each(schemes)('is accessible, and shows all of each question, %s', async (colorScheme) => {
      const page = await till.open({ colorScheme, reducedMotion: 'reduce' });
      const looks = async (name: string) => {
        for (const width of widths) {
          await page.setViewportSize({ width, height: width < 1000 ? 844 : 900 });
          await page.locator('.screen').scrollIntoViewIfNeeded();
          await page.screenshot({
            path: join(looked, `shares-${name}-${colorScheme}-${width}.png`),
          });
          const cut = await page.evaluate<string[]>(`
          [...document.querySelectorAll('.acts button, .answer button, .choices label')].flatMap((one) => {
            const { right } = one.getBoundingClientRect();
            const isCut = right > innerWidth || one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1;
            return isCut ? [one.textContent.trim()] : [];
          })`);
          expect(cut, `${name}, ${width} px`).toEqual([]);
          // The answer stays in view, however long the list is.
          for (const button of await page.locator('.answer button').all()) {
            const [inner, outer] = [
              await button.boundingBox(),
              await page.locator('.screen').boundingBox(),
            ];
            const bottom = (box: typeof inner) => (box?.y ?? 0) + (box?.height ?? 0);
            expect(bottom(inner), `${name}, ${width} px`).toBeLessThanOrEqual(bottom(outer));
          }
        }
        expect(await violations(page), name).toEqual([]);
      };
      await choose(page, 'Kim');
      await looks('ready');
      await act(page, 'payForTwo');
      await page.locator('.choices input').first().check(wait);
      await looks('paying');
      await page.click(primary);
      await page.click('[data-tip="10"]', wait);
      await tap(page);
      await looks('paid');
      await act(page, 'share');
      await pick(page, 'Ben');
      await looks('sharing');
      await answer(page);
      await said(page, 'Ben EUR');
      await act(page, 'move');
      await page.locator('.choices input:enabled').first().check(wait);
      await looks('moving');
      await answer(page);
      await page.locator('[data-shared]').waitFor(wait);
      await looks('moved');
    });
  },
);
