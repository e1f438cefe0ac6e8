import { join } from 'node:path';
import type { Args } from './args.ts';
import type { Job } from './job.ts';
import { scenarios } from './scenarios.ts';

/** A job, and the name of its figures. */
export interface Planned {
  readonly name: string;
  readonly job: Job;
}

/** Runs once before the rounds: the databases of each size, and the bytes of a payment. */
export function preparations(args: Args): Planned[] {
  const filled = args.sizes.map((payments) => ({
    name: `fill ${payments}`,
    job: { ...base(args), scenario: 'fill', payments, database: filledDatabase(args, payments) },
  }));
  const space = {
    name: 'space',
    job: { ...base(args), scenario: 'space', payments: args.spacePayments },
  };
  return [...(isWanted(args, 'sizes') ? filled : []), ...(isWanted(args, 'space') ? [space] : [])];
}

/** One round runs every job once, so that a disturbance of the machine affects all alike. */
export function round(args: Args, number: number): Planned[] {
  const plain = Object.entries(scenarios)
    .filter(([scenario]) => isWanted(args, scenario))
    .flatMap(([scenario, { connections }]) =>
      connections.map((connections) =>
        plan(args, number, `${scenario} ${connections}`, { scenario, connections }),
      ),
    );
  const sizes = args.sizes.map((payments) =>
    plan(args, number, `size ${payments}`, {
      scenario: 'create',
      connections: 8,
      database: filledDatabase(args, payments),
    }),
  );
  return isWanted(args, 'sizes') ? [...plain, ...sizes] : plain;
}

function plan(args: Args, number: number, name: string, job: Partial<Job>): Planned {
  const file = `${name.replace(' ', '-')}-${number}.cpuprofile`;
  return {
    name,
    job: {
      ...base(args),
      ...job,
      ...(args.profile !== undefined && { profile: join(args.profile, file) }),
    },
  };
}

function base({ seconds, warmUpSeconds, folder }: Args): Job {
  return { scenario: '', connections: 1, seconds, warmUpSeconds, folder };
}

function filledDatabase({ folder }: Args, payments: number): string {
  return join(folder, `filled-${payments}.db`);
}

function isWanted({ only }: Args, name: string): boolean {
  return only === undefined || only.includes(name);
}
