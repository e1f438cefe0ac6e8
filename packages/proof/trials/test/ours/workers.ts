import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { SimulateOptions, SimulationReport } from '@chairside/trials';
import type { HarnessName } from './harness.ts';

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

/** The result of a worker; over Stripe's stand-in, also the number of messages that were checked. */
export type Report = SimulationReport & { readonly wire: number };

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

/** Distributes the seeds, and adds up the results. */
export async function simulateOnAllCores(
  { seeds, from = 1, ...all }: Seeds,
  harness: HarnessName = 'map',
  onProgress?: (report: Report) => void,
): Promise<Report> {
  const share = Math.ceil(seeds / threads);
  const reports: Report[] = [];
  const total = () => reports.reduce(sum);
  const jobs = Array.from({ length: threads }, (_, index): Promise<void> => {
    const skipped = index * share;
    const job: Job = {
      does: 'simulate',
      harness,
      ...all,
      from: from + skipped,
      seeds: Math.max(0, Math.min(share, seeds - skipped)),
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
  return {
    runs: a.runs + b.runs,
    requests: a.requests + b.requests,
    succeeded: a.succeeded + b.succeeded,
    faults: a.faults + b.faults,
    wire: a.wire + b.wire,
    ...(failure !== undefined && { failure }),
  };
}
