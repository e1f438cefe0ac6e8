import type { BrowserContext, Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import type { WatchedServer } from './watched-server.ts';

// Compares each change of a screen with the database and the processor's books, for the till and the example app alike (D207).

/** The screen after a change. */
export interface Seen {
  /** By the clock of the page. */
  readonly at: number;
  readonly text: string;
  readonly controls: readonly {
    readonly act: string;
    readonly label: string;
    readonly box: readonly [x: number, y: number, width: number, height: number];
  }[];
}

/** How a page is driven; the rest is the same for both. */
export interface Surface {
  readonly name: string;
  /** The words of the screen, and its controls, in this page. */
  readonly screen: string;
  readonly control: string;
  /** The name of a control, as an expression over `button`, and where that control is. */
  readonly named: string;
  at(act: string): string;
  /** The address of the books, which a fault keeps away. */
  readonly books: RegExp;
  /** Opens an unpaid visit in the page, and returns its id. */
  open(page: Page): Promise<{ readonly id: string; readonly due: number }>;
  /** Loads the app anew, with the visit before it. */
  reload(page: Page, id: string): Promise<void>;
  hold(page: Page, card: 'visa_credit' | 'declined'): Promise<void>;
  /** The customer's choice of a tip of 10 %. */
  readonly tip: string;
}

const minor = (amount: string) => Math.round(Number(amount) * 100);

/** Records each change of the screen, and which control each click met. */
const watchScreen = ({ screen, control, named }: Surface) => `{
  const nameOf = (button) => (button ? ${named} : undefined) ?? '';
  let last = '';
  const look = () => {
    const shown = document.querySelector('${screen}');
    if (shown === null) return;
    const controls = [...document.querySelectorAll('${control}')].map((button) => {
      const { x, y, width, height } = button.getBoundingClientRect();
      return { act: nameOf(button), label: button.textContent.trim(), box: [x + scrollX, y + scrollY, width, height] };
    });
    const now = { at: Date.now(), text: shown.innerText.replace(/\\s+/g, ' ').trim(), controls };
    const key = JSON.stringify([now.text, controls.map(({ act, label }) => [act, label])]);
    if (key === last) return;
    last = key;
    globalThis.sawScreen?.(now);
  };
  globalThis.lookAtScreen = look;
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  globalThis.clicked = [];
  addEventListener('click', ({ target }) => globalThis.clicked.push(nameOf(target.closest?.('${control}'))), true);
  globalThis.asking = 0;
  const { fetch } = globalThis;
  globalThis.fetch = (...request) => {
    globalThis.asking += 1;
    return fetch(...request).finally(() => { globalThis.asking -= 1; });
  };
}`;

/** The other phone and the owner of the shop, by the interface. */
export function othersAt(url: string) {
  async function send(
    path: string,
    token: string,
    body?: object,
  ): Promise<Record<string, unknown>> {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return Object(await response.json());
  }
  return {
    putAppointment: async (amountDue = '45.00') =>
      String((await send('/demo/appointments', 'demo-barber', { amountDue }))['id']),
    async pay(id: string): Promise<void> {
      const opened = await send(`/appointments/${id}/contactlessPayments`, 'demo-barber', {});
      const { clientSecret, id: payment } = opened;
      const tapped = await send('/demo/taps', 'demo-barber', { clientSecret, card: 'visa_credit' });
      const { externalPaymentReference } = tapped;
      await send(`/contactlessPayments/${payment}/captured`, 'demo-barber', {
        externalPaymentReference,
      });
    },
    cash: (id: string, amount: string) =>
      send(`/appointments/${id}/tenders`, 'demo-business', { kind: 'cash', amount }),
    async refund(id: string): Promise<void> {
      const listed = await send(`/appointments/${id}/contactlessPayments`, 'demo-barber');
      const items: unknown[] = Array.isArray(listed['items']) ? listed['items'] : [];
      for (const item of items) {
        const { id: payment, state } = Object(item);
        if (state === 'captured') {
          await send(`/contactlessPayments/${payment}/refunds`, 'demo-business', {});
        }
      }
    },
  };
}

interface Truth {
  readonly charged: number;
  readonly refunded: number;
}

/** A screen may be as late as its next reading of the books. */
const graceMs = 7000;

/** The untrue words and controls of a screen, read by their text alone. */
function untrue(seen: Seen, due: number, truth: Truth, before: Truth): string[] {
  const { text, controls } = seen;
  const has = (act: string) => controls.some((control) => control.act === act);
  const amountIn = (pattern: RegExp) => minor(pattern.exec(text)?.[1] ?? '0');
  const { charged, refunded } = truth;
  const rules: readonly (readonly [string, boolean])[] = [
    ['0.00 or no number', /(?<![\d.])0\.00|NaN|undefined/.test(text)],
    ['paid', /Paid: EUR|is paid\.|was paid/.test(text) && charged === 0],
    ['paid so much', amountIn(/Paid: EUR ([\d.]+)/) > charged],
    [
      'went back',
      /EUR ([\d.]+) of the EUR .* went back/.test(text) &&
        amountIn(/EUR ([\d.]+) of the/) > refunded,
    ],
    [
      'all went back',
      /All that was paid went back/.test(text) && (refunded === 0 || refunded < charged),
    ],
    [
      'it went back',
      /^.*(?<!whether )EUR [\d.]+ went back\./.test(text) &&
        !/whether/.test(text) &&
        refunded === 0,
    ],
    ['nothing is to be paid', /Nothing is (to be paid|left to pay)/.test(text) && charged < due],
    // Words that were true a moment ago may stay until the next reading.
    [
      'no card was charged',
      /No card was charged|Nothing was charged now|charged nothing/.test(text) &&
        before.charged > 0 &&
        !/is paid|Paid/.test(text),
    ],
    [
      'still to be paid',
      /EUR [\d.]+ is to be paid/.test(text) && !/^.*At \d/.test(text) && before.charged >= due,
    ],
    ['take although paid', has('take') && before.charged >= due],
    [
      'refund although all went back',
      (has('refund') || has('giveBack')) && before.charged > 0 && before.refunded >= before.charged,
    ],
    ['refund although nothing was paid', (has('refund') || has('giveBack')) && charged === 0],
    ['take beside a refund that is being confirmed', has('take') && has('giveBack')],
    ['one control twice', new Set(controls.map(({ act }) => act)).size < controls.length],
  ];
  return rules.flatMap(([name, isUntrue]) =>
    isUntrue ? [`${name}: ${text} [${controls.map(({ label }) => label).join(' | ')}]`] : [],
  );
}

/** Holds what each control's place was, over all cases of one width. */
export function createPlaces() {
  const places = new Map<string, readonly number[]>();
  return {
    /** Controls that were drawn where another one ever was. */
    check({ controls }: Seen): string[] {
      const faults: string[] = [];
      for (const { act, box } of controls) {
        if (act === '' || box[2] === 0) continue;
        places.set(act, box);
        for (const [other, [x = 0, y = 0, width = 0, height = 0]] of places) {
          const isApart =
            box[0] >= x + width - 1 ||
            x >= box[0] + box[2] - 1 ||
            box[1] >= y + height - 1 ||
            y >= box[1] + box[3] - 1;
          if (other !== act && !isApart) faults.push(`${act} is where ${other} was`);
        }
      }
      return faults;
    },
  };
}

/** A page with a server of its own, in which one case after the other is played. */
export interface Lane {
  readonly page: Page;
  readonly surface: Surface;
  readonly server: WatchedServer;
  readonly places: ReturnType<typeof createPlaces>;
  /** Is told each change of the screen. */
  judge: (seen: Seen) => void;
}

export async function openLane(
  context: BrowserContext,
  of: Pick<Lane, 'surface' | 'server' | 'places'>,
): Promise<Lane> {
  await context.clock.install();
  const lane: Lane = { ...of, page: await context.newPage(), judge: () => undefined };
  await context.exposeFunction('sawScreen', (seen: Seen) => lane.judge(seen));
  await context.addInitScript(watchScreen(of.surface));
  return lane;
}

/** Ends the case before: its page, its faults and its notes. */
export async function beginAnew({ page, server }: Lane): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().setOffline(false);
  // A page of the same origin without a script, in the same process.
  await page.goto(`${server.url}/health`);
  await page.evaluate('localStorage.clear()');
}

