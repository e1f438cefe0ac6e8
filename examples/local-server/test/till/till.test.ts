import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { listenToSignals } from './every-state.ts';
import {
  amountOf,
  arm,
  describeTill,
  ended,
  hold,
  primary,
  tap,
  wait,
} from './till-in-chromium.ts';
import { startWatched } from './watched-server.ts';

/** Waits, because the page asks for the timeline apart from the books. */
const seenInNewestRun = (page: Page, selector: string) =>
  page
    .locator(`.run >> nth=0 >> ${selector}`)
    .first()
    .waitFor({ state: 'attached', ...wait });

/** The buttons that the tests so far have pressed. */
const pressed = new Set<string>();
const note = (...buttons: readonly string[]) => {
  for (const button of buttons) pressed.add(button);
};

describeTill('the till', {}, (till) => {
  test('takes a payment with two clicks, and shows each request', async () => {
    const page = await till.open();
    await page.getByText('Press Take, then Approved').waitFor(wait);
    await page.evaluate(listenToSignals);
    const id = await till.choose(page);
    const amount = await amountOf(page);
    await page.click(primary);
    await tap(page);
    await till.expectChargedOnce(page, id, amount);
    const [run] = await page.locator('.run').all();
    expect(await run?.locator('.step').count()).toBe(3);
    await run?.locator('.step summary').last().click();
    expect(await run?.locator('details[open] pre').allTextContents()).toEqual([
      expect.stringContaining('Idempotency-Key: '),
      expect.stringContaining('"clientSecret": "…"'),
    ]);
    note('visa_credit');
    expect(await page.evaluate('signals')).toEqual([80, 880]);
    const [receipt] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Receipt' }).click(),
    ]);
    await receipt.getByText('A0000000031010').waitFor(wait);
    await receipt.close();
  });

  test.each([
    ['declined', 'declined', ''],
    ['declined_then_approved', 'declined', 'visa_credit'],
    ['partially_authorized', 'declined', 'visa_credit'],
    ['slow_to_approve', 'captured', ''],
    ['expires_soon', 'captured', ''],
    ['apple_pay', 'captured', ''],
    ['canceled', 'canceled', ''],
  ])('shows what the card %s does', async (card, step, next) => {
    const { page, id, amount } = await till.openUnpaid();
    await page.click(primary);
    await tap(page, card, step);
    if (next !== '') {
      await page.click(primary);
      await tap(page, next);
    }
    if (next !== '' || step === 'captured') await till.expectChargedOnce(page, id, amount);
    else {
      await page.locator('.verdict h2', { hasText: 'Nothing was charged' }).waitFor(wait);
      expect(till.server.charged(id)).toEqual({ books: 0, processor: 0 });
    }
    note(card, ...(next === '' ? [] : [next]));
  });

  test.each([
    [['loseAnswer'], '.arrow.lost'],
    [['processor-slow'], '.step'],
    [['processor-losesReply'], '.step'],
    [['processor-refuses'], '.arrow.bad'],
    [['processor-down'], '.arrow.bad'],
    [['kill-beforeProcessor'], '.down'],
    [['kill-afterProcessor'], '.down'],
    [['kill-beforeAnswer'], '.down'],
    [['loseAnswer', 'kill-afterProcessor'], '.down'],
  ])('charges once with %j', async (chosen, seen) => {
    const { page, id, amount } = await till.openUnpaid();
    for (const fault of chosen) await arm(page, fault);
    await page.click(primary);
    await tap(page);
    await till.expectChargedOnce(page, id, amount);
    await seenInNewestRun(page, seen);
    note(...chosen);
  });

  test('shows that the processor had captured before the server was killed', async () => {
    const { page, id, amount } = await till.openUnpaid();
    await page.click(primary);
    await page.waitForSelector('.card:enabled', wait);
    await arm(page, 'kill-afterProcessor');
    await tap(page);
    await till.expectChargedOnce(page, id, amount);
    const run = page.locator('.run').first();
    // Chosen in the middle of the run, so it belongs to this one.
    expect(await run.locator('.mark').allTextContents()).toEqual([
      expect.stringContaining('kill after processor'),
    ]);
    const killed = run.locator('.step', { has: page.getByText('no answer') });
    expect(await killed.textContent()).toContain('capture: ok');
  });

  test('takes a payment by the keyboard alone, and keeps the focus', async () => {
    const { page, id, amount } = await till.openUnpaid();
    const focused = () => page.locator(':focus').textContent();
    await page.locator(primary).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.card:enabled', wait);
    // On the words, so that a second press meets no other button.
    await expect.poll(focused, wait).toContain('Ready for a card');
    for (const name of ['Stop', 'Approved']) {
      await page.keyboard.press('Tab');
      if (name === 'Approved') {
        while (!(await focused())?.includes(name)) await page.keyboard.press('Tab');
      } else expect(await focused()).toBe(name);
    }
    await page.keyboard.press('Enter');
    await ended(page, 'captured');
    await till.expectChargedOnce(page, id, amount);
    await expect.poll(focused, wait).toContain('Paid: EUR');
  });

  test('takes only amounts that are owed', async () => {
    const { page, id } = await till.openUnpaid();
    for (const wrong of ['abc', '0.00', '999.00', '1.234', '-1']) {
      await page.getByLabel('Other amount').fill('');
      await page.locator(`${primary}:enabled`).waitFor(wait);
      await page.getByLabel('Other amount').fill(wrong);
      await page.locator(primary).waitFor({ state: 'detached', ...wait });
      expect(await page.locator('#amount-help').textContent()).toMatch(
        /no amount|more than is left|Nothing/,
      );
    }
    await page.getByLabel('Other amount').fill('12,5');
    await page.getByRole('button', { name: 'Take 12.50' }).click();
    await tap(page);
    await page.getByText('Charged once: 12.50').waitFor(wait);
    expect(till.server.charged(id)).toEqual({ books: 1250, processor: 1250 });
    // The rest, so that no other test meets it.
    await page.locator(primary).click();
    await hold(page);
    await page.getByText('Charged in 2 parts').waitFor(wait);
    expect(till.server.charged(id).books).toBe(till.server.charged(id).processor);
  });

  test.each(['Stop', 'card'])('charges once in two tabs, then %s in the other', async (act) => {
    const { page, id, amount } = await till.openUnpaid();
    const other = await till.openTab(page.context());
    await till.choose(other);
    for (const tab of [page, other]) {
      await tab.click(primary);
      await tab.waitForSelector('.card:enabled', wait);
    }
    await tap(page);
    const acts =
      act === 'Stop' ? other.getByRole('button', { name: act }).click(wait) : hold(other);
    // The other tab asks the server too, and may have stopped its reader already.
    await Promise.race([acts, ended(other, 'captured')]);
    await ended(other, 'captured');
    for (const tab of [page, other]) {
      await till.expectChargedOnce(tab, id, amount);
      await tab.waitForSelector('.screen[data-state=paid]', wait);
    }
  });

  test('counts down and can be left while a capture gets no response', async () => {
    const { page, id, amount } = await till.openUnpaid();
    await page.route('**/captured', (route) => route.abort());
    await page.click(primary);
    await hold(page);
    await ended(page, 'checking');
    const screen = page.locator('.screen');
    await screen.getByText(/asked again in \d+ s/).waitFor(wait);
    expect(await screen.locator('.todo').textContent()).toContain('Do not charge again.');
    await page.getByRole('button', { name: 'Stop waiting' }).click();
    await ended(page, 'stuck');
    await page.unroute('**/captured');
    await page.getByRole('button', { name: 'Check again' }).click();
    await ended(page, 'captured');
    await till.expectChargedOnce(page, id, amount);
  });

  test('drops an unfinished payment after a reload', async () => {
    const { page, id } = await till.openUnpaid();
    await page.click(primary);
    await tap(page, 'declined', 'declined');
    await page.reload();
    await page.waitForSelector('.screen[data-state=waiting]', wait);
    expect(await page.locator('.appointments input:checked').inputValue()).toBe(id);
    await page.getByRole('button', { name: 'Drop' }).click();
    await page.waitForSelector('.screen[data-state=ready]', wait);
    await page.reload();
    await page.waitForSelector('.screen[data-state=ready]', wait);
    expect(till.server.charged(id)).toEqual({ books: 0, processor: 0 });
  });

  test('shows the payment that paid, in the words of the phone that was not needed', async () => {
    const { page, id, amount } = await till.openUnpaid();
    await page.click('[data-fault=race]');
    await page.locator('.second button:enabled').waitFor(wait);
    await tap(page);
    const second = page.locator('.second');
    await second.getByText('Nothing more was charged.').waitFor(wait);
    expect(await second.locator('.paid-by').textContent()).toBe(`Paid: EUR ${amount}`);
    await till.expectChargedOnce(page, id, amount);
  });

  test.each([
    [[], '.step'],
    [['loseAnswer'], '.arrow.lost'],
    [['kill-beforeProcessor'], '.down'],
    [['kill-afterProcessor'], '.down'],
    [['kill-beforeAnswer'], '.down'],
  ])('refunds once with %j', async (chosen, seen) => {
    const { page, id, amount } = await till.openUnpaid();
    await page.click(primary);
    await tap(page);
    await till.expectChargedOnce(page, id, amount);
    for (const fault of chosen) await arm(page, fault);
    await page.getByRole('button', { name: `Refund ${amount}` }).click();
    await page.getByRole('button', { name: `Give back ${amount}` }).click(wait);
    await expect
      .poll(() => page.locator('.verdict h2').textContent(), wait)
      .toBe(`Refunded once: ${amount}`);
    await page.waitForSelector('.screen[data-state=refunded]', wait);
    const minor = Number(amount.replace('.', ''));
    expect(till.server.refunded(id)).toEqual({ books: minor, processor: minor });
    expect(till.server.charged(id)).toEqual({ books: minor, processor: minor });
    expect(await page.locator('[data-sum=refunded]').textContent()).toBe(amount);
    expect(await page.locator('[data-sum=refunded-there]').textContent()).toBe(amount);
    expect(await page.locator('[data-act=refund]').count()).toBe(0);
    await seenInNewestRun(page, seen);
    note(...chosen, 'Refund');
  });

  test('goes on after the app was killed right after the card', async () => {
    const { page, id, amount } = await till.openUnpaid();
    await page.click('[data-fault=app-after-tap]');
    await page.click(primary);
    const reloaded = page.waitForEvent('load', wait);
    await hold(page);
    await reloaded;
    await ended(page, 'captured');
    await till.expectChargedOnce(page, id, amount);
    note('app-after-tap');
  });

  test('goes on after the app and the server were killed while it waits for a card (D127)', async () => {
    const { page, id, amount } = await till.openUnpaid();
    await page.click(primary);
    await page.waitForSelector('.card:enabled', wait);
    const reloaded = page.waitForEvent('load', wait);
    await page.click('[data-fault=app-now]');
    await reloaded;
    await page.waitForSelector('.appointments label', wait);
    await page.click('[data-fault=kill-now]');
    await page.waitForSelector('.server[data-up=false]', wait);
    await page.waitForSelector('.server[data-up=true]', wait);
    await page.click(primary);
    await tap(page);
    await till.expectChargedOnce(page, id, amount);
    note('app-now', 'kill-now');
  });

  test('lets a second phone race, and charges once', async () => {
    const { page, id, amount } = await till.openUnpaid();
    await page.click('[data-fault=race]');
    await tap(page);
    await till.expectChargedOnce(page, id, amount);
    const second = page.locator('.second button');
    const over = page.locator('.second button:disabled').waitFor(wait);
    await Promise.race([second.click(wait), over]);
    const said = page.locator('.second .said');
    await expect
      .poll(() => said.textContent(), wait)
      .not.toMatch(/Hold|Starting|Finding|Finishing/);
    await till.expectChargedOnce(page, id, amount);
    note('race');
  });

  test('never charges more than is left after half was paid in cash', async () => {
    const { page, id } = await till.openUnpaid();
    const amount = Number((await amountOf(page)).replace('.', ''));
    await arm(page, 'cash');
    const half = ((amount - Math.floor(amount / 2)) / 100).toFixed(2);
    await page.getByRole('button', { name: `Take ${half}` }).click(wait);
    await tap(page);
    await till.expectChargedOnce(page, id, half);
    note('cash');
  });

  test.each(['late', 'twice', 'out of order', 'not at all'])(
    'needs no message of the processor: %s',
    async (plan) => {
      const { page, id, amount } = await till.openUnpaid();
      await page.getByLabel(plan).check();
      await page.click(primary);
      await tap(page);
      await till.expectChargedOnce(page, id, amount);
      await page.getByLabel('in order', { exact: true }).check();
    },
  );

  test('plays a random plan with one click, and charges once', async () => {
    const { page, id } = await till.openUnpaid();
    await page.click('[data-fault=shuffle]');
    await page.waitForSelector('.screen:is([data-step=captured],[data-step=canceled])', wait);
    const verdict = page.locator('.verdict[data-is=kept] h2');
    await verdict.waitFor(wait);
    const { books, processor } = till.server.charged(id);
    expect(books).toBe(processor);
    const sum = (books / 100).toFixed(2);
    await verdict
      .getByText(books === 0 ? 'Nothing was charged' : `Charged once: ${sum}`)
      .waitFor(wait);
    expect(await page.locator('[data-sum=books]').textContent()).toBe(sum);
    expect(await page.locator('[data-sum=charged-there]').textContent()).toBe(sum);
    note('shuffle');
  });

  test('has no button that none of the tests above presses', async () => {
    const page = await till.open();
    const buttons = await page
      .locator('[data-fault], [data-card]')
      .evaluateAll((found) =>
        found.map(
          (one: { readonly dataset: Readonly<Record<string, string>> }) =>
            one.dataset['fault'] ?? one.dataset['card'] ?? '',
        ),
      );
    expect(buttons.length).toBeGreaterThan(20);
    expect([...pressed]).toEqual(expect.arrayContaining(buttons));
  });
});

describe('the files of the till', () => {
  test('are small, kept by their hash, and allow no other origin', async () => {
    const own = await startWatched();
    try {
      const html = { accept: 'text/html' };
      const page = await fetch(own.url, { headers: html });
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      const text = await page.text();
      expect(text).not.toMatch(/https?:|<script>|style=/);
      const named = [...text.matchAll(/(?:src|href)="(till\/[^"]+)"/g)].map(([, path]) => path);
      expect(named).toHaveLength(2);
      let bytes = text.length;
      for (const path of named) {
        const file = await fetch(`${own.url}/${path}`);
        expect(file.headers.get('content-encoding')).toBe('gzip');
        expect(file.headers.get('cache-control')).toContain('immutable');
        bytes += Number(file.headers.get('content-length') ?? Number.NaN);
        await file.arrayBuffer();
      }
      expect(bytes).toBeLessThan(60 * 1024);
      // A program still reads JSON, and a page of another origin reads nothing.
      expect((await fetch(own.url)).headers.get('content-type')).toContain('application/json');
      const foreign = { origin: 'https://elsewhere.example' };
      expect((await fetch(`${own.url}/till/books`, { headers: foreign })).status).toBe(404);
    } finally {
      await own.stop();
    }
  });
});
