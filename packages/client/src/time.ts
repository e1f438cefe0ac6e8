/** Time and waiting. Replace it to test without real time. */
export interface Time {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `run` after `ms` milliseconds. The returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const systemTime: Time = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export type Ended<T> =
  | { readonly value: T }
  | { readonly lost: 'timeLimit' | 'aborted' | 'failed' };

/**
 * Runs `work`, and stops waiting for it after `ms` or when `signal` aborts. The signal of `work` aborts at
 * the end of the wait. A throw counts as `failed`, because React Native's fetch rejects with a plain Error
 * for every cause.
 */
export function bounded<T>(
  time: Time,
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Ended<T>> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve({ lost: 'aborted' });
    const inner = new AbortController();
    const end = (ended: Ended<T>) => {
      cancel();
      signal?.removeEventListener('abort', onAbort);
      resolve(ended);
      inner.abort();
    };
    const onAbort = () => end({ lost: 'aborted' });
    // Comes first: if it is not a signal, no timer is left behind that throws as well.
    signal?.addEventListener('abort', onAbort);
    const cancel = time.after(ms, () => end({ lost: 'timeLimit' }));
    const run = async () => work(inner.signal);
    run().then(
      (value) => end({ value }),
      () => end({ lost: 'failed' }),
    );
  });
}

/** Resolves after `ms`, or at once when `signal` aborts. */
export async function wait(time: Time, ms: number, signal?: AbortSignal): Promise<void> {
  await bounded(time, ms, signal, () => new Promise(() => {}));
}
