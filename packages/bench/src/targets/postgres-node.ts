import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Kind } from './over-postgres.ts';

export interface NodeTask {
  readonly kind: Kind;
  readonly connectionString: string;
  /** Where the CPU profile of its life goes. */
  readonly profile: string | undefined;
}

/** What a node tells at its end. */
export interface NodeReport {
  readonly cpuMicroseconds: number;
  /** What its processor has captured in all. */
  readonly takenMinor: number;
}

/** One of many that keep nothing: a process that serves over a database. */
export async function startNode(task: NodeTask) {
  const child = fork(new URL('postgres-node-process.ts', import.meta.url), {
    // From the sources, whether it is a benchmark or a test that runs: what runs is the same.
    execArgv: ['--conditions=@chairside/source'],
    serialization: 'advanced',
  });
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`a node ended with ${code} and without an answer`);
  });
  // Looked at only while an answer is waited for.
  gone.catch(() => {});

  async function ask(message: NodeTask | 'finish'): Promise<unknown> {
    child.send(message);
    const [answer] = await Promise.race([once(child, 'message'), gone]);
    return answer;
  }

  const port = (await ask(task)) as number; // cast: the child runs the same version of this code
  return {
    port,
    /** Ends it. */
    finish: async () => (await ask('finish')) as NodeReport, // cast: as above
  };
}
