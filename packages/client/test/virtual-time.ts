import type { Time } from '../src/index.ts';

export interface VirtualTime extends Time {
  /** Every delay so far, in milliseconds. */
  readonly passed: readonly number[];
}

/**
 * Time that jumps to the next timer once all promises are settled, for scripted servers without
 * real I/O.
 */
export function createVirtualTime(start = Date.UTC(2026, 10, 2, 9)): VirtualTime {
  let now = start;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  let isPumping = false;
  const passed: number[] = [];

  function pump(): void {
    if (isPumping) return;
    isPumping = true;
    // A few turns of the event loop let every promise settle first.
    let turns = 5;
    const turn = () => {
      turns -= 1;
      if (turns > 0) return setImmediate(turn);
      isPumping = false;
      const [next] = timers.toSorted((a, b) => a.at - b.at);
      if (next === undefined) return undefined;
      timers = timers.filter((timer) => timer !== next);
      if (next.at > now) passed.push(next.at - now);
      now = Math.max(now, next.at);
      next.run();
      pump();
      return undefined;
    };
    setImmediate(turn);
  }

  return {
    passed,
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      pump();
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
}
