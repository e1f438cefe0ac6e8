/** Says whether to try again, after a pause. */
export type Again = () => Promise<boolean>;

const firstPauseMs = 5;
const longestPauseMs = 500;

/**
 * Tries a bounded number of times. The pause doubles and differs from caller to caller, so that
 * transactions that met do not meet again.
 * @param wait resolves after so many milliseconds: `setTimeout` of `node:timers/promises`.
 */
export function createRetries(
  maxAttempts: number,
  wait: (ms: number) => Promise<unknown>,
): () => Again {
  return () => {
    let attempts = 1;
    return async () => {
      if (attempts >= maxAttempts) return false;
      const pauseMs = Math.min(firstPauseMs * 2 ** attempts, longestPauseMs);
      attempts += 1;
      await wait(pauseMs * (0.5 + Math.random() / 2));
      return true;
    };
  };
}
