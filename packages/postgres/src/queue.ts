import { setImmediate as atEndOfTurn } from 'node:timers';

/** More than this are refused: they could not be carried out before their callers give up. */
const maxWaiting = 10_000;

export interface Limits {
  /** How many groups are under way at once. */
  readonly maxGroups: number;
  readonly maxJobs: number;
  /** Of a group; a larger job goes alone. */
  readonly maxCharacters: number;
  /** A job that has waited for so long is refused. */
  readonly longestWaitMs: number;
}

interface Sized {
  readonly text: string;
}

interface Waiting<Job, Answer> {
  readonly job: Job;
  readonly since: number;
  readonly resolve: (answer: Answer) => void;
}

/**
 * Carries out in groups what is asked for one by one. What came in one turn of the event loop goes
 * together, and so does what came while as many groups as may be were under way. A job alone waits
 * for the end of its turn, and for no other job.
 * @param carryOut answers each job of the group, in order; never rejects
 */
export function createQueue<Job extends Sized, Answer>(
  limits: Limits,
  carryOut: (group: readonly Job[]) => Promise<readonly Answer[]>,
  refused: (error: Error) => Answer,
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
    const answers = await carryOut(group.map(({ job }) => job));
    for (const [index, { resolve }] of group.entries()) {
      resolve(answers[index] ?? refused(new Error('A job has no answer')));
    }
    underWay -= 1;
    schedule();
  }

  function take(): readonly Waiting<Job, Answer>[] {
    const latest = performance.now() - limits.longestWaitMs;
    const inTime = waiting.findIndex(({ since }) => since > latest);
    for (const { resolve } of waiting.splice(0, inTime === -1 ? waiting.length : inTime)) {
      resolve(refused(new Error('It waited for too long')));
    }
    let characters = 0;
    const beyond = waiting.findIndex(({ job }, index) => {
      characters += job.text.length;
      return index === limits.maxJobs || (index > 0 && characters > limits.maxCharacters);
    });
    return waiting.splice(0, beyond === -1 ? waiting.length : beyond);
  }

  return (job) =>
    new Promise((resolve) => {
      if (waiting.length >= maxWaiting) {
        resolve(refused(new Error('Too many calls wait')));
        return;
      }
      waiting.push({ job, since: performance.now(), resolve });
      schedule();
    });
}
