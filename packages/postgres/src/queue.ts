import { setImmediate as atEndOfTurn } from 'node:timers';

/** Jobs beyond this are refused: they would finish after their callers give up. */
const maxWaiting = 10_000;

export interface Limits {
  /** The maximum of concurrent groups. */
  readonly maxGroups: number;
  readonly maxJobs: number;
  /** The maximum size of a group; a larger job is sent alone. */
  readonly maxCharacters: number;
  /** A job that has waited for this long is refused. */
  readonly longestWaitMs: number;
}

export interface Sized {
  /** The size of its text, roughly. */
  readonly characters: number;
}

interface Waiting<Job, Answer> {
  readonly job: Job;
  readonly since: number;
  readonly resolve: (answer: Answer) => void;
}

/**
 * Runs jobs in groups. Jobs of one turn of the event loop share a group, and so do jobs that arrive
 * while the maximum of groups is running. A single job waits only for the end of its turn.
 * @param carryOut returns a result for each job of the group, in order
 * @param choose takes the first job and any others; the rest wait for the next group
 * @param failed makes the result of a job that was refused, or whose group failed
 */
export function createQueue<Job extends Sized, Answer>(
  limits: Limits,
  carryOut: (group: readonly Job[]) => Promise<readonly Answer[]>,
  failed: (error: unknown, isUndone: boolean) => Answer,
  choose: (jobs: readonly Job[]) => readonly Job[] = (jobs) => jobs,
): (job: Job) => Promise<Answer> {
  const waiting: Waiting<Job, Answer>[] = [];
  let underWay = 0;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || underWay >= limits.maxGroups) return;
    isScheduled = true;
    atEndOfTurn(() => {
      isScheduled = false;
      void run();
    });
  }

  async function run(): Promise<void> {
    const group = take();
    if (group.length === 0) return;
    underWay += 1;
    schedule();
    try {
      const answers = await carryOut(group.map(({ job }) => job));
      for (const [index, { resolve }] of group.entries()) {
        resolve(answers[index] ?? failed(new Error('A job has no answer'), false));
      }
    } catch (error) {
      for (const { resolve } of group) resolve(failed(error, false));
    }
    underWay -= 1;
    schedule();
  }

  function take(): readonly Waiting<Job, Answer>[] {
    const latest = performance.now() - limits.longestWaitMs;
    const inTime = waiting.findIndex(({ since }) => since > latest);
    for (const { resolve } of waiting.splice(0, inTime === -1 ? waiting.length : inTime)) {
      resolve(failed(new Error('The call waited for too long'), true));
    }
    let characters = 0;
    const beyond = waiting.findIndex(({ job }, index) => {
      characters += job.characters;
      return index === limits.maxJobs || (index > 0 && characters > limits.maxCharacters);
    });
    const first = waiting.slice(0, beyond === -1 ? waiting.length : beyond);
    const chosen = new Set(choose(first.map(({ job }) => job)));
    const group = first.filter(({ job }) => chosen.has(job));
    waiting.splice(0, first.length, ...first.filter(({ job }) => !chosen.has(job)));
    return group;
  }

  return (job) =>
    new Promise((resolve) => {
      if (waiting.length >= maxWaiting) {
        resolve(failed(new Error('Too many calls are waiting'), true));
        return;
      }
      waiting.push({ job, since: performance.now(), resolve });
      schedule();
    });
}
