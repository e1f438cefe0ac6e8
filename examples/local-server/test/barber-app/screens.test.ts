import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { type Job, startSweep, testSweep, unreadIsNothing } from '../till/lanes.ts';
import { beginAnew, delaysMs, othersAt, pass, type Surface } from '../till/untrue.ts';
import { chromiumPath, howToInstall, type WatchedServer } from '../till/watched-server.ts';
import { bundleApp } from './bundle.ts';

const isSkipped = chromiumPath === undefined;
const wait = { timeout: 30_000 };
const context = { viewport: { width: 390, height: 760 } };

async function load(server: WatchedServer, app: string, page: Page, query: string): Promise<void> {
  // An unknown path has the origin of the service, and no policy.
  await page.goto(`${server.url}/app?${query}`);
  await page.evaluate(`document.body.innerHTML = '<div id="root"></div>'`);
  await page.addScriptTag({ content: app });
}

function surfaceOf(app: string, server: WatchedServer, ofTips: boolean): Surface {
  const query = (id: string) => `visits=${id}${ofTips ? '&tips' : ''}`;
  return {
    name: 'app',
    screen: '[data-testid^=state-]',
    control: '[data-testid^=act-], [data-testid^=appointment_], [data-testid^=tip-]',
    named: "button.dataset.testid.replace(/^act-/, '')",
    at: (act) => `[data-testid=${act.startsWith('tip-') ? act : `act-${act}`}]`,
    tip: 'tip-10',
    books: /\/(contactlessPayments|refunds)$/,
    async open(page) {
      const id = await othersAt(server.url).putAppointment();
      await load(server, app, page, query(id));
      await page.click(`[data-testid=${id}]`, wait);
      await page.waitForSelector('[data-testid=state-ready]', wait);
      return { id, due: 4500 };
    },
    async reload(page, id) {
      await load(server, app, page, query(id));
      await page.click(`[data-testid=${id}]`, wait);
    },
    hold: (page, card) =>
      page
        .getByRole('button', {
          name: card === 'declined' ? 'A card that is declined' : 'A card',
          exact: true,
        })
        .click(wait),
  };
}

describe.skipIf(isSkipped)(
  isSkipped ? `the app's screens (${howToInstall})` : "the app's screens",
  { timeout: 600_000 },
  () => {
    let sweep: ReturnType<typeof startSweep>;
    let app = '';
    const visitTaps = delaysMs.map(
      (delayMs): Job => ({
        name: `a visit of the list twice after ${delayMs} ms`,
        ofTips: false,
        async run(lane) {
          const { page, server } = lane;
          await beginAnew(lane);
          const id = await othersAt(server.url).putAppointment();
          await load(server, app, page, `visits=${id}`);
          const box = await page.locator(`[data-testid=${id}]`).boundingBox();
          const [x, y] = [(box?.x ?? 0) + 80, (box?.y ?? 0) + 20];
          await page.mouse.click(x, y);
          await pass(page, delayMs);
          await page.mouse.click(x, y);
          await pass(page, 600);
          const isOpen = await page.locator('[data-testid=state-ready]').isVisible();
          return isOpen ? [] : ['the visit is not open'];
        },
      }),
    );
    beforeAll(async () => {
      app = await bundleApp(inject('react'));
      const planted = await bundleApp(inject('react'), [unreadIsNothing]);
      sweep = startSweep({
        context,
        surfaceOf: (server, ofTips) => surfaceOf(app, server, ofTips),
        planted: (server) => surfaceOf(planted, server, false),
        more: visitTaps,
      });
    });
    afterAll(() => sweep.close());

    testSweep(() => sweep, visitTaps);
  },
);