/** Watches the page during a case. */
function watch(lane: Lane) {
  const { server, places } = lane;
  const faults: string[] = [];
  const history: { readonly at: number; readonly truth: Truth }[] = [];
  let visit: { readonly id: string; readonly due: number } | undefined;
  let changes = 0;
  let last: Seen | undefined;

  function truthAt(at: number): Truth {
    const id = visit?.id ?? '';
    const truth = {
      charged: server.charged(id).processor,
      refunded: server.refunded(id).processor,
    };
    history.push({ at, truth });
    return truth;
  }
  const truthNow = () => truthAt(last?.at ?? 0);

  function judge(seen: Seen): void {
    last = seen;
    changes += 1;
    faults.push(...places.check(seen));
    if (visit === undefined) return;
    const truth = truthAt(seen.at);
    const before = history.findLast(({ at }) => at < seen.at - graceMs)?.truth;
    faults.push(...untrue(seen, visit.due, truth, before ?? { charged: 0, refunded: 0 }));
  }

  lane.judge = judge;
  return {
    begin(id: string, due: number): void {
      visit = { id, due };
      truthNow();
    },
    /** At rest, the words are those of this moment. */
    judgeAtRest(tip: number): void {
      if (last === undefined || visit === undefined) return;
      const { due } = visit;
      const truth = truthNow();
      faults.push(...untrue(last, due, truth, truth).map((fault) => `at rest: ${fault}`));
      const { text } = last;
      if (truth.charged > due + tip) faults.push(`charged ${truth.charged} of ${due + tip}`);
      const isTold = /Paid|paid|went back|way back|not known|does not answer|asked again/.test(
        text,
      );
      if (truth.charged > 0 && !isTold) faults.push(`at rest, nothing of the charge: ${text}`);
    },
    truth: truthNow,
    changes: () => changes,
    last: () => last,
    faults,
  };
}

