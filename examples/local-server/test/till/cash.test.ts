import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

let till: TillInChromium;

describe.skipIf(isSkipped)(named('the till of a shop that takes cash'), patience, () => {
  beforeAll(async () => {
    till = await startTill({ CHAIRSIDE_TENDERS: 'on' });
  });
  afterAll(() => till.close());

  test('collects by card what was not paid in cash, and no more (D202)', async () => {
    const { page, context, faults } = await till.open();
    const id = await till.choose(page);
    const sum = async () =>
      Number((await page.locator('.sum').textContent())?.match(/[\d.]+$/)?.[0]);
    const price = await sum();
    await page.click('[data-fault=cash]');
    await expect.poll(sum, wait).toBeLessThan(price);
    const half = await sum();
    await page.click(primary);
    await hold(page, 'visa_credit');
    await ended(page, 'captured');
    const inCents = Math.round(half * 100);
    expect(till.server.charged(id)).toEqual({ books: inCents, processor: inCents });
    await page.getByText('Nothing is left to pay').first().waitFor(wait);
    await page.screenshot({ path: 'coverage/till/till-cash.png' });
    expect(faults).toEqual([]);
    await context.close();
  });
});
