import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Args } from './args.ts';
import { askChild } from './child.ts';
import { type Load, type LoadTask, median } from './load.ts';
import { operations, prepareAll, serve } from './targets/chairside.ts';
import { must, openShop, type Shop } from './targets/shop.ts';

interface Sample {
  readonly minutes: number;
  readonly heapMb: number;
  readonly rssMb: number;
  readonly delayP99Ms: number;
  readonly rate: number;
  readonly wrong: number;
}

/** The number of requests in one turn of each operation: a few seconds' work. */
const perTurn = 20_000;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Creates, captures and reads for a long time, with upkeep, and shows any growth. */
export async function soak({ minutes, folder }: Args): Promise<void> {
  const own = mkdtempSync(join(folder, 'soak-'));
  const shop = await openShop({ folder: own });
  const server = await serve(shop);
  const stop = new AbortController();
  const upkeep = keepUp(shop, stop.signal);
  const startedAt = performance.now();
  const samples: Sample[] = [];
  try {
    for (let elapsed = 0; elapsed < minutes; ) {
      const turn = await takeTurn(shop, server.port);
      elapsed = (performance.now() - startedAt) / 60_000;
      const sample = { minutes: elapsed, ...memory(), ...turn };
      samples.push(sample);
      console.log(line(sample));
    }
  } finally {
    stop.abort();
    await upkeep;
    await server.close();
    await shop.close();
    rmSync(own, { recursive: true });
  }
  console.log(`\n${growth(samples)}`);
  if (samples.some(({ wrong }) => wrong > 0)) process.exitCode = 1;
}

async function takeTurn(shop: Shop, port: number) {
  const loopDelay = monitorEventLoopDelay({ resolution: 5 });
  const rates: number[] = [];
  let wrong = 0;
  for (const operation of [operations.create, operations.capture, operations.get]) {
    const requests = await prepareAll(operation, shop, perTurn);
    const duration = { connections: 64, warmUpSeconds: 0, seconds: 5 };
    const task: LoadTask = { ...duration, ports: [port], requests, repeats: false };
    loopDelay.enable();
    const load = await askChild<Load>(new URL('load-process.ts', import.meta.url), task);
    loopDelay.disable();
    rates.push(load.rate);
    wrong += load.wrong;
  }
  const rate = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  return { delayP99Ms: loopDelay.percentile(99) / 1e6, rate, wrong };
}

/** Runs the upkeep of a host's timer. */
async function keepUp({ chairside }: Shop, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    must(await chairside.events.deliver(async () => {}, { limit: 1000 }));
    must(await chairside.reconcile({ limit: 1000 }));
    await delay(1000);
  }
}

function memory() {
  collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  return { heapMb: heapUsed / 2 ** 20, rssMb: rss / 2 ** 20 };
}

const line = ({ minutes, heapMb, rssMb, delayP99Ms, rate, wrong }: Sample) =>
  `${minutes.toFixed(1)} min   heap ${heapMb.toFixed(0)} MB   RSS ${rssMb.toFixed(0)} MB   ` +
  `event loop p99 ${delayP99Ms.toFixed(1)} ms   ${rate.toFixed(0)} req/s   ${wrong} wrong`;

/**
 * The first fifth is warm-up. Of the rest, the medians of the first and the last quarter are
 * compared. A single sample depends on the present size of the simulated ledger.
 */
function growth(samples: readonly Sample[]): string {
  if (samples.length < 5) return 'too short to tell';
  const warm = samples.slice(Math.floor(samples.length / 5));
  const quarter = Math.ceil(warm.length / 4);
  const [first, last] = [warm.slice(0, quarter), warm.slice(-quarter)];
  const grown = (of: (sample: Sample) => number) =>
    ((median(last.map(of)) / median(first.map(of)) - 1) * 100).toFixed(1);
  return `after warm-up: heap ${grown((s) => s.heapMb)} %, RSS ${grown((s) => s.rssMb)} %`;
}
