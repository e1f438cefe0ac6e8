import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { amountOf, describeTill, primary, tap, wait } from './till-in-chromium.ts';

const looks = [
  { colorScheme: 'dark', width: 390 },
  { colorScheme: 'light', width: 1280 },
] as const;

/** The step in which a payment with a card ends. */
const cards = {
  visa_credit: 'captured',
  apple_pay: 'captured',
  declined: 'declined',
  declined_then_approved: 'declined',
  slow_to_approve: 'captured',
  partially_authorized: 'declined',
  expires_soon: 'captured',
  canceled: 'canceled',
};

const isUp = (page: Page) => page.waitForSelector('.server[data-up=true]', wait);

/** The page is as wide as the window, and no control hangs out of it. */
async function expectFits(page: Page): Promise<void> {
  expect(
    await page.evaluate<string[]>(`[
      ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
      ...[...document.querySelectorAll('button, h1, h2, summary')]
        .filter((one) => one.getBoundingClientRect().right > innerWidth)
        .map((one) => one.textContent),
    ]`),
  ).toEqual([]);
}

describeTill('the till, at each width and in both schemes', {}, (till) => {
  test.each(looks)('takes every card: %j', async ({ colorScheme, width }) => {
    const viewport = { width, height: 900 };
    for (const [card, step] of Object.entries(cards)) {
      const page = await till.open({ colorScheme, viewport });
      const id = await till.choose(page);
      await page.click(primary);
      await tap(page, card, step);
      const { books, processor } = till.server.charged(id);
      expect([card, books > 0, processor]).toEqual([card, step === 'captured', books]);
      await expectFits(page);
    }
  });

  test.each(looks)(
    'has every fault pressed, and charges once: %j',
    async ({ colorScheme, width }) => {
      const viewport = { width, height: 900 };
      const page = await till.open({ colorScheme, viewport });
      const listed = await page.locator('[data-fault]').all();
      const names = await Promise.all(listed.map((one) => one.getAttribute('data-fault')));
      expect(names.length).toBeGreaterThan(12);
      // These act on a payment, or end the page.
      const later = ['shuffle', 'race', 'cash', 'app-now', 'app-after-tap', 'kill-now'];
      const id = await till.choose(page);
      const amount = await amountOf(page);
      for (const name of names.filter((one) => !later.includes(one ?? ''))) {
        await page.click(`[data-fault=${name}]`, wait);
      }
      for (const plan of await page.locator('.messages input').all()) await plan.check();
      await page.click('[data-fault=kill-now]');
      await page.waitForSelector('.server[data-up=false]', wait);
      await isUp(page);
      await expectFits(page);
      await page.click(primary);
      await tap(page);
      await till.expectChargedOnce(page, id, amount);
      await till.choose(page);
      await page.click('[data-fault=app-after-tap]');
      await page.click('[data-fault=app-after-tap]');
      await page.click('[data-fault=cash]');
      await page.click('[data-fault=app-now]');
      await page.waitForSelector('.appointments label', wait);
      await expectFits(page);
    },
  );

  test('comes to life once the server responds that was down at load', async () => {
    const page = await till.open();
    await page.route('**/till/{books,events,orders}', (route) => route.abort('connectionrefused'));
    await page.reload();
    await page.waitForSelector('.server[data-up=false]', wait);
    await expectFits(page);
    await page.unroute('**/till/{books,events,orders}');
    await isUp(page);
    await page.waitForSelector('.appointments label', wait);
    await till.choose(page);
    await page.click(primary);
    await tap(page);
  });

  test('stays short and quick with 500 runs in the list', async () => {
    const page = await till.open({ viewport: { width: 390, height: 900 } });
    for (const [index, token] of ['demo-barber', 'demo-other-barber'].entries()) {
      await Promise.all(
        Array.from({ length: 250 }, (_, run) =>
          fetch(`${till.server.url}/appointments/appointment_open_001/contactlessPayments`, {
            headers: {
              authorization: `Bearer ${token}`,
              'x-request-id': `till-many${index}x${run}-1.1`,
            },
          }),
        ),
      );
    }
    await page.reload();
    await page.waitForSelector('.run', wait);
    expect(await page.locator('.earlier > summary').textContent()).toMatch(
      /^Earlier runs \(\d+\)$/,
    );
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    expect(height).toBeLessThan(3300);
    await till.choose(page);
    await page.click(primary);
    await tap(page);
  });
});
