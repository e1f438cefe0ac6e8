import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { askChild } from './child.ts';
import { drive } from './drive.ts';
import { fill } from './fill.ts';
import type { Job, Load, Outcome } from './job.ts';
import type { LoadTask } from './load/generate.ts';
import { profiled } from './profile.ts';
import { scenarios } from './scenarios.ts';
import { measureSpace } from './space.ts';
import type { Served, Target } from './targets/target.ts';

/** Runs one measurement and verifies its effects. */
export async function runJob(job: Job): Promise<Outcome> {
  const folder = mkdtempSync(join(job.folder, 'run-'));
  try {
    if (job.scenario === 'fill') return await fill(job);
    if (job.scenario === 'space') return await measureSpace(job, folder);
    return await measure(job, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(job: Job, folder: string): Promise<Outcome> {
  const scenario = scenarios[job.scenario];
  if (scenario === undefined) throw new Error(`unknown scenario: ${job.scenario}`);
  const target = await scenario.open({
    folder,
    wanted: wanted(job),
    database: job.database,
    profile: job.profile,
  });
  const cpuBefore = process.cpuUsage();
  const load = await profiled(job.profile, () => loadOf(target, job));
  const { user, system } = process.cpuUsage(cpuBefore);
  const commits = await target.commits();
  const cpu = (await target.cpuMicroseconds?.()) ?? user + system;
  const roundTrips = await target.roundTrips?.();
  const faults = await target.verify(load.answered);
  await target.close();
  return {
    load,
    commits,
    cpuMicroseconds: cpu / load.answered,
    ...(roundTrips !== undefined && { roundTrips: roundTrips / load.answered }),
    faults,
  };
}

function loadOf(target: Target, job: Job): Promise<Load> {
  return 'ports' in target ? loadOver(target, job) : drive(target, job);
}

/** A separate process generates the load, for every target alike. */
function loadOver({ ports, requests, repeats }: Served, job: Job): Promise<Load> {
  const { connections, seconds, warmUpSeconds } = job;
  return askChild<LoadTask, Load>(new URL('load/main.ts', import.meta.url), {
    ports,
    connections,
    seconds,
    warmUpSeconds,
    requests,
    repeats,
  });
}

/** More requests than a machine of today can send in that time. A faster one ends the run early. */
function wanted({ connections, seconds, warmUpSeconds }: Job): number {
  const perSecond = connections === 1 ? 4000 : connections <= 8 ? 7000 : 12_000;
  return Math.ceil((seconds + warmUpSeconds) * perSecond) + connections;
}
