import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { SimulateOptions, SimulationReport } from '@chairside/trials';
import type { HarnessName } from './harness.ts';
import type { WireCounts } from './watch-wire.ts';

/** The job of one worker: a share of the seeds, or of the planted bugs. */
export type Job =
  | ({
      readonly does: 'simulate';
      readonly harness: HarnessName;
      /** Damages the messages of Stripe's stand-in, which the check must find. */
      readonly isControl?: boolean;
    } & Seeds)
  | { readonly does: 'catch' | 'showAgain' | 'judge'; readonly bugs: readonly string[] }
  | ({ readonly does: 'shrink'; readonly bug: string } & Seeds);

/** The result of a worker; over Stripe's stand-in, also the number of checked messages. */
export type Report = SimulationReport & { readonly wire?: WireCounts };

type Seeds = Pick<SimulateOptions, 'seeds' | 'from' | 'operations'> & { readonly seeds: number };

/**
 * Runs a job in a separate thread, as plain Node. There the core can be loaded with a bug, and no
 * test instrumentation slows it down.
 */
export function inThread<T>(job: Job, onMessage: (message: T) => void): Promise<void> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: job,
    execArgv: ['--conditions=@chairside/source'],
  });
  return new Promise((resolve, reject) => {
    worker.on('message', onMessage);
    worker.on('error', reject);
    worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`exit ${code}`))));
  });
}

export const threads = Math.min(8, Math.max(1, availableParallelism()));

interface AllSeeds {
  readonly seeds: number;
  readonly from: number;
  readonly operations?: number;
  readonly harness?: HarnessName;
  readonly onProgress?: (report: Report) => void;
}

/** Distributes the seeds, and adds up the results. */
export async function simulateOnAllCores(all: AllSeeds): Promise<Report> {
  const { seeds, from, operations, harness = 'map', onProgress } = all;
  const share = Math.ceil(seeds / threads);
  const reports: Report[] = [];
  const total = () => reports.reduce(sum);
  const jobs = Array.from({ length: threads }, (_, index): Promise<void> => {
    const skipped = index * share;
    const job: Job = {
      does: 'simulate',
      harness,
      from: from + skipped,
      seeds: Math.max(0, Math.min(share, seeds - skipped)),
      ...(operations !== undefined && { operations }),
    };
    return inThread<Report>(job, (report) => {
      reports[index] = report;
      onProgress?.(total());
    });
  });
  await Promise.all(jobs);
  return total();
}

function sum(a: Report, b: Report): Report {
  const failure = a.failure ?? b.failure;
  const wire = a.wire && b.wire && sumOfWire(a.wire, b.wire);
  return {
    runs: a.runs + b.runs,
    operations: a.operations + b.operations,
    requests: a.requests + b.requests,
    succeeded: a.succeeded + b.succeeded,
    faults: a.faults + b.faults,
    statements: a.statements + b.statements,
    turns: a.turns + b.turns,
    ...(failure !== undefined && { failure }),
    ...(wire !== undefined && { wire }),
  };
}

function sumOfWire(a: WireCounts, b: WireCounts): WireCounts {
  return {
    requests: a.requests + b.requests,
    replies: a.replies + b.replies,
    events: a.events + b.events,
  };
}
