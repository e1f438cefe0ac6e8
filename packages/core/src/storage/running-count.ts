/** Counts what runs now, and lets others wait for its end. */
export interface RunningCount {
  readonly count: () => number;
  begin(): void;
  end(): void;
  /** Resolves once nothing runs. */
  ended(): Promise<void>;
}

/**
 * It only counts. The old tables of a `Set`, which has many insertions and deletions, would keep
 * its entries until a full garbage collection (D161).
 */
export function createRunningCount(): RunningCount {
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    count: () => count,
    begin() {
      count += 1;
    },
    end() {
      count -= 1;
      if (count > 0) return;
      const waited = waiting;
      waiting = [];
      for (const resume of waited) resume();
    },
    ended: async () => {
      if (count > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