const plainSteps = [
  'ready',
  'presenting',
  'card',
  'declined',
  'stopped',
  'paid',
  'asking',
  'giveBack',
  'refunded',
] as const;
/** Steps of a shop that asks for tips. */
const tipSteps = ['tipping', 'tipped', 'tipBack'] as const;
const faultNames = [
  'none',
  'books fail',
  'books late',
  'answers lost',
  'requests lost',
  'offline',
  'reload',
  'reload, books fail',
  'other phone pays',
  'owner refunds',
  'storage full',
  'server killed',
] as const;
type Step = (typeof plainSteps)[number] | (typeof tipSteps)[number];
type Fault = (typeof faultNames)[number];
export type Case = readonly [Step, Fault];
const casesOf = (steps: readonly Step[]): readonly Case[] =>
  steps.flatMap((step) => faultNames.map((fault) => [step, fault] as const));

const patience = { timeout: 30_000 };

/** Lets the time of the page pass, and the server answer what the page asks meanwhile. */
export async function pass(page: Page, ms: number): Promise<void> {
  const stepMs = 500;
  for (let passed = 0; passed < ms; passed += stepMs) {
    await page.clock.runFor(Math.min(stepMs, ms - passed));
    // An answer that is held back never comes: this only gives the others their turn.
    await page.waitForFunction('globalThis.asking === 0', null, { timeout: 200 }).catch(() => {});
  }
}

async function press(page: Page, surface: Surface, act: string): Promise<void> {
  await page.click(surface.at(act), patience);
}

