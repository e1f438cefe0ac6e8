import type { Clock, EpochMs } from '@chairside/core';

export type Scheduler = ReturnType<typeof createScheduler>;

interface Turn {
  readonly at: EpochMs;
  readonly act: () => Promise<void>;
}

/** More turns than any run needs: a longer run never ends. */
const maxTurns = 200_000;

/**
 * Runs one turn after the other in virtual time. It is the only source of order and time in a run.
 */
export function createScheduler(start: EpochMs) {
  /** In their order. */
  const turns: Turn[] = [];
  let now = start;
  let taken = 0;
  let moments = 0;

  async function take(): Promise<boolean> {
    const turn = turns.shift();
    if (turn === undefined || taken >= maxTurns) return false;
    taken += 1;
    now = Math.max(now, turn.at);
    await turn.act();
    await everyoneWaits();
    return true;
  }

  return {
    clock: { now: () => now } satisfies Clock,
    /** The number of turns so far. */
    turns: () => taken,
    /** A number that is higher each time. */
    nextMoment() {
      moments += 1;
      return moments;
    },

    /** Runs an action after this many milliseconds, in a turn of its own. */
    after: <T>(ms: number, act: () => T | PromiseLike<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        const run = async () => {
          try {
            resolve(await act());
          } catch (error) {
            reject(error);
          }
        };
        add(turns, { at: now + ms, act: run });
      }),

    /** Takes turns until none is left before `end`, then moves the time to `end`. */
    async runUntil(end: EpochMs): Promise<void> {
      await everyoneWaits();
      for (;;) {
        const [next] = turns;
        if (next === undefined || next.at > end || !(await take())) break;
      }
      now = Math.max(now, end);
    },

    /** Takes turns until the promise is settled; false if the turns run out before. */
    async runToEnd(task: Promise<unknown>): Promise<boolean> {
      let isSettled = false;
      const settled = () => {
        isSettled = true;
      };
      task.then(settled, settled);
      await everyoneWaits();
      while (!isSettled) if (!(await take())) return false;
      return true;
    },
  };
}

/** Resolves when all running code waits for its next turn. */
function everyoneWaits(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Adds a turn behind those of the same time. Most turns are added near the end of the list. */
function add(turns: Turn[], turn: Turn): void {
  const before = turns.findLastIndex(({ at }) => at <= turn.at);
  turns.splice(before + 1, 0, turn);
}
