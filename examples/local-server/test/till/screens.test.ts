import { afterAll, beforeAll, describe } from 'vitest';
import { bundleTill } from './bundle-till.ts';
import { startSweep, testSweep, unreadIsNothing } from './lanes.ts';
import { chooseUnpaid, isSkipped, named, wait } from './till-in-chromium.ts';
import type { Surface } from './untrue.ts';
import type { WatchedServer } from './watched-server.ts';

/** @param script replaces the page's own */
const surfaceOf = (server: WatchedServer, script?: string): Surface => ({
  name: 'till',
  screen: '.phone .screen',
  control: '.acts button, .tips button',
  named: "button.dataset.act ?? 'tip-' + button.dataset.tip",
  at: (act) => (act.startsWith('tip-') ? `[data-tip="${act.slice(4)}"]` : `[data-act="${act}"]`),
  tip: 'tip-10',
  books: /\/till\/books$/,
  async open(page) {
    if (script !== undefined) {
      await page.route(/\/till\/till\.\w+\.js$/, (route) =>
        route.fulfill({ body: script, contentType: 'text/javascript' }),
      );
    }
    await page.goto(server.url);
    await page.waitForSelector('.appointments label', wait);
    const id = await chooseUnpaid(server.url, page);
    await page.waitForSelector('.screen[data-state=ready]', wait);
    const sum = (await page.locator('.sum').textContent()) ?? '';
    return { id, due: Math.round(Number(/[\d.]+/.exec(sum)?.[0]) * 100) };
  },
  reload: async (page) => {
    await page.reload();
  },
  hold: (page, card) => page.locator(`[data-card=${card}]:enabled`).click({ timeout: 10_000 }),
});

describe.skipIf(isSkipped)(named('the screens of the till'), { timeout: 600_000 }, () => {
  let sweep: ReturnType<typeof startSweep>;
  beforeAll(async () => {
    const script = await bundleTill([unreadIsNothing]);
    sweep = startSweep({
      context: { viewport: { width: 390, height: 1300 }, reducedMotion: 'reduce' },
      surfaceOf: (server) => surfaceOf(server),
      planted: (server) => surfaceOf(server, script),
    });
  });
  afterAll(() => sweep.close());

  testSweep(() => sweep);
});
