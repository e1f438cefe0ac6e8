import { join } from 'node:path';
import type { Args } from './args.ts';
import type { Job } from './job.ts';
import { scenarios } from './scenarios.ts';

/** A job, and the name of its figures. */
export interface Planned {
  readonly name: string;
  readonly job: Job;
}

/** Jobs that run once, then the rounds. A round runs every job, so a disturbance affects all alike. */
export function plan(args: Args): Planned[] {
  const { seconds, warmUpSeconds, folder, only } = args;
  const isWanted = (name: string) => only === undefined || only.includes(name);
  const job = (name: string, scenario: string, rest: Partial<Job> = {}): Planned => ({
    name,
    job: { scenario, connections: 1, seconds, warmUpSeconds, folder, ...rest },
  });
  const sizes = isWanted('sizes') ? args.sizes : [];
  const database = (payments: number) => join(folder, `filled-${payments}.db`);

  const once = sizes.map((payments) =>
    job(`fill ${payments}`, 'fill', { payments, database: database(payments) }),
  );

  const round = [
    ...Object.entries(scenarios)
      .filter(([scenario]) => isWanted(scenario))
      .flatMap(([scenario, { connections }]) =>
        connections.map((n) => job(`${scenario} ${n}`, scenario, { connections: n })),
      ),
    ...sizes.map((payments) =>
      job(`size ${payments}`, 'create', { connections: 8, database: database(payments) }),
    ),
  ];
  const rounds = Array.from({ length: args.rounds }, (_, index) =>
    round.map(({ name, job }) => ({ name, job: profiled(job, `${name}-${index + 1}`, args) })),
  );
  return [...once, ...rounds.flat()];
}

function profiled(job: Job, name: string, { profile }: Args): Job {
  if (profile === undefined) return job;
  return { ...job, profile: join(profile, `${name.replace(' ', '-')}.cpuprofile`) };
}
