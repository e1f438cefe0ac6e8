import { Worker } from 'node:worker_threads';
import type { Ground } from './ground.ts';

/** The thread's report on one checkpoint. */
interface Report {
  /** The path of a file that was deleted, moved or replaced. */
  readonly lost?: string;
  /** Pages that could not be copied, because a connection still reads what they replace. */
  readonly held?: number;
  readonly failed?: { readonly code: string; readonly message: string };
}

export interface CheckpointThread {
  readonly checkpoint: () => void;
  /** Resolves when the thread has ended. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the thread. Throws if the runtime has no threads.
 *
 * @param path the resolved one, because the working directory may change.
 * @param on.done is called after each checkpoint, with the error if it failed, else with the pages that readers hold.
 * @param on.lost is called instead if a file is lost, and no checkpoint was made.
 * @param on.gone is called if the thread ends unexpectedly, with the reason if there is one.
 */
export function startCheckpointThread(
  path: string,
  ground: Ground,
  on: {
    readonly lost: (path: string) => void;
    readonly done: (failed: Error | undefined, held: number) => void;
    readonly gone: (reason: unknown) => void;
  },
): CheckpointThread {
  // A literal, because bundlers find the file by it.
  const worker = new Worker(new URL('./checkpoint-worker.js', import.meta.url), {
    workerData: { path, ground },
  });
  let isClosing = false;
  let isGone = false;
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));

  worker.on('message', ({ lost, failed, held = 0 }: Report) =>
    lost === undefined ? on.done(failed && errorOf(failed), held) : on.lost(lost),
  );
  worker.on('error', end);
  worker.on('exit', (code) => end(new Error(`The checkpoint thread ended with code ${code}`)));
  // After adding the listeners, because a message listener keeps the process alive.
  worker.unref();

  function end(reason: unknown): void {
    if (isGone || isClosing) return;
    isGone = true;
    on.gone(reason);
  }

  return {
    checkpoint: () => worker.postMessage('checkpoint'),
    close() {
      isClosing = true;
      worker.ref();
      worker.postMessage('close');
      return exited;
    },
  };
}

function errorOf({ code, message }: NonNullable<Report['failed']>): Error {
  return Object.assign(new Error(message), { code });
}
