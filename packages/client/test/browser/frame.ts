// The app in a frame of the sweep's page, bundled as for a browser.

import { localStorageJournal } from '../../src/journals.ts';
import { simulatedTerminal } from '../../src/simulated-terminal.ts';
import { cardOf, type SweptCard } from '../sweep/cards.ts';
import { type Fate, type Happening, live } from '../sweep/life.ts';

export interface FrameRun {
  readonly appointmentId: string;
  /** Concurrent frames have separate notes. */
  readonly subject: string;
  readonly card: SweptCard;
  /** Cards that earlier lives of the app have read. */
  readonly taps: number;
  readonly fate: Pick<Fate, 'killAt' | 'lostAnswer'>;
  /** The server is killed around this request. */
  readonly crash?: { readonly request: number; readonly when: 'before' | 'during' | 'after' };
}

export interface FrameReport {
  readonly died: boolean;
  readonly step: string | undefined;
  readonly points: number;
  readonly requests: number;
  readonly lost: number;
}

declare global {
  /** Kills the server and starts it again; resolves when it listens. */
  function crashServer(): Promise<void>;
  function play(run: FrameRun, happened: (what: Happening) => void): Promise<FrameReport>;
}

declare const parent: {
  readonly location: { readonly origin: string };
  readonly crashServer: typeof crashServer;
};

/**
 * Waits are shorter here, because the service is on this machine. A slow card takes its 5 seconds.
 */
const fasterOf = (card: SweptCard) => (card === 'slow_to_approve' ? 4 : 20);

globalThis.play = async ({ appointmentId, subject, card, taps: before, fate, crash }, happened) => {
  const { location, crashServer } = parent;
  const baseUrl = location.origin;
  const faster = fasterOf(card);
  let taps = before;
  let requests = 0;
  const terminal = simulatedTerminal({ baseUrl, card: () => cardOf(card, taps) });
  const life = live(
    {
      baseUrl,
      subject,
      token: 'demo-barber',
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
        happened({ tap: clientSecret });
        const { signal } = new AbortController();
        const intent = await terminal.retrieve(clientSecret, signal);
        if ('failed' in intent) return 'unknown';
        const collected = await intent.collect(signal);
        return typeof collected === 'string' ? collected : collected.said;
      },
      happened,
    },
    appointmentId,
    fate,
  );
  const ended = await Promise.race([life.done.then((taking) => ({ taking })), life.died]);
  return {
    died: ended === undefined,
    step: ended?.taking?.step,
    points: life.points(),
    requests: life.requests(),
    lost: life.lost(),
  };
};
