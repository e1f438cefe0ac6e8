import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from './child.ts';
import type { Address, Database } from './database.ts';
import { createLoad, type Load } from './load.ts';

/** What a process needs to serve. */
export interface Setup {
  readonly kind: 'chairside' | 'byHand' | 'dbos' | 'drizzle';
  readonly address: Address;
  readonly latencyMs: number;
}

export interface Options extends Partial<Setup> {
  readonly nodes?: number;
  /** The number of appointments to make. */
  readonly appointments?: number;
}

export type Service = Awaited<ReturnType<typeof serve>>;
export type Measured = Awaited<ReturnType<Service['measure']>>;

// As users run it, or from the sources in a test.
const conditions = process.env['VITEST'] === undefined ? [] : ['--conditions=@chairside/source'];
const flags = ['--expose-gc', ...conditions];

export const startNode = () => startChild(new URL('node.ts', import.meta.url), flags);

/** Starts processes that serve over one database. */
export async function serve(kind: Setup['kind'], database: Database, options: Options = {}) {
  const { nodes = 1, appointments = 0, latencyMs = 0 } = options;
  const setup: Setup = { kind, address: database.address, latencyMs };
  const first = startNode();
  const children = [first, ...Array.from({ length: nodes - 1 }, startNode)];
  const ports: number[] = [];
  for (const child of children) ports.push((await child.ask<number>('start', setup)).value);
  if (kind === 'chairside') await first.ask('prepare', appointments);

  async function cpu(): Promise<number> {
    const asked = await Promise.all(children.map((child) => child.ask<number>('cpu')));
    return asked.reduce((sum, { value }) => sum + value, 0);
  }

  return {
    ...{ kind, database, ports, ask: first.ask },
    processor: { latencyMs },
    /** Runs a load, and measures the CPU time of the processes after its warm-up. */
    async measure(seconds: number, warmUp: number, drive: (load: Load) => Promise<void>) {
      const earlier = await database.captured();
      const load = createLoad(ports, seconds, warmUp);
      const before = delay(warmUp * 1000).then(cpu);
      await drive(load);
      const cpuMicroseconds = (await cpu()) - (await before);
      const { times, wrong, captured } = load;
      load.close();
      const stored = (await database.captured()) - earlier;
      // A wrong response voids the result, as does another number of captures than of responses.
      if (wrong.length > 0 || stored !== captured) {
        process.exitCode = 1;
        console.error(`${stored} of ${captured} captures, ${wrong.length} wrong: ${wrong[0]}`);
      }
      return { times, wrong, seconds: (load.lastAt - load.warmAt) / 1000, cpuMicroseconds };
    },
    async stop() {
      for (const child of children) await child.stop();
    },
  };
}
