// What runs in the page: bundled, so that it is what a browser gets.
import type { Collected } from '../../src/index.ts';
import { localStorageJournal } from '../../src/journals.ts';
import { cardOf, type SweptCard } from '../sweep/cards.ts';
import { type Fate, type Happening, live } from '../sweep/life.ts';

export interface PageRun {
  readonly appointmentId: string;
  readonly card: SweptCard;
  /** Cards that earlier lives of the app have read. */
  readonly taps: number;
  /** The first life begins with an empty storage. */
  readonly isFirst: boolean;
  readonly fate: Pick<Fate, 'killAt' | 'lostAnswer'>;
  /** The server is killed around this request. */
  readonly crash?: { readonly request: number; readonly when: 'before' | 'during' | 'after' };
}

export interface PageReport {
  readonly died: boolean;
  readonly step: string | undefined;
  readonly points: number;
  readonly requests: number;
  readonly lost: number;
  readonly notes: readonly string[];
}

declare global {
  /** Kills the server and starts it again; resolves when it listens. */
  function crashServer(): Promise<void>;
  function happened(what: Happening): Promise<void>;
  function play(run: PageRun): Promise<PageReport>;
}

declare const location: { readonly origin: string };

const saidBy: Readonly<Record<string, Collected>> = {
  authorized: 'approved',
  processing: 'processing',
  declined: 'declined',
  canceled: 'canceled',
};

/** Waiting is shorter here: what it waits for is on this machine. */
const faster = 20;

globalThis.play = async ({ appointmentId, card, taps: before, isFirst, fate, crash }) => {
  if (isFirst) localStorage.clear();
  let taps = before;
  let requests = 0;
  const life = live(
    {
      baseUrl: location.origin,
      journal: localStorageJournal(localStorage),
      newKey: () => crypto.randomUUID(),
      time: {
        now: () => Date.now(),
        after(ms, run) {
          const timer = setTimeout(run, ms >= 15_000 ? ms : ms / faster);
          return () => clearTimeout(timer);
        },
      },
      async fetch(url, init) {
        requests += 1;
        const when = requests === crash?.request ? crash.when : undefined;
        if (when === 'before') await crashServer();
        const answer = fetch(url, init);
        if (when === 'during') {
          await crashServer();
          return answer;
        }
        const answered = await answer;
        if (when === 'after') await crashServer();
        return answered;
      },
      async present(clientSecret) {
        taps += 1;
        void happened({ tap: clientSecret });
        const response = await fetch('/demo/taps', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ clientSecret, card: cardOf(card, taps) }),
        });
        return saidBy[/"status":"(\w+)"/.exec(await response.text())?.[1] ?? ''] ?? 'unknown';
      },
      happened: (what) => void happened(what),
    },
    appointmentId,
    fate,
  );
  const ended = await Promise.race([life.done.then((taking) => ({ taking })), life.died]);
  const notes = Object.entries(localStorage).map(([, value]) => String(value));
  return {
    died: ended === undefined,
    step: ended?.taking?.step,
    points: life.points(),
    requests: life.requests(),
    lost: life.lost(),
    notes,
  };
};
