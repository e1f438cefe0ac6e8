import { setTimeout as delay } from 'node:timers/promises';

/** How long and how often a call is tried. */
export interface Patience {
  readonly maxAttempts: number;
  readonly deadlineMs: number;
}

const longestPauseMs = 500;

/**
 * Says whether to try again, after a pause that grows, and differs from node to node so that those
 * who met do not meet again.
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
