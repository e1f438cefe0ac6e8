import { setTimeout as delay } from 'node:timers/promises';
import { createRetries } from '@chairside/core/storage';

export interface Patience {
  readonly maxAttempts: number;
  readonly deadlineMs: number;
}

/** Returns whether to retry, after a growing pause, as long as the deadline has not passed. */
export function createRetry({ maxAttempts, deadlineMs }: Patience): () => Promise<boolean> {
  const begunAt = performance.now();
  const again = createRetries(maxAttempts, delay)();
  return async () => performance.now() - begunAt <= deadlineMs && (await again());
}
