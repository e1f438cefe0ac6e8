// The sweep's page. Each life of an app is a frame, and removing the frame kills the app. Only
// `localStorage` survives.
import type { SweptCard } from '../sweep/cards.ts';
import type { Happening } from '../sweep/life.ts';
import type { FrameReport, FrameRun } from './frame.ts';

export interface PagePlan {
  readonly card: SweptCard;
  readonly kills?: readonly number[];
  readonly lostAnswer?: number;
  readonly crash?: FrameRun['crash'];
  /** The server is killed too, after the app's first death. */
  readonly crashesBetween?: true;
}

export interface Played {
  readonly plan: PagePlan;
  readonly appointmentId: string;
  readonly first: FrameReport | undefined;
  readonly last: FrameReport | undefined;
  readonly kills: number;
  readonly lost: number;
  readonly happenings: readonly Happening[];
  /** The content of the storage. */
  readonly notes: readonly string[];
}

interface Script {
  textContent: string;
}
interface Document {
  createElement(name: 'iframe'): Frame;
  createElement(name: 'script'): Script;
  readonly body: { append(element: Frame | Script): void };
}
interface Frame {
  readonly contentDocument: Document;
  readonly contentWindow: { readonly play: typeof play };
  remove(): void;
}

declare global {
  /** @param app the bundle of `frame.ts` */
  function sweep(
    plans: readonly PagePlan[],
    lanes: number,
    app: string,
  ): Promise<readonly Played[]>;
}
declare const document: Document;

const due = '45.00';
const maxLives = 4;

/** Plays the plans, up to the given number at once. */
globalThis.sweep = async (plans, lanes, app) => {
  const played: Played[] = [];
  const left = [...plans];
  async function lane(number: number): Promise<void> {
    for (let plan = left.shift(); plan !== undefined; plan = left.shift()) {
      played.push(await playOne(plan, `barber-${number}`, app));
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  return played;
};

async function playOne(plan: PagePlan, subject: string, app: string): Promise<Played> {
  const { card, kills = [], lostAnswer, crash, crashesBetween } = plan;
  const prefix = `chairside/1/${subject}/`;
  const own = () => Object.entries(localStorage).filter(([key]) => key.startsWith(prefix));
  for (const [key] of own()) localStorage.removeItem(key);
  const appointmentId = await newAppointment();
  const happenings: Happening[] = [];
  let first: FrameReport | undefined;
  let last: FrameReport | undefined;
  let died = crash === undefined ? 0 : 1;
  let lost = 0;
  for (let life = 0; life < maxLives; life += 1) {
    const isFirst = life === 0;
    const frame = openFrame(app);
    last = await frame.contentWindow.play(
      {
        appointmentId,
        subject,
        card,
        taps: happenings.filter((what) => 'tap' in what).length,
        fate: { killAt: kills[life], lostAnswer: isFirst ? lostAnswer : undefined },
        ...(isFirst && crash !== undefined && { crash }),
      },
      (what) => void happenings.push(what),
    );
    frame.remove();
    first ??= last;
    lost += last.lost;
    if (!last.died) break;
    died += 1;
    if (crashesBetween && isFirst) await crashServer();
  }
  const notes = own().map(([, note]) => String(note));
  return { plan, appointmentId, first, last, kills: died, lost, happenings, notes };
}

/** An empty frame has the origin of the page, and runs the script at once. */
function openFrame(app: string): Frame {
  const frame = document.createElement('iframe');
  document.body.append(frame);
  const script = frame.contentDocument.createElement('script');
  script.textContent = app;
  frame.contentDocument.body.append(script);
  return frame;
}

async function newAppointment(): Promise<string> {
  const made = await fetch('/demo/appointments', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amountDue: due }),
  });
  // cast: the local server's own route
  const { id } = (await made.json()) as { readonly id: string };
  return id;
}