/** Goes to a step; the last act of it is returned, so that a fault can come before it. */
async function goTo(page: Page, surface: Surface, step: Step): Promise<() => Promise<void>> {
  const shown = (act: string) => page.waitForSelector(surface.at(act), patience);
  const does = (act: string) => () => press(page, surface, act);
  const says = (words: RegExp) => page.getByText(words).first().waitFor(patience);
  const isTipped = step === 'tipped' || step === 'tipBack';
  const present = async () => {
    await press(page, surface, 'take');
    if (isTipped) await press(page, surface, surface.tip);
    await shown('stop');
    await says(/Ready for a card/);
  };
  const pay = async () => {
    await present();
    await surface.hold(page, 'visa_credit');
    await shown('refund');
  };
  const nothing = async () => undefined;
  switch (step) {
    case 'ready':
      await shown('take');
      return nothing;
    case 'presenting':
      await shown('take');
      return does('take');
    case 'tipping':
      await press(page, surface, 'take');
      await shown(surface.tip);
      return nothing;
    case 'card':
    case 'declined':
      await present();
      return () => surface.hold(page, step === 'card' ? 'visa_credit' : 'declined');
    case 'stopped':
      await present();
      return does('stop');
    case 'paid':
    case 'tipped':
      await pay();
      return nothing;
    case 'asking':
      await pay();
      return does('refund');
    case 'giveBack':
    case 'tipBack':
      await pay();
      await press(page, surface, step === 'tipBack' ? 'refundTip' : 'refund');
      await shown('giveBack');
      return does('giveBack');
    case 'refunded':
      await pay();
      await press(page, surface, 'refund');
      await press(page, surface, 'giveBack');
      await says(/went back/);
      return nothing;
  }
}

const paymentCalls = /\/(captured|refunds|contactlessPayments)(\?|$)/;
const isPost = (route: Route) => route.request().method() === 'POST';

