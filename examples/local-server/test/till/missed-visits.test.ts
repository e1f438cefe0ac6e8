import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeTill, wait } from './till-in-chromium.ts';

const pictures = join(import.meta.dirname, '../../../../coverage/till');

describeTill('the page of missed visits', { CHAIRSIDE_CHARGES: 'on' }, (till) => {
  /** Books with this card, and returns how to press a button of the newest booking. */
  async function booked(card: string) {
    const page = await till.open({ viewport: { width: 390, height: 760 } });
    await page.goto(`${till.server.url}/missed-visits`);
    await page.selectOption('select[name=card]', card);
    await page.click('[data-act=book]');
    const booking = page.locator('.booking').last();
    await booking.waitFor(wait);
    const press = async (act: string, words: string | RegExp) => {
      await booking.locator(`[data-act=${act}]`).click();
      await booking.locator('.said', { hasText: words }).waitFor(wait);
    };
    const states = async () => booking.locator('[data-state]').allTextContents();
    return { page, press, states };
  }

  test('books with a card, is not kept, and is charged once', async () => {
    const { page, press, states } = await booked('visa_credit');
    await press('noShow', 'notMissed');
    await press('miss', 'did not come');
    await press('noShow', 'Charged 15.00');
    await press('noShow', 'Charged 15.00');
    expect(await states()).toEqual(['captured ']);
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, 'missed-visits.png'), fullPage: true });
    await press('withdraw', 'withdrawn');
    await press('deposit', 'methodReleased');
    expect(await states()).toEqual(['captured ']);
  });

  test.each([
    ['needs_customer', 'customerMustAct'],
    ['declined_when_saved', 'declined'],
    ['unusable_when_saved', 'cardUnusable'],
    ['vanishes', 'methodGone'],
  ])('says why the card %s is not charged', async (card, why) => {
    const { press, states } = await booked(card);
    await press('deposit', why);
    expect(await states()).toEqual([`canceled ${why}`]);
  });
});
