import { createRunningCount } from '../storage/running-count.ts';
import { tell } from './report.ts';

/** Runs work after the response was sent, and lets a host wait for it. */
export interface Background {
  run(task: () => Promise<void>): void;
  /** Resolves once no task is running. */
  settled(): Promise<void>;
}

/** Keeps the process alive until the promise settles, as serverless platforms offer it. */
export type WaitUntil = (task: Promise<void>) => void;

/** `reconcile` does the tasks beyond this limit. */
const maxTasks = 256;

/**
 * @param onThrown receives what a task throws.
 * @param waitUntil receives each task, for a host whose process may stop after a response.
 */
export function createBackground(
  onThrown: (thrown: unknown) => void,
  waitUntil?: WaitUntil,
): Background {
  const tasks = createRunningCount();
  return {
    run(task) {
      if (tasks.count() >= maxTasks) return;
      tasks.begin();
      // Deferred, so that the response does not wait for the synchronous start of the task.
      const running = Promise.resolve().then(task).catch(onThrown).finally(tasks.end);
      tell(waitUntil, running);
    },
    async settled() {
      while (tasks.count() > 0) await tasks.ended();
    },
  };
}
