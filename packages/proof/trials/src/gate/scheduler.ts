import type { Clock, EpochMs } from '@chairside/core';

/**
 * Runs one turn after the other in virtual time. It is the only source of order and time in a run.
 */
export interface Scheduler {
  readonly clock: Clock;
  /** The number of turns so far. */
  readonly turns: () => number;
  /** A number that is higher each time. */
  readonly nextMoment: () => number;
  /** Runs an action after this many milliseconds, in a turn of its own. */
  after<T>(ms: number, act: () => T | PromiseLike<T>): Promise<T>;
  /** Takes turns until none is left before `end`, then moves the time to `end`. */
  runUntil(end: EpochMs): Promise<void>;
  /** Takes turns until the promise is settled; false if the turns run out before. */
  runToEnd(task: Promise<unknown>): Promise<boolean>;
}

interface Turn {
  readonly at: EpochMs;
  readonly order: number;
  readonly act: () => Promise<void>;
}

/** More turns than any run needs: a longer run never ends. */
const maxTurns = 200_000;

export function createScheduler(start: EpochMs): Scheduler {
  const turns: Turn[] = [];
  let now = start;
  let added = 0;
  let taken = 0;
  let moments = 0;

  async function take(): Promise<boolean> {
    const turn = pop(turns);
    if (turn === undefined || taken >= maxTurns) return false;
    taken += 1;
    now = Math.max(now, turn.at);
    await turn.act();
    await everyoneWaits();
    return true;
  }

  return {
    clock: { now: () => now },
    turns: () => taken,
    nextMoment() {
      moments += 1;
      return moments;
    },

    after: (ms, act) =>
      new Promise((resolve, reject) => {
        added += 1;
        const run = async () => {
          try {
            resolve(await act());
          } catch (error) {
            reject(error);
          }
        };
        push(turns, { at: now + ms, order: added, act: run });
      }),

    async runUntil(end) {
      await everyoneWaits();
      for (;;) {
        const [next] = turns;
        if (next === undefined || next.at > end || !(await take())) break;
      }
      now = Math.max(now, end);
    },

    async runToEnd(task) {
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

function isBefore(a: Turn, b: Turn): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}

// A binary heap with the earliest turn first.

function push(heap: Turn[], turn: Turn): void {
  let index = heap.length;
  heap.push(turn);
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isBefore(turn, parent)) break;
    heap[index] = parent;
    index = above;
  }
  heap[index] = turn;
}

function pop(heap: Turn[]): Turn | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let index = 0;
  for (;;) {
    const left = heap[2 * index + 1];
    const right = heap[2 * index + 2];
    const isRight = left !== undefined && right !== undefined && isBefore(right, left);
    const child = isRight ? right : left;
    if (child === undefined || !isBefore(child, last)) break;
    heap[index] = child;
    index = 2 * index + (isRight ? 2 : 1);
  }
  heap[index] = last;
  return first;
}
