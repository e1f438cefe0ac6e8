import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { askChild } from './child.ts';
import { fill } from './fill.ts';
import type { Job, Outcome } from './job.ts';
import type { Load, LoadTask } from './load.ts';
import { meterCpu, startProfile } from './machine.ts';
import { scenarios } from './scenarios.ts';
import type { Served } from './targets/target.ts';

/** Runs one measurement and verifies its effects. */
export async function runJob(job: Job): Promise<Outcome> {
  if (job.scenario === 'fill') return fill(job);
  const folder = mkdtempSync(join(job.folder, 'run-'));
  try {
    return await measure(job, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(job: Job, folder: string): Promise<Outcome> {
  const scenario = scenarios[job.scenario];
  if (scenario === undefined) throw new Error(`unknown scenario: ${job.scenario}`);
  const { database, profile } = job;
  const target = await scenario.open({ folder, wanted: wanted(job), database, profile });
  const stopProfile = await startProfile(profile);
  const cpuIn = meterCpu();
  const load = await loadOf(target, job);
  const ownCpu = cpuIn(load.measured);
  await stopProfile();
  const found = await target.finish(load);
  await target.close();
  const { cpuMicrosecondsASecond = ownCpu, roundTrips } = found;
  return {
    ...found,
    load,
    cpuMicroseconds: load.rate === 0 ? 0 : cpuMicrosecondsASecond / load.rate,
    ...(roundTrips !== undefined && { roundTrips: roundTrips / load.answered }),
  };
}

/** A separate process generates the load over HTTP, for every target alike. */
function loadOf(target: Served, job: Job): Promise<Load> {
  const { connections, seconds, warmUpSeconds } = job;
  const { ports, requests, repeats } = target;
  const task: LoadTask = { ports, connections, seconds, warmUpSeconds, requests, repeats };
  return askChild<Load>(new URL('load-process.ts', import.meta.url), task);
}

/** More requests than a machine of today can send in that time. A faster one ends the run early. */
function wanted({ connections, seconds, warmUpSeconds }: Job): number {
  const perSecond = connections === 1 ? 4000 : connections <= 8 ? 7000 : 12_000;
  return Math.ceil((seconds + warmUpSeconds) * perSecond) + connections;
}
