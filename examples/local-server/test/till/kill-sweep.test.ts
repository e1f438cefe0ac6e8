import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { disturb, pointsLeft, setKill } from './mortal-page.ts';
import { amountOf, describeTill, hold, primary, tap, wait } from './till-in-chromium.ts';

/** More points than a payment has. */
const never = 1000;

/** Does what a barber does after a reload, until the phone says that it is paid. */
async function finish(page: Page): Promise<void> {
  const next = page.locator(
    `.screen[data-state=paid], [data-card=visa_credit]:enabled, ${primary}`,
  );
  for (let acts = 0; acts < 12; acts += 1) {
    await next.first().waitFor(wait);
    if ((await page.locator('.screen[data-state=paid]').count()) > 0) return;
    // The page may be reloaded before the click.
    await next
      .first()
      .click({ timeout: 5000 })
      .catch(() => undefined);
  }
}

describeTill('the app of the till', {}, (till) => {
  test('charges once if it is killed at any await', async () => {
    const page = await till.open();
    await page.addInitScript(disturb);
    await page.reload();

    async function pay(killAt: number): Promise<void> {
      await page.getByRole('button', { name: 'Next customer' }).or(page.locator(primary)).waitFor();
      const id = await till.choose(page);
      const amount = Number((await amountOf(page)).replace('.', ''));
      await setKill(page, killAt);
      await page.click(primary);
      await finish(page);
      const charged = till.server.charged(id);
      expect(charged, `killed at ${killAt}`).toEqual({ books: amount, processor: amount });
      if (killAt !== never) expect(await pointsLeft(page)).toBe(0);
    }

    await pay(never);
    const points = never - (await pointsLeft(page));
    expect(points).toBeGreaterThan(15);
    for (let at = 1; at <= points; at += 1) await pay(at);
    expect(
      await page.evaluate(
        "Object.keys(localStorage).filter((key) => key.startsWith('chairside/'))",
      ),
    ).toEqual([]);
  });

  test('shows in a second tab what happens in the first', async () => {
    const page = await till.open();
    const other = await till.openTab(page.context());
    const before = await other.locator('.run').count();
    await till.choose(page);
    await page.click(primary);
    await tap(page);
    await expect
      .poll(() => other.locator('.run').count(), wait)
      .toBeGreaterThan(Math.min(before, 39));
  });

  test('charges once if two tabs take the same payment', async () => {
    const { page, id, amount } = await till.openUnpaid();
    await page.click(primary);
    await page.waitForSelector('.card:enabled', wait);
    // It finds the note of the first tab.
    const other = await till.openTab(page.context());
    await other.waitForSelector('.screen[data-state=waiting]', wait);
    await other.click(primary);
    await tap(other);
    await till.expectChargedOnce(other, id, amount);
    await hold(page);
    await page.locator('.screen:is([data-step=captured], [data-step=stuck])').waitFor(wait);
    await till.expectChargedOnce(other, id, amount);
  });
});
