import { join } from 'node:path';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import * as v from 'valibot';
import type { SweptCard } from '../sweep/cards.ts';
import type { Happening } from '../sweep/life.ts';
import type { Row } from '../sweep/sweep.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';
import type { PageReport, PageRun } from './page.ts';

export interface BrowserExtent {
  readonly card: SweptCard;
  /** Every which point is a kill. */
  readonly killStep: number;
  /** Every which pair of kills; none if absent. */
  readonly pairStep?: number | undefined;
  /** When the server is killed, at each request. */
  readonly crashes: readonly ('before' | 'during' | 'after')[];
}

interface Plan {
  readonly kills?: readonly number[];
  readonly lostAnswer?: number;
  readonly crash?: PageRun['crash'];
}

interface Played {
  readonly first: PageReport | undefined;
  readonly kills: number;
  readonly lost: number;
  readonly faults: readonly string[];
}

const maxLives = 4;

/** A page of the server's origin, and what the app in it told. */
interface Stage {
  readonly page: Page;
  readonly server: LocalServer;
  happenings: Happening[];
}

/** Sweeps a real page: a kill loads it anew, and only its `localStorage` is left. */
export async function* sweepBrowser(executablePath: string, extents: readonly BrowserExtent[]) {
  const server = await startLocalServer();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const stage = await openStage(browser, server);
    for (const extent of extents) yield* sweepCard(stage, extent);
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function openStage(browser: Browser, server: LocalServer): Promise<Stage> {
  const page = await browser.newPage();
  const stage: Stage = { page, server, happenings: [] };
  await page.exposeFunction('crashServer', () => server.crash());
  await page.exposeFunction('happened', (what: Happening) => void stage.happenings.push(what));
  const body = `<script>${await bundled()}</script>`;
  await page.route('**/sweep', (route) => route.fulfill({ contentType: 'text/html', body }));
  return stage;
}

async function* sweepCard(
  stage: Stage,
  { card, killStep, pairStep, crashes }: BrowserExtent,
): AsyncGenerator<Row, void, void> {
  const undisturbed = await playInBrowser(stage, card, {});
  const upTo = (count = 0) => Array.from({ length: count }, (_, index) => index + 1);
  const points = upTo(undisturbed.first?.points);
  const requests = upTo(undisturbed.first?.requests);
  const kills = points.filter((point) => point % killStep === 0);

  async function row(what: string, plans: readonly Plan[]): Promise<Row> {
    const reports: Played[] = [];
    for (const plan of plans) reports.push(await playInBrowser(stage, card, plan));
    return {
      what: `${card}, in Chromium: ${what}`,
      runs: plans.length,
      kills: reports.reduce((sum, report) => sum + report.kills, 0),
      lost: reports.reduce((sum, report) => sum + report.lost, 0),
      faults: reports.flatMap((report) => report.faults),
    };
  }

  yield await row('undisturbed', [{}]);
  yield await row(
    'killed at every await',
    kills.map((at) => ({ kills: [at] })),
  );
  yield await row(
    'every answer lost',
    requests.map((lostAnswer) => ({ lostAnswer })),
  );
  yield await row(
    'server killed around every request',
    requests.flatMap((request) => crashes.map((when) => ({ crash: { request, when } }))),
  );
  if (pairStep === undefined) return;
  const pairs = points.flatMap((first) => points.map((second) => ({ kills: [first, second] })));
  yield await row(
    'in pairs',
    pairs.filter((_, index) => index % pairStep === 0),
  );
}

async function playInBrowser(
  stage: Stage,
  card: SweptCard,
  { kills = [], lostAnswer, crash }: Plan,
): Promise<Played> {
  const { page, server } = stage;
  const happenings: Happening[] = [];
  stage.happenings = happenings;
  const appointmentId = await newAppointment(server.url);
  let first: PageReport | undefined;
  let last: PageReport | undefined;
  let died = 0;
  let lost = 0;
  for (let number = 0; number < maxLives; number += 1) {
    await page.goto(`${server.url}/sweep`);
    const run: PageRun = {
      appointmentId,
      card,
      taps: happenings.filter((what) => 'tap' in what).length,
      fate: {
        killAt: kills[number],
        lostAnswer: number === 0 ? lostAnswer : undefined,
      },
      isFirst: number === 0,
      ...(number === 0 && crash !== undefined && { crash }),
    };
    last = await page.evaluate((run) => play(run), run);
    first ??= last;
    lost += last.lost;
    if (!last.died) break;
    died += 1;
  }
  const plan = JSON.stringify({ card, kills, lostAnswer, crash });
  const faults = (await verdict(server.url, appointmentId, happenings, last)).map(
    (fault) => `${plan}: ${fault}`,
  );
  return { first, kills: died + (crash === undefined ? 0 : 1), lost, faults };
}

const due = 45;
const paymentsSchema = v.object({
  items: v.array(
    v.object({
      id: v.string(),
      state: v.string(),
      externalPaymentReference: v.optional(v.object({ id: v.string() })),
    }),
  ),
});
const entrySchema = v.object({ status: v.string(), amountCaptured: v.string() });

/** Compares the shop's books, the processor's ledger and what the screen said. */
async function verdict(
  url: string,
  appointmentId: string,
  happenings: readonly Happening[],
  last: PageReport | undefined,
): Promise<string[]> {
  const headers = { authorization: 'Bearer demo-barber' };
  const listed = await fetch(`${url}/appointments/${appointmentId}/contactlessPayments`, {
    headers,
  });
  const { items } = v.parse(paymentsSchema, await listed.json());
  let charged = 0;
  const captured: string[] = [];
  for (const { id, externalPaymentReference: reference } of items) {
    if (reference === undefined) continue;
    const response = await fetch(`${url}/demo/processor/${reference.id}`);
    const { status, amountCaptured } = v.parse(entrySchema, await response.json());
    if (status !== 'captured') continue;
    captured.push(id);
    charged += Number(amountCaptured);
  }
  const books = items.filter(({ state }) => state === 'captured').map(({ id }) => id);
  const faults: string[] = [];
  if (charged > due) faults.push(`double charge: ${charged}`);
  if (charged < due) faults.push(`lost: ${charged}, ended as ${last?.step}`);
  if (books.join() !== captured.join()) faults.push('the books differ from the ledger');
  if ((last?.notes.length ?? 0) > 0) faults.push(`a note is left: ${last?.notes.join()}`);
  const lastTap = happenings.findLastIndex((what) => 'tap' in what);
  for (const [at, what] of happenings.entries()) {
    if (!('claim' in what)) continue;
    const isCaptured = captured.includes(what.paymentId ?? '');
    const isUntrue = what.claim === 'yes' ? !isCaptured : isCaptured && at > lastTap;
    if (isUntrue) faults.push(`untrue: the screen said ${what.step}, charged ${what.claim}`);
  }
  return faults;
}

async function newAppointment(url: string): Promise<string> {
  const made = await fetch(`${url}/demo/appointments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amountDue: `${due}.00` }),
  });
  return v.parse(v.object({ id: v.string() }), await made.json()).id;
}

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.ts')],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    conditions: ['@chairside/source'],
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
