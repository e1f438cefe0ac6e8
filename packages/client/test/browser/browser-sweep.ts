import { join } from 'node:path';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { cardNames, type SweptCard } from '../sweep/cards.ts';
import type { Row } from '../sweep/sweep.ts';
import { startLocalServer } from './local-server.ts';
import type { PagePlan, Played } from './page.ts';
import { verdictOf } from './verdict.ts';

export interface BrowserExtent {
  /** The distance between two kills; `visa_credit` is killed at each point. */
  readonly killStep: number;
  /** The distance between two pairs. */
  readonly pairStep: number;
  /** The cards for which the server is killed around each request, and the moments. */
  readonly crashes: readonly SweptCard[];
  readonly crashTimes: readonly ('before' | 'during' | 'after')[];
}

/** The number of concurrent apps; there is one while the server is killed. */
const lanes = 8;
/** The number of plans in one call to the page. */
const batch = 400;

/** Sweeps a real page over the local server, for every card of the sweep. */
export async function* sweepBrowser(executablePath: string, extent: BrowserExtent) {
  const server = await startLocalServer();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await openPage(browser, server.url, server.crash);
    const app = await bundled('frame.ts');
    const play = (plans: readonly PagePlan[], lanes: number) =>
      page.evaluate(({ plans, lanes, app }) => sweep(plans, lanes, app), { plans, lanes, app });

    async function judge(what: string, played: readonly Played[]): Promise<Row> {
      let kills = 0;
      let lost = 0;
      const faults: string[] = [];
      for (const one of played) {
        kills += one.kills;
        lost += one.lost;
        faults.push(...(await verdictOf(server.url, one)));
      }
      return { what: `in Chromium: ${what}`, runs: played.length, kills, lost, faults };
    }

    const undisturbed = await play(
      cardNames.map((card) => ({ card })),
      lanes,
    );
    yield await judge('undisturbed', undisturbed);
    const plans = undisturbed.flatMap((one) => plansOf(one, extent));
    const all = Object.groupBy(plans, ({ what }) => what);
    for (const [what, group = []] of Object.entries(all)) {
      const isCrash = group.some(({ plan }) => plan.crash ?? plan.crashesBetween);
      const played: Played[] = [];
      for (let from = 0; from < group.length; from += batch) {
        const part = group.slice(from, from + batch).map(({ plan }) => plan);
        played.push(...(await play(part, isCrash ? 1 : lanes)));
      }
      yield await judge(what, played);
    }
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** The disturbances of one card, by their names in the table. */
function plansOf({ plan: { card }, first }: Played, extent: BrowserExtent) {
  const upTo = (count = 0) => Array.from({ length: count }, (_, index) => index + 1);
  const step = card === 'visa_credit' ? 1 : extent.killStep;
  const points = upTo(first?.points);
  const requests = upTo(first?.requests);
  const named = (what: string, plans: readonly Omit<PagePlan, 'card'>[]) =>
    plans.map((plan) => ({ what, plan: { ...plan, card } }));
  const pairs = points.flatMap((one) => [
    ...points.map((two) => ({ kills: [one, two] })),
    ...requests.map((lostAnswer) => ({ kills: [one], lostAnswer })),
  ]);
  const crashed = extent.crashes.includes(card) ? requests : [];
  const betweens = extent.crashes.includes(card) ? points : [];
  const isDue = (_: unknown, index: number) => (index + 1) % extent.pairStep === 0;
  return [
    ...named(
      'killed at every await',
      points.filter((at) => at % step === 0).map((at) => ({ kills: [at] })),
    ),
    ...named(
      'every answer lost',
      requests.filter((at) => at % step === 0).map((lostAnswer) => ({ lostAnswer })),
    ),
    ...named('in pairs', pairs.filter(isDue)),
    ...named(
      'server killed around every request',
      crashed.flatMap((request) => extent.crashTimes.map((when) => ({ crash: { request, when } }))),
    ),
    ...named(
      'app killed at every await, and the server before its next start',
      betweens
        .filter((at) => at % extent.killStep === 0)
        .map((at) => ({ kills: [at], crashesBetween: true })),
    ),
  ];
}

async function openPage(browser: Browser, url: string, crash: () => Promise<void>): Promise<Page> {
  const page = await browser.newPage();
  await page.exposeFunction('crashServer', crash);
  // An unknown path has the service's origin and no policy. A route of Playwright would also pass
  // each request of the apps through this process.
  await page.goto(`${url}/sweep`);
  await page.evaluate(await bundled('page.ts'));
  return page;
}

async function bundled(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, file)],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    conditions: ['@chairside/source'],
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
