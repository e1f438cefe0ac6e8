import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  isSkipped,
  named,
  patience,
  startTill,
  type TillInChromium,
  wait,
} from './till-in-chromium.ts';
import { startWatched } from './watched-server.ts';

const pictures = join(import.meta.dirname, '../../../../coverage/till');
let till: TillInChromium;

describe.skipIf(isSkipped)(named('the page of missed visits'), patience, () => {
  beforeAll(async () => {
    till = await startTill({ CHAIRSIDE_CHARGES: 'on' });
  });
  afterAll(() => till.close());

  /** Books with this card, and returns how to press a button of the newest booking. */
  async function booked(card: string) {
    const { page, context, faults } = await till.open({ viewport: { width: 390, height: 760 } });
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
    return { page, context, faults, press, states };
  }

  test('books with a card, is not kept, and is charged once', async () => {
    const { page, context, faults, press, states } = await booked('visa_credit');
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
    expect(faults).toEqual([]);
    await context.close();
  });

  test.each([
    ['needs_customer', 'customerMustAct'],
    ['declined_when_saved', 'declined'],
    ['unusable_when_saved', 'cardUnusable'],
    ['vanishes', 'methodGone'],
  ])('says why the card %s is not charged', async (card, why) => {
    const { context, press, states } = await booked(card);
    await press('deposit', why);
    expect(await states()).toEqual([`canceled ${why}`]);
    await context.close();
  });
});

test('a server without charges has no trace of them', async () => {
  const own = await startWatched();
  try {
    expect((await fetch(`${own.url}/missed-visits`)).status).toBe(404);
  } finally {
    await own.stop();
  }
});
