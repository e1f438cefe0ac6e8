import { join } from 'node:path';
import type { StatementView } from '@chairside/core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { dayPage } from '../../src/till/day-page.ts';
import { violations } from './axe.ts';
import { describeTill } from './till-in-chromium.ts';
import { othersAt } from './untrue.ts';

const pictures = join(import.meta.dirname, '../../../../coverage/till');

const sums = {
  currency: 'eur',
  payments: 2,
  captured: '65.00',
  tips: '5.00',
  refunded: '5.00',
  disputed: '0.00',
  applicationFees: '0.00',
  processorFees: '1.48',
  settled: '58.52',
  arrived: '0.00',
};
const adas = {
  payments: 1,
  captured: '45.00',
  refunded: '0.00',
  processorFees: '0.93',
  settled: '44.07',
};
const bens = {
  payments: 1,
  captured: '20.00',
  tips: '0.00',
  processorFees: '0.55',
  settled: '14.45',
};
const since = '2026-11-24T09:00:00.000Z';

/** A day with a difference, an entry that is compared later, and a payout that failed. */
const statement: StatementView = {
  businessId: 'business_marlow',
  day: '2026-11-24',
  timeZone: 'Europe/Berlin',
  from: '2026-11-23T23:00:00.000Z',
  until: '2026-11-24T23:00:00.000Z',
  state: 'differs',
  readUntil: '2026-11-25T08:00:00.000Z',
  shop: [sums],
  barbers: [
    { ...sums, ...adas, barberId: 'barber_ada', barber: 'Ada Marlow' },
    { ...sums, ...bens, barberId: 'barber_ben', barber: 'Ben <Marlow>' },
  ],
  payouts: [
    {
      id: 'fpo_1',
      state: 'failed',
      currency: 'eur',
      amount: '58.52',
      ofThisDay: '58.52',
      arrivesAt: '2026-11-27T00:00:00.000Z',
    },
  ],
  differences: [
    {
      reason: 'otherAmount',
      since,
      currency: 'eur',
      ours: '45.00',
      theirs: '45.01',
      kind: 'payment',
      contactlessPaymentId: 'cpm_1',
      processorReference: 'fpp_1',
    },
    {
      reason: 'notListedYet',
      since,
      currency: 'eur',
      ours: '20.00',
      theirs: '0.00',
      kind: 'payment',
      contactlessPaymentId: 'cpm_2',
    },
    {
      reason: 'payoutFailed',
      since,
      currency: 'eur',
      ours: '58.52',
      theirs: '0.00',
      processorReference: 'fpo_1',
    },
  ],
  lines: [],
};

test('the page of a day names each difference with its reason, and who mends it', () => {
  const page = dayPage(statement);
  expect(page).toContain('Tuesday, 24 November 2026');
  expect(page).toContain('Both have it, with different amounts.');
  expect(page).toContain('The owner, by correcting the bank account.');
  expect(page).toContain('1 entry is compared later');
  expect(page).toContain('Ben &lt;Marlow&gt;');
  expect(page).toContain('>Tips<');
  expect(page).not.toContain('>Deposits<');
  const agreeing = dayPage({ ...statement, state: 'closed', differences: [], payouts: [] });
  expect(agreeing).toContain('agree to the cent');
  expect(dayPage({ ...statement, shop: [], barbers: [] })).toContain('No payment, refund or');
});

const overflow = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

describeTill('the page of a day', {}, (till) => {
  test('shows what was taken today, and its lines as CSV', async () => {
    const page = await till.open();
    const others = othersAt(till.server.url);
    await others.pay(await others.putAppointment());
    await page.getByRole('link', { name: 'The day' }).click();
    const ada = page.getByRole('row', { name: /^Ada Marlow/ });
    // The demo data has one payment of Ada.
    expect(await ada.textContent()).toContain('90.00');
    expect(await page.locator('.day-state').textContent()).toContain('Open');
    const csv = await fetch(
      till.server.url + (await page.getByText('CSV').getAttribute('href'))?.replace(/^/, '/'),
    );
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect((await csv.text()).split('\r\n')[1]).toContain('Ada Marlow');
    await page.getByRole('link', { name: 'The day before' }).click();
    expect(await page.getByText('No payment, refund or dispute').count()).toBe(1);
    expect((await fetch(`${till.server.url}/day?day=tomorrow`)).status).toBe(400);
  });

  test.each(['light', 'dark'] as const)(
    'fits phones and paper, and is accessible, %s',
    async (colorScheme) => {
      const page = await till.open({ colorScheme });
      await page.goto(`${till.server.url}/day`);
      const body = JSON.stringify(dayPage(statement));
      await page.evaluate(`document.querySelector('main').innerHTML = ${body}`);
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await overflow(page), `${width} px`).toBeLessThanOrEqual(0);
        await page.screenshot({ path: join(pictures, `day-${colorScheme}-${width}.png`) });
      }
      expect(await violations(page)).toEqual([]);
      await page.emulateMedia({ media: 'print' });
      await page.setViewportSize({ width: 1000, height: 700 });
      await page.screenshot({ path: join(pictures, `day-${colorScheme}-print.png`) });
      expect(await page.locator('.day-links').isVisible()).toBe(false);
      // Ink is dark, also where the screen is.
      expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(29, 31, 35)');
      expect(
        await page
          .locator('.scroll')
          .first()
          .evaluate('getComputedStyle(document.querySelector(".scroll")).overflowX'),
      ).toBe('visible');
    },
  );
});
