import { setTimeout as delay } from 'node:timers/promises';

/** The limits of retries. */
export interface Patience {
  readonly maxAttempts: number;
  readonly deadlineMs: number;
}

const longestPauseMs = 500;

/**
 * Returns whether to retry, after a growing pause. The pause differs between nodes, so that
 * conflicting nodes do not conflict again.
 */
export function createRetry({ maxAttempts, deadlineMs }: Patience): () => Promise<boolean> {
  const begunAt = performance.now();
  let attempts = 1;
  return async () => {
    if (attempts >= maxAttempts || performance.now() - begunAt > deadlineMs) return false;
    const pauseMs = Math.min(5 * 2 ** attempts, longestPauseMs);
    attempts += 1;
    await delay(pauseMs * (0.5 + Math.random() / 2));
    return true;
  };
}
