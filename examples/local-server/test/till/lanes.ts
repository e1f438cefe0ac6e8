import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { type BrowserContextOptions, chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  type Case,
  createPlaces,
  type DoubleTap,
  type Lane,
  openLane,
  plain,
  play,
  type Surface,
  tapTwice,
  tips,
} from './untrue.ts';
import { chromiumPath, startWatched, type WatchedServer } from './watched-server.ts';

// Plays all cases in one browser, several at a time. Each lane has a server of its own, which its cases may kill.

interface Sweep {
  readonly context: BrowserContextOptions;
  surfaceOf(server: WatchedServer, ofTips: boolean): Surface;
  /** The same with a page that takes unread books for none. */
  planted(server: WatchedServer): Surface;
  /** What only this surface has. */
  readonly more?: readonly Job[];
}

export interface Job {
  readonly name: string;
  readonly ofTips: boolean;
  readonly isPlanted?: boolean;
  readonly run: (lane: Lane) => Promise<readonly string[]>;
}
const planted = 'unread books count as nothing';

const job = (of: Case, ofTips: boolean): Job => ({
  name: of.join(', '),
  ofTips,
  run: (lane) => play(lane, of),
});
const tap = (of: DoubleTap, ofTips: boolean): Job => {
  const [control, step, delayMs, fault] = of;
  const name = `${control} twice after ${delayMs} ms (${step}, ${fault})`;
  return { name, ofTips, run: (lane) => tapTwice(lane, of) };
};
const jobs: readonly Job[] = [
  { ...job(['ready', 'reload, books fail'], false), name: planted, isPlanted: true },
  ...plain.cases.map((of) => job(of, false)),
  ...plain.taps.map((of) => tap(of, false)),
  ...tips.cases.map((of) => job(of, true)),
  ...tips.taps.map((of) => tap(of, true)),
];
/** Four lanes of a shop without tips, and two of one with them. */
const lanes = [false, false, false, false, true, true];

export function startSweep({ context: options, surfaceOf, planted: plantedOf, more = [] }: Sweep) {
  const all = [...jobs, ...more];
  const ends = new Map(all.map(({ name }) => [name, Promise.withResolvers<readonly string[]>()]));
  const browser = chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--renderer-process-limit=1'],
  });
  const seen = createPlaces();

  async function lane(ofTips: boolean, queue: Job[]): Promise<void> {
    const server = await startWatched(ofTips ? { CHAIRSIDE_TIPS: 'on' } : {});
    const open = async (surface: Surface, places: ReturnType<typeof createPlaces>) =>
      openLane(await (await browser).newContext(options), { surface, server, places });
    const ours = await open(surfaceOf(server, ofTips), seen);
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { name, isPlanted, run } = next;
      const where = isPlanted === true ? await open(plantedOf(server), createPlaces()) : ours;
      const faults = await run(where).catch((error: unknown) => [`could not be played: ${error}`]);
      ends.get(name)?.resolve(faults);
    }
    await server.stop();
  }

  const queues = [false, true].map((ofTips) => all.filter((one) => one.ofTips === ofTips));
  const running = lanes.map((ofTips) => lane(ofTips, queues[ofTips ? 1 : 0] ?? []));
  return {
    faultsOf: async (name: string) => (await ends.get(name)?.promise) ?? ['no such case'],
    async close(): Promise<void> {
      for (const queue of queues) queue.length = 0;
      await Promise.allSettled(running);
      await (await browser).close();
    },
  };
}

/** One test for each case, which waits until a lane has played it. */
export function testSweep(
  sweep: () => ReturnType<typeof startSweep>,
  more: readonly Job[] = [],
): void {
  const names = [...jobs, ...more].flatMap(({ name, isPlanted }) => (isPlanted ? [] : name));
  test.each(names)(
    'say what is true at each change, and let one tap do one thing: %s',
    async (name) => {
      expect(await sweep().faultsOf(name)).toEqual([]);
    },
  );

  test('are found untrue where unread books count as nothing', async () => {
    expect((await sweep().faultsOf(planted)).join('\n')).toContain('nothing is to be paid');
  });
}

/** Plants it in the function that both screens draw. */
export const unreadIsNothing: Plugin = {
  name: 'unread is nothing',
  setup: ({ onLoad }) =>
    onLoad({ filter: /screen-facts\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const nothing = "{ due: '0.00', payments: [] }";
      const contents = source.replace(
        /if \(books\.is === '(unread|failed)'\) return \{ is: [^}]+ \};/g,
        `if (books.is === '$1') return { is: 'fresh', sums: sumsOf(${nothing}), visit: ${nothing}, askedAt: now };`,
      );
      expect(contents).not.toBe(source);
      return { contents, loader: 'ts' };
    }),
};