async function isUp(url: string): Promise<boolean> {
  return fetch(`${url}/till/books`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Begins a fault; the returned function ends it. */
async function begin(
  fault: Fault,
  { page, surface, server }: Lane,
  id: string,
): Promise<() => Promise<unknown>> {
  const others = othersAt(server.url);
  const until = async (pattern: RegExp, handle: (route: Route) => unknown) => {
    await page.route(pattern, (route) => void handle(route));
    return () => page.unroute(pattern);
  };
  switch (fault) {
    case 'books fail':
      return until(surface.books, (route) => (isPost(route) ? route.continue() : route.abort()));
    case 'books late': {
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = await until(surface.books, async (route) => {
        await promise;
        await route.continue().catch(() => undefined);
      });
      return () => {
        resolve();
        return end();
      };
    }
    case 'answers lost':
      return until(paymentCalls, async (route) => {
        if (!isPost(route)) return route.continue();
        await route.fetch().catch(() => undefined);
        await route.abort().catch(() => undefined);
      });
    case 'requests lost':
      return until(paymentCalls, (route) => (isPost(route) ? route.abort() : route.continue()));
    case 'offline':
      await page.context().setOffline(true);
      return () => page.context().setOffline(false);
    case 'other phone pays':
      await others.pay(id);
      break;
    case 'owner refunds':
      await others.refund(id);
      break;
    case 'storage full':
      await page.evaluate(
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
      );
      break;
    case 'server killed':
      await fetch(`${server.url}/till/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ do: 'kill', at: 'now' }),
      }).catch(() => undefined);
      // The client's waits pass at once, and the start of a server does not.
      return () => expect.poll(() => isUp(server.url), patience).toBe(true);
    default:
  }
  return async () => undefined;
}

/** Whether the screen still waits for an answer. */
const isWaiting = (text: string) =>
  /^.*(Reading what|Starting|being finished|is being asked|Giving back|Stopping|does not answer, so)/.test(
    text,
  );

/** Plays one case, and returns what was untrue. */
export async function play(lane: Lane, [step, fault]: Case): Promise<string[]> {
  const { page, surface } = lane;
  await beginAnew(lane);
  const watching = watch(lane);
  const { id, due } = await surface.open(page);
  watching.begin(id, due);
  const act = await goTo(page, surface, step);
  const end = await begin(fault, lane, id);
  watching.truth();
  await act().catch(() => undefined);
  if (fault.startsWith('reload')) {
    const heal = fault === 'reload' ? undefined : await begin('books fail', lane, id);
    await pass(page, 60);
    await surface.reload(page, id);
    await pass(page, 1500);
    await heal?.();
  } else {
    await pass(page, 1500);
  }
  await end();
  // Lets the page come to rest, and presses "Check again" where it asks for that.
  for (let tries = 0; tries < 40; tries += 1) {
    await pass(page, 500);
    await page.evaluate('globalThis.lookAtScreen?.()');
    const last = watching.last();
    const check = last?.controls.some((control) => control.act === 'check') === true;
    if (check && tries > 2 && tries % 6 === 3)
      await press(page, surface, 'check').catch(() => undefined);
    if (last !== undefined && !isWaiting(last.text) && !check && tries > 3) break;
    if (last !== undefined && !isWaiting(last.text) && fault === 'storage full' && tries > 8) break;
  }
  // Another phone's act is read within the grace.
  const isByOthers = fault === 'other phone pays' || fault === 'owner refunds';
  if (isByOthers) await pass(page, 4000);
  await page.evaluate('globalThis.lookAtScreen?.()');
  watching.judgeAtRest(step === 'tipped' || step === 'tipBack' ? due * 0.1 : 0);
  expect(watching.changes()).toBeGreaterThan(0);
  return watching.faults.map((each) => `${surface.name}, ${step}, ${fault}: ${each}`);
}

export const delaysMs = [40, 150, 300, 700, 1500] as const;
/** A control that is tapped twice, with the step at which it is there, and the fault that brings it. */
export type DoubleTap = readonly [control: string, step: Step, delayMs: number, fault: Fault];
const tapsOf = (
  of: readonly (readonly [control: string, step: Step, fault?: Fault])[],
): readonly DoubleTap[] =>
  of.flatMap(([control, step, fault = 'none']) =>
    delaysMs.map((delayMs) => [control, step, delayMs, fault] as const),
  );

export const plain = {
  cases: casesOf(plainSteps),
  taps: tapsOf([
    ['take', 'ready'],
    ['stop', 'presenting'],
    ['stop', 'card', 'requests lost'],
    ['leave', 'paid'],
    ['leave', 'refunded'],
    ['refund', 'paid'],
    ['keep', 'asking'],
    ['giveBack', 'asking'],
    ['drop', 'declined'],
    ['take', 'declined'],
    ['check', 'ready', 'books fail'],
  ]),
};
export const tips = {
  cases: casesOf(tipSteps),
  taps: tapsOf([
    ['take', 'ready'],
    ['tip', 'tipping'],
    ['refundTip', 'tipped'],
    ['refund', 'tipped'],
  ]),
};

/** Taps a control twice at the same point; the second tap must meet the same control, or none. */
export async function tapTwice(
  lane: Lane,
  [control, step, delayMs, fault]: DoubleTap,
): Promise<string[]> {
  const { page, surface } = lane;
  await beginAnew(lane);
  const watching = watch(lane);
  const { id, due } = await surface.open(page);
  watching.begin(id, due);
  const act = await goTo(page, surface, step);
  const end = await begin(fault, lane, id);
  await act();
  if (fault !== 'none') await pass(page, 1000);
  const named = control === 'tip' ? surface.tip : control;
  const button = page.locator(surface.at(named));
  const box = await button.boundingBox(patience);
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
  await page.evaluate('globalThis.clicked.length = 0');
  const before = watching.truth();
  await page.mouse.click(x, y);
  await pass(page, delayMs);
  await page.mouse.click(x, y);
  await pass(page, 900);
  await end();
  const clicked = await page.evaluate<string[]>('globalThis.clicked');
  const { charged, refunded } = watching.truth();
  const faults = [...watching.faults];
  const [, second = ''] = clicked;
  // Under a fault it may be gone before the first tap.
  const isMissed = fault !== 'none' && clicked[0] === '';
  if (clicked[0] !== named && !isMissed) faults.push(`the first tap met ${clicked[0]}`);
  if (second !== '' && second !== named) faults.push(`the second tap met ${second}`);
  if (control !== 'giveBack' && refunded !== before.refunded) faults.push(`${refunded} went back`);
  if (control === 'giveBack' && refunded > due) faults.push(`${refunded} went back`);
  if (charged !== before.charged) faults.push(`${charged} was charged`);
  return faults.map((each) => `${surface.name}, ${control} twice after ${delayMs} ms: ${each}`);
}
