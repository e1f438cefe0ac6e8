/** Work that need not be done before an answer, and a way to wait for it. */
export interface Background {
  run(task: () => Promise<void>): void;
  /** Resolves once nothing runs any more. */
  settled(): Promise<void>;
}

/** More than this at once are left to `reconcile`. */
const maxTasks = 256;

export function createBackground(): Background {
  const tasks = new Set<Promise<void>>();
  return {
    run(task) {
      if (tasks.size >= maxTasks) return;
      // Deferred, so that the answer does not wait even for what the task does first.
      const running: Promise<void> = Promise.resolve()
        .then(task)
        .catch(() => undefined)
        .finally(() => tasks.delete(running));
      tasks.add(running);
    },
    async settled() {
      while (tasks.size > 0) await Promise.all(tasks);
    },
  };
}
