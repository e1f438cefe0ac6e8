import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';

export type Tasks = Record<string, (input: never) => Promise<unknown>>;

/** Starts a file as a process of its own, which carries out tasks. */
export function startChild(file: URL, execArgv: string[]) {
  const child = fork(file, { execArgv, serialization: 'advanced' });
  const done = new EventEmitter();
  child.on('message', ([id, ended]: [string, unknown]) => done.emit(id, ended));
  child.once('exit', (code) => code !== 0 && done.emit('error', new Error(`${file} has failed`)));
  return {
    async ask<T>(task: string, input?: unknown): Promise<Readonly<{ value: T; ms: number }>> {
      const id = crypto.randomUUID();
      child.send([id, task, input]);
      const [ended] = await once(done, id);
      return ended;
    },
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** The child's side. A rejection ends the process. */
export function carryOut(tasks: Tasks, close: () => Promise<unknown>): void {
  process.on('disconnect', () => void close().finally(() => process.exit()));
  process.on('message', async ([id, task, input]: [string, string, unknown]) => {
    const startedAt = performance.now();
    const value = await tasks[task]?.(input as never); // cast: the parent knows the task's input
    process.send?.([id, { value, ms: performance.now() - startedAt }]);
  });
}
