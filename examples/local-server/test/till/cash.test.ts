import { expect, test } from 'vitest';
import { describeTill, primary, tap, wait } from './till-in-chromium.ts';

describeTill('the till of a shop that takes cash', { CHAIRSIDE_TENDERS: 'on' }, (till) => {
  test('collects by card what was not paid in cash, and no more (D202)', async () => {
    const { page, id } = await till.openUnpaid();
    const sum = async () =>
      Number((await page.locator('.sum').textContent())?.match(/[\d.]+$/)?.[0]);
    const price = await sum();
    await page.click('[data-fault=cash]');
    await expect.poll(sum, wait).toBeLessThan(price);
    const half = await sum();
    await page.click(primary);
    await tap(page, 'visa_credit');
    const inCents = Math.round(half * 100);
    expect(till.server.charged(id)).toEqual({ books: inCents, processor: inCents });
    await page.getByText('Nothing is left to pay').first().waitFor(wait);
    await page.screenshot({ path: 'coverage/till/till-cash.png' });
  });
});
