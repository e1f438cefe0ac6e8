import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Kind } from './over-postgres.ts';

export interface NodeTask {
  readonly kind: Kind;
  readonly connectionString: string;
  /** The file for the CPU profile of the process. */
  readonly profile: string | undefined;
}

/** The report of a node at its end. */
export interface NodeReport {
  readonly cpuMicroseconds: number;
  /** The total that its processor has captured. */
  readonly takenMinor: number;
}

/** One of several stateless processes that serve over a database. */
export async function startNode(task: NodeTask) {
  const child = fork(new URL('postgres-node-process.ts', import.meta.url), {
    // From the sources, so that a benchmark and a test run the same code.
    execArgv: ['--conditions=@chairside/source'],
    serialization: 'advanced',
  });
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`a node ended with ${code} and without an answer`);
  });
  // Handled only while a reply is awaited.
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
